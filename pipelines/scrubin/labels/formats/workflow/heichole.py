"""HeiChole phases: ``<video>_Annotation_Phase.csv``, a line ``frame,phase`` for every frame of the video, without a header.

Frames are those of the video, from 0; the phases are the seven of Cholec80 with the same ids. Some videos have 25 frames per second
and others 50, which no file of labels says: it is asked for (``--fps``), and videos of different rates are converted one by one. Two
public loaders say which: 50 of videos 16 to 20, 23 and 24. The tables of instruments and skill beside them are formats of their own
(``heichole-instruments``, ``heichole-skill``): in one folder the phases come first. Those of actions are not read.
"""

from __future__ import annotations

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.labels import registry
from scrubin.labels.formats.workflow.cholec80 import note_unlabelled
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, phase_of
from scrubin.labels.parse import numbered_lines, video_files
from scrubin.labels.registry import ByHand, Output, label_format, writes

NAME = "heichole"
SUFFIX = "_Annotation_Phase.csv"
BESIDE = r"[^/]+_(?i:annotation_action)\.csv"
EXAMPLE = "0,0"


@label_format(
    NAME,
    pattern=r"(?P<recording>[^/]+)_(?i:annotation_phase)\.csv",
    expected=f"<video>{SUFFIX}",
    title="HeiChole phases: a line per frame of the video, at its rate",
    by_hand=ByHand(vocabulary="cholec80", fps_unstated=True, evidence=registry.named, beside=BESIDE, precedence=0),
)
def read(source: LabelFiles) -> Labels:
    """Return the phases of a video.

    Raises
    ------
    AnnotationError
        With every fault of the file, each with its line.
    """
    faults = Faults()
    where = video_files.only(source, faults)
    phases = numbered_lines.phase_layer(where, source.files[where.file], source.vocabulary, EXAMPLE, every_frame=True)
    AnnotationError.raise_any(faults)
    return Labels(source.recording, NAME, source.vocabulary, SOURCE_FRAMES, phases, faults=faults.all())


@writes(NAME, holds=("phases",), vocabulary="cholec80", every_frame=True)
def write(collection: Collection, out: Output) -> None:
    """Write ``<video>_Annotation_Phase.csv``; that some frames have no line is noted."""
    for labels in collection.recordings:
        rows = sorted(phase_of(labels.phases).items())
        note_unlabelled(
            labels.recording, [frame for frame, _ in rows], out, "files of this format have a line for every frame, so label these, too"
        )
        out.files[f"{labels.recording}{SUFFIX}"] = "".join(f"{frame},{phase}\n" for frame, phase in rows).encode()
