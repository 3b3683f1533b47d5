"""The table ``spans``: one row per run of frames in which an instrument does one thing."""

from scrubin.tables.declare import Column, Table

SPANS = Table(
    "spans",
    "runs of consecutive labelled frames with the same instrument instance, verb and target",
    private=False,
    key=("id", "instrument", "instance", "start_frame"),
    columns=(
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column("instance", "int64", "", "number of the instance of this instrument, from 0", between=(0, None)),
        Column("start_frame", "int64", "", "first frame of the span", between=(0, None)),
        Column("end_frame", "int64", "", "first frame after the span", between=(1, None)),
        Column("vocabulary", "str", "", "vocabulary of the names"),
        Column("instrument", "str", "", "instrument"),
        Column("verb", "str", "", "verb", null="not labelled"),
        Column("target", "str", "", "target", null="not labelled"),
    ),
)
