"""Frames to be predicted where there are no labels: a CSV with video and frame, or folders of images."""

from __future__ import annotations

import re
from pathlib import Path

from scrubin.core import csvtext, strangers
from scrubin.core.errors import AnnotationError
from scrubin.core.faults import Faults
from scrubin.labels.formats.submission.frame_keys import PLAIN
from scrubin.labels.parse import columns

_IMAGE = re.compile(r"[0-9]{1,15}\.(?:png|jpe?g)", re.IGNORECASE)
_VIDEO: tuple[columns.Meaning, ...] = ("video", "id")
FramesOf = dict[str, set[int]]
"""Numbers of frames by video."""
_HEAD_BYTES = 4096


def is_list(path: Path) -> bool:
    """Return whether a path is a CSV of frames and nothing else: what can be published without the labels."""
    if not path.is_file() or path.suffix.lower() != ".csv":
        return False
    with strangers.opened(path) as opened:
        # The header alone: what is wrong below it is said when the list is read.
        lines = csvtext.grid(path.name, next((line for line in opened.read(_HEAD_BYTES).splitlines() if line.strip()), b"")).lines
    header = [cell.strip() for cell in lines[0].cells] if lines else []
    return len(header) == 2 and None not in (columns.first_of(header, "frame"), columns.first_of(header, *_VIDEO))


def listed(path: Path) -> FramesOf:
    """Return the frames of each video in a CSV with ``video`` (or ``id``) and ``frame``, or other names of the same.

    Raises
    ------
    AnnotationError
        With every line that names no new frame.
    """
    sheet = csvtext.read_path(path, str(path))
    faults = Faults()
    faults.extend(sheet.faults)
    video, frame = columns.first_of(sheet.columns, *_VIDEO) or "", columns.first_of(sheet.columns, "frame") or ""
    frames: FramesOf = {}
    for row in sheet.rows:
        name, key = row.cells[video], row.cells[frame]
        if not name or not PLAIN.fullmatch(key) or int(key) in frames.get(name, set()):
            what = f"video '{name}', frame '{key}'"
            faults.error(str(path), "frame-key", what, "give a video and a whole number from 0, each pair once", place=row.place)
            continue
        frames.setdefault(name, set()).add(int(key))
    AnnotationError.raise_any(faults)
    return frames


def of_images(path: Path) -> FramesOf:
    """Return the frames of ``<video>/000000.png`` or ``videos/<video>/000000.png``; empty where there are no such images."""
    for folder in (path, path / "videos", path / "frames"):
        inside = sorted(one for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []
        frames = {one.name: {int(image.stem) for image in one.iterdir() if _IMAGE.fullmatch(image.name)} for one in inside}
        if any(frames.values()):
            return {name: of for name, of in frames.items() if of}
    return {}
