"""The table ``gaps``: where a recorder lost time between two files of a recording."""

from scrubin.tables.declare import Column, Table

GAPS = Table(
    "gaps",
    "times of a released video of which no frame was recorded",
    private=False,
    key=("id", "camera", "last_frame"),
    columns=(
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column("camera", "str", "", "left or right of a stereo pair, or mono", values=("left", "right", "mono")),
        Column("last_frame", "int64", "frames", "frame of the released video after which it begins, from 0", between=(0, None)),
        Column("gap_s", "float64", "s", "time without a frame after this one has ended", between=(0, None)),
    ),
)
