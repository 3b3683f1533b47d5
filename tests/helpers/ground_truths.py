"""A whole ground truth, written as the flow writes it."""

import json
from fractions import Fraction

from scrubin.base import files
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
    of_reference_camera,
    skill_table,
)
from scrubin.labels import truth
from scrubin.labels.masks.blackened import by_frame
from scrubin.labels.truth import judgements, objects
from scrubin.labels.truth.objects import Details
from scrubin.stages import groundtruth
from scrubin.stages.groundtruth import writing

LABELS_SHA256 = "5" * 64
FIXED = {"skill", "id", "task", "GRS", "n_ratings", "disagreement", "strong_disagreement"}


BEYOND = (MASKS, POINTS, TRACKS, MARKS)


def _table(made, table):
    return made[table.name] if table.name in made else io.frame_of(table, [])


def write_tables(folder, made):
    """Write the tables that a ground truth is made of; return their paths by name."""
    aspects = tuple(name for name in made["skill"].columns if name not in FIXED)
    declared = (ERRORS, FRAMES, LABELLED, PHASES, skill_table(aspects), SPLITS, TRIPLETS, *BEYOND, *[HIDDEN] * ("hidden" in made))
    for table in declared:
        io.write(table, _table(made, table), folder / f"{table.name}.parquet")
    return {table.name: folder / f"{table.name}.parquet" for table in declared}


def write_ground_truth(folder, made):
    """Write tables (beside the folder) and ground truth; return its manifest."""
    beside = folder.with_name(f"{folder.name}_tables")
    files.write_text(beside / "annotations.sha256", f"{LABELS_SHA256}\n")
    stamped = groundtruth.Stamps.of_files(write_tables(beside, made), beside / "annotations.sha256")
    files.fresh_folder(folder)
    labelled = truth.with_files(truth.of_tables(made["labelled"], made["triplets"], made["phases"]), made["frames"])
    pictures = writing.Pictures(writing.images(made["frames"]))
    done = [writing.write_recording(folder, stamped, pictures, one) for one in labelled]
    wholes = writing.write_vocabularies(folder, stamped, done, pictures)
    writing.write_sheets(folder, stamped, made["skill"], made["errors"], made["splits"])
    masks, points, tracks, marks = (_table(made, table) for table in BEYOND)
    black = by_frame(of_reference_camera(made["frames"]), _table(made, HIDDEN), made["videos"]) if "hidden" in made else {}
    found = objects.of_recordings(labelled, Details.of_tables(masks, points, tracks), black)
    judged = judgements.of_tables(made["labelled"], marks, made["frames"])
    beyond = writing.write_objects(folder, stamped, found, judged, pictures.table)
    every = writing.WholeGroundTruth(done, wholes, made["skill"], made["errors"], made["splits"], beyond)
    for subset, ids in writing.of_splits(made["splits"]):
        writing.write(folder, stamped, every, subset, ids)
    files.write_text(folder / groundtruth.README_NAME, groundtruth.readme())
    counts = writing.counts_of(done, beyond)
    files.write_json(
        folder / groundtruth.MANIFEST,
        groundtruth.manifest(folder, stamped.inputs, [whole.vocabulary for whole in wholes], counts, Fraction(1)),
    )
    return json.loads((folder / groundtruth.MANIFEST).read_text())
