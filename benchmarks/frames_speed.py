"""How long extracting one frame per second takes, against decoding alone and against other ways to do the same job.

    .venv/bin/python benchmarks/frames_speed.py [--video FILE] [--times 3]

All take the same frames (frame k is the first at or after k seconds) and write JPEG files of quality 95; ours also measures their
quality. The ways alternate, and the median of each counts, because a machine has better and worse minutes. decord is measured
where it can be imported. Without --video, a 3-min clip is made once (a minute or two).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import cv2
import imageio_ffmpeg

import clips
from scrubin.media.released.frame_files import source_frames
from scrubin.stages.frames.extract import extract, packet_clock
from scrubin.stages.frames.frame_params import FramesParams

PARAMS = FramesParams(fps=Fraction(1), format="jpg", quality=95, height=None, shards="none")
JPEG = [cv2.IMWRITE_JPEG_QUALITY, PARAMS.quality]
TARGET = 1.10
Job = Callable[[Path, Path], None]


def wanted(video: Path) -> list[int]:
    clock = packet_clock(video, video.name, "")
    return source_frames(clock, PARAMS.fps) if clock is not None else []


def ffmpeg(*arguments: object) -> None:
    subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", *map(str, arguments)], check=True, stdin=subprocess.DEVNULL)


def decode_only(video: Path, _: Path) -> None:
    ffmpeg("-i", video, "-f", "null", "-")


def ours(video: Path, folder: Path) -> None:
    extract(video, folder, PARAMS, video.name)


def opencv(video: Path, folder: Path) -> None:
    capture, numbers = cv2.VideoCapture(str(video)), {number: k for k, number in enumerate(wanted(video))}
    for number in range(max(numbers) + 1):
        capture.grab()
        if number in numbers:
            cv2.imwrite(str(folder / f"{numbers[number]:06d}.jpg"), capture.retrieve()[1], JPEG)


def pyav(video: Path, folder: Path) -> None:
    numbers = {number: k for k, number in enumerate(wanted(video))}
    with av.open(str(video)) as container:
        container.streams.video[0].thread_type = "AUTO"
        for number, frame in enumerate(container.decode(video=0)):
            if number in numbers:
                cv2.imwrite(str(folder / f"{numbers[number]:06d}.jpg"), frame.to_ndarray(format="bgr24"), JPEG)


def decord(video: Path, folder: Path) -> None:
    import decord as package

    reader = package.VideoReader(str(video))
    for k, number in enumerate(wanted(video)):
        cv2.imwrite(str(folder / f"{k:06d}.jpg"), cv2.cvtColor(reader[number].asnumpy(), cv2.COLOR_RGB2BGR), JPEG)


def ffmpeg_filter(video: Path, folder: Path) -> None:
    ffmpeg("-i", video, "-vf", "fps=1:round=up", "-q:v", "2", folder / "%06d.jpg")


def peak_mb(video: Path) -> float:
    """Return the most memory that a process of its own needs for our way, with all imports."""
    code = (
        "import resource, sys, tempfile; from pathlib import Path; import frames_speed as f\n"
        "with tempfile.TemporaryDirectory() as d: f.ours(Path(sys.argv[1]), Path(d))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(video.resolve())], check=True, capture_output=True, text=True, cwd=Path(__file__).parent
    )
    return float(run.stdout)


def timed(job: Job, video: Path) -> tuple[float, int]:
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        job(video, Path(folder))
        return time.perf_counter() - began, len(list(Path(folder).iterdir()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--video", type=Path, help="measure this file")
    parser.add_argument("--times", type=int, default=3, help="runs of each way (default: 3)")
    given = parser.parse_args()
    video = given.video or clips.three_minutes()
    jobs: dict[str, Job] = {
        "ffmpeg -f null (decodes only)": decode_only,
        "ours": ours,
        "OpenCV grab, retrieve": opencv,
        "PyAV, every frame": pyav,
        "ffmpeg -vf fps=1": ffmpeg_filter,
    }
    if importlib.util.find_spec("decord"):
        jobs["decord"] = decord
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    files: dict[str, int] = {}
    for _ in range(given.times):
        for name, job in jobs.items():
            taken_s, files[name] = timed(job, video)
            seconds[name].append(taken_s)
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    floor, own = medians["ffmpeg -f null (decodes only)"], medians["ours"]
    print(f"{video.name}, median of {given.times} alternating runs, {os.cpu_count()} cores\n")
    print(f"{'':32} {'median':>9} {'range':>16} {'x decoding':>11} {'x ours':>8} {'files':>6}")
    for name, median in medians.items():
        spread = f"{min(seconds[name]):.2f} - {max(seconds[name]):.2f} s"
        print(f"{name:32} {median:7.2f} s {spread:>16} {median / floor:11.2f} {median / own:8.2f} {files[name]:6d}")
    print(f"\npeak memory of ours, a process of its own: {peak_mb(video):.0f} MB")
    others = [median for name, median in medians.items() if name not in ("ours", "ffmpeg -f null (decodes only)")]
    good = own <= TARGET * floor and own <= min(others)
    print(f"ours is {own / floor:.2f} x decoding alone (target: at most {TARGET:.2f}), and {own / min(others):.2f} x the fastest other way")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
