"""What a person saw in a sample of exactly these videos: nothing of it is released again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import pandas as pd

from scrubin.core.errors import ReleaseError
from scrubin.release.review_gate import command_at
from scrubin.review import sample
from scrubin.review.ledger import Line
from scrubin.tables.io import records


def require_no_finding(lines: Sequence[Line], videos: pd.DataFrame, cuts: pd.DataFrame) -> None:
    """Refuse to release videos again in which somebody saw something.

    Parameters
    ----------
    lines
        Of the ledger.
    videos, cuts
        The tables of these names.

    Raises
    ------
    ReleaseError
        Names every finding, who saw it, and the command that opens the recording there.
    """
    sha256 = sample.videos_sha256(dict(zip(videos["path"], videos["sha256"], strict=True)))
    findings = {one for each in sample.samples(lines) if each.drawn.videos == sha256 for one in each.findings}
    if not findings:
        return
    offset_s = _offsets_s(cuts)
    listed = "\n  ".join(_says(one, offset_s) for one in sorted(findings, key=lambda one: (one.clip, one.by)))
    msg = (
        f"people saw something in {len({one.clip for one in findings})} sampled clips of these very videos; hide it there, or say that the "
        f"clip is clean with 'scrubin review --sample', then make repro:\n  {listed}"
    )
    raise ReleaseError(msg)


def _says(finding: sample.Judgement, offset_s: Mapping[str, float]) -> str:
    recording = finding.clip.recording
    command = command_at(recording, offset_s[recording] + finding.clip.start_s)
    return f"'{recording}': {finding.by} saw '{finding.why}'; open: {command}"


def _offsets_s(cuts: pd.DataFrame) -> Mapping[str, float]:
    return {row["recording"]: float(Fraction(row["offset_s"])) for row in records(cuts)}
