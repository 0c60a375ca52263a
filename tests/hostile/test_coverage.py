"""Every case is run, wherever it comes from, and a wrong verdict would be noticed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from support.hostile import (
    COVERED,
    EXTRA,
    FOLDER,
    NOT_YET_COVERED,
    UNREADABLE,
    Case,
    every_case,
)

HERE = FOLDER.relative_to(FOLDER.parents[1])


def run(root: Path, *words: str, extra: str = "") -> subprocess.CompletedProcess[str]:
    """Run pytest on this folder, with a file of further cases."""
    plain = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plain, str(HERE), *words],
        cwd=root,
        env={**os.environ, **({EXTRA: extra} if extra else {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def test_every_case_of_a_covered_surface_is_run(root: Path) -> None:
    listed = run(root, "--collect-only").stdout
    collected = re.findall(r"/test_(\w+)\.py::test_\1\[(.+)\]$", listed, re.MULTILINE)
    wanted = [(case.surface, case.id) for case in every_case() if case.surface in COVERED]
    assert Counter(collected) == Counter(wanted)


def test_no_surface_is_forgotten() -> None:
    """One that no test runs end to end is named here, so that it is not taken for done."""
    surfaces = {*COVERED, *NOT_YET_COVERED}
    assert [(case.id, case.surface) for case in every_case() if case.surface not in surfaces] == []
    assert set(COVERED).isdisjoint(NOT_YET_COVERED)


def test_every_case_is_one() -> None:
    assert [case for case in every_case() if case.surface == UNREADABLE] == []


def test_ids_are_unique() -> None:
    ids = Counter(case.id for case in every_case())
    assert [name for name, times in ids.items() if times > 1] == []


def further(folder: Path, *more: dict[str, Any]) -> str:
    """Write a file of cases."""
    file = folder / "further.json"
    file.write_text(json.dumps([{"why": "", **case} for case in more]))
    return str(file)


SAMPLES: tuple[tuple[str, Any, str, str], ...] = (
    ("path", "../x", "reject:traversal", "accept"),
    ("path", "/x", "reject:absolute", "reject:traversal"),
    ("pipeline", "graph g {}", "reject:syntax", "accept"),
    ("allowlist", "docs/", "accept", "accept:file"),
    ("command", "rm -rf .", "deny:prefix", "deny:operator"),
    ("command", "go test", "accept", "deny:prefix"),
    ("tool_command", "ls ..", "deny:tool_command", "accept"),
    ("tool_command", "sh x.sh", "deny:kernel", "deny:tool_command"),
    ("tool_command", "echo x", "accept", "deny:tool_command"),
    ("fs", {"setup": ["ln -s /etc ws/l"], "write": "l/x"}, "reject:symlink", "accept"),
    ("log", {"edit": "one byte changed in line 9"}, "detect:chain_broken@9", "detect:json@9"),
    ("crash", {"resume": "a pid file is there"}, "recover:lock", "reject:locked"),
    ("fence", "```py file=/a\nx\n```\n", "reject:absolute", "skip:absolute"),
    ("plan", "Status: SIGNED\nStatus: SIGNED\n", "reject:duplicate_key", "accept"),
    ("review", "Verdict: BLOCK\n", "accept:block", "accept:approve"),
    ("patch", "", "reject:empty", "reject:not_diff"),
    ("bundle", {"zip": "two members with one name"}, "reject:duplicate", "accept"),
    ("uri", "http://example.com/x", "reject:scheme", "accept"),
    ("contract", "a: &a [*a]\n", "reject:yaml_alias", "reject:yaml_merge"),
    ("file_request", {"path": "a.py", "mode": "full"}, "accept", "omit:denied"),
    ("request", "[]", "reject:type", "reject:json"),
    ("tcl", "exec id", "deny:exec", "deny:kernel"),
)
"""Of each surface something with its verdict, and with one that is wrong."""


def test_further_cases_are_run_and_wrong_verdicts_noticed(root: Path, tmp_path: Path) -> None:
    right, wrong = (
        [
            {"id": f"{name}-{n}", "surface": sample[0], "input": sample[1], "expect": sample[which]}
            for n, sample in enumerate(SAMPLES)
        ]
        for name, which in (("right", 2), ("wrong", 3))
    )
    done = run(root, "-rfp", "-k", "right- or wrong-", extra=further(tmp_path, *right, *wrong))
    ended = re.findall(r"^(PASSED|FAILED) .*\[(\w+)-\d+\]", done.stdout, re.MULTILINE)
    assert Counter(ended) == {
        ("PASSED", "right"): len(SAMPLES),
        ("FAILED", "wrong"): len(SAMPLES),
    }, done.stdout


ODD = [
    {"id": "odd-1", "surface": "weather", "input": "rain", "expect": "reject:wet", "why": ""},
    {"id": "odd-2", "surface": "path", "input": "../x", "expect": "reject:traversal", "by": "me"},
    {"id": "odd-3", "surface": "path", "expect": "reject:traversal"},
    {"id": "odd-4", "surface": "html", "input": "<b>", "expect": "inert", "why": ""},
    *(
        {"id": f"odd-{surface}", "surface": surface, "input": given, "expect": "banana:split"}
        for surface, given in (
            ("path", "../x"), ("pipeline", "digraph g {}"), ("bundle", {"zip": "a riddle"}),
            ("uri", "http://x"), ("tcl", "exec id"), ("fence", "```py file=/a\nx\n```\n"),
            ("log", {"edit": "a riddle"}), ("crash", {"moon": "full"}), ("fs", {"setup": ["hm"]}),
            ("request", {"fs": "a riddle"}), ("file_request", {"path": "a.py", "fs": "a riddle"}),
            ("redaction", {"moon": 5}), ("patch", {"gen": "a riddle"}), ("contract", {"gen": "?"}),
        )
    ),
    "no case at all",
]  # fmt: skip
"""What nobody has thought of: surfaces, verdicts, words and fields that no test knows."""


def test_what_nobody_knows_fails_alone(root: Path, tmp_path: Path) -> None:
    """Each fails by itself, and by an assertion; whatever can be read is run all the same."""
    extra = tmp_path / "odd.json"
    extra.write_text(json.dumps(ODD))
    done = run(root, "-rfEp", "-k", "odd- or forgotten or is_one", extra=str(extra))
    told = re.findall(r"^([A-Z]+) \S+::(?:\w+\[)?([\w-]+)\]?(?: |$)", done.stdout, re.MULTILINE)
    ended = {name: how for how, name in told}
    unknown = {case["id"] for case in ODD[4:-1]}  # type: ignore[index]
    assert ended == {
        "odd-2": "PASSED",
        "test_no_surface_is_forgotten": "FAILED",
        "test_every_case_is_one": "FAILED",
        **dict.fromkeys(unknown, "FAILED"),
    }, done.stdout
    reasons = re.findall(r"^E +(\w+(?:Error|Exception)): ", done.stdout, re.MULTILINE)
    assert {*reasons} == {"AssertionError"}


@pytest.mark.parametrize("text", ["", "{", "[1", "null", '{"cases": []}', "[[]]"])
def test_a_file_that_holds_no_cases_is_told(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extra = tmp_path / "broken.json"
    extra.write_text(text)
    monkeypatch.setenv(EXTRA, str(extra))
    assert [case.id for case in every_case() if case.surface == UNREADABLE] == ["broken#0"]


def test_a_case_that_shares_an_id_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = next(case for case in every_case() if case.surface == "path")
    again = first._asdict()
    monkeypatch.setenv(EXTRA, further(tmp_path, again, {**again, "input": "another"}))
    assert [case for case in every_case() if case.id.startswith(first.id)] == [
        first,
        Case(**{**again, "id": f"{first.id}@further", "input": "another"}),
    ]
