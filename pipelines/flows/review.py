"""Review: what people decided meets what the detectors propose; what is then hidden, and what nobody has seen."""

from __future__ import annotations

import plumbing

from prefect import flow

from scrubin.base import files, params
from scrubin.base.layout import INTERIM, REVIEW_PATH
from scrubin.base.tables import io
from scrubin.base.tables.private import REDACTIONS
from scrubin.stages.review import Ledger, result, study
from scrubin.stages.review.state import ReviewParams


@flow(name="review")
def main() -> None:
    """Write the table `redactions`, what is excluded and acknowledged, and what the gate asks."""
    p = params.load("review", ReviewParams)
    raw = params.raw_folder()
    of = study.load(p.reviewers, float(params.read()["screen"]["margin_s"]), raw, folds=p.folds)
    lines = Ledger().lines()
    standing = of.standing()
    standing.apply(lines)
    io.write(REDACTIONS, io.frame_of(REDACTIONS, result.redactions(of, standing)), INTERIM / "redactions.parquet")
    document = result.document(of, standing, lines, raw, p.checks)
    files.write_json(REVIEW_PATH, document)
    files.write_json(INTERIM / "excluded.json", result.excluded(of, standing))
    files.write_json(INTERIM / "acknowledged.json", document["acknowledged"])
    for line in document["warnings"]:
        plumbing.LOG.warning("review: %s", line)


if __name__ == "__main__":
    plumbing.run(main)
