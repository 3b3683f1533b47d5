"""The sheet of redactions, and the ledger of what people decided."""

from __future__ import annotations

from scrubin.core import strangers
from scrubin.core.errors import ReviewError
from scrubin.preflight.findings import Findings
from scrubin.preflight.listed_study import ListedStudy
from scrubin.review import sheet
from scrubin.review.ledger import Ledger


def look(study: ListedStudy, noted: Findings) -> None:
    """Note what of the sheet would stop the release, and whether the chain of decisions holds."""
    with noted.noting():
        noted.counts["ledger line"] = len(Ledger().lines())
    path = study.raw / sheet.NAME
    kept = set(study.kept)
    cameras = {name: tuple(dict.fromkeys(row.camera for row in rows)) for name, rows in study.recordings.items() if name in kept}
    others = ({*study.recordings} | study.set_aside) - kept
    with noted.noting():
        try:
            data = strangers.read_bytes(path)
        except OSError as error:
            msg = f"{path}: cannot be read ({error.strerror}); a file with just its header means: nothing to add"
            raise ReviewError(msg) from error
        decided = sheet.parse(data, cameras, others, study.withdrawn)
        noted.counts["redaction"] = len({row.line for row in decided.rows})
        noted.errors += [fault for error in decided.errors.values() for fault in error.faults]
