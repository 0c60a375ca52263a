"""Whether a context pack was made, is well-formed, and keeps to the budget of its request."""

from __future__ import annotations

from collections.abc import Iterator

from custody.checks.gates import Case, Gate
from custody.errors import MalformedDocument
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.record import decode
from custody.model.request import AgentRequest, StepRequest
from custody.model.verdict import Verdict


class ContextPackGate(Gate):
    """Judges what the librarian left."""

    name = "context_pack"
    doc = "A context pack was made, has the fields of its schema, and keeps to its budget."

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find a failure, a pack that is none, or one that is too big."""
        wrote = {evidence.path for evidence in case.ack.evidence}
        if case.request is None:  # it was handed in
            wrote = {*case.documents}
        elif isinstance(case.request, AgentRequest):  # a person is about to write it
            wrote = {*case.documents} & {layout.CONTEXT_PACK}
        try:
            if layout.CONTEXT_PACK_FAILURE in wrote:
                yield self._failure(case)
            elif layout.CONTEXT_PACK not in wrote:
                yield self.wrong("missing", "no context pack was written", layout.CONTEXT_PACK)
            else:
                yield from self._oversize(case)
        except MalformedDocument as error:
            yield self.wrong(error.code, str(error), error.where)

    def _failure(self, case: Case) -> Verdict:
        from custody.model.contracts.context_pack import PackFailure

        path = layout.CONTEXT_PACK_FAILURE
        failure = decode(case.document(path) or b"", PackFailure, where=path)
        hint = f"; {failure.hint}" if failure.hint else ""
        return self.wrong(failure.code, f"no context pack: {failure.message}{hint}", path)

    def _oversize(self, case: Case) -> Iterator[Verdict]:
        from custody.model.contracts.context_pack import ContextPack
        from custody.model.contracts.file_request import FileRequestEnvelope

        path = layout.CONTEXT_PACK
        pack = decode(case.document(path) or b"", ContextPack, where=path)
        asked = _asked(case)
        if asked is None or case.written is None:
            return
        budget = decode(
            case.written(asked), FileRequestEnvelope, where=layout.FILE_REQUEST, any_text=True
        ).budget
        if len(pack.files) > budget.max_files:
            what = f"{len(pack.files)} files, and the budget is {budget.max_files}"
            yield self.wrong("budget", what, path)
        size = sum(len(file.content.encode()) for file in pack.files)
        if size > budget.max_total_bytes and not case.ack.redacted:
            what = f"{size} bytes, and the budget is {budget.max_total_bytes}"
            yield self.wrong("budget", what, path)


def _asked(case: Case) -> Evidence | None:
    """Return the request that a pack answers; None for one that the user handed in."""
    if isinstance(case.request, StepRequest):
        return case.request.inputs.get("request")
    return None if case.request is None else case.documents.get(layout.FILE_REQUEST)
