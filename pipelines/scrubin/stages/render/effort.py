"""What a run of rendering will cost, in time, in space, said before it starts."""

from __future__ import annotations

import math
import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubin.base.errors import StageError
from scrubin.base.faults import count_text
from scrubin.base.layout import UNRELEASED
from scrubin.base.store import store
from scrubin.base.store.store import STORE_PATH
from scrubin.stages.render import RenderParams
from scrubin.stages.render.parts import Parts
from scrubin.stages.render.plan import Plan
from scrubin.stages.render.rendering import FileToRender, Prepared, key_of, prepare

DVC_CACHE = Path(".dvc/cache")
# Frames, tables and ground truth come on top of the videos.
BESIDE_VIDEOS = 1.2
GIGABYTE = 10**9


def require(new_bytes: int, release: Path, *, archives: bool, kept_bytes: int = 0) -> str:
    """Return in one sentence what the run will need at most, and what is free.

    Parameters
    ----------
    new_bytes
        Size of the videos that are rendered now.
    release
        The release folder.
    archives
        Whether all videos are also put into zips.
    kept_bytes
        Size of the videos that earlier runs have rendered: where there is no release, they are copied into it as well.

    Raises
    ------
    StageError
        When a disk has less room than is needed.
    """
    new = new_bytes * BESIDE_VIDEOS
    zips = size_of(release / "videos") + new_bytes if archives and new_bytes else 0
    copied = new_bytes if (release / "videos").is_dir() else new_bytes + kept_bytes
    whole = copied * BESIDE_VIDEOS + (copied if archives else 0)
    needs: dict[int, float] = defaultdict(float)
    places: dict[int, list[Path]] = defaultdict(list)
    # The zips of the last release are replaced, but stay in DVC's cache.
    for place, size in ((STORE_PATH, new), (DVC_CACHE, new + zips), (UNRELEASED, new), (release, whole)):
        at = _existing(place)
        needs[at.stat().st_dev] += size
        places[at.stat().st_dev].append(place)
    said = []
    for device, size in sorted(needs.items(), key=lambda item: str(places[item[0]])):
        free = shutil.disk_usage(_existing(places[device][0])).free
        where = ", ".join(map(str, places[device]))
        said.append(f"about {size / GIGABYTE:.1f} GB more on the disk of {where}, where {free / GIGABYTE:.1f} GB are free")
        if size > free:
            msg = (
                f"this run may need {said[-1]}; make room: .venv/bin/scrubin store --prune removes what no output uses, "
                "dvc gc --workspace what DVC keeps of earlier versions, and release.archives: false leaves out the zips"
            )
            raise StageError(msg)
    return f"at most {'; '.join(said)}"


def _existing(path: Path) -> Path:
    return next(one for one in (path, *path.resolve().parents) if one.exists())


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder; 0 when there is none."""
    return sum(_size_of(Path(at, name)) for at, _, names in os.walk(folder) for name in names)


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:  # a link into a cache that is gone, or a file that has just been removed
        return 0


# Noisy endoscopic pictures at crf 18 through x264 on two cores, decoding included; on another machine the
# estimate is as wrong as that machine is faster or slower.
MEGAPIXELS_PER_S = {
    "ultrafast": 155.0,
    "superfast": 76.0,
    "veryfast": 60.0,
    "faster": 43.0,
    "fast": 31.0,
    "medium": 24.0,
    "slow": 12.0,
    "slower": 7.9,
    "veryslow": 3.9,
}
COPIED_FRAMES_PER_S = 20_000.0
START_S = 0.5


def estimate_s(plan: Plan, parts: Parts, params: RenderParams) -> float:
    """Return the seconds that rendering will take on two cores, rounded to one digit behind the point."""
    return frames_s(plan.frame_count - parts.encoded_count, parts.encoded_count, (plan.width, plan.height), params.preset)


def frames_s(copied: int, encoded: int, size_px: tuple[int, int], preset: str) -> float:
    """Return the seconds that so many frames of a width and height will take on two cores, rounded to one digit behind the point."""
    megapixels = encoded * size_px[0] * size_px[1] / 1e6
    return round(START_S + megapixels / MEGAPIXELS_PER_S[preset] + copied / COPIED_FRAMES_PER_S, 1)


def document(plan: Plan, parts: Parts, params: RenderParams) -> dict[str, Any]:
    """Return a plan with everything that is decided; frame numbers are those of the released video, both ends included."""
    return {
        "first_source_frame": plan.first_source_frame,
        "offset_s": float(plan.offset_s),
        "frame_count": plan.frame_count,
        "duration_s": float(plan.duration_s),
        "width": plan.width,
        "height": plan.height,
        "hidden": [{"first": item.first, "last": item.last, "box_xywh": item.box_xywh} for item in plan.hidden],
        "mode": parts.mode,
        "why": parts.why,
        "copied_frames": plan.frame_count - parts.encoded_count,
        "encoded_frames": parts.encoded_count,
        "parts": [{"first": part.first, "last": part.last, "copied": part.copied, "why": part.why} for part in parts.parts],
        "preset": params.preset,
        "crf": params.crf,
        "estimate_s": estimate_s(plan, parts, params),
    }


# Seen with crf 18 on films of operations, noisy ones included.
ENCODED_GROWTH, MOST_BYTES_PER_PIXEL = 1.5, 0.1


@dataclass(frozen=True)
class Effort:
    """What rendering a file will cost.

    Parameters
    ----------
    copied_frames, encoded_frames
        Number of frames.
    estimate_s
        Seconds on two cores.
    why
        Why nothing of it can be copied; empty when something can.
    new_bytes
        Size that the released video may have; 0 when it is kept from an earlier run.
    kept_bytes
        Size that it has when it is kept.
    """

    copied_frames: int
    encoded_frames: int
    estimate_s: float
    why: str
    new_bytes: int = 0
    kept_bytes: int = 0

    @property
    def frame_count(self) -> int:
        """Number of frames that are kept."""
        return self.copied_frames + self.encoded_frames


def effort(raw: Path, file: FileToRender, params: RenderParams) -> Effort:
    """Return what rendering will cost, before anything is written.

    Raises
    ------
    VideoError
        When the file cannot be rendered.
    """
    known = prepare(raw, file, params)
    encoded = known.parts.encoded_count
    copied = known.plan.frame_count - encoded
    entry = store.lookup(key_of(file, known.plan, params))
    new_bytes = 0 if entry else _bytes(known, copied, encoded)
    kept_bytes = sum(entry.path(name).stat().st_size for name in entry.files) if entry else 0
    return Effort(copied, encoded, estimate_s(known.plan, known.parts, params), known.parts.why, new_bytes, kept_bytes)


def _bytes(known: Prepared, copied: int, encoded: int) -> int:
    """Return the size that a released video may have: of copied frames as in the source, of encoded ones somewhat more, up to a limit."""
    try:
        per_frame = sum(one.path.stat().st_size for one in known.files) / known.probe.frame_count
    except OSError:
        return 0  # rendering says what is wrong with it
    most = MOST_BYTES_PER_PIXEL * known.plan.width * known.plan.height
    return math.ceil(copied * per_frame + encoded * min(ENCODED_GROWTH * per_frame, most))


def summary(efforts: Sequence[Effort]) -> list[str]:
    """Return in sentences what rendering all files will cost if none of them is kept from an earlier run."""
    copied, encoded = sum(item.copied_frames for item in efforts), sum(item.encoded_frames for item in efforts)
    seconds = math.fsum(item.estimate_s for item in efforts)
    lines = [f"{copied} frames can be copied bit for bit, {encoded} must be encoded: at most about {seconds:.0f} s on two cores"]
    # What stands in brackets differs from file to file.
    whys = Counter(item.why.partition(" (")[0] for item in efforts if item.why)
    return lines + [
        f"{count_text(count, 'video')} encoded as a whole: {why}"
        for why, count in sorted(whys.items(), key=lambda item: (-item[1], item[0]))
    ]
