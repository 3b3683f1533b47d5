"""The table ``frames``: one row per extracted frame."""

from scrubin.tables.declare import Column, Table

FRAMES = Table(
    "frames",
    "every extracted frame: frame k is the first frame of the released video at or after k / rate; "
    "its quality is measured in the video's full size, also where the file is smaller",
    private=False,
    key=("id", "camera", "frame"),
    columns=(
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column("camera", "str", "", "left or right of a stereo pair, or mono", values=("left", "right", "mono")),
        Column("frame", "int64", "", "number of the extracted frame, from 0", between=(0, None)),
        Column("source_frame", "int64", "frames", "its number in the released video, from 0", between=(0, None)),
        Column("time_s", "float64", "s", "its true time in the released video", between=(0, None)),
        Column(
            "path",
            "str",
            "",
            "file, relative to the release folder; <id>.tar/<number>.jpg is a member of that tar",
            null="dropped: the frame has no file",
        ),
        Column("width", "int64", "px", "of the extracted picture", between=(1, None)),
        Column("height", "int64", "px", "of the extracted picture", between=(1, None)),
        Column("redacted", "bool", "", "whether the whole frame is hidden (black)"),
        Column("dropped", "bool", "", "whether it is too poor to be used, or lies in a gap, and has no file; its number stays its own"),
        Column("dropped_why", "str", "", "the threshold that it is beyond, with its value; or the gap", null="kept"),
        Column("sharpness", "float64", "", "variance of the Laplacian of the grey image", between=(0, None)),
        Column("brightness", "float64", "", "mean of the grey image", between=(0, 255)),
        Column("contrast", "float64", "", "standard deviation of the grey image", between=(0, None)),
        Column("saturated_share", "float64", "", "share of pixels that are almost black or almost white", between=(0, 1)),
        Column(
            "difference", "float64", "", "mean absolute difference to the previous extracted frame", null="first frame", between=(0, 255)
        ),
        Column("perceptual_hash", "str", "", "64-bit difference hash of the grey image, 16 hex digits"),
    ),
)
