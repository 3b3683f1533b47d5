"""The table ``proposals``: what the detectors would hide, before anybody has decided."""

from scrubin.tables.declare import Column, Table

PROPOSALS = Table(
    "proposals",
    "what the detectors propose to hide, in source time from the first frame",
    private=True,
    key=("recording", "camera", "start_s", "end_s", "kind", "source", "x", "y", "w", "h"),
    columns=(
        Column("recording", "str", "", "the curator's name of the recording"),
        Column("camera", "str", "", "left or right of a stereo pair, or mono", values=("left", "right", "mono")),
        Column("kind", "str", "", "what it is", values=("out_of_body", "black", "frozen", "text", "other")),
        Column("first_frame", "int64", "frames", "first proposed frame of the source", between=(0, None)),
        Column("last_frame", "int64", "frames", "last proposed frame of the source", between=(0, None)),
        Column("start_s", "float64", "s", "first proposed instant, from the first frame", between=(0, None)),
        Column("end_s", "float64", "s", "first instant no longer proposed", between=(0, None)),
        Column("x", "int64", "px", "left edge of the proposed rectangle", null="the whole frame", between=(0, None)),
        Column("y", "int64", "px", "top edge of the proposed rectangle", null="the whole frame", between=(0, None)),
        Column("w", "int64", "px", "width of the proposed rectangle", null="the whole frame", between=(1, None)),
        Column("h", "int64", "px", "height of the proposed rectangle", null="the whole frame", between=(1, None)),
        Column("score", "float64", "", "how sure the detector is", between=(0, 1)),
        Column("faces", "int64", "", "most faces seen in one of its frames", null="not looked for", between=(0, None)),
        Column("text", "str", "", "what was read there", null="no text", between=None),
        Column(
            "source",
            "str",
            "",
            "which detector",
            values=("scene", "unknown_scene", "inset", "appearance", "face", "black", "frozen", "text", "header", "onnx", "seam"),
        ),
        Column("detectors", "str", "", "version of all detectors and their limits"),
    ),
)
