"""Text planted in films: what share is found, by size, contrast, duration, motion and script; and false alarms in films without text.

From the repository root:

    .venv/bin/python benchmarks/screen_text.py [FOLDER OR VIDEO ...]
    .venv/bin/python benchmarks/screen_text.py --fonts FOLDER [--empty-s 60] [FOLDER OR VIDEO ...]

Each argument is a video, or a folder of pictures in order: each picture is then shown for half a second, panned
and with noise. Without arguments the films of a wheel are used. Every film is written as H.264 of 854x480, 25 fps,
with the texts 3 s apart in each of three lanes; one more film of each has no text at all. A text is found when one
proposal covers nine tenths of its rectangle during all its frames; it is touched when any proposal overlaps it in
place and time. Excess is what a finding hides before and after the text. With `--fonts`, a folder that holds the Noto fonts
(such as Debian's fonts-noto-core and fonts-noto-cjk), lines in ten scripts are planted instead, each 12, 16 and 24 px high.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import av
import cv2
import numpy as np
import spliced
from PIL import Image, ImageDraw, ImageFont

from scrubin.base.pixels import Box, shared_px
from scrubin.media.networks.misreadings import WordFinder
from scrubin.stages.screen import text_detector
from scrubin.stages.screen.detector import DEFAULTS, ObservedFile
from scrubin.stages.screen.pass_over_file import observe
from scrubin.stages.screen.proposals import Proposal

SIZE_PX, FPS, SECOND_PICTURES = (854, 480), 25, 2
GAP_S, EMPTY_S, LANES = 3.0, 180, 3
_LINES = "Brenner, Juliane|06.03.2023|P12345|Krämerhoff|10:20:{second:02d}|Nordstadt OP 2|Søndergård É. Müller|ID 4711-0815"
WORDS = tuple(_LINES.split("|"))
PRIVATE = WordFinder(["Brenner", "Juliane", "P12345", "Krämerhoff", "Nordstadt", "Søndergård", "Müller"])


SCRIPTS = {
    "Latin": ("NotoSans-Regular.ttf", "Brenner Juliane"),
    "Cyrillic": ("NotoSans-Regular.ttf", "Кузнецов Дмитрий"),
    "Greek": ("NotoSans-Regular.ttf", "Παπαδόπουλος Γ."),
    "Arabic": ("NotoSansArabic-Regular.ttf", "محمد عبد الله"),
    "Hebrew": ("NotoSansHebrew-Regular.ttf", "ישראל כהן"),
    "Thai": ("NotoSansThai-Regular.ttf", "สมชาย ใจดี"),
    "Devanagari": ("NotoSansDevanagari-Regular.ttf", "राजेश कुमार"),
    "Korean": ("NotoSansCJK-Regular.ttc", "김민수 환자"),
    "Chinese": ("NotoSansCJK-Regular.ttc", "张伟 医院"),
    "Japanese": ("NotoSansCJK-Regular.ttc", "山田太郎さん"),
}


@dataclass(frozen=True)
class Plant:
    """A text to burn in: its height in pixels, its opacity, how long it stands, by how many pixels a second it moves."""

    row: str
    words: str
    height_px: int = 16
    opacity: float = 1.0
    length_s: float = 3.0
    speed_px_s: float = 0.0
    colour: tuple[int, int, int] = (255, 255, 255)
    font: str = ""

    def size_px(self) -> tuple[int, int]:
        """Return width and height of the line."""
        if self.font:
            left, top, right, bottom = ImageFont.truetype(self.font, self.height_px).getbbox(self.words)
            return round(right - left), round(bottom - top)
        scale = cv2.getFontScaleFromHeight(cv2.FONT_HERSHEY_SIMPLEX, self.height_px, 1)
        (width, _), _ = cv2.getTextSize(self.words.format(second=8), cv2.FONT_HERSHEY_SIMPLEX, scale, max(1, self.height_px // 10))
        return width, self.height_px


def scripts(fonts: Path) -> list[Plant]:
    """Return three lines in each script: 12, 16 and 24 px high, opaque and half transparent."""
    files = {path.name: str(path) for path in sorted(fonts.rglob("*.tt[fc]"))}
    listed = []
    for number, (script, (font, words)) in enumerate(SCRIPTS.items()):
        for step, px in enumerate((12, 16, 24)):
            listed.append(Plant(script, words, height_px=px, opacity=(1.0, 0.5)[(number + step) % 2], font=files[font]))
    return listed


def plants() -> list[Plant]:
    """Return one text for each case."""
    listed = []
    vocabulary = cycle(WORDS)
    listed += [Plant(f"height {px} px", next(vocabulary), height_px=px) for px in (8, 10, 12, 16, 24, 32)]
    listed += [Plant(f"opacity {share:.1f}", next(vocabulary), opacity=share) for share in (0.2, 0.3, 0.5, 0.7)]
    listed += [Plant(f"length {s} s", next(vocabulary), length_s=s) for s in (0.5, 1, 1.5, 2, 5, 15)]
    for speed in (5, 10, 20, 30, 45, 60):
        listed.append(Plant(f"motion {speed} px/s", next(vocabulary), height_px=20, speed_px_s=speed, length_s=4))
    listed += [
        Plant("yellow 12 px", next(vocabulary), height_px=12, colour=(255, 255, 0)),
        Plant("accents 14 px", "Søndergård É. Müller", height_px=14),
        Plant("clock 14 px", "10:20:{second:02d}", height_px=14, length_s=6),
    ]
    return listed


@dataclass(frozen=True)
class Planted:
    """A plant, its frames [first, end), and the rectangle in each of them."""

    plant: Plant
    first: int
    end: int
    boxes_xywh: tuple[Box, ...]


def pictures_of(path: Path) -> list[np.ndarray]:
    """Return the pictures of a folder or video as RGB."""
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in {".jpg", ".png"})
        return [cv2.cvtColor(cv2.resize(cv2.imread(str(file)), SIZE_PX), cv2.COLOR_BGR2RGB) for file in files]
    return spliced.pictures(path, SIZE_PX)


def shots(pictures: list[np.ndarray], still: bool, count: int) -> Iterator[np.ndarray]:
    """Yield so many frames: pictures of a folder panned and with noise, those of a video there and back again."""
    noise = [np.random.default_rng(n).integers(0, 9, (SIZE_PX[1], SIZE_PX[0], 3), dtype=np.uint8) for n in range(4)]
    for n in range(count):
        if not still:
            place = n % (2 * len(pictures))
            yield pictures[min(place, 2 * len(pictures) - 1 - place)]
            continue
        picture = pictures[n * SECOND_PICTURES // FPS % len(pictures)]
        pan = np.float32([[1.06, 0, -25 + 12 * np.sin(n / 19)], [0, 1.06, -14 + 9 * np.sin(n / 27)]])
        moved = cv2.warpAffine(picture, pan, SIZE_PX, borderMode=cv2.BORDER_REFLECT)
        yield cv2.add(moved, noise[n % 4])


def film(path: Path, frames: Iterator[np.ndarray], listed: list[Plant], seed: int) -> list[Planted]:
    """Write a film with the texts, one after the other, at places that the seed draws."""
    rng, done, free_s = np.random.default_rng(seed), [], [GAP_S] * LANES
    for plant in listed:
        lane = int(np.argmin(free_s))
        start_s = free_s[lane] + rng.uniform(0, 1)
        width, height = plant.size_px()
        x = int(rng.integers(10, max(SIZE_PX[0] - width - 10 - plant.speed_px_s * plant.length_s, 11)))
        top = lane * SIZE_PX[1] // LANES
        y = top + int(rng.integers(height + 10, SIZE_PX[1] // LANES - 12))
        first, end = round(start_s * FPS), round((start_s + plant.length_s) * FPS)
        boxes = [(x + round(n / FPS * plant.speed_px_s), y - height, width, height) for n in range(end - first)]
        done.append(Planted(plant, first, end, tuple(boxes)))
        free_s[lane] = start_s + plant.length_s + GAP_S
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=FPS, options={"preset": "veryfast", "crf": "22", "g": "250"})
        stream.width, stream.height, stream.pix_fmt = *SIZE_PX, "yuv420p"
        stream.thread_count = 1
        for n, picture in enumerate(frames):
            shown = picture
            for one in done:
                if one.first <= n < one.end:
                    shown = written(shown, one, n)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(shown), format="rgb24")))
            if listed and n > max(free_s) * FPS:
                break
        out.mux(stream.encode())
    return done


def written(picture: np.ndarray, one: Planted, n: int) -> np.ndarray:
    plant, (x, y, _, h) = one.plant, one.boxes_xywh[n - one.first]
    if plant.font:
        font = ImageFont.truetype(plant.font, plant.height_px)
        left, top, _, _ = font.getbbox(plant.words)
        mask = Image.new("L", SIZE_PX, 0)
        ImageDraw.Draw(mask).text((x - left, y - top), plant.words, fill=255, font=font)
        share = plant.opacity * np.asarray(mask, np.float32)[:, :, None] / 255
        return (picture * (1 - share) + np.array(plant.colour) * share).astype(np.uint8)
    scale = cv2.getFontScaleFromHeight(cv2.FONT_HERSHEY_SIMPLEX, plant.height_px, 1)
    line = plant.words.format(second=n // FPS % 60)
    thick = max(1, plant.height_px // 10)
    marked = cv2.putText(picture.copy(), line, (x, y + h), cv2.FONT_HERSHEY_SIMPLEX, scale, plant.colour, thick, cv2.LINE_AA)
    return cv2.addWeighted(marked, plant.opacity, picture, 1 - plant.opacity, 0)


def proposed(path: Path) -> tuple[list[Proposal], dict[str, float]]:
    """Return what is proposed in a film, and what it cost."""
    with av.open(str(path)) as container:
        count = sum(1 for _ in container.decode(video=0))
    boundaries_s = np.arange(count + 1) / FPS
    seen = observe(path, path.name, [text_detector.observer(DEFAULTS)], boundaries_s[:-1])
    value = seen["text"].value
    listed = text_detector.propose(ObservedFile(boundaries_s, SIZE_PX, seen, private_words=PRIVATE), DEFAULTS)
    return listed, {"looks": value["looks"], "Mpx": value["read_px"] / 1e6, "s": count / FPS}


def judged(one: Planted, listed: list[Proposal]) -> tuple[bool, bool, float]:
    """Return whether a text is found and touched, and the seconds hidden before and after it."""
    start_s, end_s = one.first / FPS, one.end / FPS
    touching = [p for p in listed if p.box_xywh and p.interval_s[0] < end_s and p.interval_s[1] > start_s and _covers(p, one, 0.2)]
    whole = [p for p in touching if p.interval_s[0] <= start_s + 0.001 and p.interval_s[1] >= end_s - 0.001 and _covers(p, one, 0.9)]
    excess = [max(start_s - p.interval_s[0], 0) + max(p.interval_s[1] - end_s, 0) for p in whole]
    return bool(whole), bool(touching), min(excess, default=0.0)


def _covers(proposal: Proposal, one: Planted, share: float) -> bool:
    assert proposal.box_xywh is not None
    return all(shared_px(proposal.box_xywh, box) >= share * box[2] * box[3] for box in one.boxes_xywh[:: max(len(one.boxes_xywh) // 8, 1)])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sources", nargs="*", type=Path)
    parser.add_argument("--fonts", type=Path)
    parser.add_argument("--empty-s", type=int, default=EMPTY_S)
    args = parser.parse_args()
    sources = args.sources or [spliced.REAL["bikes"], spliced.REAL["bigbuckbunny"]]
    listed_plants = scripts(args.fonts) if args.fonts else plants()
    rows: dict[str, list[tuple[bool, bool, float]]] = defaultdict(list)
    alarms, empty_s = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for seed, source in enumerate(sources):
            pictures, path = pictures_of(source), Path(folder) / "a.mkv"
            still = source.is_dir()
            planted = film(path, shots(pictures, still, 10**6), listed_plants, seed)
            listed, _ = proposed(path)
            for one in planted:
                rows[one.plant.row].append(result := judged(one, listed))
                if not result[0]:
                    state = "touched" if result[1] else "missed"
                    print(f"  {source.name}: {one.plant.row}: {one.plant.words!r} at {one.first / FPS:.1f} s {state}")
            film(path, shots(pictures, still, args.empty_s * FPS), [], seed)
            false, cost = proposed(path)
            alarms, empty_s = alarms + len(false), empty_s + cost["s"]
            print(f"{source.name}: without text {[(p.text, p.score, p.interval_s, p.box_xywh) for p in false]}, {cost}", flush=True)
    print(f"\n{'':<18}{'found':>8}{'touched':>9}{'of':>5}{'excess s':>10}")
    for row, results in rows.items():
        found = [excess for whole, _, excess in results if whole]
        print(f"{row:<18}{len(found):8}{sum(any(one[:2]) for one in results):9}{len(results):5}{np.mean(found) if found else 0:10.2f}")
    print(f"\nfalse alarms: {alarms} in {empty_s:.0f} s without text, {alarms * 3600 / max(empty_s, 1):.1f} an hour")


if __name__ == "__main__":
    main()
