"""Report: the curator's data-quality report, one page that opens offline."""

from pathlib import Path

import plumbing

import pandas as pd
from prefect import flow

from scrubin.core import files, params
from scrubin.core.unreleased import UNRELEASED
from scrubin.release import review_gate
from scrubin.release.params import ReleaseParams
from scrubin.report import page
from scrubin.report.params import ReportParams
from scrubin.report.raw_files import RawFiles
from scrubin.report.report_document import document
from scrubin.report.reported_study import ReportedStudy, read_json
from scrubin.screen.params import ScreenParams
from scrubin.tables import io
from scrubin.tables.frames import FRAMES
from scrubin.tables.labelled import LABELLED
from scrubin.tables.phases import PHASES
from scrubin.tables.private.cuts import CUTS
from scrubin.tables.private.linkage import LINKAGE
from scrubin.tables.private.parts import PARTS
from scrubin.tables.private.quarantine import QUARANTINE
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.tables.private.redactions import REDACTIONS
from scrubin.tables.private.stereo import STEREO
from scrubin.tables.skill import skill as skill_table
from scrubin.tables.triplets import TRIPLETS
from scrubin.tables.videos import VIDEOS
from scrubin.video.sources import sources

TABLES, INTERIM, REPORTS = Path("data/tables"), Path("data/interim"), Path("reports")


@flow(name="report")
def main() -> None:
    """Gather what all stages say, write it as a page and as JSON."""
    p = params.load("report", ReportParams)
    quarantine = [io.read(QUARANTINE, INTERIM / f"quarantine_{stage}.parquet") for stage in ("ingest", "screen", "render")]
    recordings = io.read(RECORDINGS, INTERIM / "recordings.parquet")
    kept = recordings[recordings.status == "kept"]
    of_files = sources(io.read(PARTS, INTERIM / "parts.parquet"))
    raw_files = {(row.recording, row.camera): of_files[row.recording, row.camera] for row in kept.itertuples()}
    study = ReportedStudy(
        recordings=recordings,
        redactions=io.read(REDACTIONS, INTERIM / "redactions.parquet"),
        quarantine=pd.concat(quarantine, ignore_index=True),
        linkage=io.read(LINKAGE, Path("data/private/linkage.parquet")),
        cuts=io.read(CUTS, INTERIM / "cuts.parquet"),
        videos=io.read(VIDEOS, TABLES / "videos.parquet"),
        frames=io.read(FRAMES, TABLES / "frames.parquet"),
        labelled=io.read(LABELLED, TABLES / "labelled.parquet"),
        skill=io.read(skill_table(tuple(params.read()["scores"]["aspects"])), TABLES / "skill.parquet"),
        triplets=io.read(TRIPLETS, TABLES / "triplets.parquet"),
        phases=io.read(PHASES, TABLES / "phases.parquet"),
        review=review_gate.load(),
        scores=read_json(INTERIM / "scores.json"),
        annotations=read_json(INTERIM / "annotations.json"),
        splits=read_json(INTERIM / "splits.json"),
        validation=read_json(INTERIM / "validation.json"),
        development=read_json(Path("data/private/development.json")),
        release=params.load("release", ReleaseParams),
        stereo=io.read(STEREO, INTERIM / "stereo.parquet"),
        sources=RawFiles(params.raw_folder(), raw_files, params.load("screen", ScreenParams)),
    )
    said = document(study, p)
    files.write_json(REPORTS / "report.json", said)
    files.write_text(REPORTS / "index.html", page.render(study, said, UNRELEASED, p))


if __name__ == "__main__":
    plumbing.run(main)
