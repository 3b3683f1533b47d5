"""M2CAI 2016 workflow challenge: ``workflow_video_NN.txt``, a phase by name per source frame at 25 fps, from 0.

The files are those of Cholec80 but for their names and one phase more, TrocarPlacement. Predictions of the challenge
end in ``_pred.txt``; the videos of its test set begin with ``test_``. The recording is called like the file; others
than the challenge's without ``workflow_video_``.
"""

from __future__ import annotations

import re
from pathlib import Path

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.labels import registry
from scrubin.labels.formats.workflow.cholec80 import FPS, numbers_phases, phase_layer, phase_text
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels
from scrubin.labels.parse import video_files
from scrubin.labels.registry import ByHand, Output, label_format, writes

PREFIX = "workflow_video_"
PATTERN = rf"(?:{PREFIX}(?![0-9]))?(?P<recording>(?:test_)?{PREFIX}[0-9]+|(?<={PREFIX})[^/0-9][^/]*?)(?:_pred)?\.txt"


def _has_phases(path: Path) -> bool:
    return numbers_phases(registry.head(path))


@label_format(
    "m2cai",
    pattern=PATTERN,
    expected=f"{PREFIX}<number>.txt",
    title="M2CAI workflow txt: a phase per frame at 25 fps",
    by_hand=ByHand(vocabulary="m2cai", fps=FPS, evidence=_has_phases),
)
def read(source: LabelFiles) -> Labels:
    """Return the phases of a recording.

    Raises
    ------
    AnnotationError
        With every fault of the file.
    """
    faults = Faults()
    phases = phase_layer(video_files.only(source, faults, "keep labels and predictions in folders of their own"), source)
    AnnotationError.raise_any(faults)
    return Labels(source.recording, "m2cai", source.vocabulary, SOURCE_FRAMES, phases, faults=faults.all())


_PATTERN = re.compile(PATTERN)


def _name_of(recording: str) -> str:
    """Return the name of the file that is read as a recording; where there is none, of one that the challenge numbers alike."""
    names = [f"{prefix}{recording}.txt" for prefix in ("", PREFIX)]
    read_as = {name: match["recording"] for name in names if (match := _PATTERN.fullmatch(name))}
    return next((name for name, one in read_as.items() if one == recording), names[1] if names[1] in read_as else "")


@writes("m2cai", holds=("phases",), fps=FPS, vocabulary="m2cai", every_frame=True)
def write(collection: Collection, out: Output) -> None:
    """Write ``workflow_video_NN.txt``, or ``workflow_video_<recording>.txt``.

    The challenge calls recordings like their files, so that ``07`` comes back as ``workflow_video_07``: this is noted.

    Raises
    ------
    AnnotationError
        For a name that no file of the format can have, or two that would have the same.
    """
    faults = Faults()
    for labels in collection.recordings:
        if labels.phases is None:
            continue
        name = _name_of(labels.recording)
        if not name:
            what = f"no file of the format is read as '{labels.recording}': it calls files {PREFIX}<number>, or {PREFIX}<name>"
            faults.error(labels.recording, "file-name", what, "rename the recording, such as to a number")
        elif name in out.files:
            faults.error(labels.recording, "file-name", f"another recording is written as {name}, too", "rename one of them")
        else:
            out.files[name] = phase_text(labels, out).encode()
            match = _PATTERN.fullmatch(name)
            if match is not None and match["recording"] != labels.recording:
                out.notes.append(f"m2cai: '{labels.recording}' is written as {name}, and is read back as '{match['recording']}'")
    AnnotationError.raise_any(faults)
