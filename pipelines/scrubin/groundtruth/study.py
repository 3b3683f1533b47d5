"""The ground truth of a study, written file by file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.core import files
from scrubin.groundtruth import detection, recognition, sheets
from scrubin.groundtruth.detection import Boxed
from scrubin.groundtruth.recognition import Matrix
from scrubin.groundtruth.recordings import Layer, Recording, labelled_camera
from scrubin.tables import io
from scrubin.vocabulary.vocabulary import Component, Vocabulary


@dataclass(frozen=True)
class Written:
    """What was written of one recording, and what the files over all recordings need of it."""

    recording: Recording
    matrices: dict[Component, Matrix]
    boxed: Boxed | None

    def counts(self) -> dict[str, Any]:
        """Return what of the recording can be scored; a kind that is not labelled is null."""
        instances, phases = self.recording.instances, self.recording.phases
        return {
            "vocabulary": {"instances": _name(instances), "phases": _name(phases)},
            "recognition_frames": None if instances is None else len(instances.frames),
            "recognition_components": sorted(self.matrices),
            "detection_frames": None if self.boxed is None else len(self.boxed.frames),
            "detection_frames_left_out": None if self.boxed is None else self.boxed.left_out,
            "phase_frames": None if phases is None else len(phases.frames),
            "dropped_frames_left_out": self.recording.dropped_frames,
        }


def write_recording(folder: Path, recording: Recording) -> Written:
    """Write the files of one recording."""
    found = recognition.matrices(recording)
    boxed = detection.boxed(recording)
    if recording.instances is not None:
        path = folder / recording.instances.vocabulary.name / "recognition" / f"{recording.id}.npz"
        with files.whole(path) as part:
            part.write_bytes(recognition.archive(recording.instances, found))
    if recording.instances is not None and boxed is not None:
        path = folder / recording.instances.vocabulary.name / "detection" / f"{recording.id}.json"
        files.write_text(path, _json(detection.ivtmetrics(boxed)))
    if recording.phases is not None:
        path = folder / recording.phases.vocabulary.name / "phases" / f"{recording.id}.csv"
        files.write_text(path, sheets.phases(recording.phases))
    return Written(recording, found, boxed)


def write_vocabularies(folder: Path, written: Sequence[Written], frames: pd.DataFrame) -> list[Vocabulary]:
    """Write the files over all recordings of each vocabulary; return all vocabularies that are used."""
    used = {layer.vocabulary.name: layer.vocabulary for one in written for layer in _layers(one.recording)}
    for name, words in sorted(used.items()):
        own = [one for one in written if one.recording.instances is not None and one.recording.instances.vocabulary.name == name]
        if own:
            rows = recognition.rows(words, [(one.recording.id, _frames(one), one.matrices) for one in own])
            io.write(recognition.table(words), rows, folder / name / "recognition.parquet")
        boxed = [one.boxed for one in own if one.boxed is not None]
        if boxed:
            files.write_text(folder / name / "coco.json", _json(detection.coco(words, boxed, images(frames))))
    return [used[name] for name in sorted(used)]


def write_sheets(folder: Path, skill: pd.DataFrame, errors: pd.DataFrame, splits: pd.DataFrame) -> None:
    """Write skill and errors per task."""
    for kind, of_tasks in (("skill", sheets.skill_sheets(skill, splits)), ("errors", sheets.error_sheets(errors, splits))):
        for task, text in of_tasks.items():
            files.write_text(folder / kind / f"{task}.csv", text)


def images(frames: pd.DataFrame) -> pd.DataFrame:
    """Return one image per recording and frame that has a file: of the left camera, mono, else right."""
    seen = labelled_camera(frames)
    columns = ["id", "camera", "frame", "path", "width", "height"]
    return seen.loc[seen["path"].notna(), columns].sort_values(["id", "frame"], ignore_index=True)


def _layers(recording: Recording) -> list[Layer]:
    return [layer for layer in (recording.instances, recording.phases) if layer is not None]


def _frames(one: Written) -> Any:
    return one.recording.instances.frames if one.recording.instances is not None else []


def _name(layer: Layer | None) -> str | None:
    return None if layer is None else layer.vocabulary.name


def _json(value: Any) -> str:
    # On one line: indented, every coordinate would have a line of its own.
    return json.dumps(value, sort_keys=True, allow_nan=False, ensure_ascii=False, separators=(",", ":")) + "\n"
