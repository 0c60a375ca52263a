"""Secrets are taken out, however they are spelt; evidence stays."""

from __future__ import annotations

import base64
import json
import re
import time
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from custody.checks.guards.secret_patterns import BY_KEYWORD, PATTERNS, VENDORS, Pattern
from custody.checks.guards.secrets import (
    LONG_LINE,
    MANY,
    Redactor,
    StreamRedactor,
    _possible,
    redactor_for,
    secret_values,
)
from support.sweep import examples

CORPUS = Path(__file__).parents[2] / "hostile" / "corpus.json"
CASES = [case for case in json.loads(CORPUS.read_text()) if case["surface"] == "redaction"]
ALPHABETS = {"": "A1b2C3d4", "x": "ab12cd34", "u": "AB12CD34", "l": "ab12yz34", "n": "1234567890"}
NOTHING_KNOWN = Redactor({})
VALUE = "hunter2/hunter2+ü"
KNOWING = Redactor({"MY_TOKEN": VALUE})
DIGEST = "ab12" * 16


def written(text: str) -> str:
    """Return an example with its letters and digits filled in."""

    def fill(match: re.Match[str]) -> str:
        return "".join(islice(cycle(ALPHABETS[match[2] or ""]), int(match[1])))

    return re.sub(r"<(\d+)(?::([xuln]))?>", fill, text)


def read(case: dict[str, Any]) -> tuple[str, int]:
    """Redact what a case holds, as it arrives; return what is left of it."""
    match case["input"]:
        case {"chunks": chunks}:
            stream = StreamRedactor(NOTHING_KNOWN)
            parts = [stream.feed(chunk.encode()) for chunk in chunks] + [stream.finish()]
            return b"".join(parts).decode(), stream.count
        case {"env": environment, "text": text}:
            return redactor_for(environment).redact(text)
        case {"argv": argv}:
            words, count = NOTHING_KNOWN.redact_argv(argv)
            return " ".join(words), count
        case {"exception": text} | str(text):
            return NOTHING_KNOWN.redact(text)
        case other:
            raise AssertionError(other)


@pytest.mark.req("I-09")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    left, count = read(case)
    assert (count > 0) == (case["expect"] == "redact")
    assert ("[redacted:" in left) == (case["expect"] == "redact")


@pytest.mark.parametrize("row", PATTERNS, ids=lambda row: row.name)
def test_each_format_finds_its_example(row: Pattern) -> None:
    text = written(row.example)
    secret = re.search(row.pattern, text, re.ASCII)
    assert secret is not None, text
    assert any(word in text.lower() for word in row.keywords)
    for around in ("{}", "see {} there", '{{"key": "{}"}}', "x\n{}\ny"):
        left, count = NOTHING_KNOWN.redact(around.format(text))
        assert count
        assert secret[secret.lastindex or 0] not in left
        assert NOTHING_KNOWN.redact(left) == (left, 0)


def test_there_are_many_formats_and_no_two_share_a_name() -> None:
    assert len(VENDORS) >= 60
    assert len({row.name for row in PATTERNS}) == len(PATTERNS)
    assert all(word == word.lower() for word in BY_KEYWORD)


@pytest.mark.parametrize(
    "text",
    [
        f"sha256={DIGEST}",
        f"sha256:{DIGEST}  src/a.py",
        f"commit {'0123456789abcdef' * 2}01234567",
        "https://example.com/path?page=2&sort=name",
        "ssh://git@example.com/repository.git",
        "token = get_token()",
        "max_tokens: 4096000000",
        "usage: tool --token TOKEN  what to sign in with",
        "--password is required",
        "skipping task-based risk-assessment of desk-lamps",
        "secret: see the manual",
        "src/tokens.py:12: password must not be empty",
        "integrity sha512-" + base64.b64encode(bytes(range(64))).decode(),
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "the text -----BEGIN is not a key",
        "123e4567-e89b-12d3-a456-426614174000",
        "[redacted:MY_TOKEN] was here",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert KNOWING.redact(text) == (text, 0)


@pytest.mark.parametrize(
    "before", ["\x1b[31m", "\x1b[0;1m", "\x1b[m\x1b[K", "\\n", "\\t", "%3D", "%20"]
)
def test_a_secret_is_found_behind_colours_and_written_out_characters(before: str) -> None:
    token = "ghp_" + "A1b2" * 9
    cleaned, count = Redactor({}).redact(f"said: {before}{token}\x1b[0m")
    assert (cleaned, count) == (f"said: {before}[redacted:github-token]\x1b[0m", 1)


def test_a_secret_does_not_begin_within_a_word() -> None:
    for text in ("task-" + "a1" * 20, "xghp_" + "A1b2" * 9):
        assert Redactor({}).redact(text) == (text, 0)


@pytest.mark.parametrize("before", ["", "x", "xy", "xyz"])
@pytest.mark.parametrize("after", ["", "1", "12", "123"])
def test_a_known_value_is_found_in_every_encoding(before: str, after: str) -> None:
    data = (before + VALUE + after).encode()
    url_safe = base64.urlsafe_b64encode(data).decode()
    spelt = [
        data.decode(), base64.b64encode(data).decode(), url_safe, url_safe.rstrip("="),
        quote(data.decode(), safe=""), quote(data.decode(), safe="").lower(),
        data.hex(), data.hex().upper(), json.dumps(data.decode())[1:-1],
        "".join(f"%{byte:02x}" for byte in data),
    ]  # fmt: skip
    for text in spelt:
        left, count = KNOWING.redact(f"got {text} here")
        assert count >= 1, text
        assert "[redacted:MY_TOKEN]" in left
        assert len(left) < len("got [redacted:MY_TOKEN] here") + 20, left


def test_each_line_of_a_long_value_is_known() -> None:
    redactor = Redactor({"DEPLOY_KEY": "first line of it\nsecond line of it\n"})
    assert redactor.redact("> second line of it <") == ("> [redacted:DEPLOY_KEY] <", 1)


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("MY_TOKEN", "12345678", True),
        ("MY_TOKEN", "1234567", False),
        ("OPENAI_API_KEY", "12345678", True),
        ("DB_PASSWORD", "12345678", True),
        ("db_passwd", "12345678", True),
        ("SENTRY_DSN", "12345678", True),
        ("SSH_KEY_FILE", "/home/u/.ssh/id", False),
        ("SSH_AUTH_SOCK", "/tmp/ssh-12345/agent", False),
        ("PWD", "/home/user/project", False),
        ("OLDPWD", "/home/user/project", False),
        ("HOME", "/home/user", False),
        ("COMPASS", "12345678", False),
        ("PATH", "/usr/bin:/bin", False),
    ],
)
def test_a_variable_is_secret_by_its_name(name: str, value: str, secret: bool) -> None:
    assert (name in secret_values({name: value})) is secret


@pytest.mark.parametrize(
    ("argv", "left"),
    [
        (["curl", "--token", "abc"], ["curl", "--token", "[redacted:flag]"]),
        (["x", "--api-key=abc", "y"], ["x", "--api-key=[redacted:flag]", "y"]),
        (["x", "--db-password", "--verbose"], ["x", "--db-password", "--verbose"]),
        (["x", "--token", "[redacted:flag]"], ["x", "--token", "[redacted:flag]"]),
        (["x", "--tokenizer", "bert"], ["x", "--tokenizer", "bert"]),
        (["curl", "https://u:p4ssw0rd@h/"], ["curl", "https://u:[redacted:url-password]@h/"]),
    ],
)
def test_words_of_a_command(argv: list[str], left: list[str]) -> None:
    assert list(NOTHING_KNOWN.redact_argv(argv)[0]) == left


PIECES = st.sampled_from(
    [VALUE, "[redacted:", "MY_TOKEN", "]", "--token ", "Bearer ", "token=", "s3cr3ts3cr3t", "://",
     "u:", "@", "\n", " ", '"', "ghp_", "A1b2" * 9, "-----BEGIN PRIVATE KEY-----", "eyJ", ".",
     "-----END PRIVATE KEY-----", "\x1b]8;;", "é", "\ud800"]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(PIECES | st.text(max_size=5), max_size=30).map("".join))
@example("[redacted:redacted]")
def test_doing_it_again_changes_nothing(text: str) -> None:
    for redactor in (KNOWING, Redactor({"A_TOKEN": "redacted", "B_TOKEN": "[redacted:A_TOKEN]"})):
        left, count = redactor.redact(text)
        assert redactor.redact(left) == (left, 0)
        assert len(left) <= len(text) + 40 * count
        assert count <= len(text)


@settings(deadline=None)
@given(
    before=st.text("ab =:\n-", max_size=40),
    secret=st.sampled_from([VALUE, "ghp_" + "A1b2" * 9, f"Bearer {'x1' * 30}", "https://u:pw12@h"]),
    after=st.text("ab =:\n-", max_size=40),
    cuts=st.lists(st.integers(0, 200), max_size=6),
)
def test_a_secret_never_survives_a_border(
    before: str, secret: str, after: str, cuts: list[int]
) -> None:
    data = f"{before} {secret} {after}".encode()
    borders = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    stream = StreamRedactor(KNOWING)
    parts = [stream.feed(data[a:b]) for a, b in pairwise(borders)]
    left = b"".join([*parts, stream.finish()])
    assert (left, stream.count) == KNOWING.redact_bytes(data)
    assert secret.encode() not in left


@settings(deadline=None, max_examples=examples(50))
@given(
    at=st.integers(0, 3 * LONG_LINE),
    piece=st.sampled_from([1000, 4096, 65536]),
    fill=st.sampled_from([b"x", b"x ", b"=", b"a-", b"0123456789 "]),
)
def test_a_secret_in_a_line_that_does_not_end(at: int, piece: int, fill: bytes) -> None:
    filling = fill * (3 * LONG_LINE)
    data = filling[:at] + b" " + VALUE.encode() + b" " + filling[: 2 * LONG_LINE]
    stream, longest, left = StreamRedactor(KNOWING), 0, b""
    for start in range(0, len(data), piece):
        left += stream.feed(data[start : start + piece])
        longest = max(longest, len(stream.held))
    left += stream.finish()
    assert left == data.replace(VALUE.encode(), b"[redacted:MY_TOKEN]")
    assert longest <= LONG_LINE + piece


@pytest.mark.parametrize("piece", [1, 7, 64, 1000])
def test_a_key_that_arrives_in_pieces(piece: int) -> None:
    body = "\n".join(["A1b2" * 16] * 25)
    key = f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----"
    data = f"before\n{key}\nafter\n".encode()
    stream = StreamRedactor(NOTHING_KNOWN)
    left = b"".join(stream.feed(data[at : at + piece]) for at in range(0, len(data), piece))
    assert left + stream.finish() == b"before\n[redacted:private-key]\nafter\n"


@pytest.mark.parametrize(
    "piece",
    ["token", "--", "a-", "-----BEGIN PRIVATE KEY-----", "://a", "eyJa.", "token=1", "Bearer ",
     "--token ", "1//0", "?key=", "aws", "Q~", "[redacted:", "pat", "SK", VALUE, "curl ", "s.",
     "curl -u a", "zendesk ", "lob_", "twitter=", "-H 'key:", "sc_aaaaa.", "ZXlK", "t1.", "A"],
)  # fmt: skip
@pytest.mark.parametrize("end", ["", "\n"])
def test_no_text_takes_long(piece: str, end: str) -> None:
    text = (piece + end) * (65536 // len(piece))
    started = time.process_time()
    KNOWING.redact(text)
    assert time.process_time() - started < 5


FILLERS = {
    "one sign": "-",
    "numbers": "0123456789\n",
    "a digest": "0123456789abcdef",
    "every letter": "the quick brown fox jumps over the lazy dog, 0123456789\n",
}


@pytest.mark.parametrize("filler", FILLERS.values(), ids=FILLERS)
def test_a_long_text_is_searched_for_every_keyword_that_it_holds(filler: str) -> None:
    before, after = filler * (MANY // len(filler) + 1), filler * 3
    for word in BY_KEYWORD:
        assert word in set(_possible(f"{before}{word}{after}"))
    assert len(set(_possible(before))) < len(BY_KEYWORD)


@pytest.mark.parametrize("around", ["", "x " * 1000, "x " * 5000])
def test_a_long_text_hides_no_secret(around: str) -> None:
    secret = "hunter2hunter2hunter2"
    text, count = Redactor({}).redact(f"{around}Authorization: Bearer {secret} {around}")
    assert count == 1
    assert secret not in text


def test_a_value_is_secret_by_the_name_it_is_given() -> None:
    for name in ("db.password", "apiKey", "my-token"):
        assert Redactor({}).redact_setting(name, "abcdefgh") == ("[redacted:flag]", 1)
    assert Redactor({}).redact_setting("goal", "abcdefgh") == ("abcdefgh", 0)


@pytest.mark.parametrize("before", range(0, 15, 3))
def test_a_long_line_is_not_cut_within_a_secret(before: int) -> None:
    stream = StreamRedactor(KNOWING)
    after = KNOWING.overlap - len(VALUE) + before
    line = b"x" * LONG_LINE + VALUE.encode() + b"x" * after
    told = stream.feed(line) + stream.finish()
    assert VALUE.encode() not in told
    assert stream.count == 1
