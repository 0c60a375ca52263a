"""Documents that no run wrote, and the switch of those that a run does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from custody.cli import main
from custody.model.layout import INGEST_MANIFEST
from support.hostile import picture

GOOD = "```python file=src/a.py\nx = 1\n```\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CUSTODY_INGEST", raising=False)
    return tmp_path


def ingest(text: str, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    Path("doc.md").write_text(text)
    code = main(["ingest", "doc.md", "--json", *words])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.req("I-03", "I-07")
def test_a_document_becomes_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "site").mkdir()
    code, told = ingest(GOOD, capsys, "--project", "site")
    assert code == 0
    assert (folder / "site/workspace/src/a.py").read_text() == "x = 1\n"
    manifest = json.loads((folder / "site" / INGEST_MANIFEST).read_text())
    assert manifest == told["manifest"]
    assert (manifest["run_id"], manifest["node_id"]) == ("", "")
    assert manifest["source"] == {"kind": "cli", "mode": "unknown", "doc_path": "../doc.md"}


def test_nothing_is_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "workspace/src").mkdir(parents=True)
    (folder / "workspace/src/a.py").write_text("mine\n")
    code, told = ingest(GOOD, capsys)
    assert code == 1
    (artifact,) = told["manifest"]["artifacts"]
    assert (artifact["status"], artifact["reason"]) == ("rejected", "exists")
    assert (folder / "workspace/src/a.py").read_text() == "mine\n"
    assert ingest("Nothing.\n", capsys) == (0, {**told, **ingested_nothing(folder)})


def ingested_nothing(folder: Path) -> dict[str, Any]:
    second = f"{INGEST_MANIFEST.removesuffix('.json')}.2.json"
    nothing: dict[str, Any] = {
        name: [] for name in ("written", "skipped", "rejected", "findings", "problems")
    }
    return {
        "manifest": json.loads((folder / second).read_text()),
        "path": second,
        "document": {"node": "", "doc_path": "doc.md", "more": 0, **nothing},
    }


@pytest.mark.req("I-06")
def test_nothing_is_written_outside(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "workspace").mkdir()
    (folder / "workspace/link").symlink_to(folder)
    before = picture(folder / "workspace")
    code, told = ingest(
        "```sh file=../x\n```\n```sh file=link/x\n```\n```sh file=/tmp/x\n```\n", capsys
    )
    reasons = [artifact["reason"] for artifact in told["manifest"]["artifacts"]]
    assert (code, reasons) == (1, ["traversal", "symlink", "absolute"])
    assert picture(folder / "workspace") == before
    assert not (folder / "x").exists()


@pytest.mark.req("I-09")
def test_no_secret_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "tr0ub4dor-and-3-and-4")
    code, told = ingest("```sh file=a\ntr0ub4dor-and-3-and-4\n```\n", capsys)
    assert (code, told["manifest"]["artifacts"][0]["reason"]) == (1, "secret")
    assert "tr0ub4dor" not in (folder / INGEST_MANIFEST).read_text()


def test_the_folder_of_a_run_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "events.jsonl").write_text("")
    code, told = ingest(GOOD, capsys)
    assert (code, told["error_type"]) == (1, "USAGE")
    assert not (folder / "workspace").exists()


@pytest.mark.req("I-03")
@pytest.mark.parametrize(
    ("file", "variable", "flag", "node", "written"),
    [
        ("", "", False, "", False),
        ("true", "", False, "", True),
        ("true", "false", False, "", False),
        ("", "true", False, "", True),
        ("", "true", False, ", ingest=false", False),
        ("", "false", False, ", ingest=true", True),
        ("false", "false", True, ", ingest=false", True),
    ],
)
def test_flag_then_node_then_environment_then_file(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    variable: str,
    *,
    flag: bool,
    node: str,
    written: bool,
) -> None:
    (folder / "custody.toml").write_text(f'ingest = "{file}"\n' if file else "")
    monkeypatch.setenv("CUSTODY_INGEST", variable)
    (folder / "p.dot").write_text(
        "digraph p { start [shape=Mdiamond]\ndone [shape=Msquare]\n"
        f'w [type=write_file, output_path="docs/a.md", content="```sh file=a\\nx\\n```\\n"{node}]\n'
        "start -> w -> done }"
    )
    assert main(["run", "p.dot", "--run-id", "r1", *(["--ingest"] if flag else [])]) == 0
    assert (folder / ".custody/runs/r1/workspace/a").exists() is written


def test_a_setting_is_true_or_false(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CUSTODY_INGEST", "maybe")
    assert main(["init"]) == 0
    assert main(["run", "pipeline.dot"]) == 1
    assert "CUSTODY_INGEST" in capsys.readouterr().err
    assert not (folder / ".custody").exists()
