"""Report: the curator's data-quality report, one page that opens offline."""

import plumbing

import pandas as pd
from prefect import flow

from scrubin.base import files, params
from scrubin.base.layout import (
    CUTS_PATH,
    INTERIM,
    LINKAGE_PATH,
    PARTS_PATH,
    PRIVATE,
    RECORDINGS_PATH,
    REPORTS,
    TABLES,
    UNRELEASED,
    VERDICT_PATH,
    VIDEOS_PATH,
    quarantine_path,
)
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import CUTS, LINKAGE, PARTS, QUARANTINE, RECORDINGS, REDACTIONS, STEREO
from scrubin.base.tables.public import FRAMES, LABELLED, PHASES, TRIPLETS, VIDEOS, skill_table
from scrubin.media.source import sources
from scrubin.stages.release import gates
from scrubin.stages.release.release_params import ReleaseParams
from scrubin.stages.report import RawFiles, ReportedStudy, ReportParams, comparison, page, read_json
from scrubin.stages.report.document import document
from scrubin.stages.screen.detector import ScreenParams


@flow(name="report")
def main() -> None:
    """Gather what all stages say, write it as a page, as JSON, and as what versions are compared by."""
    p = params.load("report", ReportParams)
    quarantine = [io.read(QUARANTINE, quarantine_path(stage)) for stage in ("ingest", "screen", "render")]
    recordings = io.read(RECORDINGS, RECORDINGS_PATH)
    kept = recordings[recordings.status == "kept"]
    of_files = sources(io.read(PARTS, PARTS_PATH))
    raw_files = {(row.recording, row.camera): of_files[row.recording, row.camera] for row in kept.itertuples()}
    study = ReportedStudy(
        recordings=recordings,
        redactions=io.read(REDACTIONS, INTERIM / "redactions.parquet"),
        quarantine=pd.concat(quarantine, ignore_index=True),
        linkage=io.read(LINKAGE, LINKAGE_PATH),
        cuts=io.read(CUTS, CUTS_PATH),
        videos=io.read(VIDEOS, VIDEOS_PATH),
        frames=io.read(FRAMES, TABLES / "frames.parquet"),
        labelled=io.read(LABELLED, TABLES / "labelled.parquet"),
        skill=io.read(skill_table(tuple(params.read()["scores"]["aspects"])), TABLES / "skill.parquet"),
        triplets=io.read(TRIPLETS, TABLES / "triplets.parquet"),
        phases=io.read(PHASES, TABLES / "phases.parquet"),
        review=gates.load_review(),
        scores=read_json(INTERIM / "scores.json"),
        annotations=read_json(INTERIM / "annotations.json"),
        splits=read_json(INTERIM / "splits.json"),
        validation=read_json(VERDICT_PATH),
        development=read_json(PRIVATE / "development.json"),
        release=params.load("release", ReleaseParams),
        stereo=io.read(STEREO, INTERIM / "stereo.parquet"),
        sources=RawFiles(params.raw_folder(), raw_files, params.load("screen", ScreenParams)),
    )
    said = document(study, p)
    seal = seals.of_draws(study.linkage)
    seals.write_sealed(REPORTS / "report.json", said, seal)
    files.write_json(REPORTS / "metrics.json", comparison.metrics(study, said))
    folder = files.fresh_folder(REPORTS / "plots")
    for name, text in comparison.plots(study, said).items():
        files.write_text(folder / name, text)
    seals.write_page(REPORTS / "index.html", page.render(study, said, UNRELEASED, p), seal)


if __name__ == "__main__":
    plumbing.run(main)
