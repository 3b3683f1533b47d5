"""Phase recognition: every named choice of the regular metrics, and those with relaxed boundaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

import numpy as np

from scrubin.errors import MetricsError
from scrubin.evaluation.computation import Choice, Computation, Computed
from scrubin.evaluation.series import Pair, Track, join
from scrubin.evaluation.tasks.phase_files import SPANS_FPS, Truth
from scrubin.metrics.bootstrap import IntArray
from scrubin.metrics.phases import averaging, choices, compat, confusion, relaxed
from scrubin.metrics.phases.compat import CHOLEC80, M2CAI
from scrubin.metrics.phases.rates import STRATEGIES
from scrubin.metrics.phases.relaxed import cholec80
from scrubin.metrics.phases.videos import PhaseVideo
from scrubin.metrics.result import Result
from scrubin.vocabulary.vocabulary import related

RELAXED_S = 10
PROGRAMS = {CHOLEC80.phases: ("Cholec80", CHOLEC80), M2CAI.phases: ("M2CAI", M2CAI)}
CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "scope": Choice(choices.SCOPES, "video-wise", "per video, or frames of all videos pooled"),
        "undefined": Choice(STRATEGIES, "A", "what becomes of undefined values"),
        "averaged": Choice(averaging.ORDERS, "all", "order of averaging over runs, videos and phases"),
        "bessel": Choice(("yes", "no"), "yes", "whether standard deviations divide by n - 1"),
        "every": Choice(("no", "yes"), "no", "all combinations of the above at once"),
        "omega": Choice((), f"{RELAXED_S}s", "width of relaxed boundaries, in seconds (10s) or frames (10)"),
        "relaxed-undefined": Choice(STRATEGIES, "B", "what becomes of undefined relaxed values"),
        "window": Choice(("segment", "literal"), "segment", "whether a window ends with its segment"),
        "crosses": Choice(("left-out", "accepted"), "left-out", "the transitions crossed out in Figure 3"),
        "counted": Choice(
            ("either", "own"), "either", "frames annotated or predicted, or only the predicted (precision) or annotated ones"
        ),
        "above-one": Choice(("kept", "clipped"), "kept", "relaxed precision and recall above 1"),
    },
    "compat": {"omega": Choice((), f"{RELAXED_S}s", "width of relaxed boundaries, in seconds (10s) or frames (10)")},
}


def computed(
    truth: Truth, runs: Sequence[Mapping[str, Track]], semantics: str, choice: Mapping[str, str]
) -> tuple[list[Computed], list[str]]:
    """Return what is to be computed of truth and the predictions of one or more runs, and what the user should know.

    Raises
    ------
    MetricsError
        When they do not fit each other, or a choice does not fit the phases.
    """
    joined = [join(truth.tracks, one) for one in runs]
    names = tuple(joined[0].pairs)
    videos = [_video(name, truth.tracks[name], [one.pairs[name] for one in joined], [run[name] for run in runs]) for name in names]
    omega = _omega(choice["omega"], _rate(truth.tracks, runs))
    notes = list(dict.fromkeys(note for one in joined for note in one.notes))
    frames, words = joined[0].frames, truth.words.name if truth.words else ""
    if semantics == "compat":
        if truth.words is None and (known := PROGRAMS.get(len(truth.names))) is not None:
            # The highest id that occurs decides on the program: a last phase that no video has would choose the other one.
            notes.append(
                f"no vocabulary is named: these {len(truth.names)} phases are taken for those of {known[0]}, none missing at the end"
            )
        return [Computed(names, _compat(videos, truth.names, omega), {}, frames, words)], notes
    # Relaxed boundaries are defined for the workflow of Cholec80 only.
    is_cholec80 = truth.words is not None and related(truth.words.name, "cholec80") and len(truth.names) == CHOLEC80.phases
    if not is_cholec80:
        notes.append("relaxed boundaries are defined for the seven phases of Cholec80 only, and left out")
    return [Computed(names, _paper(videos, truth.names, omega if is_cholec80 else None, choice), {}, frames, words)], notes


def _paper(videos: Sequence[PhaseVideo], names: tuple[str, ...], omega: int | None, choice: Mapping[str, str]) -> Computation:
    confusions = confusion.of_videos(videos, names)
    crosses, window = cast("Any", choice["crosses"].replace("-", " ")), cast("Any", choice["window"])
    counts = None if omega is None else relaxed.count(videos, omega, cholec80(crosses), window=window, phases=names)
    scope, undefined, order = (cast("Any", choice[name]) for name in ("scope", "undefined", "averaged"))
    chosen = choices.Choice(scope, undefined, order, choice["bessel"] == "yes")

    def results(draw: IntArray | None) -> list[Result]:
        counted = confusions if draw is None else confusions.take(draw)
        found = list(choices.every(counted)) if choice["every"] == "yes" else choices.results(counted, chosen)
        if counts is not None:
            found += _relaxed(counts if draw is None else counts.take(draw), choice, chosen)
        return found

    return results


def _relaxed(counts: relaxed.Relaxed, choice: Mapping[str, str], chosen: choices.Choice) -> list[Result]:
    strategy, counted, above_one = (cast("Any", choice[name]) for name in ("relaxed-undefined", "counted", "above-one"))
    every = [relaxed.accuracy(counts)]
    every += [relaxed.elements(counts, rate, strategy, counted=counted, above_one=above_one) for rate in relaxed.RELAXED_RATES]
    results = []
    for elements in every:
        results.append(averaging.mean(elements, chosen.averaged))
        results.append(averaging.spread(elements, "videos", bessel=chosen.bessel))
        results += [averaging.spread(elements, "phases", bessel=chosen.bessel)] if elements.phases else []
    return results


def _compat(videos: Sequence[PhaseVideo], names: tuple[str, ...], omega: int) -> Computation:
    program = PROGRAMS.get(len(names))
    if program is None:
        msg = f"the published relaxed evaluation knows 7 phases (Cholec80) or 8 (M2CAI), not {len(names)}; use the semantics 'paper'"
        raise MetricsError(msg)
    whole = compat.evaluations(videos, omega, program[1])
    return lambda draw: compat.results(compat.summarised(whole if draw is None else whole.take(draw)), names)


def _video(name: str, truth: Track, pairs: Sequence[Pair], runs: Sequence[Track]) -> PhaseVideo:
    frames = pairs[0].frames
    if any(not np.array_equal(pair.frames, frames) for pair in pairs):
        msg = f"{name}: the runs are at different rates; predict the same frames in every run"
        raise MetricsError(msg)
    predictions = np.stack([run.values[pair.prediction] for run, pair in zip(runs, pairs, strict=True)])
    return PhaseVideo(name, truth.values[pairs[0].truth], predictions)


def _rate(truth: Mapping[str, Track], runs: Sequence[Mapping[str, Track]]) -> Fraction | None:
    """Return the frames per second of the joined tracks, where a file says it."""
    rates = {track.numbering.per_second for side in (truth, *runs) for track in side.values() if track.numbering is not None}
    return min(rates) if rates else None


def _omega(text: str, fps: Fraction | None) -> int:
    number = text.removesuffix("s")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        msg = f"--variant omega={text}: give seconds, such as 10s, or frames, such as 10"
        raise MetricsError(msg)
    # Where nothing states a rate, frames are those of our frame contract by default: one per second.
    return relaxed.check_omega(round(value * float(fps or SPANS_FPS)) if text.endswith("s") else value)
