"""`scrubin`, run as anybody runs it, and the numbers of `scrubin score` by name."""

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


def run(*words: str | Path) -> None:
    """Run `scrubin`; SystemExit with what it says when it fails."""
    program = Path(sys.executable).with_name("scrubin")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)


def score(truth: Path, predictions: Path | Sequence[Path], out: Path, *options: str, task: str = "phases") -> Scores:
    """Run `scrubin score` on labels and the predictions of one or several runs."""
    runs = [predictions] if isinstance(predictions, Path) else predictions
    run("score", task, "--ground-truth", truth, "--predictions", *runs, *options, "--out", out)
    return Scores(json.loads(out.read_text(encoding="utf-8")))
