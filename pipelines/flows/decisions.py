"""Decisions: the ledger of what people decided and saw is there, and its chain holds.

Whoever withdrew is taken out of it. For a study of one's own it begins empty. The synthetic study brings its own: nobody is in it.
"""

from __future__ import annotations

import plumbing

from prefect import flow

from scrubin.audit.expected import withdrawal_memory
from scrubin.base import params
from scrubin.stages.review import LEDGER_PATH, Ledger, rewriting, synthetic_decisions


@flow(name="decisions")
def main() -> None:
    """Begin the ledger where there is none, and read all of it."""
    raw, path = params.raw_folder(), LEDGER_PATH
    synthetic_decisions.begin(path, raw)
    ledger = Ledger(path)
    if rewriting.forget(ledger, withdrawal_memory.load()):
        plumbing.LOG.info("decisions: what people decided about withdrawn recordings was taken out; its first line says how much")
    lines = ledger.lines()
    # Here as well: a run without `make repro` has no preflight.
    rewriting.refuse_shortened(path, lines)
    if ledger.torn_bytes:
        plumbing.LOG.warning("%s: its last line is unfinished and counts nothing; the next decision sets it aside", path)
    plumbing.LOG.info("decisions: %d lines, the chain holds", len(lines))


if __name__ == "__main__":
    plumbing.run(main)
