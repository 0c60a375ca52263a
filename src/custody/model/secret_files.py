"""Names of files that hold secrets: the one list, for who writes them and for who reads them.

Nobody writes the first kind (`custody.model.relpath`). Agents do not see either kind, unless one is
named: they are hidden as holdouts are. Templates without secrets are no such files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from custody.model.change import Entry
from custody.patterns import later

NOT_WRITTEN = later(r"\.env(?:\..*)?|\.netrc|\.pgpass|\.pypirc|\.git-credentials", re.DOTALL)
SECRET_FREE = frozenset({".env.example", ".env.sample", ".env.template"})

NOT_SHOWN = (
    ".env", ".env.*", ".envrc", ".netrc", "_netrc", ".pgpass", ".pypirc", ".npmrc", ".htpasswd",
    ".git-credentials", ".vault-token", "credentials", "credentials.json", "credentials.toml",
    "secrets.json", "secrets.toml", "secrets.yaml", "secrets.yml", "service-account*.json",
    "kubeconfig", ".dockercfg", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
    "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
)  # fmt: skip
"""Names, in any folder; ``*`` stands for anything. Case does not matter."""
_HIDDEN = later("|".join(re.escape(name).replace(r"\*", ".*") for name in NOT_SHOWN), re.DOTALL)


def is_secret(path: str) -> bool:
    """Whether a file of that name is not shown to agents."""
    name = path.rpartition("/")[2].casefold()
    return _HIDDEN.fullmatch(name) is not None and name not in SECRET_FREE


def secret_files(entries: Mapping[str, Entry], shown: Iterable[str] = ()) -> Iterator[str]:
    """Yield the files and symlinks of a workspace that an agent is not to see.

    ``shown`` names exceptions: a path, a folder above it, or the file's name alone.
    """
    named = {name.strip("/") for name in shown}
    for path, entry in entries.items():
        if entry.kind != "dir" and is_secret(path) and named.isdisjoint(_ways_to_name(path)):
            yield path


def _ways_to_name(path: str) -> Iterator[str]:
    yield path.rpartition("/")[2]
    while path:
        yield path
        path = path.rpartition("/")[0]
