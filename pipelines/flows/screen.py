"""Screen: the detectors propose what could identify a person, and a small picture of every frame is kept for those who review."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import plumbing

from prefect import flow

from scrubin.core import params
from scrubin.core.ranges import count_text
from scrubin.screen import screening
from scrubin.screen.params import ScreenParams
from scrubin.screen.private_words import private_words
from scrubin.tables import io
from scrubin.tables.private.every_file import every_file
from scrubin.tables.private.parts import PARTS
from scrubin.tables.private.proposals import PROPOSALS
from scrubin.tables.private.quarantine import QUARANTINE, quarantine_row
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.tables.private.stops import STOPS

OUT = Path("data/interim")


@flow(name="screen")
def main() -> None:
    """Write the tables `proposals`, `stops` and `quarantine_screen`."""
    p = params.load("screen", ScreenParams)
    raw = params.raw_folder()
    recordings = io.read(RECORDINGS, OUT / "recordings.parquet")
    parts = io.read(PARTS, OUT / "parts.parquet")
    words = private_words(every_file(recordings, parts))
    work = partial(screening.rows, raw.absolute(), params=p, private_words=words)
    outcome = plumbing.map_items(work, screening.to_screen(recordings, parts), name="screen")
    bad = [quarantine_row(row.recording, row.camera, "screen", error) for row, error in outcome.quarantined]
    proposed = [row for _, (rows, _) in outcome.done for row in rows]
    stops = [row for _, (_, rows) in outcome.done for row in rows]
    io.write(PROPOSALS, io.frame_of(PROPOSALS, proposed), OUT / "proposals.parquet")
    io.write(STOPS, io.frame_of(STOPS, stops), OUT / "stops.parquet")
    io.write(QUARANTINE, io.frame_of(QUARANTINE, bad), OUT / "quarantine_screen.parquet")
    said = count_text(len(proposed), "proposal")
    plumbing.LOG.info("screen: %s; what is proposed is hidden until a person rejects it: .venv/bin/scrubin review", said)


if __name__ == "__main__":
    plumbing.run(main)
