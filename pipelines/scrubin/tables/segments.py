"""The table ``segments``: one row per span of time with a label, in exact units; of converted labels only, no release has it."""

from scrubin.tables.declare import Column, Table

SEGMENTS = Table(
    "segments",
    "spans of time with a phase, step, gesture or mark, as exact as they were labelled; phases by frame stand in the table phases",
    private=False,
    key=("id", "number"),
    columns=(
        Column("id", "str", "", "recording"),
        Column(
            "number",
            "int64",
            "",
            "place among the spans of the recording, from 0; of phases that overlap the later counts",
            between=(0, None),
        ),
        Column("kind", "str", "", "what is labelled", values=("phase", "step", "gesture", "mark")),
        Column("start", "int64", "", "first instant of the span; divided by per_second it is in seconds", between=(0, None)),
        Column("end", "int64", "", "first instant after the span", between=(1, None)),
        Column("per_second", "str", "1/s", "so many instants a second has, such as 1000 or 30000/1001"),
        Column("vocabulary", "str", "", "vocabulary of the names and ids"),
        Column("label", "str", "", "name of the phase, step, gesture or mark"),
        Column("label_id", "int64", "", "id in the vocabulary, from 0", between=(0, None)),
    ),
)
