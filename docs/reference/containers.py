"""Containers and codecs of recorders, and what becomes of each: the kinds of files that a test makes and renders."""

from __future__ import annotations

from recorder_clips import CASES, Case
from reference.markdown import sentence, table


def text() -> str:
    """Return all kinds of files in the order of their table."""
    return table(("file", "written by", "what happens", "why, in the words of the program"), map(_row, CASES))


def _row(case: Case) -> tuple[str, str, str, str]:
    kept = "; its frames stay woven" if case.interlaced else ""
    return case.kind, case.who, f"**{case.verdict}**{kept}", sentence(case.why)
