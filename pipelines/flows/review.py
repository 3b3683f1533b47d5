"""Review: what people decided meets what the detectors propose; what is then hidden, and what nobody has seen."""

from __future__ import annotations

import plumbing

from prefect import flow

from scrubin.base import params
from scrubin.base.layout import INTERIM, RECORDINGS_PATH, REVIEW_PATH
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import RECORDINGS, REDACTIONS
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
    seal = seals.of_files(io.read(RECORDINGS, RECORDINGS_PATH))
    io.write(REDACTIONS, io.frame_of(REDACTIONS, result.redactions(of, standing)), INTERIM / "redactions.parquet", seal)
    document = result.document(of, standing, lines, raw, p.checks)
    seals.write_sealed(REVIEW_PATH, document, seal)
    seals.write_sealed(INTERIM / "excluded.json", result.excluded(of, standing), seal)
    seals.write_sealed(INTERIM / "acknowledged.json", document["acknowledged"], seal)
    for line in document["warnings"]:
        plumbing.LOG.warning("review: %s", line)


if __name__ == "__main__":
    plumbing.run(main)
