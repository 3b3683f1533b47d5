"""Annotations: label files of any format to the tables of labels, on our frames."""

from functools import partial

import plumbing

from prefect import flow

from scrubin.audit.expected import withdrawal_memory
from scrubin.base import files, params
from scrubin.base.faults import Faults
from scrubin.base.layout import CUTS_PATH, HIDDEN_PATH, INTERIM, RECORDINGS_PATH, REPORTS, TABLES, UNRELEASED, VIDEOS_PATH, quarantine_path
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import CUTS, HIDDEN, QUARANTINE, RECORDINGS
from scrubin.base.tables.public import FRAMES, LABELLED, MARKS, MASKS, PHASES, POINTS, SPANS, TRACKS, TRIPLETS, VIDEOS
from scrubin.media.probe import released_pixel_aspect
from scrubin.stages.annotations import label_tables, report, sources
from scrubin.stages.annotations.params import AnnotationsParams


@flow(name="annotations")
def main() -> None:
    """Write the tables of labels, and what became of the labels."""
    p = params.load("annotations", AnnotationsParams)
    raw = params.raw_folder()
    faults = Faults()
    recordings = io.read(RECORDINGS, RECORDINGS_PATH)
    cuts = io.read(CUTS, CUTS_PATH)
    videos = io.read(VIDEOS, VIDEOS_PATH)
    frames, hidden = io.read(FRAMES, TABLES / "frames.parquet"), io.read(HIDDEN, HIDDEN_PATH)
    times = label_tables.varying_times(videos, UNRELEASED)
    known = label_tables.released(recordings, cuts, videos, frames, hidden, times)
    set_aside = io.read(QUARANTINE, quarantine_path("ingest"))
    names = {*recordings["recording"], *set_aside["recording"]}
    withdrawn = withdrawal_memory.load()
    batches = sources.find(raw, p.sources, names, faults, withdrawn)
    wanted = [batch for batch in batches if batch.is_whole or batch.recording in known]
    done = plumbing.map_items(partial(sources.read_all, raw, p.box_tolerance), wanted, name="labels", here=True).done
    sorted_out = sources.sorted_out(done, names, known, faults, withdrawn)
    left_out = {batch.recording for batch in batches if not batch.is_whole} - set(known) | sorted_out.left_out
    outcomes = [outcome for _, outcome in sorted_out.read]
    windows = p.windows and p.windows.windows()
    aspect_of = partial(released_pixel_aspect, UNRELEASED)
    tables = label_tables.tables(outcomes, known, left_out, p.length_tolerance_s, faults, windows, aspect_of)
    for table in (LABELLED, TRIPLETS, PHASES, SPANS, MASKS, TRACKS, POINTS, MARKS):
        io.write(table, getattr(tables, table.name), TABLES / f"{table.name}.parquet")
    document = report.document(tables.report, sources.merges(raw, p.sources, sorted_out.read), p.windows, sources.missing(raw, p.sources))
    seal = seals.of_files(recordings)
    seals.write_sealed(INTERIM / "annotations.json", report.beyond_tables(document), seal)
    files.write_text(INTERIM / report.DIGEST, f"{report.digest(document, seal)}\n")
    seals.write_sealed(REPORTS / "annotations.json", document, seal)


if __name__ == "__main__":
    plumbing.run(main)
