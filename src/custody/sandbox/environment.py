"""What a program sees of the world: its variables, which file its name stands for, what of /etc.

The environment is built, not inherited: a variable is passed on when it stands in `PASSED` or
begins with `PASSED_PREFIX`, everything else of the parent's is left behind, so that a secret of
the user's shell reaches no agent and no tool. Caches point outside the workspace: what a tool
remembers for its own speed is no change of the work.

Of /etc it sees what it needs, as far as everybody may read it. Root, who owns what is closed to
others, and members of a group that may read it, such as that of the machine's keys, see no more
of it than anybody else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from posixpath import normpath

from custody.errors import PathRefused, StorageFailed
from custody.patterns import later
from custody.store.places import is_program, leads_to, open_to_all, real_path
from custody.store.resolve import own
from custody.store.root import Root

PASSED = frozenset(
    {
        # who and where
        "HOME", "LANG", "LANGUAGE", "LOGNAME", "TZ", "USER",
        # where toolchains are installed: programs on PATH are often only listeners to them
        "CARGO_HOME", "CONDA_PREFIX", "GOPATH", "GOROOT", "JAVA_HOME", "NVM_DIR", "PYENV_ROOT",
        "RUSTUP_HOME", "VIRTUAL_ENV",
        # which certificates to trust
        "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR", "SSL_CERT_FILE",
    }
)  # fmt: skip
PASSED_PREFIX = "LC_"
FIXED = {
    # what Go has downloaded can be removed by whoever removes the run
    "GOFLAGS": "-modcacherw",
    # no program talks to a terminal, and none may wait for one
    "GIT_TERMINAL_PROMPT": "0",
    "SHELL": "/bin/sh",
    "TERM": "dumb",
    # a file of the workspace that is also one of a cache could be changed from outside
    "UV_LINK_MODE": "copy",
    "npm_config_package_import_method": "copy",
}
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
_OF_PROCESSES = ("/proc/", "//proc/", "/dev/fd/", "//dev/fd/")
"""Where a path means something else to each process."""

CACHES = {
    "CARGO_HOME": "cargo",
    "GOCACHE": "go-build",
    "GOMODCACHE": "go-mod",
    "HYPOTHESIS_STORAGE_DIRECTORY": "hypothesis",
    "MYPY_CACHE_DIR": "mypy",
    "PIP_CACHE_DIR": "pip",
    "PYTHONPYCACHEPREFIX": "pycache",
    "RUFF_CACHE_DIR": "ruff",
    "TMPDIR": "tmp",
    "UV_CACHE_DIR": "uv",
    "XDG_CACHE_HOME": "xdg",
    "YARN_CACHE_FOLDER": "yarn",
    "npm_config_cache": "npm",
}
"""Variables that move a cache, and the folder each gets below the cache directory."""
KEPT_CACHES = frozenset(
    {"cargo/git", "cargo/registry", "go-build", "go-mod", "npm", "pip", "uv", "yarn"}
)
"""Folders of packages and build results, each found by its version or by the hash of what it was
made from; of cargo's home without its configuration, its credentials and the programs it installed.

The others answer by time and size of a file, which whoever changes the file can set: byte code, or
the results of a linter, that were made before a change must not be taken for those after it.
"""
HOME = "home"
"""The folder there for the programs' home, at levels that have no other place for it."""

CONFIGURATION = (
    "alternatives", "crypto-policies", "debian_version", "java-11-openjdk", "java-17-openjdk",
    "java-21-openjdk", "java-25-openjdk", "ld.so.cache", "localtime", "lsb-release", "mime.types",
    "os-release", "protocols", "python3", "python3.11", "python3.12", "python3.13",
    "python3.14", "redhat-release", "services", "system-release",
)  # fmt: skip
"""What of /etc programs need and everybody may know."""
OF_THIS_MACHINE = (
    "bash.bashrc", "environment", "fonts", "gitconfig", "group", "inputrc", "ld.so.conf",
    "ld.so.conf.d", "locale.alias", "locale.conf", "login.defs", "mailcap", "npmrc", "passwd",
    "perl", "pip.conf", "profile", "profile.d", "shells", "terminfo", "timezone",
)  # fmt: skip
"""What programs at L2 find in /etc beside that: a file that is there and closed stops many."""
NAME_SERVICE = ("host.conf", "gai.conf", "hosts", "nsswitch.conf", "resolv.conf")
"""What of /etc is needed to reach the network."""
CERTIFICATES = {"pki": 3, "ssl": 2}
"""Folders of certificates, and how deep to look in them for what must not be shown: keys."""

_WORKING_DIRECTORY = later(r"\$(?:PWD(?![A-Za-z0-9_])|\{PWD\})")


def base_environment(parent: Mapping[str, str]) -> dict[str, str]:
    """Return what of the parent's environment every program may see.

    Taken once when the runtime starts, so that PATH means the same for every stage. Entries of
    PATH that are not absolute are dropped: they would be looked up in the workspace, as would those
    that begin with a process's own folder. So are those that are not UTF-8, which no record could
    tell.
    """
    passed = {
        name: value
        for name, value in parent.items()
        if (name in PASSED or name.startswith(PASSED_PREFIX)) and value.isprintable()
    }
    entries = [
        entry
        for entry in parent.get("PATH", "").split(":")
        if entry.startswith("/")
        and not f"{normpath(entry)}/".startswith(_OF_PROCESSES)
        and entry.encode(errors="replace").decode() == entry
    ]
    # Programs of rustup look for their toolchains below a home that is not theirs inside.
    if "HOME" in passed and f"{passed['HOME']}/.cargo/bin" in entries:
        passed.setdefault("RUSTUP_HOME", f"{passed['HOME']}/.rustup")
    return {**passed, **FIXED, "PATH": ":".join(entries) or DEFAULT_PATH}


def path_beside(path: str, folders: Iterable[str], tools: tuple[str, ...] = ()) -> str:
    """Return a PATH without entries that lie in one of ``folders``, whatever links lead there.

    Those that lie in ``tools`` stay: what is shown there cannot be changed.
    """
    ends = [end for folder in folders for end in (folder, leads_to(folder))]

    def is_beside(entry: str) -> bool:
        found = {normpath(entry), leads_to(entry)}
        if any(_holds(tool, one) for tool in tools for one in found):
            return True
        return not any(_holds(end, one) for end in ends for one in found)

    return ":".join(filter(is_beside, path.split(":"))) or DEFAULT_PATH


def stage_environment(
    base: Mapping[str, str], *, run_dir: str, node: str, stage_dir: str, cache_dir: str
) -> dict[str, str]:
    """Return the variables of one stage; ``cache_dir`` must lie outside the workspace."""
    return {
        **base,
        **cache_variables(cache_dir),
        "CUSTODY_RUN_DIR": run_dir,
        "CUSTODY_NODE_ID": node,
        "CUSTODY_STAGE_DIR": stage_dir,
    }


def session_environment(
    base: Mapping[str, str], *, session_dir: str, session: str, token: int, cache_dir: str
) -> dict[str, str]:
    """Return the variables of a session's program; ``session_dir`` is the folder it works in."""
    return {
        **base,
        **cache_variables(cache_dir),
        "CUSTODY_SESSION": session,
        "CUSTODY_SESSION_DIR": session_dir,
        "CUSTODY_SESSION_TOKEN": str(token),
    }


def cache_variables(cache_dir: str) -> dict[str, str]:
    """Return the variables that keep caches in one folder."""
    quoted = cache_dir.replace("'", "'\\''")
    return {
        **{name: f"{cache_dir}/{folder}" for name, folder in CACHES.items()},
        "PYTEST_ADDOPTS": f"-o 'cache_dir={quoted}/pytest'",
    }


def make_caches(cache_dir: str, *more: str) -> None:
    """Make the folders that programs expect to be there, and ``more``.

    Programs can write here. When one has put something else in their place, all of it goes.
    """
    home, _, name = cache_dir.rpartition("/")
    wanted = [f"{name}/{folder}" for folder in (CACHES["TMPDIR"], *more)]
    with Root.open(home, resolver=own) as root:
        try:
            for path in wanted:
                root.make_dirs(path)
        except (PathRefused, StorageFailed):
            if not root.exists(name):
                raise
            root.remove_tree(name)
            for path in wanted:
                root.make_dirs(path)


def command_environment(
    environment: Mapping[str, str], own: Mapping[str, str], directory: str
) -> dict[str, str]:
    """Return the variables of one command: the stage's, and its ``own`` with $PWD filled in."""
    filled = {
        name: _WORKING_DIRECTORY.sub(lambda _: directory, value) for name, value in own.items()
    }
    return {**environment, "PWD": directory, **filled}


def wanted_of_etc(*, names: bool, machine: bool, etc: str = "/etc") -> list[str]:
    """Return what programs need of /etc, whether it is there or not.

    With ``names`` what it takes to reach the network, and with ``machine`` what is about this one.
    """
    wanted = [*CONFIGURATION, *CERTIFICATES]
    wanted += NAME_SERVICE if names else ()
    wanted += OF_THIS_MACHINE if machine else ()
    return [f"{etc}/{name}" for name in wanted]


def open_parts(paths: Iterable[str], whole: Collection[str] = (), etc: str = "/etc") -> list[str]:
    """Return paths with, in place of those of /etc, what everybody may read of them.

    Those that are to be shown ``whole``, since the user has named them, stay as they are.
    """
    depths = {f"{etc}/{name}": depth for name, depth in CERTIFICATES.items()}
    among = (*depths, "/usr")
    return [
        part
        for path in paths
        for part in (
            open_to_all(path, depths.get(path, 0), among)
            if path.startswith(f"{etc}/") and path not in whole
            else (path,)
        )
    ]


def find_program(name: str, path: str, workspace: str, tools: tuple[str, ...] = ()) -> str | None:
    """Return the file that ``name`` stands for, or None.

    A plain name is looked up in ``path`` and never found inside the workspace, whatever links
    lead there, but for ``tools``: what is shown there and cannot be changed. A name with a slash
    was written on purpose and is taken as it is.
    """
    if "/" in name:
        return name
    for directory in path.split(":"):
        candidate = f"{directory}/{name}"
        if not name or not is_program(candidate):
            continue
        if not _is_below(candidate, workspace) or any(_is_below(candidate, at) for at in tools):
            return candidate
    return None


def _holds(folder: str, path: str) -> bool:
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")


def _is_below(file: str, folder: str) -> bool:
    return real_path(file).startswith(real_path(folder).rstrip("/") + "/")
