"""What custody costs, side by side with its peers, in ratios of one run.

`python -m benchmarks` runs every subject and prints one table. A measurement is a program of
its own (``scripts/`` for custody and the bare floor, ``peers/`` for the others) that runs in a
fresh process, prints one JSON line and is told nothing but a size and an empty folder.
Contestants take turns on the same disk, so that whatever else the machine does hits all of
them, and the medians are compared. Absolute times are those of one machine; the ratios are
what the table is for.
"""
