"""How long a program takes for a frame: measured by a clock, so that it stands in no document that must stay the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from scrubin.causality.experiment import Evidence
from scrubin.causality.runs import Run


def latency(evidence: Evidence) -> dict[str, Any] | None:
    """Return milliseconds per frame over all runs; None where no frames were handed out one by one.

    The first frame of a run holds the start of the program and stands apart.
    """
    runs: Iterable[Run] = [run for run in (*evidence.unchanged, *evidence.changed) if run.seconds and not run.trouble]
    first = np.array([run.seconds[0] for run in runs]) * 1000
    later = np.array([second for run in runs for second in run.seconds[1:]]) * 1000
    if not len(later):
        return None
    return {
        "frames": len(later),
        "median_ms": float(np.median(later)),
        "p95_ms": float(np.quantile(later, 0.95)),
        "longest_ms": float(later.max()),
        "first_frame_median_ms": float(np.median(first)),
    }
