"""The table ``hidden``: what is black in the released videos."""

from scrubin.tables.declare import Column, Table

HIDDEN = Table(
    "hidden",
    "spans and rectangles that are black in a released video, in its own frame numbers",
    private=True,
    key=("id", "camera", "first_frame", "last_frame", "x", "y", "w", "h"),
    columns=(
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column("camera", "str", "", "left or right of a stereo pair, or mono", values=("left", "right", "mono")),
        Column("first_frame", "int64", "frames", "first hidden frame of the released video", between=(0, None)),
        Column("last_frame", "int64", "frames", "last hidden frame of the released video", between=(0, None)),
        Column("x", "int64", "px", "left edge of the hidden rectangle", null="the whole frame", between=(0, None)),
        Column("y", "int64", "px", "top edge of the hidden rectangle", null="the whole frame", between=(0, None)),
        Column("w", "int64", "px", "width of the hidden rectangle", null="the whole frame", between=(1, None)),
        Column("h", "int64", "px", "height of the hidden rectangle", null="the whole frame", between=(1, None)),
    ),
)
