"""Ingest: probe every file, check the manifest, decide what is kept."""

from __future__ import annotations

from pathlib import Path

import plumbing

from prefect import flow

from scrubin.core import params
from scrubin.core.errors import ManifestError, RecordingError
from scrubin.ingest import decide, manifest
from scrubin.ingest.params import IngestParams
from scrubin.tables import io
from scrubin.tables.private.quarantine import QUARANTINE, quarantine_row
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.video.probe_cache import stored_probe
from scrubin.video.raw_file import stored_sha256

OUT = Path("data/interim")


def read_media(raw: Path, row: manifest.Row) -> decide.Media:
    """Return what one file of the manifest holds."""
    sha256 = stored_sha256(raw / row.path, row.path)
    return decide.Media(sha256, stored_probe(raw / row.path, row.path, sha256))


@flow(name="ingest", task_runner=plumbing.runner())
def main() -> None:
    """Write the tables `recordings` and `quarantine_ingest`."""
    p = params.load("ingest", IngestParams)
    raw = params.raw_folder()
    try:
        data = (raw / manifest.NAME).read_bytes()
    except OSError as error:
        msg = f"{raw / manifest.NAME}: cannot be read ({error.strerror}); the raw folder needs this list of recordings"
        raise ManifestError(msg) from error
    listed = manifest.parse(data, p.tasks)
    used = [row for rows in listed.recordings.values() for row in rows if not row.exclude.strip()]
    read = plumbing.map_items(lambda row: read_media(raw, row), used, name="ingest")
    media: dict[str, decide.Media | RecordingError] = {row.path: item for row, item in read.done}
    media.update({row.path: error for row, error in read.quarantined})
    decisions = decide.decisions(listed.recordings, media, p)
    problems = [*listed.problems, *manifest.files_without_row(raw, data), *decide.problems(listed.recordings, decisions)]
    rows = (quarantine_row(problem.recording, problem.camera, "ingest", problem.error) for problem in problems)
    io.write(RECORDINGS, decide.recordings_table(listed.recordings, media, decisions), OUT / "recordings.parquet")
    io.write(QUARANTINE, io.frame_of(QUARANTINE, rows), OUT / "quarantine_ingest.parquet")
    for problem in problems:
        # Also here, because a later stage may stop the run before its end.
        plumbing.LOG.warning("set aside: '%s': %s", problem.recording, " ".join(str(problem.error).splitlines()))


if __name__ == "__main__":
    plumbing.run(main)
