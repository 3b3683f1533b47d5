"""HeiChole: the phases or the instruments of every frame of a video, a line per frame, without a header.

``<video>_Annotation_Phase.csv`` has lines ``frame,phase``; the phases are the seven of Cholec80 with the same ids. In
``<video>_Annotation_Instrument.csv`` (``heichole-instruments``) 21 numbers follow the frame, 1 where something of that category is in view:
0 to 6 are the categories, 20 is a shaft of which nobody can say what it is, 7 to 19 are of nothing and always 0. Presence is an instrument
without verb, target or box.

Frames are those of the video, from 0. Some videos have 25 frames per second and others 50, which no file of labels says: it is asked for
(``--fps``), and videos of different rates are converted one by one. Two public loaders say which: 50 of videos 16 to 20, 23 and 24. In
one folder the phases come first. The table of skill beside them is a format of its own (``heichole-skill``); those of actions and of the
21 kinds of instruments (``_Instrument_Detailed.csv``) are not read. Source of the instruments: loaders and lists of four public
repositories; some count other columns, and their names do not fit the videos.
"""

from __future__ import annotations

import numpy as np

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.labels import registry
from scrubin.labels.formats.workflow.cholec80 import note_unlabelled
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, by_position, instance_rows, phase_of
from scrubin.labels.parse import numbered_lines, video_files
from scrubin.labels.registry import ByHand, Output, label_format, writes

NAME = "heichole"
SUFFIX = "_Annotation_Phase.csv"
BESIDE = r"[^/]+_(?i:annotation_action)\.csv"
EXAMPLE = "0,0"
INSTRUMENTS = "heichole-instruments"
INSTRUMENTS_SUFFIX = "_Annotation_Instrument.csv"
COLUMNS = 21
ID_OF = {**{column: column for column in range(7)}, 20: 7}
"""By column, from 0 after the frame, the id in the vocabulary ``heichole``."""
COLUMN_OF = {id_: column for column, id_ in ID_OF.items()}
INSTRUMENTS_EXAMPLE = f"0,{','.join(['0'] * COLUMNS)}"


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


@label_format(
    INSTRUMENTS,
    pattern=r"(?P<recording>[^/]+)_(?i:annotation_instrument)\.csv",
    expected=f"<video>{INSTRUMENTS_SUFFIX}",
    title="HeiChole instruments: a line per frame of the video, at its rate, with the categories in view",
    by_hand=ByHand(vocabulary="heichole", fps_unstated=True, evidence=registry.named, beside=BESIDE),
)
def read_instruments(source: LabelFiles) -> Labels:
    """Return the categories in view of each frame.

    Raises
    ------
    AnnotationError
        With every fault of the file, each with its line.
    """
    faults = Faults()
    where, frames, instances = video_files.only(source, faults), [], []
    for number, (frame, *cells) in numbered_lines.rows(where, source.files[where.file], INSTRUMENTS_EXAMPLE, COLUMNS):
        frames.append(frame)
        for column, cell in enumerate(cells):
            if cell > 1:
                where.at(f"line {number}").error("zero-or-one", f"category {column} is {cell}, expected 0 or 1", "1 means in view")
            elif cell and column not in ID_OF:
                what = f"category {column} is 1, and there is none of that number"
                where.at(f"line {number}").error("id-range", what, "categories are 0 to 6, and 20 for an undefined shaft")
            elif cell:
                instances.append({"position": frame, "instrument_id": ID_OF[column]})
    numbered_lines.note_gaps(where, frames)
    AnnotationError.raise_any(faults)
    layer = Layer(where.file, np.array(frames, np.int64), instance_rows(instances), every_frame=True)
    return Labels(
        source.recording, INSTRUMENTS, source.vocabulary, SOURCE_FRAMES, instances=layer, detail="instrument", faults=faults.all()
    )


@writes(INSTRUMENTS, holds=("instances", "boxless", "partial", "empty frames"), vocabulary="heichole")
def write_instruments(collection: Collection, out: Output) -> None:
    """Write ``<video>_Annotation_Instrument.csv``."""
    for labels in collection.recordings:
        lines = []
        for frame, rows in sorted(by_position(labels.instances).items()):
            seen = {COLUMN_OF[row["instrument_id"]] for row in rows}
            lines.append(",".join([str(frame), *("1" if column in seen else "0" for column in range(COLUMNS))]))
        out.files[f"{labels.recording}{INSTRUMENTS_SUFFIX}"] = "".join(f"{line}\n" for line in lines).encode()
