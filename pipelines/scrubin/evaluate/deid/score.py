"""The score of a tool's output: actions done by kind, frames leaked, what useful was lost.

The harmonic mean is that of van Rijsbergen 1979, "Information retrieval", chapter 7: it is near the smaller of its parts, so
neither of them can pay for the other. It is 0 when a part is 0, and 1 only when all are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.base.faults import error
from scrubin.evaluate.deid import pictures, tool_files
from scrubin.evaluate.deid.key import KINDS, Carrier, Item, Key, RecordingKey
from scrubin.evaluate.deid.pictures import Shown, look, look_beside
from scrubin.evaluate.deid.search import Search
from scrubin.evaluate.deid.tool_files import Output, files, of_recording, read, source_fingerprints

LONGEST_ERROR_PERCENTILE = 99
LEAST_KEPT = 0.5
"""Of a recording of which less of the useful seconds is kept nothing counts as done: throwing away is not de-identifying."""
SPAN_LENGTHS = ((1, 1), (2, 5), (6, 25), (26, 10**9))


@dataclass(frozen=True)
class Verdict:
    """What became of one item.

    Parameters
    ----------
    state
        ``done``; ``left``: it is still there; ``lost``: it is gone, and so is most of what was useful in its recording; ``missing``:
        no output shows its recording.
    frames, leaked
        Source frames that it is in, and in which it is still shown.
    where
        Where it still is, or in which way it is still shown when not as it was planted.
    """

    item: Item
    state: str
    frames: int
    leaked: tuple[int, ...]
    where: str

    @property
    def extent(self) -> str:
        """How much of it is hidden: whole, part or none; empty for what is in no picture, or in no output."""
        if not self.frames or self.state in ("missing", "lost"):
            return ""
        return "whole" if not self.leaked else "none" if len(self.leaked) == self.frames else "part"


@dataclass(frozen=True)
class Tally:
    """Results of several items, see docs/deid.md; ``share`` has a 95 % interval from ``low`` to ``high``."""

    items: int
    done: int
    missing: int
    lost: int
    share: float
    low: float
    high: float
    frames: int
    leaked_frames: int
    leaked_share: float
    whole: int
    part: int
    none: int


@dataclass(frozen=True)
class Loss:
    """What useful one recording lost, see docs/deid.md. NaN where nothing can be measured."""

    recording: str
    outputs: tuple[str, ...]
    useful_frames: int
    kept_frames: int
    useful_s: float
    lost_s: float
    area_share: float
    width_share: float
    height_share: float
    psnr_db: float
    ssim: float
    time_error_s: float
    largest_time_error_s: float

    @property
    def kept_s(self) -> float:
        """Useful seconds that are not lost."""
        return self.useful_s - self.lost_s


@dataclass(frozen=True)
class Score:
    """The whole result."""

    verdicts: tuple[Verdict, ...]
    losses: tuple[Loss, ...]
    outputs: tuple[Output, ...]

    @property
    def kinds(self) -> dict[str, Tally]:
        """By kind, in the order of the catalogue; only kinds that the key has."""
        return {kind: tally(mine) for kind in KINDS if (mine := [one for one in self.verdicts if one.item.kind == kind])}

    @property
    def total(self) -> Tally:
        """Over all items."""
        return tally(self.verdicts)

    @property
    def joined(self) -> Joined:
        """Done and kept in one number."""
        useful = sum(one.useful_frames for one in self.losses)
        shares = {kind: one.share for kind, one in self.kinds.items()}
        return joined(shares, kept_share(self.losses), len(self.verdicts), useful)

    @property
    def groups(self) -> list[tuple[str, str, str, Tally]]:
        """Kind, trait, value and results, for what the key tells about its items."""
        rows = []
        for kind, trait, value_of in TRAITS:
            mine = [one for one in self.verdicts if one.item.kind == kind]
            values = sorted({value_of(one.item) for one in mine})
            rows += [(kind, trait, value[1], tally([one for one in mine if value_of(one.item) == value])) for value in values]
        return rows


def _length(item: Item) -> tuple[int, str]:
    count = len(item.frame_numbers)
    low, high = next(bounds for bounds in SPAN_LENGTHS if bounds[0] <= count <= bounds[1])
    return low, "1" if high == 1 else f"{low} and more" if high == SPAN_LENGTHS[-1][1] else f"{low} to {high}"


def _trait(name: str) -> Callable[[Item], tuple[int, str]]:
    def value_of(item: Item) -> tuple[int, str]:
        value = item.traits[name]
        return (value if isinstance(value, int) else 0), str(value)

    return value_of


TRAITS: tuple[tuple[str, str, Callable[[Item], tuple[int, str]]], ...] = (
    ("outside", "frames", _length),
    ("outside", "place among key frames", _trait("place")),
    ("outside", "view afterwards", _trait("cut")),
    ("outside", "cameras", _trait("cameras")),
    ("text", "height of capitals in px", _trait("height_px")),
    ("text", "look", _trait("look")),
    ("text", "motion", _trait("motion")),
)


def score(key: Key, folder: Path, mapped: Mapping[str, str]) -> Score:
    """Score every file below a folder against a key.

    Parameters
    ----------
    mapped
        Name of an output, relative to the folder, to recording; what is not in it is known by its pictures.

    Raises
    ------
    MetricsError
        When there is no such folder, or nothing in it.
    """
    paths = files(folder) if folder.is_dir() else []
    if not paths:
        raise MetricsError([error(str(folder), "deid-output", "there is no file below it", "name the folder that the tool wrote")])
    sources = source_fingerprints(key)
    outputs = read(folder, key, sources, mapped)
    evidence = tool_files.gather(key, folder, paths, outputs)
    searches = {one.name: Search(key, one) for one in key.recordings}
    images = [path for path in paths if path.suffix.lower() in tool_files.IMAGES]
    beside = look_beside(outputs, images, searches)
    verdicts: list[Verdict] = []
    losses = []
    for recording in key.recordings:
        mine = [one for one in of_recording(outputs, recording) if one.main is not None]
        shown = [look(key, recording, one, sources[recording.name], searches[recording.name]) for one in mine]
        items = key.items_of(recording.name)
        loss = _loss(recording, items, mine, shown)
        state = "missing" if not mine else "lost" if loss.kept_s < LEAST_KEPT * loss.useful_s else "done"
        verdicts += [_verdict(item, state, shown, beside, tool_files.still_there(item, key, mine, outputs, evidence)) for item in items]
        losses.append(loss)
    return Score(tuple(verdicts), tuple(losses), tuple(outputs))


def _verdict(item: Item, state: str, shown: Sequence[Shown], beside: Mapping[str, tuple[set[int], str]], carried_in: str) -> Verdict:
    """Return what became of an item; ``state`` is what it is when it is nowhere to be seen."""
    frames, where = beside.get(item.item, (set(), ""))
    how = next((one.how[item.item] for one in shown if item.item in one.how), where)
    count = len(item.frame_numbers)
    leaked = tuple(sorted(frames.union(*(one.leaked[item.item] for one in shown)))) if count else ()
    where = how if count else carried_in or how
    # What another file of the output gives away is left, whether or not the recording itself came out.
    return Verdict(item, "left" if leaked or where else state, count, leaked, where)


def tally(verdicts: Iterable[Verdict]) -> Tally:
    """Count results of items."""
    every = list(verdicts)
    done = sum(one.state == "done" for one in every)
    low, high = wilson(done, len(every))
    frames, leaked = sum(one.frames for one in every), sum(len(one.leaked) for one in every)
    extents = [one.extent for one in every]
    return Tally(
        items=len(every),
        done=done,
        missing=sum(one.state == "missing" for one in every),
        lost=sum(one.state == "lost" for one in every),
        share=done / len(every) if every else math.nan,
        low=low,
        high=high,
        frames=frames,
        leaked_frames=leaked,
        leaked_share=leaked / frames if frames else math.nan,
        whole=extents.count("whole"),
        part=extents.count("part"),
        none=extents.count("none"),
    )


def _loss(recording: RecordingKey, items: Sequence[Item], mine: Sequence[Output], shown: Sequence[Shown]) -> Loss:
    hidden = {number for item in items if item.frames and not item.boxes for number in item.frame_numbers}
    useful = [number for number in range(recording.frame_count) if number not in hidden]
    kept: dict[int, float] = {}
    near = np.zeros(recording.frame_count, bool)
    for one in shown:
        for number, share in one.kept.items():
            kept[number] = max(kept.get(number, 0.0), share)
        # An output of half the rate shows every second frame, and nothing of the time between is lost.
        reach = ceil(float(recording.rate) / one.fps / 2 - 0.01) if one.fps else 0
        near |= pictures.covered(list(one.kept), recording.frame_count, reach if one.fps < 0.99 * float(recording.rate) else 0)
    kept = {number: share for number, share in kept.items() if number not in hidden}
    best = max(shown, key=lambda one: len(one.kept), default=Shown())
    errors_s = np.array(best.time_errors_s)
    rate = float(recording.rate)
    return Loss(
        recording=recording.name,
        outputs=tuple(one.name for one in mine),
        useful_frames=len(useful),
        kept_frames=len(kept),
        useful_s=round(len(useful) / rate, 6),
        lost_s=round(sum(not near[number] for number in useful) / rate, 6),
        area_share=float(np.mean(list(kept.values()))) if kept else math.nan,
        width_share=best.width / recording.width if best.width else math.nan,
        height_share=best.height / recording.height if best.height else math.nan,
        psnr_db=pictures.psnr_db(best.mean_square_errors.values()),
        ssim=float(np.mean(list(best.ssim.values()))) if best.ssim else math.nan,
        time_error_s=float(np.median(np.abs(errors_s))) if len(errors_s) else math.nan,
        largest_time_error_s=float(np.percentile(np.abs(errors_s), LONGEST_ERROR_PERCENTILE)) if len(errors_s) else math.nan,
    )


def kept_share(losses: Sequence[Loss]) -> float:
    """Return the share of useful seconds that are kept, each as much as the area that it shows; NaN where nothing is useful."""
    useful_s = math.fsum(one.useful_s for one in losses)
    kept_s = math.fsum(one.kept_s * (0.0 if math.isnan(one.area_share) else one.area_share) for one in losses)
    return kept_s / useful_s if useful_s else math.nan


def overall(losses: Sequence[Loss]) -> dict[str, float]:
    """Return what was lost over all recordings: sums, and means over the recordings that have an output."""

    def mean(values: Iterable[float]) -> float:
        finite = [value for value in values if not math.isnan(value)]
        return math.fsum(finite) / len(finite) if finite else math.nan

    useful, kept = sum(one.useful_frames for one in losses), sum(one.kept_frames for one in losses)
    useful_s, lost_s = math.fsum(one.useful_s for one in losses), math.fsum(one.lost_s for one in losses)
    return {
        "recordings": len(losses),
        "recordings_missing": sum(not one.outputs for one in losses),
        "useful_frames": useful,
        "kept_frames": kept,
        "lost_frames_share": 1 - kept / useful if useful else math.nan,
        "useful_s": useful_s,
        "lost_s": lost_s,
        "lost_s_share": lost_s / useful_s if useful_s else math.nan,
        "area_share": mean(one.area_share for one in losses),
        "width_share": mean(one.width_share for one in losses),
        "height_share": mean(one.height_share for one in losses),
        "psnr_db": mean(one.psnr_db for one in losses),
        "ssim": mean(one.ssim for one in losses),
        "time_error_s": mean(one.time_error_s for one in losses),
        "largest_time_error_s": max(
            (one.largest_time_error_s for one in losses if not math.isnan(one.largest_time_error_s)), default=math.nan
        ),
    }


def as_values(tallied: Tally | Loss) -> dict[str, object]:
    """Return a result as plain values."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(tallied).items()}


NORMAL_975 = 1.959963984540054


def wilson(count: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of a share; NaN without anything to count.

    >>> low, high = wilson(10, 10)
    >>> round(low, 3), high
    (0.722, 1.0)
    """
    if total == 0:
        return math.nan, math.nan
    z2 = NORMAL_975**2
    share = count / total
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = NORMAL_975 * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total)) / (1 + z2 / total)
    # Rounding must not take a bound past the share itself.
    return max(0.0, 0.0 if count == 0 else middle - half), min(1.0, 1.0 if count == total else middle + half)


@dataclass(frozen=True)
class Joined:
    """What was done and what was kept, in one number; NaN where nothing can be counted.

    Parameters
    ----------
    value
        Harmonic mean of ``done`` and ``kept``.
    done
        Harmonic mean of the carriers' shares.
    kept
        Useful seconds that are kept, each as much as the area that it shows, of all useful seconds.
    carriers
        By carrier the mean of the shares done of its kinds; only carriers that the key has.
    kinds
        By kind the harmonic mean of its share done and ``kept``.
    items, useful_frames
        What all of this was counted on.
    """

    value: float
    done: float
    kept: float
    carriers: Mapping[Carrier, float]
    kinds: Mapping[str, float]
    items: int
    useful_frames: int


def joined(shares: Mapping[str, float], kept: float, items: int, useful_frames: int) -> Joined:
    """Join the share done of each kind with the share kept.

    Parameters
    ----------
    shares
        Kind to done of items; kinds that the key does not have are left out.
    """
    by_carrier: dict[Carrier, list[float]] = {}
    for kind, share in shares.items():
        by_carrier.setdefault(KINDS[kind].carrier, []).append(share)
    carriers = {carrier: math.fsum(mine) / len(mine) for carrier, mine in by_carrier.items()}
    done = harmonic(carriers.values())
    kinds = {kind: harmonic((share, kept)) for kind, share in shares.items()}
    return Joined(harmonic((done, kept)), done, kept, carriers, kinds, items, useful_frames)


def harmonic(values: Iterable[float]) -> float:
    """Return the harmonic mean; 0 when one value is 0, NaN when there is none or one is undefined.

    >>> harmonic([1.0, 0.5]), harmonic([1.0, 0.0])
    (0.6666666666666666, 0.0)
    """
    every: Sequence[float] = list(values)
    if not every or any(math.isnan(value) for value in every):
        return math.nan
    if min(every) <= 0:
        return 0.0
    return len(every) / math.fsum(1 / value for value in every)
