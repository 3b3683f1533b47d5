"""Groundtruth: from the tables, exactly what each metric takes."""

from fractions import Fraction
from functools import partial
from pathlib import Path

import plumbing

from prefect import flow

from scrubin.base import files, params
from scrubin.base.layout import HIDDEN_PATH, INTERIM
from scrubin.base.private_paths import fresh_part
from scrubin.base.tables import io
from scrubin.base.tables.private import HIDDEN
from scrubin.base.tables.public import (
    ERRORS,
    FRAMES,
    LABELLED,
    MARKS,
    MASKS,
    PHASES,
    POINTS,
    SPLITS,
    TRACKS,
    TRIPLETS,
    VIDEOS,
    of_reference_camera,
)
from scrubin.labels import truth
from scrubin.labels.masks.blackened import by_frame
from scrubin.labels.truth import judgements, objects
from scrubin.labels.truth.objects import Details
from scrubin.stages import groundtruth
from scrubin.stages.groundtruth import GroundtruthParams, writing

LABELS_SHA256 = INTERIM / "annotations.sha256"
NAMES = ("errors", "frames", "labelled", "marks", "masks", "phases", "points", "skill", "splits", "tracks", "triplets", "videos")
TABLES = {name: Path(f"data/tables/{name}.parquet") for name in NAMES}


@flow(name="groundtruth")
def main() -> None:
    """Write the folder of the ground truth, with its manifest last."""
    params.load("groundtruth", GroundtruthParams)
    stamped = groundtruth.Stamps.of_files(TABLES | {"hidden": HIDDEN_PATH}, LABELS_SHA256)
    frames = io.read(FRAMES, TABLES["frames"])
    layers = (io.read(table, TABLES[table.name]) for table in (LABELLED, TRIPLETS, PHASES))
    labelled = truth.with_files(truth.of_tables(*layers), frames)
    folder, pictures = fresh_part("groundtruth"), writing.Pictures(writing.images(frames))
    one = partial(writing.write_recording, folder, stamped, pictures)
    written = [done for _, done in plumbing.map_items(one, labelled, name="groundtruth", here=True).done]
    wholes = writing.write_vocabularies(folder, stamped, written, pictures)
    details = Details.of_tables(*(io.read(table, TABLES[table.name]) for table in (MASKS, POINTS, TRACKS)))
    black = by_frame(of_reference_camera(frames), io.read(HIDDEN, HIDDEN_PATH), io.read(VIDEOS, TABLES["videos"]))
    every_object = objects.of_recordings(labelled, details, black)
    judged = judgements.of_tables(io.read(LABELLED, TABLES["labelled"]), io.read(MARKS, TABLES["marks"]), frames)
    beyond = writing.write_objects(folder, stamped, every_object, judged, pictures.table)
    skill, errors = writing.read_skill(TABLES["skill"]), io.read(ERRORS, TABLES["errors"])
    splits = io.read(SPLITS, TABLES["splits"])
    writing.write_sheets(folder, stamped, skill, errors, splits)
    every = writing.WholeGroundTruth(written, wholes, skill, errors, splits, beyond)
    for subset, ids in writing.of_splits(splits):
        writing.write(folder, stamped, every, subset, ids)
    files.write_text(folder / groundtruth.README_NAME, groundtruth.readme())
    counts = writing.counts_of(written, beyond)
    vocabularies = [whole.vocabulary for whole in wholes]
    fps = Fraction(params.read()["frames"]["fps"])
    files.write_json(folder / groundtruth.MANIFEST, groundtruth.manifest(folder, stamped.inputs, vocabularies, counts, fps))


if __name__ == "__main__":
    plumbing.run(main)
