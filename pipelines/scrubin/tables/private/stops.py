"""The table ``stops``: stills that somebody must look at beside one of every second."""

from scrubin.tables.declare import Column, Table

STOPS = Table(
    "stops",
    "stills that a person must look at by themselves, at full size, beside one of every second",
    private=True,
    key=("recording", "camera", "frame"),
    columns=(
        Column("recording", "str", "", "the curator's name of the recording"),
        Column("camera", "str", "", "left or right of a stereo pair, or mono", values=("left", "right", "mono")),
        Column("frame", "int64", "frames", "number of the frame in the source", between=(0, None)),
        Column("time_s", "float64", "s", "when it appears, from the first frame", between=(0, None)),
        Column(
            "kind",
            "str",
            "",
            "jump: between two jumps of the picture less than a second apart; scene: for a scene, or five minutes of one",
            values=("jump", "scene"),
        ),
    ),
)
