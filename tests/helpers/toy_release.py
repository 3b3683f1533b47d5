"""A small clean release, in which tests break one rule on purpose."""

from __future__ import annotations

import io as streams
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import av
import cv2
import numpy as np
import pandas as pd
import yaml

import clips
from scrubin.audit.expected import Finding, plan, private_strings
from scrubin.audit.expected.plan import Hidden, VideoPlan
from scrubin.audit.expected.private_strings import Private
from scrubin.audit.run import audit, audit_file
from scrubin.base import file_lists
from scrubin.base.files import FIXED_TIME_S, set_fixed_time, sha256_of, write_text
from scrubin.base.tables import io
from scrubin.base.tables.private import CUTS, HIDDEN, LINKAGE, PARTS, QUARANTINE, RECORDINGS, REDACTIONS, RIGS
from scrubin.base.tables.public import public_tables
from scrubin.stages.release import added_files, assembly
from scrubin.stages.release.audited_project import public_words
from scrubin.stages.release.release_params import ReleaseParams

IDS = ("abelo", "borunga", "cimeto", "dovanu")
TASK = "PegTransfer"
PARAMS = ReleaseParams("toy-study", "A toy study", "1.2.3", "CC-BY-4.0", archives=True, on_quarantine="continue", review="required")
PEOPLE = ("Grünwaldner_Mechthild", "Łukaszewicz_Bartholomäus", "Li_Wei", "P07")
SITES = ("UniKlinikum Nordstadt", "Skills-Lab Westhäfen", "A", "A")
DATES = ("2023-04-17", "20230418", "19.04.2023", "2023_04_20")
BARE = (
    "-map_metadata",
    "-1",
    "-map_chapters",
    "-1",
    "-bsf:v",
    "filter_units=remove_types=6",
    "-fflags",
    "+bitexact",
    "-flags:v",
    "+bitexact",
)
SETTINGS = Path(__file__).parents[2] / "params.yaml"
FRAMES_IN_CLIP, BLACK, BOX = 20, (5, 9), (16, 16, 48, 32)


def recordings() -> pd.DataFrame:
    rows = []
    for person, site, date in zip(PEOPLE, SITES, DATES, strict=True):
        name = f"{date}_{person}_{TASK}_T1"
        row = dict.fromkeys(RECORDINGS.column_names)
        row |= {"recording": name, "participant": person, "trial": "1", "site": site, "task": TASK, "camera": "mono"}
        rows.append(row | {"path": f"videos/{site}/{name} links.mkv", "status": "kept", "sha256": f"{len(rows)}a" * 32})
    return io.frame_of(RECORDINGS, rows)


def black_clip(path: Path) -> Path:
    """20 frames; 5 to 9 are black as a whole, and a rectangle is black in all."""
    x, y, w, h = BOX
    boxes = f"drawbox=x={x}:y={y}:w={w}:h={h}:t=fill:c=black,drawbox=t=fill:c=black:enable='between(n,{BLACK[0]},{BLACK[1]})'"
    encoded = path.with_name("encoded.mkv")
    more = ("-vf", boxes, "-pix_fmt", "yuv420p", "-crf", "18", "-threads", "2", "-force_key_frames", "0,0.25,0.5", *BARE)
    clips.clip(encoded, seconds=1.0, fps="20", size="96x64", more=more)
    clips.ffmpeg("-i", encoded, "-c", "copy", *BARE, path)
    encoded.unlink()
    return path


def pictures_of(path: Path) -> list[np.ndarray]:
    """All frames of a video, blue first."""
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="bgr24") for frame in container.decode(video=0)]


CLIP_PLAN = VideoPlan("a.mkv", "a", "mono", FRAMES_IN_CLIP, "", (Hidden(*BLACK, None), Hidden(0, FRAMES_IN_CLIP - 1, BOX)))
"""Of `black_clip`."""


def findings_of(path: Path, planned: VideoPlan | None = None) -> list[Finding]:
    """What the audit finds in one video."""
    set_fixed_time(path, sha256_of(path))
    return audit_file(path, Private(), planned).findings


def breaking(names: Iterable[str], *rules: str) -> dict[str, set[str]]:
    """What `Release.rules_by_file` returns of files each of which breaks these rules."""
    return {name: {*rules} for name in names}


def zipped(*members: tuple[str, bytes], deflated: bool = True, **header: object) -> bytes:
    """A zip as a release may hold it, but for what ``header`` says of the entries of its members."""
    target = streams.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in members:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
            for field, value in header.items():
                setattr(entry, field, value)
            archive.writestr(entry, data)
    return target.getvalue()


def npy(values: np.ndarray) -> bytes:
    """An array as numpy writes it."""
    target = streams.BytesIO()
    np.save(target, values)
    return target.getvalue()


def private_of(tables: list[pd.DataFrame]) -> Private:
    return private_strings.of_tables(tables, IDS, public_words(public_tables(()), PARAMS, ["cholect50"], [TASK]))


@dataclass
class Release:
    """A release on disk with what it must be and what must not be in it."""

    folder: Path
    plan: plan.Plan
    private: Private
    tables: dict[str, pd.DataFrame]

    def path(self, name: str) -> Path:
        return self.folder / name

    @property
    def video(self) -> Path:
        return self.path(self.plan.videos[0].path)

    def findings(self) -> list[Finding]:
        return audit(self.folder, self.private, self.plan).findings

    def rules(self) -> set[str]:
        return {finding.rule for finding in self.findings()}

    def rules_by_file(self, files: Mapping[str, bytes | str]) -> dict[str, set[str]]:
        """Write files, and return the rules that each of all files breaks, if any: one audit for many files."""
        for name, data in files.items():
            self.path(name).parent.mkdir(parents=True, exist_ok=True)
            self.path(name).write_bytes(data.encode() if isinstance(data, str) else data)
        self.seal()
        return self.broken()

    def broken(self) -> dict[str, set[str]]:
        """The rules that each of all files breaks as they are now, if any."""
        broken: dict[str, set[str]] = {}
        for finding in self.findings():
            broken.setdefault(finding.file, set()).add(finding.rule)
        return broken

    def seal(self) -> None:
        """Make the list of files, checksums, planned hashes and file times those of the files as they are now."""
        if self.path(file_lists.FILE_LIST).is_file():
            sha256 = added_files.hashes(self.folder)
            write_text(self.path(file_lists.FILE_LIST), file_lists.file_list_text(sha256, added_files.sizes_of_files(self.folder, sha256)))
        for path in self.folder.rglob("*"):
            if path.is_file() and int(path.stat().st_mtime) != FIXED_TIME_S:
                set_fixed_time(path, sha256_of(path))
        videos = tuple(replace(video, sha256=sha256_of(self.path(video.path))) for video in self.plan.videos)
        self.plan = replace(self.plan, videos=videos)
        write_text(self.path(file_lists.CHECKSUMS), file_lists.checksums_text(added_files.hashes(self.folder)))

    def rules_after(self, change: Callable[[], object]) -> set[str]:
        change()
        self.seal()
        return self.rules()

    def replace_video(self, make: Callable[[Path, Path], object]) -> None:
        """Put ``make(source, target)`` in the place of the first video; the archive would show the old one."""
        old = self.video.with_name("old.mkv")
        self.video.rename(old)
        make(old, self.video)
        old.unlink()
        shutil.rmtree(self.path("archives"))


def build(folder: Path) -> Release:
    clip = black_clip(folder.parent / "clip.mkv")
    shown = pictures_of(clip)
    declared = {name: table for name, table in public_tables(()).items() if name in ("videos", "frames", "splits")}
    videos, frames, cuts, hidden = [], [], [], []
    for id_ in IDS:
        path = f"videos/{TASK}/mono/{id_}.mkv"
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(clip, folder / path)
        row = {"id": id_, "task": TASK, "camera": "mono", "path": path, "width": 96, "height": 64, "fps": "20", "variable_rate": False}
        videos.append(row | {"frame_count": FRAMES_IN_CLIP, "duration_s": 1.0, "sha256": sha256_of(clip)})
        for number, source in enumerate((0, BLACK[0])):
            name = f"frames/{TASK}/mono/{id_}/{number:06d}.jpg"
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(folder / name), shown[source], [cv2.IMWRITE_JPEG_QUALITY, 95])
            row = {"id": id_, "camera": "mono", "frame": number, "source_frame": source, "time_s": source / 20, "path": name}
            row |= {"width": 96, "height": 64, "redacted": number == 1}
            row |= {"sharpness": 1.0, "brightness": 1.0, "contrast": 1.0, "saturated_share": 0.0}
            frames.append(row | {"difference": None, "dropped": False, "dropped_why": None, "perceptual_hash": "0123456789abcdef"})
        cuts.append(
            {"recording": id_, "camera": "mono", "id": id_, "offset_s": "0", "first_source_frame": 0, "frame_count": FRAMES_IN_CLIP}
        )
        cuts[-1] |= {"source_width": 96, "source_height": 64, "mode": "reencode", "copied_frames": 0, "left_behind": None, "why": "a toy"}
        for span in ((*BLACK, None, None, None, None), (0, FRAMES_IN_CLIP - 1, *BOX)):
            hidden.append(dict(zip(("first_frame", "last_frame", "x", "y", "w", "h"), span, strict=True)) | {"id": id_, "camera": "mono"})
    splits = [{"scheme": "balanced", "fold": 0, "subset": "train" if i % 2 else "test", "id": id_} for i, id_ in enumerate(IDS)]
    rows = {"videos": videos, "frames": frames, "splits": splits}
    tables = {name: io.frame_of(table, rows[name]) for name, table in declared.items()}
    annotation = {f"{TASK}.csv": "id;GRS\n" + "".join(f"{id_};0.170423\n" for id_ in IDS)}
    assembly.complete(folder, PARAMS, declared, tables, annotation, Fraction(1), "Nobody looked.", {})
    tables |= {"cuts": io.frame_of(CUTS, cuts), "hidden": io.frame_of(HIDDEN, hidden)}
    planned = plan.of_tables(tables["videos"], tables["frames"], tables["cuts"], tables["hidden"], declared)
    return Release(folder, planned, private_of([recordings()]), tables)


def write_project(release: Release, folder: Path) -> Path:
    """Write the project whose release it is, as it is now: private tables, public tables, parameters."""
    for name, data in _same_in_all_projects().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    tables = dict(release.tables)
    tables["videos"] = tables["videos"].assign(sha256=[sha256_of(release.path(path)) for path in tables["videos"].path])
    for name, table in public_tables(()).items():
        if name in tables:
            io.write(table, tables[name], folder / f"data/tables/{name}.parquet")
    for name, table in {"cuts": CUTS, "hidden": HIDDEN}.items():
        io.write(table, tables[name], folder / f"data/interim/{name}.parquet")
    return folder


@cache
def _same_in_all_projects() -> dict[str, bytes]:
    """Return the files that no test changes before it writes its project: empty tables, people, parameters."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write_same(folder)
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _write_same(folder: Path) -> None:
    for name, table in public_tables(tuple(yaml.safe_load(SETTINGS.read_text())["scores"]["aspects"])).items():
        io.write(table, io.frame_of(table, []), folder / f"data/tables/{name}.parquet")
    people = recordings()
    people = people.assign(start_s=0.0, end_s=1.0)
    linkage = [{"recording": name, "id": id_, "draw": 2**62} for name, id_ in zip(people.recording, IDS, strict=True)]
    interim = {"recordings": (RECORDINGS, people), "parts": (PARTS, io.frame_of(PARTS, []))}
    interim |= {f"quarantine_{stage}": (QUARANTINE, io.frame_of(QUARANTINE, [])) for stage in ("ingest", "screen", "render")}
    interim["redactions"] = (REDACTIONS, io.frame_of(REDACTIONS, []))
    interim["rigs"] = (RIGS, io.frame_of(RIGS, [{"rig": "Laparoskop Haus B", "calibration": None}]))
    for name, (table, rows) in interim.items():
        io.write(table, rows, folder / f"data/interim/{name}.parquet")
    io.write(LINKAGE, io.frame_of(LINKAGE, linkage), folder / "data/private/linkage.parquet")
    shutil.copy(SETTINGS, folder / "params.yaml")
