"""The files that are exported: labels for the stage annotations, sheets for the stage scores; whole or not at all.

A file that is there already is replaced only when an earlier export wrote it as it stands: what somebody typed by hand is never touched.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ReviewError
from scrubin.base.files import whole
from scrubin.base.layout import PRIVATE
from scrubin.base.text.csv_rows import csv_of
from scrubin.curate.label.events import Sheet
from scrubin.curate.label.params import TRACKS, TRIPLETS
from scrubin.curate.label.settling import SPAN_LAYERS, Settlement, as_spans
from scrubin.labels.formats.plain import label_files, label_tracks
from scrubin.labels.keyframes import Track
from scrubin.ratings import TOTAL, ScoresParams

EXPORTED_PATH = PRIVATE / "label/exported.json"
"""The hashes of what was exported, by path relative to the raw folder."""
LABELS_FOLDER = "annotations/label"
_UNFINISHED = ".part-"
"""Before the name of a file that is not whole yet, see `scrubin.base.files.whole`."""
RATINGS_FOLDER = "ratings"


@dataclass(frozen=True)
class Written:
    """What an export wrote, and what it left as it was."""

    changed: tuple[str, ...]
    same: int
    removed: tuple[str, ...]


def label_file(settlement: Settlement, vocabulary: str, provenance: label_files.Provenance) -> bytes:
    """Return the file of a recording that is complete."""
    about = settlement.pictures.about
    document: dict[str, Any] = {
        label_files.EDITION_KEY: label_files.EDITION,
        "vocabulary": vocabulary,
        "camera": about.camera,
        label_files.SOURCE_SHA256: about.source_sha256,
        "frames": settlement.pictures.frame_count,
        **({} if settlement.pictures.fps is None else {label_files.FPS: str(settlement.pictures.fps)}),
        label_files.PROVENANCE: provenance,
    }
    spans = {layer: as_spans(settlement.outcomes[layer].spans) for layer in SPAN_LAYERS if layer in settlement.outcomes}
    tracks: dict[str, Any] = {
        layer: _keyframes(layer, settlement.outcomes[layer].tracks) for layer in TRACKS if layer in settlement.outcomes
    }
    if tracks:
        shown = [settlement.pictures.first, settlement.pictures.end]
        document |= {label_tracks.SHOWN: shown, label_tracks.BETWEEN: label_tracks.LINEAR}
    if TRIPLETS in settlement.outcomes:
        document[label_files.INSTANTS] = [
            label_files.instant_item(one.frame, one.triplets) for one in settlement.outcomes[TRIPLETS].instants
        ]
    return label_files.written({**document, **spans, **tracks})


def _keyframes(layer: str, tracks: Sequence[Track]) -> list[dict[str, object]]:
    """Return tracks as a file of labels has them: a key frame each, numbered by track."""
    listed: list[dict[str, object]] = []
    for number, track in enumerate(tracks, start=1):
        for key in track.keys:
            listed.append({"track": number, "frame": key.frame, "label": key.label, **label_tracks.place_of(layer, key)})
    return listed


def sheets(of_task: Mapping[int, Mapping[str, Sheet]], task: str, p: ScoresParams) -> dict[str, bytes]:
    """Return the sheets of a task by name: scores and, where the task has errors, marks, of each rater.

    Parameters
    ----------
    of_task
        By rater and the curator's name of the recording.
    """
    files: dict[str, bytes] = {}
    errors = p.errors.get(task, ())
    mark = p.failed_mark
    for rater, by_recording in sorted(of_task.items()):
        head = ["id", "rater", *p.aspects, TOTAL, *([mark.column] if mark else [])]
        rows = [[recording, str(rater), *_cells(sheet, p)] for recording, sheet in sorted(by_recording.items())]
        files[f"{task}_rater{rater}.csv"] = csv_of([head, *rows], ";").encode()
        if errors:
            marks = [
                [recording, *(str(sheet.errors.get(one, False)) for one in errors)] for recording, sheet in sorted(by_recording.items())
            ]
            files[f"{task}_rater{rater}_errors.csv"] = csv_of([["id", *errors], *marks], ";").encode()
    return files


def _cells(sheet: Sheet, p: ScoresParams) -> list[str]:
    """Return scores, their sum and what says that a recording is failed."""
    marked = [] if p.failed_mark is None else [p.failed_mark.value if sheet.failed else ""]
    if sheet.failed:
        return [*[""] * (len(p.aspects) + 1), *marked]
    scores = [sheet.scores.get(aspect) for aspect in p.aspects]
    known = [one for one in scores if one is not None]
    total = _number(math.fsum(known)) if len(known) == len(scores) else ""
    unrated = p.not_rated or ""
    return [*(unrated if one is None else _number(one) for one in scores), total, *marked]


def _number(value: float) -> str:
    return f"{round(value, 6):g}"


def longest_name(raw: Path) -> int:
    """Return how many bytes the name of a file may have that is written below the raw folder."""
    there = next(folder for folder in (raw, *raw.absolute().parents) if folder.exists())
    return os.pathconf(there, "PC_NAME_MAX") - len(_UNFINISHED)


def too_long(name: str, longest: int) -> str:
    """Return why the labels of a recording cannot be written whose file would have this name, and the mend."""
    what = f"its labels are not written, because its name is too long for a file: '{name[:40]}...' has {len(os.fsencode(name))} bytes"
    return f"{what}, and this disk takes {longest}; give it a shorter name by 'scrubin rename', run 'make repro', then export again"


def write(raw: Path, wanted: Mapping[str, bytes], exported_path: Path = EXPORTED_PATH, kept: Collection[str] = ()) -> Written:
    """Write files below the raw folder, by path relative to it; those of an earlier export that are no longer wanted, or kept, go.

    Raises
    ------
    ReviewError
        When a file is there that no export wrote as it stands, or the disk takes no more; then nothing was written.
    """
    before = exported(exported_path)
    gone = sorted(path for path in before if path not in wanted and path not in kept and (raw / path).is_file())
    changed = {path: data for path, data in sorted(wanted.items()) if _sha256_there(raw / path) != hashlib.sha256(data).hexdigest()}
    strange = [path for path in (*changed, *gone) if (raw / path).exists() and _sha256_there(raw / path) != before.get(path)]
    if strange:
        more = f" and {len(strange) - 1} more" if len(strange) > 1 else ""
        msg = f"{raw / strange[0]}{more}: it was not exported as it stands, but typed or changed by hand; move it away, then export again"
        raise ReviewError(msg)
    try:
        for path, data in changed.items():
            (raw / path).parent.mkdir(parents=True, exist_ok=True)
            with whole(raw / path) as part:
                part.write_bytes(data)
        for path in gone:
            (raw / path).unlink()
        stay = {path: sha256 for path, sha256 in before.items() if path in kept}
        _note(exported_path, stay | {path: hashlib.sha256(data).hexdigest() for path, data in wanted.items()})
    except OSError as error:
        msg = f"{raw}: not all files were written ({error.strerror}); make room or correct its permissions, then export again"
        raise ReviewError(msg) from error
    return Written(tuple(changed), len(wanted) - len(changed), tuple(gone))


def followed(raw: Path, moved: Mapping[Path, Path | None], rewritten: Mapping[Path, bytes], path: Path = EXPORTED_PATH) -> bytes | None:
    """Return the list of what was exported, as it is when other commands have moved and rewritten files; None where it stays as it is.

    A file that somebody typed or changed by hand stays one that no export wrote. Asked again in the middle of the work, it says the same.

    Parameters
    ----------
    raw
        Folder of the raw study.
    moved
        Where files go; None: out of the study.
    rewritten
        What files say then.

    Raises
    ------
    ReviewError
        When the list cannot be read.
    """
    before, after = exported(path), dict[str, str]()
    for name, sha256 in before.items():
        old = raw / name
        new = moved.get(old, old)
        if new is None:
            continue
        is_ours = old in rewritten and _sha256_there(old) == sha256
        after[new.relative_to(raw).as_posix()] = hashlib.sha256(rewritten[old]).hexdigest() if is_ours else sha256
    return _listed(after) if after != before else None


def forget(raw: Path, withdrawn: Memory, path: Path = EXPORTED_PATH) -> tuple[str, ...]:
    """Take exported label files of recordings that were withdrawn out of the list, and away where they are as exported.

    Returns
    -------
        What is out of the list, by path relative to the raw folder.

    Raises
    ------
    ReviewError
        When the list cannot be read, or nothing can be written.
    """
    before = exported(path)
    theirs = [name for name in before if _recording_of(name) in withdrawn]
    if not theirs:
        return ()
    try:
        for name in theirs:
            if _sha256_there(raw / name) == before[name]:
                (raw / name).unlink()
        _note(path, {name: sha256 for name, sha256 in before.items() if name not in theirs})
    except OSError as error:
        msg = f"{path}: exported labels of somebody who withdrew are still there ({error.strerror}); mend this, then withdraw again"
        raise ReviewError(msg) from error
    return tuple(theirs)


def _recording_of(name: str) -> str:
    """Return the recording of an exported label file; "" of a sheet, which is of several."""
    folder = f"{LABELS_FOLDER}/"
    return name.removeprefix(folder).removesuffix(label_files.SUFFIX) if name.startswith(folder) else ""


def _note(path: Path, sha256s: Mapping[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with whole(path) as part:
        part.touch(mode=0o600)
        part.write_bytes(_listed(sha256s))


def _listed(sha256s: Mapping[str, str]) -> bytes:
    return (json.dumps(dict(sorted(sha256s.items())), indent=1) + "\n").encode()


def exported(path: Path) -> dict[str, str]:
    """Return what the last export wrote: SHA-256 by path below the raw folder.

    Raises
    ------
    ReviewError
        When the list cannot be read.
    """
    try:
        return {str(name): str(sha256) for name, sha256 in json.loads(path.read_text(encoding="utf-8")).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError) as error:
        raise ReviewError(f"{path}: it is no list of exported files; restore it, or move it and the exported files away") from error


def _sha256_there(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
