"""`scrubin score phases`, run as anybody runs it, and its numbers by name."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLAIN = ("--from", "phase-tables", "--predictions-from", "phase-tables", "--fps", "1")
"""Options for tables with a row per second."""


@dataclass(frozen=True)
class Scores:
    """What `--out` wrote."""

    document: dict[str, Any]

    def results(self, metric: str, **options: str) -> Iterator[dict[str, Any]]:
        """Yield the results of a metric whose options are these; others do not matter."""
        for result in self.document["results"]:
            if result["metric"] == metric and all(result["options"].get(name) == value for name, value in options.items()):
                yield result

    def one(self, metric: str, **options: str) -> dict[str, Any]:
        """Return the only such result."""
        found = list(self.results(metric, **options))
        if len(found) != 1:
            msg = f"{metric} with {options} is there {len(found)} times"
            raise SystemExit(msg)
        return found[0]

    def value(self, metric: str, **options: str) -> float:
        """Return the overall value of that result, NaN where it is undefined."""
        value = self.one(metric, **options)["overall"]["value"]
        return float("nan") if value is None else float(value)


def score(truth: Path, predictions: Path | Sequence[Path], out: Path, *options: str) -> Scores:
    """Run `scrubin score phases` on labels and the predictions of one or several runs."""
    runs = [predictions] if isinstance(predictions, Path) else predictions
    program = Path(sys.executable).with_name("scrubin")
    words = [program, "score", "phases", "--ground-truth", truth, "--predictions", *runs, *options, "--out", out]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return Scores(json.loads(out.read_text(encoding="utf-8")))
