"""A whole ground truth, written as the flow writes it."""

import json

from scrubin.base import files
from scrubin.base.tables import io
from scrubin.base.tables.public import ERRORS, FRAMES, LABELLED, PHASES, SPLITS, TRIPLETS, skill_table
from scrubin.labels.truth import recordings
from scrubin.stages import groundtruth
from scrubin.stages.groundtruth import writing

LABELS_SHA256 = "5" * 64
FIXED = {"skill", "id", "task", "GRS", "n_ratings", "disagreement", "strong_disagreement"}


def write_tables(folder, made):
    """Write the tables that a ground truth is made of; return their paths by name."""
    aspects = tuple(name for name in made["skill"].columns if name not in FIXED)
    declared = (ERRORS, FRAMES, LABELLED, PHASES, skill_table(aspects), SPLITS, TRIPLETS)
    for table in declared:
        io.write(table, made[table.name], folder / f"{table.name}.parquet")
    return {table.name: folder / f"{table.name}.parquet" for table in declared}


def write_ground_truth(folder, made):
    """Write tables (beside the folder) and ground truth; return its manifest."""
    beside = folder.with_name(f"{folder.name}_tables")
    files.write_text(beside / "annotations.sha256", f"{LABELS_SHA256}\n")
    stamped = groundtruth.Stamps.of_files(write_tables(beside, made), beside / "annotations.sha256")
    files.fresh_folder(folder)
    labelled = recordings.with_files(recordings.of_tables(made["labelled"], made["triplets"], made["phases"]), made["frames"])
    pictures = writing.Pictures(writing.images(made["frames"]))
    done = [writing.write_recording(folder, stamped, pictures, one) for one in labelled]
    wholes = writing.write_vocabularies(folder, stamped, done, pictures)
    writing.write_sheets(folder, stamped, made["skill"], made["errors"], made["splits"])
    every = writing.WholeGroundTruth(done, wholes, made["skill"], made["errors"], made["splits"])
    for subset, ids in writing.of_splits(made["splits"]):
        writing.write(folder, stamped, every, subset, ids)
    files.write_text(folder / groundtruth.README_NAME, groundtruth.readme())
    counts = {one.recording.id: one.counts() for one in done}
    files.write_json(
        folder / groundtruth.MANIFEST, groundtruth.manifest(folder, stamped.inputs, [whole.vocabulary for whole in wholes], counts)
    )
    return json.loads((folder / groundtruth.MANIFEST).read_text())
