"""Validation: its verdict, and what did not pass."""

from __future__ import annotations

from typing import Any

from scrubin.report.reported_study import ReportedStudy

HARMLESS = ("passed", "not applicable")
RANK = {"error": 0, "warning": 1, "note": 2}


def verdict(study: ReportedStudy) -> dict[str, Any]:
    """Return the verdict and the counts."""
    return {"verdict": study.validation["verdict"], **study.validation["counts"]}


def broken(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return the checks that did not pass, the most severe first."""
    outcomes = [outcome for outcome in study.validation["outcomes"] if outcome["result"] not in HARMLESS]
    return sorted(outcomes, key=lambda outcome: (RANK[outcome["severity"]], outcome["table"], outcome["rule"], outcome["columns"]))
