"""Everything that a pipeline needs is looked for before a run directory exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody import api
from custody.cli import main
from custody.errors import NotReady
from support.bench import Bench

LACKING = """
start -> ask -> play -> use -> judge -> command -> done
ask [agent=codex, prompt=x, codex.executable="no-such-codex", codex.reach="127.0.0.1:1"]
play [agent="fake:no-such-book.json", prompt=x]
use [type=tool, tool_command="no-such-tool --x"]
judge [type=verification, verification.required_commands="no-such-judge -q"]
command [agent=command, prompt=x]
"""


@pytest.mark.req("U-04")
class TestLookAhead:
    @pytest.fixture(autouse=True)
    def _no_keys(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("OPENAI_API_KEY", "CODEX_API_KEY", "SDDAI_AGENT_CMD"):
            monkeypatch.delenv(name, raising=False)

    def test_all_that_is_missing_is_told_at_once(self, bench: Bench) -> None:
        with pytest.raises(NotReady) as caught:
            bench.run(LACKING, look_first=True)
        told = [finding.render("p") for finding in caught.value.findings]  # type: ignore[attr-defined]
        names = "\n".join(told)
        for what in (
            "no-such-codex", "OPENAI_API_KEY or CODEX_API_KEY", "no-such-book.json", "127.0.0.1:1",
            "no-such-tool", "no-such-judge", "has no command line",
        ):  # fmt: skip
            assert what in names
        assert len(told) == 7
        assert all("hint: " in finding for finding in told)
        assert not bench.runsdir.exists()

    def test_what_several_nodes_need_is_told_once(self, bench: Bench) -> None:
        two = 'start -> a -> b -> done\n a [type=tool, tool_command="nix"]\n b [type=tool,'
        with pytest.raises(NotReady) as caught:
            bench.run(f'{two} tool_command="nix 2"]', look_first=True)
        (finding,) = caught.value.findings
        assert finding.message == "program nix, for a, b"  # type: ignore[attr-defined]

    def test_a_run_that_has_all_begins(self, bench: Bench) -> None:
        tool = 'start -> a -> done\n a [type=tool, tool_command="true && cd . && true"]'
        assert bench.run(tool, look_first=True).summary.status == "PASS"

    def test_the_command_line_looks_first(
        self, bench: Bench, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pipeline = bench.pipeline(LACKING)
        assert main(["run", pipeline, "--runsdir", str(bench.runsdir)]) == 1
        told = capsys.readouterr().err
        assert "7 things are missing, and nothing was started" in told
        assert f"{pipeline}:7:1 missing program no-such-codex, for ask" in told
        assert not bench.runsdir.exists()

    def test_no_packaged_pipeline_asks_for_more_than_there_is(self, tmp_path: Path) -> None:
        with pytest.raises(NotReady, match="1 thing is missing"):
            api.run("single", agent="fake:nix.json", runsdir=str(tmp_path), look_first=True)
