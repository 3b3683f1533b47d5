"""Short clips of every container and codec that a recorder may give; no two neighbouring pictures are equal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import clips

X264 = ("-c:v", "libx264", "-preset", "veryfast")
OPEN = (*X264, "-g", "12", "-bf", "3", "-x264-params", "open-gop=1:scenecut=0:b-pyramid=normal")


def encoded(name: str, *more: object, size: str = "96x64", seconds: float = 2.4, fps: str = "25") -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        return clips.clip(folder / name, seconds=seconds, fps=fps, size=size, more=more)

    return make


def rotated(folder: Path) -> Path:
    upright = clips.clip(folder / "upright.mp4", seconds=2.4, more=("-g", "12"))
    clips.ffmpeg("-display_rotation", -90, "-i", upright, "-c", "copy", folder / "rotated.mp4")
    return folder / "rotated.mp4"


def edited(folder: Path) -> Path:
    """An edit list hides the first frames, up to one in the middle of a group of pictures."""
    whole = clips.clip(folder / "whole.mp4", seconds=3.0, more=("-g", "12"))
    clips.ffmpeg("-ss", "0.72", "-i", whole, "-c", "copy", folder / "edited.mp4")
    return folder / "edited.mp4"


def varying(suffix: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        times = [n * 40 if n < 20 else 800 + (n - 20) * 67 if n < 40 else 2600 + (n - 40) * 33 for n in range(70)]
        return clips.numbered(folder / f"varying.{suffix}", 70, pts=times)

    return make


def refreshed(folder: Path) -> Path:
    """No key frame but the first: pictures are renewed column by column."""
    return clips.clip(folder / "refreshed.ts", seconds=2.4, more=(*X264, "-x264-params", "intra-refresh=1:keyint=12"))


MPEG2 = ("-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-q:v", "3")
SOURCES: dict[str, Callable[[Path], Path]] = {
    "mp4": encoded("a.mp4", *X264, "-g", "12"),
    "mkv": encoded("a.mkv", *X264, "-g", "12"),
    "mp4, long group": encoded("a.mp4", *X264, "-g", "250", fps="60000/1001"),
    "mp4, open groups": encoded("a.mp4", *OPEN),
    "mkv, open groups": encoded("a.mkv", *OPEN),
    "ts, open groups": encoded("a.ts", *OPEN),
    "ts, H.264": encoded("a.ts", *X264, "-g", "12"),
    "ts, H.264, refreshed": refreshed,
    "flv": encoded("a.flv", *X264, "-g", "12"),
    "edit list": edited,
    "varying mp4": varying("mp4"),
    "varying mkv": varying("mkv"),
    "HEVC mp4": encoded("a.mp4", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=0:keyint=12:bframes=3"),
    "HEVC mkv, open groups": encoded(
        "a.mkv", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=0:keyint=12:min-keyint=12:bframes=4:open-gop=1"
    ),
    "HEVC ts": encoded("a.ts", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=0:keyint=12:bframes=3"),
    "MPEG-2 ts": encoded("a.ts", *MPEG2),
    "MPEG-2 ps": encoded("a.mpg", *MPEG2),
    "MPEG-2 vob, pictures of many packs": encoded("a.vob", "-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-b:v", "6M", size="352x288"),
    "MPEG-2 mkv": encoded("a.mkv", *MPEG2),
    "MPEG-4 avi": encoded("a.avi", "-c:v", "mpeg4", "-g", "12", "-bf", "0", "-q:v", "3"),
    "MPEG-4 avi, B-frames": encoded("a.avi", "-c:v", "mpeg4", "-g", "12", "-bf", "2", "-q:v", "3"),
    "MJPEG avi": encoded("a.avi", "-c:v", "mjpeg", "-bf", "0", "-q:v", "3", "-pix_fmt", "yuvj420p"),
    "H.264 avi": encoded("a.avi", *X264, "-g", "12", "-bf", "0"),
    "H.264 avi, B-frames": encoded("a.avi", *X264, "-g", "12", "-bf", "2"),
    "10 bit": encoded("a.mp4", *X264, "-g", "12", "-pix_fmt", "yuv420p10le"),
    "rotated": rotated,
    "odd size": encoded("a.mkv", *X264, "-g", "12", "-pix_fmt", "yuv444p", size="97x65"),
    "VP9": encoded("a.webm", "-c:v", "libvpx-vp9", "-g", "12", "-deadline", "realtime", "-cpu-used", "8"),
    "FFV1": encoded("a.mkv", "-c:v", "ffv1", "-g", "5"),
    "one frame": encoded("a.mp4", *X264, seconds=0.04),
}

QUICK = ("mp4", "mp4, open groups", "varying mkv", "HEVC mp4", "MPEG-2 ps", "MPEG-4 avi, B-frames", "10 bit", "rotated", "odd size")
MOSTLY_SLOW = [source if source in QUICK else pytest.param(source, marks=pytest.mark.slow) for source in SOURCES]
"""All of them for tests: one of each family in every run, the others are slow."""
