from __future__ import annotations

from msgspec.structs import replace

from custody.cli.render.report import Location, failing, report
from custody.model.documents import StageSummary, Summary
from custody.model.fact import RunStatus
from custody.model.outcome import OutcomeStatus

PLACE = Location(path="runs/r1", name="r1")


def row(node: str, outcome: OutcomeStatus = "success", *, visit: int = 1) -> StageSummary:
    reason = "tool_exit_code_1" if outcome == "fail" else ""
    return StageSummary(
        node=node, type="tool", visit=visit, attempts=1, outcome=outcome, failure_reason=reason,
        seconds=0.5, changed=0, folder=f"nodes/{node}/{visit}.1",
    )  # fmt: skip


def summary(
    status: RunStatus,
    *stages: StageSummary,
    unhandled: dict[str, str] | None = None,
    changed: tuple[str, ...] = (),
    reason: str = "",
) -> Summary:
    return Summary(
        run_id="r1", pipeline="p", goal="", status=status, reason=reason, stages=stages,
        unhandled=unhandled or {}, changed=changed, active_seconds=1.0, events=9, head="0" * 64,
    )  # fmt: skip


def text(page: Summary, *, whole: bool = False, **failures: str) -> list[str]:
    return [line.text for line in report(page, PLACE, failures=failures, whole=whole)]


def test_a_run_that_passed() -> None:
    assert text(summary("PASS", row("a"), changed=("x.py",))) == [
        "PASS  p  run r1",
        "",
        "stage  type  outcome  attempts  time   changed  evidence",
        "a      tool  success  1         500ms  -        nodes/a/1.1",
        "",
        "changed files: 1",
        "  x.py",
        "",
        "evidence: runs/r1",
        f"head:     {'0' * 64}",
        "next:     custody diff r1",
        "          custody apply r1",
        "          custody verify r1",
    ]


def test_the_failing_part_comes_first() -> None:
    page = summary("FAIL", row("a"), row("b", "fail"), unhandled={"b": "x"}, reason="never handled")
    lines = text(page, b="exit code 1\nno such file\n")
    assert lines[:6] == [
        "FAIL  p  run r1",
        "  never handled",
        "  b: tool_exit_code_1",
        "    exit code 1",
        "    no such file",
        "    evidence: runs/r1/nodes/b/1.1",
    ]
    assert lines[-2:] == ["next:     custody show r1 b", "          custody verify r1"]


def test_a_run_that_goes_on_can_be_resumed() -> None:
    assert text(summary("RUNNING", row("a")))[-1] == "next:     custody resume r1"


def test_only_unhandled_failures_are_blamed() -> None:
    stages = (row("a", "fail"), row("b", "fail"), row("b", "fail", visit=2))
    blamed = failing(summary("FAIL", *stages, unhandled={"b": "x"}))
    assert [(one.node, one.visit) for one in blamed] == [("b", 2)]


def test_without_an_unhandled_one_the_last_failure_is_blamed() -> None:
    assert [one.node for one in failing(summary("FAIL", row("a", "fail"), row("b", "fail")))] == [
        "b"
    ]
    assert failing(summary("PASS", row("a", "fail"))) == ()


def test_of_an_exit_that_says_fail_what_led_to_it_is_blamed() -> None:
    mended = (row("a", "fail"), row("a", visit=2))
    failed = replace(row("failed", "fail"), type="exit")
    assert failing(summary("FAIL", row("b", "fail"), *mended, failed))[0].node == "b"
    assert failing(summary("FAIL", *mended, failed))[0].node == "failed"
    stages = (row("b", "fail"), failed)
    assert failing(summary("FAIL", *stages, unhandled={"failed": "x"}))[0].node == "b"


def test_long_lists_are_cut_unless_all_is_wanted() -> None:
    paths = tuple(f"{number}.py" for number in range(25))
    page = summary("PASS", *(row(f"n{number}") for number in range(100)), changed=paths)
    short, whole = text(page), text(page, whole=True)
    assert "… 60 stages before these" in short
    assert "  … and 5 more" in short
    assert len(whole) > len(short) + 60
    assert not any("…" in line for line in whole)


def test_what_is_typed_is_quoted() -> None:
    page = summary("RUNNING", row("a"))
    lines = [line.text for line in report(page, Location("my runs/r1", "my runs/r1"))]
    assert lines[-1] == "next:     custody resume 'my runs/r1'"
