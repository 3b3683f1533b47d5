"""Frames: still images of the rendered videos, each with its true time, its quality and its hash."""

from __future__ import annotations

from functools import partial

import plumbing

from prefect import flow

import progress
from scrubin.base import file_lists, files, params
from scrubin.base.errors import StageError
from scrubin.base.layout import HIDDEN_PATH, INTERIM, TABLES, UNRELEASED, VIDEOS_PATH
from scrubin.base.private_paths import standing_part
from scrubin.base.store import renewal
from scrubin.base.tables import io
from scrubin.base.tables.private import HIDDEN
from scrubin.base.tables.public import FRAMES, GAPS, VIDEOS
from scrubin.stages.frames import frame_store
from scrubin.stages.frames.frame_params import FramesParams


@flow(name="frames")
def main() -> None:
    """Write the extracted frames, the table `frames`, and the list by which the release proves each file of them."""
    p = params.load("frames", FramesParams)
    videos = frame_store.videos_of(io.read(VIDEOS, VIDEOS_PATH))
    hidden = frame_store.hidden_spans(io.read(HIDDEN, HIDDEN_PATH))
    gaps = frame_store.frames_after_gaps(io.read(GAPS, TABLES / "gaps.parquet"))
    work = partial(frame_store.extract_stored, UNRELEASED.absolute(), params=p, hidden=hidden, gaps=gaps)
    outcome = plumbing.map_items(work, videos, name="frames")
    if outcome.quarantined:
        # These are our own videos: one that cannot be read is no bad recording but a fault.
        raise StageError("; ".join(str(error) for _, error in outcome.quarantined))
    extracted = [item for _, item in outcome.done]
    renewal.keep_only(standing_part("frames"), {path for item in extracted for path in item.places(UNRELEASED).values()})
    for item in progress.over("frames, copied", extracted):
        renewal.renew_all(item.entry, item.places(UNRELEASED))
    files.write_text(INTERIM / "frames.sha256", file_lists.checksums_text(frame_store.stated(extracted)))
    io.write(FRAMES, io.frame_of(FRAMES, frame_store.frame_rows(extracted)), TABLES / "frames.parquet")


if __name__ == "__main__":
    plumbing.run(main)
