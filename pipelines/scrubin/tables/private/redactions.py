"""The table ``redactions``: spans and rectangles that could identify a person, and what people decided about them."""

from scrubin.tables.declare import Column, Table

REDACTIONS = Table(
    "redactions",
    "what was proposed or decided to be hidden, in source time from the first frame",
    private=True,
    key=("recording", "camera", "start_s", "end_s", "kind", "source", "x", "y", "w", "h"),
    columns=(
        Column("recording", "str", "", "the curator's name of the recording"),
        Column("camera", "str", "", "left or right of a stereo pair, or mono", values=("left", "right", "mono")),
        Column("kind", "str", "", "what it is", values=("out_of_body", "black", "frozen", "text", "other")),
        Column("start_s", "float64", "s", "first hidden instant, from the first frame", between=(0, None)),
        Column("end_s", "float64", "s", "first instant no longer hidden", between=(0, None)),
        Column("x", "int64", "px", "left edge of the hidden rectangle", null="the whole frame", between=(0, None)),
        Column("y", "int64", "px", "top edge of the hidden rectangle", null="the whole frame", between=(0, None)),
        Column("w", "int64", "px", "width of the hidden rectangle", null="the whole frame", between=(1, None)),
        Column("h", "int64", "px", "height of the hidden rectangle", null="the whole frame", between=(1, None)),
        Column("score", "float64", "", "how sure the detector is", null="proposed by a person", between=(0, 1)),
        Column("faces", "int64", "", "most faces seen in one of its frames", null="not looked for", between=(0, None)),
        Column("text", "str", "", "what was read there", null="no text", between=None),
        Column(
            "source",
            "str",
            "",
            "who proposed it; pair: it is hidden in the other camera; sheet: redactions.csv, not imported",
            values=(
                "scene",
                "unknown_scene",
                "inset",
                "appearance",
                "face",
                "black",
                "frozen",
                "text",
                "header",
                "onnx",
                "seam",
                "curator",
                "pair",
                "gap",
                "sheet",
            ),
        ),
        Column("decision", "str", "", "what people decided about it", values=("accepted", "rejected", "unreviewed")),
        Column("accepted", "bool", "", "whether it is hidden in the release"),
    ),
)
