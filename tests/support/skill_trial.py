"""A skill tried in its tool, without a runtime: by the executor, in a run directory as documented.

What comes of it is judged as a job judges it: the acks, the log between the marks, the required
outputs, the metrics.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from custody.model.skill.contract import Contract
from custody.model.skill.log_pattern import error_lines
from custody.model.skill.metric import disbelieved
from custody.skills.check import check_skill
from custody.skills.find import find_skill
from custody.skills.outputs import find_outputs
from custody.skills.tools import TOOLS
from custody.store.root import Root
from support.agent_run import wait_for

JOB = "20260101_120000_7_abcd"
SECONDS = 60


class Judged(NamedTuple):
    """The first thing that is wrong, in the order of the failure taxonomy; or nothing."""

    error_type: str = "OK"
    by: str = ""
    """What told it: ``ack``, ``log``, ``outputs`` or ``metrics``."""
    says: str = ""


class SkillTrial:
    """One skill on one design."""

    def __init__(self, home: Path, skill: str, enc: Path) -> None:
        checked = check_skill(find_skill(skill))
        assert checked.contract is not None, checked.findings
        self.home = home
        self.contract: Contract = checked.contract
        self.folder = Path(checked.skill.path)
        self.enc = enc
        self.acks: dict[str, dict[str, Any]] = {}
        for name in ("queue", "ack", "scripts", "reports", "session/claim"):
            (home / name).mkdir(parents=True)
        self._scripts()

    def _scripts(self) -> None:
        wrapper = f"set enc_path {{{self.enc}}}\ncd [file dirname $enc_path]\nsource $enc_path\n"
        (self.home / "scripts/restore_wrapper.tcl").write_text(wrapper)
        for script in self.contract.scripts:
            shutil.copy(self.folder / script.entry, self.home / "scripts" / f"{script.name}.tcl")

    def run(self) -> None:
        """Restore the design and run the scripts, as far as each ack says PASS."""
        skip_without(self.contract.tool)
        process = self._start()
        try:
            for name in ("restore_wrapper", *(script.name for script in self.contract.scripts)):
                self.acks[name] = self._ask(process, name)
                if self._wrong_with(name):
                    break
        finally:
            process.kill()
            process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        variables = {
            "SP_RUN_DIR": str(self.home),
            "SP_JOB_ID": JOB,
            "SP_ENC_PATH": str(self.enc),
            "SP_ENC_DAT_PATH": f"{self.enc}.dat",
            "SP_POLL_MS": "5",
        }
        with self._log("stdout").open("ab") as out, self._log("stderr").open("ab") as err:
            process = subprocess.Popen(
                TOOLS[self.contract.tool].argv(),
                cwd=self.home,
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        ready = self.home / "session/ready"
        wait_for(lambda: ready.exists() or process.poll() is not None)
        assert process.poll() is None, self.said()
        return process

    def _ask(self, process: subprocess.Popen[bytes], script: str) -> dict[str, Any]:
        name = f"{JOB}_{len(self.acks) + 1:04}_{script.partition('_')[0]}"
        request = {
            "schema_version": "1.0", "request_id": name, "job_id": JOB, "action": "SOURCE_TCL",
            "script": f"scripts/{script}.tcl", "created_at": "2026-01-01T12:00:00Z",
        }  # fmt: skip
        part = self.home / "queue" / f".{name}.part"
        part.write_text(json.dumps(request))
        part.rename(part.with_name(f"{name}.json"))
        path = self.home / "ack" / f"{name}.json"
        deadline = time.monotonic() + SECONDS
        while not path.exists():
            if process.poll() is not None:
                return {"status": "FAIL", "error_type": "INNOVUS_CRASH", "message": self.said()}
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.002)
        found: dict[str, Any] = json.loads(path.read_bytes())
        return found

    def _log(self, stream: str) -> Path:
        return self.home / "session" / f"{self.contract.tool}.{stream}.log"

    def said(self) -> str:
        """Return what the tool has printed, without the marks."""
        both = self._printed()
        return "".join(f"{one}\n" for one in both.splitlines() if not one.startswith("@@custody"))

    def _printed(self) -> str:
        streams = ("stdout", "stderr")
        return "".join(self._log(name).read_text(errors="replace") for name in streams)

    @property
    def metrics(self) -> dict[str, Any]:
        """What ``reports/metrics.json`` says; nothing where it is missing."""
        path = self.home / "reports/metrics.json"
        found: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
        return found

    def report(self, name: str) -> str:
        """Return a report."""
        return (self.home / "reports" / name).read_text()

    def judged(self) -> Judged:
        """Return the first thing that is wrong."""
        return next(self._wrong(), Judged())

    def _wrong(self) -> Iterator[Judged]:
        for name in self.acks:
            if wrong := self._wrong_with(name):
                yield wrong
        yield from self._reports()

    def _wrong_with(self, script: str) -> Judged | None:
        """Return what is wrong with one request, by its ack and by what was printed for it."""
        ack = self.acks[script]
        if ack["status"] != "PASS":
            return Judged(ack["error_type"], "ack", ack["message"])
        name = ack["request_id"]
        marked = re.compile(
            rf"(?s)\n@@custody begin {name}\n(.*?)\n@@custody end {name}\n"
        ).findall(self._printed())
        assert marked, self._printed()
        patterns = (*TOOLS[self.contract.tool].error_patterns, *self.contract.error_patterns)
        for line in error_lines("\n".join(marked), patterns, self.contract.ignore_patterns):
            restores = script == "restore_wrapper"
            return Judged("RESTORE_FAIL" if restores else "CMD_FAIL", "log", line.text)
        return None

    def _reports(self) -> Iterator[Judged]:
        with Root.open(str(self.home)) as root:
            found = find_outputs(root, self.contract.outputs.required)
        for one in found:
            if not one.count:
                yield Judged("OUTPUT_MISSING", "outputs", one.path)
            elif one.non_empty and one.empty:
                yield Judged("OUTPUT_EMPTY", "outputs", one.path)
        metrics = self.metrics
        for name, rule in self.contract.metrics.items():
            value = metrics.get(name)
            if why := disbelieved(rule, value):
                error = "OUTPUT_MISSING" if value is None else "CMD_FAIL"
                yield Judged(error, "metrics", f"{name} {why}")


def skip_without(tool: str) -> None:
    """Skip a test, with the reason, where a tool is not installed."""
    for program in (TOOLS[tool].program, *(["stdbuf"] if tool == "yosys" else [])):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
