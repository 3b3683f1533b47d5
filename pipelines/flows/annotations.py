"""Annotations: label files of any format to labelled frames, triplets, phases and spans of our frames."""

from functools import partial
from pathlib import Path

import plumbing

from prefect import flow

from scrubin.annotations import report, sources, study
from scrubin.annotations.params import AnnotationsParams
from scrubin.core import files, params
from scrubin.core.faults import Faults
from scrubin.tables import io
from scrubin.tables.frames import FRAMES
from scrubin.tables.labelled import LABELLED
from scrubin.tables.phases import PHASES
from scrubin.tables.private.cuts import CUTS
from scrubin.tables.private.quarantine import QUARANTINE
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.tables.spans import SPANS
from scrubin.tables.triplets import TRIPLETS
from scrubin.tables.videos import VIDEOS
from scrubin.withdrawal import memory

TABLES = Path("data/tables")
INTERIM = Path("data/interim")


@flow(name="annotations")
def main() -> None:
    """Write the tables `labelled`, `triplets`, `phases` and `spans`, and what became of the labels."""
    p = params.load("annotations", AnnotationsParams)
    raw = params.raw_folder()
    faults = Faults()
    recordings = io.read(RECORDINGS, INTERIM / "recordings.parquet")
    cuts = io.read(CUTS, INTERIM / "cuts.parquet")
    videos = io.read(VIDEOS, TABLES / "videos.parquet")
    known = study.released(recordings, cuts, videos, io.read(FRAMES, TABLES / "frames.parquet"))
    set_aside = io.read(QUARANTINE, INTERIM / "quarantine_ingest.parquet")
    names = {*recordings["recording"], *set_aside["recording"]}
    batches = sources.find(raw, p.sources, names, faults, memory.load())
    wanted = [batch for batch in batches if batch.recording in known]
    read = plumbing.map_items(partial(sources.read, raw, p.box_tolerance), wanted, name="labels", here=True)
    outcomes = [outcome for _, outcome in read.done]
    left_out = {batch.recording for batch in batches} - set(known)
    tables = study.tables(outcomes, known, left_out, p.length_tolerance_s, faults, p.windows and p.windows.windows())
    io.write(LABELLED, tables.labelled, TABLES / "labelled.parquet")
    io.write(TRIPLETS, tables.triplets, TABLES / "triplets.parquet")
    io.write(PHASES, tables.phases, TABLES / "phases.parquet")
    io.write(SPANS, tables.spans, TABLES / "spans.parquet")
    document = report.document(tables.report, sources.merges(raw, p.sources, read.done), p.windows)
    files.write_json(INTERIM / "annotations.json", report.beyond_tables(document))
    files.write_text(INTERIM / "annotations.sha256", f"{report.digest(document)}\n")
    files.write_json(Path("reports/annotations.json"), document)


if __name__ == "__main__":
    plumbing.run(main)
