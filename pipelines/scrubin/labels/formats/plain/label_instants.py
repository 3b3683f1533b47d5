"""Triplets of sampled frames in the files of `scrubin label`: one item per labelled frame, with all that is in view there.

``triplets`` has ``frame``, of the source, and its own ``triplets``: ``label`` (the instrument), and ``verb`` and ``target`` where these are
labelled. An empty list says that nothing is in view; a frame that is not there was not labelled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.model import BOX, INSTANCE_COLUMNS, INSTANCE_DTYPES, Layer
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where

LIST = "triplets"
BESIDE = ("actions", "boxes", "points")
"""Lists of the instances of all frames: one file has them or sampled frames."""


def as_item(frame: int, triplets: Sequence[tuple[str, str, str]]) -> dict[str, object]:
    """Return what a file says of a frame.

    >>> as_item(25, [("grasper", "grasp", "gallbladder"), ("hook", "", "")])["triplets"]
    [{'label': 'grasper', 'verb': 'grasp', 'target': 'gallbladder'}, {'label': 'hook'}]
    """
    listed = [{"label": label, **({"verb": verb, "target": target} if verb else {})} for label, verb, target in triplets]
    return {"frame": frame, LIST: listed}


def instances(where: Where, document: Mapping[str, Any], frames: int, vocabulary: Vocabulary) -> Layer:
    """Return the instances of the labelled frames, and of no other.

    Parameters
    ----------
    where
        Takes what is wrong.
    frames
        Of the source.
    """
    for key in BESIDE:
        if key in document:
            what = f"it has '{LIST}', which says what is in view in sampled frames, and '{key}', which says it of all"
            where.error("lists-differ", what, "keep one of the two, or make two files")
    found: dict[int, list[dict[str, Any]]] = {}
    for at, item in enumerate(fields.list_of_objects(where, document, LIST)):
        place = where.at(f"{LIST} {at}")
        frame = fields.whole(place, item, "frame", high=frames - 1)
        rows = [ids for one in fields.list_of_objects(place, item, LIST) if (ids := ids_of(place, one, vocabulary)) is not None]
        if frame is None:
            continue
        if frame in found:
            place.error("frame-repeated", f"frame {frame} is there twice", "keep one of them")
        if len({tuple(sorted(ids.items())) for ids in rows}) < len(rows):
            place.error("triplet-repeated", f"frame {frame} has one triplet twice", "say it once")
        found[frame] = rows
    rows_of = [{"position": frame, **ids, "score": 1.0} for frame, rows in sorted(found.items()) for ids in rows]
    table = pd.DataFrame(rows_of, columns=list(INSTANCE_COLUMNS)).assign(**dict.fromkeys(BOX, np.nan))
    return Layer(where.file, np.array(sorted(found), np.int64), table[list(INSTANCE_COLUMNS)].astype(INSTANCE_DTYPES), boxless=True)


def ids_of(where: Where, one: Mapping[str, Any], vocabulary: Vocabulary) -> dict[str, int] | None:
    """Return the columns of an instance by its label, verb and target; None after noting what is wrong."""
    stated = ["" if one.get(key) is None else one[key] for key in ("label", "verb", "target")]
    if not all(isinstance(name, str) for name in stated) or not stated[0]:
        where.error("value-type", f"it is {documents.shown(one)}, expected label, verb and target as names", "name them")
        return None
    if bool(stated[1]) != bool(stated[2]):
        where.error("cell-empty", f"there is no {'verb' if stated[2] else 'target'}", "name it, or leave verb and target out")
        return None
    return where.ids_of_names(vocabulary, stated if stated[1] else stated[:1])
