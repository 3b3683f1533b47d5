"""The table ``videos``: one row per released video file."""

from scrubin.tables.declare import Column, Table

VIDEOS = Table(
    "videos",
    "every released video file",
    private=False,
    key=("id", "camera"),
    columns=(
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column("task", "str", "", "training task or kind of procedure"),
        Column("camera", "str", "", "left or right of a stereo pair, or mono", values=("left", "right", "mono")),
        Column("path", "str", "", "file, relative to the release folder"),
        Column("width", "int64", "px", "width", between=(1, None)),
        Column("height", "int64", "px", "height", between=(1, None)),
        Column("fps", "str", "1/s", "frame rate as an exact fraction; the average where it varies"),
        Column("variable_rate", "bool", "", "whether the time between frames varies"),
        Column("frame_count", "int64", "frames", "number of frames", between=(1, None)),
        Column("duration_s", "float64", "s", "from the first frame to the end of the last", between=(0, None)),
        Column("sha256", "str", "", "SHA-256 of the file"),
    ),
)
