"""The table ``labelled``: which frames somebody looked at, also where there was nothing to label."""

from typing import Literal, get_args

from scrubin.tables.declare import Column, Table

LayerName = Literal["instances", "phases"]

LABELLED = Table(
    "labelled",
    "frames that somebody labelled, by layer: one without a row in triplets shows no instrument; a frame that is not here is unknown",
    private=False,
    key=("id", "layer", "frame"),
    columns=(
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column(
            "layer",
            "str",
            "",
            "what was labelled: instances of instruments (rows of triplets), or the phase (rows of phases)",
            values=get_args(LayerName),
        ),
        Column("frame", "int64", "", "number of the extracted frame, from 0", between=(0, None)),
        Column("vocabulary", "str", "", "vocabulary of the names and ids; one per recording and layer"),
        Column(
            "detail",
            "str",
            "",
            "what was labelled of each instance: the triplet, or the instrument only; one per recording",
            null="the layer is phases",
            values=("triplet", "instrument"),
        ),
    ),
)
