"""Screen: the detectors propose what could identify a person, and a small picture of every frame is kept for those who review."""

from __future__ import annotations

from functools import partial

import plumbing

from prefect import flow

from scrubin.base import params
from scrubin.base.faults import count_text
from scrubin.base.layout import INTERIM, PARTS_PATH, RECORDINGS_PATH, quarantine_path
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import PARTS, PROPOSALS, QUARANTINE, RECORDINGS, STOPS, every_file, quarantine_row
from scrubin.stages.screen import screening
from scrubin.stages.screen.detector import ScreenParams
from scrubin.stages.screen.private_words import private_words


@flow(name="screen")
def main() -> None:
    """Write the tables `proposals`, `stops` and `quarantine_screen`."""
    p = params.load("screen", ScreenParams)
    raw = params.raw_folder()
    recordings = io.read(RECORDINGS, RECORDINGS_PATH)
    parts = io.read(PARTS, PARTS_PATH)
    words = private_words(every_file(recordings, parts))
    work = partial(screening.rows, raw.absolute(), params=p, private_words=words)
    outcome = plumbing.map_items(work, screening.to_screen(recordings, parts), name="screen")
    bad = [quarantine_row(row.recording, row.camera, "screen", error) for row, error in outcome.quarantined]
    proposed = [row for _, (rows, _) in outcome.done for row in rows]
    stops = [row for _, (_, rows) in outcome.done for row in rows]
    seal = seals.of_files(recordings)
    io.write(PROPOSALS, io.frame_of(PROPOSALS, proposed), INTERIM / "proposals.parquet", seal)
    io.write(STOPS, io.frame_of(STOPS, stops), INTERIM / "stops.parquet", seal)
    io.write(QUARANTINE, io.frame_of(QUARANTINE, bad), quarantine_path("screen"), seal)
    said = count_text(len(proposed), "proposal")
    plumbing.LOG.info("screen: %s; what is proposed is hidden until a person rejects it: .venv/bin/scrubin review", said)


if __name__ == "__main__":
    plumbing.run(main)
