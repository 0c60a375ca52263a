from __future__ import annotations

import pytest

from custody.errors import PathRefused
from custody.model.skill.outputs import OutputGlob


@pytest.mark.req("S-12")
@pytest.mark.parametrize(
    "text",
    [
        "reports/x.rpt",
        "reports/*.rpt",
        "reports/a/[0-9]?_*.txt",
        "reports/**/x",
        "reports/[abc_.].rpt",
    ],
)
def test_a_glob_that_every_engine_reads_alike_is_taken(text: str) -> None:
    glob = OutputGlob.parse(text)
    assert (glob.text, "/".join(glob.parts)) == (text, text)


@pytest.mark.req("S-12")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("/etc/passwd", "absolute"),
        ("../x", "traversal"),
        ("reports/../../*", "traversal"),
        ("reports//x", "noncanonical"),
        ("./reports/x", "noncanonical"),
        ("reports/", "noncanonical"),
        ("reports", "not_reports"),
        ("*/x", "not_reports"),
        ("Reports/x", "not_reports"),
        ("ack/x", "not_reports"),
        ("reports/**", "glob"),
        ("reports/**/**/x", "glob"),
        ("reports/a**/x", "glob"),
        ("reports/***/x", "glob"),
        ("reports/{a,b}", "glob"),
        ("reports/@(a|b)", "glob"),
        ("reports/a*(b)", "glob"),
        ("reports/[!a]", "glob"),
        ("reports/[^a]", "glob"),
        ("reports/[]a]", "glob"),
        ("reports/[a", "glob"),
        ("reports/a]", "glob"),
        ("reports/[]", "glob"),
        ("reports/[a-]", "glob"),
        ("reports/[b-y]", "glob"),
        ("reports/[[:alpha:]]", "reserved"),
        ("reports/a!b", "glob"),
        ("reports/a\\*", "backslash"),
        ("reports/.git/x", "denied"),
    ],
)
def test_a_glob_that_leaves_or_that_engines_read_differently_is_refused(
    text: str, code: str
) -> None:
    with pytest.raises(PathRefused) as refused:
        OutputGlob.parse(text)
    assert refused.value.code == code
