# mypy: disable-error-code="misc, no-any-return, untyped-decorator"
"""A linear Burr application whose state is saved by its SQLite persister after every step.

`SQLitePersister` keeps SQLite's defaults, a rollback journal with ``synchronous=FULL``, and
commits one transaction a step: the journal, the database and the folder are synced each time.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import time

from burr.core import Application, ApplicationBuilder, State, action
from burr.core.persistence import SQLitePersister


@action(reads=["count"], writes=["count"])
def count_up(state: State) -> State:
    """Do the least a node can do."""
    return state.update(count=state["count"] + 1)


def linear(nodes: int, persister: SQLitePersister) -> Application:
    """Return a chain of ``nodes`` actions, set up to be resumed as the documentation does it."""
    names = [f"n{number}" for number in range(nodes)]
    return (
        ApplicationBuilder()
        .with_actions(**dict.fromkeys(names, count_up))
        .with_transitions(*itertools.pairwise(names))
        .with_identifiers(app_id=str(os.getpid()), partition_key="bench")
        .initialize_from(
            persister,
            resume_at_next_action=True,
            default_state={"count": 0},
            default_entrypoint=names[0],
        )
        .with_state_persister(persister)
        .build()
    )


def main(nodes: int, folder: str) -> None:
    """Run the chain and print how long the run took."""
    persister = SQLitePersister(db_path=os.path.join(folder, "burr.sqlite"))
    persister.initialize()
    application = linear(nodes, persister)
    begin = time.perf_counter()
    _, _, state = application.run(halt_after=[f"n{nodes - 1}"])
    seconds = time.perf_counter() - begin
    persister.connection.close()
    assert state["count"] == nodes
    sys.stdout.write(json.dumps({"nodes": nodes, "seconds": seconds}) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
