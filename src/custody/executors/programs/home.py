"""A home of its own for an agent that keeps things while it works."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from custody.executors import Stage
from custody.model import layout
from custody.sandbox.confinement import HOME_VIEW, GivenFile
from custody.store.places import is_folder

TOOLCHAINS = {
    "CARGO_HOME": ".cargo", "GOPATH": "go", "NVM_DIR": ".nvm", "PYENV_ROOT": ".pyenv",
    "RUSTUP_HOME": ".rustup",
}  # fmt: skip
"""Where toolchains lie below the user's home when no variable says otherwise."""


@contextmanager
def own_home(stage: Stage, agent: str, given: tuple[GivenFile, ...] = ()) -> Iterator[str]:
    """Make an empty folder for what the agent keeps while it works, and remove it afterwards.

    What is ``given`` lies in it; at L3 the sandbox writes it, and nothing of it is on the disk.
    Yields its absolute path. It lies outside the workspace, because it is no work, and outside
    every temporary directory, where some agents refuse to put what they start. Sandboxes of L3
    bring such a home along, and would show where the folder lies.
    """
    if stage.sandbox.level == "L3":
        yield HOME_VIEW
        return
    path = layout.home_of(agent, stage.folder.path)
    root = stage.run.root
    try:
        if root.exists(path):
            root.remove_tree(path)  # a process that was killed left it
        root.make_dirs(path)
        for file in given:
            root.make_dirs(f"{path}/{file.place}".rpartition("/")[0])
            root.create(f"{path}/{file.place}", file.data, mode=0o400)
        yield f"{stage.run.path}/{path}"
    finally:
        if root.exists(path):
            root.remove_tree(path)


def home_variables(home: str, parent: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that make a folder the agent's home.

    Agents start shells that read the start-up files of their home, and some their memory and
    configuration: nothing of the user's may be found there. Toolchains stay where they are.
    """
    users = parent.get("HOME", "/")
    found = {name: f"{users}/{folder}" for name, folder in TOOLCHAINS.items()}
    kept = {name: path for name, path in found.items() if name not in parent and is_folder(path)}
    return {**kept, "HOME": home}
