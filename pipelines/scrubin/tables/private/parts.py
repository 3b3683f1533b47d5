"""The table ``parts``: which files a camera's recording consists of, and how they follow each other."""

from scrubin.tables.declare import Column, Table

PARTS = Table(
    "parts",
    "every readable file of every recording, in order, what of it stands in the file before as well, and what is missing before it",
    private=True,
    key=("recording", "camera", "part"),
    columns=(
        Column("recording", "str", "", "the curator's name of the recording"),
        Column("camera", "str", "", "left or right of a stereo pair, or mono", values=("left", "right", "mono")),
        Column("part", "int64", "", "which file of this camera it is, from 1", between=(1, None)),
        Column("path", "str", "", "file, relative to the raw folder"),
        Column("sha256", "str", "", "SHA-256 of the file"),
        Column(
            "first_frame", "int64", "frames", "its frames before this one end the part before, too, and are left out", between=(0, None)
        ),
        Column("frame_count", "int64", "frames", "its frames that count", between=(1, None)),
        Column("start_s", "str", "s", "when its first frame that counts is shown, from that of the recording, an exact fraction"),
        Column("x", "int64", "px", "left edge of this camera's view in the picture", null="the whole picture", between=(0, None)),
        Column("y", "int64", "px", "top edge of this camera's view in the picture", null="the whole picture", between=(0, None)),
        Column("w", "int64", "px", "width of this camera's view", null="the whole picture", between=(1, None)),
        Column("h", "int64", "px", "height of this camera's view", null="the whole picture", between=(1, None)),
        Column("gap_s", "str", "s", "how much is missing between the part before and it, an exact fraction"),
        Column("doubt", "str", "", "what speaks against that it stands here as it is", null="nothing", between=None),
        Column("doubtful_first", "int64", "frames", "first frame of the recording that is doubtful", null="none", between=(0, None)),
        Column("doubtful_last", "int64", "frames", "last frame of the recording that is doubtful", null="none", between=(0, None)),
    ),
)
