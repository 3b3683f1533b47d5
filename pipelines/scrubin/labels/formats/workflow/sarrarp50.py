"""SAR-RARP50 actions: ``<video>/action_discrete.txt``, a line ``frame,action`` for every sixth frame of a video of 60 per second.

Frames are those of the video, from 0, padded with zeros to nine digits in predictions; the published labels are at 10 per second.
A frame has one action, 0 is none of the seven: they are read as phases, so that everything for phases works. The video is called
like the folder. Labels of other rates than every sixth frame are read as they stand.
"""

from __future__ import annotations

from fractions import Fraction

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.labels import registry
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, phase_of
from scrubin.labels.parse import numbered_lines
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, label_format, writes

NAME = "sarrarp50"
FILE = "action_discrete.txt"
FPS = Fraction(60)
EXAMPLE = "000000006,1"


@label_format(
    NAME,
    pattern=r"(?P<recording>[^/]+)/action_discrete\.txt",
    expected="<video>/action_discrete.txt",
    title="SAR-RARP50 actions: a line per labelled frame of 60 per second",
    by_hand=ByHand(vocabulary=NAME, fps=FPS, evidence=registry.named, beside=r"action_continues\.txt|categories\.txt"),
)
def read(source: LabelFiles) -> Labels:
    """Return the actions of a video as phases.

    Raises
    ------
    AnnotationError
        With every fault of the file, each with its line.
    """
    ((file, data),) = source.files.items()
    faults = Faults()
    phases = numbered_lines.phase_layer(Where(faults, file), data, source.vocabulary, EXAMPLE, every_frame=False)
    AnnotationError.raise_any(faults)
    return Labels(source.recording, NAME, source.vocabulary, SOURCE_FRAMES, phases, faults=faults.all())


@writes(NAME, holds=("phases",), fps=FPS, vocabulary=NAME)
def write(collection: Collection, out: Output) -> None:
    """Write ``<video>/action_discrete.txt``, frames padded as the challenge's own predictions have them."""
    for labels in collection.recordings:
        rows = sorted(phase_of(labels.phases).items())
        out.files[f"{labels.recording}/{FILE}"] = "".join(f"{frame:09d},{phase}\n" for frame, phase in rows).encode()
