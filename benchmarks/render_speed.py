"""Smart rendering against a full x264 encode with the same preset, and against stream copy, its floor.

    python benchmarks/render_speed.py [--hour-encoded]

The full encode of the hour is measured on its first three minutes, of which it is twenty repetitions, and multiplied;
--hour-encoded encodes all of it instead.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import imageio_ffmpeg
from timing import Timing, alternating

import clips

FFMPEG = imageio_ffmpeg.get_ffmpeg_exe()
SCRUBIN = [sys.executable, "-c", "import sys; from scrubin.cli import main; sys.exit(main())", "render"]
PRESET = "veryfast"
ROUNDS = 3


def commands(source: Path, folder: Path, start_s: float, end_s: float, redact: str) -> dict[str, list[str]]:
    trim = [str(source), str(folder / "ours.mkv"), "--start", str(start_s), "--end", str(end_s), "--mode", "smart"]
    read = [FFMPEG, "-v", "error", "-y", "-i", str(source), "-ss", str(start_s), "-to", str(end_s)]
    return {
        "stream copy (floor, keeps hidden frames)": [*read, "-c", "copy", "-an", str(folder / "copied.mkv")],
        "scrubin render, trim only": [*SCRUBIN, *trim],
        "scrubin render, three 5-s redactions": [*SCRUBIN, *trim, "--redact", redact],
    }


def encode(source: Path, folder: Path) -> list[str]:
    x264 = ["-c:v", "libx264", "-preset", PRESET, "-crf", "18", "-threads", "2", "-an"]
    return [FFMPEG, "-v", "error", "-y", "-i", str(source), *x264, str(folder / "encoded.mkv")]


def table(title: str, timings: dict[str, Timing], full_s: float, how: str) -> None:
    print(f"\n{title}; full x264 encode, preset {PRESET}: {full_s:.1f} s ({how})")
    print(f"{'':<44}{'median s':>10}{'all':>24}{'faster than encode':>20}{'peak MB':>9}")
    for name, timing in timings.items():
        every = " ".join(f"{value:.2f}" for value in timing.seconds)
        print(f"{name:<44}{timing.middle_s:>10.2f}{every:>24}{full_s / timing.middle_s:>18.1f} x{timing.peak_mb:>9.0f}")


def main() -> None:
    short, hour = clips.three_minutes(), clips.one_hour()
    with tempfile.TemporaryDirectory(dir=clips.FOLDER) as name:
        folder = Path(name)
        full = {"encode": encode(short, folder)}
        found = alternating(commands(short, folder, 10.3, 170.7, "40-45,90-95,140-145") | full, ROUNDS)
        whole = found.pop("encode")
        table("3 min, 960x540, 20 fps", found, whole.middle_s, f"median of {ROUNDS}, all of it")
        whole_hour = "--hour-encoded" in sys.argv
        piece = hour if whole_hour else clips.hour_piece()
        full = {"encode": encode(piece, folder)}
        found = alternating(commands(hour, folder, 100.3, 3500.7, "500-505,1500-1505,2500.3-2505.3") | full, 1 if whole_hour else ROUNDS)
        encoded = found.pop("encode")
        full_s = encoded.middle_s * (1 if whole_hour else clips.PIECES)
        table(
            "60 min, 854x480, 25 fps",
            found,
            full_s,
            "all of it" if whole_hour else f"median of {ROUNDS} of three minutes, times {clips.PIECES}",
        )


if __name__ == "__main__":
    main()
