"""Groundtruth: from the tables, exactly what each metric takes."""

import json
from functools import partial
from pathlib import Path

import plumbing

from prefect import flow

from scrubin.core import files, params
from scrubin.groundtruth import recordings, sheets, stamps, study
from scrubin.groundtruth.params import GroundtruthParams
from scrubin.tables import io
from scrubin.tables.frames import FRAMES
from scrubin.tables.phases import PHASES
from scrubin.tables.splits import SPLITS
from scrubin.tables.task_errors import ERRORS
from scrubin.tables.triplets import TRIPLETS

OUT = Path("data/release/groundtruth")
REPORT = Path("reports/annotations.json")
NAMES = ("errors", "frames", "phases", "skill", "splits", "triplets")
TABLES = {name: Path(f"data/tables/{name}.parquet") for name in NAMES}


@flow(name="groundtruth", task_runner=plumbing.runner())
def main() -> None:
    """Write the folder of the ground truth, with its manifest last."""
    params.load("groundtruth", GroundtruthParams)
    report = json.loads(REPORT.read_text(encoding="utf-8"))
    frames = io.read(FRAMES, TABLES["frames"])
    labelled = recordings.labelled(report, io.read(TRIPLETS, TABLES["triplets"]), io.read(PHASES, TABLES["phases"]))
    labelled = recordings.with_files(labelled, frames)
    folder = files.fresh_folder(OUT)
    written = [one for _, one in plumbing.map_items(partial(study.write_recording, folder), labelled, name="groundtruth").done]
    words = study.write_vocabularies(folder, written, frames)
    errors, splits = io.read(ERRORS, TABLES["errors"]), io.read(SPLITS, TABLES["splits"])
    study.write_sheets(folder, sheets.read_skill(TABLES["skill"]), errors, splits)
    files.write_text(folder / "README.md", stamps.readme())
    counts = {one.recording.id: one.counts() for one in written}
    files.write_json(folder / "manifest.json", stamps.manifest(folder, {**TABLES, "annotations": REPORT}, words, counts))


if __name__ == "__main__":
    plumbing.run(main)
