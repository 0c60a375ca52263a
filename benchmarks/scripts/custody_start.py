"""How long it takes until the first stage of a run can begin, less the start of the interpreter.

``first`` and ``second`` start a run over a source, ``fork`` one that branches off the first: all of
it, from the loading of custody to the commit that the first stage waits for.
"""

from __future__ import annotations

import time

BEGIN = time.perf_counter()

import json  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402

from custody import api  # noqa: E402
from custody.model.event import AnyFact, JournalLine, StageStarted  # noqa: E402

PIPELINE = "digraph p { start [shape=Mdiamond]; done [shape=Msquare]; start -> done }"


def main(how: str, source: str, folder: str) -> None:
    """Do one of them; print the seconds."""
    started: list[float] = []

    def hear(_line: JournalLine, fact: AnyFact) -> None:
        if isinstance(fact, StageStarted):
            started.append(time.perf_counter() - BEGIN)

    runs = os.path.join(folder, "runs")
    if how == "fork":
        api.fork("first", "done", runsdir=runs, run_id=how, listeners=(hear,))
    else:
        pipeline = os.path.join(folder, "pipeline.dot")
        with open(pipeline, "w", encoding="ascii") as file:
            file.write(PIPELINE)
        api.run(pipeline, workdir=source, runsdir=runs, run_id=how, listeners=(hear,))
    sys.stdout.write(json.dumps({"start": started[0]}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
