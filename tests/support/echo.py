"""A resident program for tests: says what it is asked again, in capital letters.

Needs nothing but Python. What its box is, and the names in it, tells `custody.model.session`. A
text may begin with words that tell what else to do:

    slow:SECONDS   take so long
    still:SECONDS  take so long, with a heartbeat of its own that has stopped
    spin:SECONDS   the same, but compute
    die:CODE       end before there is an ack
    last:CODE      end right after the ack
    twice          give a second ack, another one
    forged         give an ack of another token
    broken         give an ack that nobody can read
    deaf           take up no further request
    loud:BYTES     print so many bytes first

Each request that is begun, and each that is done, is a line of ``work/log``.
"""

import json
import os
import sys
import time
from typing import NoReturn

TOKEN = int(os.environ.get("CUSTODY_SESSION_TOKEN", "0"))


def publish(path: str, data: bytes) -> bool:
    """Make a file appear whole, once; False when there is one already."""
    temporary = f"{path}.{os.getpid()}.part"
    with open(temporary, "wb") as file:
        file.write(data)
        os.fsync(file.fileno())
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(temporary)
    return True


def log(text: str) -> None:
    """Count what is done."""
    with open("work/log", "a") as file:
        file.write(f"{text} {TOKEN} {os.getpid()}\n")
        os.fsync(file.fileno())


def ack(key: str, text: str, token: int = TOKEN) -> bytes:
    """Return an ack."""
    fields = {"schema_version": "1.0", "request_id": key, "token": token, "text": text}
    return json.dumps(fields).encode()


def serve(key: str) -> None:
    """Carry out one request."""
    with open(f"queue/{key}.json") as file:
        text = json.load(file)["text"]
    if not publish(f"claim/{key}.json", b"{}"):
        return
    log(f"begin {key}")
    word, _, argument = text.partition(" ")[0].partition(":")
    if word == "slow":
        time.sleep(float(argument))
    if word in {"still", "spin"}:
        open("state/heartbeat", "w").close()
        until = time.monotonic() + float(argument)
        while time.monotonic() < until:
            time.sleep(60 if word == "still" else 0)
    if word == "loud":
        sys.stdout.write("x" * int(argument))
        sys.stdout.flush()
    if word == "die":
        os._exit(int(argument))
    answer = ack(key, text.upper(), TOKEN + 1 if word == "forged" else TOKEN)
    publish(f"ack/{key}.json", b"{" if word == "broken" else answer)
    log(f"done {key}")
    if word == "twice":
        log(f"second {publish(f'ack/{key}.json', ack(key, 'another'))}")
    if word == "last":
        os._exit(int(argument))
    while word == "deaf":
        time.sleep(60)


def main() -> NoReturn:
    """Take requests, in order, for ever."""
    seen: set[str] = set()
    publish("state/ready", b"")
    while True:
        for name in sorted(os.listdir("queue")):
            key, suffix = os.path.splitext(name)
            if suffix == ".json" and key not in seen:
                seen.add(key)
                serve(key)
        time.sleep(0.005)


if __name__ == "__main__":
    main()
