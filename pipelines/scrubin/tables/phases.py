"""The table ``phases``: one row per frame with a phase label."""

from scrubin.tables.declare import Column, Table

PHASES = Table(
    "phases",
    "one surgical phase per labelled frame",
    private=False,
    key=("id", "frame"),
    columns=(
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column("frame", "int64", "", "number of the extracted frame, from 0", between=(0, None)),
        Column("vocabulary", "str", "", "vocabulary of the names and ids"),
        Column("phase", "str", "", "phase"),
        Column("phase_id", "int64", "", "id in the vocabulary, from 0", between=(0, None)),
    ),
)
