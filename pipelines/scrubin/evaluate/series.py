"""What a video has at numbered frames: truth with predictions at the same frames, advice where their numbers do not agree.

The advice is given here for every command: ``score``, ``submission check`` and ``rank`` say the same of the same frames.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.errors import MetricsError
from scrubin.base.faults import VIDEO, Fault, Faults, count_text, error, summary, warning
from scrubin.labels.files.detect import LABELS_UNREAD
from scrubin.labels.files.reader import NumberedLabels
from scrubin.labels.model import ClassesOf
from scrubin.labels.rates import NONE, NTSC, SECONDS, Numbering, frames_at, renumber

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
EXTRA_VIDEO = "video-extra"
"""The rule of a video that is predicted and has no labels."""
RUNS_SHOWN = 5
NEAR = 30
"""So far frames may be shifted anywhere; further only if the first or the last frames of both sides are the same."""
EXPLAINED = 0.9
"""Share of the frames that a shift must explain, so that a file that also lacks some is still recognised."""
FEWEST_FOR_RATE = 5
"""So many frames a side must span before its length tells a rate."""
LEAST_RATIO = 5
"""By less the rates that both sides state hardly differ."""
HALF_RATES = (Fraction(25, 2), Fraction(15, 2))
FEWEST_OF_SHARED, FEWEST_TO_AGREE = 20, 3
"""So far labels must reach, and so many videos there must be that agree on a rate which may be any."""
TABLES = (".csv", ".tsv", ".txt")
"""Only their first line may be a name."""
SAY_RATES = "or say to 'scrubin score' the rate that files do not state: --fps for labels, --predictions-fps"


@dataclass(frozen=True, eq=False)
class Series:
    """One video.

    Parameters
    ----------
    frames
        (n,), different, increasing.
    values
        (n, ...), what is at each frame.
    numbering
        How frames are counted; None where no file says it: as the other side does.
    file, place
        Where it stands, for messages: a path, "" for the name of the video; and in it the video, where the path has another name.
    counts_time
        Whether its numbers are instants of time rather than frames, as exact as they are written.
    """

    frames: IntArray
    values: npt.NDArray[Any]
    numbering: Numbering | None = None
    file: str = ""
    counts_time: bool = False
    place: str = ""

    def within(self, name: str, faults: Faults) -> tuple[Fault, ...]:
        """Return faults of the video of this name as those of its file."""
        return tuple(replace(fault, file=self.file or name, place=self.place) for fault in faults.all())

    def where(self, name: str, source: Path) -> str:
        """Return in words where the video of this name stands in what was named, wherever that lies on this machine."""
        return ", ".join(part for part in (name_within(self.file, source) or name, self.place) if part)


def name_within(file: str, source: Path) -> str:
    """Return how a file is called inside what was named, wherever that lies on this machine."""
    path = Path(file)
    return path.relative_to(source).as_posix() if path != source and path.is_relative_to(source) else path.name


def stated_sizes(positions: IntArray, images: pd.DataFrame | None) -> FloatArray:
    """Return width and height in px of the image of each frame of a video, (frames, 2); NaN where no file states them."""
    if images is None or not {"width", "height"} <= set(images):
        return np.full((len(positions), 2), np.nan)
    return images.set_index("position")[["width", "height"]].astype("float64").reindex(positions).to_numpy(np.float64)


def series_of(video: NumberedLabels, file: str, frames: IntArray, values: npt.NDArray[Any]) -> Series:
    """Return what a video has at each frame; messages name ``file``, and in it the video where its name is another one."""
    place = "" if not file or PurePosixPath(file).stem == video.name else f"{VIDEO}{video.name}"
    return Series(frames, values, video.numbering, file, video.labels.counts_time, place)


@dataclass(frozen=True, eq=False)
class Pair:
    """Truth and prediction of one video at the same frames.

    Parameters
    ----------
    frames
        (n,), numbers by which both were joined.
    truth, prediction
        (n,), positions in the series; -1 where nothing is predicted.
    """

    frames: IntArray
    truth: IntArray
    prediction: IntArray


@dataclass
class JoinedVideos:
    """All videos of the truth, and the faults that stop nothing."""

    pairs: dict[str, Pair]
    faults: tuple[Fault, ...] = ()

    @property
    def frames(self) -> dict[str, int]:
        """How many frames of each video count."""
        return {name: len(pair.frames) for name, pair in self.pairs.items()}

    @property
    def notes(self) -> list[str]:
        """The faults for reading."""
        return summary(self.faults)


def recognised(has_whole: Mapping[str, bool]) -> tuple[ClassesOf, list[str]]:
    """Return what recognition is scored in, and the videos on which it is: triplets where any video has whole ones, in these alone.

    Parameters
    ----------
    has_whole
        By video with labelled instances, whether they are whole triplets: see `labels.rows.has_whole_triplets`.

    >>> recognised({"abelo": True, "borunga": False}), recognised({"borunga": False})
    (('ivt', ['abelo']), ('i', ['borunga']))
    """
    whole = [name for name, is_whole in has_whole.items() if is_whole]
    return ("ivt", whole) if whole else ("i", list(has_whole))


def not_whole(names: Sequence[str], of: int) -> Fault:
    """Return the warning of videos, of so many that are labelled, that do not count beside those with whole triplets."""
    what = f"videos with instances that are no whole triplet do not count ({len(names)} of {of}, first {names[0]})"
    return warning("", "triplet-partial", what, "label whole triplets")


def paired(truth: Mapping[str, Series], predictions: Mapping[str, Series], *, every_frame: bool = True) -> JoinedVideos:
    """Bring both sides to the same videos and frames.

    Where both say how they count and do not count alike, the finer one goes to the rate of the coarser by the rule of
    ``labels.rates``. Predictions of videos and frames without a label do not count.

    Parameters
    ----------
    truth, predictions
        Series by name of the video.
    every_frame
        Whether every labelled frame must be predicted; otherwise a missing one has no prediction.

    Raises
    ------
    MetricsError
        With everything that `faults_of` says, when any of it is an error.
    """
    faults = faults_of(truth, predictions, every_frame=every_frame)
    MetricsError.raise_any(faults)
    pairs = {}
    for name in sorted(set(truth) & set(predictions)):
        (labelled, at_truth), (predicted, at_predictions) = _at_one_rate(truth[name], predictions[name])
        known = np.isin(labelled, predicted)
        at = np.where(known, np.searchsorted(predicted, labelled), -1)
        at[known] = at_predictions[at[known]]
        pairs[name] = Pair(labelled, at_truth, at)
    return JoinedVideos(pairs, faults)


def faults_of(truth: Mapping[str, Series], predictions: Mapping[str, Series], *, every_frame: bool = True) -> tuple[Fault, ...]:
    """Return what is wrong with the videos and frames of predictions, with the likely cause and the fix.

    Parameters
    ----------
    truth, predictions, every_frame
        As of `paired`; values do not count.

    Returns
    -------
    tuple of Fault
        ``video-missing``, ``rate-unknown``, ``frames-shifted``, ``frames-rate``, ``frames-elsewhere`` and ``frames-missing`` are
        errors; the last one is a warning without ``every_frame``, and so is ``frames-shifted`` where only the ends differ.
        ``video-extra`` and ``frames-extra`` are deviations: what has no
        label does not count.
    """
    faults = Faults()
    for name in sorted(set(truth) - set(predictions)):
        note_missing_video(name, name, predictions, faults)
    for name in sorted(set(predictions) - set(truth)):
        extra = Faults()
        note_extra_video(name, extra)
        faults.extend(predictions[name].within(name, extra))
    shared = sorted(set(truth) & set(predictions))
    ratios = _ratios({name: (truth[name], predictions[name]) for name in shared})
    in_which = "in every video" if len(ratios) == len(shared) else f"in {len(ratios)} of {len(shared)} videos"
    unknown = {name: fault for name in shared if (fault := _of_unknown_rate(name, truth[name], predictions[name])) is not None}
    faults.extend(unknown.values())
    numbers = {name: _numbers(truth[name], predictions[name]) for name in shared if name not in unknown}
    for name, (labelled, predicted) in numbers.items():
        of_video, file = Faults(), predictions[name].file or name
        at_ratio = (float(ratios[name]), in_which) if name in ratios else None
        _note_cause(file, labelled, predicted, of_video, at_ratio, list(numbers.values()), every_frame=every_frame)
        _note_frames(file, labelled, predicted, of_video, truth[name].numbering, every_frame=every_frame)
        faults.extend(predictions[name].within(name, of_video))
    return faults.all()


def note_missing_video(file: str, name: str, predicted: Collection[str], faults: Faults) -> None:
    """Note that a video is not predicted, and what to do: often it only has another name.

    Parameters
    ----------
    file
        Where it should be.
    name
        Of the video.
    predicted
        Names of those that are.
    """
    faults.error(file, "video-missing", "the video is not predicted", _fix_of_name(name, sorted(predicted)))


def note_extra_video(file: str, faults: Faults, fix: str = "leave it out") -> None:
    """Note that a video is predicted that is not labelled: whoever predicts more than is labelled does nothing that could be misread."""
    faults.deviation(file, EXTRA_VIDEO, "the video has no ground truth, so it does not count", fix)


def refuse_unread(truth: Collection[str], predicted: Collection[str], faults: Iterable[Fault]) -> None:
    """Raise `MetricsError` where a video is of one side alone, and of the other one lie labels of its name that were not read.

    Parameters
    ----------
    truth, predicted
        Names of the videos.
    faults
        Of the files of both sides.
    """
    alone = set(truth) ^ set(predicted)
    MetricsError.raise_any(unread_of(sorted(alone), faults))


def unread_of(names: Iterable[str], faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return as errors the warnings of files that were not read, may well hold its labels, and have the name of a video."""
    unread = [fault for fault in faults if fault.rule == LABELS_UNREAD]
    fix = "write it in the format of the others, or move it out of the folder"
    found = {fault.file: name for name in names for fault in unread if _is_named(fault.file, name)}
    return tuple(
        error(one.file, "video-unread", f"it {one.what}, but is named like the video {name}", fix)
        for one in unread
        if (name := found.get(one.file)) is not None
    )


def _is_named(file: str, video: str) -> bool:
    """Return whether a file has the name of a video, with what formats write behind it, or lies in a folder of that name."""
    path = PurePosixPath(Path(file).as_posix())
    return path.parent.name == video or re.fullmatch(rf"{re.escape(video)}(?:[._-][^0-9].*)?", path.name) is not None


def listed(names: Sequence[str]) -> str:
    """Return the first few names on one line."""
    return ", ".join(names[:RUNS_SHOWN]) + (f" and {len(names) - RUNS_SHOWN} more" if len(names) > RUNS_SHOWN else "")


def without_truth(names: Sequence[str]) -> str:
    """Return the sentence on listed videos that have nothing to be scored against; a split may list several tasks."""
    who = count_text(len(names), "listed video")
    return f"{who} without this kind of ground truth, such as recordings of other tasks; not scored: {listed(names)}"


def shift(predicted: IntArray, labelled: IntArray) -> int | None:
    """Return by how much more the predicted frames are than the labelled ones, None when no shift explains the difference.

    Parameters
    ----------
    predicted, labelled
        Frame numbers, increasing, each once.

    >>> shift(np.arange(1, 101), np.arange(100)), shift(np.arange(99), np.arange(100))
    (1, None)
    """
    if not len(predicted) or not len(labelled) or np.isin(predicted, labelled).all():
        return None
    plain = _common(predicted, labelled)
    best = min(_steps(predicted, labelled), key=lambda step: (-_common(predicted - step, labelled), abs(step), step))
    common = _common(predicted - best, labelled)
    return best if common > plain and common >= EXPLAINED * min(len(predicted), len(labelled)) else None


def _steps(predicted: IntArray, labelled: IntArray) -> set[int]:
    """Return by how much the predicted frames of a video may be shifted."""
    return {*range(-NEAR, NEAR + 1), int(predicted[0] - labelled[0]), int(predicted[-1] - labelled[-1])} - {0}


def stride(predicted: IntArray, labelled: IntArray) -> int | None:
    """Return the number that all predicted frames are multiples of, when divided by it they are the labelled ones; else None.

    >>> stride(np.arange(0, 250, 25), np.arange(10))
    25
    """
    step = int(np.gcd.reduce(predicted)) if len(predicted) > 1 else 0
    if step < 2 or _common(predicted, labelled) >= EXPLAINED * len(labelled):
        return None
    return step if _common(predicted // step, labelled) >= EXPLAINED * len(labelled) else None


def _of_unknown_rate(name: str, truth: Series, prediction: Series) -> Fault | None:
    """Return that one side counts in time and nothing says how the other counts; whole seconds are frames at the usual one per second."""
    for timed, other, option in ((truth, prediction, "--predictions-fps"), (prediction, truth, "--fps")):
        if timed.counts_time and timed.numbering != SECONDS and other.numbering is None:
            side = "predictions" if timed is prediction else "labels"
            what = f"the {side} are numbered by time, and no file says how many frames of the other side a second has"
            return error(prediction.file or name, "rate-unknown", what, f"say it to 'scrubin score' by {option}", place=prediction.place)
    return None


def _note_cause(
    file: str,
    labelled: IntArray,
    predicted: IntArray,
    faults: Faults,
    at_ratio: tuple[float, str] | None,
    of_all: Sequence[tuple[IntArray, IntArray]],
    *,
    every_frame: bool,
) -> None:
    """Note why frame numbers do not agree, where the numbers alone tell it; ``of_all`` are labelled and predicted ones of all videos.

    ``at_ratio`` is how many times as far predictions are numbered as labels, and in which videos, in words.
    """
    spans = _spans(labelled, predicted)
    if (step := stride(predicted, labelled)) is not None:
        what = f"the numbers look like frames of a {step} fps video"
        faults.error(file, "frames-rate", what, f"divide every frame number by {step}, {SAY_RATES}")
    elif at_ratio is not None:
        ratio, in_which = at_ratio
        finer, other, times = ("predictions", "labels", ratio) if ratio > 1 else ("labels", "predictions", 1 / ratio)
        what = f"the {finer} are numbered {times:g} times as far as the {other} {in_which} ({spans})"
        alike = "leave out the frames behind the labels" if ratio > 1 else "predict all labelled frames"
        fix = (
            f"they seem to count at another rate: number frames as in the ground truth, {SAY_RATES}; if both count alike, {alike}; "
            "who calls 'scrubin score' may say instead that they do, such as by --fps 1 --predictions-fps 1"
        )
        faults.error(file, "frames-rate", what, fix)
    elif (by := _shift_of(predicted, labelled, every_frame=every_frame)) is not None:
        _note_shift(file, labelled, predicted, faults, by, of_all, every_frame=every_frame)
    elif not every_frame and len(predicted) and len(labelled) and not _common(predicted, labelled):
        faults.error(file, "frames-elsewhere", f"no labelled frame is predicted: {spans}", "number frames as in the ground truth")


def _note_shift(
    file: str,
    labelled: IntArray,
    predicted: IntArray,
    faults: Faults,
    by: int,
    of_all: Sequence[tuple[IntArray, IntArray]],
    *,
    every_frame: bool,
) -> None:
    """Note a shift: as a warning where somebody more likely has begun late and gone on for longer, which is no fault."""
    # Where nothing is found at an end, a greater shift explains as much.
    other_end = int(predicted[0] - labelled[0]) + int(predicted[-1] - labelled[-1]) - by
    is_least = abs(other_end) > abs(by) and _explains(other_end, labelled, predicted)
    much, or_more = (f"at least {by:+d}", ", or as much as it is,") if is_least else (f"{by:+d}", "")
    fix = f"{f'subtract {by}{or_more} from' if by > 0 else f'add {-by}{or_more} to'} every frame number"
    if not every_frame and _only_ends_differ(labelled, predicted, by, of_all):
        what = f"only the ends differ ({_spans(labelled, predicted)}), so frames are taken as they are numbered"
        faults.warning(file, "frames-shifted", what, f"if all are shifted by {much}, {fix}")
        return
    if not every_frame and _common(predicted, labelled):
        fix += "; if they are right, leave out the frames that are not labelled"
    as_if = ", as if frames were counted from 1" if by == 1 else ""
    faults.error(file, "frames-shifted", f"the numbers look shifted by {much}{as_if}", fix)


def _only_ends_differ(labelled: IntArray, predicted: IntArray, by: int, of_all: Sequence[tuple[IntArray, IntArray]]) -> bool:
    """Return whether nearly all predicted frames are labelled as they are, and the ends are not those of a shift.

    They are when it explains all predictions, and both ends are off by it, or one is: at the other end frames without a detection are left
    out. The latter may as well be somebody who began late and went on for less long; between the two only another video tells, which
    has its frames where they are labelled, and would not if it were shifted as far as one end is, the other one, or any number between.
    """
    begins, ends = int(predicted[0] - labelled[0]), int(predicted[-1] - labelled[-1])
    least, most = sorted((by, begins + ends - by))
    stands = any(_stands(*of_video, least, most) for of_video in of_all)
    is_shift = _explains(by, labelled, predicted) and (begins == ends == by or (by in (begins, ends) and not stands))
    inside = _common(predicted, labelled) >= EXPLAINED * len(predicted)
    within = predicted[(predicted >= labelled[0]) & (predicted <= labelled[-1])]
    return inside and not is_shift and bool(np.isin(within, labelled).all())


def _stands(labelled: IntArray, predicted: IntArray, least: int, most: int) -> bool:
    """Return whether all predicted frames of a video are labelled as they are, and not if shifted by ``least`` to ``most``."""
    if not len(predicted) or not len(labelled) or not _explains(0, labelled, predicted):
        return False
    return not any(_explains(step, labelled, predicted) for step in _steps(predicted, labelled) if least <= step <= most)


def _explains(by: int, labelled: IntArray, predicted: IntArray) -> bool:
    """Return whether all predicted frames are labelled ones that are shifted by so many; 0 is as they are."""
    return bool(np.isin(predicted - by, labelled).all())


def _note_frames(
    file: str, labelled: IntArray, predicted: IntArray, faults: Faults, numbering: Numbering | None, *, every_frame: bool
) -> None:
    missing, extra = np.setdiff1d(labelled, predicted), np.setdiff1d(predicted, labelled)
    if len(missing) and every_frame:
        fix = "predict every labelled frame, black ones as well"
        if len(predicted) and not len(extra) and missing[0] == 0 and predicted[0] == 1:
            fix += "; if the file counts frames from 1, subtract 1"
        elif numbering is not None and numbering.per_second > LEAST_RATIO:
            fix += f"; labels are numbered {numbering.per_second} per second: say the rate of the predictions by --predictions-fps"
        what = f"labelled, but not predicted: {_spans(labelled, predicted)}"
        faults.error(file, "frames-missing", what, fix, frames=missing.tolist(), count=len(missing))
    elif len(missing):
        what, fix = "labelled, but not among the predictions: nothing is detected there", "predict every labelled frame"
        faults.warning(file, "frames-missing", what, fix, frames=missing.tolist(), count=len(missing))
    if len(extra):
        # Whoever predicts more than is labelled does nothing that could be misread.
        fix = "leave them out"
        is_table = PurePosixPath(file).suffix.lower() in TABLES
        if is_table and len(labelled) and extra.tolist() == [labelled[-1] + 1] and len(predicted) == predicted[-1] + 1:
            fix += "; is the first line of the file a name, such as the 0 that pandas writes? then all are shifted by one"
        faults.deviation(file, "frames-extra", "not labelled, so not counted", fix, frames=extra.tolist(), count=len(extra))


def _shift_of(predicted: IntArray, labelled: IntArray, *, every_frame: bool) -> int | None:
    by = shift(predicted, labelled)
    # A few frames fit anywhere: where some may be missing, all of both sides must fit.
    whole = by is None or _common(predicted - by, labelled) >= EXPLAINED * max(len(predicted), len(labelled))
    return by if every_frame or whole else None


def _spans(labelled: IntArray, predicted: IntArray) -> str:
    if not len(predicted):
        return "nothing is predicted"
    labels = f"labels are numbered {labelled[0]} to {labelled[-1]}, " if len(labelled) else ""
    return f"{labels}predictions {predicted[0]} to {predicted[-1]}"


@dataclass(frozen=True, eq=False)
class _Apart:
    """Both sides of a video of which one, the predictions or the labels, is numbered at least twice as far as the other, ``step`` apart."""

    coarse: IntArray
    fine: IntArray
    is_predicted: bool
    step: int = 1

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Between which numbers of the finer side for each of the coarser one both end with their film, but for a frame or so."""
        end, last = int(self.coarse[-1]), int(self.fine[-1])
        return Fraction(last, end + 2 * self.step), Fraction(last + 2, max(end, 1))

    @property
    def likely(self) -> Fraction:
        """How many numbers it most likely is: every frame of the finer side may be numbered, or only those of the coarser one."""
        every = int(len(self.fine) > len(self.coarse))
        return Fraction(int(self.fine[-1]) + every, int(self.coarse[-1]) + every)

    def may_be(self, rate: Fraction) -> bool:
        """Return whether both sides begin and end with their film at so many numbers of the finer side for each of the coarser one."""
        least, most = self.ends
        begins = int(self.fine[0]) - rate * int(self.coarse[0])
        # Labels may begin later than their film, as predictions do not.
        return least < rate < most and begins < rate and (begins >= 0 or self.is_predicted)


def _ratios(pairs: Mapping[str, tuple[Series, Series]]) -> dict[str, Fraction]:
    """Return how many times as far predictions of videos may be numbered as labels: joined as they are, they would be shifted.

    Labels of a part of a video end anywhere, at times as those of a whole one would at another rate. So half of the videos in which one
    side goes on that far must say so; and where that is less than half of all videos, two at one rate. Videos of few frames say nothing.
    """
    telling = {name: pair for name, pair in pairs.items() if min(len(side.frames) for side in pair) >= FEWEST_FOR_RATE}
    apart = {name: sides for name, pair in telling.items() if (sides := _apart(*pair)) is not None}
    rates = {name: [rate for rate in _usual_rates(sides, *pairs[name]) if sides.may_be(rate)] for name, sides in apart.items()}
    counts = Counter(rate for of_video in rates.values() for rate in of_video)
    told = {name: min(of, key=lambda rate: (-counts[rate], abs(rate - apart[name].likely))) for name, of in rates.items() if of}
    if 2 * len(told) < len(apart) or (2 * len(told) < len(telling) and max(counts.values(), default=0) < 2):
        told = _shared({name: sides for name, sides in apart.items() if any(side.numbering is None for side in pairs[name])}, len(apart))
    return {name: rate if apart[name].is_predicted else 1 / rate for name, rate in told.items()}


def _apart(truth: Series, prediction: Series) -> _Apart | None:
    """Return both sides of a video where one goes on at least twice as far; None where that says nothing of rates."""
    labelled, predicted = _numbers(truth, prediction)
    if min(len(labelled), len(predicted)) < FEWEST_FOR_RATE:
        return None  # renumbered, fewer are left
    coarse, fine = sorted((labelled, predicted), key=lambda frames: int(frames[-1]))
    is_unstated = truth.numbering is None or prediction.numbering is None
    if not is_unstated and (prediction if fine is predicted else truth).counts_time:
        return None
    # Where rates are known, some judge a frame every few seconds; the last one stands for as many.
    sides = _Apart(coarse, fine, fine is predicted, 1 if is_unstated else int(np.median(np.diff(labelled))))
    # Of another rate half of the frames or more lie behind the other side; a single one far behind is none.
    return sides if sides.ends[1] > 2 and 3 * np.count_nonzero(fine > coarse[-1]) >= len(fine) else None


def _usual_rates(sides: _Apart, truth: Series, prediction: Series) -> list[Fraction]:
    """Return rates that are likely without a second video; where both sides state theirs, one may be numbered at that of the other."""
    one, other = truth.numbering, prediction.numbering
    if one is None or other is None:
        least, most = sides.ends
        return [*map(Fraction, range(max(2, math.floor(least)), math.ceil(most) + 1)), *NTSC, *HALF_RATES]
    apart = max(one.per_second, other.per_second) / min(one.per_second, other.per_second)
    return [rate for rate in dict.fromkeys((apart, Fraction(round(apart)))) if rate >= LEAST_RATIO]


def _shared(apart: Mapping[str, _Apart], of: int) -> dict[str, Fraction]:
    """Return the rate, whichever it is, that half of so many videos or more share; parts of several lengths do not agree by chance."""
    far = {name: sides for name, sides in apart.items() if int(sides.coarse[-1]) >= FEWEST_OF_SHARED}
    likely = [((least + most) / 2).limit_denominator(100) for least, most in (sides.ends for sides in far.values())]
    agreed = max(([name for name, sides in far.items() if sides.may_be(rate)] for rate in likely), key=len, default=[])
    several = {int(far[name].coarse[-1]) for name in agreed}
    if len(agreed) < FEWEST_TO_AGREE or 2 * len(agreed) < of or len(several) < 2:
        return {}
    least, most = max(far[name].ends[0] for name in agreed), min(far[name].ends[1] for name in agreed)
    return dict.fromkeys(agreed, ((least + most) / 2).limit_denominator(100))


def _at_one_rate(truth: Series, prediction: Series) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Return numbers and positions of both sides at the coarser of their rates."""
    one, other = truth.numbering, prediction.numbering
    if one is None or other is None or one == other:
        return _as_is(truth), _as_is(prediction)
    coarser = min((one, other), key=lambda numbering: numbering.per_second)
    return _renumbered(truth, one, coarser), _renumbered(prediction, other, coarser)


def _numbers(truth: Series, prediction: Series) -> tuple[IntArray, IntArray]:
    """Return the numbers alone of both sides at the coarser of their rates."""
    (labelled, _), (predicted, _) = _at_one_rate(truth, prediction)
    return labelled, predicted


def _as_is(series: Series) -> tuple[IntArray, IntArray]:
    return series.frames, np.arange(len(series.frames), dtype=np.int64)


def _renumbered(series: Series, of: Numbering, to: Numbering) -> tuple[IntArray, IntArray]:
    if of == to:
        return _as_is(series)
    numbers = frames_at(series.frames, of, to) if series.counts_time else None
    numbers = renumber(series.frames, of, to) if numbers is None else numbers
    kept = np.flatnonzero(numbers != NONE)
    return numbers[kept], kept.astype(np.int64)


def _fix_of_name(name: str, predicted: Sequence[str]) -> str:
    if unicodedata.normalize("NFC", name) in {unicodedata.normalize("NFC", other) for other in predicted}:
        # Some systems write an accent as a character of its own.
        return "one is named alike in other Unicode characters; rename it as in the ground truth"
    number = _number(name)
    alike = [other for other in predicted if other.casefold() == name.casefold() or (number and _number(other) == number)]
    return f"is it {alike[0]}? name it as in the ground truth" if alike else f"add it; predicted are {listed(predicted) or 'none'}"


def _number(name: str) -> str:
    """Return the number that a name ends with, without what stands before it."""
    digits = name.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_- ").lstrip("0")
    return digits if digits.isdigit() else ""


def _common(one: IntArray, other: IntArray) -> int:
    return len(np.intersect1d(one, other, assume_unique=True))
