"""A study of three recordings: whole triplets with boxes, whole triplets without, instruments only."""

import numpy as np
import pandas as pd
import pytest

import made_once
from ground_truths import write_ground_truth
from scrubin.base.tables import io
from scrubin.base.tables.public import ERRORS, FRAMES, LABELLED, PHASES, SPLITS, TRIPLETS, VIDEOS, skill_table
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import truth

WORDS = vocabulary.load("cholect50")


def triplet_rows(id_, by_frame, *, box=(0.25, 0.5, 0.5, 0.25), whole=True):
    """Rows of frame -> triplet ids; with whole=False the ids are instruments."""
    rows = []
    for frame, ids in by_frame.items():
        for instance, number in enumerate(ids):
            instrument, verb, target = WORDS.triplets[number] if whole else (number, None, None)
            names = {
                "instrument": WORDS.instruments[instrument],
                "verb": WORDS.verbs[verb] if whole else None,
                "target": WORDS.targets[target] if whole else None,
                "triplet": WORDS.triplet_name(number) if whole else None,
            }
            numbers = {"instrument_id": instrument, "verb_id": verb, "target_id": target, "triplet_id": number if whole else None}
            key = {"id": id_, "frame": frame, "instance": instance, "vocabulary": "cholect50", "score": 1.0}
            rows.append({**key, **names, **numbers, **dict(zip("xywh", box or (None,) * 4, strict=True))})
    return rows


def phase_rows(id_, ids):
    return [{"id": id_, "frame": f, "vocabulary": "cholect50", "phase": WORDS.phases[p], "phase_id": p} for f, p in ids.items()]


def labelled_rows(id_, layer, frames, detail="triplet"):
    facts = {"layer": layer, "vocabulary": "cholect50", "detail": None if layer == "phases" else detail}
    return [{"id": id_, "frame": frame, **facts} for frame in frames]


def video_rows(id_, n, camera="mono"):
    video = {"id": id_, "task": "Cholecystectomy", "camera": camera, "path": f"{id_}.mp4", "width": 320, "height": 240, "fps": "25"}
    video |= {"variable_rate": False, "frame_count": n * 25, "duration_s": float(n), "sha256": "0" * 64}
    quality = dict.fromkeys(("sharpness", "brightness", "contrast", "saturated_share", "difference"), 0.5)
    frames = [
        {"id": id_, "camera": camera, "frame": k, "source_frame": 25 * k, "time_s": float(k), "path": f"frames/{id_}/{camera}/{k:06d}.jpg"}
        | {"width": 320, "height": 240, "redacted": False, "dropped": False, "dropped_why": None, "perceptual_hash": "0" * 16, **quality}
        for k in range(n)
    ]
    return video, frames


@pytest.fixture(scope="session")
def tables():
    """The tables of the study."""
    triplets = [
        *triplet_rows("aboreta", {0: [17, 12], 2: [94]}),
        *triplet_rows("belumi", {1: [57]}, box=None),
        *triplet_rows("coresa", {0: [2], 1: [0, 2]}, box=None, whole=False),
    ]
    phases = [*phase_rows("aboreta", {0: 0, 1: 0, 2: 3}), *phase_rows("dimora", {0: 6})]
    looked_at = [
        *labelled_rows("aboreta", "instances", range(3)),
        *labelled_rows("aboreta", "phases", range(3)),
        *labelled_rows("belumi", "instances", (1, 4)),
        *labelled_rows("coresa", "instances", range(3), "instrument"),
        *labelled_rows("dimora", "phases", range(1)),
    ]
    videos, frames = zip(*(video_rows(id_, 5) for id_ in ("aboreta", "belumi", "coresa", "dimora")), strict=True)
    return {
        "labelled": io.frame_of(LABELLED, looked_at),
        "triplets": io.frame_of(TRIPLETS, triplets),
        "phases": io.frame_of(PHASES, phases),
        "videos": io.frame_of(VIDEOS, videos),
        "frames": io.frame_of(FRAMES, [row for rows in frames for row in rows]),
    }


@pytest.fixture(scope="session")
def labelled(tables):
    """The recordings of the study, by id."""
    return {one.id: one for one in truth.of_tables(tables["labelled"], tables["triplets"], tables["phases"])}


@pytest.fixture(scope="session")
def stereo():
    """Frames of a stereo pair."""
    left, right = video_rows("aboreta", 2, "left"), video_rows("aboreta", 2, "right")
    return pd.concat([io.frame_of(FRAMES, left[1]), io.frame_of(FRAMES, right[1])])


FRAME_COUNT = 24
SCORED = ("abelo", "bagiru", "cenopa", "dufila")
SPLIT_OF = {"abelo": ("train", "test"), "bagiru": ("train", "train"), "cenopa": ("test", "train"), "dufila": ("test", "test")}


def random_triplets(id_, rng):
    """Nought to three instances per frame, with boxes anywhere in the image."""
    rows = []
    for frame in range(FRAME_COUNT):
        for row in triplet_rows(id_, {frame: rng.integers(0, 100, int(rng.integers(0, 4))).tolist()}):
            size = rng.uniform(0.1, 0.5, 2)
            corner = rng.random(2) * (1 - size)
            rows.append({**row, **dict(zip("xywh", map(float, (*corner, *size)), strict=True))})
    return rows


def random_study():
    """Four recordings with every kind of label, two schemes, and a task with skill and errors."""
    rng = np.random.default_rng(5)
    triplets = [row for id_ in SCORED for row in random_triplets(id_, rng)]
    phases = [row for id_ in SCORED for row in phase_rows(id_, dict(enumerate(np.sort(rng.integers(0, 7, FRAME_COUNT)).tolist())))]
    looked_at = [row for id_ in SCORED for layer in ("instances", "phases") for row in labelled_rows(id_, layer, range(FRAME_COUNT))]
    rated = {"task": "PegTransfer", "n_ratings": 3, "disagreement": 0.1, "strong_disagreement": False}
    scores = [{"id": id_, "GRS": None if id_ == "bagiru" else float(rng.normal()), **rated} for id_ in SCORED]
    errors = [
        {"id": id_, "task": "PegTransfer", "error": e, "occurred": bool(rng.random() < 0.5)} for id_ in SCORED for e in ("cut", "drop")
    ]
    splits = [{"scheme": "balanced", "fold": 0, "subset": SPLIT_OF[id_][0], "id": id_} for id_ in SCORED]
    splits += [{"scheme": "cv", "fold": k, "subset": SPLIT_OF[id_][k], "id": id_} for k in (0, 1) for id_ in SCORED]
    made = {table.name: io.frame_of(table, rows) for table, rows in ((LABELLED, looked_at), (TRIPLETS, triplets), (PHASES, phases))}
    frames = [row for id_ in SCORED for row in video_rows(id_, FRAME_COUNT)[1]]
    frames = [{**row, "path": f"frames/Cholecystectomy/mono/{row['id']}/{row['frame']:06d}.jpg"} for row in frames]
    made["frames"] = io.frame_of(FRAMES, frames)
    return made | {
        "skill": io.frame_of(skill_table(()), scores),
        "errors": io.frame_of(ERRORS, errors),
        "splits": io.frame_of(SPLITS, splits),
    }


@pytest.fixture(scope="session")
def made():
    """The tables of a random study."""
    return random_study()


@pytest.fixture(scope="session")
def written_once(made, tmp_path_factory):
    """Its ground truth, for tests that only read; the tables lie in ``g_tables`` beside it."""
    return made_once.folder(tmp_path_factory, "ground_truth", lambda folder: write_ground_truth(folder / "g", made)) / "g"
