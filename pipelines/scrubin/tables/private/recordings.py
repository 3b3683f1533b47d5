"""The table ``recordings``: one row per video file of the raw study, with what is in it."""

from scrubin.tables.declare import Column, Table

RECORDINGS = Table(
    "recordings",
    "every video file named in the manifest, what it holds, and whether it is kept",
    private=True,
    key=("recording", "camera"),
    columns=(
        Column("recording", "str", "", "the curator's name of the recording"),
        Column("participant", "str", "", "who performed; for a procedure, the patient"),
        Column("trial", "str", "", "which session of the participant", null="not a training recording"),
        Column("site", "str", "", "where it was recorded", null="not stated"),
        Column("task", "str", "", "training task or kind of procedure"),
        Column("camera", "str", "", "left or right of a stereo pair, or mono", values=("left", "right", "mono")),
        Column("path", "str", "", "file, relative to the raw folder"),
        Column("sha256", "str", "", "SHA-256 of the file", null="the file cannot be read"),
        Column("container", "str", "", "container format", null="not a video"),
        Column("codec", "str", "", "video codec", null="not a video"),
        Column("width", "int64", "px", "width as displayed", null="not a video", between=(1, None)),
        Column("height", "int64", "px", "height as displayed", null="not a video", between=(1, None)),
        Column("rotation_deg", "int64", "degree", "clockwise rotation that players apply", null="not a video"),
        Column("fps", "str", "1/s", "frame rate as an exact fraction such as 30000/1001", null="not a video"),
        Column("variable_rate", "bool", "", "whether the time between frames varies", null="not a video"),
        Column("frame_count", "int64", "frames", "frames that have a time", null="not a video", between=(1, None)),
        Column("duration_s", "float64", "s", "from the first frame to the end of the last", null="not a video", between=(0, None)),
        Column("has_audio", "bool", "", "whether there is an audio stream", null="not a video"),
        Column("start_s", "float64", "s", "first kept instant, from the first frame", null="not usable", between=(0, None)),
        Column("end_s", "float64", "s", "first instant no longer kept", null="not usable", between=(0, None)),
        Column("status", "str", "", "what happens to it", values=("kept", "excluded", "quarantined")),
        Column("reason", "str", "", "why it is not kept, or what was changed", null="kept as it is"),
        Column("mend", "str", "", "what the curator can do", null="nothing to do"),
    ),
)
