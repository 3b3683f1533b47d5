"""A study to review, as the stages ingest and screen leave it: two recordings of a pair of cameras and a single one, with proposals."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import clips
from scrubin.audit.expected import withdrawal_memory
from scrubin.base.files import sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.private import PARTS, PROPOSALS, QUARANTINE, RECORDINGS, STOPS
from scrubin.stages.review import Line, attention
from scrubin.stages.review.attention import Look
from scrubin.stages.review.desk import Desk

ROOT = Path(__file__).parents[2]
FPS = 20
LEVELS = 73
"""So many frames follow each other before a grey comes again."""
FILES = {("pair", "left"): 60, ("pair", "right"): 60, ("single", "mono"): 70}
SECTIONS = ("raw:", "screen:", "review:", "release:")
SHEET = "recording,camera,kind,start_s,end_s,x,y,w,h,decision\n"


def project(folder: Path, *, single: str = "single", single_frames: int = 70, single_fps: int = FPS) -> Path:
    """Make a checkout whose raw study has a pair and a single recording; ``single`` names the latter, and it may be long and slow."""
    (folder / "data/raw/videos").mkdir(parents=True)
    (folder / "params.yaml").write_text(params(), encoding="utf-8")
    (folder / "data/raw/redactions.csv").write_text(SHEET, encoding="utf-8")
    rows = [recording(folder, number, *key, count) for number, (key, count) in enumerate(FILES.items()) if key[0] == "pair"]
    rows.append(recording(folder, len(rows), single, "mono", single_frames, single_fps))
    interim = folder / "data/interim"
    write_recordings(folder, rows)
    for stage in ("ingest", "screen"):
        io.write(QUARANTINE, io.frame_of(QUARANTINE, []), interim / f"quarantine_{stage}.parquet")
    propose(folder, [proposal("pair", "left", 20, 29), proposal(single, "mono", 40, 49, kind="text", box=(8, 8, 24, 8))])
    stop(folder)
    return folder


def write_recordings(folder: Path, rows: list[dict[str, object]]) -> None:
    """Write the tables of recordings that are one file each."""
    io.write(RECORDINGS, io.frame_of(RECORDINGS, rows), folder / "data/interim/recordings.parquet")
    files = [
        {name: row[name] for name in ("recording", "camera", "path", "sha256", "frame_count")}
        | {"part": 1, "first_frame": 0, "start_s": "0", "gap_s": "0"}
        for row in rows
    ]
    io.write(PARTS, io.frame_of(PARTS, files), folder / "data/interim/parts.parquet")


def params() -> str:
    """Return the parameters that a review reads: to parse all of them again and again would take most of a test's time."""
    text = (ROOT / "params.yaml").read_text(encoding="utf-8").replace("raw: data/demo", "raw: data/raw")
    sections = re.split(r"^(?=\w)", text, flags=re.MULTILINE)
    return "".join(section for section in sections if section.startswith(SECTIONS))


def change_params(folder: Path, old: str, new: str) -> None:
    """Replace text of the parameters, which must have it."""
    path = folder / "params.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def two_reviewers(folder: Path) -> None:
    """Let two people have to see and reject everything."""
    change_params(folder, "reviewers: 1", "reviewers: 2")


def recording(folder: Path, number: int, name: str, camera: str, count: int, fps: int = FPS) -> dict[str, object]:
    """Make a clip and return its row of the table `recordings`."""
    path = clips.numbered(folder / f"data/raw/videos/{number}_{camera}.mp4", count, fps=fps, levels=LEVELS)
    values: dict[str, object] = dict.fromkeys(RECORDINGS.column_names)
    values |= {
        **{"recording": name, "participant": "P", "task": "Task", "camera": camera, "path": f"videos/{path.name}"},
        **{"sha256": sha256_of(path), "container": "mp4", "codec": "h264", "width": 96, "height": 64, "rotation_deg": 0},
        **{"fps": str(fps), "variable_rate": False, "frame_count": count, "duration_s": count / fps, "has_audio": False},
        **{"start_s": 0.0, "end_s": count / fps, "status": "kept"},
    }
    return values


def proposal(
    name: str, camera: str, first: int, last: int, *, kind: str = "out_of_body", box: tuple[int, ...] | None = None
) -> dict[str, object]:
    """Return a row of the table `proposals`."""
    source = "text" if kind == "text" else "appearance"
    place = dict(zip("xywh", box or (None,) * 4, strict=True))
    times = {"start_s": first / FPS, "end_s": (last + 1) / FPS}
    own = {"recording": name, "camera": camera, "kind": kind, "first_frame": first, "last_frame": last, "source": source}
    return {**own, **times, **place, "score": 0.4, "faces": None, "text": None, "detectors": "test"}


def propose(folder: Path, rows: list[dict[str, object]]) -> None:
    """Write the table `proposals`."""
    io.write(PROPOSALS, io.frame_of(PROPOSALS, rows), folder / "data/interim/proposals.parquet")


def stop(folder: Path, *stops: tuple[str, str, int, str]) -> None:
    """Write the table `stops`: recording, camera, frame, kind."""
    rows = [dict(zip(STOPS.column_names, (name, camera, frame, frame / FPS, kind), strict=True)) for name, camera, frame, kind in stops]
    io.write(STOPS, io.frame_of(STOPS, rows), folder / "data/interim/stops.parquet")


def withdraw(folder: Path, *names: str, id_: str = "") -> withdrawal_memory.Memory:
    """Let recordings be of somebody who withdrew, and return what is remembered of them."""
    memory = withdrawal_memory.Memory()
    for name in names:
        memory = memory.with_recording(name, "consent", {"id": [id_]} if id_ else {}, [name])
    withdrawal_memory.write(memory, folder)
    return memory


def set_aside(folder: Path, name: str) -> None:
    """Write that a recording is in quarantine."""
    about = {"recording": name, "camera": "mono", "stage": "ingest", "path": "videos/x.mp4"}
    row: dict[str, object] = {**about, "reason": "it is damaged", "mend": "copy it again"}
    io.write(QUARANTINE, io.frame_of(QUARANTINE, [row]), folder / "data/interim/quarantine_ingest.parquet")


@contextmanager
def desk(folder: Path, by: str = "ann") -> Iterator[Desk]:
    """Open a desk in the folder, as the commands do."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield Desk.open(by=by)
    finally:
        os.chdir(before)


def look(view: str, stills: int) -> Look:
    """Return what a patient person's page measures."""
    return Look(attention.needed_s(view, stills), 1, attention.LEAST_HEIGHT_PX[view], sheet=view == "sheet")


def see(at: Desk, number: int, camera: str, view: str, frames: Iterable[int]) -> Line | None:
    """Look at stills as a patient person does."""
    stills = list(frames)
    return at.seen(number, camera, view, stills, look(view, len(stills)))


def see_everything(folder: Path, *by: str) -> None:
    """Let somebody look at everything."""
    with desk(folder, *by) as opened:
        see_all(opened)


def see_all(at: Desk, *, view: str = "full") -> None:
    """See every frame of every file."""
    for summary in at.recordings():
        for file in at.recording(summary.number).files:
            see(at, summary.number, file.camera, view, range(file.frame_count))
