"""What one long recording needs: a film of two hours and 1080 lines goes through all stages beside nineteen tiny ones.

    .venv/bin/python benchmarks/long_video.py FOLDER [--minutes 120]

The folder gets a clone of what is committed in this checkout, and a study of ``benchmarks/scale_study.py`` in which one film is
the long one: a minute in which the picture drifts, again and again. Memory is that of ``benchmarks/process_cost.py``: the largest sum over
a stage's processes, and the largest single process. Peaks that grow with the length would show between ``--minutes 10`` and 120.
"""

from __future__ import annotations

import argparse
import re
import shutil
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from process_cost import MB
from scale_study import recordings
from scale_table import RAW, prepare, run_stages

RECORDINGS = 20
WIDTH, HEIGHT, FPS, GOP = 1920, 1080, 25, 50
MINUTE = 60 * FPS
TOURS = 2  # of the picture around its room, in each minute


def write_minute(path: Path) -> None:
    """Write a minute of a picture that drifts around a room and comes back to where it began."""
    rng = np.random.default_rng(0)
    patches = cv2.resize(rng.integers(60, 200, (12, 20, 3), dtype=np.uint8), (WIDTH + 400, HEIGHT + 400), interpolation=cv2.INTER_CUBIC)
    room = cv2.addWeighted(patches, 0.5, np.full_like(patches, (150, 95, 85)), 0.5, 0)
    with av.open(str(path), "w", container_options={"fflags": "+bitexact"}) as out:
        options = {"preset": "superfast", "crf": "23", "g": str(GOP), "bf": "0", "sc_threshold": "0"}
        stream = out.add_stream("libx264", rate=FPS, options=options)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for frame in range(MINUTE):
            turn = 2 * np.pi * TOURS * frame / MINUTE
            x, y = int(200 + 199 * np.cos(turn)), int(200 + 199 * np.sin(turn))
            picture = np.ascontiguousarray(room[y : y + HEIGHT, x : x + WIDTH])
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        out.mux(stream.encode())


def write_long(path: Path, minute: Path, minutes: int) -> None:
    """Write the packets of a minute so many times, one after the other."""
    with av.open(str(minute)) as source:
        video = source.streams.video[0]
        packets = [(bytes(packet), packet.is_keyframe) for packet in source.demux(video) if packet.size]
        with av.open(str(path), "w", container_options={"fflags": "+bitexact"}) as out:
            stream = out.add_stream_from_template(video)
            for number in range(minutes * len(packets)):
                data, is_key = packets[number % len(packets)]
                packet = av.Packet(data)
                packet.stream, packet.is_keyframe = stream, is_key
                packet.time_base = Fraction(1, FPS)
                packet.pts = packet.dts = number
                out.mux(packet)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=int, default=120)
    args = parser.parse_args()
    folder = args.folder.resolve() / f"{args.minutes}-minutes"
    shutil.rmtree(folder, ignore_errors=True)
    prepare(folder, RECORDINGS)
    path = folder / "params.yaml"
    path.write_text(re.sub(r"time_limit_s: \d+", "time_limit_s: null", path.read_text(encoding="utf-8")), encoding="utf-8")
    minute, film = folder / ".cache/minute.mkv", folder / RAW / recordings(RECORDINGS)[0].path
    minute.parent.mkdir(exist_ok=True)
    write_minute(minute)
    write_long(film, minute, args.minutes)
    print(f"{args.minutes} minutes, {film.stat().st_size / MB:.0f} MB", flush=True)
    print(f"{'stage':14}{'CPU s':>9}{'wall s':>9}{'MB all':>8}{'MB one':>8}")
    for stage, cost in run_stages(folder):
        print(f"{stage:14}{cost.cpu_s:>9.1f}{cost.wall_s:>9.1f}{cost.peak / MB:>8.0f}{cost.largest / MB:>8.0f}", flush=True)


if __name__ == "__main__":
    main()
