"""Files that people wrote: sheets, labels, redactions, calibrations, by the stages' own readers."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base import files, strangers
from scrubin.base.errors import AnnotationError, CalibrationError, ReviewError, ScrubinError, VideoError
from scrubin.base.faults import Fault, Faults, count_text, error
from scrubin.base.layout import RECORDINGS_PATH
from scrubin.base.store.code_of import code_of_library
from scrubin.base.tables import io
from scrubin.base.tables.private import RECORDINGS
from scrubin.curate.draft import read_header
from scrubin.curate.preflight import Findings, names, places
from scrubin.curate.preflight.listed_study import ListedStudy
from scrubin.labels.model import Labels
from scrubin.labels.policy import stopping
from scrubin.media.rigs.rig import Rig
from scrubin.ratings import ScoresParams, entries, marks, scoring
from scrubin.ratings.entries import Entries, read_entries
from scrubin.ratings.rater_files import look_folder, unread_tables, without
from scrubin.ratings.rater_sheet import RaterSheet, RatingRow, roster_of
from scrubin.stages.annotations import sources
from scrubin.stages.annotations.params import AnnotationsParams
from scrubin.stages.annotations.sources import Batch
from scrubin.stages.ingest.manifest import ManifestRow
from scrubin.stages.recordings_list import NAME
from scrubin.stages.review import LEDGER_PATH, Ledger, redaction_sheet, rewriting
from scrubin.stages.stereo.recordings import FOLDER, read_rigs

RATINGS_FOLDER = "ratings"


def look_at_rater_sheets(study: ListedStudy, p: ScoresParams, noted: Findings) -> None:
    """Note what the stage scores would refuse, and which recordings nobody rated although others of their task are."""
    people = study.people()
    kept = people[people.recording.isin(set(study.kept))]
    videos = kept[["id", "task"]].assign(camera="", duration_s=0.0, frame_count=0)
    roster = roster_of(people, people[["recording", "id"]], videos, study.set_aside)
    found, wrong = look_folder(study.raw / RATINGS_FOLDER, roster.tasks, study.withdrawn)
    noted.errors += wrong
    for unread in unread_tables(study.raw / RATINGS_FOLDER, found):
        if not unread.is_meant:
            noted.remark(unread.fault.what, unread.fault.fix, unread.fault.file)
    with noted.noting():
        sheets = without(found, study.withdrawn)
        noted.counts["rater sheet"] = len(sheets)
        _say_failed(sheets, p, noted)
        entries = read_entries(sheets, roster, p)
        too_few = scoring.without_skill(scoring.normalise(entries.ratings, p.failed_grs), p.min_ratings)
        for fault in (*scoring.without_scale(entries.ratings), *too_few):
            noted.remark(f"{fault.place}: {fault.what}", fault.fix, RATINGS_FOLDER)
        with noted.noting():
            marks.harmonise(entries.marks, p.error_rule, p.reviewer)
        _unrated(kept, entries, noted)


def _say_failed(sheets: Sequence[RaterSheet], p: ScoresParams, noted: Findings) -> None:
    """Say for each rater how many recordings count as failed; where empty scores alone say it, that is a question."""
    for sheet in sheets:
        if sheet.marks_errors:
            continue
        empty = [row for row in sheet.rows if entries.is_left_empty(row, p)]
        place = f"task {sheet.task}, rater {sheet.rater}"
        if empty:
            where = places([f"line {row.line}" for row in empty])
            what = f"{place}: {count_text(len(empty), 'recording')} {_count(empty)} as failed, because no score is given ({where})"
            fix = "leave it if the rater meant that"
            if p.not_rated is not None:
                fix += f"; where the rater could not judge, write '{p.not_rated}' into the scores (or see scores.failed_mark)"
            noted.remark(what, fix, sheet.file)
        elif p.failed_mark is not None and (marked := [row for row in sheet.rows if entries.is_marked(row, p.failed_mark)]):
            what = f"{place}: {count_text(len(marked), 'recording')} {_count(marked)} as failed, because '{p.failed_mark.column}' says so"
            noted.remark(what, "leave it if that is so", sheet.file)


def _count(rows: Sequence[RatingRow]) -> str:
    return "counts" if len(rows) == 1 else "count"


def _unrated(kept: pd.DataFrame, entries: Entries, noted: Findings) -> None:
    for what, rows in (("rater sheet", entries.ratings), ("error sheet", entries.marks)):
        for task, of_task in kept[kept.task.isin(set(rows.task))].groupby("task"):
            missing = set(of_task.recording[~of_task.id.isin(set(rows.id))])
            if missing:
                noted.remark(f"no {what} of {task} names {names(missing)}", "add their rows, if somebody looked at them", RATINGS_FOLDER)


SOUND_LABELS_PATH = Path(".cache/preflight/labels.json")
"""It is a cache: without it all files are read."""


class SoundLabels:
    """What is remembered of sound label files."""

    def __init__(self, path: Path = SOUND_LABELS_PATH) -> None:
        self._path = path
        self._code = code_of_library()
        self._before = self._read()
        self._now: set[str] = set()

    def key(self, raw: Path, names: Sequence[str], how: Sequence[Any]) -> str:
        """Return by what files are known again without reading them: names, sizes, times, and how they are read."""
        states = [(raw / name).stat() for name in names]
        known = [[state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino] for state in states]
        return hashlib.sha256(json.dumps([self._code, str(raw), list(names), list(how), known]).encode()).hexdigest()

    def knows(self, key: str) -> bool:
        """Whether these files were sound; if so, it is remembered further."""
        if key in self._before:
            self._now.add(key)
        return key in self._before

    def add(self, key: str) -> None:
        """Remember that these files are sound."""
        self._now.add(key)

    def write(self) -> None:
        """Keep what this look found, and nothing that it did not ask for."""
        if self._now != self._before:
            files.write_json(self._path, sorted(self._now))

    def _read(self) -> set[str]:
        try:
            return set(json.loads(self._path.read_text(encoding="ascii")))
        except (OSError, ValueError, TypeError):
            return set()


def look_at_labels(study: ListedStudy, p: AnnotationsParams, noted: Findings) -> None:
    """Note every file that fits nowhere, names an unknown recording or cannot be read, and who of a labelled task has no labels."""
    faults, sound = Faults(), SoundLabels()
    with noted.noting():
        known = {*study.recordings, *study.set_aside}
        batches = sources.find(study.raw, p.sources, known, faults, study.withdrawn)
        noted.counts["label file"] = sum(len(batch.files) for batch in batches)
        kept, labelled = set(study.kept), {batch.recording for batch in batches if not batch.is_whole}
        for batch in batches:
            if batch.is_whole:
                read = [(batch, sources.read_all(study.raw, p.box_tolerance, batch))]
                sorted_out = sources.sorted_out(read, known, kept, faults, study.withdrawn)
                labelled |= {one.recording for _, one in sorted_out.read if isinstance(one, Labels)}
                faults.extend(fault for _, one in sorted_out.read for fault in _stopping(one))
            elif batch.recording in kept:
                faults.extend(_faults(study, p.box_tolerance, batch, sound))
        sound.write()
        _unlabelled(study, labelled, noted)
    noted.errors += stopping("annotations", faults.all())


def _faults(study: ListedStudy, box_tolerance: float, batch: Batch, sound: SoundLabels) -> tuple[Fault, ...]:
    """Return why the labels of one recording cannot be used."""
    source = batch.source
    maps = [source.label_map] if source.label_map and (study.raw / source.label_map).is_file() else []
    how = (source.format, source.vocabulary, source.label_map, box_tolerance)
    key = sound.key(study.raw, [*batch.files, *maps], how)
    if sound.knows(key):
        return ()
    wrong = _stopping(sources.read(study.raw, box_tolerance, batch))
    if not wrong:
        sound.add(key)
    return wrong


def _stopping(read: Labels | AnnotationError) -> tuple[Fault, ...]:
    return tuple(read.faults if isinstance(read, AnnotationError) else stopping("annotations", read.faults))


def _unlabelled(study: ListedStudy, labelled: set[str], noted: Findings) -> None:
    by_task: dict[str, set[str]] = defaultdict(set)
    for name in study.kept:
        by_task[study.recordings[name][0].task].add(name)
    for task, members in sorted(by_task.items()):
        if members & labelled and members - labelled:
            noted.remark(f"no label file of {task} is about {names(members - labelled)}", "add it, if somebody labelled them", sources.ROOT)


def look_at_redactions(study: ListedStudy, noted: Findings) -> None:
    """Note what of the sheet would stop the release, and whether the chain of decisions holds."""
    with noted.noting():
        lines = Ledger().lines()
        noted.counts["ledger line"] = len(lines)
        rewriting.refuse_shortened(LEDGER_PATH, lines)
    path = study.raw / redaction_sheet.NAME
    kept = set(study.kept)
    cameras = {name: tuple(dict.fromkeys(row.camera for row in rows)) for name, rows in study.recordings.items() if name in kept}
    others = ({*study.recordings} | study.set_aside) - kept
    with noted.noting():
        try:
            data = strangers.read_bytes(path)
        except OSError as error:
            raise ReviewError(f"{path}: cannot be read ({error.strerror}); a file with just its header means: nothing to add") from error
        decided = redaction_sheet.parse(data, cameras, others, study.withdrawn)
        noted.counts["redaction"] = len({row.line for row in decided.rows})
        noted.errors += decided.faults


MOST_HEADERS = 100
"""Heads of videos are read of so many recordings, spread over the list: that takes a second."""
STEREO = {"left", "right"}


def look_at_rigs(study: ListedStudy, noted: Findings) -> None:
    """Note rigs without calibration, calibrations that cannot be used or are of another size, and files that nobody names."""
    rows = {name: study.recordings[name] for name in study.kept}
    stereo = {name: own for name, own in rows.items() if {row.camera for row in own} == STEREO}
    named = {name: own[0].rig for name, own in stereo.items() if own[0].rig}
    rigs, faults = read_rigs(study.raw, set(named.values()))
    with noted.noting():
        CalibrationError.raise_any(faults.errors())
    noted.remarks += (fault for fault in faults.all() if fault.severity != "error")
    if rigs:
        noted.counts["stereo rig"] = len(rigs)
    _look_at_files(study.raw, set(named.values()), noted)
    if alone := {name for name, own in rows.items() if own[0].rig and name not in stereo}:
        noted.remark(f"{names(alone)} named with a rig, but without a left and a right camera", "nothing is done with their rig", NAME)
    if named and (without := stereo.keys() - named.keys()):
        what = f"{count_text(len(without), 'stereo recording')} without a rig: {names(without)}"
        noted.remark(what, "fill in the column 'rig' where it is known; they are released without a calibration", NAME)
    _look_at_sizes(study.raw, {name: stereo[name] for name, rig in named.items() if rig in rigs}, rigs, noted)


def _look_at_files(raw: Path, named: set[str], noted: Findings) -> None:
    """Note the files of the folder that no recording names, and why they cannot be used where they cannot."""
    folder = raw / FOLDER
    there = sorted(path for path in folder.iterdir() if not path.name.startswith(".")) if folder.is_dir() else []
    for path in there:
        file = f"{FOLDER}/{path.name}"
        if path.suffix.lower() not in (".yaml", ".yml", ".json", ".xml") or (path.suffix == ".yaml" and path.stem in named):
            continue
        if not path.is_file():
            noted.remark("it is a folder, and a calibration is a file", "move it away, or put its file in its place", file)
        elif path.suffix != ".yaml":
            fix = f"rename it to {path.stem}.yaml, or move it away"
            if path.suffix.lower() == ".xml":
                fix = f"write its matrices as OpenCV's YAML (cv2.FileStorage with the name {path.stem}.yaml), or move it away"
            noted.remark("it is not read, because its name does not end in .yaml", fix, file)
        else:
            what = f"no stereo recording that is kept names rig '{path.stem}'"
            noted.remark(what, f"name it in the column 'rig' of {NAME}, or move it away", file)
            _, faults = read_rigs(raw, {path.stem})
            noted.remarks += (replace(fault, severity="warning") for fault in faults.all())


def _look_at_sizes(raw: Path, rows: Mapping[str, Sequence[ManifestRow]], rigs: Mapping[str, Rig], noted: Findings) -> None:
    for name, (width, height) in _sizes(raw, rows, rigs):
        rig = rigs[rows[name][0].rig]
        if rig.size != (width, height):
            file = f"{FOLDER}/{rows[name][0].rig}.yaml"
            what = f"it is of pictures of {rig.width}x{rig.height} pixels, but '{name}' is {width}x{height}"
            fix = (
                f"name the rig of that recording; if its pictures were resized or cropped: "
                f"scrubin stereo convert {shlex.quote((raw / file).as_posix())} {shlex.quote((raw / FOLDER / 'NEW.yaml').as_posix())} "
                f"--scale-to {width}x{height} (or --crop), and name NEW"
            )
            noted.errors.append(error(file, "size", what, fix))


def _sizes(raw: Path, rows: Mapping[str, Sequence[ManifestRow]], rigs: Mapping[str, Rig]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the size of recordings as the head of a file says it; those that fitted in the last run are not opened again."""
    measured = _measured()
    fitted = {name for name, own in rows.items() if measured.get(own[0].path) == rigs[own[0].rig].size}
    others = [name for name in rows if name not in fitted]
    for place in sorted({int(place) for place in np.linspace(0, len(others) - 1, min(len(others), MOST_HEADERS))}):
        row = rows[others[place]][0]
        if row.view is not None:
            yield row.recording, (row.view.w, row.view.h)
            continue
        try:
            header = read_header(raw / row.path, row.path)
        except VideoError:
            continue  # said where files are looked at, or when it is ingested
        yield row.recording, (header.width, header.height)


def _measured() -> dict[str, tuple[int, int]]:
    try:
        table = io.read(RECORDINGS, RECORDINGS_PATH)
    except (ScrubinError, OSError):
        return {}
    known = table.dropna(subset=["width", "height"])
    return {path: (int(width), int(height)) for path, width, height in zip(known.path, known.width, known.height, strict=True)}
