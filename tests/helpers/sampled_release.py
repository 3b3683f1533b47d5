"""A study and its finished release: a pair of cameras of 3 s, and a single camera of 16 s of which 5 s are black."""

from __future__ import annotations

from pathlib import Path

import clips
import review_study
from scrubin.base.file_lists import CHECKSUMS, checksums_text
from scrubin.base.files import sha256_of, write_text
from scrubin.base.tables import io
from scrubin.base.tables.private import CUTS, HIDDEN, REDACTIONS
from scrubin.base.tables.public import VIDEOS
from scrubin.stages.release.certificate import public_form
from scrubin.stages.release.release_params import ReleaseParams

FPS = review_study.FPS
FIRST = 20
"""The first frame of the single recording's source that is released."""
SINGLE_FRAMES = 320
BLACK = (5 * FPS, 10 * FPS - 1)
IDS = {"pair": "abelo", "single": "borunga"}
CLIPS = [("abelo", 0.0, 3.0), ("borunga", 0.0, 5.0), ("borunga", 10.0, 15.0), ("borunga", 15.0, 16.0)]
PARAMS = ReleaseParams("a-study", "A study", "1.2.3", "CC-BY-4.0", archives=False, on_quarantine="continue", review="required")


def project(folder: Path) -> Path:
    """Make a checkout in which the stages until release have run."""
    review_study.project(folder, single_frames=FIRST + SINGLE_FRAMES)
    return release(folder)


def release(folder: Path, levels: int = 61) -> Path:
    """Write the released videos and what the stages render and release say of them; other ``levels`` are other videos."""
    rows = [("pair", "left", 0, 60), ("pair", "right", 0, 60), ("single", "mono", FIRST, SINGLE_FRAMES)]
    videos, cuts = [], []
    for recording, camera, first, count in rows:
        id_ = IDS[recording]
        path = folder / f"data/release/videos/Task/{camera}/{id_}.mkv"
        path.parent.mkdir(parents=True, exist_ok=True)
        clips.numbered(path, count, fps=FPS, levels=levels)
        row = {"id": id_, "task": "Task", "camera": camera, "path": path.relative_to(folder / "data/release").as_posix()}
        row |= {"width": 96, "height": 64, "fps": str(FPS), "variable_rate": False, "frame_count": count}
        videos.append(row | {"duration_s": count / FPS, "sha256": sha256_of(path)})
        cut = {"recording": recording, "camera": camera, "id": id_, "offset_s": str(first // FPS), "first_source_frame": first}
        cut |= {"frame_count": count, "source_width": 96, "source_height": 64, "mode": "reencode", "copied_frames": 0}
        cut |= {"left_behind": None, "why": "a toy"}
        cuts.append(cut)
    whole = {"id": IDS["single"], "camera": "mono", "first_frame": BLACK[0], "last_frame": BLACK[1], **dict.fromkeys("xywh")}
    box = {"id": IDS["pair"], "camera": "left", "first_frame": 0, "last_frame": 59, "x": 8, "y": 8, "w": 16, "h": 8}
    interim = folder / "data/interim"
    io.write(VIDEOS, io.frame_of(VIDEOS, videos), folder / "data/tables/videos.parquet")
    io.write(CUTS, io.frame_of(CUTS, cuts), interim / "cuts.parquet")
    io.write(HIDDEN, io.frame_of(HIDDEN, [whole, box]), interim / "hidden.parquet")
    io.write(
        REDACTIONS, io.frame_of(REDACTIONS, [redaction("single", "out_of_body"), redaction("pair", "text")]), interim / "redactions.parquet"
    )
    write_text(
        folder / "data/release" / CHECKSUMS,
        checksums_text({row["path"]: row["sha256"] for row in videos} | {public_form.TEXT_NAME: "0" * 64}),
    )
    return folder


def redaction(recording: str, kind: str) -> dict[str, object]:
    """Return an accepted row of the table `redactions`."""
    row = dict.fromkeys(REDACTIONS.column_names)
    row |= {"recording": recording, "camera": "mono" if recording == "single" else "left", "kind": kind, "start_s": 6.0, "end_s": 11.0}
    return row | {"source": "curator", "decision": "accepted", "accepted": True}
