"""How long `scrubin new-study --from` takes on a folder of many recordings.

From the repository root:  .venv/bin/python benchmarks/new_study.py [FILES]

Seven kinds of files of recorders and one of full HD are written again and again, each with other bytes at its end, so that none is a copy
of another. They are looked at twice: as they lie in memory, and after the system was told to forget them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import imageio_ffmpeg

X264 = ("-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p")
KINDS = {
    "a.mp4": X264,
    "b.mp4": ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=0"),
    "a.ts": X264,
    "a.mts": (*X264, "-flags", "+ilme+ildct"),
    "a.mkv": X264,
    "a.avi": ("-c:v", "mjpeg", "-q:v", "3"),
    "a.mpg": ("-c:v", "mpeg2video", "-q:v", "3"),
}
FILES = 1270


def films(folder: Path) -> list[Path]:
    """One film of each kind."""
    folder.mkdir(parents=True)
    sizes = {**dict.fromkeys(KINDS, ("176x144", 3)), "hd.mp4": ("1920x1080", 5)}
    for name, (size, seconds) in sizes.items():
        picture = ("-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25:duration={seconds}")
        sound = ("-f", "lavfi", "-i", f"sine=duration={seconds}")
        command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", *picture, *sound, *KINDS.get(name, X264), str(folder / name)]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return [folder / name for name in sizes]


def fill(folder: Path, sources: list[Path], count: int) -> None:
    """Write so many files, ten in a folder."""
    for number in range(count):
        source = sources[number % len(sources)]
        path = folder / f"case {number // 10:03d}" / f"op_{number % 10:03d}{source.suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, path)
        with path.open("ab") as file:
            file.write(bytes(188 * number) if path.suffix in (".ts", ".mts") else (8 + number).to_bytes(4, "big") + b"free" + bytes(number))


def forget(folder: Path) -> None:
    """Tell the system to drop what it holds of the files in memory."""
    for path in folder.rglob("*.*"):
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "recordings", films(folder / "films"), count)
        for state in ("in memory", "forgotten"):
            if state == "forgotten":
                forget(folder / "recordings")
            start = time.perf_counter()
            command = ["scrubin", "new-study", str(folder / state), "--from", str(folder / "recordings")]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            print(f"{count} files, {state}: {time.perf_counter() - start:.1f} s; {said.splitlines()[0]}")


if __name__ == "__main__":
    main()
