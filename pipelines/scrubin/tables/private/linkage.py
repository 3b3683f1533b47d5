"""The table ``linkage``: which released id stands for which recording."""

from scrubin.tables.declare import Column, Table

LINKAGE = Table(
    "linkage",
    "the only place that ties released ids to recordings",
    private=True,
    key=("recording",),
    columns=(
        Column("recording", "str", "", "the curator's name of the recording"),
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column(
            "draw",
            "int64",
            "",
            "keyed uniform number, 0 to 2^63 - 1: decides how much of the end is trimmed",
            between=(0, None),
        ),
    ),
)
