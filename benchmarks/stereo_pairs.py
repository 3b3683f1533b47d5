"""How often the check of stereo pairs accuses a sound one, and how often it names a fault, over many kinds of recordings.

    python benchmarks/stereo_pairs.py --pictures FOLDER [--sound 200] [--faulty 200] [--seed 9000] [--only KIND]

FOLDER has pictures of real tissue, below it at any depth; without it tissue is drawn. Of each pair length, motion, texture, rig,
noise, exposure, codec and frame rate are drawn by lot from its seed. A fault is planted in the same recordings. Printed are
every pair, then false accusations and power by kind, with exact 95 % limits (Clopper and Pearson).

Thresholds were chosen on made-up paths and on the first dozen of each kind of the pairs that docs/stereo.md reports (seeds from 1000,
sound, and from 2000, faulty); that one video twice is found was mended after four of its pairs had been seen. Only the frames that the
check asks for are drawn and coded, with the eight before them, so that 4,000 frames cost no more than 200.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from io import BytesIO
from pathlib import Path

import av
import cv2
import numpy as np
from scipy.stats import beta
from stereo_rig import calibrated

from scrubin.media.rigs.rig import Camera, Rig
from scrubin.stages.stereo import drawing
from scrubin.stages.stereo.check import check
from scrubin.stages.stereo.findings import Checked
from scrubin.stages.stereo.released_check import STRETCHES
from scrubin.stages.stereo.samples import Choice

UNSEEN = 9000
SIZES, SIZE_SHARES = ((320, 180), (320, 256), (480, 270), (640, 360)), (0.65, 0.2, 0.12, 0.03)
RIGS = 40
LENGTHS = (40, 48, 64, 100, 150, 250, 400, 1000, 2000, 4000)
RATES = (15, 20, 25, 30, 50, 60)
CODECS = ("none", "libx264 18", "libx264 23", "libx264 28", "libx264 35", "mjpeg 3", "mjpeg 10", "libx265 24", "libx265 32")
BEFORE, BEHIND = 8, 32
MOTIONS = ("static", "slow pan", "sideways", "sway", "hand held", "breathing", "heartbeat", "zoom", "turning", "instrument", "stop and go")
STILL = ("static",)


@dataclass(frozen=True, eq=False)
class Scene:
    """Sheets before a rig that move in one of `MOTIONS`; made by `scene`."""

    textures: tuple[drawing.Picture, ...]
    motion: str
    depth_mm: float
    span_mm: float
    tilt: tuple[float, ...]
    phases: np.ndarray
    rates_hz: np.ndarray
    strength: float
    walk: np.ndarray
    """(n, 6), of a hand, at 200 Hz."""

    def place(self, time_s: float) -> np.ndarray:
        """Return x, y, z as shares of the depth and three angles in degrees, of the tissue."""
        sway = np.sin(2 * np.pi * self.rates_hz * time_s + self.phases)
        by, zero = self.strength, np.zeros(6)
        if self.motion == "slow pan":
            return zero + by * np.array([0.10, 0.08, 0.02, 1, 1, 1]) * np.sin(2 * np.pi * self.rates_hz / 8 * time_s + self.phases)
        if self.motion == "sideways":
            return zero + by * np.array([0.2 * sway[0], 0, 0, 0, 0, 0])
        if self.motion == "sway":
            return by * np.array([0.10, 0.08, 0.06, 2, 2, 3]) * sway
        if self.motion == "hand held":
            at = time_s * 200
            low = int(np.floor(at)) % (len(self.walk) - 1)
            return by * (self.walk[low] + (at - np.floor(at)) * (self.walk[low + 1] - self.walk[low]))
        if self.motion == "breathing":
            phase = 2 * np.pi * (0.2 + 0.1 * self.rates_hz[0]) * time_s
            return by * np.array([0.01, 0.06, 0.03, 0, 0, 0]) * (np.sin(phase) + 0.3 * np.sin(2 * phase + 1))
        if self.motion == "heartbeat":
            phase = 2 * np.pi * (1.0 + 0.5 * self.rates_hz[0]) * time_s
            return by * np.array([0.01, 0.03, 0.02, 0, 0, 0]) * (np.sin(phase) + 0.4 * np.sin(2 * phase + 1))
        if self.motion == "zoom":
            return by * np.array([0, 0, 0.25, 0, 0, 0]) * sway[0]
        if self.motion == "turning":
            return by * np.array([0.01, 0.01, 0, 0, 0, 12]) * sway
        if self.motion == "stop and go":
            moved = np.clip(np.mod(time_s * self.rates_hz[:3] + self.phases[:3] / 6, 2.0) - 0.5, 0, 0.4) / 0.4
            return by * np.array([0.15, 0.15, 0.05, 0, 0, 0]) * np.append(moved * moved * (3 - 2 * moved), np.zeros(3))
        return zero

    def tool(self, time_s: float) -> np.ndarray:
        """Return where the instrument is: x, y as shares of the depth, and an angle in degrees."""
        if self.motion not in ("instrument", "sway", "hand held"):
            return self.phases[:3] / 60
        sway = np.sin(2 * np.pi * self.rates_hz * time_s * 1.5 + self.phases)
        return np.array([0.12, 0.12, 25]) * sway[2:5]

    def sheets(self, time_s: float) -> list[drawing.Sheet]:
        """Return where everything is at a time."""
        x, y, z, a, b, c = self.place(time_s)
        shift, turn = np.array([x, y, z]) * self.depth_mm, drawing.turned(a, b, c)
        span, depth = self.span_mm, self.depth_mm
        placed = [
            (0, 1.0, turn @ drawing.turned(*self.tilt), turn @ np.array([-0.5 * span, -0.4 * span, depth]) + shift),
            (1, 0.5, turn @ drawing.turned(8, 30, 4), turn @ np.array([-0.40 * span, -0.40 * span, 0.8 * depth]) + shift),
        ]
        if len(self.textures) > 2:
            u, v, angle = self.tool(time_s)
            placed.append((2, 0.4, drawing.turned(0, -20, 25 + angle), np.array([(0.05 + u) * span, (0.05 + v) * span, 0.65 * depth])))
        return [drawing.Sheet(self.textures[n], share * span / self.textures[n].shape[1], r, t) for n, share, r, t in placed]


@dataclass(frozen=True, eq=False)
class Filmed:
    """What a camera records of a scene, coded as a video is; frames are made when they are asked for."""

    name: str
    view: drawing.View
    scene: Scene
    seed: int
    count: int
    rate: int
    noise: float
    gain: float
    flicker: float
    codec: str
    late: float = 0.0
    late_at_end: float = 0.0
    flip: tuple[int, int] = (1, 1)
    down_px: int = 0
    times_s: tuple[Fraction, ...] = ()
    kept: dict[int, drawing.Picture] = field(default_factory=dict)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.view.size

    @property
    def fps(self) -> Fraction:
        """Frames per second."""
        return Fraction(self.rate)

    def picture(self, number: int) -> drawing.Picture:
        """Return a frame."""
        if number not in self.kept:
            self.kept.clear()
            first, last = max(0, number - BEFORE), min(self.count, number + BEHIND)
            coded = _coded([self._drawn(one) for one in range(first, last)], self.codec, self.rate)
            self.kept.update(zip(range(first, last), coded, strict=True))
        return self.kept[number]

    def _drawn(self, number: int) -> drawing.Picture:
        late = self.late + (self.late_at_end - self.late) * number / self.count if self.late_at_end else self.late
        clean = drawing.picture(self.view, self.scene.sheets((number - late) / self.rate))
        light = self.gain * (1 + self.flicker * np.sin(number / self.rate * 9))
        start = np.random.default_rng([self.seed, number]).integers(1 << 20)
        noise = _noise()[start : start + clean.size].reshape(clean.shape)
        shown = np.clip(clean * np.float32(light) + noise * np.float32(self.noise), 0, 255).astype(np.uint8)
        return np.ascontiguousarray(np.roll(shown, self.down_px, axis=0)[:: self.flip[1], :: self.flip[0]])


@cache
def _noise() -> np.ndarray:
    """Return standard normal noise for the largest picture from any of a million places."""
    return np.random.default_rng(0).standard_normal((1 << 20) + 3 * 640 * 360, dtype=np.float32)


@cache
def rigs(number: int, size: tuple[int, int]) -> tuple[Rig, Rig]:
    """Return a rig and what its calibration says."""
    rng = np.random.default_rng([number, *size])
    true = drawing.rig(rng, size)
    return true, calibrated(true, rng)


def _coded(pictures: Sequence[drawing.Picture], codec: str, rate: int) -> list[drawing.Picture]:
    if codec == "none":
        return list(pictures)
    name, quality = codec.split()
    height, width = pictures[0].shape[:2]
    buffer = BytesIO()
    with av.open(buffer, "w", format="matroska") as out:
        options = {
            "preset": "ultrafast" if name == "libx265" else "veryfast",
            "crf": quality,
            "threads": "1",
            "x265-params": "log-level=none:pools=none:frame-threads=1",
        }
        stream = out.add_stream(name, rate=rate, options={} if name == "mjpeg" else options)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuvj420p" if name == "mjpeg" else "yuv420p"
        if name == "mjpeg":
            stream.codec_context.qmin = stream.codec_context.qmax = int(quality)
        for one in pictures:
            out.mux(stream.encode(av.VideoFrame.from_ndarray(one, format="bgr24")))
        out.mux(stream.encode())
    buffer.seek(0)
    with av.open(buffer) as made:
        return [frame.to_ndarray(format="bgr24") for frame in made.decode(video=0)]


@dataclass(frozen=True, eq=False)
class Pair:
    """Both cameras of a recording, and the rig as its calibration has it."""

    rig: Rig
    left: Filmed
    right: Filmed
    kind: dict[str, str]


def pair(seed: int, pictures: Sequence[Path]) -> Pair:
    """Return a sound recording by lot."""
    rng = np.random.default_rng(seed)
    size, count, rate = SIZES[rng.choice(len(SIZES), p=SIZE_SHARES)], int(rng.choice(LENGTHS)), int(rng.choice(RATES))
    true, own = rigs(int(rng.integers(RIGS)), size)
    motion, codec = MOTIONS[rng.integers(len(MOTIONS))], CODECS[rng.integers(len(CODECS))]
    depth = true.baseline_mm * rng.uniform(9, 22)
    walk = np.cumsum(rng.normal(0, 1, (4000, 6)), axis=0)
    walk = cv2.GaussianBlur(walk - walk.mean(axis=0), (1, 0), sigmaX=1e-6, sigmaY=rng.uniform(15, 40))
    walk *= np.array([0.05, 0.05, 0.03, 1.5, 1.5, 2]) / walk.std(axis=0)
    has_tool = motion == "instrument" or rng.random() < 0.4
    shown = [_texture(rng, pictures) for _ in range(2)] + ([drawing.tissue(rng, 160, 700)] if has_tool else [])
    scene = Scene(
        tuple(shown), motion, depth, 2.2 * depth * size[0] / true.left.matrix[0, 0], tuple(rng.uniform(-12, 12, 3)),
        rng.uniform(0, 2 * np.pi, 6), rng.uniform(0.15, 0.9, 6), rng.uniform(0.3, 1.5), walk,
    )  # fmt: skip
    light = {"noise": float(rng.choice([0.5, 2.0, 4.0, 7.0])), "flicker": float(rng.choice([0, 0, 0.03, 0.1]))}
    cameras = [
        Filmed(side, drawing.view(true, side, 1), scene, 2 * seed + place, count, rate, gain=rng.uniform(0.75, 1.2), codec=codec, **light)
        for place, side in enumerate(("left", "right"))
    ]
    kind = {"frames": _span(count), "motion": motion, "codec": codec.split()[0], "noise": str(light["noise"]), "rate": str(rate)}
    return Pair(own, *cameras, kind)


def _span(count: int) -> str:
    return "40 to 64" if count <= 64 else "100 to 400" if count <= 400 else "1000 to 4000"


def _texture(rng: np.random.Generator, pictures: Sequence[Path]) -> drawing.Picture:
    if not pictures:
        return drawing.tissue(rng)
    chosen = cv2.imread(str(pictures[rng.integers(len(pictures))]))
    # Borders of a film, and what its monitor wrote into them, are no tissue.
    height, width = chosen.shape[:2]
    inside = chosen[height // 10 : height - height // 10, width // 8 : width - width // 8]
    return np.asarray(cv2.resize(inside, (900, 620), interpolation=cv2.INTER_CUBIC))


def zoomed(rig: Rig, by: float) -> Rig:
    """Return the rig with another focal length of the right camera."""
    return replace(rig, right=Camera(rig.right.matrix @ np.diag([by, by, 1.0]), rig.right.distortion))


def other_rig(rig: Rig) -> Rig:
    """Return the calibration of another rig of this size."""
    others = [rigs(number, rig.size)[1] for number in (0, 1)]
    return others[others[0].baseline_mm == rig.baseline_mm]


def _late(by: float) -> Callable[[Pair], Pair]:
    return lambda one: replace(one, right=replace(one.right, late=by, kept={}))


FAULTS: dict[str, tuple[frozenset[str], Callable[[Pair], Pair]]] = {
    "half a frame late": (frozenset({"lag"}), _late(0.5)),
    "1 frame late": (frozenset({"lag"}), _late(1.0)),
    "1 frame early": (frozenset({"lag"}), _late(-1.0)),
    "2 frames late": (frozenset({"lag"}), _late(2.0)),
    "4 frames late": (frozenset({"lag"}), _late(4.0)),
    "12 frames late": (frozenset({"lag"}), _late(12.0)),
    "drifts by 5 frames": (frozenset({"lag"}), lambda one: replace(one, right=replace(one.right, late_at_end=5.0, kept={}))),
    "swapped": (frozenset({"order"}), lambda one: replace(one, left=one.right, right=one.left)),
    "3 px low": (frozenset({"offset"}), lambda one: replace(one, right=replace(one.right, down_px=3, kept={}))),
    "another rig": (frozenset({"offset", "spread", "order"}), lambda one: replace(one, rig=other_rig(one.rig))),
    "zoomed by 6 %": (frozenset({"spread", "offset"}), lambda one: replace(one, rig=zoomed(one.rig, 1.06))),
    "turned by 2 degrees": (
        frozenset({"spread", "offset"}),
        lambda one: replace(one, rig=replace(one.rig, rotation=drawing.turned(0, 0, 2) @ one.rig.rotation)),
    ),
    "right mirrored": (frozenset({"flipped"}), lambda one: replace(one, right=replace(one.right, flip=(-1, 1), kept={}))),
    "both mirrored": (
        frozenset({"order"}),
        lambda one: replace(one, left=replace(one.left, flip=(-1, 1), kept={}), right=replace(one.right, flip=(-1, 1), kept={})),
    ),
    "one video twice": (frozenset({"same"}), lambda one: replace(one, right=replace(one.left, seed=one.left.seed + 1, kept={}))),
}
OF_TIME = {"half a frame late", "1 frame late", "1 frame early", "2 frames late", "4 frames late", "12 frames late", "drifts by 5 frames"}


def limits(hits: int, of: int) -> str:
    """Return hits of a number with their exact 95 % limits."""
    low = beta.ppf(0.025, hits, of - hits + 1) if hits else 0.0
    high = beta.ppf(0.975, hits + 1, of - hits) if hits < of else 1.0
    return f"{hits} of {of} ({100 * low:.1f} to {100 * high:.1f} %)"


def run(one: Pair, fault: str) -> Checked:
    """Return what the check says of a pair."""
    return check(one.rig, one.left, one.right, fault or "sound", "rig", Choice(STRETCHES))


def planted(seed: int, pictures: Sequence[Path], fault: str) -> Pair:
    """Return a recording with a fault, "" for none."""
    own = pair(seed, pictures)
    return FAULTS[fault][1](own) if fault else own


def told(done: Checked, one: Pair, seed: int, fault: str, began: float) -> dict[str, object]:
    """Print one pair and return what is counted of it."""
    said = {finding.rule: finding.severity for finding in done.findings}
    row = {"seed": seed, "fault": fault, **one.kind, "said": said, "errors": sorted(r for r, s in said.items() if s == "error")}
    line = {**row, "frames": one.left.count, "size": one.left.size, "strength": round(one.left.scene.strength, 2)}
    what = [finding.what for finding in done.findings]
    print(json.dumps({**line, "measured": done.measured.as_json(), "what": what, "s": round(time.time() - began, 1)}), flush=True)
    return row


def summary(rows: Sequence[dict[str, object]]) -> Iterable[str]:
    """Return false accusations and power by kind."""
    sound = [row for row in rows if not row["fault"]]
    if sound:
        accused, odd = (sum(one in row["said"].values() for row in sound) for one in ("error", "warning"))
        yield f"sound pairs called an error: {limits(accused, len(sound))}; with a warning: {limits(odd, len(sound))}"
        for name in ("frames", "motion", "codec", "noise", "rate"):
            groups = defaultdict(list)
            for row in sound:
                groups[row[name]].append("error" in row["said"].values())
            yield f"  by {name}: " + ", ".join(f"{key}: {sum(own)} of {len(own)}" for key, own in sorted(groups.items()))
    for fault, (wanted, _) in FAULTS.items():
        own = [row for row in rows if row["fault"] == fault]
        if not own:
            continue
        named = [any(row["said"].get(rule) in ("error", "warning") for rule in wanted) for row in own]
        errors = [bool(wanted & set(row["errors"])) for row in own]
        others = sum(bool(set(row["errors"]) - wanted) for row in own)
        yield f"{fault}: named {limits(sum(named), len(own))}, as an error {sum(errors)}; called another error {others}"
        if fault in OF_TIME:
            moving = [hit for row, hit in zip(own, named, strict=True) if row["motion"] not in ("static", "sideways")]
            yield f"    of these where the tissue or an instrument moves up and down: {limits(sum(moving), len(moving))}"
    late = [row for row in rows if row["fault"] in OF_TIME]
    for name in ("frames", "motion"):
        groups = defaultdict(list)
        for row in late:
            groups[row[name]].append("lag" in row["said"] and row["said"]["lag"] in ("error", "warning"))
        if groups:
            yield f"cameras out of step, named by {name}: " + ", ".join(
                f"{k}: {sum(own)} of {len(own)}" for k, own in sorted(groups.items())
            )


def main() -> None:
    """Draw, check and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=Path, help="folder of pictures of real tissue")
    parser.add_argument("--sound", type=int, default=200)
    parser.add_argument("--faulty", type=int, default=200)
    parser.add_argument("--seed", type=int, default=UNSEEN)
    parser.add_argument("--only", help="only this fault")
    args = parser.parse_args()
    pictures = sorted(args.pictures.rglob("*.jpg")) if args.pictures else []
    faults = [args.only] if args.only else list(FAULTS)
    wanted = [(args.seed + n, "") for n in range(args.sound)]
    wanted += [(args.seed + args.sound + n, faults[n % len(faults)]) for n in range(args.faulty)]
    rows = []
    for seed, fault in wanted:
        began = time.time()
        one = planted(seed, pictures, fault)
        rows.append(told(run(one, fault), one, seed, fault, began))
    print("\n".join(summary(rows)))


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main()
