"""The user's own configuration: a file that no repository can bring along.

    toolchains = ["/opt/foo"]

    [agents.codex]
    login = true
    instructions = true
    git = true

    [agents.codex.mcp.notes]
    command = ["python3", "/home/me/notes.py"]

    [web]
    search = "https://search.example/?q={query}"

    [evidence]
    docs_root = "/home/me/project"
    file_roots = ["/srv/evidence"]

    [evidence.git]
    main = "/home/me/project"

    [evidence.svn]
    old = "https://svn.example/repo"

    [evidence.https]
    servers = ["files.example"]

    [evidence.https.tokens]
    "files.example" = "FILES_TOKEN"

    [skills]
    launcher = "dsub-i"

    [skills.tools.innovus]
    command = ["innovus", "-no_gui", "-init"]
    readable = ["/opt/pdk"]
    reach = ["licenses.example:5280"]
    passed = ["LM_LICENSE_FILE"]

    [skills.launchers."dsub-i"]
    command = ["dsub-i", "-q", "big"]

    [seek]
    embedder = "http"
    url = "http://localhost:8080/v1/embeddings"
    model = "some-model"
    token = "EMBEDDINGS_TOKEN"

The variable CUSTODY_TOOLCHAINS takes the place of ``toolchains``, its folders joined by colons,
CUSTODY_WEB_SEARCH that of ``web.search``, CUSTODY_DOCS_ROOT that of ``evidence.docs_root``, and
CUSTODY_EMBEDDER that of ``seek.embedder``.
The settings that are words are read by the command line
(`custody.cli.config`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import msgspec

from custody.errors import MalformedDocument
from custody.model.own_settings import OwnEvidence, OwnSettings
from custody.model.record import ready
from custody.store.places import is_file, leads_to
from custody.store.root import read_file

USER_FILE = "custody/custody.toml"
"""Below the folder for configuration, ``~/.config`` where XDG_CONFIG_HOME names no other."""
OWN = ("toolchains", "agents", "web", "evidence", "skills", "seek")
"""What is read here of the file."""
CHANGES = "change"
"""What only a repository says, about changes of it: `custody.store.change_settings` reads it."""
TOOLCHAINS = "CUSTODY_TOOLCHAINS"
WEB_SEARCH = "CUSTODY_WEB_SEARCH"
DOCS_ROOT = "CUSTODY_DOCS_ROOT"
EMBEDDER = "CUSTODY_EMBEDDER"


def user_file(environment: Mapping[str, str]) -> str:
    """Return where the user's own settings are, whether there are any or not."""
    named = environment.get("XDG_CONFIG_HOME", "")
    home = environment.get("HOME") or os.path.expanduser("~")
    folder = named if os.path.isabs(named) else os.path.join(home, ".config")
    return os.path.join(folder, USER_FILE)


def own_settings(environment: Mapping[str, str]) -> OwnSettings:
    """Return what the user allows; raises `MalformedDocument` when his file is wrong."""
    file = user_file(environment)
    parsed = read_toml(file) if is_given(file) else {}
    if named := environment.get(EMBEDDER, ""):
        parsed = {**parsed, "seek": {**parsed.get("seek", {}), "embedder": named}}
    try:
        known = {name: parsed[name] for name in OWN if name in parsed}
        found = msgspec.convert(known, ready(OwnSettings))
    except msgspec.ValidationError as error:
        raise MalformedDocument("type", str(error), where=file) from None
    _refuse_relative(found.evidence, file)
    if root := environment.get(DOCS_ROOT, ""):
        evidence = msgspec.structs.replace(found.evidence, docs_root=os.path.abspath(root))
        found = msgspec.structs.replace(found, evidence=evidence)
    if search := environment.get(WEB_SEARCH, ""):
        web = msgspec.structs.replace(found.web, search=search)
        found = msgspec.structs.replace(found, web=web)
    if named := environment.get(TOOLCHAINS, ""):
        return msgspec.structs.replace(found, toolchains=tuple(filter(None, named.split(":"))))
    return found


def _refuse_relative(evidence: OwnEvidence, file: str) -> None:
    """Raise `MalformedDocument` for a place that depends on where one is."""
    places = [evidence.docs_root, *evidence.file_roots, *evidence.git.values()]
    for place in (*places, evidence.https.ca_file):
        if place and not os.path.isabs(place):
            hint = "write the whole path"
            raise MalformedDocument(
                "type", f"evidence: {place!r} is not an absolute path", where=file, hint=hint
            )


def is_given(file: str) -> bool:
    """Whether there is a file of settings; raises `MalformedDocument` for something in its place.

    A link that leads nowhere, a pipe or a folder would otherwise be settings that nobody heeds. A
    link to /dev/null says that there are none.
    """
    if not is_file(file) and os.path.lexists(file) and leads_to(file) != os.devnull:
        hint = "remove it, or put a file there"
        raise MalformedDocument("not_regular", "it is not a regular file", where=file, hint=hint)
    return is_file(file)


def read_toml(file: str) -> dict[str, Any]:
    """Return what a file of settings says; raises `MalformedDocument`."""
    return parse_toml(read_file(file), file)


def parse_toml(data: bytes, file: str) -> dict[str, Any]:
    """Return what the text of a file of settings says; raises `MalformedDocument`."""
    import tomllib

    try:
        return tomllib.loads(data.decode())
    except RecursionError:
        raise MalformedDocument("toml", "it is nested too deeply", where=file) from None
    except UnicodeDecodeError as error:
        what = f"byte {error.start} is not UTF-8"
        hint = "save the file as UTF-8"
        raise MalformedDocument("toml", what, where=file, hint=hint) from None
    except ValueError as error:
        raise MalformedDocument("toml", str(error), where=file) from None
