"""Render: trim, hide, strip and rename every kept video in one pass."""

from __future__ import annotations

from functools import partial

import plumbing

from prefect import flow

import progress
from scrubin.base import params
from scrubin.base.layout import (
    CUTS_PATH,
    HIDDEN_PATH,
    INTERIM,
    LINKAGE_PATH,
    PARTS_PATH,
    RECORDINGS_PATH,
    TABLES,
    UNRELEASED,
    VIDEOS_PATH,
    quarantine_path,
)
from scrubin.base.private_paths import release_now, standing_part
from scrubin.base.store import renewal
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import CUTS, HIDDEN, LENGTHS, LINKAGE, PARTS, QUARANTINE, RECORDINGS, REDACTIONS
from scrubin.base.tables.public import GAPS, VIDEOS
from scrubin.stages.render import RenderParams, effort, rendering, tables


@flow(name="render")
def main() -> None:
    """Write the videos to be released and the tables `videos`, `gaps`, `lengths`, `cuts`, `hidden` and `quarantine_render`."""
    p = params.load("render", RenderParams)
    raw = params.raw_folder()
    quarantined = set(io.read(QUARANTINE, quarantine_path("screen")).recording)
    excluded = {one["recording"] for one in seals.read_rows(INTERIM / "excluded.json")}
    parts, linkage = io.read(PARTS, PARTS_PATH), io.read(LINKAGE, LINKAGE_PATH)
    files = rendering.to_render(
        io.read(RECORDINGS, RECORDINGS_PATH),
        parts,
        linkage,
        io.read(REDACTIONS, INTERIM / "redactions.parquet"),
        quarantined | excluded,
        p.duration_jitter_s,
    )
    efforts = plumbing.map_items(partial(effort.effort, raw.absolute(), params=p), files, name="plan")
    for line in effort.summary([item for _, item in efforts.done]):
        plumbing.LOG.info("render: %s", line)
    new_bytes, kept_bytes = (sum(getattr(item, name) for _, item in efforts.done) for name in ("new_bytes", "kept_bytes"))
    archives = bool(params.read()["release"]["archives"])
    plumbing.LOG.info("render: %s", effort.require(new_bytes, release_now(), archives=archives, kept_bytes=kept_bytes))
    outcome = plumbing.map_items(partial(rendering.render, raw.absolute(), params=p), files, name="render")
    done = [item for _, item in outcome.done]
    errors = {file.recording: error for file, error in outcome.quarantined} | tables.unequal_cameras(done)
    whole = [item for item in done if item.file.recording not in errors]
    renewal.keep_only(standing_part("videos"), {UNRELEASED / tables.video_path(item) for item in whole})
    for item in progress.over("render, copied", whole):
        renewal.renew_all(item.entry, dict.fromkeys(item.entry.files, UNRELEASED / tables.video_path(item)))
    bad, seal = tables.quarantine_rows(files, errors), seals.of_draws(linkage)
    videos = io.frame_of(VIDEOS, tables.video_rows(whole))
    io.write(VIDEOS, videos, VIDEOS_PATH)
    io.write(GAPS, io.frame_of(GAPS, tables.gap_rows(whole, parts)), TABLES / "gaps.parquet")
    io.write(LENGTHS, videos[LENGTHS.column_names], INTERIM / "lengths.parquet")
    io.write(CUTS, io.frame_of(CUTS, tables.cut_rows(whole)), CUTS_PATH, seal)
    io.write(HIDDEN, io.frame_of(HIDDEN, tables.hidden_rows(whole)), HIDDEN_PATH)
    io.write(QUARANTINE, io.frame_of(QUARANTINE, bad), quarantine_path("render"), seal)
    plumbing.LOG.info("render: %d made, %d kept from earlier runs", sum(not i.was_kept for i in done), sum(i.was_kept for i in done))


if __name__ == "__main__":
    plumbing.run(main)
