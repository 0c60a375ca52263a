"""Whether what was found is well-formed, and keeps to what the guardrails allow of the web."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.checks.gates import Case, Gate
from custody.checks.guards.web_address import admits, read_address
from custody.errors import MalformedDocument, Refused
from custody.model import layout
from custody.model.record import decode
from custody.model.request import StepRequest
from custody.model.verdict import Verdict

if TYPE_CHECKING:
    from custody.model.contracts.find_web import FindWeb, WebResult
    from custody.pipeline.contracts.guardrails import Guardrails

EXCERPT_LINES = 25
EXCERPT_CHARACTERS = 2000


class FindGate(Gate):
    """Judges the results of the registry and of the web."""

    name = "find"
    doc = "A workflow was selected; the web was asked only if, and only how, the guardrails allow."

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find a result that is none, and pages that nobody allowed."""
        from custody.model.contracts.find_result import FindResult
        from custody.model.contracts.find_web import FindWeb

        wrote = {evidence.path for evidence in case.ack.evidence}
        rails, trouble = _rails(case)
        yield from (self.wrong("guardrails", text, layout.GUARDRAILS) for text in trouble)
        try:
            result = case.document(layout.FIND_RESULT) if layout.FIND_RESULT in wrote else None
            decode(result or b"", FindResult, where=layout.FIND_RESULT)
            if layout.FIND_WEB in wrote:
                data = case.document(layout.FIND_WEB) or b""
                yield from self._web(decode(data, FindWeb, where=layout.FIND_WEB), rails)
            elif rails.web and not trouble:
                yield self.wrong("missing", "the web was not asked", layout.FIND_WEB)
        except MalformedDocument as error:
            yield self.wrong(error.code, str(error), error.where)

    def _web(self, found: FindWeb, rails: Guardrails) -> Iterator[Verdict]:
        limits = found.constraints
        allowed = (rails.allow_domains, rails.max_queries, rails.max_pages)
        if not rails.web:
            yield self.wrong("not_allowed", "the web was asked without leave", layout.FIND_WEB)
        elif (limits.allow_domains, limits.max_queries, limits.max_pages) != allowed:
            what = "its constraints are not those of the guardrails"
            yield self.wrong("constraints", what, layout.FIND_WEB)
        if len(found.results) > rails.max_pages:
            what = f"{len(found.results)} pages, and {rails.max_pages} are allowed"
            yield self.wrong("constraints", what, layout.FIND_WEB)
        for result in found.results:
            yield from self._page(result, rails)

    def _page(self, result: WebResult, rails: Guardrails) -> Iterator[Verdict]:
        try:
            allowed = admits(rails.allow_domains, read_address(result.url))
        except Refused:
            allowed = False
        if not allowed:
            yield self.wrong("domain", f"{result.url} is in no allowed domain", layout.FIND_WEB)
        text = result.excerpt
        if len(text) > EXCERPT_CHARACTERS or text.count("\n") >= EXCERPT_LINES:
            what = f"the excerpt of {result.url} is too long"
            yield self.wrong("excerpt", what, layout.FIND_WEB)


def _rails(case: Case) -> tuple[Guardrails, tuple[str, ...]]:
    """Return the guardrails that were in force, and what is wrong with them; none allow nothing."""
    from custody.pipeline.contracts.guardrails import Guardrails, read_guardrails

    request = case.request
    given = request.inputs.get("guardrails") if isinstance(request, StepRequest) else None
    if given is None or case.written is None:
        return Guardrails(), ()
    reading = read_guardrails(case.written(given))
    wrong = [each for each in reading.findings if each.severity == "error"]
    told = tuple(f"line {each.line}: {each.message}" for each in wrong)
    return (Guardrails() if told else reading.draft), told
