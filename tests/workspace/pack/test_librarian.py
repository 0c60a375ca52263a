"""The librarian copies what was asked for, within the budget, and names the rest."""

from __future__ import annotations

import hashlib
import json
import locale
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from custody.errors import SeekFailed
from custody.model.contracts.context_pack import ContextPack, PackFailure
from custody.model.contracts.file_request import PackBudget
from custody.model.record import encode_pretty
from custody.workspace.pack.librarian import IF_PRESENT, MANDATORY, Suggest
from custody.workspace.pack.request import Suggestion
from support.packing import Library, left_out, served, some, whole
from support.sweep import examples


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "repo")


@pytest.mark.req("C-03")
def test_the_mandatory_documents_come_first(library: Library) -> None:
    for path in IF_PRESENT:
        library.write(path, "rules\n")
    library.write("a.py", "x = 1\n")
    pack = library.pack(whole("a.py"), whole("AGENTS.md"))
    assert [(f.path, f.why) for f in pack.files] == [
        *((path, "mandatory_contract") for path in (*MANDATORY, *IF_PRESENT)),
        ("a.py", "requested:to see"),
    ]
    assert left_out(pack) == [("AGENTS.md", "irrelevant")]


@pytest.mark.req("C-03")
def test_a_budget_that_cannot_hold_them_is_told_with_what_it_lacks(library: Library) -> None:
    size = library.mandatory_bytes
    failure = library.fail(max_files=1, max_total_bytes=size - 7)
    assert (failure.code, failure.needed, failure.raise_by) == (
        "budget_too_small",
        PackBudget(max_files=3, max_total_bytes=size),
        PackBudget(max_files=2, max_total_bytes=7),
    )
    assert "increase budget" in failure.message
    assert failure.hint == f"raise max_files by 2 to 3 and max_total_bytes by 7 to {size}"
    raised = library.pack(max_files=3, max_total_bytes=size)
    assert [file.path for file in raised.files] == list(MANDATORY)


def test_a_budget_counts_a_mandatory_document_as_it_stands_in_the_pack(library: Library) -> None:
    library.write("AGENTS.md", b"\xff" * 10)
    failure = library.fail(max_total_bytes=library.mandatory_bytes)
    assert failure.raise_by == PackBudget(max_files=0, max_total_bytes=20)
    whole_pack = library.pack(max_total_bytes=library.mandatory_bytes + 20)
    assert whole_pack.files[0].content == "\ufffd" * 10


@pytest.mark.req("C-03")
def test_every_mandatory_document_that_is_missing_is_named(library: Library) -> None:
    (library.folder / MANDATORY[0]).unlink()
    (library.folder / MANDATORY[2]).unlink()
    failure = library.fail()
    assert (failure.code, failure.paths) == ("mandatory_missing", (MANDATORY[0], MANDATORY[2]))
    assert all(path in failure.message for path in failure.paths)


@pytest.mark.parametrize("target", ["/etc/hostname", "../outside", ".env"])
def test_a_mandatory_document_that_may_not_be_shown_is_no_pack(
    library: Library, target: str
) -> None:
    library.write(".env", "KEY=1\n")
    (library.folder / "AGENTS.md").unlink()
    (library.folder / "AGENTS.md").symlink_to(target)
    failure = library.fail()
    assert (failure.code, failure.paths) == ("mandatory_denied", ("AGENTS.md",))


def test_a_mandatory_document_may_be_a_link_inside(library: Library) -> None:
    library.write("CLAUDE.md", "rules\n")
    (library.folder / "AGENTS.md").unlink()
    (library.folder / "AGENTS.md").symlink_to("CLAUDE.md")
    assert library.pack().files[0].content == "rules\n"


@pytest.mark.req("C-03")
def test_a_repository_may_add_to_the_list(library: Library) -> None:
    library.write("custody.toml", '[change]\ndocuments = ["RULES.md", "AGENTS.md"]\n')
    assert library.fail().paths == ("RULES.md",)
    library.write("RULES.md", "be kind\n")
    assert [file.path for file in library.pack().files] == [*MANDATORY, "RULES.md"]


@pytest.mark.parametrize(
    "text",
    ["[change]\ndocuments = 1", "[change]\ndocument = []", '[change]\ndocuments=["/etc"]', "["],
)
def test_settings_that_make_no_sense_are_no_pack(library: Library, text: str) -> None:
    library.write("custody.toml", text)
    assert library.fail().code == "settings_invalid"


@pytest.mark.parametrize(
    "request_",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        (
            b'{"schema_version": "ctcp-file-request-v2", "goal": "", "needs": [], "reason": "",'
            b' "budget": {"max_files": 1, "max_total_bytes": 1}}'
        ),
        (
            b'{"schema_version": "ctcp-file-request-v1", "goal": "", "needs": [], "reason": "",'
            b' "budget": {"max_files": -1, "max_total_bytes": 1}}'
        ),
        (
            b'{"schema_version": "ctcp-file-request-v1", "goal": "\\ud800", "needs": [],'
            b' "reason": "", "budget": {"max_files": 9, "max_total_bytes": 999}}'
        ),
        (
            b'{"schema_version": "ctcp-file-request-v1", "goal": "", "goal": "", "needs": [],'
            b' "reason": "", "budget": {"max_files": 9, "max_total_bytes": 999}}'
        ),
    ],
)
@pytest.mark.req("C-02")
def test_a_request_that_cannot_be_read_is_no_pack(library: Library, request_: bytes) -> None:
    made = library.ask(request_)
    assert isinstance(made, PackFailure)
    assert made.code == "request_invalid"


@pytest.mark.req("C-02", "C-08")
def test_needs_that_make_no_sense_are_named_and_spoil_no_other(library: Library) -> None:
    library.write("a.py", "x\n")
    pack = library.pack(
        7,
        {"path": 1, "mode": "full"},
        {"path": "a.py"},
        {"path": "a.py", "mode": "half"},
        {"path": "a.py", "mode": "snippets", "line_ranges": [[1]]},
        {"path": "a.py", "mode": "snippets", "line_ranges": [[1, "2"]]},
        {"path": "a.py", "mode": "snippets", "line_ranges": [[True, 2]]},
        {"path": "a" * 5000, "mode": "full"},
        {"path": "\ud800", "mode": "full"},
        {**whole("a.py"), "why": "nobody asked"},
    )
    assert served(pack) == [("a.py", "x\n")]
    reasons = [reason for _, reason in left_out(pack)]
    assert reasons == ["invalid_request"] * 9
    assert [path for path, _ in left_out(pack)][:2] == ["", ""]
    assert len(left_out(pack)[-2][0]) < 2000
    encode_pretty(pack).decode()


@pytest.mark.req("C-05")
@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("runs/x", "denied"),
        ("build", "denied"),
        ("a/dist/b", "denied"),
        ("a/__pycache__/b.pyc", "denied"),
        ("Node_Modules/x", "denied"),
        (".GIT/config", "denied"),
        ("deep/.env.local", "denied"),
        ("keys/id_rsa", "denied"),
        ("scripts/scenarios", "denied"),
        ("builds/x", ""),
        (".env.example", ""),
        ("env", ""),
        ("scripts/scenarios.md", ""),
        ("/a", "invalid_request"),
        ("a//b", "invalid_request"),
        ("a/", "invalid_request"),
        ("C:/a", "invalid_request"),
        ("a\\b", "invalid_request"),
        ("~/a", "invalid_request"),
        ("", "invalid_request"),
        ("nowhere/at/all", "not_found"),
        ("file/below", "not_found"),
        ("folder", "invalid_request"),
        ("pipe", "denied"),
    ],
)
def test_which_paths_are_shown(library: Library, path: str, reason: str) -> None:
    (library.folder / "folder").mkdir()
    library.write("file", "x")
    os.mkfifo(library.folder / "pipe")
    if (not reason or reason == "denied") and path != "pipe":
        library.write(path, "x")
    pack = library.pack(whole(path))
    assert left_out(pack) == ([(path, reason)] if reason else [])
    assert [name for name, _ in served(pack)] == ([] if reason else [path])


@pytest.mark.req("C-05")
@pytest.mark.parametrize(
    ("links", "path", "reason"),
    [
        ({"l": "../outside"}, "l", "denied"),
        ({"l": "/etc"}, "l/hostname", "denied"),
        ({"l": "l"}, "l", "denied"),
        ({"l": "m", "m": "l"}, "l/x", "denied"),
        ({"l": "build"}, "l/x", "denied"),
        ({"l": ".env"}, "l", "denied"),
        ({"l": "scripts"}, "l/scenarios/s.sh", "denied"),
        ({"l": "src"}, "l/../.env", "invalid_request"),
        ({"l": "nowhere"}, "l", "not_found"),
        ({"l": "src"}, "l/a.py", ""),
        ({"src/l": "./../src//a.py"}, "src/l", ""),
        ({"l": "m", "m": "src"}, "l/a.py", ""),
    ],
)
def test_where_links_lead(library: Library, links: dict[str, str], path: str, reason: str) -> None:
    (library.folder.parent / "outside").write_text("secret")
    for name in ("src/a.py", "build/x", ".env", "scripts/scenarios/s.sh"):
        library.write(name, "text\n")
    for name, target in links.items():
        (library.folder / name).symlink_to(target)
    pack = library.pack(whole(path))
    assert left_out(pack) == ([(path, reason)] if reason else [])
    assert served(pack) == ([] if reason else [(path, "text\n")])


@pytest.mark.req("C-06")
def test_several_pieces_of_one_file_are_all_served(library: Library) -> None:
    library.write("a.txt", "1\r\n2\n3\n4\n5")
    pack = library.pack(
        some("a.txt", (4, 9), (-3, 1), (2, 3)), some("a.txt", (3, 3)), some("a.txt", (3, 3))
    )
    assert [content for _, content in served(pack)] == ["4\n5", "1\r\n", "2\n3\n", "3\n"]
    assert [file.why.partition("[")[2] for file in pack.files[3:]] == [
        "lines 4-5]",
        "line 1]",
        "lines 2-3]",
        "line 3]",
    ]
    assert left_out(pack) == [("a.txt", "irrelevant")]


@pytest.mark.req("C-06")
@pytest.mark.parametrize(
    ("content", "asked", "found"),
    [
        ("", (1, 5), ""),
        ("\n", (1, 5), "\n"),
        ("a\nb\n", (2, 2), "b\n"),
        ("a\nb\n", (3, 3), "b\n"),
        ("a\nb", (7, 10**30), "b"),
        ("a\u2028b\x0cc\rd\ne\n", (1, 1), "a\u2028b\x0cc\rd\n"),
        ("\ufeffa\n", (1, 1), "\ufeffa\n"),
    ],
)
def test_lines(library: Library, content: str, asked: tuple[int, int], found: str) -> None:
    library.write("a.txt", content)
    assert served(library.pack(some("a.txt", asked))) == [("a.txt", found)]


@pytest.mark.req("C-06", "C-07")
@pytest.mark.parametrize(
    ("content", "room", "kept"),
    [
        ("abcdef", 4, "abcd"),
        ("abcdef", 6, "abcdef"),
        ("äöü", 3, "ä"),
        ("a😀", 4, "a"),
        (b"ab\xff\xff", 5, "ab\ufffd"),
        (b"ab\xff\xff", 4, "ab"),
        (b"abc\xe2\x82", 5, "abc"),
        (b"\xf0\x9f\x98", 3, "\ufffd"),
    ],
)
def test_a_file_is_cut_between_characters(
    library: Library, content: str | bytes, room: int, kept: str
) -> None:
    library.write("a.txt", content)
    library.write("b.txt", "b")
    library.write("empty.txt", "")
    size = library.mandatory_bytes + room
    pack = library.pack(whole("a.txt"), whole("empty.txt"), max_total_bytes=size)
    text = content if isinstance(content, bytes) else content.encode()
    assert served(pack) == [("a.txt", kept), ("empty.txt", "")]
    assert pack.files[3].truncated == (kept != text.decode(errors="replace"))


@pytest.mark.req("C-07")
def test_needs_are_served_in_their_order_until_the_budget_is_spent(library: Library) -> None:
    for name in "abcd":
        library.write(f"{name}.txt", f"{name}\n" * 3)
    needs = [whole(f"{name}.txt") for name in "dbca"]
    pack = library.pack(*needs, max_files=5)
    assert [path for path, _ in served(pack)] == ["d.txt", "b.txt"]
    assert left_out(pack) == [("c.txt", "budget_exceeded"), ("a.txt", "budget_exceeded")]
    size = library.mandatory_bytes
    pack = library.pack(*needs, max_total_bytes=size + 8)
    assert served(pack) == [("d.txt", "d\nd\nd\n"), ("b.txt", "b\n")]
    assert [file.truncated for file in pack.files] == [False] * 4 + [True]
    assert pack.summary == (
        f"5 of 20 files, {size + 8} of {size + 8} bytes, 3 mandatory, 1 truncated. "
        "Omitted 2: 2 budget_exceeded."
    )


@pytest.mark.req("C-07")
def test_lines_that_do_not_fit_are_left_out_whole(library: Library) -> None:
    library.write("a.txt", "12345\n" * 10)
    room = library.mandatory_bytes + 18
    needs = [some("a.txt", (1, 2), (4, 5)), some("a.txt", (1, 2)), some("a.txt", (9, 9))]
    pack = library.pack(*needs, max_total_bytes=room)
    assert served(pack) == [("a.txt", "12345\n" * 2), ("a.txt", "12345\n")]
    assert left_out(pack) == [("a.txt", "budget_exceeded")]
    assert left_out(library.pack(some("a.txt", (1, 1), (2, 2)), max_files=4)) == [
        ("a.txt", "budget_exceeded")
    ]


@pytest.mark.req("C-08", "C-09")
def test_the_fields_of_a_pack(library: Library) -> None:
    library.write("a.py", "x")
    made = json.loads(encode_pretty(library.pack(whole("a.py"), whole("b.py"))))
    assert list(made) == ["schema_version", "goal", "repo_slug", "summary", "files", "omitted"]
    assert made["schema_version"] == "ctcp-context-pack-v1"
    assert made["goal"] == "Understand it"
    assert made["files"][-1] == {"path": "a.py", "why": "requested:to see", "content": "x"}
    assert made["omitted"] == [{"path": "b.py", "reason": "not_found"}]
    assert made["summary"].endswith("Omitted 1: 1 not_found.")


@pytest.mark.parametrize(
    ("reason", "why"),
    [("", "requested"), (" a\n b ", "requested:a b"), ("x" * 200, f"requested:{'x' * 80}")],
)
def test_why_is_short(library: Library, reason: str, why: str) -> None:
    library.write("a.py", "x")
    assert library.pack(whole("a.py"), reason=reason).files[-1].why == why


@pytest.mark.parametrize(
    ("file", "text", "slug"),
    [
        ("README.md", "", "library"),
        ("pyproject.toml", '[project]\nname = "Nice Thing"\n', "nice-thing"),
        ("pyproject.toml", '[project]\nname="a"\n[tool.custody.change]\nslug="b"\n', "b"),
        ("custody.toml", '[change]\nslug = "c"\n', "c"),
    ],
)
def test_what_a_repository_is_called(library: Library, file: str, text: str, slug: str) -> None:
    library.write(file, text)
    assert library.pack().repo_slug == slug


def test_a_big_file_is_not_read_beyond_the_budget(library: Library) -> None:
    """Zeros of a terabyte: whoever read them would be at it for minutes."""
    library.sparse("huge.bin", 1 << 40)
    pack = library.pack(whole("huge.bin"), max_total_bytes=10_000)
    assert pack.files[-1].truncated
    needs = (some("huge.bin", (1, 2)), some("huge.bin", (3, 3)))
    assert [reason for _, reason in left_out(library.pack(*needs, max_total_bytes=10_000))] == [
        "budget_exceeded",
        "too_large",
    ]


def test_lines_are_found_without_reading_on(library: Library) -> None:
    library.sparse("log", 1 << 40)
    with (library.folder / "log").open("r+b") as file:
        file.write(b"one\ntwo\nthree\n")
    assert served(library.pack(some("log", (2, 3)))) == [("log", "two\nthree\n")]


def test_a_file_that_never_holds_still_is_no_pack(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.write("log", "x\n")
    real = os.pread

    def write_and_read(descriptor: int, size: int, place: int) -> bytes:
        if os.readlink(f"/proc/self/fd/{descriptor}").endswith("/log"):
            with (library.folder / "log").open("a") as file:
                file.write("x\n")
        return real(descriptor, size, place)

    monkeypatch.setattr(os, "pread", write_and_read)
    failure = library.fail(whole("log"))
    assert (failure.code, failure.paths) == ("changed_during_read", ("log",))


@pytest.mark.req("C-04")
def test_the_same_bytes_everywhere(tmp_path: Path) -> None:
    """Another folder, order of directories, locale, umask, and line endings that git would make."""
    packs = []
    for number, names in enumerate((["a", "b", "c"], ["c", "a", "b"])):
        library = Library(tmp_path / f"copy{number}")
        library.write("pyproject.toml", '[project]\nname = "same"\n')
        library.write(".gitattributes", "* text=auto eol=crlf\n")
        for name in names:
            library.write(f"{name}.txt", f"{name}ä\r\nsecond\n")
        request = tmp_path / f"request{number}.json"
        request.write_text(json.dumps(library.request(*map(whole, ("b.txt", "a.txt", "c.txt")))))
        environment = {
            **os.environ,
            "LC_ALL": ("C", "C.UTF-8")[number],
            "PYTHONUTF8": "0",
            "PYTHONHASHSEED": str(number),
            "TZ": ("UTC", "Asia/Tokyo")[number],
        }
        done = subprocess.run(
            [sys.executable, "-m", "custody", "pack", str(request), "--repo", str(library.folder)],
            capture_output=True,
            check=True,
            env=environment,
            umask=(0o022, 0o077)[number],
        )
        packs.append(done.stdout)
    assert packs[0] == packs[1]
    assert b"second" in packs[0]


TEXTS = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(st.sampled_from([b"a\n", b"\r\n", b"\xc3\xa4", b"\xff", b"\n"])).map(b"".join),
)
NAMES = ("a.txt", "b/c.txt", "build/x", ".env", "AGENTS.md", "missing", "../up", "b")
RANGES = st.lists(st.tuples(st.integers(-2, 9), st.integers(-2, 9)), max_size=3)
NEEDS: st.SearchStrategy[list[Any]] = st.lists(
    st.one_of(
        st.builds(whole, st.sampled_from(NAMES)),
        st.builds(lambda path, ranges: some(path, *ranges), st.sampled_from(NAMES), RANGES),
        st.sampled_from([None, {}, {"path": "a.txt"}, []]),
    ),
    max_size=6,
)


@pytest.mark.req("C-04", "C-06", "C-07", "C-08")
@settings(max_examples=examples(60), deadline=None)
@given(
    texts=st.tuples(TEXTS, TEXTS, TEXTS),
    needs=NEEDS,
    files=st.integers(0, 8),
    size=st.integers(0, 120),
)
def test_whatever_is_asked_the_rules_hold(
    tmp_path_factory: pytest.TempPathFactory,
    texts: tuple[bytes, bytes, bytes],
    needs: list[Any],
    files: int,
    size: int,
) -> None:
    folder = tmp_path_factory.mktemp("repo")
    try:
        library = Library(folder)
        for name, text in zip(("a.txt", "b/c.txt", "AGENTS.md"), texts, strict=True):
            library.write(name, text)
        library.write("build/x", "x")
        library.write(".env", "x")
        limits = {"max_files": files, "max_total_bytes": size + library.mandatory_bytes}
        request = library.request(*needs, **limits)
        made = library.ask(request)
        assert library.ask(request) == made
        if isinstance(made, PackFailure):
            assert made.raise_by is not None
            assert made.raise_by.max_files == max(len(MANDATORY) - files, 0)
            return
        hold(made, library, needs, limits)
    finally:
        shutil.rmtree(folder)


def hold(made: ContextPack, library: Library, needs: list[Any], limits: dict[str, int]) -> None:
    """Check what must be true of every pack."""
    assert len(made.files) <= limits["max_files"]
    assert sum(len(f.content.encode()) for f in made.files) <= limits["max_total_bytes"]
    assert [f.path for f in made.files[:3]] == list(MANDATORY)
    for file in made.files:
        assert file.content in library.head(file.path, 10_000)
        assert file.truncated == (
            "[" not in file.why and file.content != library.head(file.path, 10_000)
        )
    pieces = [f.path for f in made.files[3:]]
    assert can_follow(needs, pieces, [o.path for o in made.omitted])


def can_follow(needs: list[Any], pieces: list[str], omitted: list[str]) -> bool:
    """Whether each need is served or named, once and in order."""
    if not needs:
        return not pieces and not omitted
    need, *rest = needs
    path = need.get("path", "") if isinstance(need, dict) else ""
    ranges = need.get("line_ranges", [0]) if isinstance(need, dict) else [0]
    count = len(ranges)
    if count and pieces[:count] == [path] * count and can_follow(rest, pieces[count:], omitted):
        return True
    return omitted[:1] == [path] and can_follow(rest, pieces, omitted[1:])


def test_the_locale_of_this_process_does_not_matter(library: Library) -> None:
    before = locale.setlocale(locale.LC_ALL)
    library.write("ä.txt", "ß\n")
    one = library.pack(whole("ä.txt"))
    try:
        locale.setlocale(locale.LC_ALL, "C")
        assert library.pack(whole("ä.txt")) == one
    finally:
        locale.setlocale(locale.LC_ALL, before)


class Finder:
    """Suggests lines of files as they are now."""

    digest = "d" * 64

    def __init__(self, library: Library) -> None:
        self.library = library
        self.lines: list[Suggestion] = []
        self.asked: list[str] = []

    def add(self, path: str, first: int, last: int) -> None:
        """Suggest lines of a file."""
        data = (self.library.folder / path).read_bytes()
        self.lines.append(Suggestion(path, hashlib.sha256(data).hexdigest(), (first, last)))

    def pack(self, *needs: Any, **settings: Any) -> ContextPack:
        """Make a pack with what it suggests."""
        suggest = Suggest(self.digest, self._found)
        made = self.library.ask(self.library.request(*needs, **settings), suggest=suggest)
        assert isinstance(made, ContextPack), made
        return made

    def _found(self, text: str) -> list[Suggestion]:
        self.asked.append(text)
        return self.lines


@pytest.fixture
def finder(library: Library) -> Finder:
    library.write("a.py", "one\ntwo\nthree\n")
    library.write("b.py", "four\nfive\n")
    library.write(".env", "KEY=1\n")
    found = Finder(library)
    found.add("b.py", 2, 2)
    return found


def test_suggestions_come_after_what_was_asked_for(finder: Finder) -> None:
    pack = finder.pack(some("a.py", (1, 1)))
    assert served(pack) == [("a.py", "one\n"), ("b.py", "five\n")]
    assert pack.files[-1].why == f"found:{'d' * 12} [line 2]"
    assert pack.summary.endswith(f" Of the index {'d' * 64}: 1 found.")
    assert finder.asked == ["Understand it\nto see"]


def test_a_suggestion_of_another_file_is_left_out(finder: Finder, library: Library) -> None:
    finder.add("a.py", 1, 2)
    library.write("b.py", "four\nfive, and more\n")
    (library.folder / "a.py").unlink()
    pack = finder.pack()
    assert served(pack) == []
    assert left_out(pack) == [("b.py", "not_found"), ("a.py", "not_found")]


def test_nothing_is_suggested_that_may_not_be_shown(finder: Finder) -> None:
    finder.lines = []
    finder.add(".env", 1, 1)
    finder.lines.append(Suggestion("../outside", "0" * 64, (1, 1)))
    pack = finder.pack()
    assert left_out(pack) == [(".env", "denied"), ("../outside", "not_found")]


def test_suggestions_keep_to_the_budget(finder: Finder) -> None:
    finder.add("a.py", 1, 3)
    pack = finder.pack(max_files=4)
    assert served(pack) == [("b.py", "five\n")]
    assert left_out(pack) == [("a.py", "budget_exceeded")]


def test_an_index_that_cannot_be_asked_makes_no_pack(library: Library) -> None:
    def refuse(_: str) -> list[Suggestion]:
        raise SeekFailed("digest", "the index has another digest", hint="custody seek status")

    made = library.ask(library.request(), suggest=Suggest("d" * 64, refuse))
    assert isinstance(made, PackFailure)
    assert (made.code, made.hint) == ("index", "custody seek status")
