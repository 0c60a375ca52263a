"""The documents of a change that people and agents write, each read into a record. Pure.

    guardrails        what the whole change may cost, and whether the web may be asked
    plan              what may be changed, by which gates it is judged, when to stop
    reasons           why, each reason with the behavior or the result that it is for
    expected_results  what must be true afterwards, and what shows it
    review            one verdict, and what it rests on

A reader never raises: it returns what it could make out with every finding, each with its line.
"""
