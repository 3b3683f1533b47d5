"""Ingest: probe every file, check the manifest, decide what is kept."""

from __future__ import annotations

from functools import partial

import plumbing

from prefect import flow

from scrubin.audit.expected import withdrawal_memory
from scrubin.base import params
from scrubin.base.errors import ManifestError, RecordingError
from scrubin.base.file_lists import is_litter
from scrubin.base.layout import PARTS_PATH, RECORDINGS_PATH, quarantine_path
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import PARTS, QUARANTINE, RECORDINGS, quarantine_row
from scrubin.stages import recordings_list
from scrubin.stages.ingest import decide, joining, manifest
from scrubin.stages.ingest.decide import Media
from scrubin.stages.ingest.manifest import IngestParams
from scrubin.stages.recordings_list import files_below


@flow(name="ingest")
def main() -> None:
    """Write the tables `recordings`, `parts` and `quarantine_ingest`."""
    p = params.load("ingest", IngestParams)
    raw = params.raw_folder()
    try:
        data = (raw / recordings_list.NAME).read_bytes()
    except OSError as error:
        msg = f"{raw / recordings_list.NAME}: cannot be read ({error.strerror}); the raw folder needs this list of recordings"
        raise ManifestError(msg) from error
    withdrawn = withdrawal_memory.load()
    listed = manifest.parse(data, p.tasks, withdrawn, files_below(raw))
    used = [row for rows in listed.recordings.values() for row in rows if not row.exclude.strip()]
    read = plumbing.map_items(partial(joining.read, raw.absolute(), clock=p.clock), joining.by_camera(used), name="ingest")
    joined = [item for _, item in read.done]
    media: dict[str, Media | RecordingError] = {camera.pictures: item.media for camera, item in read.done}
    media.update({camera.pictures: error for camera, error in read.quarantined})
    doubts = {camera.pictures: item.doubts for camera, item in read.done}
    decisions = decide.decisions(listed.recordings, media, joining.sha256_by_path(joined), doubts, p)
    # What a system leaves behind by itself is no recording that somebody forgot.
    strays = [problem for problem in manifest.files_without_row(raw, data, withdrawn) if not is_litter(problem.recording)]
    problems = [*listed.problems, *strays, *decide.problems(listed.recordings, decisions)]
    rows = (quarantine_row(problem.recording, problem.camera, "ingest", problem.error) for problem in problems)
    recordings = decide.recordings_table(listed.recordings, media, decisions)
    io.write(RECORDINGS, recordings, RECORDINGS_PATH)
    io.write(PARTS, joining.parts_table(joined), PARTS_PATH)
    io.write(QUARANTINE, io.frame_of(QUARANTINE, rows), quarantine_path("ingest"), seals.of_files(recordings))
    for sentence in sorted(sentence for of_camera in doubts.values() for sentence in of_camera):
        plumbing.LOG.warning("look at: %s", sentence)
    for problem in problems:
        # Also here, because a later stage may stop the run before its end.
        plumbing.LOG.warning("set aside: '%s': %s", problem.recording, " ".join(str(problem.error).splitlines()))


if __name__ == "__main__":
    plumbing.run(main)
