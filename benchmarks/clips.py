"""Clips for the benchmarks: moving, noisy pictures as an endoscope gives them, encoded by x264 with long groups of pictures.

Each clip is made once and kept below `.cache/benchmarks/`; its name says what it is.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import imageio_ffmpeg

FOLDER = Path(".cache/benchmarks")
# One detailed picture under a camera that wanders, with a sensor's noise: it costs the same in every minute.
WIDER = 1.5
PIECES = 20
SOURCE = (
    "mandelbrot=size={wide}x{high}:rate={fps}:start_scale=0.6,trim=end_frame=1,format=yuv420p,loop=-1:1,setpts=N/({fps})/TB,fps={fps},"
    "crop={width}:{height}:x='(iw-ow)*(0.5+0.3*sin(t*0.7)+0.2*sin(t*2.3))':y='(ih-oh)*(0.5+0.3*cos(t*0.9)+0.2*sin(t*1.7))',"
    "noise=alls=8:allf=t"
)


def clip(path: Path, seconds: int, size: str, fps: str, gop: int, more: tuple[str, ...] = ()) -> Path:
    """Make a clip unless it is there; ``size`` as 960x540, ``gop`` in frames, ``more`` for the encoder."""
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".part-{path.name}")
    width, height = map(int, size.split("x"))
    picture = SOURCE.format(wide=round(width * WIDER), high=round(height * WIDER), width=width, height=height, fps=fps)
    x264 = ("-c:v", "libx264", "-preset", "medium", "-crf", "23", "-g", str(gop), "-keyint_min", str(gop), "-sc_threshold", "0", *more)
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", "-progress", "pipe:1", "-f", "lavfi", "-i", picture]
    command += ["-t", str(seconds), *x264, "-fflags", "+bitexact", str(part)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout or ():
            if line.startswith("out_time_us=") and line[12:].strip().isdecimal():
                sys.stderr.write(f"\rmaking {path.name}: {int(line[12:]) // 10**6} of {seconds} s")
    sys.stderr.write("\n")
    if running.returncode:
        sys.exit(f"{path}: ffmpeg failed with exit code {running.returncode}")
    part.rename(path)
    return path


def three_minutes() -> Path:
    """180 s of 960x540 at 20 fps, a group of pictures of 250 frames: a recording of LASANA's kind."""
    return clip(FOLDER / "180s_960x540_20fps.mkv", 180, "960x540", "20", 250)


def hour_piece() -> Path:
    """Return the three minutes of which the hour consists."""
    return clip(FOLDER / "180s_854x480_25fps.mkv", 3600 // PIECES, "854x480", "25", 250)


def one_hour() -> Path:
    """60 min of 854x480 at 25 fps, a group of pictures of 250 frames: a recording of Cholec80's kind.

    Three minutes twenty times over, joined by copying: encoding an hour of noise would take longer than the benchmarks.
    """
    path = FOLDER / "3600s_854x480_25fps.mkv"
    if not path.is_file():
        piece = hour_piece()
        part = path.with_name(f".part-{path.name}")
        command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", "-stream_loop", str(PIECES - 1), "-i", str(piece), "-c", "copy"]
        subprocess.run([*command, "-fflags", "+bitexact", str(part)], check=True, stdin=subprocess.DEVNULL)
        part.rename(path)
    return path
