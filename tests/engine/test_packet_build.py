"""A packet that is built by hand holds nothing that could not be had."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from custody import attest
from custody.errors import Refused
from custody.evidence.checked import PacketCheck
from custody.model.packet import Packet
from custody.model.record import encode_pretty
from support.bench import Bench

WORK = "a [type=tool, tool_command=\"sh -c 'seq 50'\"]\nstart -> a -> done"
LOG = "nodes/a/1.1/tool.stdout.log"


class Desk:
    """A folder of documents, and a skeleton in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / ".git").mkdir()
        (folder / "notes").mkdir()
        (folder / "notes" / "a.md").write_text("# Notes\n\nIt rained.\n")

    def build(self, *evidence: dict[str, Any], **options: str) -> Packet:
        """Build the packet of one claim."""
        skeleton = self.folder / "claims.json"
        claim = {"claim": "it was wet", "evidence": [*evidence]}
        skeleton.write_text(json.dumps({"title": "Weather", "claims": [claim]}))
        options = {"runsdir": "none", **options}
        return attest.build(str(skeleton), folder=str(self.folder), **options)

    def check(self, packet: Packet, **options: str) -> PacketCheck:
        """Write the packet, and check it from there."""
        path = self.folder / "packet.json"
        path.write_bytes(encode_pretty(packet))
        return attest.check_packet(str(path), **{"runsdir": "none", **options})[0]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "desk"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Desk(folder)


@pytest.mark.req("E-01", "E-04")
def test_a_document_is_hashed_and_quoted_and_found_again(desk: Desk) -> None:
    packet = desk.build({"uri": "notes/a.md", "excerpt": "It rained."})
    (one,) = packet.claims[0].evidence
    assert one.artifact_uri == f"memory://docs/notes/a.md/{one.sha256}"
    assert (one.source_id, one.lines) == ("notes:a.md", (3, 3))
    assert desk.check(packet).valid
    (desk.folder / "notes" / "a.md").write_text("# Notes\n\nIt did not.\n")
    assert desk.check(packet).states == {"changed": 1}


@pytest.mark.req("E-01", "E-04")
@pytest.mark.parametrize(
    ("evidence", "what"),
    [
        ({"uri": "notes/b.md"}, "there is no such file"),
        ({"uri": "notes/a.md", "excerpt": "It snowed."}, "does not stand in the content"),
        ({"uri": f"memory://docs/notes/a.md/{'0' * 64}"}, "sha256 is"),
        ({"uri": "http://example.org/a"}, "the scheme 'http' is refused"),
        ({"uri": "file:///etc/passwd"}, ""),
        ({"uri": "../desk.md"}, ""),
    ],
)
def test_a_claim_without_evidence_that_resolves_is_refused(
    desk: Desk, evidence: dict[str, Any], what: str
) -> None:
    with pytest.raises(Refused, match="'it was wet' has no such evidence") as caught:
        desk.build({"uri": "notes/a.md"}, evidence)
    assert (caught.value.code, what in caught.value.what) == ("no_evidence", True)


@pytest.mark.req("E-01", "E-04")
def test_a_commit_is_cited_by_what_it_holds(desk: Desk, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    who = ("-c", "user.name=A", "-c", "user.email=a@b")
    subprocess.run(["git", "init", "-q", repo], check=True)
    (repo / "a.txt").write_text("said\n")
    subprocess.run(["git", "-C", repo, "add", "-A"], check=True)
    subprocess.run(["git", *who, "-C", repo, "commit", "-qm", "x"], check=True)
    settings = tmp_path / "config" / "custody" / "custody.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[evidence.git]\nmine = "{repo}"\n')
    packet = desk.build({"uri": "git://mine/HEAD/a.txt", "excerpt": "said"})
    (one,) = packet.claims[0].evidence
    assert "HEAD" not in one.artifact_uri
    assert desk.check(packet).valid
    settings.unlink()
    assert desk.check(packet).states == {"refused": 1}


@pytest.mark.req("E-01", "E-04")
def test_files_of_a_run_are_cited_as_its_own(desk: Desk, bench: Bench) -> None:
    bench.run(WORK)
    runsdir = str(bench.runsdir)
    packet = desk.build({"uri": LOG, "excerpt": "42\n43"}, run="r1", runsdir=runsdir)
    (one,) = packet.claims[0].evidence
    assert (one.source_id, packet.run_id, len(packet.head)) == (f"r1:{LOG}", "r1", 64)
    assert desk.check(packet, run="r1", runsdir=runsdir).valid
    with pytest.raises(Refused, match="no such evidence"):
        desk.build({"uri": "nodes/b"}, run="r1", runsdir=runsdir)
    bench.path(LOG).write_text("42\n43\n")
    with pytest.raises(Refused, match="not what it claims to be"):
        desk.build({"uri": LOG}, run="r1", runsdir=runsdir)
    assert desk.check(packet, run="r1", runsdir=runsdir).states == {"moved": 1}
