"""Each way in which evidence rots has its name, on the packet of a real run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from custody.evidence.checked import PacketCheck, check_packet, unmarked
from custody.evidence.packet import read_packet
from custody.evidence.run_files import RunFiles
from custody.model import layout
from custody.model.packet import Packet
from custody.store.rundir import RunDirectory
from support.bench import Bench

WORK = (
    "say  [type=tool, tool_command=\"sh -c 'seq 2000; echo all said'\"]\n"
    'note [type=write_file, output_path="docs/note.md", content="first\\n"]\n'
    "make [type=tool, tool_command=\"sh -c 'echo made > made.txt'\"]\n"
    "start -> say -> note -> make -> done"
)
LOG = "nodes/say/1.1/tool.stdout.log"
MADE = f"{layout.WORKSPACE}/made.txt"


@pytest.fixture
def ran(bench: Bench) -> Bench:
    assert bench.run(WORK).summary.status == "PASS"
    return bench


def checked(bench: Bench, change: Callable[[dict[str, Any]], None] = lambda _: None) -> PacketCheck:
    """Check the packet; ``change`` is done to each piece of evidence of the log before."""
    document = json.loads(bench.path(layout.PACKET).read_bytes())
    for claim in document["claims"]:
        for cited in claim["evidence"]:
            if cited["source_id"].endswith(LOG):
                change(cited)
    packet = read_packet(json.dumps(document).encode(), where="packet")
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        return check_packet(packet, RunFiles(run))[0]


def states(found: PacketCheck) -> set[tuple[str, str]]:
    return {(one.found.artifact_uri.split("/")[-2], one.found.state) for one in found.invalid}


@pytest.mark.req("E-04")
def test_an_honest_packet_is_valid(ran: Bench) -> None:
    found = checked(ran)
    assert found.valid
    assert found.states == {"exact": found.evidence}
    assert found.evidence >= found.claims > 0


@pytest.mark.req("E-04")
def test_an_edited_file_has_changed(ran: Bench) -> None:
    ran.path(LOG).write_text("nothing was said\n")
    assert states(checked(ran)) == {("tool.stdout.log", "changed")}


@pytest.mark.req("E-04")
def test_an_excerpt_that_stands_elsewhere_by_now_has_moved(ran: Bench) -> None:
    ran.path(LOG).write_text("one line more\n" + ran.path(LOG).read_text())
    assert states(checked(ran)) == {("tool.stdout.log", "moved")}


@pytest.mark.req("E-04")
def test_a_place_that_is_not_the_excerpts_own_is_told(ran: Bench) -> None:
    found = checked(ran, lambda cited: cited.update(bytes=[0, 1], lines=[1, 1]))
    assert states(found) == {("tool.stdout.log", "moved")}


@pytest.mark.req("E-04")
def test_a_deleted_file_is_gone(ran: Bench) -> None:
    ran.path(LOG).unlink()
    assert states(checked(ran)) == {("tool.stdout.log", "gone")}


@pytest.mark.req("E-04")
def test_words_that_nobody_said_are_misquoted(ran: Bench) -> None:
    found = checked(ran, lambda cited: cited.update(excerpt="all is well\n"))
    assert states(found) == {("tool.stdout.log", "misquoted")}


@pytest.mark.req("E-04")
def test_a_hash_that_contradicts_the_uri_is_misquoted(ran: Bench) -> None:
    found = checked(ran, lambda cited: cited.update(sha256="0" * 64))
    assert states(found) == {("tool.stdout.log", "misquoted")}


@pytest.mark.req("E-04")
def test_a_hash_that_is_wrong_throughout_is_another_content(ran: Bench) -> None:
    def wrong(cited: dict[str, Any]) -> None:
        uri = cited["artifact_uri"].replace(cited["sha256"], "0" * 64)
        cited.update(sha256="0" * 64, artifact_uri=uri)

    def wrong_throughout(cited: dict[str, Any]) -> None:
        wrong(cited)
        cited.update(excerpt="never said\n")

    assert states(checked(ran, wrong)) == {("tool.stdout.log", "moved")}
    assert states(checked(ran, wrong_throughout)) == {("tool.stdout.log", "changed")}


@pytest.mark.req("E-04")
def test_what_cannot_be_reached_is_unreachable(ran: Bench, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(ran.path(LOG).read_bytes())
    ran.path(LOG).unlink()
    ran.path(LOG).symlink_to(other)
    assert states(checked(ran)) == {("tool.stdout.log", "unreachable")}


@pytest.mark.req("E-04")
def test_what_leads_elsewhere_is_refused(ran: Bench) -> None:
    found = checked(ran, lambda cited: cited.update(artifact_uri="http://example.org/x/y"))
    assert states(found) == {("x", "refused")}
    found = checked(ran, lambda cited: cited.update(artifact_uri="file:///etc/x/passwd"))
    assert states(found) == {("x", "refused")}


@pytest.mark.req("E-04")
def test_a_file_that_was_replaced_is_found_by_its_hash_unless_that_was_swapped(ran: Bench) -> None:
    blob = ran.path(layout.blob(hashlib.sha256(b"made\n").hexdigest()))
    ran.path(MADE).write_text("made anew\n")
    assert checked(ran).valid, "the blob has what was made"
    blob.chmod(0o644)
    blob.write_text("never made\n")
    assert states(checked(ran)) == {("made.txt", "changed")}
    ran.path(MADE).unlink()
    assert states(checked(ran)) == {("made.txt", "gone")}


AGAIN = (
    'a [type=agent_task, agent=fake, prompt="draft", output_path="docs/note.md"]\n'
    'b [type=write_file, output_path="docs/note.md", content="second\\n"]\n'
    "start -> a -> b -> done"
)


@pytest.mark.req("E-04")
def test_a_document_that_was_written_again_is_had_as_it_was(bench: Bench) -> None:
    assert bench.run(AGAIN).summary.status == "PASS"
    found = checked(bench)
    assert found.states == {"exact": found.evidence}
    note = bench.path("docs/note.md")
    note.write_text("edited\n")
    assert {one.claim for one in checked(bench).invalid} == {"output:docs/note.md"}
    assert states(checked(bench)) == {("note.md", "changed")}
    note.unlink()
    assert {one.claim for one in checked(bench).invalid} == {"output:docs/note.md"}
    assert states(checked(bench)) == {("note.md", "gone")}


@pytest.mark.req("E-04")
def test_a_journal_that_does_not_hold_has_no_document(bench: Bench) -> None:
    bench.run(AGAIN)
    journal = bench.path(layout.EVENTS)
    journal.write_bytes(journal.read_bytes().replace(b'"draft', b'"drift', 1))
    assert states(checked(bench)) == {("note.md", "changed")}


def marked_of(bench: Bench) -> tuple[Packet, Packet]:
    packet = read_packet(bench.path(layout.PACKET).read_bytes(), where="packet")
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        return packet, check_packet(packet, RunFiles(run))[1]


@pytest.mark.req("E-04")
def test_what_was_found_is_marked_in_the_packet_and_not_believed_from_it(ran: Bench) -> None:
    ran.path(LOG).unlink()
    packet, marked = marked_of(ran)
    status = {
        one.source_id: (one.status, one.reason) for each in marked.claims for one in each.evidence
    }
    assert status[f"r1:{LOG}"] == ("invalid", "gone: there is no such file")
    assert {said for name, said in status.items() if name != f"r1:{LOG}"} == {("valid", "")}
    lying = replace(marked.claims[0].evidence[0], status="valid", reason="")
    assert unmarked(lying) == packet.claims[0].evidence[0]
    assert unmarked(unmarked(lying)) == unmarked(lying)


@pytest.mark.req("E-04")
def test_a_claim_without_evidence_is_none(ran: Bench) -> None:
    packet, _ = marked_of(ran)
    bare = replace(packet, claims=(replace(packet.claims[0], evidence=()),))
    with RunDirectory.open(str(ran.path("")), write=False) as run:
        found, _ = check_packet(bare, RunFiles(run))
    assert not found.valid
    assert found.unsupported == (packet.claims[0].id,)
