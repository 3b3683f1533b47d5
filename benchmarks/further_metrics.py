"""Metrics beyond the published programs, against independent implementations on random cases.

    .venv/bin/python benchmarks/further_metrics.py [--cases 300] [--ms-tcn FOLDER] [--reference PYTHON]

Kendall's tau-b and Spearman's correlation are held against SciPy; quadratic kappa, the Brier score and balanced accuracy against
scikit-learn; segments, events, calibration error and average precision by size against the plain implementations (and pycocotools) of
the tests; quartiles against NumPy. ``--ms-tcn`` is a checkout of yabufarha/ms-tcn (33ed91c): its ``eval.py`` is made to run under Python 3
and asked for edit score and F1. ``--reference`` is a Python that has netcal 1.4, for the calibration error of equal width.
Printed: cases, numbers compared, largest difference.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, cohen_kappa_score

from scrubin.evaluate.metrics import error_recognition, skill, variants
from scrubin.evaluate.metrics.phases import PhaseVideo, confusions_of_videos, rates, segments
from scrubin.evaluate.metrics.recognition import calibration

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS / "metrics"), str(TESTS / "helpers")]
plain_calibration, plain_sizes, plain_segments = map(
    importlib.import_module, ("test_calibration", "test_detection_sizes", "test_phase_segments")
)
warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")
Pairs = Iterator[tuple[float, float]]
NETCAL = """
import json, sys
import numpy as np
from netcal.metrics import ECE
cases = json.load(sys.stdin)
print(json.dumps([float(ECE(bins).measure(np.array(p), np.array(y))) for y, p, bins in cases]))
"""


def skill_pairs(rng: np.random.Generator) -> Pairs:
    n, levels = int(rng.integers(3, 60)), int(rng.integers(2, 9))
    x, y = rng.integers(1, levels + 1, n).astype(float), rng.integers(1, levels + 1, n).astype(float)
    yield skill.tau(x, y).overall.value, float(stats.kendalltau(x, y).statistic)
    yield skill.score("spearman", x, y).overall.value, float(stats.spearmanr(x, y).statistic) if len({*x}) > 1 < len({*y}) else np.nan
    if len({*x, *y}) > 1:
        yield skill.kappa(x, y).overall.value, cohen_kappa_score(x, y, weights="quadratic", labels=range(1, 10))


def error_pairs(rng: np.random.Generator) -> Pairs:
    truth, predicted = (rng.random((2, int(rng.integers(1, 12)))) < rng.random()).astype(int)
    found = error_recognition.score("balanced accuracy", {"e": truth}, {"e": predicted}, semantics="compat").overall.value
    yield found, float(balanced_accuracy_score(truth, predicted))


def calibration_pairs(rng: np.random.Generator) -> Pairs:
    labels, probabilities, bins = calibrated(rng)
    for binning, plain in (("equal width", plain_calibration.plain_width), ("equal mass", plain_calibration.plain_mass)):
        yield calibration.expected_error(labels, probabilities, bins, binning), plain(labels, probabilities, bins)
    yield calibration.brier(labels, probabilities), float(brier_score_loss(labels, probabilities, pos_label=1))


def calibrated(rng: np.random.Generator) -> tuple[Any, Any, int]:
    frames = int(rng.integers(2, 200))
    probabilities = rng.random(frames) if rng.random() < 0.5 else rng.integers(1, 10, frames) / 10 + 0.003
    return (rng.random(frames) < probabilities).astype(int), probabilities, int(rng.integers(1, 21))


def sequences(rng: np.random.Generator) -> tuple[Any, Any, int, int]:
    length, phases = int(rng.integers(5, 60)), int(rng.integers(2, 8))
    truth = plain_segments.sequence(rng, phases, length)
    predicted = np.where(rng.random(length) < 0.2, rng.integers(0, phases, length), truth)
    return truth, predicted, phases, int(rng.integers(-1, phases))


def segment_pairs(rng: np.random.Generator) -> Pairs:
    truth, predicted, phases, background = sequences(rng)
    name = "" if background < 0 else str(background)
    counts = segments.count([PhaseVideo("v", truth, predicted)], phases, background=name)
    ones, others = plain_segments.runs_of(truth.tolist(), background), plain_segments.runs_of(predicted.tolist(), background)
    for at, percent in enumerate(variants.OVERLAPS):
        hits, false, missed = plain_segments.plain_counts(ones, others, percent)
        whole = 2 * hits + false + missed
        yield float(segments.f1(counts.counts[at, 0, 0].sum(axis=0))), 2 * hits / whole if whole else np.nan


def event_pairs(rng: np.random.Generator) -> Pairs:
    truth, predicted, phases, _ = sequences(rng)
    found = segments.event_results(segments.events_of_videos([PhaseVideo("v", truth, predicted)], phases, {"v": np.arange(len(truth)) / 4}))
    ones, others = plain_segments.runs_of(truth.tolist(), None), plain_segments.runs_of(predicted.tolist(), None)
    pairs = [(ones[one][1], others[other][1]) for one, other in plain_segments.plain_pairs(ones, others)]
    onsets = [(min(other) - min(one)) / 4 for one, other in pairs if min(one) > 0]
    offsets = [(max(other) - max(one)) / 4 for one, other in pairs if max(one) < len(truth) - 1]
    for at, errors in ((0, onsets), (3, offsets)):
        yield found[at].overall.value, float(np.median(np.abs(errors))) if errors else np.nan
        yield found[at + 1].overall.value, float(np.mean(np.abs(errors))) if errors else np.nan
        yield found[at + 2].overall.value, float(np.mean(errors)) if errors else np.nan
    for at, number in ((6, len(pairs)), (7, len(ones) - len(pairs)), (8, len(others) - len(pairs))):
        yield found[at].overall.value, number


def distribution_pairs(rng: np.random.Generator) -> Pairs:
    videos = [PhaseVideo(str(at), *rng.integers(0, 4, (2, 25))) for at in range(int(rng.integers(2, 12)))]
    accuracy = [float(np.mean(np.asarray(one.annotation) == np.asarray(one.predictions))) for one in videos]
    found = {one.variant.options["statistic"]: one.overall.value for one in rates.spread_results(confusions_of_videos(videos, 4))[:7]}
    yield found["SD over videos"], float(np.std(accuracy, ddof=1))
    for name, share in rates.QUANTILES.items():
        yield found[f"{name} over videos"], float(np.quantile(accuracy, share))


KINDS: dict[str, Callable[[np.random.Generator], Pairs]] = {
    "Kendall, Spearman, quadratic kappa": skill_pairs,
    "balanced accuracy (compat)": error_pairs,
    "calibration error, Brier score": calibration_pairs,
    "segmental F1": segment_pairs,
    "onsets and offsets": event_pairs,
    "spread over videos": distribution_pairs,
}


def apart(pairs: list[tuple[float, float]]) -> float:
    """Return the largest difference; infinity where only one of the two is undefined."""
    ours, theirs = np.array(pairs, float).T
    if (np.isnan(ours) != np.isnan(theirs)).any():
        return float("inf")
    return float(np.nanmax(np.abs(ours - theirs), initial=0.0))


def ms_tcn(folder: Path, cases: int) -> list[tuple[float, float]]:
    """Return pairs of edit score and F1 with those of MS-TCN's ``eval.py``, without what only Python 2 knows."""
    source = (folder / "eval.py").read_text(encoding="utf-8").split("def main")[0].replace("np.float)", "float)")
    theirs: dict[str, Any] = {}
    exec(compile(source, "eval.py", "exec"), theirs)
    rng, pairs = np.random.default_rng(99), []
    while len(pairs) < 4 * cases:
        truth, predicted, phases, background = sequences(rng)
        one, other = (plain_segments.runs_of(side.tolist(), background) for side in (truth, predicted))
        if not one or not other:
            continue  # The program ends with an error.
        counts = segments.count([PhaseVideo("v", truth, predicted)], phases, background="" if background < 0 else str(background))
        left_out = [background]
        pairs.append((counts.edit[0, 0], theirs["edit_score"](predicted.tolist(), truth.tolist(), True, left_out) / 100))
        for at, percent in enumerate(variants.OVERLAPS):
            true, false, missed = theirs["f_score"](predicted.tolist(), truth.tolist(), percent / 100, left_out)
            pairs.append((float(segments.f1(counts.counts[at, 0, 0].sum(axis=0))), 2 * true / (2 * true + false + missed)))
    return pairs


def netcal(python: str, cases: int) -> list[tuple[float, float]]:
    """Return pairs of calibration error of equal width with netcal's, of probabilities on no edge."""
    rng = np.random.default_rng(5)
    drawn = [calibrated(rng) for _ in range(cases)]
    asked = json.dumps([[labels.tolist(), values.tolist(), bins] for labels, values, bins in drawn if len(set(labels.tolist())) > 1])
    answer = json.loads(subprocess.run([python, "-c", NETCAL], input=asked, capture_output=True, text=True, check=True).stdout)
    ours = [calibration.expected_error(*one, "equal width") for one in drawn if len(set(one[0].tolist())) > 1]
    return list(zip(ours, answer, strict=True))


def main() -> None:
    """Compare, and print a line per kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--ms-tcn", type=Path)
    parser.add_argument("--reference")
    args = parser.parse_args()
    rows: list[tuple[str, int, int, float]] = []
    for number, (name, pairs_of) in enumerate(KINDS.items()):
        rng = np.random.default_rng(number)
        pairs = [pair for _ in range(args.cases) for pair in pairs_of(rng)]
        rows.append((name, args.cases, len(pairs), apart(pairs)))
    sized = max(10, args.cases // 5)
    rows.append(("AP by size (pycocotools)", sized, sized * 4 * plain_sizes.CLASSES, plain_sizes.largest_difference(sized, seed=7)))
    if args.ms_tcn:
        pairs = ms_tcn(args.ms_tcn, args.cases)
        rows.append(("edit score, F1 (ms-tcn eval.py)", args.cases, len(pairs), apart(pairs)))
    if args.reference:
        pairs = netcal(args.reference, args.cases)
        rows.append(("calibration error (netcal)", len(pairs), len(pairs), apart(pairs)))
    for name, cases, numbers, largest in rows:
        print(f"{name:<36} {cases:>6} cases {numbers:>7} numbers  largest difference {largest:.1e}")


if __name__ == "__main__":
    main()
