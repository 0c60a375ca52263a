"""A packet says what the record of its run says, whatever its evidence is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from custody import attest
from custody.errors import Refused
from custody.evidence.checked import PacketCheck
from custody.model import layout
from custody.model.record import encode_pretty
from support.bench import Bench

pytestmark = pytest.mark.req("E-04")

FAILING = "a [type=tool, tool_command=\"sh -c 'echo made > made.txt; exit 3'\"]\nstart -> a -> done"
Document = dict[str, Any]


@pytest.fixture
def ran(bench: Bench) -> Bench:
    assert bench.run(FAILING).summary.status == "FAIL"
    return bench


def document(bench: Bench) -> Document:
    found: Document = json.loads(bench.path(layout.PACKET).read_bytes())
    return found


def check(bench: Bench, packet: Document) -> PacketCheck:
    """Check a packet in a file against the run."""
    file = bench.home / "packet.json"
    file.write_text(json.dumps(packet))
    return attest.check_packet(str(file), runsdir="none", run=str(bench.path("")))[0]


def passed(packet: Document) -> None:
    packet["status"] = "PASS"


def judged_otherwise(packet: Document) -> None:
    packet["claims"][0].update(result="passed", claim="gate exit_code passed at a/1.1")


def reasoned_otherwise(packet: Document) -> None:
    packet["claims"][0]["reasoning"][0]["says"] = "all is well"


def cited_otherwise(packet: Document) -> None:
    packet["claims"][0]["evidence"][0]["source_id"] = "r2:elsewhere"


def silent(packet: Document) -> None:
    del packet["claims"][0]


def empty(packet: Document) -> None:
    packet["claims"] = []


def more(packet: Document) -> None:
    packet["claims"].append({**packet["claims"][0], "id": "gate:b/1.1:exit_code"})


def twice(packet: Document) -> None:
    packet["claims"].append(packet["claims"][0])


def beside_a_statement(packet: Document) -> None:
    stated = {"id": "stated:1", "kind": "stated", "result": "stated", "claim": "all is well"}
    packet["claims"] = [{**packet["claims"][0], **stated}, *packet["claims"][1:]]


def left_out_more(packet: Document) -> None:
    packet["left_out"]["failed"] = 7


def of_no_head(packet: Document) -> None:
    packet["head"] = ""


def of_another_head(packet: Document) -> None:
    packet["head"] = "0" * 64


def test_the_packet_of_a_run_is_vouched_for(ran: Bench) -> None:
    assert check(ran, document(ran)).unvouched == ()
    assert check(ran, document(ran)).valid


@pytest.mark.parametrize(
    ("forge", "what"),
    [
        (passed, "the run ended FAIL, not 'PASS'"),
        (judged_otherwise, "'gate:a/1.1:exit_code' is not what the journal makes of it"),
        (reasoned_otherwise, "'gate:a/1.1:exit_code' is not what the journal makes of it"),
        (cited_otherwise, "'gate:a/1.1:exit_code' is not what the journal makes of it"),
        (silent, "claim 'gate:a/1.1:exit_code' is missing"),
        (empty, "claim 'gate:a/1.1:exit_code' is missing"),
        (more, "claim 'gate:b/1.1:exit_code' is not what"),
        (twice, "claim 'gate:a/1.1:exit_code' is there more than once"),
        (beside_a_statement, "claim 'stated:1' is not what the journal makes of it"),
        (left_out_more, "how much it leaves out"),
        (of_no_head, "no line of the journal has the hash ''"),
        (of_another_head, "no line of the journal has the hash '0000"),
    ],
)
def test_whatever_is_said_otherwise_is_found(
    ran: Bench, forge: Callable[[Document], None], what: str
) -> None:
    packet = document(ran)
    forge(packet)
    found = check(ran, packet)
    assert what in found.unvouched[0]
    assert not found.valid
    assert found.invalid == (), "its evidence is as it was"


def test_a_packet_in_a_run_is_no_more_believed_than_one_in_a_file(ran: Bench) -> None:
    packet = document(ran)
    passed(packet)
    ran.path(layout.PACKET).write_text(json.dumps(packet))
    found, _ = attest.check_packet(str(ran.path("")), runsdir="none")
    assert not found.valid


def test_an_end_that_the_run_went_on_from_is_told(ran: Bench) -> None:
    import hashlib

    packet = document(ran)
    line = ran.path(layout.EVENTS).read_bytes().splitlines()[2]
    packet.update(head=hashlib.sha256(line).hexdigest(), status="PASS")
    assert "the run went on after" in check(ran, packet).unvouched[0]


def test_evidence_that_is_gone_is_no_other_claim(ran: Bench) -> None:
    ran.path("workspace/made.txt").unlink()
    (ran.path("nodes/a/1.1") / "workspace.diff.json").unlink()
    found = check(ran, document(ran))
    assert found.states["gone"] > 0
    assert all("cannot be compared" in what for what in found.unvouched)


def test_a_journal_that_does_not_hold_vouches_for_nothing(ran: Bench) -> None:
    journal = ran.path(layout.EVENTS)
    journal.write_bytes(journal.read_bytes().replace(b"tool_exit_code_3", b"tool_exit_code_4", 1))
    assert "cannot be compared" in check(ran, document(ran)).unvouched[0]


def test_another_run_is_refused(ran: Bench) -> None:
    packet = document(ran)
    with pytest.raises(Refused, match="about run r2, not about r1"):
        check(ran, {**packet, "run_id": "r2"})


def test_what_a_run_claims_needs_a_run(
    ran: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nobodys = {**document(ran), "run_id": "", "head": "", "status": ""}
    assert "the packet names no run" in check(ran, nobodys).unvouched[0]
    assert check(ran, {**nobodys, "claims": []}).unvouched == ("it claims nothing",)


def test_what_somebody_states_is_his_own(ran: Bench) -> None:
    skeleton = ran.home / "claims.json"
    evidence = [{"uri": "nodes/a/1.1/workspace.diff.json"}]
    claims = [{"claim": "it was made", "evidence": evidence}]
    skeleton.write_bytes(json.dumps({"title": "By hand", "claims": claims}).encode())
    built = attest.build(str(skeleton), runsdir="none", run=str(ran.path("")))
    packet: Document = json.loads(encode_pretty(built))
    assert check(ran, packet).valid
    assert check(ran, {**packet, "status": "PASS"}).unvouched == ("the run ended FAIL, not 'PASS'",)
