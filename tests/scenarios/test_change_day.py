"""A change of a real project, by roles that follow a script and by the real agents."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from custody.testing.model_server import Answer, ModelServer, Script, Turn
from custody.views.bundle import read_bundle
from support import real_project
from support.changing import BLOCK, answers
from support.real_agents import environment, program
from support.real_project import FILE, ITS_TEST, RIGHT, WRONG, git, make_project
from support.shell import Done, Here
from support.sweep import paired, some

GOAL = "Count each use once"
LITE = f".venv/bin/python -m pytest -q {ITS_TEST}"
PYTHON = ".venv/bin/python"
OTHER = "link.count += None"
"""No repair, and told from the bug by what Python says to it."""
RESULTS = f"## R001\n\nAcceptance: its tests pass\nEvidence: {ITS_TEST}\nRelated-Gates: lite\n"


class Repository:
    """A project of others with a bug, and the changes that are tried on it."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.runs = project.parent / "changes"
        self.custody = Here(project)
        self._plain = self.custody.environment
        self.good = self._patch(RIGHT)
        self.wrong = self._patch(OTHER)
        self.outside = self._patch("", "import", ITS_TEST)
        self.maker = ""
        """The agent that has the roles of patchmaker and fixer; empty for recorded answers."""

    def _patch(self, new: str, old: str = WRONG, name: str = FILE) -> str:
        path = self.project / name
        path.write_text(path.read_text().replace(old, new))
        patch = git(self.project, "diff")
        git(self.project, "checkout", "--quiet", ".")
        assert patch.startswith("diff --git ")
        return patch

    def start(self, said: dict[str, list[Any]], *words: str) -> Done:
        """Start a change; a real maker is told by a model what else is given as it is recorded."""
        if not self.maker:
            self.custody.environment = self._plain
            return self._start(said, *words)
        told = {"did not pass": said["fixer"], "Make the patch for this goal": said["maker"]}
        script = Script(
            answers=tuple(
                Answer(turns=(Turn(say=answer["text"]),), when=mark)
                for mark, (answer,) in told.items()
            )
        )
        roles = ("--role", f"patchmaker={self.maker}", "--role", f"fixer={self.maker}")
        with ModelServer(script) as server:
            port = int(server.url.rpartition(":")[2])
            self.custody.environment = environment(self.project.parent, port)
            return self._start(said, *roles, *words)

    def _start(self, said: dict[str, list[Any]], *words: str) -> Done:
        book = self.project.parent / "answers.json"
        book.write_text(json.dumps({"nodes": said}))
        return self.custody(
            "change", "start", GOAL, "--run-id", "c", "--runsdir", str(self.runs),
            "--lite", LITE, "--agent", f"fake:{book}", *words,
        )  # fmt: skip

    def answers(self, **others: Any) -> dict[str, list[Any]]:
        """Return what the roles say about this project."""
        request = {
            "schema_version": "ctcp-file-request-v1",
            "goal": GOAL,
            "needs": [{"path": FILE, "mode": "snippets", "line_ranges": [[1, 40]]}],
            "budget": {"max_files": 10, "max_total_bytes": 100_000},
            "reason": "it holds the bug",
        }
        made = {"maker": self.good, "fixer": self.good}
        said = {"file_request": json.dumps(request), "results": RESULTS, **made, **others}
        return answers(**said)

    def asked(self, agent: str) -> list[str]:
        """Return the nodes for which an agent's program was started."""
        found = (self.runs / "c/nodes").glob(f"*/1.1/{agent}.args.txt")
        return [path.parent.parent.name for path in found]

    def json(self, name: str) -> Any:
        return json.loads((self.runs / "c" / name).read_text())

    def text(self, name: str) -> str:
        return (self.runs / "c" / name).read_text()

    def holds(self) -> None:
        """See that the record is intact, and that its decisions are come to again."""
        for words in (("verify", "c"), ("replay", "c")):
            done = self.custody(*words, "--runsdir", str(self.runs))
            assert done.code == 0, done.out + done.err
        assert git(self.project, "status", "--short") == ""

    def landed(self) -> None:
        """See that the branch has one commit more, on which all tests of the project pass."""
        assert git(self.project, "rev-list", "--count", "main..counted") == "1\n"
        message = git(self.project, "log", "-1", "--format=%B", "counted").splitlines()
        head = self.json("summary.json")["head"]
        assert {"Custody-Run: c", f"Custody-Head: {head}", "Custody-Verdict: PASS"} <= {*message}
        tree = self.project.parent / "on-the-branch"
        git(self.project, "worktree", "add", "--quiet", str(tree), "counted")
        try:
            assert real_project.passes(tree, self.project / PYTHON)
        finally:
            git(self.project, "worktree", "remove", "--force", str(tree))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Return the project, with the documents that `init` writes for a repository, committed."""
    project = make_project(tmp_path_factory.mktemp("change"), sys.executable)
    done = Here(project)("init", "--contracts")
    assert done.code == 0, done.out + done.err
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message", "Say how this repository is changed")
    return Repository(project)


@pytest.fixture
def repository(made: Repository) -> Iterator[Repository]:
    made.maker = ""
    yield made
    if git(made.project, "branch", "--list", "counted"):
        git(made.project, "branch", "--quiet", "-D", "counted")
    subprocess.run(["rm", "-rf", str(made.runs)], check=True)


def at_once(repository: Repository) -> None:
    done = repository.start(repository.answers(), "--land", "counted")
    assert done.code == 0, done.out + done.err
    report = repository.json("artifacts/verify_report.json")
    assert (report["result"], report["gate"], report["iteration"]) == ("PASS", "lite", 1)
    assert report["commands"] == [{"cmd": LITE, "exit_code": 0}]
    assert report["failures"] == []
    assert repository.text("artifacts/diff.patch") == repository.good
    (piece,) = [
        piece
        for piece in repository.json("artifacts/context_pack.json")["files"]
        if piece["path"] == FILE
    ]
    lines = (repository.project / FILE).read_text().splitlines(keepends=True)
    assert piece["content"] == "".join(lines[:40])
    repository.landed()


def after_one_round(repository: Repository) -> None:
    done = repository.start(repository.answers(maker=repository.wrong))
    assert done.code == 0, done.out + done.err
    report = repository.json("artifacts/verify_report.json")
    assert (report["result"], report["iteration"]) == ("PASS", 2)
    assert "NoneType" in repository.text("nodes/fixer/1.1/prompt.md")
    assert repository.text("artifacts/diff.patch") == repository.good


def rejected(repository: Repository) -> None:
    done = repository.start(repository.answers(maker=repository.outside))
    assert done.code == 0, done.out + done.err
    assert repository.text("nodes/patch/1.1/candidate.patch") == repository.outside
    review = repository.text("reviews/review_patch.md")
    assert "Verdict: BLOCK" in review
    assert "PATCH_POLICY_DENY" in review
    assert ITS_TEST in review
    assert repository.json("artifacts/verify_report.json")["iteration"] == 2


def blocked(repository: Repository) -> None:
    done = repository.start(repository.answers(review_cost=BLOCK), "--land", "counted")
    assert done.code == 1, done.out + done.err
    report = repository.json("artifacts/verify_report.json")
    assert report["result"] == "FAIL"
    assert "too dear" in report["failures"][0]["message"]
    assert git(repository.project, "branch", "--list", "counted") == ""
    assert not (repository.runs / "c/nodes/maker").exists()


def out_of_rounds(repository: Repository) -> None:
    bad = {"maker": repository.wrong, "fixer": repository.wrong}
    done = repository.start(repository.answers(stop="max_iterations=2", **bad))
    assert done.code == 1, done.out + done.err
    assert "max_iterations reached: 2 of 2" in done.out
    report = repository.json("artifacts/verify_report.json")
    assert (report["iteration"], report["max_iterations"]) == (2, 2)
    bundle = read_bundle((repository.runs / "c/failure_bundle.zip").read_bytes())
    assert json.loads(bundle["artifacts/verify_report.json"]) == report
    assert b"NoneType" in bundle["logs/verify.stdout.log"]
    assert repository.text(f"workspace/{FILE}") == (repository.project / FILE).read_text()


ENDINGS = (at_once, after_one_round, rejected, blocked, out_of_rounds)


@pytest.mark.req("C-19", "C-20", "C-22", "C-29")
@pytest.mark.parametrize("ending", some("changes of a real project", ENDINGS, 2))
def test_a_change_by_roles_that_follow_a_script(
    repository: Repository, ending: Callable[[Repository], None]
) -> None:
    ending(repository)
    repository.holds()


@pytest.mark.req("C-22", "C-26")
@pytest.mark.parametrize(("agent", "ending"), paired("real changes", ("codex", "claude"), ENDINGS))
def test_the_real_agents_make_and_mend_a_patch(
    repository: Repository, agent: str, ending: Callable[[Repository], None]
) -> None:
    program(agent)
    repository.maker = agent
    ending(repository)
    repository.holds()
    nobody: set[str] = set()
    others = {"blocked": nobody, "at_once": {"maker"}}
    assert {*repository.asked(agent)} == others.get(ending.__name__, {"maker", "fixer"})
