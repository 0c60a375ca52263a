"""Every way to change a journal is found, and nothing but `JournalBroken` comes of any bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from custody.errors import JournalBroken
from custody.model.event import GENESIS
from custody.model.journal_version import CURRENT, VERSIONS
from custody.store.chain import Chain, Lines, Link
from custody.store.journal import Journal, verify_journal
from custody.store.limits import LINE_LIMIT
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from support.sweep import examples

NOW = f'"{CURRENT.number}"'.encode()
"""How a line of a new journal says its version."""

RUN_ID = "run_1"
LINES = 200

Case = Callable[[str], dict[str, Any]]
Record = Callable[..., Journal]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, record: Record) -> bytes:
    """Return the bytes of a good journal of 200 lines."""
    with Root.open(str(tmp_path_factory.mktemp("journal"))) as root:
        record(root, lines=LINES).close()
        return root.read("events.jsonl")


def faults(data: bytes, run_id: str | None = RUN_ID) -> list[tuple[str, int]]:
    found = Chain([data], run_id)
    return [(fault.code, fault.line) for fault in found if isinstance(fault, JournalBroken)]


def flipped(line: bytes) -> Iterator[bytes]:
    for position in range(len(line)):
        changed = bytearray(line)
        changed[position] ^= 0x01
        yield bytes(changed)


def codes_against(root: Root, original: bytes, found: bytes) -> list[str]:
    """Return what is found in a journal that stands where another one should be."""
    root.write("events.jsonl", found)
    count, head = end_of(original)
    return [fault.code for fault in verify_journal(root, run_id=RUN_ID, count=count, head=head)]


def first_fault(data: bytes) -> tuple[str, int] | None:
    for fault in Chain([data], RUN_ID):
        if isinstance(fault, JournalBroken):
            return fault.code, fault.line
    return None


def end_of(data: bytes) -> tuple[int, str]:
    """Return what a manifest would say of a journal: its count and its head."""
    chain = Chain([data], RUN_ID)
    for _ in chain:
        pass
    return chain.count, chain.head


def lines_of(data: bytes) -> list[bytes]:
    return data.split(b"\n")[:-1]


def joined(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def rechained(lines: list[bytes], *, renumber: bool = True) -> bytes:
    """Return the lines with hashes, and numbers, that fit again: a forger without the head."""
    made: list[bytes] = []
    prev = GENESIS
    for number, raw in enumerate(lines):
        fields = json.loads(raw)
        fields["prev"] = prev
        if renumber:
            fields["seq"] = number
        line = json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()
        made.append(line)
        prev = hashlib.sha256(line).hexdigest()
    return joined(made)


class TestVersions:
    def test_a_journal_of_an_earlier_version_is_read(self, whole: bytes) -> None:
        earlier = rechained([line.replace(NOW, b'"1.0"', 1) for line in lines_of(whole)])
        chain = Chain([earlier], RUN_ID)
        assert sum(isinstance(found, Link) for found in chain) == LINES
        assert (chain.version.number, chain.version.verdicts_recorded) == ("1.0", False)

    def test_new_journals_hold_verdicts(self, whole: bytes) -> None:
        chain = Chain([whole], RUN_ID)
        assert sum(isinstance(found, Link) for found in chain) == LINES
        assert (chain.version.number, chain.version.verdicts_recorded) == (CURRENT.number, True)

    @pytest.mark.parametrize("odd", [1, 7, LINES - 1])
    def test_a_mixture_is_a_fault(self, whole: bytes, odd: int) -> None:
        lines = lines_of(whole)
        lines[odd] = lines[odd].replace(NOW, b'"1.0"', 1)
        assert faults(rechained(lines)) == [("schema", odd + 1)]

    def test_the_first_line_says_what_the_others_must_be(self, whole: bytes) -> None:
        first, *rest = lines_of(whole)[:4]
        mixed = rechained([first.replace(NOW, b'"1.0"', 1), *rest])
        assert faults(mixed) == [("schema", 2), ("schema", 3), ("schema", 4)]


@pytest.mark.req("P-11")
class TestTampering:
    def test_a_good_journal_has_no_fault(self, whole: bytes) -> None:
        assert faults(whole) == []
        assert len(lines_of(whole)) == LINES

    def test_log_003_one_byte_of_line_7(self, whole: bytes, hostile: Case) -> None:
        lines = lines_of(whole)[:100]
        code, _, line = str(hostile("log-003")["expect"]).removeprefix("detect:").partition("@")
        for position in range(len(lines[6]) + 1):
            data = bytearray(joined(lines))
            data[len(joined(lines[:6])) + position] ^= 0x01
            assert first_fault(bytes(data)) == (code, int(line)), position

    def test_every_flipped_byte_of_200_lines(self, whole: bytes) -> None:
        """A change shows within two lines on each side; at the end it takes the head."""
        lines = lines_of(whole)
        for number in range(LINES - 1):
            begin = max(0, number - 2)
            before, after = joined(lines[begin:number]), joined(lines[number + 1 : number + 3])
            expected = faults(before + lines[number] + b"\n" + after)
            for changed in flipped(lines[number] + b"\n"):
                assert len(faults(before + changed + after)) > len(expected), changed
        count, head = end_of(whole)
        for changed in flipped(lines[-1] + b"\n"):
            assert end_of(joined(lines[:-1]) + changed) != (count, head)

    def test_every_dropped_line(self, whole: bytes) -> None:
        lines = lines_of(whole)
        for number in range(LINES - 1):
            code, line = first_fault(joined(lines[:number] + lines[number + 1 :])) or ("", 0)
            assert (code, line) == ("chain_broken", number + 1), number

    def test_log_006_every_swapped_pair(self, whole: bytes, hostile: Case) -> None:
        code = str(hostile("log-006")["expect"]).removeprefix("detect:")
        lines = lines_of(whole)
        for number in range(LINES - 1):
            swapped = lines.copy()
            swapped[number], swapped[number + 1] = swapped[number + 1], swapped[number]
            found, _ = first_fault(joined(swapped)) or ("", 0)
            assert found == code, number

    def test_every_doubled_line(self, whole: bytes) -> None:
        lines = lines_of(whole)
        for number in range(LINES):
            doubled = lines[: number + 1] + lines[number:]
            assert first_fault(joined(doubled)) is not None, number

    def test_every_line_cut(self, whole: bytes) -> None:
        lines = lines_of(whole)
        for number in range(LINES):
            for end in range(0, len(lines[number]), 11):
                cut = joined(lines[max(0, number - 2) : number]) + lines[number][:end]
                codes = [code for code, _ in faults(cut)]
                assert "torn" in codes if end else "torn" not in codes
            assert end_of(joined(lines[:number])) != end_of(whole)

    def test_two_changes_are_two_findings(self, whole: bytes) -> None:
        lines = lines_of(whole)
        lines[50] = lines[50].replace(b'"n49"', b'"n00"')
        lines[150] = lines[150][:-1]
        assert faults(joined(lines)) == [("chain_broken", 51), ("chain_broken", 151)]

    def test_a_changed_line_is_never_yielded(self, whole: bytes) -> None:
        lines = lines_of(whole)
        lines[50] = lines[50].replace(b'"n49"', b'"n00"')
        found = list(Chain([joined(lines)], RUN_ID))
        good = [link for link in found if not isinstance(link, JournalBroken)]
        assert len(good) == LINES - 1


@pytest.mark.req("P-11")
class TestForging:
    def test_log_004_rechained_without_a_line(
        self, run: RunDirectory, whole: bytes, hostile: Case
    ) -> None:
        lines = lines_of(whole)
        assert codes_against(run.root, whole, rechained(lines[:6] + lines[7:])) == [
            str(hostile("log-004")["expect"]).removeprefix("detect:")
        ]

    def test_rechained_but_not_renumbered(self, run: RunDirectory, whole: bytes) -> None:
        lines = lines_of(whole)
        forged = rechained(lines[:6] + lines[7:], renumber=False)
        assert codes_against(run.root, whole, forged) == ["seq", "head_mismatch"]

    def test_log_005_the_end_is_missing(
        self, run: RunDirectory, whole: bytes, hostile: Case
    ) -> None:
        lines = lines_of(whole)
        assert codes_against(run.root, whole, joined(lines[:-20])) == [
            str(hostile("log-005")["expect"]).removeprefix("detect:")
        ]

    def test_log_007_the_journal_of_another_run(
        self, run: RunDirectory, whole: bytes, record: Record, tmp_path: Path, hostile: Case
    ) -> None:
        with RunDirectory.create(str(tmp_path / "runs"), "run_2") as other:
            journal = record(other.root, lines=LINES, run_id="run_2")
            journal.close()
            foreign = other.root.read("events.jsonl")
        codes = codes_against(run.root, whole, foreign)
        assert codes[0] == str(hostile("log-007")["expect"]).removeprefix("detect:")
        assert codes == ["job_mismatch", "head_mismatch"]

    def test_an_untouched_journal_verifies(self, run: RunDirectory, whole: bytes) -> None:
        assert codes_against(run.root, whole, whole) == []


class TestLines:
    @pytest.mark.parametrize(
        ("change", "code"),
        [
            (lambda line: line.replace(NOW, b'"9.0"'), "schema"),
            (lambda line: line.replace(b'"PipelineStarted"', b'"PipelineEnded"'), "json"),
            (lambda line: line.replace(b'"goal":"g"', b'"goal":7'), "json"),
            (lambda line: line.replace(b'{"', b'{ "', 1), "json"),
            (lambda line: line.replace(b'{"', b'{"x":1,"', 1), "json"),
            (lambda line: line.replace(b'"seq":0', b'"seq":0,"seq":0'), "json"),
            (lambda line: line.replace(b'"seq":0', b'"seq":1'), "seq"),
            (lambda line: line.replace(b'"seq":0', b'"seq":NaN'), "json"),
            (lambda line: line.replace(RUN_ID.encode(), b"run_9"), "job_mismatch"),
            (lambda line: line.replace(b"0" * 64, b"1" * 64), "chain_broken"),
            (lambda _: b"", "json"),
            (lambda _: b"null", "json"),
            (lambda _: b"\xff\xfe", "json"),
            (lambda _: b"[" * 100_000, "json"),
            (lambda line: line.replace(b'"g"', b'"\xed\xa0\x80"'), "json"),
        ],
    )
    def test_a_first_line_that_is_none(
        self, whole: bytes, change: Callable[[bytes], bytes], code: str
    ) -> None:
        first = lines_of(whole)[0]
        assert faults(joined([change(first)])) == [(code, 1)]

    def test_a_run_begins_with_its_beginning(self, whole: bytes) -> None:
        second = lines_of(whole)[1]
        forged = rechained([second])
        assert faults(forged) == [("genesis", 1)]

    def test_a_line_without_end_is_given_up(self) -> None:
        asked = 0

        def endless() -> Iterator[bytes]:
            nonlocal asked
            while True:
                asked += 1
                yield b"x" * (1 << 20)

        assert [type(found) for found in Chain(endless())] == [JournalBroken]
        assert asked <= (LINE_LIMIT >> 20) + 2

    @given(st.lists(st.binary(max_size=9)), st.integers(1, 7))
    def test_lines_do_not_depend_on_the_chunks(self, parts: list[bytes], size: int) -> None:
        data = b"\n".join(parts)
        lines = Lines([data[at : at + size] for at in range(0, len(data), size)])
        assert b"\n".join([*lines, lines.torn]) == data


LINE = st.fixed_dictionaries(
    {
        "seq": st.one_of(st.integers(), st.floats(allow_nan=False), st.none()),
        "ts": st.text(),
        "run_id": st.sampled_from([RUN_ID, "x", ""]),
        "level": st.sampled_from(["info", "error", "x"]),
        "role": st.text(),
        "event": st.sampled_from(["PipelineStarted", "RouteChosen", "x"]),
        "node": st.one_of(st.none(), st.text()),
        "path": st.text(),
        "data": st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=5),
        "prev": st.one_of(st.just(GENESIS), st.text()),
        "schema_version": st.sampled_from([*VERSIONS, "x"]),
    }
)


class TestFuzzing:
    @settings(max_examples=examples(300))
    @given(st.binary(max_size=300))
    def test_any_bytes(self, data: bytes) -> None:
        assert faults(data)

    @settings(max_examples=examples(200))
    @given(st.lists(LINE, min_size=1, max_size=4))
    def test_any_lines(self, lines: list[dict[str, Any]]) -> None:
        data = "".join(
            json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines
        )
        assert faults(data.encode())

    @settings(max_examples=examples(200))
    @given(st.data())
    def test_any_edit_of_a_good_journal(self, whole: bytes, data: st.DataObject) -> None:
        good = joined(lines_of(whole)[:6])
        start = data.draw(st.integers(0, len(good)))
        end = data.draw(st.integers(start, min(len(good), start + 400)))
        changed = good[:start] + data.draw(st.binary(max_size=60)) + good[end:]
        if changed != good:
            assert faults(changed) or end_of(changed) != end_of(good)
