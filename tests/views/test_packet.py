"""The packet of a run, as it stands in its directory."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from custody import api
from custody.checks.gates import gates
from custody.evidence.check import check
from custody.evidence.packet import read_packet
from custody.evidence.run_files import RunFiles
from custody.model import layout
from custody.model.packet import Claim, Packet
from custody.model.reference import EXCERPT_CHARACTERS, EXCERPT_LINES
from custody.store.rundir import RunDirectory
from custody.views import packet as view
from support.bench import Bench

WORK = (
    "make [type=tool, tool_command=\"sh -c 'seq 1000; echo made > made.txt'\"]\n"
    'note [type=write_file, output_path="docs/note.md", content="It was made.\\n"]\n'
    "bad  [type=tool, tool_command=\"sh -c 'echo broken >&2; exit 7'\"]\n"
    "start -> make -> note -> bad -> done"
)


def packet_of(bench: Bench, run_id: str = "r1") -> Packet:
    return read_packet(bench.path(layout.PACKET, run_id).read_bytes(), where="packet")


def claim(packet: Packet, name: str) -> Claim:
    (found,) = [one for one in packet.claims if one.id == name]
    return found


def wrong(bench: Bench) -> set[tuple[str, str]]:
    found = api.verify("r1", runsdir=str(bench.runsdir))
    return {(mismatch.code, mismatch.where) for mismatch in found.mismatches}


@pytest.mark.req("E-01", "E-04")
def test_a_run_that_fails_tells_it_first_and_all_of_it_is_found_again(bench: Bench) -> None:
    assert bench.run(WORK).summary.status == "FAIL"
    packet = packet_of(bench)
    assert packet.claims[0].id == "gate:bad/1.1:exit_code"
    assert [one.result for one in packet.claims] == ["failed", *["passed"] * 4, *["made"] * 2]
    assert packet.head == api.verify("r1", runsdir=str(bench.runsdir)).head
    assert packet.left_out == {"failed": 0, "passed": 0, "made": 0}
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        for one in packet.claims:
            assert one.evidence
            assert one.reasoning
            assert one.risk_and_next_steps
            assert one.verification
            for cited in one.evidence:
                assert check(cited, RunFiles(run)).state == "exact", cited.artifact_uri
                assert len(cited.excerpt) <= EXCERPT_CHARACTERS
                assert cited.excerpt.removesuffix("\n").count("\n") < EXCERPT_LINES
                assert cited.source_id.startswith("r1:")


@pytest.mark.req("E-01")
def test_a_failure_says_why_and_a_log_is_quoted_by_its_end(bench: Bench) -> None:
    bench.run(WORK)
    packet = packet_of(bench)
    failed = claim(packet, "gate:bad/1.1:exit_code")
    assert [cited.excerpt for cited in failed.evidence if cited.kind == "log"] == ["broken\n"]
    assert failed.risk_and_next_steps[0] == "nobody handled the failure, so the run failed"
    lines = {reason.event: reason.says for reason in failed.reasoning}
    assert lines["RequestAnswered"] == "ok, exit code 7"
    journal = bench.path(layout.EVENTS).read_text().splitlines()
    for reason in failed.reasoning:
        assert f'"event":"{reason.event}"' in journal[reason.seq]
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        log = run.root.read("nodes/make/1.1/tool.stdout.log")
    assert b"1000" in log
    assert claim(packet, "output:workspace/made.txt").evidence[0].excerpt == "made\n"
    assert claim(packet, "output:docs/note.md").reasoning[0].event == "RequestAnswered"


def test_what_the_gate_of_writes_looks_at_is_the_difference(bench: Bench) -> None:
    assert view._OF_CHANGES in gates()
    bench.run(WORK)
    cited = claim(packet_of(bench), "gate:make/1.1:writes").evidence
    assert [one.source_id for one in cited] == ["r1:nodes/make/1.1/workspace.diff.json"]


@pytest.mark.req("P-11", "E-01")
def test_it_is_made_again_byte_for_byte(bench: Bench) -> None:
    bench.run(WORK)
    names = (layout.PACKET, layout.PACKET_PAGE)
    before = [bench.path(name).read_bytes() for name in names]
    bench.path(layout.PACKET).unlink()
    bench.path(layout.PACKET_PAGE).write_bytes(before[1].replace(b"broken", b"mended"))
    assert wrong(bench) == {("view", name) for name in names}
    api.verify("r1", runsdir=str(bench.runsdir), rebuild=True)
    assert [bench.path(name).read_bytes() for name in names] == before
    assert wrong(bench) == set()


def test_a_file_that_is_lost_is_cited_and_never_made_up(bench: Bench) -> None:
    bench.run(WORK)
    log = bench.path("nodes/bad/1.1/tool.stderr.log")
    log.unlink()
    sha256 = hashlib.sha256(b"broken\n").hexdigest()
    bench.path(layout.blob(sha256)).unlink(missing_ok=True)
    assert ("view", layout.PACKET) not in wrong(bench), "the journal holds a text as short as that"
    api.verify("r1", runsdir=str(bench.runsdir), rebuild=True)
    assert log.read_text() == "broken\n"
    long = bench.path("nodes/make/1.1/tool.stdout.log")
    long.write_text("1\n")
    assert wrong(bench) >= {("evidence", "nodes/make/1.1/tool.stdout.log")}


def test_names_that_hold_secrets_are_not_quoted(bench: Bench) -> None:
    bench.run("a [type=tool, tool_command=\"sh -c 'echo hush > id_rsa'\"]\nstart -> a -> done")
    cited = claim(packet_of(bench), "output:workspace/id_rsa").evidence[0]
    assert (cited.excerpt, cited.bytes, cited.lines) == ("", None, None)
    assert b"hush" not in bench.path(layout.PACKET).read_bytes()


def test_a_secret_stays_redacted(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-" + "a1B2" * 12
    monkeypatch.setenv("SERVICE_API_KEY", secret)
    bench.run(f'a [type=tool, tool_command="echo {secret} ok"]\nstart -> a -> done')
    assert secret.encode() not in bench.path(layout.PACKET).read_bytes()


def test_much_is_cut_and_counted(bench: Bench) -> None:
    script = "for n in range(60): open(f'f{n}', 'w').write('x' * 5000)"
    (bench.workdir / "make.py").write_text(script)
    bench.run('a [type=tool, tool_command="python3 make.py"]\nstart -> a -> done')
    packet = packet_of(bench)
    outputs = [one for one in packet.claims if one.kind == "output"]
    assert len(outputs) == 40
    assert packet.left_out["made"] == 60 - 40
    assert bench.path(layout.PACKET).stat().st_size < 200_000


def test_what_is_no_text_is_cited_by_its_hash(bench: Bench) -> None:
    bench.run(
        'a [type=tool, tool_command="sh -c \'printf \\"\\\\\\\\377\\\\\\\\000\\" > b\'"]\n'
        "start -> a -> done"
    )
    data = bench.path("workspace/b").read_bytes()
    cited = claim(packet_of(bench), "output:workspace/b").evidence[0]
    assert cited.sha256 == hashlib.sha256(data).hexdigest()
    assert cited.excerpt == ""


def test_a_moved_run_directory_still_resolves(bench: Bench, tmp_path: Path) -> None:
    bench.run(WORK)
    packet = packet_of(bench)
    moved = tmp_path / "elsewhere" / "r1"
    moved.parent.mkdir()
    bench.path("").rename(moved)
    with RunDirectory.open(str(moved), write=False) as run:
        cited = [one for each in packet.claims for one in each.evidence]
        assert {check(one, RunFiles(run)).state for one in cited} == {"exact"}
