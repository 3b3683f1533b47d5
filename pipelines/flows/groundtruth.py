"""Groundtruth: from the tables, exactly what each metric takes."""

from functools import partial
from pathlib import Path

import plumbing

from prefect import flow

from scrubin.core import files, params
from scrubin.core.unreleased import fresh_part
from scrubin.groundtruth import csv_sheets, recordings, stamps, subsets, writing
from scrubin.groundtruth.params import GroundtruthParams
from scrubin.tables import io
from scrubin.tables.frames import FRAMES
from scrubin.tables.labelled import LABELLED
from scrubin.tables.phases import PHASES
from scrubin.tables.splits import SPLITS
from scrubin.tables.task_errors import ERRORS
from scrubin.tables.triplets import TRIPLETS

LABELS_SHA256 = Path("data/interim/annotations.sha256")
NAMES = ("errors", "frames", "labelled", "phases", "skill", "splits", "triplets")
TABLES = {name: Path(f"data/tables/{name}.parquet") for name in NAMES}


@flow(name="groundtruth")
def main() -> None:
    """Write the folder of the ground truth, with its manifest last."""
    params.load("groundtruth", GroundtruthParams)
    stamped = stamps.Stamps.of_files(TABLES, LABELS_SHA256)
    frames = io.read(FRAMES, TABLES["frames"])
    layers = (io.read(table, TABLES[table.name]) for table in (LABELLED, TRIPLETS, PHASES))
    labelled = recordings.with_files(recordings.of_tables(*layers), frames)
    folder, pictures = fresh_part("groundtruth"), writing.Pictures(writing.images(frames))
    one = partial(writing.write_recording, folder, stamped, pictures)
    written = [done for _, done in plumbing.map_items(one, labelled, name="groundtruth", here=True).done]
    wholes = writing.write_vocabularies(folder, stamped, written, pictures)
    skill, errors = csv_sheets.read_skill(TABLES["skill"]), io.read(ERRORS, TABLES["errors"])
    splits = io.read(SPLITS, TABLES["splits"])
    writing.write_sheets(folder, stamped, skill, errors, splits)
    every = subsets.WholeGroundTruth(written, wholes, skill, errors, splits)
    for subset, ids in subsets.of_splits(splits):
        subsets.write(folder, stamped, every, subset, ids)
    files.write_text(folder / stamps.README_NAME, stamps.readme())
    counts = {done.recording.id: done.counts() for done in written}
    vocabularies = [whole.vocabulary for whole in wholes]
    files.write_json(folder / stamps.MANIFEST, stamps.manifest(folder, stamped.inputs, vocabularies, counts))


if __name__ == "__main__":
    plumbing.run(main)
