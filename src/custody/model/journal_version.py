"""The versions of the journal, and what differs between them.

A journal has one version, that of its first line. A run that is resumed goes on in the version
it was begun with, and so does a fork with that of the run it was taken from: the facts before
must mean the same to whoever decides again from them.
"""

from __future__ import annotations

from custody.model.record import Record


class JournalVersion(Record, frozen=True):
    """What holds for every line of a journal of one version."""

    number: str
    """What each line says as its ``schema_version``."""
    verdicts_recorded: bool = False
    """Whether the verdict of each gate is a fact of its own."""
    effects_judged: bool = False
    """Whether what nobody should write is refused when a program leaves it, not in a text only."""
    checks_required: bool = False
    """Whether a verification that ran no command has failed."""
    attempts_kept: bool = False
    """Whether an answer before its turn is a fact, and what a lost attempt has cost."""
    budgets_final: bool = False
    """Whether a budget that is exceeded where a stage would be tried again ends the run."""
    agents_named: bool = False
    """Whether the manifest names who was asked last and who answered, not who was to be asked."""
    attributes_known: bool = False
    """Whether a pipeline has no attribute that nobody knows, and other systems' names are read."""
    variables_open: bool = False
    """Whether a plan's command may set any variable that does not change which program runs."""
    plans_offered: bool = False
    """Whether a plan in an agent's response, its files called ``files``, reaches a verification."""
    outputs_quoted: bool = False
    """Whether the next agent is told what a failed command printed from the streams on record."""
    stand_ins_named: bool = False
    """Whether the summary names the stages that a stand-in for an agent has answered."""
    usage_summed: bool = False
    """Whether the summary tells tokens and cost of every stage and of the run."""
    ingest_asked: bool = False
    """Whether an agent whose document becomes files is told the one form that is read."""
    packets: bool = False
    """Whether a run that ends leaves a packet: its claims with their evidence."""
    failures_named: bool = False
    """Whether an edge on an exit code takes care of a command's failure, and of no other one."""
    last_attempts_judged: bool = False
    """Whether gates that are asked about a stage never look at an attempt before its last."""

    def knows(self, since: str) -> bool:
        """Whether a kind of fact that there is since a version is known to this one."""
        numbers = [*VERSIONS]
        return numbers.index(since) <= numbers.index(self.number)


VERSIONS: dict[str, JournalVersion] = {
    known.number: known
    for known in (
        JournalVersion(number="1.0"),
        JournalVersion(number="1.1", verdicts_recorded=True),
        JournalVersion(
            number="1.2",
            verdicts_recorded=True,
            effects_judged=True,
            checks_required=True,
            attempts_kept=True,
            budgets_final=True,
            agents_named=True,
        ),
        JournalVersion(
            number="1.3",
            verdicts_recorded=True,
            effects_judged=True,
            checks_required=True,
            attempts_kept=True,
            budgets_final=True,
            agents_named=True,
            attributes_known=True,
            variables_open=True,
            plans_offered=True,
            outputs_quoted=True,
            stand_ins_named=True,
            usage_summed=True,
            ingest_asked=True,
        ),
        JournalVersion(
            number="1.4",
            verdicts_recorded=True,
            effects_judged=True,
            checks_required=True,
            attempts_kept=True,
            budgets_final=True,
            agents_named=True,
            attributes_known=True,
            variables_open=True,
            plans_offered=True,
            outputs_quoted=True,
            stand_ins_named=True,
            usage_summed=True,
            ingest_asked=True,
        ),
        JournalVersion(
            number="1.5",
            verdicts_recorded=True,
            effects_judged=True,
            checks_required=True,
            attempts_kept=True,
            budgets_final=True,
            agents_named=True,
            attributes_known=True,
            variables_open=True,
            plans_offered=True,
            outputs_quoted=True,
            stand_ins_named=True,
            usage_summed=True,
            ingest_asked=True,
            packets=True,
            failures_named=True,
            last_attempts_judged=True,
        ),
    )
}
"""Every version that is read here."""

CURRENT = VERSIONS["1.5"]
"""Of new runs."""
