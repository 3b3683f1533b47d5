"""Every declared metric, computed of small made-up studies as `scrubin score` computes it, beside its golden file.

`python tests/helpers/declared_metrics.py` writes the golden files that are missing; one that is there stays as it is.
"""

import json
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from scrubin.base.vocabulary.vocabulary import load
from scrubin.evaluate import score_document
from scrubin.evaluate.computation import chosen
from scrubin.evaluate.metrics import registry, skill
from scrubin.evaluate.metrics.variants import MASK_PROGRAMS, METRICS
from scrubin.evaluate.series import Series
from scrubin.evaluate.side import Predictions, Source
from scrubin.evaluate.tasks import criteria, detection, phases, points, recognition, recordings, tracks
from scrubin.evaluate.tasks.recordings import TaskSheet
from scrubin.labels import model
from scrubin.labels.masks import polygons, rle
from scrubin.labels.points import POINTS, Point

GOLDEN = Path(__file__).parents[1] / "data/metrics/declared"
FRAMES = np.arange(12)
OWN = {"sizes": {"image": "854x480"}, **{f"program={name}": {"confidence": "0"} for name in MASK_PROGRAMS}}


def golden_file(name):
    return GOLDEN / f"{re.sub(r'[^a-z0-9]+', '_', name.replace('{}', 'n').casefold())}.json"


def by_metric():
    """Return by declared name what golden files hold: per variant its name, value and count."""
    found = defaultdict(list)
    for result in results():
        row = {"variant": result.variant.name, "value": score_document.json_number(result.overall.value), "n": result.overall.n}
        found[registry.named(result.variant.metric).name].append(row)
    return found


def results():
    for task, of_task in METRICS.items():
        for semantics, choices in of_task.choices.items():
            if (task, semantics) in (("skill", "compat"), ("criteria", "compat"), ("points", "compat")):
                continue
            kinds = choices["kind"].values if "kind" in choices else ("",)
            programs = [f"program={name}" for name in MASK_PROGRAMS] if (task, semantics) == ("detection", "compat") else []
            for kind in (*kinds, *programs):
                if (task, kind) == ("skill", "raters"):
                    continue  # it reads the ratings beside the files
                choice = chosen(choices, [kind if "=" in kind else f"kind={kind}"] if kind else [], task)
                scoring = SCORINGS[task](semantics, choice | OWN.get(kind, {}))
                yield from (result for part in scoring.parts for result in part.results(None))
    yield from skill.ceiling(np.array([[1.0, 2.0, 2.5], [2.0, 4.0, 3.0], [3.0, 3.5, 5.0]]), ["0", "1", "2"], "bessel")


def of_recognition(semantics, choice):
    rng = np.random.default_rng(1)
    vocabulary = load("cholect50")
    truth = {name: Series(FRAMES, (rng.random((12, 100)) < 0.2).astype(np.int64)) for name in "ab"}
    predictions = {name: Series(FRAMES, rng.random((12, 100)).round(3)) for name in "ab"}
    return recognition.computed(recognition.Truth(truth, vocabulary, "ivt"), predictions, semantics, choice)


def of_detection(semantics, choice):
    rng = np.random.default_rng(2)
    truth, predicted = boxes(rng, scored=False), boxes(rng, scored=True)
    return detection.computed(truth, predicted, semantics, choice)


def boxes(rng, *, scored):
    vocabulary = load("cholect50")
    rows = {}
    for name in "ab":
        triplets = rng.integers(0, 3, 24)
        parts = np.array([vocabulary.triplets[at] for at in triplets])
        box = np.concatenate([rng.integers(0, 3, (24, 2)) / 10, rng.integers(3, 6, (24, 2)) / 10], axis=1)
        ids = {"triplet_id": triplets, "instrument_id": parts[:, 0], "verb_id": parts[:, 1], "target_id": parts[:, 2]}
        columns = dict(zip(model.BOX, box.T, strict=True))
        score = rng.random(24).round(3) if scored else np.ones(24)
        own = {"score": score, model.MASK: masks(24, moved=scored)}
        rows[name] = pd.DataFrame({"position": np.repeat(FRAMES, 2), **ids, **columns, **own})
    images = {name: pd.DataFrame({"position": FRAMES, "width": 40, "height": 30}) for name in rows} if not scored else {}
    return detection.Boxes({name: Series(FRAMES, FRAMES) for name in rows}, rows, vocabulary, "ivt", images=images)


def masks(number, *, moved):
    """Triangles in a picture of 40 x 30 px, on both sides nearly the same."""
    corners = np.random.default_rng(7).uniform(4, 26, (number, 3, 2)) + np.random.default_rng(8).uniform(-2, 2, (number, 3, 2)) * moved
    return [rle.text_of_runs(polygons.runs_of_polygons([one], 30, 40)) for one in corners]


def of_tracks(semantics, choice):
    rng = np.random.default_rng(6)
    truth, predicted = boxes(rng, scored=False), boxes(rng, scored=True)
    truth, predicted = (replace(one, rows={name: tracked(rows) for name, rows in one.rows.items()}) for one in (truth, predicted))
    return tracks.computed(truth, predicted, semantics, choice)


def tracked(rows):
    """Each of the two boxes of a frame goes on in the next, as another instrument than the other."""
    number = rows.groupby("position").cumcount()
    return rows.assign(track=number, instrument_id=number)


def of_points(semantics, choice):
    rng = np.random.default_rng(9)
    both = boxes(rng, scored=False)
    images = {name: pd.DataFrame({"position": FRAMES, "width": 400, "height": 300}) for name in both.rows}
    truth, predicted = (
        replace(both, images=images, rows={name: pointed(rng, rows, moved=moved) for name, rows in both.rows.items()})
        for moved in (0.0, 0.1)
    )
    predicted = replace(predicted, rows={name: rows.assign(score=rng.random(24).round(3)) for name, rows in predicted.rows.items()})
    return points.computed(truth, predicted, choice)


def pointed(rng, rows, *, moved):
    """Two points in each box, of which every fourth is hidden; those of predictions are a little elsewhere."""
    shares = rng.normal(0, moved, (len(rows), 2, 2)) + 0.5
    of = [
        tuple(
            Point(name, float(x + w * at[0]), float(y + h * at[1]), 2 - row % 4 // 3)
            for name, at in zip(("tip", "hinge"), own, strict=True)
        )
        for row, (own, x, y, w, h) in enumerate(zip(shares, *(rows[side] for side in "xywh"), strict=True))
    ]
    values = {POINTS: pd.Series(of, index=rows.index, dtype=object), "instrument_id": rows.groupby("position").cumcount()}
    return rows.drop(columns=model.MASK).assign(**values)


def of_phases(semantics, choice):
    rng = np.random.default_rng(3)
    truth = {name: Series(FRAMES, np.sort(rng.integers(0, 7, 12))) for name in "abc"}
    runs = [Predictions({name: Series(FRAMES, np.sort(rng.integers(0, 7, 12))) for name in "abc"}) for _ in range(2)]
    # The published program knows one run.
    return phases.computed(phases.Truth(truth, load("cholec80"), True), runs[: 1 if semantics == "compat" else 2], semantics, choice)


def of_criteria(semantics, choice):
    rng = np.random.default_rng(6)
    truth = {name: Series(FRAMES, (rng.random((12, 2, 3)) < 0.4).astype(float)) for name in "ab"}
    predictions = {name: Series(FRAMES, rng.random((12, 2)).round(3)) for name in "ab"}
    return criteria.computed(criteria.Truth(truth, ("C1", "C2"), ("1", "2", "3")), predictions, choice)


def of_skill(semantics, choice):
    rng = np.random.default_rng(4)
    return recordings.skill_computed([sheet(rng, 6)], [sheet(rng, 6)], choice, Source(Path("none")))


def of_errors(semantics, choice):
    rng = np.random.default_rng(5)
    return recordings.errors_computed([sheet(rng, 2)], [sheet(rng, 2)], semantics)


def sheet(rng, levels):
    ids = pd.Index(list("abcdefgh"), name="id")
    return TaskSheet("Peg.csv", "Peg", pd.DataFrame(rng.integers(0, levels, (8, 2)).astype(float), ids, ["first", "second"]))


SCORINGS = {
    "recognition": of_recognition,
    "detection": of_detection,
    "tracks": of_tracks,
    "points": of_points,
    "phases": of_phases,
    "criteria": of_criteria,
    "skill": of_skill,
    "errors": of_errors,
}


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for metric, rows in by_metric().items():
        if not golden_file(metric).exists():
            golden_file(metric).write_text(json.dumps({"metric": metric, "results": rows}, indent=1) + "\n", encoding="utf-8")
