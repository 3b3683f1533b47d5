"""Withdrawals: who withdrew is remembered as keyed hashes, by which all later stages leave them out."""

from __future__ import annotations

from pathlib import Path

import plumbing

from prefect import flow

from scrubin.audit.expected import withdrawal_memory
from scrubin.base import params
from scrubin.curate.project import outputs
from scrubin.stages import withdrawals
from scrubin.stages.withdrawals import notice, releases


@flow(name="withdrawals")
def main() -> None:
    """Write what is remembered, before anything that the last run knew of them is overwritten."""
    withdrawals.hide_hash(params.raw_folder())
    withdrawn = notice.take(params.raw_folder())
    is_news = notice.is_news(withdrawn, withdrawal_memory.load())
    if is_news or outputs.release_holds(Path(), withdrawn):
        # The last release may hold them, and those before it; or git has brought back one that does.
        releases.withhold()
        if elsewhere := outputs.forget_releases(Path(), notice.staying(withdrawn, (params.raw_folder(),)), None if is_news else withdrawn):
            plumbing.LOG.warning(elsewhere)
    withdrawal_memory.write(withdrawn)
    if withdrawn:
        plumbing.LOG.info("withdrawals: %d recordings are withdrawn, and nobody else moves", len(withdrawn.recordings))


if __name__ == "__main__":
    plumbing.run(main)
