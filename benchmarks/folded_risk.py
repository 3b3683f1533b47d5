"""What nobody has on the screen when stills are folded: spans of another scene, planted into long laparoscopy, that no shown still is of.

    .venv/bin/python benchmarks/folded_risk.py INSIDE --outside FILE_OR_FOLDER ...

INSIDE is a folder of pictures of operations, one a second, in the order of their names (in folders below it, each an operation). Each is
shown for a second, with a slow pan and noise; pictures whose names are not one number apart are a cut. What is planted are moving
pictures of a video, or the pictures of a folder: over the whole picture, or in a corner of it. Spans begin anywhere. Nothing is
detected: it is as if every detector had missed all of them. A span is on the screen when a shown still of the sheet is of it, or a
stop, which is shown at full size. It says nothing of whether somebody would notice it there.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import numpy.typing as npt

from scrubin.curate.page.folds import Fold, first_frames, folds, seconds_of_file
from scrubin.stages.screen.features import Thumbnail, histogram
from scrubin.stages.screen.unlikeness import stops

FPS = 10
HEIGHT_PX, WIDTH_PX, SPARE_PX = 36, 64, 4
"""Pictures are sampled at once at the size at which screening looks at them, with so much around them to pan over."""
LENGTHS_S = (0.2, 0.4, 0.8, 1.5, 3.0, 10.0)
SPANS = 60
BETWEEN_S = 12
LIMITS = (0.0, 0.05, 0.1, 0.15, 0.2)
PLACES = {"whole picture": 1.0, "corner, 1/3 of the width": 1 / 3, "corner, 1/5 of the width": 1 / 5}
Planes = npt.NDArray[np.uint8]


def sampled(picture: Any, height: int, width: int) -> Planes:
    """Return luma and colour at points of a picture, shape (height, width, 3)."""
    rows, columns = (
        (2 * np.arange(count) + 1) * side // (2 * count) for count, side in zip((height, width), picture.shape[:2], strict=True)
    )
    points = picture[rows[:, None], columns]
    planes: Planes = cv2.cvtColor(points, cv2.COLOR_BGR2YCrCb)[..., [0, 2, 1]].astype(np.uint8)
    return planes


def inside(folder: Path) -> list[Planes]:
    """Return the pictures of all operations, one a second."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".png", ".jpg"))
    read = (cv2.imread(str(path)) for path in paths)
    return [sampled(one, HEIGHT_PX + SPARE_PX, WIDTH_PX + SPARE_PX) for one in read if one is not None and one.max() > 40]


def outside(path: Path) -> list[Planes]:
    """Return moving pictures, `FPS` a second; those of a folder as they come."""
    if path.is_dir():
        return [sampled(cv2.imread(str(one)), HEIGHT_PX, WIDTH_PX) for one in sorted(path.iterdir())]
    with av.open(str(path)) as container:
        rate = float(container.streams.video[0].average_rate or 25)
        every = [frame.to_ndarray(format="bgr24") for frame in container.decode(video=0)]
    return [sampled(every[int(at)], HEIGHT_PX, WIDTH_PX) for at in np.arange(0, len(every), rate / FPS)]


def operation(pictures: Sequence[Planes], frames: int, rng: np.random.Generator) -> Iterator[Planes]:
    """Yield frames of an operation: each picture for a second, panning, with noise."""
    for number in range(frames):
        second, part = divmod(number, FPS)
        if part == 0:
            picture = pictures[second % len(pictures)]
            at, step = rng.uniform(0, SPARE_PX, 2), rng.uniform(-0.15, 0.15, 2)
        y, x = np.clip(np.rint(at + step * part), 0, SPARE_PX).astype(int)
        shown = picture[y : y + HEIGHT_PX, x : x + WIDTH_PX].astype(np.int16)
        shown[..., 0] += rng.normal(0, 3, shown.shape[:2]).astype(np.int16)
        yield np.clip(shown, 0, 255).astype(np.uint8)


def planted(frame: Planes, other: Planes, share: float) -> Planes:
    """Return a frame with another picture over all of it, or in its upper right corner."""
    height, width = round(HEIGHT_PX * share), round(WIDTH_PX * share)
    small = other if share == 1 else cv2.resize(other, (width, height), interpolation=cv2.INTER_NEAREST)
    done = frame.copy()
    done[:height, WIDTH_PX - width :] = small
    return done


def measured(
    pictures: Sequence[Planes], people: Sequence[Sequence[Planes]], length_s: float, share: float, rng: np.random.Generator
) -> None:
    """Print of how many spans of one length nothing was on the screen, by the limit of folding."""
    count, step = max(1, round(length_s * FPS)), round((BETWEEN_S + length_s) * FPS)
    starts = [number * step + int(rng.integers(FPS, step - count)) for number in range(SPANS)]
    is_planted = np.zeros(SPANS * step + FPS, dtype=np.int64)
    for number, start in enumerate(starts, 1):
        is_planted[start : start + count] = number
    histograms = []
    for number, own in enumerate(operation(pictures, len(is_planted), rng)):
        scene = people[is_planted[number] % len(people)]
        frame = planted(own, scene[(number + 7 * is_planted[number]) % len(scene)], share) if is_planted[number] else own
        thumbnail = Thumbnail(*(np.ascontiguousarray(frame[..., plane]) for plane in range(3)))
        histograms.append(histogram(thumbnail, thumbnail.y.astype(np.int16)))
    looks, times_s = np.array(histograms, dtype=np.uint16), np.arange(len(is_planted)) / FPS
    of = seconds_of_file(looks, np.zeros(len(looks), dtype=bool), times_s)
    stills, end_s = first_frames(times_s, len(of.stills)), len(times_s) / FPS
    at_full_size = [one.frame for one in stops(looks, times_s)]
    said = []
    for limit in LIMITS:
        behind = {second for fold in folds([of], limit, (0.0, end_s)) for second in behind_of(fold)}
        shown = [frame for second, frame in enumerate(stills) if second not in behind]
        missed = SPANS - len(set(is_planted[[*shown, *at_full_size]].tolist()) - {0})
        said.append(f"{missed:>3} ({len(shown) / len(stills):4.0%})")
    only = SPANS - len(set(is_planted[stills].tolist()) - {0})
    print(f"| {length_s:g} s | {only} | {' | '.join(said)} | {len(at_full_size) / end_s * 3600:.0f} |", flush=True)


def behind_of(fold: Fold) -> Iterator[int]:
    """Yield the seconds that are not shown."""
    for first, last in fold.others:
        yield from range(first, last + 1)


def main() -> None:
    """Print a table for each way of planting."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("inside", type=Path)
    parser.add_argument("--outside", type=Path, nargs="+", required=True)
    asked = parser.parse_args()
    pictures, people = inside(asked.inside), [outside(path) for path in asked.outside]
    print(f"{len(pictures)} pictures of operations, {sum(map(len, people))} others of {len(people)} sources; {SPANS} spans for each line")
    for name, share in PLACES.items():
        print(f"\n{name}: spans of which nothing was on the screen (in brackets: stills shown of all)\n")
        print(
            "| length | stills alone | "
            + " | ".join("unfolded" if not limit else f"folds {limit:g}" for limit in LIMITS)
            + " | stops an hour |"
        )
        print("| --- " * (len(LIMITS) + 3) + "|")
        for length_s in LENGTHS_S:
            measured(pictures, people, length_s, share, np.random.default_rng(7))


if __name__ == "__main__":
    main()
