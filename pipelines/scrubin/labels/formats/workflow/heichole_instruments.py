"""HeiChole instruments: ``<video>_Annotation_Instrument.csv``, a line ``frame,0,1,...`` for every frame of the video, without a header.

After the frame, from 0, there are 21 numbers, 1 where something of that category is in view: 0 to 6 are the categories, 20 is a shaft of
which nobody can say what it is, 7 to 19 are of nothing and always 0. Presence is an instrument without verb, target or box. As of phases,
no file states the rate: 50 per second of videos 16 to 20, 23 and 24, else 25. The 21 kinds of instruments (``_Instrument_Detailed.csv``)
and the actions beside them are not read. Source: loaders and lists of four public repositories; some count other columns, and
their names do not fit the videos.
"""

from __future__ import annotations

import numpy as np

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.labels import registry
from scrubin.labels.formats.workflow.heichole import BESIDE
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, by_position, instance_rows
from scrubin.labels.parse import numbered_lines, video_files
from scrubin.labels.registry import ByHand, Output, label_format, writes

NAME = "heichole-instruments"
SUFFIX = "_Annotation_Instrument.csv"
COLUMNS = 21
ID_OF = {**{column: column for column in range(7)}, 20: 7}
"""By column, from 0 after the frame, the id in the vocabulary ``heichole``."""
COLUMN_OF = {id_: column for column, id_ in ID_OF.items()}
EXAMPLE = f"0,{','.join(['0'] * COLUMNS)}"


@label_format(
    NAME,
    pattern=r"(?P<recording>[^/]+)_(?i:annotation_instrument)\.csv",
    expected=f"<video>{SUFFIX}",
    title="HeiChole instruments: a line per frame of the video, at its rate, with the categories in view",
    by_hand=ByHand(vocabulary="heichole", fps_unstated=True, evidence=registry.named, beside=BESIDE),
)
def read(source: LabelFiles) -> Labels:
    """Return the categories in view of each frame.

    Raises
    ------
    AnnotationError
        With every fault of the file, each with its line.
    """
    faults = Faults()
    where, frames, instances = video_files.only(source, faults), [], []
    for number, (frame, *cells) in numbered_lines.rows(where, source.files[where.file], EXAMPLE, COLUMNS):
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
    return Labels(source.recording, NAME, source.vocabulary, SOURCE_FRAMES, instances=layer, detail="instrument", faults=faults.all())


@writes(NAME, holds=("instances", "boxless", "partial", "empty frames"), vocabulary="heichole")
def write(collection: Collection, out: Output) -> None:
    """Write ``<video>_Annotation_Instrument.csv``."""
    for labels in collection.recordings:
        lines = []
        for frame, rows in sorted(by_position(labels.instances).items()):
            seen = {COLUMN_OF[row["instrument_id"]] for row in rows}
            lines.append(",".join([str(frame), *("1" if column in seen else "0" for column in range(COLUMNS))]))
        out.files[f"{labels.recording}{SUFFIX}"] = "".join(f"{line}\n" for line in lines).encode()
