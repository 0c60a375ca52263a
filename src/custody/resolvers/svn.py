"""What a revision of a Subversion repository holds: what ``svn cat <url>@<revision>`` prints.

Keywords in it are expanded as the repository says; `$URL$` and `$Header$` differ by the address.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from custody.errors import ResolveFailed
from custody.evidence import Content, failure
from custody.evidence.uri import SvnUri
from custody.patterns import later
from custody.resolvers.program import run

_ADDRESS = later(r"(?:svn|https|svn\+ssh|file)://[!-~]+")
_GONE = later(r"[EW](?:160013|160006|195007|195012|200009|170000)\b")
"""No such path, no such revision, or a folder there."""


def read_revision(
    repositories: Mapping[str, str], uri: SvnUri, environment: Mapping[str, str]
) -> Content:
    """Return a file of a revision; raises `ResolveFailed`."""
    address = repositories.get(uri.repository, "")
    if not address:
        hint = f'name its address in [evidence.svn]: "{uri.repository}" = "svn://…"'
        what = f"no repository is named {uri.repository!r}"
        raise ResolveFailed(failure.REFUSED, what, where=uri.text, hint=hint)
    if _ADDRESS.fullmatch(address) is None:
        what = f"{address!r} is no address of a Subversion repository"
        hint = "svn://, svn+ssh://, https:// or file://, without blanks"
        raise ResolveFailed(failure.REFUSED, what, where=uri.text, hint=hint)
    target = f"{address.rstrip('/')}/{quote(uri.path)}@{uri.revision}"
    command = ("svn", "cat", "--non-interactive", "--no-auth-cache", "--", target)
    said = run(command, environment, {}, where=uri.text)
    if said.exit_code:
        code = failure.GONE if _GONE.search(said.error) else failure.UNREACHABLE
        first = said.error.partition("\n")[0].removeprefix("svn: ")
        raise ResolveFailed(code, first or "svn failed", where=uri.text)
    return Content.of(said.out)
