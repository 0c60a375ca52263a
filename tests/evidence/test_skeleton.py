"""Skeletons say what a packet will: no more, and nothing that is lost."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import MalformedDocument
from custody.evidence import Content
from custody.evidence.packet import packet_page
from custody.evidence.skeleton import cited, claim_of, read_skeleton
from custody.evidence.uri import build_docs_evidence_uri, parse
from custody.model.packet import Packet, Repeat
from custody.model.reference import EXCERPT_CHARACTERS, EXCERPT_LINES
from custody.model.skeleton import Skeleton, SketchedClaim, SketchedEvidence

PAGE = """\
# Two claims

## It is wrong

### Evidence

- docs/a.md
  ````text
  one
  ```
  two
  ````
- `git://repo/abc/b.py`

### Reasoning

Because of this,
and of that.

### Risk and next steps

- look further
- or do not

### Verification

- `make test`: all pass
- `make lint`

## It is right

### Evidence

- https://example.org/c
"""
SAID = Skeleton(
    title="Two claims",
    claims=(
        SketchedClaim(
            claim="It is wrong",
            evidence=(
                SketchedEvidence(uri="docs/a.md", excerpt="one\n```\ntwo"),
                SketchedEvidence(uri="git://repo/abc/b.py"),
            ),
            reasoning="Because of this, and of that.",
            risk_and_next_steps=("look further", "or do not"),
            verification=(
                Repeat(command="make test", passes="all pass"),
                Repeat(command="make lint", passes="it ends with exit code 0"),
            ),
        ),
        SketchedClaim(
            claim="It is right", evidence=(SketchedEvidence(uri="https://example.org/c"),)
        ),
    ),
)
DATA = b"".join(b"%d\n" % number for number in range(100))


def content(data: bytes, path: str = "a.md") -> tuple[str, Content]:
    found = Content.of(data)
    return build_docs_evidence_uri(path, found.sha256), found


def quoted(data: bytes, excerpt: str = "", path: str = "a.md") -> str:
    uri, found = content(data, path)
    return cited(parse(uri), found, excerpt).excerpt


def refusal(text: str) -> MalformedDocument:
    with pytest.raises(MalformedDocument) as caught:
        read_skeleton(text.encode(), where="s.md")
    return caught.value


@pytest.mark.req("E-01")
def test_markdown_and_json_say_the_same() -> None:
    assert read_skeleton(PAGE.encode(), where="s.md") == SAID
    as_json = {
        "title": "Two claims",
        "claims": [
            {
                "claim": "It is wrong",
                "evidence": [
                    {"uri": "docs/a.md", "excerpt": "one\n```\ntwo"},
                    {"uri": "git://repo/abc/b.py"},
                ],
                "reasoning": "Because of this, and of that.",
                "risk_and_next_steps": ["look further", "or do not"],
                "verification": [
                    {"command": "make test", "passes": "all pass"},
                    {"command": "make lint", "passes": "it ends with exit code 0"},
                ],
            },
            {"claim": "It is right", "evidence": [{"uri": "https://example.org/c"}]},
        ],
    }
    assert read_skeleton(json.dumps(as_json).encode(), where="s.json") == SAID


@pytest.mark.req("E-01")
@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "s.md"),
        ("# T\n", "s.md"),
        ("# T\n## c\n", "s.md"),
        ("## c\n", "s.md:1"),
        ("# T\n# U\n", "s.md:2"),
        ("# T\nwords\n", "s.md:2"),
        ("# T\n## c\n### Proof\n", "s.md:3"),
        ("# T\n## c\n### Evidence\nwords\n", "s.md:4"),
        ("# T\n## c\n### Evidence\n```\nx\n```\n", "s.md:4"),
        ("# T\n## c\n### Evidence\n- a\n```\nx\n", "s.md:7"),
        ("# T\n## c\n### Evidence\n- a\n```\nx\n```\n```\ny\n```\n", "s.md:8"),
        ("# T\n## c\n### Verification\n- words\n", "s.md:4"),
        ("# T\n## c\n### Risk and next steps\nwords\n", "s.md:4"),
        ('{"title": "T", "claims": [{"claim": "c", "evidence": []}]}', "s.md"),
        ('{"title": "T", "claims": []}', "s.md"),
        ('{"title": "T", "title": "U"}', "s.md"),
    ],
)
def test_what_is_no_skeleton_is_refused_where_it_is_wrong(text: str, where: str) -> None:
    assert refusal(text).where == where


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(MalformedDocument, match="not UTF-8 at byte 3"):
        read_skeleton(b"# T\xff", where="s.md")


@given(st.text(alphabet=st.sampled_from("#-` \nab:{}\u00e9"), max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(MalformedDocument):
        found = read_skeleton(text.encode(), where="s.md")
        assert all(claim.evidence for claim in found.claims)


@pytest.mark.req("E-01", "E-04")
def test_an_excerpt_is_found_and_without_one_the_beginning_or_a_logs_end_is_quoted() -> None:
    uri, found = content(DATA)
    one = cited(parse(uri), found, "42\n43")
    assert (one.excerpt, one.lines) == ("42\n43", (43, 44))
    assert DATA[slice(*(one.bytes or (0, 0)))] == b"42\n43"
    assert (one.sha256, one.artifact_uri) == (found.sha256, uri)
    assert quoted(DATA).startswith("0\n1\n")
    assert quoted(DATA, path="a.log").endswith("98\n99\n")
    assert quoted(b"a\0b") == ""


@pytest.mark.req("E-01", "E-04")
@pytest.mark.parametrize(
    ("excerpt", "code"),
    [
        ("never said", "misquoted"),
        ("42\n44", "misquoted"),
        ("x" * (EXCERPT_CHARACTERS + 1), "excerpt"),
        ("x\n" * (EXCERPT_LINES + 1), "excerpt"),
    ],
)
def test_an_excerpt_that_does_not_stand_there_is_refused(excerpt: str, code: str) -> None:
    with pytest.raises(MalformedDocument) as caught:
        quoted(DATA, excerpt)
    assert caught.value.code == code


@pytest.mark.req("E-01")
def test_a_built_packets_page_is_a_skeleton_again() -> None:
    sketched = SAID.claims[0]
    pieces = [cited(parse(content(DATA)[0]), Content.of(DATA), "42\n43")]
    packet = Packet(title=SAID.title, claims=(claim_of(1, sketched, pieces),), left_out={})
    page = b"".join(packet_page(packet)).decode()
    page = page.replace(page[page.index("An excerpt") : page.index("## ")], "")
    page = page.replace("stated, `stated:1`\n", "").replace(", lines 43 to 44", "")
    again = read_skeleton(page.encode(), where="page")
    assert again.claims[0].evidence[0].excerpt == "42\n43"
    assert again.claims[0].reasoning == sketched.reasoning
    assert again.claims[0].verification == sketched.verification
