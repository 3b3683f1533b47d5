"""Predicted skill scores of JIGSAWS in Finspire13/Towards-Unified-Surgical-Skill-Assessment: three tasks, four folds, both cameras.

The scores that were annotated are not there: they are in the `meta_file_<Task>.txt` of JIGSAWS, whose folder is the second path.
"""

from __future__ import annotations

import io
import pickle
import re
import statistics
from pathlib import Path

import numpy as np
import scoring
from snapshot import Snapshot

COMMIT = "30c84d8f09486d4fffdd7d3f02401e71c581a530"
FOLDER = "pre_result"
TASKS = {"Suturing": 701, "Needle_Passing": 901, "Knot_Tying": 951}
"""Tasks, and how many epochs their configurations train: the last one is the number before."""
FOLDS = range(4)
TRIAL = re.compile(r"(\w+_[A-Z]\d{3})\s+\S+\s+(\d+)\s")


class Arrays(pickle.Unpickler):
    """Reads numpy arrays, and runs nothing else that a file may name."""

    def find_class(self, module: str, name: str) -> object:
        """Return what makes an array; UnpicklingError for anything else."""
        if module.split(".")[0] == "numpy" and name in ("_reconstruct", "ndarray", "dtype", "scalar"):
            return super().find_class(module, name)
        msg = f"{module}.{name} in a file of predictions"
        raise pickle.UnpicklingError(msg)


def predicted(data: bytes) -> dict[str, float]:
    """Return the score of every trial and camera, of all paths of the network together, from a saved dictionary."""
    file = io.BytesIO(data)
    np.lib.format.read_magic(file)
    np.lib.format.read_array_header_1_0(file)
    return {trial: float(scores[0, 0]) for trial, scores in Arrays(file).load().item().items()}


def annotated(labels: Path, task: str) -> dict[str, int]:
    """Return the global rating of every trial of a task."""
    (path,) = labels.rglob(f"meta_file_{task}.txt")
    return {found[1]: int(found[2]) for found in map(TRIAL.match, path.read_text(encoding="utf-8").splitlines()) if found}


def measure(repository: Path, labels: Path, work: Path) -> dict[str, object]:
    """Compute Spearman's correlation of every fold, and the mean over folds and then over tasks."""
    snapshot = Snapshot(repository, COMMIT)
    truth, predictions = work / "truth", work / "predictions"
    for side in (truth, predictions):
        side.mkdir()
    for task, epochs in TASKS.items():
        ratings = annotated(labels, task)
        for fold in FOLDS:
            data = snapshot.read(f"{FOLDER}/JIGSAWS_TVPE_4FOLD_{task}_{fold}/test_preds-epoch{epochs - 1}.npy")
            scores = predicted(data or b"")
            for side, of in ((predictions, scores), (truth, {trial: ratings[trial.rpartition("_")[0]] for trial in scores})):
                rows = "".join(f"{trial},{score}\n" for trial, score in sorted(of.items()))
                (side / f"{task}{fold}.csv").write_text(f"id,GRS\n{rows}", encoding="utf-8")
    found = scoring.score(truth, predictions, work / "scores.json", "--variant", "kind=ranks", task="skill")
    by_task = {task: [found.value("skill Spearman", task=f"{task}{fold}") for fold in FOLDS] for task in TASKS}
    figures = {f"{task}, fold {fold}": value for task, of in by_task.items() for fold, value in zip(FOLDS, of, strict=True)}
    means = {task: statistics.fmean(of) for task, of in by_task.items()}
    return {"figures": figures | means | {"all tasks": statistics.fmean(means.values())}}
