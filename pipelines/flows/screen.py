"""Screen: find what could identify a person; the curator's decisions override."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import plumbing

from prefect import flow

from scrubin.core import params
from scrubin.core.errors import ManifestError
from scrubin.screen import decisions, redactions, reel, screening
from scrubin.screen.detectors import registry
from scrubin.screen.params import ScreenParams
from scrubin.tables import io
from scrubin.tables.private.quarantine import QUARANTINE, quarantine_row
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.tables.private.redactions import REDACTIONS

OUT = Path("data/interim")


@flow(name="screen", task_runner=plumbing.runner())
def main() -> None:
    """Write the tables `redactions` and `quarantine_screen`; say what nobody has looked at."""
    p = params.load("screen", ScreenParams)
    raw = params.raw_folder()
    recordings = io.read(RECORDINGS, OUT / "recordings.parquet")
    try:
        data = (raw / decisions.NAME).read_bytes()
    except OSError as error:
        msg = f"{raw / decisions.NAME}: cannot be read ({error.strerror}); a file with just its header means: nothing to add"
        raise ManifestError(msg) from error
    cameras = screening.cameras(recordings)
    set_aside = set(io.read(QUARANTINE, OUT / "quarantine_ingest.parquet").recording)
    decided = decisions.parse(data, cameras, set_aside)
    observers = [*registry.observers(p), reel.OBSERVER]

    def work(row: Any) -> list[dict[str, Any]]:
        return screening.screen(raw, row, decided, observers, p)

    files = screening.to_screen(recordings)
    outcome = plumbing.map_items(work, files, name="screen")
    bad = [quarantine_row(row.recording, row.camera, "screen", error) for row, error in outcome.quarantined]
    proposed = screening.in_step([row for _, rows in outcome.done for row in rows], cameras, decided.rows)
    io.write(REDACTIONS, io.frame_of(REDACTIONS, proposed), OUT / "redactions.parquet")
    io.write(QUARANTINE, io.frame_of(QUARANTINE, bad), OUT / "quarantine_screen.parquet")
    screened = {row.recording for row, _ in outcome.done} - {row.recording for row, _ in outcome.quarantined}
    for line in redactions.unmet(proposed, [row for row in decided.rows if row.recording in screened]):
        plumbing.LOG.warning("%s", line)
    for line in screening.unreviewed(proposed):
        plumbing.LOG.warning("proposed, not reviewed and shown in the release: %s; decide in %s", line, decisions.NAME)


if __name__ == "__main__":
    plumbing.run(main)
