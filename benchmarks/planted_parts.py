"""Recordings in several files with planted mistakes, and sound ones: what is said, set aside, hidden or passed in silence.

    python benchmarks/planted_parts.py FOLDER --textures FOLDER_OF_JPEGS [--seed 1] [--only NAME ...] [--table]

40 mistakes (parts in a wrong order, missing, overlapping, twice, of another recording, with frames lost or repeated at a seam, of
another size, rate or range) and 20 sound recordings. The camera moves over real pictures (``--textures``: JPEGs at any depth). Each
recording is a study of its own, which the flows from ``ingest`` to ``render`` regenerate in a process of their own, without anybody
having looked; every released frame is then found among all that were filmed. What is wrong is known to this script alone. Outcomes
are kept in ``outcomes.jsonl``, and the same command goes on where it was stopped. Texts that were said are there, too.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import itertools
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import yaml

WIDTH, HEIGHT, FPS = 320, 192, 25
STAGES = ("withdrawals", "ingest", "pseudonymize", "screen", "decisions", "review", "render")
# They take minutes, or rightly hide what is filmed here; whatever else looks stays.
WITHOUT_DETECTORS = ("scene", "appearance", "face", "text", "black", "frozen")
NAME, OTHER = "op 7", "op 8"
COLUMNS = ("recording", "participant", "trial", "site", "task", "camera", "path", "start_s", "end_s", "exclude", "part", "clock")
BLACK = -1
Frame = tuple[int, int]
"""Number of a scene, and of a frame of it."""


class Scene:
    """A camera held by hand over a real picture, with an instrument; every frame of it can be drawn."""

    def __init__(self, rng: np.random.Generator, picture: Path, *, still: bool = False) -> None:
        shown = cv2.imread(str(picture))
        height, width = shown.shape[:2]
        middle = shown[height // 7 : height - height // 7, width // 7 : width - width // 7]
        self.texture = cv2.resize(middle, (640, 400), interpolation=cv2.INTER_CUBIC)
        self.rates, self.phases = rng.uniform(0.05, 0.5, (4, 2)), rng.uniform(0, 6.3, (4, 2))
        self.speed = 0.0 if still else rng.uniform(12, 40)  # px/s
        self.tool = rng.uniform(0, 6.3, 3)
        own = np.random.default_rng(int(rng.integers(2**31)))
        self.noise = own.normal(0, 2.0, (4, HEIGHT + 61, WIDTH + 89, 3)).astype(np.float32)

    def picture(self, number: int) -> np.ndarray:
        """Return a frame, with its noise."""
        at = number / FPS
        waves = np.sin(2 * np.pi * self.rates * at + self.phases) / (2 * np.pi * self.rates)
        place = np.clip(self.speed * waves.sum(axis=0) / 2, -140, 140)
        turn = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), 3 * np.sin(0.6 * at + self.phases[0, 0]) * (self.speed > 0), 1.0)
        turn[:, 2] += place - [160, 104]
        drawn = cv2.warpAffine(self.texture, turn, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
        if self.speed:
            tip = np.array([150, 90]) + [60, 35] * np.sin(np.array([1.1, 1.7]) * at + self.tool[:2])
            cv2.line(
                drawn,
                (int(16 * tip[0]), int(16 * tip[1])),
                (16 * 340, 16 * int(120 + 40 * np.sin(self.tool[2]))),
                (150, 150, 150),
                11,
                cv2.LINE_AA,
                4,
            )
        down, across = number * 7 % 61, number * 13 % 89
        noise = self.noise[number % len(self.noise), down : down + HEIGHT, across : across + WIDTH]
        return np.clip(drawn + noise + 0.5, 0, 255).astype(np.uint8)


@dataclass
class Part:
    """One file: its frames, and how it is written."""

    frames: list[Frame]
    name: str = ""
    codec: str = "libx264"
    size: tuple[int, int] = (WIDTH, HEIGHT)
    fps: int = FPS
    crf: str = "20"
    tags: dict[str, str] = field(default_factory=dict)
    copied_from: list[Frame] | None = None
    """Its packets are copied from a film of these frames, with a key frame a second; it begins at one."""
    same_bytes_as: str = ""


@dataclass
class Case:
    """What a study holds, and what would be right."""

    parts: list[Part]
    truth: list[Frame]
    by: str = "list"
    clock: str = ""
    listed: list[str] | None = None
    others: list[Part] = field(default_factory=list)
    """The files of another recording of the study."""


class Lot:
    """What recordings are drawn from."""

    def __init__(self, seed: int, number: int, pictures: Sequence[Path]) -> None:
        self.rng = np.random.default_rng([seed, number])
        self.pictures = pictures
        self.scenes: list[Scene] = []

    def scene(self, *, still: bool = False) -> int:
        """Draw a scene and return its number."""
        self.scenes.append(Scene(self.rng, self.pictures[int(self.rng.integers(len(self.pictures)))], still=still))
        return len(self.scenes) - 1

    def lengths(self, count: int, low: int = 100, high: int = 240) -> list[int]:
        """Return numbers of frames of parts."""
        return [int(n) for n in self.rng.integers(low, high, count)]

    def run(self, count: int = 3, *, still: bool = False, seconds: bool = False) -> tuple[list[Part], list[Frame]]:
        """Return a scene that was cut exactly into parts, and its frames; ``seconds``: at whole ones."""
        scene, start, parts = self.scene(still=still), 0, []
        for place, length in enumerate(self.lengths(count)):
            whole = length // FPS * FPS if seconds else length
            parts.append(Part([(scene, n) for n in range(start, start + whole)], f"case_{place + 1:03d}.mp4"))
            start += whole
        return parts, [(scene, n) for n in range(start)]


def neutral(lot: Lot, parts: list[Part]) -> list[Part]:
    """Give files names that say nothing."""
    for part in parts:
        part.name = f"{''.join(lot.rng.choice(list('abcdefghkmnpqrstuvwxyz'), 8))}{Path(part.name).suffix}"
    return parts


def numbered(parts: list[Part], first: int = 1) -> list[Part]:
    """Give files names in their order."""
    for place, part in enumerate(parts):
        part.name = f"case_{place + first:03d}{Path(part.name).suffix or '.mp4'}"
    return parts


def ordered(places: Sequence[int], by: str, names: str, clock: str = "") -> Callable[[Lot], Case]:
    """Parts in a wrong order; names say nothing, contradict, or follow it."""

    def make(lot: Lot) -> Case:
        parts, truth = lot.run(len(places))
        at = 0
        for part in parts:  # when each was really recorded
            if clock == "creation_time":
                part.tags["creation_time"] = f"2024-01-31T14:{at // FPS // 60:02d}:{at // FPS % 60:02d}.{at % FPS * 1000 // FPS:03d}Z"
            if clock == "timecode":
                part.tags["timecode"] = timecode(at)
            at += len(part.frames)
        wrong = [parts[place - 1] for place in places]
        if names == "neutral":
            neutral(lot, wrong)
        elif names == "following":
            numbered(wrong)
        return Case(wrong, truth, by, clock)

    return make


def timecode(frame: int) -> str:
    """Return a time code that began at ten o'clock."""
    seconds = frame // FPS
    return f"10:{seconds // 60:02d}:{seconds % 60:02d}:{frame % FPS:02d}"


def missing(place: int, by: str, names: str, clock: str = "", count: int = 4) -> Callable[[Lot], Case]:
    """One part is not there."""

    def make(lot: Lot) -> Case:
        parts, truth = lot.run(count, seconds=clock == "creation_time")
        at = 0
        for part in parts:
            if clock == "creation_time":
                part.tags["creation_time"] = f"2024-01-31T14:{at // FPS // 60:02d}:{at // FPS % 60:02d}.000Z"
            if clock == "timecode":
                part.tags["timecode"] = timecode(at)
            at += len(part.frames)
        del parts[place - 1]
        if names == "neutral":
            neutral(lot, parts)
        elif names == "renumbered":
            numbered(parts)
        return Case(parts, truth, by, clock)

    return make


def overlap(seconds: float, *, copied: bool) -> Callable[[Lot], Case]:
    """Let the second file begin before the first one ends."""

    def make(lot: Lot) -> Case:
        scene, doubled = lot.scene(), round(seconds * FPS)
        first = max(150, doubled + 75) // FPS * FPS + (doubled % FPS if copied else 0)
        last = first + doubled + int(lot.rng.integers(60, 120))
        truth = [(scene, n) for n in range(last)]
        one, two = Part(truth[:first]), Part(truth[first - doubled :], crf="20" if copied else str(int(lot.rng.integers(20, 28))))
        if copied:
            one.copied_from = two.copied_from = truth
        return Case(numbered([one, two]), truth, str(lot.rng.choice(["list", "folder", "pattern"])))

    return make


def twice(how: str, by: str) -> Callable[[Lot], Case]:
    """One part is there twice."""

    def make(lot: Lot) -> Case:
        parts, truth = lot.run(3)
        again = Part(list(parts[1].frames), "case_002.mp4", crf="26" if how == "encoded again" else "20")
        at = 2
        if how == "same bytes":
            again.same_bytes_as = "case_002.mp4"
        if how == "at the end":
            at, again.same_bytes_as = 3, "case_002.mp4"
        parts.insert(at, again)
        numbered(parts)
        for part in parts:
            if part.same_bytes_as:
                part.same_bytes_as = parts[1].name
        case = Case(parts, truth, by)
        if how == "listed twice":
            parts.remove(again)
            numbered(parts)
            case.listed = [parts[0].name, parts[1].name, parts[1].name, parts[2].name]
        return case

    return make


def foreign(*, listed_too: bool, by: str) -> Callable[[Lot], Case]:
    """Put a part of another recording between."""

    def make(lot: Lot) -> Case:
        parts, truth = lot.run(3)
        others, _ = lot.run(3)
        parts.insert(2, others.pop(1))
        numbered(parts)
        for place, part in enumerate(others):
            part.name = f"other_{place + 1:03d}.mp4"
        return Case(parts, truth, by, others=others if listed_too else [])

    return make


def lost(frames: int, by: str) -> Callable[[Lot], Case]:
    """Frames are missing at a seam of a scene that goes on."""

    def make(lot: Lot) -> Case:
        scene, (first, second) = lot.scene(), lot.lengths(2)
        truth = [(scene, n) for n in range(first + frames + second)]
        return Case(numbered([Part(truth[:first]), Part(truth[first + frames :])]), truth, by)

    return make


def repeated(frames: int, by: str) -> Callable[[Lot], Case]:
    """Repeat the last frame of a part at the beginning of the next one."""

    def make(lot: Lot) -> Case:
        parts, truth = lot.run(2)
        parts[1].frames = [parts[0].frames[-1]] * frames + parts[1].frames
        return Case(parts, truth, by)

    return make


def odd(place: int, **how: Any) -> Callable[[Lot], Case]:
    """One part was written otherwise than the others."""

    def make(lot: Lot) -> Case:
        parts, truth = lot.run(3)
        for name, value in how.items():
            setattr(parts[place], name, value)
        if parts[place].codec == "mjpeg":
            parts[place].name = Path(parts[place].name).with_suffix(".avi").name
        return Case(parts, truth, "list")

    return make


MISTAKES: dict[str, Callable[[Lot], Case]] = {
    "order 2 1 3, list, names say nothing": ordered((2, 1, 3), "list", "neutral"),
    "order 2 1 3, list, names contradict": ordered((2, 1, 3), "list", "true"),
    "order 2 1 3, folder": ordered((2, 1, 3), "folder", "following"),
    "order 2 1 3, pattern": ordered((2, 1, 3), "pattern", "following"),
    "order 3 2 1, list, names say nothing": ordered((3, 2, 1), "list", "neutral"),
    "order 1 2 4 3, folder": ordered((1, 2, 4, 3), "folder", "following"),
    "order 1 3 2, list, creation_time": ordered((1, 3, 2), "list", "neutral", "creation_time"),
    "order 2 1 3, list, timecode": ordered((2, 1, 3), "list", "neutral", "timecode"),
    "order 1 4 3 2 5, list, names say nothing": ordered((1, 4, 3, 2, 5), "list", "neutral"),
    "002 missing, pattern": missing(2, "pattern", "true"),
    "003 missing, folder": missing(3, "folder", "true"),
    "002 missing, list": missing(2, "list", "true"),
    "001 missing, pattern": missing(1, "pattern", "true"),
    "second missing, renumbered, folder": missing(2, "folder", "renumbered"),
    "third missing, names say nothing, list": missing(3, "list", "neutral"),
    "first missing, renumbered, list": missing(1, "list", "renumbered"),
    "002 missing, timecode, list": missing(2, "list", "true", "timecode"),
    "second missing, names say nothing, creation_time": missing(2, "list", "neutral", "creation_time"),
    "overlap 0.5 s, copied": overlap(0.52, copied=True),
    "overlap 0.5 s, encoded again": overlap(0.52, copied=False),
    "overlap 3 s, copied": overlap(3, copied=True),
    "overlap 3 s, encoded again": overlap(3, copied=False),
    "overlap 12 s, copied": overlap(12, copied=True),
    "overlap 12 s, encoded again": overlap(12, copied=False),
    "overlap 40 s, copied": overlap(40, copied=True),
    "overlap 40 s, encoded again": overlap(40, copied=False),
    "part twice, same bytes, folder": twice("same bytes", "folder"),
    "part twice, encoded again, pattern": twice("encoded again", "pattern"),
    "part twice, at the end, list": twice("at the end", "list"),
    "part twice, one file listed twice": twice("listed twice", "list"),
    "part of another recording, which is listed": foreign(listed_too=True, by="list"),
    "part of another recording, which is not": foreign(listed_too=False, by="folder"),
    "5 frames lost at a seam": lost(5, "list"),
    "25 frames lost at a seam": lost(25, "folder"),
    "150 frames lost at a seam": lost(150, "pattern"),
    "8 frames repeated at a seam": repeated(8, "list"),
    "30 frames repeated at a seam": repeated(30, "folder"),
    "part in MJPEG of full range": odd(1, codec="mjpeg"),
    "part of another size": odd(1, size=(256, 144)),
    "part of another rate": odd(2, fps=30),
}
RELEASED_WHOLE = ("part in MJPEG of full range",)
"""Docs say that such a part is encoded: whatever else happens to it is the mistake."""


def exact(by: str, count: int = 3, **how: Any) -> Callable[[Lot], Case]:
    """Cut a scene exactly."""

    def make(lot: Lot) -> Case:
        parts, truth = lot.run(count, still=bool(how.get("still")), seconds=how.get("clock") == "creation_time")
        at = 0
        for part in parts:
            if how.get("clock") == "timecode":
                part.tags["timecode"] = timecode(at)
            if how.get("clock") == "creation_time":
                part.tags["creation_time"] = f"2024-01-31T14:{at // FPS // 60:02d}:{at // FPS % 60:02d}.000Z"
            at += len(part.frames)
            if "codec" in how:
                part.codec, part.name = how["codec"], Path(part.name).with_suffix(how["suffix"]).name
        if how.get("neutral"):
            neutral(lot, parts)
        return Case(parts, truth, by, how.get("clock", ""))

    return make


def between(what: str, by: str) -> Callable[[Lot], Case]:
    """Something other than the scene stands at the seams."""

    def make(lot: Lot) -> Case:
        inside = lot.scene()
        first, second = lot.lengths(2)
        head, tail = [(inside, n) for n in range(first)], [(inside, n) for n in range(first, first + second)]
        if what == "another scene after a pause":
            tail = [(lot.scene(), n) for n in range(second)]
        elif what == "outside of the body":
            room = lot.scene()
            head, tail = head + [(room, n) for n in range(40)], [(room, n) for n in range(40, 75)] + tail
        elif what == "black":
            head, tail = head + [(BLACK, n) for n in range(15)], [(BLACK, n) for n in range(15, 27)] + tail
        elif what == "the same scene after a pause":
            tail = [(inside, n + 1500) for n in range(first, first + second)]
        elif what == "a cut before the seam":
            head += [(lot.scene(), n) for n in range(30)]
            tail = [(head[-1][0], n) for n in range(30, 30 + second)]
        return Case(numbered([Part(head), Part(tail)]), head + tail, by)

    return make


SOUND: dict[str, Callable[[Lot], Case]] = {
    "exact, list": exact("list"),
    "exact, folder, 5 parts": exact("folder", 5),
    "exact, pattern": exact("pattern"),
    "exact, list, names say nothing": exact("list", neutral=True),
    "exact, HEVC": exact("list", codec="libx265", suffix=".mp4"),
    "exact, transport stream": exact("pattern", codec="libx264", suffix=".ts"),
    "exact, MPEG-2": exact("folder", codec="mpeg2video", suffix=".mpg"),
    "exact, 12 parts": exact("pattern", 12),
    "another scene after a pause, list": between("another scene after a pause", "list"),
    "another scene after a pause, folder": between("another scene after a pause", "folder"),
    "outside of the body at the seam, list": between("outside of the body", "list"),
    "outside of the body at the seam, pattern": between("outside of the body", "pattern"),
    "still, list": exact("list", still=True),
    "still, folder, 4 parts": exact("folder", 4, still=True),
    "black at the seam, list": between("black", "list"),
    "black at the seam, folder": between("black", "folder"),
    "exact, timecode": exact("list", clock="timecode"),
    "exact, creation_time": exact("folder", clock="creation_time"),
    "the same scene after a pause": between("the same scene after a pause", "list"),
    "a cut before the seam": between("a cut before the seam", "list"),
}


MAY_BE_ASKED = ("another scene after a pause, list", "another scene after a pause, folder", "the same scene after a pause")
"""Sound, and yet no picture tells: a question is no fault."""


def picture(lot: Lot, frame: Frame) -> np.ndarray:
    """Return a frame of a scene, or a black one."""
    if frame[0] == BLACK:
        return np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    return lot.scenes[frame[0]].picture(frame[1])


def write(path: Path, lot: Lot, part: Part) -> None:
    """Write the file of a part."""
    frames = part.copied_from or part.frames
    spare = path.with_name(f"whole{path.suffix}") if part.copied_from else path
    options = {"libx264": {"preset": "ultrafast", "crf": part.crf, "g": str(FPS), "bf": "0"}}.get(part.codec, {})
    if part.codec == "libx265":
        options = {"preset": "ultrafast", "crf": part.crf, "x265-params": "log-level=none:pools=1"}
    elif part.codec == "mjpeg":
        options = {"qmin": "2", "qmax": "3"}
    elif part.codec == "mpeg2video":
        options = {"b": "3000000"}
    with av.open(str(spare), "w") as out:
        stream = out.add_stream(part.codec, rate=part.fps, options=options)
        stream.width, stream.height = part.size
        stream.pix_fmt = "yuvj420p" if part.codec == "mjpeg" else "yuv420p"
        stream.codec_context.thread_count = 1
        for name, value in part.tags.items():
            (stream if name == "timecode" else out).metadata[name] = value
        for frame in frames:
            shown = picture(lot, frame)
            if part.size != (WIDTH, HEIGHT):
                shown = cv2.resize(shown, part.size)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(shown, format="bgr24")))
        out.mux(stream.encode())
    if part.copied_from:
        first = part.copied_from.index(part.frames[0])
        copy_packets(spare, path, first, first + len(part.frames))
        spare.unlink()


def copy_packets(whole: Path, path: Path, first: int, end: int) -> None:
    """Copy packets of frames into a file of their own; the first of them must be a key frame."""
    with av.open(str(whole)) as source, av.open(str(path), "w") as out:
        stream = out.add_stream_from_template(source.streams.video[0])
        packets = [packet for packet in source.demux(video=0) if packet.dts is not None][first:end]
        if not packets[0].is_keyframe:
            msg = f"frame {first} is no key frame"
            raise ValueError(msg)
        start = packets[0].dts
        for packet in packets:
            packet.pts, packet.dts, packet.stream = packet.pts - start, packet.dts - start, stream
            out.mux(packet)


def product_root() -> Path:
    """Return the checkout whose library runs."""
    spec = importlib.util.find_spec("scrubin")
    if spec is None or spec.origin is None:
        sys.exit("scrubin is not installed here")
    return Path(spec.origin).parents[2]


def study(project: Path, lot: Lot, case: Case) -> None:
    """Write a study with the recording, and its project."""
    raw = project / "data/raw"
    raw.parent.mkdir(parents=True)
    subprocess.run([str(Path(sys.executable).parent / "scrubin"), "new-study", "data/raw"], cwd=project, check=True, capture_output=True)
    own = raw / "videos/case"
    own.mkdir(parents=True)
    for part in case.parts:
        if not part.same_bytes_as:
            write(own / part.name, lot, part)
    for part in case.parts:
        if part.same_bytes_as:
            shutil.copy(own / part.same_bytes_as, own / part.name)
    common = {"recording": NAME, "participant": "P07", "task": "Cholecystectomy", "camera": "mono", "clock": case.clock}
    listed = case.listed or [part.name for part in case.parts]
    if case.by == "list":
        rows = [common | {"path": f"videos/case/{name}", "part": place} for place, name in enumerate(listed, start=1)]
    else:
        rows = [common | {"path": "videos/case" if case.by == "folder" else "videos/case/case_*"}]
    if case.others:
        (raw / "videos/other").mkdir()
        for place, part in enumerate(case.others, start=1):
            write(raw / "videos/other" / part.name, lot, part)
            rows.append(
                common | {"recording": OTHER, "participant": "P08", "path": f"videos/other/{part.name}", "part": place, "clock": ""}
            )
    with (raw / "recordings.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(rows)
    params = yaml.safe_load((product_root() / "params.yaml").read_text(encoding="utf-8"))
    params["raw"] = "data/raw"
    params["screen"]["detectors"] = [one for one in params["screen"]["detectors"] if one not in WITHOUT_DETECTORS] or ["frozen"]
    params["screen"]["frozen_s"] = 600.0
    params["render"]["preset"] = "ultrafast"
    (project / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")
    shutil.copy(product_root() / "dvc.yaml", project / "dvc.yaml")
    key = project / "data/private/pseudonym.key"
    key.parent.mkdir(mode=0o700)
    key.touch(mode=0o600)
    key.write_text("5" * 64 + "\n", encoding="ascii")


def regenerate(flows: Path) -> None:
    """Run the flows in this process, without DVC and without a Prefect server; what is logged is written with its level and stage."""
    sys.path.insert(0, str(flows))
    import plumbing

    from scrubin.base.errors import RecordingError

    def map_items(work: Any, items: Any, *, name: str, here: bool = False) -> Any:
        done, quarantined = [], []
        for item in items:
            try:
                done.append((item, work(item)))
            except RecordingError as error:
                quarantined.append((item, error))
        return plumbing.Mapped(done, quarantined)

    plumbing.map_items = map_items
    handler = logging.StreamHandler(sys.stdout)
    plumbing.LOG.addHandler(handler)
    plumbing.LOG.setLevel(logging.INFO)
    plumbing.LOG.propagate = False
    for stage in STAGES:
        handler.setFormatter(logging.Formatter(f"{stage}\t%(levelname)s\t%(message)s"))
        spec = importlib.util.spec_from_file_location(f"flow_{stage}", flows / f"{stage}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.main.fn()


def fingerprint(luma: np.ndarray) -> np.ndarray:
    """Return a coarse grid of a picture's luma."""
    return cv2.resize(luma, (80, 48), interpolation=cv2.INTER_AREA).astype(np.float32).ravel()


def known(lot: Lot, case: Case) -> tuple[list[Frame], np.ndarray]:
    """Return everything that was filmed, and what it looks like; what is black is none of it."""
    wanted = {frame for part in case.parts for frame in part.frames} | set(case.truth)
    frames = sorted(frame for frame in wanted if frame[0] != BLACK)
    prints = [fingerprint(cv2.cvtColor(picture(lot, frame), cv2.COLOR_BGR2YUV)[..., 0]) for frame in frames]
    return frames, np.array(prints)


def released(video: Path, lot: Lot, case: Case) -> list[Frame | None]:
    """Return which frame each released one is; None for a black one."""
    frames, prints = known(lot, case)
    place_of = {frame: place for place, frame in enumerate(frames)}
    squares, found, expected = (prints**2).sum(axis=1), [], case.truth[0]
    with av.open(str(video), options={"ignore_editlist": "1"}) as container:
        for shown in container.decode(video=0):
            luma = shown.to_ndarray(format="gray")
            own = fingerprint(luma)
            if own.max() < 24:
                found.append(None)
                expected = None if expected is None else (expected[0], expected[1] + 1)
                continue
            own = own if luma.shape == (HEIGHT, WIDTH) else fingerprint(cv2.resize(luma, (WIDTH, HEIGHT)))
            away = np.sqrt(np.maximum(squares - 2 * prints @ own + own @ own, 0) / len(own))
            best = int(away.argmin())
            next_place = place_of.get(expected) if expected else None
            if next_place is not None and away[next_place] <= 1.1 * away[best] + 0.1:
                best = next_place
            found.append(frames[best])
            expected = (frames[best][0], frames[best][1] + 1)
    return found


def compared(found: list[Frame | None], truth: list[Frame]) -> dict[str, int]:
    """Return how far released frames are from the true recording."""
    place_of = {frame: place for place, frame in enumerate(truth)}
    seen = [frame for frame in found if frame is not None]
    places = [place_of[frame] for frame in seen if frame in place_of]
    return {
        "frames": len(found),
        "black": sum(frame is None for frame in found) - sum(frame[0] == BLACK for frame in truth),
        "true": len(truth),
        "twice": len(places) - len(set(places)),
        "backwards": sum(b < a for a, b in itertools.pairwise(places)),
        "foreign": sum(frame not in place_of for frame in seen),
        "lost": sum(frame[0] != BLACK for frame in truth) - len(set(places)),
    }


LOOSE = re.compile(r"not seen by|nobody has (looked|seen)|has not been looked at|proposals|cluster:", re.IGNORECASE)


def run(project: Path) -> tuple[int, list[str]]:
    """Regenerate the study; return the exit code and what was said of the recording as a warning, an error or in the preflight."""
    here = Path(__file__).absolute()
    command = [sys.executable, str(here), "--drive", str(product_root() / "pipelines/flows")]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, timeout=900)
    (project / "log.txt").write_text(done.stdout + "\n---\n" + done.stderr, encoding="utf-8")
    lines = [line.split("\t", 2) for line in done.stdout.splitlines() if line.count("\t") >= 2]
    said = [f"{stage}: {text}" for stage, level, text in lines if level in ("WARNING", "ERROR") and not LOOSE.search(text)]
    if done.returncode:
        said += ["stopped: " + " ".join(done.stderr.strip().splitlines()[-1:])[:400]]
    first = subprocess.run(
        [str(Path(sys.executable).parent / "scrubin"), "preflight"], cwd=project, capture_output=True, text=True, check=False
    )
    (project / "preflight.txt").write_text(first.stdout + first.stderr, encoding="utf-8")
    said += [f"preflight: {line.strip()}" for line in (first.stdout + first.stderr).splitlines() if NAME in line or "case_" in line]
    return done.returncode, said


def judged(folder: Path, name: str, case: Case, lot: Lot) -> dict[str, Any]:
    """Make a study of the case, regenerate it, and return what came out."""
    import pandas as pd

    project = folder / "studies" / re.sub(r"\W+", "_", name)
    shutil.rmtree(project, ignore_errors=True)
    study(project, lot, case)
    began = time.monotonic()
    used = os.times()
    code, said = run(project)
    outcome: dict[str, Any] = {"code": code, "wall_s": round(time.monotonic() - began, 1), "said": said}
    outcome["cpu_s"] = round(os.times().children_user - used.children_user, 1)
    interim = project / "data/interim"
    kept = interim / "recordings.parquet"
    rows = pd.read_parquet(kept) if kept.exists() else pd.DataFrame({"recording": []})
    aside = pd.read_parquet(interim / "quarantine_ingest.parquet") if kept.exists() else pd.DataFrame({"recording": []})
    outcome["why"] = [f"{row.path}: {row.reason}" for row in aside.itertuples() if row.recording == NAME]
    if "exclusion_reason" in rows:
        rows = rows[rows["exclusion_reason"].fillna("") == ""]
    outcome["kept"] = bool((rows["recording"] == NAME).any()) and not outcome["why"]
    parts = interim / "parts.parquet"
    if parts.exists():
        own = pd.read_parquet(parts).query("recording == @NAME")
        outcome["gaps_s"] = [str(gap) for gap in own["gap_s"] if float(Fraction(str(gap)))]
        outcome["left_out"] = [int(first) for first in own["first_frame"] if first]
    video = released_video(project)
    outcome["compared"] = compared(released(video, lot, case), case.truth) if video else None
    return outcome


def released_video(project: Path) -> Path | None:
    """Return the rendered video of the recording."""
    import pandas as pd

    linkage, videos = project / "data/private/linkage.parquet", project / "data/tables/videos.parquet"
    if not videos.exists():
        return None
    table = pd.read_parquet(linkage)
    ids = set(table[table["recording"] == NAME]["id"])
    rows = pd.read_parquet(videos)
    paths = [found for path in rows[rows["id"].isin(ids)]["path"] for found in (project / "data").glob(f"*/{path}")]
    return paths[0] if paths else None


def words(kind: str, name: str, outcome: dict[str, Any]) -> str:
    """Return in one word what became of a recording."""
    shown = outcome["compared"]
    if outcome["code"] and not outcome["why"] and shown is None:
        return "stopped"
    if shown is None:
        return "set aside"
    wrong = shown["twice"] + shown["backwards"] + shown["foreign"] + shown["lost"] + max(shown["black"], 0)
    if kind == "sound":
        if not wrong and shown["frames"] == shown["true"]:
            return ("may ask" if name in MAY_BE_ASKED else "asked") if outcome["said"] else "untouched"
        return "hidden" if shown["black"] > 0 else "CHANGED"
    if not wrong and shown["frames"] == shown["true"]:
        return "right"
    if shown["black"] > 0:
        return "hidden"
    if outcome["said"]:
        return "said"
    return "gap told" if outcome.get("gaps_s") else "SILENT"


def table(rows: Iterable[tuple[str, str, dict[str, Any]]]) -> None:
    """Print what became of every recording, and the sums."""
    listed = list(rows)
    print(f"{'recording':<52}{'outcome':<11}{'frames':>7}{'true':>6}{'black':>6}{'twice':>6}{'back':>5}{'alien':>6}{'lost':>6}  said")
    for kind, name, outcome in listed:
        shown = outcome["compared"] or {}
        said = (outcome["why"] or outcome["said"] or [""])[0]
        numbers = "".join(
            f"{shown.get(key, '-'):>{width}}"
            for key, width in (("frames", 7), ("true", 6), ("black", 6), ("twice", 6), ("backwards", 5), ("foreign", 6), ("lost", 6))
        )
        print(f"{kind + ': ' + name:<52}{words(kind, name, outcome):<11}{numbers}  {said[:120]}")
    for kind in ("mistake", "sound"):
        counts: dict[str, int] = {}
        for one, name, outcome in listed:
            if one == kind:
                word = words(kind, name, outcome)
                counts[word] = counts.get(word, 0) + 1
        print(f"{kind}: " + ", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    silent = [outcome["compared"] for kind, name, outcome in listed if kind == "mistake" and words(kind, name, outcome) == "SILENT"]
    sums = {key: sum(one[key] for one in silent) for key in ("twice", "foreign", "lost")}
    print(f"released in silence: {sums['twice']} frames twice, {sums['foreign']} of another recording; {sums['lost']} frames gone")
    print(f"{sum(outcome['cpu_s'] for *_, outcome in listed):.0f} s of CPU in the flows")


def main() -> None:
    """Make, regenerate, compare, and print the table."""
    if sys.argv[1:2] == ["--drive"]:
        regenerate(Path(sys.argv[2]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--textures", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="recordings whose name has one of these in it")
    parser.add_argument("--keep", action="store_true", help="keep the studies")
    parser.add_argument("--table", action="store_true", help="print what earlier runs found")
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    pictures = [path for path in sorted(arguments.textures.rglob("*.jpg")) if cv2.imread(str(path)).shape[1] >= WIDTH]
    done_path = folder / "outcomes.jsonl"
    lines = done_path.read_text(encoding="utf-8").splitlines() if done_path.exists() else []
    done = {(one["kind"], one["name"], one["seed"]): one["outcome"] for one in map(json.loads, lines)}
    rows = []
    makers = [("mistake", *item) for item in MISTAKES.items()] + [("sound", *item) for item in SOUND.items()]
    for number, (kind, name, maker) in enumerate(makers):
        if arguments.only and not any(word in f"{kind}: {name}" for word in arguments.only):
            continue
        place = (kind, name, arguments.seed)
        if place not in done and not arguments.table:
            lot = Lot(arguments.seed, number, pictures)
            outcome = judged(folder, f"{kind} {name}", maker(lot), lot)
            done[place] = outcome
            with done_path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"kind": kind, "name": name, "seed": arguments.seed, "outcome": outcome}) + "\n")
            print(
                f"{kind}: {name}: {words(kind, name, outcome)} {outcome['compared']} {(outcome['why'] + outcome['said'])[:2]}", flush=True
            )
            if not arguments.keep:
                shutil.rmtree(folder / "studies", ignore_errors=True)
        if place in done:
            rows.append((kind, name, done[place]))
    table(rows)


if __name__ == "__main__":
    main()
