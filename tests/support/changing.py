"""A small repository with a bug, and what roles say that change it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from custody import api, change
from custody.engine.change_start import WantedChange
from custody.engine.result import RunResult
from custody.model.event import AnyFact
from custody.store.journal import read_lines
from custody.store.root import Root

CODE = "def add(a, b):\n    return a - b\n"
CHECK = (
    'import sys\nsys.dont_write_bytecode = True\nsys.path.insert(0, "src")\n'
    "from calc import add\nassert add(2, 2) == 4\n"
)
LITE = "python3 tests/check.py"
GOOD = (
    "diff --git a/src/calc.py b/src/calc.py\n--- a/src/calc.py\n+++ b/src/calc.py\n"
    "@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"
)
WRONG = GOOD.replace("a + b", "a * b * 3")
"""It applies, and the check does not pass."""
OUTSIDE = GOOD.replace("src/calc.py", "tests/check.py")
"""It is outside of the plan's scope."""
STALE = GOOD.replace("a - b", "a / b")
"""It is inside, and does not apply."""
PLAN = (
    "# Plan\n\nStatus: SIGNED\nScope-Allow: src/\nScope-Deny: tests/\n"
    "Gates: lite, plan_check, patch_check, behavior_catalog_check\n"
    "Stop: {stop}\nBudgets: iterations=3; files=5; bytes=10000\nBehaviors:\nResults: R001\n"
)
APPROVE = "Verdict: APPROVE\nBlocking Reasons: none\nRequired Fix/Artifacts: none\n"
BLOCK = "Verdict: BLOCK\nBlocking Reasons: too dear\nRequired Fix/Artifacts: spend less\n"
REQUEST = {
    "schema_version": "ctcp-file-request-v1",
    "goal": "Let add add",
    "needs": [{"path": "src/calc.py", "mode": "full"}],
    "budget": {"max_files": 10, "max_total_bytes": 100_000},
    "reason": "it holds the bug",
}


def answers(*, stop: str = "max_iterations=3", **others: str | list[Any]) -> dict[str, list[Any]]:
    """Return what each node of the change is answered; ``others`` take the place of some."""
    plan = PLAN.format(stop=stop)
    texts: dict[str, str | list[Any]] = {
        "analysis": "It subtracts.\n",
        "file_request": json.dumps(REQUEST) + "\n",
        "draft": plan.replace("SIGNED", "DRAFT"),
        "review_cost": APPROVE,
        "plan": plan,
        "reasons": "- R001: add must add\n",
        "results": "## R001\n\nAcceptance: add(2, 2) is 4\nEvidence: tests/check.py\n"
        "Related-Gates: lite\n",
        "maker": GOOD,
        "fixer": GOOD,
        **others,
    }
    return {
        node: [{"text": one} if isinstance(one, str) else one for one in _listed(said)]
        for node, said in texts.items()
    }


def _listed(said: str | list[Any]) -> list[Any]:
    return [said] if isinstance(said, str) else said


class Change:
    """A repository that is changed, its runs beside it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.repo = home / "repo"
        self.runs = home / "runs"
        files = {
            "src/calc.py": CODE,
            "tests/check.py": CHECK,
            "AGENTS.md": "# Agents\n",
            "ai_context/00_AI_CONTRACT.md": "# Contract\n",
            "ai_context/CTCP_FAST_RULES.md": "# Rules\n",
        }
        for name, text in files.items():
            (self.repo / name).parent.mkdir(parents=True, exist_ok=True)
            (self.repo / name).write_text(text)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")

    def git(self, *words: str) -> str:
        """Run git in the repository; return what it prints."""
        done = subprocess.run(
            ["git", *words], cwd=self.repo, check=True, capture_output=True, text=True
        )
        return done.stdout

    def book(self, said: dict[str, list[Any]], name: str = "answers.json") -> str:
        """Write recorded answers; return the agent that gives them."""
        path = self.home / name
        path.write_text(json.dumps({"nodes": said}))
        return f"fake:{path}"

    def start(self, said: dict[str, list[Any]] | None = None, **options: Any) -> RunResult:
        """Begin a change in which `fake` has every role that nobody else is given."""
        agent = options.pop("agent", None)
        wanted = WantedChange(
            goal=options.pop("goal", "Let add add"),
            agent=self.book(answers() if said is None else said) if agent is None else agent,
            lite=options.pop("lite", [LITE]),
            **options,
        )
        return change.start(wanted, repo=str(self.repo), runsdir=str(self.runs), run_id="c")

    def advance(self) -> RunResult:
        """Go on with it."""
        return change.advance("c", runsdir=str(self.runs))

    def path(self, name: str) -> Path:
        """Return a path in the run directory."""
        return self.runs / "c" / name

    def json(self, name: str) -> Any:
        """Return what a document of the run says."""
        return json.loads(self.path(name).read_text())

    def facts(self) -> list[AnyFact]:
        """Return every fact of the run."""
        with Root.open(str(self.runs / "c")) as root:
            return [line.fact() for line in read_lines(root, run_id="c")]

    def events(self) -> list[str]:
        """Return the names of the run's events."""
        return [type(fact).__name__ for fact in self.facts()]

    def holds(self) -> bool:
        """Whether the record holds, and its decisions are come to again."""
        api.replay("c", runsdir=str(self.runs))
        found = api.verify("c", runsdir=str(self.runs))
        assert not found.mismatches
        return True
