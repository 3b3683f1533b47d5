"""Review: what people decided meets what the detectors propose; what is then hidden, and what nobody has seen."""

from __future__ import annotations

from pathlib import Path

import plumbing

from prefect import flow

from scrubin.core import files, params
from scrubin.review import study, verdict
from scrubin.review.ledger import Ledger
from scrubin.review.params import ReviewParams
from scrubin.tables import io
from scrubin.tables.private.redactions import REDACTIONS

OUT = Path("data/interim")


@flow(name="review")
def main() -> None:
    """Write the table `redactions`, what is excluded and acknowledged, and what the gate asks."""
    p = params.load("review", ReviewParams)
    raw = params.raw_folder()
    of = study.load(p.reviewers, float(params.read()["screen"]["margin_s"]), raw)
    lines = Ledger().lines()
    standing = of.standing()
    standing.apply(lines)
    io.write(REDACTIONS, io.frame_of(REDACTIONS, verdict.redactions(of, standing)), OUT / "redactions.parquet")
    document = verdict.document(of, standing, lines, raw, p.checks)
    files.write_json(OUT / "review.json", document)
    files.write_json(OUT / "excluded.json", verdict.excluded(of, standing))
    files.write_json(OUT / "acknowledged.json", document["acknowledged"])
    for line in document["warnings"]:
        plumbing.LOG.warning("review: %s", line)


if __name__ == "__main__":
    plumbing.run(main)
