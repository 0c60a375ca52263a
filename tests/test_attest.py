"""Packets checked, signed and anchored, on the record of a real run."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from custody import api, attest
from custody.errors import CustodyError, MalformedDocument, Refused, UsageError
from custody.evidence.dsse import seal
from custody.evidence.statement import statement_of
from custody.model import layout
from support.authority import Authority
from support.bench import Bench
from support.programs import needs

WORK = "a [type=tool, tool_command=\"sh -c 'echo made > made.txt'\"]\nstart -> a -> done"
OTHER = WORK.replace("made", "mode")


class Signer:
    """A run, a key, and the run's packet signed with it."""

    def __init__(self, bench: Bench) -> None:
        assert bench.run(WORK).summary.status == "PASS"
        self.bench = bench
        self.runsdir = str(bench.runsdir)
        self.key = str(bench.home / "mine")
        self.public = f"{self.key}.pub"
        self.signed = str(bench.home / "r1.dsse.json")
        attest.make_key(self.key)

    def sign(self) -> None:
        """Write the envelope."""
        api.save(self.signed, attest.sign("r1", self.key, runsdir=self.runsdir))

    def wrong(self, **options: Any) -> set[str]:
        """Verify the run against the envelope; return the codes of what is wrong."""
        found = attest.verify_signed(
            "r1", self.signed, key=self.public, runsdir=self.runsdir, **options
        )
        return {mismatch.code for mismatch in found.mismatches}


@pytest.fixture
def signer(bench: Bench) -> Signer:
    return Signer(bench)


def rewritten(bench: Bench, body: str = OTHER) -> None:
    """Put another whole run in the place of the run, in itself without a fault."""
    shutil.rmtree(bench.path(""))
    bench.run(body)
    assert api.verify("r1", runsdir=str(bench.runsdir)).intact


@pytest.mark.req("E-04")
def test_a_copy_of_a_run_and_of_its_packet_are_checked_where_they_lie(
    bench: Bench, tmp_path: Path
) -> None:
    bench.run(WORK)
    there = tmp_path / "there"
    shutil.copytree(bench.path(""), there / "r1")
    shutil.rmtree(bench.runsdir)
    within = str(there / "r1" / layout.PACKET)
    alone = shutil.copy(within, str(tmp_path / "alone.json"))
    for subject, run in ((str(there / "r1"), ""), (within, ""), (alone, str(there / "r1"))):
        found, _ = attest.check_packet(subject, runsdir="none", run=run)
        assert found.valid
    with pytest.raises(UsageError, match="lies in no run directory"):
        attest.check_packet(alone, runsdir="none")


@pytest.mark.req("E-04")
def test_a_run_without_a_packet_has_none_to_check(bench: Bench) -> None:
    bench.run(WORK)
    bench.path(layout.PACKET).unlink()
    with pytest.raises(UsageError, match="no packet"):
        attest.check_packet("r1", runsdir=str(bench.runsdir))


def test_a_signed_packet_comes_back(signer: Signer) -> None:
    signer.sign()
    found = attest.read_signed(signer.signed, signer.public)
    assert found.packet == attest.packet_of("r1", runsdir=signer.runsdir)
    assert len(found.key) == 64
    assert attest.read_signed(signer.signed).key == "", "nobody has looked at the signature"
    assert signer.wrong() == set()


def test_a_record_that_was_rewritten_as_a_whole_is_found(signer: Signer) -> None:
    signer.sign()
    rewritten(signer.bench)
    assert signer.wrong() == {"head_mismatch"}


def test_a_record_that_was_rewritten_to_the_letter_is_found_too(signer: Signer) -> None:
    signer.sign()
    rewritten(signer.bench, WORK)
    assert signer.wrong() == {"head_mismatch"}, "its times are others"


def test_another_packet_about_the_same_head_is_found(signer: Signer) -> None:
    packet = attest.packet_of("r1", runsdir=signer.runsdir)
    from msgspec.structs import replace

    from custody.evidence.keys import read_private

    other = replace(packet, claims=packet.claims[:1])
    api.save(signer.signed, seal(statement_of(other), read_private(signer.key)))
    assert signer.wrong() == {"signed"}


def test_a_record_with_a_fault_is_not_signed(signer: Signer) -> None:
    signer.bench.path("nodes/a/1.1/status.json").write_text("{}")
    with pytest.raises(Refused, match="not what it claims to be"):
        signer.sign()


def test_a_run_that_goes_on_is_not_signed(signer: Signer) -> None:
    journal = signer.bench.path(layout.EVENTS)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]))
    for view in (layout.MANIFEST, layout.CHECKPOINT, layout.SUMMARY, layout.SUMMARY_PAGE):
        signer.bench.path(view).unlink()
    with pytest.raises(Refused):
        signer.sign()


def test_the_key_of_another_and_the_run_of_another_are_refused(signer: Signer) -> None:
    signer.sign()
    attest.make_key(str(signer.bench.home / "other"))
    signer.public = str(signer.bench.home / "other.pub")
    with pytest.raises(Refused, match="not one of this key"):
        signer.wrong()
    signer.bench.run(WORK, run_id="r2")
    with pytest.raises(Refused, match="about run r1, not about r2"):
        attest.verify_signed("r2", signer.signed, runsdir=signer.runsdir)


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@b")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    made = tmp_path / "repo"
    made.mkdir()
    git(made, "init", "-q")
    (made / "kept").write_text("x\n")
    git(made, "add", "-A")
    git(made, "commit", "-q", "-m", "x")
    git(made, "config", "user.name", "Ann")
    git(made, "config", "user.email", "ann@example.org")
    return made


def codes(found: attest.Anchored) -> set[str]:
    return {mismatch.code for mismatch in found.verification.mismatches}


def test_a_tag_holds_the_head_and_touches_nothing_else(bench: Bench, repo: Path) -> None:
    bench.run(WORK)
    runsdir = str(bench.runsdir)
    (repo / "kept").write_text("work under way\n")
    hook = repo / ".git" / "hooks" / "reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {repo}/ran\n")
    hook.chmod(0o755)
    before = git(repo, "rev-parse", "HEAD"), git(repo, "status", "--porcelain")
    index = (repo / ".git" / "index").read_bytes()
    assert attest.anchor_in_git("r1", str(repo), runsdir=runsdir) == "custody/r1"
    assert (git(repo, "rev-parse", "HEAD"), git(repo, "status", "--porcelain")) == before
    assert (repo / ".git" / "index").read_bytes() == index
    assert not (repo / "ran").exists()
    assert git(repo, "fsck", "--strict") == ""
    found = attest.anchored_in_git("r1", str(repo), runsdir=runsdir)
    assert (codes(found), found.head) == (set(), found.verification.head)
    with pytest.raises(Refused, match="exists"):
        attest.anchor_in_git("r1", str(repo), runsdir=runsdir)
    rewritten(bench)
    assert codes(attest.anchored_in_git("r1", str(repo), runsdir=runsdir)) == {"head_mismatch"}


def test_a_tag_that_says_something_else_is_no_anchor(bench: Bench, repo: Path) -> None:
    bench.run(WORK)
    runsdir = str(bench.runsdir)
    with pytest.raises(UsageError, match="no tag named"):
        attest.anchored_in_git("r1", str(repo), runsdir=runsdir)
    git(repo, "tag", "-a", "custody/r1", "-m", "all is well")
    with pytest.raises(MalformedDocument, match="no anchor"):
        attest.anchored_in_git("r1", str(repo), runsdir=runsdir)


@pytest.fixture
def authority(tmp_path: Path) -> Iterator[Authority]:
    with Authority(tmp_path / "authority") as made:
        yield made


@needs("openssl")
def test_an_authority_stamps_the_head(bench: Bench, authority: Authority) -> None:
    bench.run(WORK)
    runsdir, stamp = str(bench.runsdir), str(bench.home / "r1.stamp.json")
    attest.anchor_by_time("r1", authority.url, stamp, runsdir=runsdir)
    found = attest.anchored_by_time("r1", stamp, str(authority.roots), runsdir=runsdir)
    assert (codes(found), found.head) == (set(), found.verification.head)
    assert found.time.endswith("Z")
    with Authority(bench.home / "another") as other, pytest.raises(Refused, match="does not hold"):
        attest.anchored_by_time("r1", stamp, str(other.roots), runsdir=runsdir)
    rewritten(bench)
    again = attest.anchored_by_time("r1", stamp, str(authority.roots), runsdir=runsdir)
    assert codes(again) == {"head_mismatch"}
    head = api.verify("r1", runsdir=runsdir).head
    forged = json.loads(Path(stamp).read_text()) | {"head": head}
    Path(stamp).write_text(json.dumps(forged))
    with pytest.raises(Refused, match="does not hold"):
        attest.anchored_by_time("r1", stamp, str(authority.roots), runsdir=runsdir)


@needs("openssl")
def test_an_authority_that_answers_otherwise_is_not_believed(
    bench: Bench, authority: Authority
) -> None:
    from custody.evidence.anchor import Anchor, stamp_request

    bench.run(WORK)
    runsdir, stamp = str(bench.runsdir), bench.home / "r1.stamp.json"

    def refusal() -> str:
        with pytest.raises(CustodyError) as caught:
            attest.anchor_by_time("r1", authority.url, str(stamp), runsdir=runsdir)
        assert not stamp.exists()
        return caught.value.what

    authority.stamps_this = stamp_request(Anchor("r1", "0" * 64))
    assert refusal() == "the authority has stamped something else"
    authority.stamps_this = b"no question"
    assert "the authority answered REJECTION" in refusal()
    authority.content_type = "text/html"
    assert refusal() == "it answered with 'text/html'"
    authority.status = 302
    assert refusal() == "it answered 302"


def test_a_stamp_that_is_none_is_refused(bench: Bench, tmp_path: Path) -> None:
    bench.run(WORK)
    stamp, roots = tmp_path / "s.json", tmp_path / "roots.pem"
    roots.write_text("no certificate")
    known = {"schema_version": "1.0", "run_id": "r1", "head": hashlib.sha256(b"").hexdigest()}

    def refusal(response: str) -> str:
        stamp.write_text(json.dumps(known | {"response": response}))
        with pytest.raises(CustodyError) as caught:
            attest.anchored_by_time("r1", str(stamp), str(roots), runsdir=str(bench.runsdir))
        return caught.value.what

    assert refusal("%") == "the response is not base64"
    assert refusal(b64encode(b"x").decode()) == "the file of roots holds no certificate in PEM"


def test_a_signature_over_something_else_is_no_packet(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    path.write_bytes(seal(b'{"_type": "x"}', Ed25519PrivateKey.generate()))
    with pytest.raises(MalformedDocument):
        attest.read_signed(str(path))
