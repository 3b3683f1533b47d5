"""The table ``cuts``: how the time of a released video follows from the time of its source."""

from scrubin.tables.declare import Column, Table

CUTS = Table(
    "cuts",
    "per rendered video: released time 0 is source time offset_s, and so on exactly",
    private=True,
    key=("recording", "camera"),
    columns=(
        Column("recording", "str", "", "the curator's name of the recording"),
        Column("camera", "str", "", "left or right of a stereo pair, or mono", values=("left", "right", "mono")),
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column("offset_s", "str", "s", "source time of the first released frame, an exact fraction, from the first source frame"),
        Column("first_source_frame", "int64", "frames", "source number of the first released frame", between=(0, None)),
        Column("frame_count", "int64", "frames", "number of released frames", between=(1, None)),
        Column("source_width", "int64", "px", "width of the source as displayed", between=(1, None)),
        Column("source_height", "int64", "px", "height of the source as displayed", between=(1, None)),
        Column("mode", "str", "", "smart: only touched groups of pictures were encoded again; reencode: all", values=("smart", "reencode")),
        Column("copied_frames", "int64", "frames", "number of released frames that were copied bit for bit", between=(0, None)),
        Column("left_behind", "str", "", "elements of the source's DICOM header by group, such as 0010:12 0018:30", null="it has none"),
        Column("why", "str", "", "why nothing was copied", null="something was copied"),
    ),
)
