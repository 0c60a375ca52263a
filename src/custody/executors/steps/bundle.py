"""Puts everything that explains a failed change into one file."""

from __future__ import annotations

from msgspec.structs import replace

from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.contracts.verify_report import VerifyReport
from custody.model.record import decode, encode_pretty
from custody.model.request import Ack
from custody.views.bundle import make_bundle
from custody.views.bundle_files import bundle_files
from custody.views.verify_report import ChangeRound, report


def carry_out(step: StepWork) -> Ack:
    """Write the bundle, and a report where no round of the change has left one."""
    step.write(layout.VERIFY_REPORT, _report(step))
    files = bundle_files(step.stage.run)
    clean = {path: step.stage.folder.clean(data) for path, data in files.items()}
    written = step.write(layout.BUNDLE, make_bundle(clean))
    return step.done(f"{written.path}: {len(files)} files, {written.bytes} bytes")


def _report(step: StepWork) -> bytes:
    """Return the report of the last round, with the bundle; of no round what stopped the change."""
    settings, known = step.settings, step.read(layout.VERIFY_REPORT)
    if known is not None:
        last = decode(known, VerifyReport, where=layout.VERIFY_REPORT)
        return encode_pretty(replace(last, paths=replace(last.paths, bundle=layout.BUNDLE)))
    rounds = int(settings["iteration"]), int(settings["max_iterations"])
    where = f"{settings['node']}: " if settings["node"] else ""
    now = ChangeRound("lite", *rounds, step.request.inputs.keys())
    made = report(now, (), reason=f"{where}{settings['reason']}", bundle=True)
    return (made.text or "").encode()
