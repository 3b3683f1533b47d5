"""A release with three videos, two of them hidden: ground truth as its writer lays it out, a split, and submissions for it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from challenge_cases import WORDS, document, labels, scores, write

HIDDEN = ("bleecauls", "thitsaisp")
FRAMES = {"bleecauls": 24, "thitsaisp": 30, "kliawnimp": 20}
BOX = (0.1, 0.2, 0.3, 0.4)


def truth(seed: int = 1) -> dict[str, np.ndarray]:
    """Whether a triplet occurs, by video; (frames, 100)."""
    return {name: labels(seed + at, frames) for at, (name, frames) in enumerate(FRAMES.items())}


def phases(seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: np.sort(rng.integers(0, 7, frames)) for name, frames in FRAMES.items()}


def release(folder: Path, seed: int = 1) -> Path:
    """Write a release; another seed gives other labels of the same frames."""
    home = folder / "groundtruth/cholect50"
    for part in ("recognition", "detection", "phases"):
        (home / part).mkdir(parents=True)
    for name, occurs in truth(seed).items():
        frames = np.arange(len(occurs))
        np.savez(home / "recognition" / f"{name}.npz", frame=frames, ivt=occurs.astype(np.int8), ivt_ids=np.arange(occurs.shape[1]))
        rows = [[[int(t), WORDS.triplets[t][0], 1.0, *BOX] for t in np.flatnonzero(row)] for row in occurs]
        boxes = {"frame": frames.tolist(), "list": rows, "dict": [[_as_dict(one) for one in of] for of in rows]}
        (home / "detection" / f"{name}.json").write_text(json.dumps(boxes))
        lines = [f"{frame},{phase},{WORDS.phases[phase]}" for frame, phase in enumerate(phases(seed)[name])]
        (home / "phases" / f"{name}.csv").write_text("\n".join(["frame,phase_id,phase", *lines]) + "\n")
    (folder / "groundtruth/manifest.json").write_text("{}")
    (folder / "splits").mkdir()
    rows = [f"{name},Cholecystectomy,{'test' if name in HIDDEN else 'train'}" for name in FRAMES]
    (folder / "splits/balanced.csv").write_text("\n".join(["id,task,subset", *rows]) + "\n")
    return folder


def submission(folder: Path, task: str, seed: int = 1) -> Path:
    """Write an imperfect submission for the hidden videos."""
    if task == "phases":
        folder.mkdir(parents=True)
        for name in HIDDEN:
            predicted = np.roll(phases(seed)[name], 3)
            lines = [f"{frame},{phase}" for frame, phase in enumerate(predicted)]
            (folder / f"{name}.csv").write_text("\n".join(["frame,phase_id", *lines]) + "\n")
        return folder
    documents = {name: document(scores(7, truth(seed)[name], 1)) for name in HIDDEN}
    if task == "detection":
        documents = {name: _detected(truth(seed)[name]) for name in HIDDEN}
    return write(folder, documents)


def only_instruments(folder: Path, name: str) -> None:
    """Write the instruments alone of a video of a release, as its writer does where no verb and target is labelled."""
    home = folder / "groundtruth/cholect50"
    path = home / "recognition" / f"{name}.npz"
    with np.load(path) as whole:
        frames, triplets = whole["frame"], whole["ivt"]
    of_triplet = np.array([instrument for instrument, _, _ in WORDS.triplets])
    occurs = np.stack([triplets[:, of_triplet == id_].any(axis=1) for id_ in range(len(WORDS.instruments))], axis=1)
    np.savez(path, frame=frames, i=occurs.astype(np.int8), i_ids=np.arange(len(WORDS.instruments)))
    (home / "detection" / f"{name}.json").write_text(json.dumps({"frame": [], "list": [], "dict": []}))


def _detected(occurs: np.ndarray) -> dict:
    rng = np.random.default_rng(5)
    boxes = [
        [{"triplet": int(t), "instrument": [WORDS.triplets[t][0], float(rng.random()), *BOX]} for t in np.flatnonzero(row)]
        for row in occurs
    ]
    return {str(frame): {"detection": of[1:]} for frame, of in enumerate(boxes)}


def _as_dict(row: list) -> dict:
    return {"triplet": row[0], "instrument": [row[1], *row[2:]]}
