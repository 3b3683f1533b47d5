"""What ``scrubin stereo check`` says of drawn stereo pairs: sound ones that it accuses, and faults that it names.

    python benchmarks/planted_stereo.py FOLDER --textures FOLDER_OF_JPEGS [--count 200] [--seed 1] [--only KIND ...]

Makes ``--count`` sound and as many faulty pairs by lot. Tissue is a plane or a height field of a real picture (``--textures``: JPEGs
at any depth), an instrument is a strip before it; every pixel's ray is intersected with them, for both cameras of a rig whose file
says how it was drawn. Motions, rigs, lengths (40 to 3,000 frames), rates, noise, light, flicker and codecs are drawn as well. Which
fault a pair has stands in ``key.jsonl`` and is never seen by the command, which runs once a pair in a process of its own. What it
says is kept in ``said.jsonl``: the same command goes on where it was stopped. ``--table`` prints what is there and makes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from scipy.stats import beta

SIZES = ((320, 192), (384, 216), (480, 270))
RATES = (Fraction(25), Fraction(30), Fraction(50), Fraction(60000, 1001))
LENGTHS = (((40, 65), 0.40), ((65, 150), 0.28), ((150, 400), 0.24), ((400, 1000), 0.06), ((1500, 3000), 0.02))
MOTIONS = ("static", "pan", "pan across", "zoom", "hand-held", "periodic", "instrument", "cuts", "starts late")
CODECS = (
    ("libx264", {"crf": "18", "preset": "ultrafast"}, "mp4"),
    ("libx264", {"crf": "24", "preset": "veryfast"}, "mkv"),
    ("libx264", {"crf": "30", "preset": "ultrafast"}, "mp4"),
    ("libx264", {"crf": "36", "preset": "ultrafast"}, "mkv"),
    ("libx265", {"crf": "26", "preset": "ultrafast", "x265-params": "log-level=none:pools=1"}, "mkv"),
    ("mjpeg", {"qmin": "3", "qmax": "6"}, "avi"),
)
LEAST_WIDTH = 320  # smaller pictures come from GIFs, whose dots no camera shows
FITS = ("offset", "spread")
# What names a fault rightly. A late camera is a fault of time, whichever of both rules says so.
FAULTS: dict[str, tuple[str, ...]] = {
    "late by half a frame": ("lag",),
    "late by 1": ("lag",),
    "late by 2": ("lag",),
    "late by 3": ("lag",),
    "late by 5": ("lag",),
    "late by 12": ("lag",),
    "drift of 0.1 %": ("lag", "length"),
    "frame dropped": ("lag", "length"),
    "swapped": ("order",),
    "low by some px": FITS,
    "rotated": FITS,
    "zoomed": FITS,
    "one mirrored": ("flipped",),
    "both mirrored": ("order",),
    "turned by half": ("flipped",),
    "one camera twice": ("same",),
    "calibration of another rig": (*FITS, "order", "baseline", "centre"),
    "right camera of another recording": ("unmatched", "order", "length", "lag", *FITS),
}
MOVING = ("pan", "zoom", "hand-held", "periodic", "instrument", "cuts", "starts late")
SOUND = "sound"


@dataclass(frozen=True)
class Case:
    """One pair and what is wrong with it."""

    number: int
    seed: int
    fault: str
    motion: str
    frame_count: int
    fps: str
    size: tuple[int, int]
    tissue: str
    rig: str
    codec: str
    noise: float
    gain: float
    flicker: str
    round: bool
    speed_px: float
    late_frames: float = 0.0
    amount: float = 0.0
    textures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Rig:
    """Both cameras; a point of the left one is R X + t in the right one, in mm."""

    size: tuple[int, int]
    matrices: tuple[np.ndarray, np.ndarray]
    bends: tuple[np.ndarray, np.ndarray]
    rotation: np.ndarray
    translation: np.ndarray
    depth_mm: float

    def text(self) -> str:
        """Return the calibration file, as docs/stereo.md has it."""
        named = {"K1": self.matrices[0], "D1": self.bends[0], "K2": self.matrices[1], "D2": self.bends[1]}
        lines = ["%YAML 1.2", "---", f"image_width: {self.size[0]}", f"image_height: {self.size[1]}", "unit: mm"]
        lines += ['convention: "X_right = R X_left + t"', "distortion_model: radial-tangential"]
        for name, values in (named | {"R": self.rotation, "T": self.translation}).items():
            rows, cols = np.atleast_2d(values).shape if np.ndim(values) == 2 else (len(values), 1)
            data = ", ".join(repr(float(value)) for value in np.ravel(values))
            lines.append(f"{name}: !!opencv-matrix\n   rows: {rows}\n   cols: {cols}\n   dt: d\n   data: [ {data} ]")
        return "\n".join(lines) + "\n"


def turned(x_deg: float, y_deg: float, z_deg: float) -> np.ndarray:
    """Return the rotation about these axes."""
    return np.asarray(cv2.Rodrigues(np.radians([x_deg, y_deg, z_deg]))[0])


def drawn_rig(rng: np.random.Generator, size: tuple[int, int], kind: str) -> Rig:
    """Draw a rig of an endoscope: both cameras before the tissue, optical axes that meet there or are parallel."""
    width, height = size
    depth_mm, base_mm = float(rng.uniform(50, 110)), float(rng.uniform(3.5, 7.0))
    if kind == "rectified":
        focal = width * rng.uniform(0.8, 1.3)
        matrix = np.array([[focal, 0, width / 2 + rng.uniform(-8, 8)], [0, focal, height / 2 + rng.uniform(-5, 5)], [0, 0, 1]])
        straight = np.zeros(5)
        return Rig(size, (matrix, matrix.copy()), (straight, straight.copy()), np.eye(3), np.array([-base_mm, 0, 0]), depth_mm)
    matrices, bends = [], []
    strong = {"slightly bent": 0.05, "bent": 0.18, "strongly bent": 0.24}[kind]
    focal = width * rng.uniform(0.95, 1.3)
    for _ in range(2):
        own = focal * rng.uniform(0.99, 1.01)
        middle = width / 2 + rng.uniform(-12, 12), height / 2 + rng.uniform(-8, 8)
        matrices.append(np.array([[own, 0, middle[0]], [0, own * rng.uniform(0.998, 1.002), middle[1]], [0, 0, 1]]))
        bends.append(np.array([-strong * rng.uniform(0.7, 1), strong * rng.uniform(0, 0.3), *rng.uniform(-1e-3, 1e-3, 2), 0.0]))
    rotation = turned(rng.uniform(-0.7, 0.7), np.degrees(base_mm / depth_mm) * rng.uniform(0, 1), rng.uniform(-0.7, 0.7))
    return Rig(size, tuple(matrices), tuple(bends), rotation, np.array([-base_mm, *rng.uniform(-0.2, 0.2, 2)]), depth_mm)


def measured(rig: Rig, rng: np.random.Generator) -> Rig:
    """Return the rig as somebody calibrated it well: rows are a tenth of a pixel off."""
    matrices = tuple(
        matrix * np.array([[factor, 1, 1], [1, factor, 1], [1, 1, 1]])
        for matrix, factor in zip(rig.matrices, rng.normal(1, 5e-4, 2), strict=True)
    )
    off = turned(*rng.normal(0, 0.01, 3))
    return Rig(rig.size, matrices, rig.bends, off @ rig.rotation, rig.translation, rig.depth_mm)


def rays_of(rig: Rig, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the direction of each pixel's ray (rows, columns, 3) and the camera's centre, as the left camera sees them."""
    width, height = rig.size
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 1, 2).astype(float)
    way = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 60, 1e-10)
    plain = cv2.undistortPoints(pixels, rig.matrices[side], rig.bends[side], criteria=way)
    rays = cv2.convertPointsToHomogeneous(plain).reshape(height, width, 3)
    if side == 0:
        return rays.astype(np.float32), np.zeros(3)
    return (rays @ rig.rotation).astype(np.float32), -rig.rotation.T @ rig.translation


class Scene:
    """Tissue and an instrument before it, and how the left camera moves: everything at any time."""

    def __init__(self, case: Case, rig: Rig, rng: np.random.Generator, textures: list[np.ndarray]) -> None:
        self.case, self.depth_mm = case, rig.depth_mm
        self.px_mm = rig.depth_mm / rig.matrices[0][0, 0]
        self.textures = textures
        self.texel_mm = self.px_mm * rng.uniform(0.9, 1.5)
        self.tilt = rng.uniform(-0.25, 0.25, 2)
        self.waves = rng.uniform(0.03, 0.09, 2) * 80 / rig.depth_mm, rng.uniform(0, 6, 2)
        self.height_mm = 0.07 * rig.depth_mm if case.tissue == "height field" else 0.0
        self.shake = rng.uniform(0.4, 2.5, (5, 3)), rng.uniform(0, 6.3, (5, 3))
        self.angle = rng.uniform(0, 2 * np.pi)
        self.phase = rng.uniform(0, 6.3)
        self.starts_s = case.frame_count / float(Fraction(case.fps)) * rng.uniform(0.3, 0.6)
        self.cut_frames = np.sort(rng.uniform(0, case.frame_count, max(1, case.frame_count // 60)))
        self.places_mm = rng.uniform(-150, 150, (len(self.cut_frames) + 1, 2)) * self.px_mm
        self.metal = metal(rng)
        self.metal_mm = self.px_mm * rig.size[0] / 480

    def pose(self, time_s: float) -> tuple[np.ndarray, np.ndarray, int]:
        """Return rotation and place (mm) of the left camera, and the number of the scene that it sees."""
        case, rate = self.case, float(Fraction(self.case.fps))
        speed = case.speed_px * self.px_mm * rate  # mm/s at the tissue
        place, turn, shown = np.zeros(3), np.eye(3), 0
        motion = case.motion
        if motion == "starts late":
            time_s, motion = max(0.0, time_s - self.starts_s), "hand-held"
        if motion == "pan":
            swing = min(2.0, 60 * self.px_mm / speed)  # there and back
            far = speed * swing / (np.pi / 2) * np.sin(np.pi / 2 * time_s / swing)
            place[:2] = far * np.cos(self.angle), far * (0.5 + 0.5 * abs(np.sin(self.angle)))
        elif motion == "pan across":
            place[0] = 60 * self.px_mm * np.sin(speed * time_s / (60 * self.px_mm))
        elif motion == "zoom":
            place[2] = 0.15 * self.depth_mm * np.sin(speed * time_s / (0.15 * self.depth_mm) * 2 + self.phase)
        elif motion == "hand-held":
            rates, phases = self.shake
            waves = np.sin(2 * np.pi * rates * time_s + phases) - np.sin(phases)
            far = (waves / rates).sum(axis=0) / (2 * np.pi) * speed / np.sqrt(2.5)
            place[:] = far * [1, 1, 0.6]
            turn = turned(*(far[::-1] / self.depth_mm * 20))
        elif motion == "cuts":
            shown = int(np.searchsorted(self.cut_frames, time_s * rate + 1e-6, side="right"))
            place[:2] = self.places_mm[shown] + speed * 0.3 * np.sin([2.1 * time_s, 2.7 * time_s + 1])
        return turn, place, shown

    def picture(self, time_s: float, rays: np.ndarray, centre: np.ndarray) -> np.ndarray:
        """Return what a camera of the rig sees at a time; rays and centre are the left camera's."""
        turn, place, shown = self.pose(time_s)
        ways = rays @ turn.T.astype(np.float32) if not np.array_equal(turn, np.eye(3)) else rays
        eye = turn @ centre + place
        breath = np.sin(2 * np.pi * 0.7 * time_s + self.phase) if self.case.motion == "periodic" else 0.0
        speed = self.case.speed_px * self.px_mm * float(Fraction(self.case.fps))
        moved = np.array([0.4, 0.8]) * breath * speed / (2 * np.pi * 0.7)
        x, y = self._tissue(ways, eye, self.height_mm * (1 + 0.4 * breath), moved)
        texture = self.textures[shown % len(self.textures)]
        at_x = ((x - moved[0]) / self.texel_mm + texture.shape[1] / 2).astype(np.float32)
        at_y = ((y - moved[1]) / self.texel_mm + texture.shape[0] / 2).astype(np.float32)
        drawn = cv2.remap(texture, at_x, at_y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101)
        return self._instrument(drawn, ways, eye, time_s, speed) if self.case.motion == "instrument" else drawn

    def _tissue(self, ways: np.ndarray, eye: np.ndarray, height_mm: float, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        below = np.float32(self.depth_mm + self.tilt @ eye[:2] - eye[2])
        slope = ways[..., 2] - np.float32(self.tilt[0]) * ways[..., 0] - np.float32(self.tilt[1]) * ways[..., 1]
        far = below / slope
        x, y = eye[0] + far * ways[..., 0], eye[1] + far * ways[..., 1]
        (kx, ky), (px, py) = self.waves
        for _ in range(5 if height_mm else 0):
            bump = np.sin(np.float32(kx) * (x - moved[0]) + px) * np.sin(np.float32(ky) * (y - moved[1]) + py)
            far = (below + np.float32(height_mm) * bump) / slope
            x, y = eye[0] + far * ways[..., 0], eye[1] + far * ways[..., 1]
        return x.astype(np.float32), y.astype(np.float32)

    def _instrument(self, drawn: np.ndarray, ways: np.ndarray, eye: np.ndarray, time_s: float, speed: float) -> np.ndarray:
        near = 0.75 * self.depth_mm
        far = (near - eye[2]) / ways[..., 2]
        x, y = eye[0] + far * ways[..., 0], eye[1] + far * ways[..., 1]
        rate = 2 * np.pi * 0.5
        tip = 1.2 * speed / rate * np.array([np.sin(rate * time_s + self.phase), np.sin(1.3 * rate * time_s)]) + 0.1 * near
        lean = self.angle / 8 - 0.4
        along = np.cos(lean) * (x - tip[0]) + np.sin(lean) * (y - tip[1])
        beside = -np.sin(lean) * (x - tip[0]) + np.cos(lean) * (y - tip[1])
        at_x, at_y = (along / self.metal_mm).astype(np.float32), (beside / self.metal_mm + self.metal.shape[0] / 2).astype(np.float32)
        edge = np.minimum(np.minimum(at_x, at_y), self.metal.shape[0] - 1 - at_y)
        share = np.clip(edge + 0.5, 0, 1)[..., None].astype(np.float32)
        shown = cv2.remap(self.metal, at_x, at_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
        return (drawn * (1 - share) + shown * share).astype(np.uint8)


def metal(rng: np.random.Generator) -> np.ndarray:
    """Draw a shaft with grey light along it, scratches and a hinge."""
    across = 60 + 150 * np.exp(-(((np.arange(34) - 11) / 6) ** 2))
    grey = np.repeat(across[:, None], 400, axis=1) + cv2.GaussianBlur(rng.normal(0, 60, (34, 400)), (0, 0), 1.3)
    grey[:, 40:48] *= 0.4
    grey[12:22, 50:62] *= 0.6
    return np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def drawn_case(number: int, seed: int, fault: str, pictures: list[Path]) -> Case:
    """Return what a pair is, by lot."""
    rng = np.random.default_rng([seed, number, fault == SOUND])
    time_fault = FAULTS.get(fault, ())[:1] == ("lag",)
    motions = MOVING if time_fault else MOTIONS
    motion = motions[number % len(motions)] if fault == SOUND else str(rng.choice(motions))
    span = LENGTHS[int(rng.choice(len(LENGTHS), p=[share for _, share in LENGTHS]))][0]
    if fault == "drift of 0.1 %":
        span = (1500, 2400)
    late = {"late by half a frame": 0.5} | {f"late by {n}": float(n) for n in (1, 2, 3, 5, 12)}
    amount = {"low by some px": rng.uniform(3, 8), "rotated": rng.uniform(2, 4), "zoomed": rng.uniform(1.05, 1.1)}.get(fault, 0.0)
    return Case(
        number=number,
        seed=seed,
        fault=fault,
        motion=motion,
        frame_count=int(rng.integers(*span)),
        fps=str(RATES[int(rng.integers(len(RATES)))]),
        size=SIZES[int(rng.choice(len(SIZES), p=(0.6, 0.25, 0.15)))] if span[1] < 1000 else SIZES[0],
        tissue=str(rng.choice(["plane", "height field"], p=[0.6, 0.4])),
        rig=str(rng.choice(["rectified", "slightly bent", "bent", "strongly bent"])),
        codec=str(int(rng.integers(len(CODECS)))),
        noise=float(rng.choice([0.0, 1.5, 3.0, 6.0])),
        gain=float(rng.choice([1.0, 1.0, 0.85, 1.25])),
        flicker=str(rng.choice(["none", "none", "both", "right"])),
        round=bool(rng.random() < 0.2),
        speed_px=float(rng.uniform(0.5, 3.5)),
        late_frames=late.get(fault, 0.0) * (1 if rng.random() < 0.5 else -1),
        amount=float(amount * (1 if fault == "zoomed" or rng.random() < 0.5 else -1)),
        textures=[str(pictures[int(place)]) for place in rng.integers(len(pictures), size=4)],
    )


def texture_of(path: str) -> np.ndarray:
    """Return the middle of a real picture, twice as fine, without the black that is round many of them."""
    shown = cv2.imread(path)
    height, width = shown.shape[:2]
    middle = shown[height // 6 : height - height // 6, width // 6 : width - width // 6]
    return cv2.resize(middle, None, fx=480 / middle.shape[1], fy=480 / middle.shape[1], interpolation=cv2.INTER_CUBIC)


class Filmed:
    """One camera's pictures, as the sensor gives them: light, noise and the black round of an endoscope."""

    def __init__(self, case: Case, scene: Scene, rig: Rig, side: int, rng: np.random.Generator) -> None:
        self.case, self.scene, self.side = case, scene, side
        self.rays, self.centre = rays_of(rig, side)
        self.fps = float(Fraction(case.fps))
        width, height = case.size
        self.noise = rng.normal(0, case.noise, (height + 40, width + 40, 3)).astype(np.float32)
        self.shifts = rng.integers(0, 40, (max(case.frame_count, 1) + 40, 2))
        middle = (width / 2 + rng.uniform(-6, 6), height / 2 + rng.uniform(-4, 4))
        across, down = np.meshgrid(np.arange(width) - middle[0], np.arange(height) - middle[1])
        self.round = np.clip(0.52 * min(width, height * 1.25) - np.hypot(across, down), 0, 1)[..., None].astype(np.float32)
        self.beat_hz, self.beat = rng.uniform(2, 9), rng.uniform(0, 6)
        self._still: tuple[float, np.ndarray] | None = None

    def picture(self, moment: float, number: int) -> np.ndarray:
        """Return the picture of this moment, in frames; ``number`` draws the noise."""
        time_s = moment / self.fps
        if self.case.motion == "static" and self._still is not None:
            clean = self._still[1]
        else:
            clean = self.scene.picture(time_s, self.rays, self.centre)
            self._still = (time_s, clean)
        gain = self.case.gain if self.side else 1.0
        if self.case.flicker == "both" or (self.case.flicker == "right" and self.side):
            gain *= 1 + 0.06 * np.sin(2 * np.pi * self.beat_hz * number / self.fps + self.beat * self.side)
        down, across = self.shifts[number % len(self.shifts)]
        height, width = clean.shape[:2]
        lit = clean.astype(np.float32) * np.float32(gain)
        if self.case.round:
            lit *= self.round
        return np.clip(lit + self.noise[down : down + height, across : across + width] + 0.5, 0, 255).astype(np.uint8)


def moments(case: Case, side: int) -> Iterator[float]:
    """Return when each frame of a camera was taken, in frames of the scene's clock."""
    count = case.frame_count
    late = max(0.0, case.late_frames) if side else max(0.0, -case.late_frames)
    for number in range(count):
        at = float(number) - late  # a late camera's first pictures show what was before the other one began
        if side and case.fault == "drift of 0.1 %":
            at = number * 1.001
        if side and case.fault == "frame dropped" and number >= count // 2:
            at = number + 1.0
        yield at


def spoilt(case: Case, side: int, picture: np.ndarray) -> np.ndarray:
    """Do to a picture what the fault does."""
    height, width = picture.shape[:2]
    one = case.number % 2
    if case.fault == "low by some px" and side:
        shift = np.array([[1, 0, 0], [0, 1, case.amount]])
        return cv2.warpAffine(picture, shift, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    if case.fault in ("rotated", "zoomed") and side:
        angle, factor = (case.amount, 1.0) if case.fault == "rotated" else (0.0, case.amount)
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), angle, factor)
        return cv2.warpAffine(picture, turn, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    if case.fault == "both mirrored" or (case.fault == "one mirrored" and side == one):
        return np.ascontiguousarray(picture[:, ::-1])
    if case.fault == "turned by half" and side == one:
        return np.ascontiguousarray(picture[::-1, ::-1])
    return picture


def encode(path: Path, case: Case, pictures: Iterable[np.ndarray]) -> None:
    """Write a film with the case's codec and rate."""
    codec, options, _ = CODECS[int(case.codec)]
    with av.open(str(path), "w") as out:
        stream = out.add_stream(codec, rate=Fraction(case.fps), options=options)
        stream.width, stream.height = case.size
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        stream.codec_context.thread_count = 1
        for picture in pictures:
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        out.mux(stream.encode())


def make(folder: Path, case: Case) -> tuple[Path, Path, Path]:
    """Draw a pair: the rig's file, the left film and the right one."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([case.seed, case.number, case.fault == SOUND, 7])
    rig = drawn_rig(rng, case.size, case.rig)
    textures = [texture_of(path) for path in case.textures]
    scene = Scene(case, rig, rng, textures)
    cameras = [Filmed(case, scene, rig, side, rng) for side in (0, 1)]
    stated = measured(rig, rng)
    if case.fault == "right camera of another recording":
        other = drawn_case(case.number + 5000, case.seed, SOUND, [Path(path) for path in case.textures])
        cameras[1].scene = Scene(case, rig, np.random.default_rng([case.seed, other.number]), textures[2:])
    if case.fault == "calibration of another rig":
        stated = drawn_rig(np.random.default_rng([case.seed, case.number, 99]), case.size, "bent")
    if case.fault == "one camera twice":
        cameras[1].rays, cameras[1].centre = cameras[0].rays, cameras[0].centre
    paths = [folder / f"{name}.{CODECS[int(case.codec)][2]}" for name in ("left", "right")]
    for side, (path, camera) in enumerate(zip(paths, cameras, strict=True)):
        shown = (spoilt(case, side, camera.picture(at, number)) for number, at in enumerate(moments(case, side)))
        encode(path, case, shown)
    if case.fault == "swapped":
        spare = folder / f"spare{paths[0].suffix}"
        paths[0].rename(spare)
        paths[1].rename(paths[0])
        spare.rename(paths[1])
    (folder / "rig.yaml").write_text(stated.text(), encoding="ascii")
    return folder / "rig.yaml", *paths


def ask(rig: Path, left: Path, right: Path) -> dict[str, Any]:
    """Return what the command says of a pair."""
    command = [str(Path(sys.executable).parent / "scrubin"), "stereo", "check", rig.name, left.name, right.name, "--json"]
    began, used = time.monotonic(), os.times()
    done = subprocess.run(command, cwd=rig.parent, capture_output=True, text=True, timeout=600, check=False)
    cpu_s = os.times().children_user - used.children_user
    said: dict[str, Any] = {"code": done.returncode, "wall_s": round(time.monotonic() - began, 2), "cpu_s": round(cpu_s, 2)}
    try:
        only = json.loads(done.stdout)["recordings"][0]
    except (ValueError, LookupError):
        return said | {"verdict": "broken", "findings": [], "measured": {}, "stderr": done.stderr[-400:]}
    return said | {name: only.get(name) for name in ("verdict", "findings", "measured")}


def outcome(said: dict[str, Any]) -> str:
    """Return in one word what the command thinks: accused, warned, undecided, fine, broken."""
    if said["verdict"] == "broken":
        return "broken"
    severities = {one["severity"] for one in said["findings"]}
    rules = {one["rule"] for one in said["findings"]}
    if "error" in severities:
        return "accused"
    unknown = {rule for rule in rules if rule == "unmatched" or "undecided" in rule}
    if "warning" in severities and rules - unknown:
        return "warned"
    measured = said["measured"] or {}
    if unknown or "undecided" in str(said["verdict"]) or measured.get("lag_frames") is None or measured.get("offset_px") is None:
        return "undecided"
    return "fine"


def bounds(hits: int, count: int) -> str:
    """Return Clopper and Pearson's 95 % interval of a share, in %."""
    low = beta.ppf(0.025, hits, count - hits + 1) if hits else 0.0
    high = beta.ppf(0.975, hits + 1, count - hits) if hits < count else 1.0
    return f"{hits} of {count} = {100 * hits / max(count, 1):.1f} % ({100 * low:.1f} to {100 * high:.1f})"


OUTCOMES = ("accused", "warned", "undecided", "fine", "broken")


def table(rows: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Print what came out, by motion, length and fault."""
    sound = [(key, said) for key, said in rows if key["fault"] == SOUND]
    faulty = [(key, said) for key, said in rows if key["fault"] != SOUND]
    length = lambda key: next(f"{low} to {high - 1} frames" for (low, high), _ in reversed(LENGTHS) if key["frame_count"] >= low)  # noqa: E731
    for title, group in (("motion", lambda key: key["motion"]), ("length", length), ("codec", lambda key: CODECS[int(key["codec"])][0])):
        print(f"\nsound by {title:<27}" + "".join(f"{one:>10}" for one in OUTCOMES))
        grouped: dict[str, Counter[str]] = defaultdict(Counter)
        for key, said in sound:
            grouped[group(key)][outcome(said)] += 1
        for name, counts in sorted(grouped.items()):
            print(f"  {name:<34}" + "".join(f"{counts[one]:>10}" for one in OUTCOMES))
    for key, said in sound:
        if outcome(said) in ("accused", "warned", "broken"):
            what = "; ".join(f"{one['severity']} {one['rule']}: {one['what']}" for one in said["findings"]) or said.get("stderr", "")
            print(f"  {outcome(said)}: sound {key['number']} ({key['motion']}, {key['frame_count']} frames): {what}")
    print(f"\n{'fault':<36}" + "".join(f"{one:>10}" for one in OUTCOMES) + f"{'by name':>10}{'as error':>10}")
    kinds: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = defaultdict(list)
    for key, said in faulty:
        kinds[key["fault"]].append((key, said))
    named_all = 0
    for fault in FAULTS:
        if fault not in kinds:
            continue
        counts = Counter(outcome(said) for _, said in kinds[fault])
        named = [{one["severity"] for one in said["findings"] if one["rule"] in FAULTS[fault]} for _, said in kinds[fault]]
        found, errors = sum(bool(one & {"error", "warning"}) for one in named), sum("error" in one for one in named)
        named_all += found
        print(f"  {fault:<34}" + "".join(f"{counts[one]:>10}" for one in OUTCOMES) + f"{found:>10}{errors:>10}")
    late = [(key, said) for key, said in faulty if key["fault"].startswith("late by") and key["fault"] != "late by half a frame"]
    for motion in sorted({key["motion"] for key, _ in late}):
        hits = [any(one["rule"] == "lag" for one in said["findings"]) for key, said in late if key["motion"] == motion]
        print(f"  late by a frame or more, {motion:<14}: lag named in {sum(hits)} of {len(hits)}")
    off = [
        abs(abs(said["measured"]["lag_frames"]) - abs(key["late_frames"]))
        for key, said in late
        if (said["measured"] or {}).get("lag_frames") is not None
    ]
    if off:
        far = sum(one > 0.5 for one in off)
        print(
            f"  lags that were stated: {len(off)} of {len(late)}, median {np.median(off):.2f} frames off, {far} more than half a frame off"
        )
    print(f"\nsound pairs accused (error): {bounds(sum(outcome(said) == 'accused' for _, said in sound), len(sound))}")
    print(f"sound pairs with an error or a warning: {bounds(sum(outcome(said) in ('accused', 'warned') for _, said in sound), len(sound))}")
    print(f"faults by the right name: {bounds(named_all, len(faulty))}")
    print(f"faults with an error or a warning: {bounds(sum(outcome(said) in ('accused', 'warned') for _, said in faulty), len(faulty))}")
    spent = [said["cpu_s"] for _, said in rows]
    print(f"{len(rows)} pairs checked in {sum(spent):.0f} s of CPU, the slowest {max(spent, default=0):.1f} s")


def cases(arguments: argparse.Namespace) -> list[Case]:
    """Return all pairs that are asked for, faults in turn."""
    pictures = [path for path in sorted(arguments.textures.rglob("*.jpg")) if cv2.imread(str(path)).shape[1] >= LEAST_WIDTH]
    faults = list(FAULTS)
    wanted = []
    for number in range(arguments.count):
        wanted.append(drawn_case(number, arguments.seed, SOUND, pictures))
        wanted.append(drawn_case(number, arguments.seed, faults[number % len(faults)], pictures))
    return [case for case in wanted if not arguments.only or case.fault in arguments.only]


def main() -> None:
    """Draw, ask, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--textures", type=Path, required=True)
    parser.add_argument("--count", type=int, default=200, help="sound pairs, and as many faulty ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[], metavar="FAULT", help=f"{SOUND}, {', '.join(FAULTS)}")
    parser.add_argument("--keep", action="store_true", help="keep the films")
    parser.add_argument("--make-only", action="store_true", help="draw the films (they are kept), ask nothing")
    parser.add_argument("--table", action="store_true", help="print what earlier runs were told")
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    said_path = folder / "said.jsonl"
    lines = said_path.read_text().splitlines() if said_path.exists() else []
    said = {(one["fault"], one["seed"], one["number"]): one["said"] for one in map(json.loads, lines)}
    rows = []
    for case in cases(arguments):
        place = (case.fault, case.seed, case.number)
        films = folder / "films" / f"{case.seed}_{'s' if case.fault == SOUND else 'f'}{case.number:04d}"
        if place not in said and not arguments.table:
            paths = make(films, case)
            with (folder / "key.jsonl").open("a") as file:
                file.write(json.dumps(asdict(case)) + "\n")
            if arguments.make_only:
                continue
            answer = ask(*paths)
            said[place] = answer
            with said_path.open("a") as file:
                file.write(json.dumps({"fault": case.fault, "seed": case.seed, "number": case.number, "said": answer}) + "\n")
            rules = sorted(one["rule"] for one in answer["findings"])
            print(f"{case.fault:<34}{case.motion:<13}{case.frame_count:>5} frames: {outcome(answer):<10}{rules}", flush=True)
            if not arguments.keep:
                shutil.rmtree(films)
        if place in said:
            rows.append((asdict(case), said[place]))
    table(rows)


if __name__ == "__main__":
    main()
