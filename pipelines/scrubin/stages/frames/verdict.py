"""The verdict on a folder of frames: its convention, its offset, what to do about the labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from scrubin.base.errors import ReleaseError
from scrubin.stages.frames import thumbnails as folders
from scrubin.stages.frames.candidates import Evidence, Explained, explained, gather, meant_by
from scrubin.stages.frames.conventions import OURS, Convention, Timeline
from scrubin.stages.frames.thumbnails import ALIKE, FEWEST, FloatArray, Pictures, ThumbnailComparison, thumbnails_of

NONE, UNDECIDED, FOREIGN = "none", "cannot-be-told", "another-video"
UNEXPLAINED_SHARE = 0.1
SECONDS_PER_HOUR = 3600.0
SHOWN = 6


@dataclass(frozen=True)
class Shift:
    """Time that pictures show, less the time that the contract's picture of their number shows.

    Parameters
    ----------
    median_s, least_s, most_s
        Over all pictures.
    median_frames
        The same in frames of the video.
    drift_s_per_hour
        How it grows.
    """

    median_s: float
    least_s: float
    most_s: float
    median_frames: float
    drift_s_per_hour: float


@dataclass(frozen=True)
class Tried:
    """One convention and how many pictures it explains."""

    convention: str
    begins_at: int
    fit: int
    pictures: int
    places_missing_or_doubled: int
    first_frames: list[int]


@dataclass(frozen=True)
class FolderVerdict:
    """What is found of a folder.

    Parameters
    ----------
    kind, convention
        Name of the convention, and as a curator would write it.
    also
        Other conventions that pick the same frames of this video.
    possible
        Conventions that pick other frames and explain the pictures as well: too little moves.
    rate
        The simple rate, pictures per second, that the contract is held to.
    number_start, number_step
        Of the file names.
    missing
        Numbers k of the convention that have no picture.
    moved_at
        File names from which on pictures are missing or doubled, and by how many the later ones are ahead.
    unfit
        File names that show something else.
    """

    pictures: int
    video_frames: int
    kind: str
    convention: str
    also: list[str]
    possible: list[str]
    rate: str
    number_start: int
    number_step: int
    begins_at: int
    missing: list[int]
    moved_at: dict[str, int]
    unfit: list[str]
    shift: Shift | None
    follows_contract: bool
    what_to_do: list[str]
    tried: list[Tried]

    def as_json(self) -> dict[str, object]:
        """Return plain values."""
        return asdict(self)


def check(
    folder: Path, video: Path, folder_name: str, video_name: str, fps: Fraction | None, *, allow_missing: bool = False
) -> FolderVerdict:
    """Compare a folder of frames with the video that it was made of.

    Parameters
    ----------
    folder
        Pictures, or a tar of them.
    video
        The video, decoded once.
    folder_name, video_name
        For messages.
    fps
        Rate of the contract; None: the simplest rate near the one found.
    allow_missing
        Whether numbers without a picture are all right, because frames were dropped.

    Raises
    ------
    VideoError, ReleaseError
        When the video or a picture cannot be read.
    """
    pictures = folders.read(folder, folder_name)
    watched = thumbnails_of(video, video_name)
    comparison = ThumbnailComparison(pictures.thumbnails, watched.thumbnails)
    if len(pictures.names) < FEWEST and fps is None:
        raise ReleaseError(f"{folder_name}: {len(pictures.names)} pictures do not tell their rate; give --fps")
    seen = gather(pictures, watched, comparison, fps)
    explanations = explained(pictures, watched, comparison, seen[0])
    known = seen[0]
    if explanations[0].faults and len(seen) > 1:
        known, explanations = seen[1], explained(pictures, watched, comparison, seen[1])
    if fps is None and not explanations[0].faults:
        # The pictures' own frames tell the rate better than their number did.
        rate = meant_by(explanations[0], pictures, watched.timeline)
        if rate != known.rate:
            known = replace(known, rate=rate)
            explanations = explained(pictures, watched, comparison, known)
    verdict = _judge(pictures, watched.timeline, known, explanations, allow_missing=allow_missing)
    if fps is None and verdict.follows_contract and not _is_simple(known.rate):
        # Every 25th frame of 24 per second: right only for who knows that it is not one per second.
        said = f"the folder has {known.rate} pictures per second; where that is meant, give --fps {known.rate}"
        return replace(verdict, follows_contract=False, what_to_do=[said])
    return verdict


def _is_simple(rate: Fraction) -> bool:
    return rate.numerator == 1 or (2 * rate).denominator == 1


def _judge(pictures: Pictures, line: Timeline, known: Evidence, explanations: list[Explained], *, allow_missing: bool) -> FolderVerdict:
    best = explanations[0]
    alike = [one for one in explanations if not one.faults] or [best]
    same = [one for one in alike[1:] if np.array_equal(one.frames, best.frames)]
    # Up to one frame beside each other, where nothing moves, no label can tell them apart either.
    possible = [one for one in alike[1:] if not best.faults and np.abs(one.frames - best.frames).max() > 1]
    name, description = best.convention.name, best.convention.description
    if known.unexplained > ALIKE:
        name, description = FOREIGN, "the pictures are not of this video, or only of a part of its picture"
    elif possible:
        name, description = UNDECIDED, "too little moves to tell"
    elif best.faults > UNEXPLAINED_SHARE * len(pictures.names):
        name, description = NONE, "none of the known ones"
    of_video = name not in (FOREIGN, NONE)
    numbers = set((best.begins_at + np.array(pictures.places) + best.moved).tolist())
    # A folder that starts later and counts from 0 or 1 all the same was made of another cut: nothing is missing before it.
    later = pictures.numbers[0] - best.begins_at * pictures.step not in (0, 1)
    missing = sorted(set(range(best.begins_at if later else 0, best.length)) - numbers) if of_video else []
    follows = name == OURS and best.convention.rate == known.rate and not best.faults and not (missing and not allow_missing)
    follows = follows and pictures.step == 1 and pictures.numbers[0] == best.begins_at
    shift = _shift(best, pictures, line, known.rate) if name not in (FOREIGN, NONE, UNDECIDED) else None
    verdict = FolderVerdict(
        pictures=len(pictures.names),
        video_frames=len(line.ticks),
        kind=name,
        convention=description,
        also=_names(same, best.convention),
        possible=[best.convention.description, *_names(possible, best.convention)] if name == UNDECIDED else [],
        rate=str(known.rate),
        number_start=pictures.numbers[0],
        number_step=pictures.step,
        begins_at=best.begins_at,
        missing=missing,
        moved_at=_moves(best, pictures) if of_video else {},
        unfit=[pictures.names[i] for i in best.unfit] if of_video else [],
        shift=shift,
        follows_contract=follows,
        what_to_do=[],
        tried=[_tried(one, pictures) for one in explanations[:SHOWN]],
    )
    return replace(verdict, what_to_do=_advice(verdict, best, pictures, known))


def _count_from(best: Explained, pictures: Pictures) -> int:
    """Return the number that a file with k = 0 would have: where files are missing at the start it is 0 or 1 all the same."""
    said = pictures.numbers[0] - best.begins_at * pictures.step
    return said if said in (0, 1) else min(1, pictures.numbers[0])


def _shift(best: Explained, pictures: Pictures, line: Timeline, rate: Fraction) -> Shift | None:
    """Return how far the pictures are from the contract's pictures of the same number, counted from 0."""
    fit = np.setdiff1d(np.arange(len(pictures.names)), best.unfit)
    k = (np.array(pictures.numbers)[fit] - _count_from(best, pictures)) // pictures.step
    if not len(fit):
        return None
    ours = Convention(OURS, rate).frames(line)
    # Behind the end of the video there is no frame, but there is a time.
    wanted_s = np.where(k < len(ours), line.times_s[ours[k.clip(0, len(ours) - 1)]], k / float(rate))
    apart_s = line.times_s[best.frames[fit]] - wanted_s
    frames = float(np.median(best.frames[fit] - np.searchsorted(line.times_s, wanted_s - line.frame_s / 2)))
    # Rounded to what the file's clock can tell.
    median_s, least_s, most_s = (round(float(value), 6) for value in (np.median(apart_s), apart_s.min(), apart_s.max()))
    return Shift(median_s, least_s, most_s, frames, round(_slope(k / float(rate), apart_s) * SECONDS_PER_HOUR, 3))


def _slope(x: FloatArray, y: FloatArray) -> float:
    """Return the median slope between the first and the second half: a few odd pictures at the start do not count."""
    half = len(x) // 2
    return float(np.median((y[-half:] - y[:half]) / (x[-half:] - x[:half]))) if half else 0.0


def _names(explanations: list[Explained], but: Convention) -> list[str]:
    return [name for name in dict.fromkeys(one.convention.description for one in explanations) if name != but.description]


def _moves(best: Explained, pictures: Pictures) -> dict[str, int]:
    before = np.concatenate([[0], best.moved[:-1]])
    return {pictures.names[i]: int(best.moved[i]) for i in np.flatnonzero(best.moved != before)}


def _tried(one: Explained, pictures: Pictures) -> Tried:
    total = len(pictures.names)
    return Tried(one.convention.description, one.begins_at, total - len(one.unfit), total, one.changes, one.frames[:3].tolist())


def _advice(verdict: FolderVerdict, best: Explained, pictures: Pictures, known: Evidence) -> list[str]:
    """Return in sentences what makes labels fit."""
    if verdict.kind == FOREIGN:
        return ["name the video that the frames were made of"]
    if verdict.kind == NONE:
        line = known.seconds
        grid = (
            f"the pictures lie {line.slope:.4f} s apart, the first at {line.start:.3f} s" if line.share else "the pictures lie on no line"
        )
        return [f"{grid}; extract the frames again, or give every label its picture by hand"]
    if verdict.kind == UNDECIDED:
        return ["the labels may be off by any of these; extract the frames again to be sure"]
    said = []
    if best.convention.rate is not None and best.convention.rate != known.rate:
        said.append(f"the folder has {best.convention.rate} pictures per second, not {known.rate}")
    if _count_from(best, pictures):
        said.append("subtract 1 from the numbers of the files: they count from 1")
    if pictures.step > 1:
        said.append(f"divide the numbers of the files by {pictures.step}")
    shift = verdict.shift
    if shift is not None and (shift.median_frames or shift.least_s or shift.most_s):
        said.append(
            f"subtract {shift.median_s:.3f} s ({shift.median_frames:g} frames) from the times of the video's labels before they are put on "
            f"these pictures, and add it to labels made on them: picture k shows the video that much later than k/{verdict.rate} s says"
        )
        if shift.most_s - shift.least_s > 2 * abs(shift.median_s) / 100 + 1e-6:
            said.append(
                f"that is the median; the pictures are {shift.least_s:.3f} to {shift.most_s:.3f} s late, {shift.drift_s_per_hour:+.1f} s/h"
            )
    if verdict.moved_at:
        said.append("extract the frames again: pictures are missing or doubled, and all later ones are moved")
    if verdict.unfit:
        said.append(f"{len(verdict.unfit)} pictures show something else: extract the frames again")
    if verdict.missing and not verdict.follows_contract:
        said.append(
            f"{len(verdict.missing)} of {best.length} numbers have no picture; where they were dropped on purpose, give --allow-missing"
        )
    return said


NAMES_SHOWN = 5


def lines(verdict: FolderVerdict) -> Iterator[str]:
    """Yield the verdict as lines for people."""
    yield f"pictures      {verdict.pictures}, numbered from {verdict.number_start}" + (
        f" in steps of {verdict.number_step}" if verdict.number_step > 1 else ""
    )
    yield f"video         {verdict.video_frames} frames"
    yield f"convention    {verdict.convention}"
    for name in verdict.also:
        yield f"              the same as {name}"
    for name in verdict.possible:
        yield f"              possible: {name}"
    if verdict.shift is not None:
        shift = verdict.shift
        yield f"shift         {shift.median_s:+.3f} s ({shift.median_frames:+g} frames) against frame k at k/{verdict.rate} s"
        yield f"              from {shift.least_s:+.3f} to {shift.most_s:+.3f} s, drift {shift.drift_s_per_hour:+.1f} s/h"
    for title, names in (
        ("missing", [str(k) for k in verdict.missing]),
        ("moved from", [f"{name} ({moved:+d})" for name, moved in verdict.moved_at.items()]),
        ("do not fit", verdict.unfit),
    ):
        if names:
            yield f"{title:<13} {', '.join(names[:NAMES_SHOWN])}" + (
                f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
            )
    yield ""
    yield f"{'tried':<48} {'fit':>12} {'missing or':>11}  first frames"
    yield f"{'':<48} {'':>12} {'doubled at':>11}"
    for tried in verdict.tried:
        begins = f", from k = {tried.begins_at}" if tried.begins_at else ""
        fit = f"{tried.fit} of {tried.pictures}"
        yield f"{tried.convention + begins:<48} {fit:>12} {tried.places_missing_or_doubled:>11}  {', '.join(map(str, tried.first_frames))}"
    yield ""
    yield "these frames follow the contract" if verdict.follows_contract else "these frames do not follow the contract"
    for sentence in verdict.what_to_do:
        yield f"- {sentence}"
