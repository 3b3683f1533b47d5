"""When phases begin and end: errors of onsets and offsets in seconds, of segments that are matched by overlap.

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
from dataclasses import dataclass, field

import numpy as np

from scrubin.core.errors import MetricsError
from scrubin.metrics.bootstrap import drawn_names
from scrubin.metrics.phases.segments import Segments, segments_of
from scrubin.metrics.phases.videos import FloatArray, IntArray, PhaseVideo, checked, named
from scrubin.metrics.result import Result, Value, Variant
from scrubin.statistics import moments

EDGES = ("onset", "offset")
STATISTICS = ("median absolute", "mean absolute", "mean")


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
    """

    videos: tuple[str, ...]
    of_videos: tuple[VideoEvents, ...]
    phases: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)

    def take(self, draw: IntArray) -> Events:
        """Return the videos at these positions, which may repeat: a resample for the bootstrap."""
        return Events(drawn_names(self.videos, draw), tuple(self.of_videos[at] for at in draw.tolist()), self.phases, self.options)


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


def of_videos(
    videos: Iterable[PhaseVideo],
    phases: int | Sequence[str],
    times_s: Mapping[str, FloatArray],
    background: str = "",
    options: Mapping[str, str] | None = None,
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
    options
        Of the variant, such as the rate.

    Raises
    ------
    MetricsError
        As `videos.checked`; also for a background that there is not, or times that do not fit.
    """
    names, found, videos_of = named(phases), [], []
    if background and background not in names:
        msg = f"the background is {background!r}; it is one of {', '.join(names)}"
        raise MetricsError(msg)
    left_out = names.index(background) if background else None
    for video in checked(videos, len(names)):
        times = times_s[video.name]
        if len(times) != len(video.annotation):
            msg = f"video {video.name}: {len(times)} times for {len(video.annotation)} frames; give one per frame"
            raise MetricsError(msg)
        truth = segments_of(video.annotation, left_out)
        runs = [_of_run(truth, segments_of(one, left_out), times, len(names)) for one in video.predictions]
        errors = {edge: np.concatenate([run.errors[edge] for run in runs]) for edge in EDGES}
        totals = (np.sum([getattr(run, name) for run in runs], axis=0) for name in ("matched", "missed", "extra"))
        found.append(VideoEvents(errors, *totals))
        videos_of.append(video.name)
    return Events(tuple(videos_of), tuple(found), names, {"background": background or "none", **(options or {})})


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


def results(events: Events) -> list[Result]:
    """Return errors of onsets and offsets, and how many segments are matched, missed and extra: of all videos, per phase and per video.

    The n of an error is the number of onsets or offsets behind it, over all runs; that of a count the number of videos.
    """
    values = []
    for edge in EDGES:
        by_video = [one.errors[edge] for one in events.of_videos]
        every = np.concatenate(by_video)
        for statistic in STATISTICS:
            variant = Variant(f"phase {edge} error", "paper", {**events.options, "statistic": statistic, "unit": "s"})
            classes = {name: _statistic(every[every[:, 0] == at, 1], statistic) for at, name in enumerate(events.phases)}
            videos = {name: _statistic(one[:, 1], statistic) for name, one in zip(events.videos, by_video, strict=True)}
            values.append(Result(variant, _statistic(every[:, 1], statistic), classes, videos))
    for name in ("matched", "missed", "extra"):
        counts = np.stack([getattr(one, name) for one in events.of_videos])
        variant = Variant("phase segments", "paper", {**events.options, "statistic": name, "unit": "segments"})
        number = len(counts)
        classes = {phase: Value(float(total), number) for phase, total in zip(events.phases, counts.sum(axis=0).tolist(), strict=True)}
        videos = {video: Value(float(total), 1) for video, total in zip(events.videos, counts.sum(axis=1).tolist(), strict=True)}
        values.append(Result(variant, Value(float(counts.sum()), number), classes, videos))
    return values


def _statistic(errors: FloatArray, statistic: str) -> Value:
    listed = errors.tolist() if statistic == "mean" else np.abs(errors).tolist()
    if not listed:
        return Value(math.nan, 0)
    return Value(float(np.median(listed)) if statistic.startswith("median") else moments.mean(listed), len(listed))
