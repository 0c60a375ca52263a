"""What the journal knows of a session."""

from __future__ import annotations

from custody.model.record import decode, encode
from custody.model.session import (
    Beat,
    Ended,
    RecordedSession,
    SessionKind,
    SessionOrder,
    Stamp,
    outdated,
)


def test_a_session_whose_work_no_longer_counts() -> None:
    session = RecordedSession(token=3, open=True)
    assert outdated(session) == RecordedSession(token=3, open=True, outdated=True)
    assert outdated(outdated(session)) == outdated(session)


def test_its_files_are_read_as_they_were_written() -> None:
    kind = SessionKind(name="echo", argv=("cat",), variables={"A": "b"}, reach=("a:1",))
    for document in (
        SessionOrder(token=1, level="L3", kind=kind),
        Beat(beat=2, watcher=3, program=4, process="S", cpu=0.5, heartbeat=6, host="n"),
        Ended(reason="exited", exit_code=1),
    ):
        assert decode(encode(document), type(document), where="") == document


def test_an_ack_may_say_more_than_it_must() -> None:
    import msgspec

    data = b'{"request_id":"a/1.1","token":2,"anything":[1]}'
    assert msgspec.json.decode(data, type=Stamp) == Stamp(request_id="a/1.1", token=2)
