"""Which logbook a command is about."""

from __future__ import annotations

from support.shell import Here


def test_the_nearest_word_counts(user: Here) -> None:
    def at(*words: str, **environment: str) -> object:
        return user("logbook", "show", *words, "--json", **environment).data["logbook"]

    folder = user.folder
    assert at() == f"{folder}/data/custody/logbook.sqlite"
    assert at(CUSTODY_LOGBOOK=f"{folder}/by-variable") == f"{folder}/by-variable"
    words = ("--logbook", "by-flag", "--artifacts", "bytes")
    assert at(*words, CUSTODY_LOGBOOK=f"{folder}/by-variable") == f"{folder}/by-flag"
    assert (folder / "bytes").is_dir()
    (folder / "custody.toml").write_text('logbook = "by-project"\n')
    assert at() == f"{folder}/data/custody/logbook.sqlite", "no project says where evidence goes"
