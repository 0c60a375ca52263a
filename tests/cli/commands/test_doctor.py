from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody.cli import main
from custody.sandbox.left_open import LEFT_OPEN
from support.shell import Shell


def test_the_level_and_the_origin_of_every_setting_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUSTODY_AGENT", "fake:answers.json")
    (tmp_path / "custody.toml").write_text('runsdir = "elsewhere"\n')
    assert main(["doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    level, reasons = told["confinement"]["offer"].values()
    assert (level == "L3") is (reasons == {})
    assert told["settings"] == [
        {"name": "pipeline", "value": "", "origin": "default"},
        {"name": "workdir", "value": "", "origin": "default"},
        {"name": "runsdir", "value": "elsewhere", "origin": "custody.toml"},
        {"name": "agent", "value": "fake:answers.json", "origin": "CUSTODY_AGENT"},
        {"name": "confinement", "value": "", "origin": "default"},
        {"name": "ingest", "value": "false", "origin": "default"},
        {"name": "output_limit", "value": "", "origin": "default"},
        {"name": "logbook", "value": "", "origin": "default"},
        {"name": "artifacts", "value": "", "origin": "default"},
    ]
    assert main(["doctor", "--runsdir", "here"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"confinement {level}: ")
    assert "Landlock ABI" in text
    assert "here  (flag)" in text


def test_the_agents_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    agents = json.loads(capsys.readouterr().out)["agents"]
    assert agents["stub"].startswith("Answers at once")
    assert {"codex:MODEL", "fake:ANSWERS", "replay:RUN"} <= agents.keys()


@pytest.mark.req("G-13")
def test_the_runs_directory_is_tried_that_will_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["doctor", "--runsdir", "/proc/self/runs"]) == 1
    assert "/proc/self" in capsys.readouterr().err
    assert main(["doctor", "--runsdir", str(tmp_path / "not" / "there")]) == 0
    assert not (tmp_path / "not").exists()


@pytest.mark.req("G-08")
def test_what_l2_leaves_open_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert main(["doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["left_open"]["L2"]
    assert len(told) >= len(LEFT_OPEN)
    for opening in LEFT_OPEN:
        assert opening._asdict() in told
        assert opening.what in text


@pytest.mark.req("G-09")
def test_what_holds_each_limit_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["confinement"]["limits"]
    assert told["limits"].keys() == told["held_by"].keys()
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert "limits of a stage\n  processes (2048)" in text
    assert "written (16G)          watched, and ended a moment later\n" in text
    assert ("no control group: " in text) is (told["no_cgroup"] != "")


@pytest.mark.req("E-06", "G-07")
def test_doctor_says_where_evidence_may_be(custody: Shell) -> None:
    file = custody.folder / "own" / "custody" / "custody.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[evidence]\nfile_roots = ["/srv/a"]\ngit = {main = "/srv/main"}\n')
    own = str(file.parent.parent)
    out = custody("doctor", XDG_CONFIG_HOME=own).out
    assert f"  documents        {custody.folder}  (default)\n" in out
    assert f"  files            /srv/a  ({file})\n" in out
    assert f"  git              main: /srv/main  ({file})\n" in out
    named = custody("doctor", XDG_CONFIG_HOME=own, CUSTODY_DOCS_ROOT="/srv/docs")
    assert "  documents        /srv/docs  (CUSTODY_DOCS_ROOT)\n" in named.out
    told = custody("doctor", "--json", XDG_CONFIG_HOME=own).data["evidence"]
    assert told["file_roots"] == ["/srv/a"]


@pytest.mark.req("S-17", "G-07")
def test_which_launchers_and_tools_there_are_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bin_folder, file = tmp_path / "bin", tmp_path / "custody" / "custody.toml"
    bin_folder.mkdir()
    for name in ("dsub-i", "sta", "yosys"):
        (bin_folder / name).write_text("#!/bin/sh\n")
        (bin_folder / name).chmod(0o755)
    file.parent.mkdir()
    file.write_text('[skills.launchers.mine]\ncommand = ["/no/such/go", "-q"]\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(bin_folder))
    assert main(["doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["skills"]
    assert told["launcher"] == "dsub-i"
    assert told["launchers"]["dsub-i"]["program"] == f"{bin_folder}/dsub-i"
    assert told["launchers"]["srun"]["program"] == ""
    assert told["tools"]["opensta"]["program"] == f"{bin_folder}/sta"
    assert told["tools"]["yosys"]["program"] == f"{bin_folder}/yosys"
    assert told["tools"]["innovus"]["program"] == ""
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert f"{bin_folder}/dsub-i  (default, used where nothing is said)" in text
    assert f"not there: /no/such/go  ({file})" in text
    assert "innovus          not there: innovus\n" in text
