"""The whole study: every file of the raw folder, of the truth beside it."""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scrubin.base.files import fresh_folder, write_json, write_text
from scrubin.stages.demo import labels, sheets, truth
from scrubin.stages.demo.course import trainings
from scrubin.stages.demo.encoding import Encoding, encode_clip, repeat_clip
from scrubin.stages.demo.footage import frames
from scrubin.stages.demo.plan import DROPPED_TICKS, JITTER_TICKS, TICKS_PER_S, DemoParams, Recording
from scrubin.stages.demo.procedures import procedures

KEPT_PERCENT = 55


INSTEAD = {"empty": "", "text": "{name}: the video is still on the recorder, ask the theatre for the disk\n"}
"""What is in a file that is no video, by its damage."""


# The demo's release is the same everywhere, so its key is known to everyone. A real study makes its own.
PSEUDONYM_KEY = "5c12ab0d97e4f8361b7d20c94e6fa3580d1f92b6e37c48a5f0692bd81473ce5a"
QUANTISER = 28
WORKERS = 2
SPLITS = "Splits that were released before, to be extended, and lists of videos for official splits. This study has none.\n"


def make_study(params: DemoParams, folder: Path, truth_folder: Path, *, longest_procedure_s: int | None = None) -> None:
    """Write the raw study and, beside it, the truth about it.

    Parameters
    ----------
    params
        Seed and size.
    folder, truth_folder
        Both are emptied first.
    longest_procedure_s
        Cuts the procedures to this length, for tests; None keeps them whole.

    Raises
    ------
    StageError
        The encoder failed.
    """
    recordings = [*trainings(params), *procedures(params.seed, longest_procedure_s)]
    rated = sheets.rate(recordings)
    fresh_folder(folder)
    fresh_folder(truth_folder)
    _write_videos(recordings, folder)
    write_text(folder / "recordings.csv", sheets.manifest(recordings))
    write_text(folder / "redactions.csv", sheets.redactions(recordings))
    for name, text in sheets.calibrations(recordings).items():
        write_text(folder / "calibration" / f"{name}.yaml", text)
    for name, text in sheets.EMPTY.items():
        write_text(folder / name, text)
    write_text(folder / "pseudonym.key", PSEUDONYM_KEY + "\n")
    for name, text in sheets.sheets(rated).items():
        write_text(folder / "ratings" / name, text)
    write_text(folder / "splits" / "README.txt", SPLITS)
    for number, recording in enumerate(recordings):
        _write_labels(recording, number, folder / "annotations")
    for name, content in truth.files(recordings, rated).items():
        write_json(truth_folder / name, content)


def _write_videos(recordings: list[Recording], folder: Path) -> None:
    # The longest first, so that no worker is left alone with one at the end.
    works = [(recording, camera) for recording in recordings for camera in recording.paths]
    works.sort(key=lambda work: -work[0].drawn_count)
    with ThreadPoolExecutor(WORKERS) as pool:
        for done in [pool.submit(_write_video, *work, folder) for work in works]:
            done.result()


def _write_video(recording: Recording, camera: str, folder: Path) -> None:
    """Write one camera's file of a recording below the raw folder, damaged where that is planned."""
    path = folder / recording.paths[camera]
    harm = recording.damage.get(camera)
    if harm in INSTEAD:
        write_text(path, INSTEAD[harm].format(name=recording.name))
    if harm in ("missing", *INSTEAD):
        return
    encoding = _encoding_of(recording, camera)
    if recording.loops == 1:
        encode_clip(path, frames(recording, camera), recording.fps, encoding)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            clip = Path(scratch) / "clip.mkv"
            encode_clip(clip, frames(recording, camera), recording.fps, encoding)
            repeat_clip(path, clip, recording.loops)
    if harm in ("cut", "no_moov"):
        # In the middle: an mp4 loses its index at the end and with it every frame.
        os.truncate(path, path.stat().st_size * KEPT_PERCENT // 100)


def _encoding_of(recording: Recording, camera: str) -> Encoding:
    """Return how a recording's file is encoded."""
    duration_s = float(recording.duration)
    long_s = duration_s / max(len(recording.chapters), 1)
    ticks = f"N*{int(TICKS_PER_S / recording.fps)}+mod(N*N*79,{JITTER_TICKS})+{DROPPED_TICKS}*gte(N,{recording.dropped_from})"
    return Encoding(
        quantiser=QUANTISER,
        b_frames=3 if recording.phases else 0,
        sound_s=duration_s if camera in recording.audio else None,
        tags=recording.tags,
        chapters=tuple((title, i * long_s, (i + 1) * long_s) for i, title in enumerate(recording.chapters)),
        ticks=ticks if recording.variable_rate else None,
    )


def _write_labels(recording: Recording, number: int, folder: Path) -> None:
    if recording.labels == "cholect50":
        write_json(folder / "cholect50" / f"{recording.name}.json", labels.cholect50(recording, number))
    if recording.labels == "cholec80":
        write_text(folder / "cholec80" / f"{recording.name}-phase.txt", labels.cholec80_phases(recording))
        write_text(folder / "cholec80" / f"{recording.name}-tool.txt", labels.cholec80_tools(recording))
        for name, content in labels.labelme(recording):
            write_json(folder / "labelme" / recording.name / name, content)
    if recording.labels == "coco":
        write_json(folder / "coco" / f"{recording.name}.json", labels.coco(recording))
    if recording.criteria:
        write_text(folder / "cvschallenge" / recording.name / "frame.csv", labels.criteria_sheet(recording))
