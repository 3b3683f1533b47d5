"""What a video has at numbered frames: truth with predictions at the same frames, advice where their numbers do not agree.

The advice is given here for every command: ``score``, ``submission check`` and ``rank`` say the same of the same frames.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.errors import MetricsError
from scrubin.base.faults import VIDEO, Fault, Faults, count_text, error, ranges_text, warning
from scrubin.labels.files.detect import LABELS_UNREAD
from scrubin.labels.files.reader import NumberedLabels
from scrubin.labels.model import ClassesOf, Labels
from scrubin.labels.rates import NONE, SECONDS, Numbering, about_fps, frames_at, is_by_frame, refused_fps, renumber, stated_otherwise

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
FEWEST_ALIKE, FEWEST_APART, FEWEST_LEFT_OUT = 8, 20, 10
"""So many detections lie at one distance, or so many apart, only in a sample of the film; it leaves out so many frames with an object."""
LEAST_RATIO = 5
"""By less detections more likely end early; up to so many per second are a sample of a film."""
ROUNDED = Fraction(1, 500)
"""By so small a share a rate differs from the number that some write for it, as 29.97 does from 30."""
REFUSED_FROM = 2
"""A side that goes on so many times as far is refused; where it is less, labels or predictions more likely end early."""
ALIKE, FEW = 0.1, 2
"""Both sides end alike where they differ by this share of the farther one, or by so many frames."""
TABLES = (".csv", ".tsv", ".txt")
"""Only their first line may be a name."""
NOTHING_FOUND = "; where nothing is found in it, list its frames without objects, as COCO lists images without annotations"
FROM_ONE = "numbered from 1 without a gap, but frames are counted from 0"
LOOK = "look whether --fps and --predictions-fps are right; if one side ends early, nothing is to be done"
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
    labels
        What was read, where it says times beside its frames.
    film
        Of labels: how many frames the released film has, where its tables say it.
    by_contract
        Of predictions: whether they have to be numbered as the labels, and nobody can say another rate.
    found
        Frames with an object, of detections; None where every frame says something.
    last_begins
        Of spans: where the last one begins, in frames.
    source_format
        The format of a file that numbers the frames of the source: another one of it does so too, though only one says their rate.
    """

    frames: IntArray
    values: npt.NDArray[Any]
    numbering: Numbering | None = None
    file: str = ""
    counts_time: bool = False
    place: str = ""
    labels: Labels | None = None
    film: int | None = None
    by_contract: bool = False
    found: IntArray | None = None
    last_begins: Fraction | None = None
    source_format: str = ""

    @property
    def is_by_time(self) -> bool:
        """Whether its numbers are instants: frames are numbers, also where a file states their rate."""
        return self.counts_time and not self.source_format

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


def series_of(video: NumberedLabels, file: str, frames: IntArray, values: npt.NDArray[Any], objects: pd.DataFrame | None = None) -> Series:
    """Return what a video has at each frame; messages name ``file``, and in it the video where its name is another one.

    Parameters
    ----------
    objects
        Of detections: a row for each object, with its frame as ``position``.
    """
    labels, period_s, begin = video.labels, video.labels.clock.period_s, None
    place = "" if not file or PurePosixPath(file).stem == video.name else f"{VIDEO}{video.name}"
    if labels.segments is not None and period_s and len(starts := labels.segments["start"][labels.segments["kind"] == "phase"]):
        begin = int(starts.max()) * ((labels.segments_clock or labels.clock).period_s or period_s) / period_s
    found = None if objects is None else np.unique(objects["position"].to_numpy(np.int64))
    stated = labels if labels.fitting_fps else None
    series = Series(frames, values, video.numbering, file, labels.counts_time, place, stated, found=found, last_begins=begin)
    return replace(series, source_format=labels.format) if labels.source_fps is not None or is_by_frame(labels) else series


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
    for name, sides in _sides(truth, predictions, sorted(set(truth) & set(predictions))).items():
        (labelled, at_truth), (predicted, at_predictions) = _at_one_rate(*sides)
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
        ``video-missing``, ``rate-unknown``, ``rate-contradicted``, ``frames-shifted``, ``frames-rate``, ``frames-elsewhere`` and
        ``frames-missing`` are errors; the last one is a warning without ``every_frame``, unless one frame in so many is predicted, and so
        are ``frames-shifted`` where only the ends differ, or all films run from 1, ``frames-elsewhere`` where another video joins, and
        ``frames-rate`` of a side that goes on less than twice as far, or as far in all videos by rates that are stated.
        ``video-extra`` and ``frames-extra`` are deviations: what has no label does not count.
    """
    faults = Faults()
    for name in sorted(set(truth) - set(predictions)):
        note_missing_video(name, name, predictions, faults, "" if every_frame else NOTHING_FOUND)
    for name in sorted(set(predictions) - set(truth)):
        extra = Faults()
        note_extra_video(name, extra)
        faults.extend(predictions[name].within(name, extra))
    shared = sorted(set(truth) & set(predictions))
    unknown = {name: fault for name in shared if (fault := _of_unknown_rate(name, truth[name], predictions[name])) is not None}
    faults.extend(unknown.values())
    both = _sides(truth, predictions, [name for name in shared if name not in unknown])
    numbers = {name: _at(name, *sides, every_frame=every_frame) for name, sides in both.items()}
    videos, rates = list(numbers.values()), _of_rates(both, numbers)
    from_one, step = _from_one(videos), _step(videos)
    for name, video in numbers.items():
        of_video = Faults()
        if both[name][1].numbering != predictions[name].numbering:
            _note_one_rate(truth[name], predictions[name], of_video)
        _note_cause(video, of_video, rates.get(name), videos, from_one)
        _note_frames(video, of_video, _unsaid_beside(*both[name]), step)
        faults.extend(predictions[name].within(name, of_video))
    return faults.all()


def note_missing_video(file: str, name: str, predicted: Collection[str], faults: Faults, add: str = "") -> None:
    """Note that a video is not predicted, and what to do: often it only has another name.

    Parameters
    ----------
    file
        Where it should be.
    name
        Of the video.
    predicted
        Names of those that are.
    add
        How, where its name is that of no other one.
    """
    faults.error(file, "video-missing", "the video is not predicted", _fix_of_name(name, sorted(predicted), add))


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
    best = min(_steps(predicted, labelled), key=lambda step: (-_common(predicted - step, labelled), abs(step), step))
    # A few frames fit anywhere, and so does one side in a longer one: all of both must fit.
    is_whole = _common(predicted - best, labelled) >= EXPLAINED * max(len(predicted), len(labelled))
    return best if best and is_whole else None


def _steps(predicted: IntArray, labelled: IntArray) -> set[int]:
    """Return by how much the predicted frames of a video may be shifted."""
    return {*range(-NEAR, NEAR + 1), int(predicted[0] - labelled[0]), int(predicted[-1] - labelled[-1])}


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
    """Return that nothing says how a side counts which must be known, or that the times beside its frames say otherwise.

    Whole seconds are frames at the usual one per second.
    """
    file, place = prediction.file or name, prediction.place
    for one, other, option in ((prediction, truth, "--predictions-fps"), (truth, prediction, "--fps")):
        are_alike = one.source_format != "" and one.source_format == other.source_format
        if one.numbering is None and other.counts_time and other.numbering != SECONDS and not are_alike:
            side = "predictions" if other is prediction else "labels"
            what = f"the {side} are numbered by time, and no file says how many frames of the other side a second has"
            return error(file, "rate-unknown", what, f"say it to 'scrubin score' by {option}", place=place)
        rate = None if other.numbering is None else other.numbering.per_second
        if one.numbering is None and one.labels is not None and (stated := stated_otherwise(one.labels, rate)):
            what, fix = f"{stated}, not {rate} as the other side", refused_fps(one.labels, option, "correct the times")
            return error(one.file or name, "rate-contradicted", what, fix, place=one.place)
    sides = [one.labels for one in (truth, prediction) if one.numbering is None and one.labels is not None and about_fps(one.labels)]
    ranges = [one.fitting_fps for one in sides]
    if len(ranges) == 2 and not any(low <= most and least <= high for low, high in ranges[0] for least, most in ranges[1]):
        labels, predicted = map(about_fps, sides)
        what = f"the seconds beside frames say about {labels} per second of the labels, and about {predicted} of the predictions"
        fix = f"{refused_fps(sides[0], '--fps', '')}, and {refused_fps(sides[1], '--predictions-fps', '').removeprefix('say ')}"
        return error(file, "rate-contradicted", what, fix, place=place)
    return None


@dataclass(frozen=True, eq=False)
class _Video:
    """Numbers of one video at one rate.

    Parameters
    ----------
    film
        How many frames the released film has by the numbers of the predictions; infinite where nothing says it, or only the last span
        ends behind it.
    of_film
        In words what is so of the film.
    own, beyond
        Numbers as they stand in the predictions, and those of them behind the film.
    objects, found
        The frames that have an object, and those in which one is predicted.
    """

    file: str
    labelled: IntArray
    predicted: IntArray
    every_frame: bool
    objects: IntArray
    found: IntArray
    own: IntArray
    beyond: IntArray
    film: float = np.inf
    of_film: str = ""


def _at(name: str, truth: Series, prediction: Series, *, every_frame: bool) -> _Video:
    """Return the numbers of both sides at the coarser of their rates; labels beyond a film are of another one."""
    (labelled, at_truth), (predicted, at) = _at_one_rate(truth, prediction)
    objects, found = _with_objects(truth, labelled, at_truth), _with_objects(prediction, predicted, at)
    own, one, other = prediction.frames, truth.numbering, prediction.numbering
    video = _Video(prediction.file or name, labelled, predicted, every_frame, objects, found, own, own[:0])
    if truth.film is None or np.any(truth.frames >= truth.film):
        return video
    times = Fraction(1) if one is None or other is None else other.per_second / one.per_second
    film = -(-truth.film * times // 1)
    beyond = own[own >= film]
    has = f"{film} frame{'s' * (film != 1)}{f' at {other.per_second} per second' if other and times != 1 else ''}"
    # The end of a last span may be that of the container, or rounded up: two frames or seconds.
    may_end = film + FEW * (Fraction(1) if other is None else max(other.per_second, Fraction(1)))
    if len(beyond) and prediction.last_begins is not None and prediction.last_begins < film and own[-1] < may_end:
        return replace(video, of_film=f": the last span ends behind the film, which has {has}")
    return replace(video, beyond=beyond, film=film, of_film=f"the released film has {has}")


def _with_objects(side: Series, frames: IntArray, at: IntArray) -> IntArray:
    return frames if side.found is None else frames[np.isin(side.frames[at], side.found)]


def _note_cause(video: _Video, faults: Faults, of_rate: Fault | None, of_all: Sequence[_Video], from_one: bool | None) -> None:
    """Note why frame numbers do not agree, where the numbers alone tell it; ``of_rate`` is what is to be said of their rates."""
    file, labelled, predicted, beyond = video.file, video.labelled, video.predicted, video.beyond.tolist()
    by = 1 if from_one else shift(predicted, labelled)
    # One frame too many is no shift of a side that begins anywhere.
    if beyond and by is not None and (video.own[0] not in (by, *(labelled[:1] + by)) or beyond[-1] - by >= video.film):
        by = None
    if (step := stride(predicted, labelled)) is not None:
        what = f"the numbers look like frames of a {step} fps video"
        faults.error(file, "frames-rate", what, f"divide every frame number by {step}, {SAY_RATES}")
    elif of_rate is not None and of_rate.severity == "error":
        faults.extend([of_rate])
    elif beyond and by is None:
        leave_out = "; if only this frame is too many, leave it out" * (len(beyond) == 1)
        fix = f"number frames as in the release, from 0{leave_out}{_on_first_line(video)}"
        faults.error(file, "frames-rate", f"cannot exist: {video.of_film}", fix, frames=beyond, count=len(beyond))
    elif by is not None:
        _note_shift(video, faults, by, not video.every_frame and not from_one and _only_ends_differ(video, by, of_all))
    elif not video.every_frame and len(predicted) and len(labelled) and not _common(predicted, labelled):
        # What is found of a film may lie between its labelled frames: another video tells that the numbers are right.
        is_inside = np.isfinite(video.film) or predicted[0] <= labelled[-1]
        say = faults.warning if is_inside and any(_common(one.predicted, one.labelled) for one in of_all) else faults.error
        what, fix = f"no labelled frame is predicted: {_spans(labelled, predicted)}", "number frames as in the ground truth"
        say(file, "frames-elsewhere", what, fix)
    elif from_one is not None:
        faults.warning(file, "frames-shifted", FROM_ONE, "if the file counts frames from 1, subtract 1 from every frame number")
    elif of_rate is not None:
        faults.extend([of_rate])


def _from_one(videos: Sequence[_Video]) -> bool | None:
    """Return whether predictions of all films, which run from 1 without a gap, end one too far in most; None where they are not so.

    Nor do they tell anything where as many end as the labels, or most labels begin at 1, too.
    """
    both = [one for one in videos if len(one.own) and len(one.labelled)]
    if not both or any(one.own[[0, -1]].tolist() != [1, len(one.own)] for one in both):
        return None
    too_far = np.array([one.own[-1] - (one.labelled[-1] if np.isinf(one.film) else one.film - 1) for one in both])
    if 2 * max(np.count_nonzero(too_far == 0), sum(one.labelled[0] == 1 and np.isinf(one.film) for one in both)) >= len(both):
        return None
    return bool(2 * np.count_nonzero(too_far == 1) > len(both))


def _note_shift(video: _Video, faults: Faults, by: int, only_ends: bool) -> None:
    """Note a shift: as a warning where somebody more likely has begun late and gone on for longer, which is no fault.

    A frame beyond the end of the film leaves no doubt.
    """
    labelled, predicted = video.labelled, video.predicted
    # Where nothing is found at an end, a greater shift explains as much.
    other_end = int(predicted[0] - labelled[0]) + int(predicted[-1] - labelled[-1]) - by
    is_least = abs(other_end) > abs(by) and _explains(other_end, labelled, predicted)
    much, or_more = (f"at least {by:+d}", ", or as much as it is,") if is_least else (f"{by:+d}", "")
    fix = f"{f'subtract {by}{or_more} from' if by > 0 else f'add {-by}{or_more} to'} every frame number"
    what = f"the numbers look shifted by {much}{', as if frames were counted from 1' * (by == 1)}"
    if len(video.beyond):
        what += f": frame {video.beyond[-1]} cannot exist, {video.of_film}"
    elif only_ends:
        what = f"only the ends differ ({_spans(labelled, predicted)}), so frames are taken as they are numbered"
        faults.warning(video.file, "frames-shifted", what, f"if all are shifted by {much}, {fix}")
        return
    elif _common(predicted, labelled):
        missing = np.setdiff1d(labelled, predicted).tolist()
        too = f"predict frame{'s' * (len(missing) > 1)} {ranges_text(missing, RUNS_SHOWN)} too"
        fix += f"; if they are right, {too if missing and video.every_frame else 'leave out the frames that are not labelled'}"
    faults.error(video.file, "frames-shifted", what, fix)


def _only_ends_differ(video: _Video, by: int, of_all: Sequence[_Video]) -> bool:
    """Return whether nearly all predicted frames are labelled as they are, and the ends are not those of a shift.

    They are when it explains all predictions, and both ends are off by it, or one is: at the other end frames without a detection are left
    out. The latter may as well be somebody who began late and went on for less long; between the two only another video tells, which
    has its frames where they are labelled, and would not if it were shifted as far as one end is, the other one, or any number between.
    """
    labelled, predicted = video.labelled, video.predicted
    begins, ends = int(predicted[0] - labelled[0]), int(predicted[-1] - labelled[-1])
    least, most = sorted((by, begins + ends - by))
    stands = any(_stands(one.labelled, one.predicted, least, most) for one in of_all)
    is_shift = _explains(by, labelled, predicted) and (begins == ends == by or (by in (begins, ends) and not stands))
    inside = _common(predicted, labelled) >= EXPLAINED * len(predicted)
    within = predicted[(predicted >= labelled[0]) & (predicted <= labelled[-1])]
    return inside and not is_shift and bool(np.isin(within, labelled).all())


def _stands(labelled: IntArray, predicted: IntArray, least: int, most: int) -> bool:
    """Return whether all predicted frames of a video are labelled as they are, and not if shifted by ``least`` to ``most``."""
    if not len(predicted) or not len(labelled) or not _explains(0, labelled, predicted):
        return False
    return not any(step and _explains(step, labelled, predicted) for step in _steps(predicted, labelled) if least <= step <= most)


def _explains(by: int, labelled: IntArray, predicted: IntArray) -> bool:
    """Return whether all predicted frames are labelled ones that are shifted by so many; 0 is as they are."""
    return bool(np.isin(predicted - by, labelled).all())


def _note_frames(video: _Video, faults: Faults, unsaid: str, step: int) -> None:
    file, labelled, predicted = video.file, video.labelled, video.predicted
    missing, extra = np.setdiff1d(labelled, predicted), np.setdiff1d(predicted, labelled)
    left_out, fix = np.setdiff1d(video.objects, video.found), "predict every labelled frame"
    if step and len(left_out):
        what = f"only about one frame in {step} is predicted: {_spans(labelled, predicted)}"
        faults.error(file, "frames-missing", what, f"{fix}{unsaid}", frames=left_out.tolist(), count=len(left_out))
    elif len(missing) and video.every_frame:
        what = f"labelled, but not predicted: {_spans(labelled, predicted)}"
        faults.error(file, "frames-missing", what, f"{fix}, black ones as well{unsaid}", frames=missing.tolist(), count=len(missing))
    elif len(missing):
        what = "labelled, but not among the predictions: nothing is detected there"
        faults.warning(file, "frames-missing", what, fix, frames=missing.tolist(), count=len(missing))
    if len(extra) and not len(video.beyond):
        # Whoever predicts more than is labelled does nothing that could be misread.
        fix, said = f"leave them out{_on_first_line(video)}", video.of_film if np.isinf(video.film) else ""
        faults.deviation(file, "frames-extra", f"not labelled, so not counted{said}", fix, frames=extra.tolist(), count=len(extra))


def _on_first_line(video: _Video) -> str:
    """Return what to ask of a table that has one frame more than are labelled."""
    labelled, predicted = video.labelled, video.predicted
    is_one_more = len(labelled) and np.setdiff1d(predicted, labelled).tolist() == [labelled[-1] + 1] and len(predicted) == predicted[-1] + 1
    asked = "; is the first line of the file a name, such as the 0 that pandas writes? then all are shifted by one"
    return asked if is_one_more and PurePosixPath(video.file).suffix.lower() in TABLES else ""


def _step(videos: Sequence[_Video]) -> int:
    """Return of about how many frames one is predicted, where that is a sample of the films; 0 for what a model may find.

    Frames without an object that predictions list tell it as well as those with one.
    """
    lists = [(one.labelled, one.predicted) for one in videos if any(len(other.found) < len(other.predicted) for other in videos)]
    return _sampled([(one.objects, one.found) for one in videos]) or _sampled(lists)


def _sampled(videos: Sequence[tuple[IntArray, IntArray]]) -> int:
    """Return the step of a sample that was taken of the first frames of each pair, of which the others are predicted; 0 where none was.

    What a model finds comes in runs of neighbouring frames, a sample never: it lies at one distance, but for the last frame of a film, or
    nothing is found in some of it, and then no two lie near each other.
    """
    both = [(frames, np.intersect1d(frames, found)) for frames, found in videos]
    count, predicted = (sum(len(pair[side]) for pair in both) for side in (0, 1))
    gaps = np.concatenate([np.zeros(0, np.int64), *(np.diff(side)[:-1] for _, side in both)])
    if len(gaps) < FEWEST_ALIKE - FEW or count - predicted < max(FEWEST_LEFT_OUT, count // 2):
        return 0
    usual = np.concatenate([np.diff(frames) for frames, _ in both])
    step = int(np.median(gaps))
    is_apart = gaps > (1 + ALIKE) * np.median(usual)
    unlike = np.count_nonzero(~is_apart | (np.abs(gaps - step) >= max(ALIKE * step, 1)))
    is_sample = unlike <= max(ALIKE * len(gaps), 1) or (predicted >= FEWEST_APART and bool(np.all(is_apart & (2 * gaps >= step))))
    return step if is_sample else 0


def _spans(labelled: IntArray, predicted: IntArray) -> str:
    if not len(predicted):
        return "nothing is predicted"
    labels = f"labels are numbered {labelled[0]} to {labelled[-1]}, " if len(labelled) else ""
    return f"{labels}predictions {predicted[0]} to {predicted[-1]}"


def _unsaid_beside(truth: Series, prediction: Series) -> str:
    """Return what to say where labels have a rate at which frames of a film are numbered, and predictions have none; else ""."""
    if truth.numbering is None or truth.numbering.per_second <= LEAST_RATIO or prediction.numbering is not None:
        return ""
    return f"; labels are numbered {truth.numbering.per_second} per second: say the rate of the predictions by --predictions-fps"


def _of_rates(both: Mapping[str, tuple[Series, Series]], numbers: Mapping[str, _Video]) -> dict[str, Fault]:
    """Return what is to be said of the rates of videos: joined as they are numbered, labels would be shifted.

    Where a rate is not stated, both sides count alike if most videos end alike: of others a part is labelled or predicted, most likely.
    Else nothing says so of any. Videos of few frames say nothing. A film of known length says by itself how far predictions may go on.
    """
    telling = {name: one for name, one in numbers.items() if min(len(one.labelled), len(one.predicted)) >= FEWEST_FOR_RATE}
    stated = {name for name in telling if all(side.numbering is not None for side in both[name])}
    timed = {name for name in telling if all(side.numbering is not None or _is_timed(side) for side in both[name])}
    times_of = {name: _times(one) for name, one in telling.items()}
    # Predictions are held to the end of their film, where that is known.
    apart = {name: times for name, times in times_of.items() if times < 1 or (times > 1 and np.isinf(numbers[name].film))}
    unsaid = {name: times for name, times in apart.items() if name not in timed}
    is_most = 2 * len(unsaid) >= len(telling.keys() - timed)
    is_same = _alike([times for times in unsaid.values() if times < 1])
    faults = {}
    named = [name for name in stated if both[name][0].numbering != both[name][1].numbering and not both[name][1].is_by_time]
    for name in named if _alike([apart.get(name, 0) for name in named]) else ():
        what = f"{_farther(numbers[name], apart[name])}, and as much in all videos, as if a rate that is stated were wrong"
        faults[name] = warning("", "frames-rate", what, LOOK)
    for name, times in unsaid.items():
        may_end_early = not is_same and _may_end_early(both[name][1], numbers[name], times)
        if is_most or max(times, 1 / times) >= REFUSED_FROM:
            faults[name] = _of_ends(both[name][1], numbers[name], times, may_refuse=is_most and not may_end_early)
    return faults | _of_swapped({name: sides for name, sides in both.items() if _are_frames_of_two_rates(*sides)}, stated)


def _of_swapped(both: Mapping[str, tuple[Series, Series]], telling: Collection[str]) -> dict[str, Fault]:
    """Return what is to be said of videos whose sides state two rates, and have the same numbers, or end alike by these alone.

    One video of nearly equal rates may well have predictions that end so much earlier: a warning.
    """
    same = {name for name, (one, other) in both.items() if len(one.frames) > 1 and np.array_equal(one.frames, other.frames)}
    swapped = same | {name for name, sides in both.items() if name in telling and _are_ends_alike(*sides) == (True, False)}
    faults = {}
    for name in swapped if 2 * len(swapped) >= len(same.union(telling) & both.keys()) else ():
        rates = [side.numbering.per_second for side in both[name] if side.numbering is not None]
        what = f"labels have {rates[0]} frames per second and predictions {rates[1]}, but both end as if they had one rate"
        fix = "correct the wrong one, in the file that states it or by --fps or --predictions-fps, or number frames as in the ground truth"
        is_sure = name in same or len(swapped) > 1 or max(rates) >= REFUSED_FROM * min(rates)
        what = f"{what} ({_spans(both[name][0].frames, both[name][1].frames)})"
        faults[name] = error("", "frames-rate", what, fix) if is_sure else warning("", "frames-rate", what, LOOK)
    return faults


def _is_timed(side: Series) -> bool:
    """Return whether times beside the frames of a side say how many a second has, which is held against the other side."""
    return side.labels is not None and all(low <= high <= (1 + ALIKE) * low for low, high in side.labels.fitting_fps)


def _of_ends(prediction: Series, video: _Video, times: float, *, may_refuse: bool) -> Fault:
    """Return that one side of a video goes on farther, and nothing says that both count alike; as a warning where that may well be."""
    what = f"{_farther(video, times)}, and nothing says that both count alike"
    fix = "say both rates, --fps of labels and --predictions-fps, the same one if they do"
    if prediction.by_contract:
        leave_out = "; if they are, leave out those behind its last one, which do not count"
        fix = f"number frames as in the ground truth{leave_out * (times > 1)}"
    return (error if may_refuse and max(times, 1 / times) >= REFUSED_FROM else warning)("", "frames-rate", what, fix)


def _farther(video: _Video, times: float) -> str:
    farther, other = ("predictions", "labels") if times > 1 else ("labels", "predictions")
    ends = [int(frames[-1] + np.median(np.diff(frames))) for frames in (video.labelled, video.predicted)]
    return f"the {farther} go on {max(ends) / min(ends):.4g} times as far as the {other} ({_spans(video.labelled, video.predicted)})"


def _alike(times: Sequence[float]) -> bool:
    """Return whether so many times as far are those of one other rate, in more videos than one; 0 is no other rate."""
    return len(times) > 1 and 0 < max(times) <= (1 + ALIKE) * min(times)


def _may_end_early(prediction: Series, video: _Video, times: float) -> bool:
    """Return whether a team, which can say no rate, may have detected nothing behind the last frame that it predicts.

    Not where it numbers the labelled frames one by one: most of these lack, and others are predicted. Nor where it ends very early, if
    no film tells that its numbers are frames.
    """
    are_indices = 2 * _common(video.predicted, video.labelled) < min(len(video.labelled), len(video.predicted))
    is_far = np.isinf(video.film) and 1 / times >= LEAST_RATIO
    return prediction.by_contract and not video.every_frame and times < 1 and not are_indices and not is_far


def _times(video: _Video) -> float:
    """Return how many times as far predictions go on as labels; 1 where they end alike, but for a few frames, or begin behind."""
    coarse, fine = sorted((video.labelled, video.predicted), key=lambda frames: int(frames[-1]))
    end, last = int(coarse[-1]), int(fine[-1])
    step = max(int(np.median(np.diff(frames))) for frames in (coarse, fine))  # some judge a frame every few seconds
    if last - end <= max(ALIKE * last, FEW * step) or fine[0] > end or _ends_alike(video.objects, video.found, video.labelled):
        return 1
    # A few frames far behind are no other rate.
    times = last / max(end, 1)
    if 3 * np.count_nonzero(fine > end) < len(fine) * min(1, 2 - 2 / times):
        return 1
    return times if fine is video.predicted else 1 / times


def _ends_alike(one: IntArray, other: IntArray, *steps: IntArray) -> bool:
    """Return whether both end at one number, but for a few steps, which are the greatest of those that lie between frames."""
    step = max((int(np.median(np.diff(frames))) for frames in steps if len(frames) > 1), default=1)
    return bool(len(one) and len(other) and abs(int(one[-1]) - int(other[-1])) <= FEW * step)


def _are_ends_alike(truth: Series, prediction: Series) -> tuple[bool, bool]:
    """Return whether predictions end with the labels, or their last object, by the numbers as they stand, and at the rates."""
    video, objects = _at("", truth, prediction, every_frame=True), truth.frames if truth.found is None else truth.found
    as_numbered, at_rates = (
        any(_ends_alike(end, predicted, labelled, predicted) for end in (labelled, objects))
        for labelled, objects, predicted in ((truth.frames, objects, prediction.frames), (video.labelled, video.objects, video.predicted))
    )
    return as_numbered, at_rates


def _are_frames_of_two_rates(truth: Series, prediction: Series) -> bool:
    """Return whether both sides state how many frames a second has, and not the same; the coarser one may not be by time."""
    one, other = truth.numbering, prediction.numbering
    if one is None or other is None or one.per_second == other.per_second:
        return False
    return not (truth if one.per_second < other.per_second else prediction).is_by_time


def _sides(truth: Mapping[str, Series], predictions: Mapping[str, Series], names: Iterable[str]) -> dict[str, tuple[Series, Series]]:
    """Return both sides of videos, by one rate where both number frames, and their rates are one but for how it is rounded: 30 and 29.97.

    They are two where more videos end alike at their rates alone than as numbered alone: films that were really taken so.
    """
    both = {name: (truth[name], predictions[name]) for name in names}
    near = {name: sides for name, sides in both.items() if _are_rates_near(*sides)}
    ends = [_are_ends_alike(*sides) for sides in near.values()]
    if ends.count((False, True)) > ends.count((True, False)):
        return both
    return both | {name: (one, replace(other, numbering=one.numbering)) for name, (one, other) in near.items()}


def _note_one_rate(truth: Series, prediction: Series, faults: Faults) -> None:
    """Note that two rates are taken for one, where frames would join otherwise at these, and no end tells it."""
    at_rates, as_numbered = _renumbered(prediction, truth.numbering)[0], prediction.frames
    is_shifted = len(at_rates) > 0 and abs(int(at_rates[-1]) - int(as_numbered[-1])) > FEW
    if is_shifted and _are_ends_alike(truth, prediction) != (True, False):
        rates = [side.numbering.per_second for side in (truth, prediction) if side.numbering is not None]
        what = f"labels have {float(rates[0]):g} frames per second and predictions {float(rates[1]):g}: taken for one rate"
        faults.warning("", "frames-rate", what, "where a film was really made so, number its frames as in the ground truth")


def _are_rates_near(truth: Series, prediction: Series) -> bool:
    one, other = truth.numbering, prediction.numbering
    if one is None or other is None or one.first != other.first or truth.is_by_time or prediction.is_by_time:
        return False
    return abs(one.per_second - other.per_second) <= ROUNDED * one.per_second


def _at_one_rate(truth: Series, prediction: Series) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Return numbers and positions of both sides at the coarser of their rates."""
    rates = [side.numbering for side in (truth, prediction) if side.numbering is not None]
    coarser = min(rates, key=lambda numbering: numbering.per_second) if len(rates) == 2 else None
    return _renumbered(truth, coarser), _renumbered(prediction, coarser)


def _renumbered(series: Series, to: Numbering | None) -> tuple[IntArray, IntArray]:
    of = series.numbering
    if of is None or to is None or of == to:
        return series.frames, np.arange(len(series.frames), dtype=np.int64)
    numbers = frames_at(series.frames, of, to) if series.counts_time else None
    numbers = renumber(series.frames, of, to) if numbers is None else numbers
    kept = np.flatnonzero(numbers != NONE)
    return numbers[kept], kept.astype(np.int64)


def _fix_of_name(name: str, predicted: Sequence[str], add: str) -> str:
    if unicodedata.normalize("NFC", name) in {unicodedata.normalize("NFC", other) for other in predicted}:
        # Some systems write an accent as a character of its own.
        return "one is named alike in other Unicode characters; rename it as in the ground truth"
    number = _number(name)
    alike = [other for other in predicted if other.casefold() == name.casefold() or (number and _number(other) == number)]
    return f"is it {alike[0]}? name it as in the ground truth" if alike else f"add it{add}; predicted are {listed(predicted) or 'none'}"


def _number(name: str) -> str:
    """Return the number that a name ends with, without what stands before it."""
    digits = name.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_- ").lstrip("0")
    return digits if digits.isdigit() else ""


def _common(one: IntArray, other: IntArray) -> int:
    return len(np.intersect1d(one, other, assume_unique=True))
