"""The folder of one attempt: what is put there comes back as its evidence says."""

from __future__ import annotations

import hashlib
import os

import pytest

from custody.errors import PathRefused
from custody.model.evidence import INLINE_LIMIT, Evidence
from custody.store import files
from custody.store.rundir import RunDirectory


def test_where_it_lies(run: RunDirectory) -> None:
    assert run.stage("build-1.x_Y/2.3").path == "nodes/build-1.x_Y/2.3"


@pytest.mark.parametrize("node", ["", ".", "..", "a/b", "a b", "é", "-a", "a\0", "x" * 201])
def test_an_id_that_names_no_folder(run: RunDirectory, node: str) -> None:
    with pytest.raises(PathRefused) as caught:
        run.stage(f"{node}/1.1")
    assert caught.value.code == "node_id"


@pytest.mark.req("P-12")
def test_texts_and_bytes(run: RunDirectory) -> None:
    stage = run.stage("a/1.1")
    text = stage.write("prompt.md", "é")
    assert text == Evidence.of_text("nodes/a/1.1/prompt.md", "é")
    assert not run.root.exists(text.path)  # the journal holds it
    stage.show(text)
    assert run.root.read(text.path) == "é".encode()
    assert stage.write("bytes", b"abc").text == "abc"
    assert stage.write("binary", b"\xff").text is None
    long = stage.write("long", "x" * 5000)
    assert long.text == "x" * 5000
    assert long.sealed().text is None
    assert stage.write("long.bytes", b"x" * 5000).text is None


def test_half_a_surrogate_pair_is_written_as_its_evidence_says(run: RunDirectory) -> None:
    stage = run.stage("a/1.1")
    evidence = stage.write("response.md", "a\ud800b")
    assert evidence.text == "a?b"
    stage.show(evidence)
    assert run.read_evidence(evidence) == run.root.read(evidence.path) == b"a?b"


@pytest.mark.req("P-15")
def test_streams(run: RunDirectory) -> None:
    stage = run.stage("a/1.1")
    for name, data in (("out", b"abc"), ("err", b""), ("long", b"x" * 5000)):
        with stage.open_stream(name) as stream:
            for byte in (data[:1], data[1:]):
                os.write(stream.fileno(), byte)
        evidence = stage.seal(name)
        assert evidence.sha256 == hashlib.sha256(data).hexdigest()
        assert evidence.bytes == len(data)
        assert evidence.text == (data.decode() if len(data) < 2048 else None)
        assert run.read_evidence(evidence) == data
    with pytest.raises(PathRefused) as caught:
        stage.open_stream("out")
    assert caught.value.code == "exists"
    stage.settle()


@pytest.mark.req("P-10")
def test_what_an_interrupted_attempt_left_is_set_aside(run: RunDirectory) -> None:
    stage = run.stage("a/1.1")
    assert stage.set_aside() == ""
    assert stage.clear() == ""
    for number in (1, 2):
        text = f"{number}" * 3000
        stage.write("f", text)
        assert stage.clear({"f": text, "g": ""}) == ""
        other = {"f": text[1:]} if number == 1 else {"g": text}
        assert stage.clear(other) == f"nodes/a/1.1.lost.{number}"
        assert not run.root.exists(stage.path)
    assert run.root.read("nodes/a/1.1.lost.2/f") == b"2" * 3000


def test_an_attempt_begins_with_what_it_is_given(run: RunDirectory) -> None:
    given = {"prompt.md": "do it", "plan.json": "x" * 5000}
    stage = run.stage("a/1.1")
    stage.begin(given)
    assert run.root.names(stage.path) == ["plan.json"]  # the journal holds what is short
    stage.write("answer", b"\xff")
    again = run.stage("a/1.1")
    again.begin(given)
    assert run.root.names(again.path) == ["plan.json", "prompt.md"]
    assert run.root.read(f"{again.path}/prompt.md") == b"do it"
    assert run.root.names(f"{again.path}.lost.1") == ["answer", "plan.json"]


def test_settling_twice(run: RunDirectory) -> None:
    stage = run.stage("a/1.1")
    stage.settle()
    stage.write("long", b"x" * 5000)
    stage.settle()
    stage.write("longer", b"x" * 6000)
    stage.settle()
    run.stage("a/1.2").settle()


def test_every_file_is_cleaned_on_its_way_but_no_stream(run: RunDirectory) -> None:
    stage = run.stage("a/1.1").cleaned_by(lambda data: data.replace(b"secret", b"***"))
    assert stage.write("text", "a secret").text == "a ***"
    assert stage.write("bytes", b"\xffsecret").bytes == 4
    assert run.root.read("nodes/a/1.1/bytes") == b"\xff***"
    with stage.open_stream("stream") as stream:
        os.write(stream.fileno(), b"secret")
    assert stage.seal("stream").text == "secret"


def test_what_the_journal_cannot_hold_is_synced_once(
    run: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.readlink(f"/proc/self/fd/{fd}")))
    stage = run.stage("a/1.1")
    stage.write("short", "x" * INLINE_LIMIT)
    stage.settle()
    assert synced == []
    stage.cleaned_by(bytes).write("long", "x" * (INLINE_LIMIT + 1))
    stage.settle()
    folder = f"{run.path}/nodes/a/1.1"
    parents = [f"{run.path}/nodes/a", f"{run.path}/nodes", run.path]
    assert synced == [f"{folder}/long", folder, *parents]
    synced.clear()
    stage.write("binary", b"\xff")
    stage.settle()
    assert synced == [f"{folder}/binary", folder], "the names above are durable by now"


def test_what_a_view_is_being_written_to_is_no_evidence(run: RunDirectory) -> None:
    stage = run.stage("a/1.1")
    stage.write("binary", b"\xff")
    run.root.write(f"{stage.path}/{files.temporary_name()}", b"")
    assert [evidence.path for evidence in stage.left()] == [f"{stage.path}/binary"]
