"""Train small models on simple features, predict every fold, score, and compare with baselines that look at nothing.

    python examples/train.py [RELEASE] [FOLDER]

The pictures become 200 numbers each, so that this takes less than two minutes on a CPU; a real model goes in their place. What it
writes into FOLDER is what anybody would hand in.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from scrubin.load import Release

TASK, SKILL_TASK, FOLDS = "Cholecystectomy", "PegTransfer", range(5)
release = Release(sys.argv[1] if len(sys.argv) > 1 else "data/release")
out = Path(sys.argv[2] if len(sys.argv) > 2 else "predictions")


def features(item):
    """Return a frame as numbers: a small grey picture, and how often each colour occurs."""
    small = cv2.resize(cv2.cvtColor(item["image"], cv2.COLOR_RGB2GRAY), (16, 11), interpolation=cv2.INTER_AREA)
    colours = [np.histogram(item["image"][..., channel], bins=8, range=(0, 256))[0] for channel in range(3)]
    return np.concatenate([small.ravel() / 255, *(count / item["image"][..., 0].size for count in colours)])


def write_phases(model, id_, frames, phases):
    """Write what a model says of one recording."""
    folder = out / model / "phases"
    folder.mkdir(parents=True, exist_ok=True)
    pd.DataFrame({"frame": frames, "phase_id": phases}).to_csv(folder / f"{id_}.csv", index=False)


def write_triplets(model, id_, frames, scores):
    """Write how likely each triplet is in each frame of one recording; tools, verbs and targets follow from it."""
    (out / model / "triplets").mkdir(parents=True, exist_ok=True)
    np.savez(out / model / "triplets" / f"{id_}.npz", frame=np.array(frames), ivt=scores)


def pipeline(model):
    """Return a model of features that are brought to one scale."""
    return make_pipeline(SimpleImputer(), StandardScaler(), model)


def phases_and_triplets(fold):
    """Train on one fold, predict its test recordings."""
    labels = ["phases", "triplets"]
    train = list(release.frames(split=f"five_folds/{fold}/train", labels=labels, task=TASK))
    # A benchmark counts every labelled frame, also those that are black: they are predicted like all others.
    test = list(release.frames(split=f"five_folds/{fold}/test", labels=labels, task=TASK, include_hidden=True))
    if not test:
        return  # no operation is tested in this fold
    x, seen = np.stack([features(item) for item in train]), np.stack([features(item) for item in test])
    # What nobody labelled is masked: it takes no part in training, and nobody asks for it.
    with_phase, with_triplets = (np.array([item[f"{label}_mask"] for item in train]) for label in labels)
    phases = np.array([item["phases"] for item in train])[with_phase]
    triplets = np.stack([item["triplets"] for item in train])[with_triplets]
    predicted = pipeline(LogisticRegression(C=0.01, max_iter=200)).fit(x[with_phase], phases).predict(seen)
    scores = np.stack([scores_of(x[with_triplets], column, seen) for column in triplets.T], axis=1)
    majority = Counter(phases.tolist()).most_common(1)[0][0]
    for id_ in sorted({item["id"] for item in test}):
        own = [i for i, item in enumerate(test) if item["id"] == id_ and item["phases_mask"]]
        frames, true = [test[i]["frame"] for i in own], [int(test[i]["phases"]) for i in own]
        write_phases("model", id_, frames, predicted[own])
        write_phases("majority", id_, frames, [majority] * len(own))
        write_phases("previous_phase", id_, frames, [true[0], *true[:-1]])
        own = [i for i, item in enumerate(test) if item["id"] == id_ and item["triplets_mask"]]
        write_triplets("model", id_, [test[i]["frame"] for i in own], scores[own])
        write_triplets("majority", id_, [test[i]["frame"] for i in own], np.tile(triplets.mean(axis=0), (len(own), 1)))


def scores_of(x, y, seen):
    """Return how likely a class is in each frame; one that was never seen, or always, is as likely as it was."""
    if len(set(y.tolist())) == 1:
        return np.full(len(seen), float(y[0]))
    return pipeline(LogisticRegression(C=0.01, max_iter=200)).fit(x, y).predict_proba(seen)[:, 1]


def skill():
    """Predict the GRS of every recording from its length and from how its pictures change; and from its length alone."""
    frames, videos = release.tables["frames"], release.tables["videos"]
    moved = frames[(frames.camera == "left") & ~frames.redacted].groupby("id").difference.agg(["mean", "max"])
    length = videos[videos.camera == "left"].set_index("id").duration_s
    columns = {"model": moved.reindex(length.index).assign(length=length), "duration": pd.DataFrame({"length": length})}
    for name, table in columns.items():
        parts = []
        for fold in FOLDS:
            train, test = (
                release.skill(f"five_folds/{fold}/{subset}", task=SKILL_TASK).dropna(subset="GRS") for subset in ("train", "test")
            )
            if test.empty:
                continue
            model = pipeline(Ridge(1.0)).fit(table.loc[train.index], train.GRS)
            parts.append(pd.DataFrame({"id": test.index, "GRS": model.predict(table.loc[test.index])}))
        (out / name / "skill").mkdir(parents=True, exist_ok=True)
        pd.concat(parts).sort_values("id").to_csv(out / name / "skill" / f"{SKILL_TASK}.csv", index=False)


def show(metric, of, models, options, shown):
    """Print what `scrubin score` says of some models, with the interval over videos that it draws."""
    for model in models:
        file = out / f"{model}_{of}.json"
        command = ["score", metric, "--ground-truth", str(release.folder), "--predictions", str(out / model / of), "--out", str(file)]
        subprocess.run([sys.executable, "-m", "scrubin", *command, "--bootstrap", "200", *options], check=True, capture_output=True)
        for result in json.loads(file.read_text())["results"]:
            if any(result["variant"].startswith(name) and end in result["variant"] for name, end in shown) and result["interval"]:
                low, value, high = (one["value"] for one in (result["interval"]["low"], result["overall"], result["interval"]["high"]))
                numbers = [f"{one:7.3f}" if one is not None else "   none" for one in (value, low, high)]
                name = f"{result['metric']} {result['options'].get('component', '')}"
                print(f"{of:8} {model:14} {name:32} {numbers[0]}  [{numbers[1]}, {numbers[2]}]")


for fold in FOLDS:
    phases_and_triplets(fold)
skill()
shown = [(f"phase recognition {measure}", "statistic=mean") for measure in ("accuracy", "f1")]
show("phases", "phases", ["model", "majority", "previous_phase"], [], shown)
for part in ("i", "ivt"):  # tools, whole triplets
    choice = ["--variant", f"component={part}", "null=counted"]
    show("recognition", "triplets", ["model", "majority"], choice, [("triplet recognition AP", "scope=video-wise")])
show("skill", "skill", ["model", "duration"], [], [("skill", "score=GRS")])
print("previous_phase knows the phase of the frame before: what is not above it has learned nothing about changes of phase")
