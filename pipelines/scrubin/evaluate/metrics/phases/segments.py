"""Segmental metrics: the edit score, F1 of segments at an overlap, errors of when phases begin or end.

A segment is a run of frames of one phase; frames without a label are skipped, and do not end it. Source: Lea et al., *Temporal
Convolutional Networks for Action Segmentation and Detection* (CVPR 2017), section 4, Metrics.

- **Edit score**: one minus the Levenshtein distance of the two lists of segments, each reduced to its phase, over the length of the
  longer list. How long a segment is does not count; what is cut in pieces does.
- **F1@k**: segments in order of time; each predicted one is held against the true segment of the same phase with which its IoU is
  greatest (the earliest of equals). It is a true positive when the IoU is at least k % and that segment has not been found before; else a
  false positive. True segments that nobody found are false negatives. Phases are summed before F1 is taken.

Papers print both times 100. Two means go by the same name: of the F1 of each video (``mean``, as in the authors' TCN program), and the F1
of the segments of all videos together (``pooled``, as in MS-TCN's ``eval.py``, 33ed91c). A background phase can be left out: its segments
are removed from both lists, as there. Without any segment on either side both are undefined; the programs then fail, or print 0.

>>> edit_distance([0, 1, 2], [0, 2, 1, 2])
1
>>> at_overlap(segments_of(np.array([0] * 5 + [1] * 5)), segments_of(np.array([0] * 4 + [1] * 2 + [0] * 1 + [1] * 3)), 50, 2).tolist()
[[1, 1, 0], [1, 1, 0]]

The segments of a phase on both sides are paired one to one: first the pair with the greatest IoU, then the greatest among those that are
left; of equals the earlier true, then the earlier predicted one. Segments that share no frame are no pair. An unpaired true segment is
missed, an unpaired predicted one is extra; both are counted and have no error, so read errors and counts together.

The error is the predicted minus the true time: positive is late. Where a true segment begins or ends with the labelled part of its video
nothing changes that could be found, so that onset or offset does not count.

The matching is our own: no paper of phases defines one. Errors of transitions in seconds follow the *transitional delay* of Dergachyova et
al., *Automatic data-driven real-time segmentation and recognition of surgical workflow* (IJCARS 2016).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from scrubin.base import statistics
from scrubin.base.errors import MetricsError
from scrubin.base.vocabulary.vocabulary import fold
from scrubin.evaluate.metrics.bootstrap import drawn_names
from scrubin.evaluate.metrics.phases import FloatArray, IntArray, PhaseVideo, checked, named
from scrubin.evaluate.metrics.phases.averaging import Elements, mean, spread
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result, Value, Variant, mean_of
from scrubin.evaluate.metrics.variants import NO_BACKGROUND, OVERLAPS

LEA = "Lea et al. 2017, section 4, Metrics"
EDIT = declare("phase segments edit score", task="phases", kinds=["segments"], says="order of segments, whatever they last", source=LEA)
F1_AT = declare(
    "phase segments F1@{}", task="phases", kinds=["segments"], says="F1 of segments by their least overlap in percent", source=LEA
)
"""Percent."""
TRUE, FALSE, MISSED = range(3)


@dataclass(frozen=True, eq=False)
class Segments:
    """Runs of frames of one phase.

    Parameters
    ----------
    phases
        (segments,).
    starts, ends
        (segments,), positions of frames, half open.
    """

    phases: IntArray
    starts: IntArray
    ends: IntArray


@dataclass(frozen=True, eq=False)
class SegmentCounts:
    """What the metrics are made of, per run and video.

    Parameters
    ----------
    edit
        (runs, videos), the edit score; NaN where neither side has a segment.
    counts
        (overlaps, runs, videos, phases, 3): true positives, false positives, missed.
    overlaps
        Percent.
    videos, phases
        Names.
    background
        Name of the phase that does not count; "" for none.
    """

    edit: FloatArray
    counts: IntArray
    overlaps: tuple[int, ...]
    videos: tuple[str, ...]
    phases: tuple[str, ...]
    background: str = ""

    def take(self, draw: IntArray) -> SegmentCounts:
        """Return the videos at these positions, which may repeat: a resample for the bootstrap."""
        names = drawn_names(self.videos, draw)
        return SegmentCounts(self.edit[:, draw], self.counts[:, :, draw], self.overlaps, names, self.phases, self.background)


def segments_of(sequence: IntArray, background: int | None = None) -> Segments:
    """Return the segments of a sequence of phases, without those of a background.

    Parameters
    ----------
    sequence
        (frames,), phase ids.

    >>> segments_of(np.array([2, 2, 0, 2])).starts.tolist()
    [0, 2, 3]
    """
    starts = np.flatnonzero(np.diff(sequence, prepend=-1))
    ends = np.append(starts[1:], len(sequence)).astype(np.int64)
    kept = np.ones(len(starts), np.bool_) if background is None else sequence[starts] != background
    return Segments(sequence[starts][kept], starts[kept].astype(np.int64), ends[kept])


def edit_distance(one: Sequence[int] | IntArray, other: Sequence[int] | IntArray) -> int:
    """Return the Levenshtein distance: the fewest insertions, deletions and substitutions that make one list the other."""
    places, second = np.arange(len(other) + 1), np.asarray(other)
    row = places.copy()
    for number, phase in enumerate(np.asarray(one).tolist(), 1):
        reached = np.minimum(row[1:] + 1, row[:-1] + (second != phase))
        # Insertions are a running minimum: what is reached at a place, plus the steps from there.
        row = np.minimum.accumulate(np.concatenate([[number], reached]) - places) + places
    return int(row[-1])


def edit_score(truth: Segments, predicted: Segments) -> float:
    """Return the edit score in [0, 1]; NaN where neither side has a segment."""
    longest = max(len(truth.phases), len(predicted.phases))
    return 1 - edit_distance(truth.phases, predicted.phases) / longest if longest else math.nan


def at_overlap(truth: Segments, predicted: Segments, percent: int, phases: int) -> IntArray:
    """Return true positives, false positives and missed segments of each phase, (phases, 3).

    Parameters
    ----------
    percent
        Least IoU of a true positive.
    """
    counts = np.zeros((phases, 3), np.int64)
    used = np.zeros(len(truth.phases), np.bool_)
    for phase, start, end in zip(predicted.phases.tolist(), predicted.starts.tolist(), predicted.ends.tolist(), strict=True):
        at = _best(truth, phase, start, end)
        hit = at is not None and not used[at] and 100 * _shared(truth, at, start, end) >= percent * _joined(truth, at, start, end)
        if at is not None and hit:
            used[at] = True
        counts[phase, TRUE if hit else FALSE] += 1
    np.add.at(counts[:, MISSED], truth.phases[~used], 1)
    return counts


def _best(truth: Segments, phase: int, start: int, end: int) -> int | None:
    """Return the true segment of this phase with the greatest IoU, the earliest of equals; None where none overlaps."""
    overlapping = np.flatnonzero((truth.phases == phase) & (truth.starts < end) & (truth.ends > start)).tolist()
    if not overlapping:
        return None
    # Whole numbers, so that equals are equal: shared * other's joined.
    best = overlapping[0]
    for at in overlapping[1:]:
        if _shared(truth, at, start, end) * _joined(truth, best, start, end) > _shared(truth, best, start, end) * _joined(
            truth, at, start, end
        ):
            best = at
    return int(best)


def _shared(truth: Segments, at: int, start: int, end: int) -> int:
    return int(min(truth.ends[at], end) - max(truth.starts[at], start))


def _joined(truth: Segments, at: int, start: int, end: int) -> int:
    return int(max(truth.ends[at], end) - min(truth.starts[at], start))


def count(
    videos: Iterable[PhaseVideo], phases: int | Sequence[str], overlaps: Sequence[int] = OVERLAPS, background: str = ""
) -> SegmentCounts:
    """Count all videos, one at a time.

    Parameters
    ----------
    videos
        Annotations and predictions of one or more runs.
    phases
        How many, or their names.
    overlaps
        Percent, above 0 and at most 100.
    background
        Name of the phase that does not count.

    Raises
    ------
    MetricsError
        As `videos.checked`; also for an overlap or background that there is not.
    """
    names = named(phases)
    wrong = [overlap for overlap in overlaps if not 0 < overlap <= 100]
    if wrong or not overlaps or (background and background not in names):
        what = f"the background is {background!r}" if background and background not in names else f"overlaps are {list(overlaps)}"
        raise MetricsError(f"{what}; overlaps are percent above 0 and up to 100, the background is one of {', '.join(names)}")
    left_out = names.index(background) if background else None
    edits, counted, videos_of = [], [], []
    for video in checked(videos, len(names)):
        truth = segments_of(video.annotation, left_out)
        runs = [segments_of(prediction, left_out) for prediction in video.predictions]
        edits.append([edit_score(truth, run) for run in runs])
        counted.append([[at_overlap(truth, run, overlap, len(names)) for run in runs] for overlap in overlaps])
        videos_of.append(video.name)
    counts = np.array(counted, np.int64).transpose(1, 2, 0, 3, 4)
    return SegmentCounts(np.array(edits).T, counts, tuple(overlaps), tuple(videos_of), names, background)


def segment_results(counts: SegmentCounts, *, bessel: bool = True) -> list[Result]:
    """Return the edit score, and per overlap the mean of the videos' F1 and the F1 of all segments, with deviations.

    Parameters
    ----------
    bessel
        Whether standard deviations divide by n - 1.
    """
    options = {"background": _named_background(counts.background, counts.phases)}
    edit = Elements(EDIT, "paper", options, counts.edit[..., np.newaxis], counts.videos, ())
    values = _summaries(edit, bessel)
    for at, overlap in enumerate(counts.overlaps):
        metric, of = F1_AT.format(overlap), counts.counts[at]
        by_video = Elements(metric, "paper", options, f1(of.sum(axis=2))[..., np.newaxis], counts.videos, ())
        values += _summaries(by_video, bessel)
        values.append(_pooled(metric, options, of, counts.phases))
    return values


def _named_background(background: str, phases: Sequence[str]) -> str:
    """Return how results name what is left out; a phase that is called as nothing is has its id beside it.

    >>> _named_background("", ["cut", "None"]), _named_background("cut", ["cut", "None"]), _named_background("None", ["cut", "None"])
    ('none', 'cut', 'None (phase 1)')
    """
    if not background:
        return NO_BACKGROUND
    return f"{background} (phase {phases.index(background)})" if fold(background) == NO_BACKGROUND else background


def f1(counts: IntArray) -> FloatArray:
    """Return F1 of (..., 3) true positives, false positives and missed segments; NaN where there is none of them.

    >>> f1(np.array([[2, 1, 1], [0, 0, 0]])).tolist()
    [0.6666666666666666, nan]
    """
    twice = 2 * counts[..., TRUE]
    whole = twice + counts[..., FALSE] + counts[..., MISSED]
    out = np.full(whole.shape, np.nan)
    np.divide(twice, whole, out=out, where=whole > 0)
    return out


def _summaries(elements: Elements, bessel: bool) -> list[Result]:
    every = [mean(elements), spread(elements, "videos", bessel=bessel)]
    return every + ([spread(elements, "runs", bessel=bessel)] if len(elements.values) > 1 else [])


def _pooled(metric: str, options: dict[str, str], counts: IntArray, phases: tuple[str, ...]) -> Result:
    """Return the F1 of the segments of all videos, a mean over runs.

    The n is the number of true segments of a run; where there is none, that of the predicted ones of all runs, which make the F1 a 0.
    """
    of_all = counts.sum(axis=1)
    elements = Elements(metric, "paper", options, np.zeros((1, 1, 1)), (), ())
    true, extra = of_all[0, :, TRUE] + of_all[0, :, MISSED], of_all[..., FALSE].sum(axis=0)
    by_phase = f1(of_all)
    classes = {name: Value(mean_of(by_phase[:, at]).value, int(true[at] or extra[at])) for at, name in enumerate(phases)}
    value, number = mean_of(f1(of_all.sum(axis=1))).value, int(true.sum() or extra.sum())
    return Result(elements.variant(statistic="pooled", averaged="segments of all videos"), Value(value, number), classes)


EDGES = ("onset", "offset")
STATISTICS = ("median absolute", "mean absolute", "mean")
ERRORS = {
    edge: declare(
        f"phase {edge} error",
        task="phases",
        kinds=["events"],
        says=f"by how many seconds an {edge} is late",
        source="Dergachyova et al. 2016",
        less_is_better=True,
    )
    for edge in EDGES
}
COUNTS = declare("phase segments", task="phases", kinds=["events"], says="how many segments are matched, missed or extra")


@dataclass(frozen=True, eq=False)
class VideoEvents:
    """Of one video, all runs together.

    Parameters
    ----------
    errors
        By edge, phase id and error in s of each matched segment that has one, (matched, 2).
    matched, missed, extra
        (phases,), how many segments.
    """

    errors: Mapping[str, FloatArray]
    matched: IntArray
    missed: IntArray
    extra: IntArray


@dataclass(frozen=True, eq=False)
class Events:
    """Of all videos.

    Parameters
    ----------
    videos, of_videos
        Names, and what is known of each.
    phases
        Names.
    options
        Of the variant.
    stated
        What errors in s state beside, such as the rate by which frames became times.
    """

    videos: tuple[str, ...]
    of_videos: tuple[VideoEvents, ...]
    phases: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    stated: Mapping[str, str] = field(default_factory=dict)

    def take(self, draw: IntArray) -> Events:
        """Return the videos at these positions, which may repeat: a resample for the bootstrap."""
        return replace(self, videos=drawn_names(self.videos, draw), of_videos=tuple(self.of_videos[at] for at in draw.tolist()))


def matched_pairs(truth: Segments, predicted: Segments) -> list[tuple[int, int]]:
    """Return the pairs of positions of true and predicted segments, in order of time of the true ones.

    >>> one, other = segments_of(np.array([0, 0, 0, 1, 1, 1])), segments_of(np.array([0, 1, 0, 0, 1, 1]))
    >>> matched_pairs(one, other)
    [(0, 0), (1, 3)]
    """
    shared = np.minimum(truth.ends[:, None], predicted.ends) - np.maximum(truth.starts[:, None], predicted.starts)
    possible = np.argwhere((shared > 0) & (truth.phases[:, None] == predicted.phases)).tolist()
    lengths, others = truth.ends - truth.starts, predicted.ends - predicted.starts
    # IoU grows with the shared part of the sum of both lengths.
    overlaps = {(one, other): int(shared[one, other]) / int(lengths[one] + others[other]) for one, other in possible}
    pairs: list[tuple[int, int]] = []
    free_true, free_predicted = set(range(len(lengths))), set(range(len(others)))
    for one, other in sorted(overlaps, key=lambda pair: (-overlaps[pair], pair)):
        if one in free_true and other in free_predicted:
            pairs.append((one, other))
            free_true.discard(one)
            free_predicted.discard(other)
    return sorted(pairs)


def events_of_videos(
    videos: Iterable[PhaseVideo],
    phases: int | Sequence[str],
    times_s: Mapping[str, FloatArray],
    background: str = "",
    stated: Mapping[str, str] | None = None,
) -> Events:
    """Match the segments of all videos, one at a time.

    Parameters
    ----------
    videos, of_videos
        Annotations and predictions of one or more runs.
    phases
        How many, or their names.
    times_s
        By video, (frames,), when each frame begins.
    background
        Name of the phase that does not count.
    stated
        As of `Events`.

    Raises
    ------
    MetricsError
        As `videos.checked`; also for a background that there is not, or times that do not fit.
    """
    names, found, videos_of = named(phases), [], []
    if background and background not in names:
        raise MetricsError(f"the background is {background!r}; it is one of {', '.join(names)}")
    left_out = names.index(background) if background else None
    for video in checked(videos, len(names)):
        times = times_s[video.name]
        if len(times) != len(video.annotation):
            raise MetricsError(f"video {video.name}: {len(times)} times for {len(video.annotation)} frames; give one per frame")
        truth = segments_of(video.annotation, left_out)
        runs = [_of_run(truth, segments_of(one, left_out), times, len(names)) for one in video.predictions]
        errors = {edge: np.concatenate([run.errors[edge] for run in runs]) for edge in EDGES}
        totals = (np.sum([getattr(run, name) for run in runs], axis=0) for name in ("matched", "missed", "extra"))
        found.append(VideoEvents(errors, *totals))
        videos_of.append(video.name)
    return Events(tuple(videos_of), tuple(found), names, {"background": _named_background(background, names)}, stated or {})


def _of_run(truth: Segments, predicted: Segments, times: FloatArray, phases: int) -> VideoEvents:
    pairs = matched_pairs(truth, predicted)
    ones, others = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    ids = truth.phases[ones]
    onsets = times[predicted.starts[others]] - times[truth.starts[ones]]
    offsets = times[predicted.ends[others] - 1] - times[truth.ends[ones] - 1]
    inner = {"onset": truth.starts[ones] > 0, "offset": truth.ends[ones] < len(times)}
    errors = {
        edge: np.stack([ids[inner[edge]].astype(np.float64), of_edge[inner[edge]]], axis=1)
        for edge, of_edge in zip(EDGES, (onsets, offsets), strict=True)
    }
    matched = np.bincount(ids, minlength=phases)
    missed = np.bincount(truth.phases, minlength=phases) - matched
    extra = np.bincount(predicted.phases, minlength=phases) - matched
    return VideoEvents(errors, matched, missed, extra)


def event_results(events: Events) -> list[Result]:
    """Return errors of onsets and offsets, and how many segments are matched, missed and extra: of all videos, per phase and per video.

    The n of an error is the number of onsets or offsets behind it, over all runs; that of a count the number of videos.
    """
    values = []
    for edge in EDGES:
        by_video = [one.errors[edge] for one in events.of_videos]
        every = np.concatenate(by_video)
        for statistic in STATISTICS:
            variant = Variant(ERRORS[edge], "paper", {**events.options, "statistic": statistic, "unit": "s"}, events.stated)
            classes = {name: _statistic(every[every[:, 0] == at, 1], statistic) for at, name in enumerate(events.phases)}
            videos = {name: _statistic(one[:, 1], statistic) for name, one in zip(events.videos, by_video, strict=True)}
            values.append(Result(variant, _statistic(every[:, 1], statistic), classes, videos))
    for name in ("matched", "missed", "extra"):
        counts = np.stack([getattr(one, name) for one in events.of_videos])
        variant = Variant(COUNTS, "paper", {**events.options, "statistic": name, "unit": "segments"})
        number = len(counts)
        classes = {phase: Value(float(total), number) for phase, total in zip(events.phases, counts.sum(axis=0).tolist(), strict=True)}
        videos = {video: Value(float(total), 1) for video, total in zip(events.videos, counts.sum(axis=1).tolist(), strict=True)}
        values.append(Result(variant, Value(float(counts.sum()), number), classes, videos))
    return values


def _statistic(errors: FloatArray, statistic: str) -> Value:
    listed = errors.tolist() if statistic == "mean" else np.abs(errors).tolist()
    if not listed:
        return Value(math.nan, 0)
    return Value(float(np.median(listed)) if statistic.startswith("median") else statistics.mean(listed), len(listed))
