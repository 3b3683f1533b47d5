"""What the pictures say about the files of a recording: frames that stand in two of them, jumps, a scene that goes on.

Recorders that cut a recording sometimes write both sides of a seam.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scrubin.media.raw_file import stored_probe
from scrubin.media.source import FilePart
from scrubin.stages.ingest.seam_pictures import PartPictures, Thumbnails, pictures_from, stored_pictures

LEAST_JUMP, LEAST_MORE = 1.5, 1.0
"""Mean difference, of 255, of two thumbnails: two encodings of one picture, and pictures that hardly move, differ by less; and how
much more than near the seam it must be: the noise of a key frame is none."""
USUAL_STEPS, CLOSE_S = 1.4, 0.4
"""A jump is so many times larger than the largest step between frames so close to the seam: what moves there moves at one pace."""
BLOCKS, FEWEST_BLOCKS, BLOCK_JUMP = 16, 4, 8.0
"""So many of 16 x 16 blocks must differ by so much, of 255, more than things that move past them do."""
NEAR_S = 3
CONTINUES, BETTER, LEAST_STEP = 1.5, 2.0, 0.2
"""A scene goes on where the step is no larger than so many times a usual one, so many times smaller than the jump, and pictures move."""
LARGE_STEPS_PERCENT = 90
FEWEST_HELD, HELD_STEP, HELD_AFTER = 3, 0.4, 0.5
"""A picture is held where so many steps are no larger than so many times a usual one, and those before and behind are usual ones."""
SHOWN_S = 1
HIDDEN = "; hidden until somebody says in the review that it is right so"
ORDER = "number the files in their order in the column 'part' of recordings.csv"


@dataclass(frozen=True)
class Doubt:
    """Something that a person should look at.

    Parameters
    ----------
    part
        The file that it is about, by its place from 0.
    sentence
        What, where, and what can be done.
    first, end
        The stretch that is doubtful: place of a file and frame in it, and the same of the first frame behind it; None: nothing is.
    """

    part: int
    sentence: str
    first: tuple[int, int] | None = None
    end: tuple[int, int] | None = None

    @property
    def stretch(self) -> list[tuple[int, int]]:
        """Both ends of what is doubtful; none when nothing is."""
        return [one for one in (self.first, self.end) if one is not None]


@dataclass(frozen=True)
class Seams:
    """How the files of a recording follow each other.

    Parameters
    ----------
    doubled
        By file, how many frames at its start are those that end the one before.
    doubts
        In the order of the files.
    """

    doubled: tuple[int, ...]
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True)
class _File:
    """A file and its pictures."""

    raw: Path
    part: FilePart
    pictures: PartPictures
    fps: Fraction

    @property
    def near(self) -> int:
        return self.frames_in(NEAR_S)

    def frames_in(self, seconds: float) -> int:
        return max(2, round(seconds * self.fps))

    @property
    def path(self) -> str:
        return self.part.path

    @property
    def last_frames(self) -> Thumbnails:
        return self.pictures.ending[-self.near :]

    def first_frames(self, doubled: int = 0) -> Thumbnails:
        return self.pictures.beginning[doubled : doubled + self.near]

    def frames(self, first: int, count: int) -> Thumbnails:
        return pictures_from(self.raw, self.part, first, count)


def seams(raw: Path, parts: Sequence[FilePart], gaps: Sequence[Fraction]) -> Seams:
    """Return what the pictures say about the files of a recording.

    Parameters
    ----------
    gaps
        How much is missing before each by its clock: there nothing is asked of the pictures.

    Raises
    ------
    VideoError
        When a file cannot be decoded.
    """
    if len(parts) == 1 or all(gaps[1:]):
        return Seams((0,) * len(parts), ())
    files = [_file(raw, part) for part in parts]
    doubled, doubts = [0] * len(files), list[Doubt]()
    for before, place in combinations(range(len(files)), 2):
        if any(gaps[before + 1 : place + 1]):
            continue  # what is missing between two files cannot stand in both
        follows = place == before + 1
        if follows and (count := overlap(files[before].pictures.ending, files[place].pictures.beginning)):
            doubled[place] = count
            continue
        found = _shared(files, before, place)
        if isinstance(found, int):
            doubled[place] = found
        elif found is not None:
            doubts.append(found)
    doubts += [
        Doubt(place, _left_out(files, place, count)) for place, count in enumerate(doubled) if count > files[place].frames_in(SHOWN_S)
    ]
    doubts += [doubt for place in range(1, len(files)) if not gaps[place] and (doubt := _of_held(files, place, doubled[place]))]
    jumped = {place: size for place in range(1, len(files)) if not gaps[place] and (size := _jump_at(files, place, doubled))}
    doubts += [_of_jump(files, place, jumped, doubled) for place in jumped]
    doubts += _after_the_last(files, jumped)
    return Seams(tuple(doubled), tuple(sorted(doubts, key=lambda doubt: doubt.part)))


def around(place: int, counts: Sequence[int], doubled: int, frames: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the stretch around the seam before a file, see `Doubt`.

    Parameters
    ----------
    counts
        How many frames each file has.
    doubled, frames
        How many frames of the file are left out, and how many before and behind the seam are doubtful: files may have other rates.
    """
    first = (place - 1, max(0, counts[place - 1] - frames[0])) if place else (0, 0)
    return first, (place, min(counts[place], doubled + frames[1]))


def jump(ending: Thumbnails, beginning: Thumbnails) -> float:
    """Return by how much, of 255, the first picture of a file differs from the last one before it; 0 where that is usual there.

    Parameters
    ----------
    ending, beginning
        (n, h, w, 3), the last and the first frames that count.
    """
    if not len(ending) or not len(beginning):
        return 0.0
    steps = np.abs(np.concatenate([np.diff(ending, axis=0), np.diff(beginning, axis=0)]))
    size = _difference(ending, beginning)
    usual = float(steps.mean(axis=(1, 2, 3)).max(initial=0.0))
    somewhere = _blocks(np.abs(ending[-1:] - beginning[:1]))[0] - USUAL_STEPS * _with_neighbours(_blocks(steps).max(axis=0, initial=0.0))
    # Instruments under a camera that stands still are few pixels: there they are no longer where they were.
    is_jump = size > max(LEAST_JUMP, USUAL_STEPS * usual, usual + LEAST_MORE) or np.sort(somewhere, axis=None)[-FEWEST_BLOCKS] > BLOCK_JUMP
    return size if is_jump else 0.0


def held(ending: Thumbnails, beginning: Thumbnails, close: int) -> int:
    """Return how many of the first frames of a file repeat the last picture of the one before, while pictures move on both sides; else 0.

    Parameters
    ----------
    ending, beginning
        (n, h, w, 3), the last and the first frames that count.
    close
        So many frames are looked at on each side: what slows down by itself does not stop from one frame to the next.
    """
    if not len(ending) or not len(beginning):
        return 0
    seam, steps, before = _difference(ending, beginning), _steps(beginning), _steps(ending[-close:])
    usual = float(np.median(before)) if len(before) else 0.0
    moves = np.flatnonzero(steps > HELD_STEP * usual)
    count = int(moves[0]) + 1 if len(moves) else 0
    # Two encodings of one picture differ, by less than a step.
    if count < FEWEST_HELD or usual < LEAST_STEP or seam > usual:
        return 0
    slowest = min(float(before.min()), float(np.median(steps[count - 1 : count - 1 + close])))
    return count if slowest >= HELD_AFTER * usual else 0


def goes_on(ending: Thumbnails, beginning: Thumbnails) -> float | None:
    """Return the step from one file to another when it is one as they have themselves; None when it is not, or nothing moves there."""
    steps = [_steps(ending), _steps(beginning)]
    if any(len(side) == 0 or np.median(side) < LEAST_STEP for side in steps):
        return None
    size, usual = _difference(ending, beginning), max(float(np.percentile(side, LARGE_STEPS_PERCENT)) for side in steps)
    return size if size <= CONTINUES * usual else None


def _file(raw: Path, part: FilePart) -> _File:
    pictures = stored_pictures(raw, part)
    fps = stored_probe(raw / part.path, part.path, part.sha256).fps
    return _File(raw, part, pictures, fps)


def _shared(files: Sequence[_File], before: int, place: int) -> int | Doubt | None:
    """Return how many frames a file has in common with the end of the one before it, or where else frames of an earlier one are."""
    one, other = files[before], files[place]
    counts = one.pictures.frame_count, other.pictures.frame_count
    at = shift(one.pictures, other.pictures, one.frames, other.frames)
    if at is None or at >= counts[0] or at + counts[1] <= 0:
        return None
    first, end = max(0, -at), min(counts[1], counts[0] - at)
    ends_it = at >= 0 and at + counts[1] >= counts[0]
    if place == before + 1 and ends_it and same_pictures(one.frames(at, end), other.frames(0, end)):
        return end
    what = f"frames {first} to {end - 1} of '{other.path}' are frames {first + at} to {end - 1 + at} of '{one.path}'"
    fix = "remove what is there twice" if end - first == min(counts) else f"remove what is there twice, or {ORDER}"
    return Doubt(place, f"{what}: {fix}{HIDDEN}", (place, first), (place, end))


def _left_out(files: Sequence[_File], place: int, count: int) -> str:
    return (
        f"the first {count} frames of '{files[place].path}' are the last ones of '{files[place - 1].path}' and are released once: "
        "is that so?"
    )


def _of_held(files: Sequence[_File], place: int, doubled: int) -> Doubt | None:
    """Return the doubt that a file begins with the last picture of the one before, again and again."""
    before, after = files[place - 1], files[place]
    count = held(before.last_frames, after.first_frames(doubled), before.frames_in(CLOSE_S))
    if not count:
        return None
    what = f"the first {count} frames of '{after.path}' repeat the last picture of '{before.path}'"
    return Doubt(place, f"{what}: export it again without them{HIDDEN}", (place, doubled), (place, doubled + count))


def _jump_at(files: Sequence[_File], place: int, doubled: Sequence[int]) -> float:
    before, after = files[place - 1], files[place]
    close = [file.frames_in(CLOSE_S) for file in (before, after)]
    return jump(before.last_frames[-close[0] :], after.first_frames(doubled[place])[: close[1]])


def _of_jump(files: Sequence[_File], place: int, jumped: dict[int, float], doubled: Sequence[int]) -> Doubt:
    """Return what is doubtful about a jump: the scene goes on in another file, or nobody knows."""
    before, path = files[place - 1], files[place].path
    after = _continued(files, place - 1, jumped, jumped[place])
    if after is not None:
        sentence = f"the scene at the end of '{before.path}' goes on in '{files[after].path}', not in '{path}': {ORDER}{HIDDEN}"
        first, last = (place, after - 1) if after > place else (after, place)
        return Doubt(place, sentence, (first, 0), (last, files[last].pictures.frame_count))
    counts = [file.pictures.frame_count for file in files]
    stretch = around(place, counts, doubled[place], (before.frames_in(SHOWN_S), files[place].frames_in(SHOWN_S)))
    asked = "is time missing, or are they of two recordings?"
    at_s = float(sum((counts[one] - doubled[one]) / files[one].fps for one in range(place)))
    said = f"the picture jumps between '{before.path}' and '{path}' (at about {at_s:.1f} s): {asked}"
    return Doubt(place, said + HIDDEN.replace(";", " It is", 1), *stretch)


def _continued(files: Sequence[_File], place: int, jumped: dict[int, float], size: float) -> int | None:
    """Return the file in which the scene at the end of one goes on, if it begins with a jump where it stands now."""
    others = [after for after in range(len(files)) if after not in (place, place + 1) and (after == 0 or after in jumped)]
    steps = {after: step for after in others if (step := goes_on(files[place].last_frames, files[after].first_frames())) is not None}
    after = min(steps, key=lambda one: steps[one], default=None)
    return after if after is not None and size >= BETTER * max(steps[after], LEAST_STEP) else None


def _after_the_last(files: Sequence[_File], jumped: dict[int, float]) -> Iterator[Doubt]:
    """Yield the doubt that the scene at the end of the last file goes on in an earlier one."""
    last = len(files) - 1
    after = _continued(files, last, jumped, max(jumped.values())) if jumped else None
    if after is not None:
        sentence = f"the scene at the end of '{files[last].path}', the last file, goes on in '{files[after].path}': {ORDER}{HIDDEN}"
        yield Doubt(last, sentence, (after, 0), (last, files[last].pictures.frame_count))


def _difference(ending: Thumbnails, beginning: Thumbnails) -> float:
    return float(np.abs(ending[-1] - beginning[0]).mean()) if len(ending) and len(beginning) else 0.0


def _blocks(apart: Thumbnails) -> Thumbnails:
    """Return the mean of every block of differences, (n, BLOCKS, BLOCKS)."""
    side = apart.shape[1] // BLOCKS
    means: Thumbnails = apart.reshape(len(apart), BLOCKS, side, BLOCKS, side, 3).mean(axis=(2, 4, 5))
    return means


def _with_neighbours(blocks: Thumbnails) -> Thumbnails:
    """Return the largest of every block and those around it: what moves comes from beside."""
    wide = np.pad(blocks, 1, mode="edge")
    around_it: Thumbnails = np.max([wide[y : y + BLOCKS, x : x + BLOCKS] for y in range(3) for x in range(3)], axis=0)
    return around_it


def _steps(pictures: Thumbnails) -> npt.NDArray[np.float32]:
    steps: npt.NDArray[np.float32] = np.abs(np.diff(pictures, axis=0)).mean(axis=(1, 2, 3))
    return steps


SAME_LEVEL = 3.0
"""Mean difference, of 255, of two thumbnails of one picture that was encoded twice; other pictures differ by more."""
POOR_LEVEL = 6.0
"""The same of a few frames among many whose place is known by all of them: some frames of a poor encoding differ by more than most."""
MOVING = 4.0
"""By so many times more than copies differ must pictures that follow each other differ, so that a place can be told from its neighbours."""
LEAST_NOISE = 0.05
COARSE_LEVEL = 4.0
"""Root of the mean squared difference of two pictures of 8 x 8, above which they are not compared any further."""
COARSE = 8
LAG_FRAMES = 12
"""Pictures that are so far apart must differ, where a place is to be told from its surroundings."""
MOST_SHIFTS, FEWEST_PAIRS, WINDOW_FRAMES = 6, 10, 50
CLEARLY = 2.0
Fetch = Callable[[int, int], Thumbnails]
"""Returns so many frames (second) from one on (first)."""


def overlap(ending: Thumbnails, beginning: Thumbnails) -> int:
    """Return the n for which the last n pictures of one file are best the first n of the next; 0 when there is none.

    Pictures that do not move fit at any place. There nothing is dropped: a doubled still picture harms nobody, a lost one does.

    Parameters
    ----------
    ending, beginning
        (n, h, w, 3), the last and the first frames.
    """
    most = min(len(ending), len(beginning))
    # Of most files the first picture says that nothing is doubled.
    like_first = np.abs(ending[len(ending) - most :] - beginning[:1]).mean(axis=(1, 2, 3)) <= SAME_LEVEL
    apart = {n: _apart(ending[-n:], beginning[:n]) for n in range(1, most + 1) if like_first[most - n]}
    best = min(apart, key=lambda n: (apart[n], -n), default=0)
    if not best or apart[best] > SAME_LEVEL:
        return 0
    # Where pictures hardly move, other places fit as well.
    return best if _motion(beginning[: best + 1]) >= MOVING * max(apart[best], LEAST_NOISE) else 0


def shift(one: PartPictures, other: PartPictures, of_one: Fetch, of_other: Fetch) -> int | None:
    """Return the frame of a file, perhaps a negative one, at which the first frame of another would stand if both hold the same pictures.

    None where they share none, or where it cannot be told: nothing moves, or the same movement comes again and again.

    Parameters
    ----------
    one, other
        What is known of them.
    of_one, of_other
        Decode more of them; they are asked for few frames, and only where something is alike.
    """
    found: dict[int, float] = {}
    for candidate in _candidates(one, other):
        pairs = _known_pairs(one, other, candidate)
        if len(pairs[0]) < FEWEST_PAIRS:
            # To decode more costs much: only where a known picture can be told from those around it.
            told = any(_is_told_here(one, other, *pair) for pair in zip(*pairs, strict=True))
            seen = _seen_closely(one, other, candidate, of_one, of_other) if told else None
        else:
            seen = (candidate, _told(one.pictures[pairs[0]].astype(np.float32), other.pictures[pairs[1]].astype(np.float32)))
        if seen is not None and seen[1] is not None:
            found[seen[0]] = seen[1]
    if not found:
        return None
    best = min(found, key=lambda at: found[at])
    rivals = [level for at, level in found.items() if abs(at - best) > LAG_FRAMES]
    return best if all(level > CLEARLY * max(found[best], LEAST_NOISE) for level in rivals) else None


def same_pictures(some: Thumbnails, others: Thumbnails) -> bool:
    """Return whether two runs of frames are the same, one by one."""
    return len(some) == len(others) and len(some) > 0 and _apart(some, others) <= POOR_LEVEL


def _candidates(one: PartPictures, other: PartPictures) -> Iterator[int]:
    """Yield shifts at which some of the known frames are alike, those with most of them first."""
    some, others = _coarse(one.pictures), _coarse(other.pictures)
    squares = (some**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)[None] - 2 * some @ others.T
    limit = COARSE_LEVEL**2 * some.shape[1]
    shifts: list[int] = []
    for axis in (0, 1):
        nearest, best = squares.argmin(axis=axis), squares.min(axis=axis)
        at = np.flatnonzero(best <= limit)
        of_one, of_other = (at, nearest[at]) if axis else (nearest[at], at)
        shifts += list(one.numbers[of_one] - other.numbers[of_other])
    values, counts = np.unique(np.array(shifts, dtype=np.int64), return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_SHIFTS]
    yield from (int(value) for value in values[order])


def _known_pairs(one: PartPictures, other: PartPictures, at: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the places of the frames of both that are known and should be the same."""
    _, of_one, of_other = np.intersect1d(one.numbers, other.numbers + at, assume_unique=True, return_indices=True)
    return of_one, of_other


def _is_told_here(one: PartPictures, other: PartPictures, of_one: int, of_other: int) -> bool:
    """Return whether two pictures are alike, and others a moment before or after one of them are not."""
    some, others = one.pictures[of_one].astype(np.float32), other.pictures[of_other].astype(np.float32)
    level = float(np.abs(some - others).mean())
    around = [
        float(np.abs(picture - near).mean())
        for picture, file, at in ((some, other, other.numbers[of_other]), (others, one, one.numbers[of_one]))
        for near in file.pictures[np.isin(file.numbers, (at - LAG_FRAMES, at + LAG_FRAMES))]
    ]
    return level <= SAME_LEVEL and max(around, default=0.0) >= MOVING * max(level, LEAST_NOISE)


def _seen_closely(
    one: PartPictures, other: PartPictures, candidate: int, of_one: Fetch, of_other: Fetch
) -> tuple[int, float | None] | None:
    """Return the shift near a candidate that fits best in a stretch of frames that is decoded, and how well it does."""
    first, end = max(0, candidate), min(one.frame_count, candidate + other.frame_count)
    known = [int(number) for number in one.numbers if first <= number < end] or [first]
    middle = known[len(known) // 2]
    first = max(first, min(middle - WINDOW_FRAMES // 2, end - WINDOW_FRAMES))
    count = min(WINDOW_FRAMES, end - first)
    if count < FEWEST_PAIRS:
        return None
    some = of_one(first, count)
    low = max(0, first - candidate - LAG_FRAMES)
    high = min(other.frame_count, first - candidate + count + LAG_FRAMES)
    others = of_other(low, high - low)
    fits = {first - low - start: _told(some, others[start : start + count]) for start in range(len(others) - count + 1)}
    told = {at: level for at, level in fits.items() if level is not None}
    best = min(told, key=lambda at: told[at], default=None)
    return None if best is None else (best, told[best])


def _told(some: Thumbnails, others: Thumbnails) -> float | None:
    """Return by how much, of 255, frames that should be the same differ; None where they are others, or nothing moves."""
    apart = np.abs(some - others).mean(axis=(1, 2, 3))
    level, lag = float(np.median(apart)), min(LAG_FRAMES, len(some) - 1)
    motion = float(np.median(np.abs(some[lag:] - others[: len(others) - lag]).mean(axis=(1, 2, 3))))
    return level if level <= SAME_LEVEL and apart.max() <= POOR_LEVEL and motion >= MOVING * max(level, LEAST_NOISE) else None


def _coarse(pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    count, side = len(pictures), pictures.shape[1] // COARSE
    small: npt.NDArray[np.float32] = pictures.reshape(count, COARSE, side, COARSE, side, 3).mean(axis=(2, 4), dtype=np.float32)
    return small.reshape(count, -1)


def _apart(some: Thumbnails, others: Thumbnails) -> float:
    return float(np.abs(some - others).mean(axis=(1, 2, 3)).max())


def _motion(pictures: Thumbnails) -> float:
    if len(pictures) < 2:
        return 0.0
    return float(np.abs(np.diff(pictures, axis=0)).mean(axis=(1, 2, 3)).max())
