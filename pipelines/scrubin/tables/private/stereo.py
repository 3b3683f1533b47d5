"""The table ``stereo``: whether both cameras of each released recording fit each other and their calibration."""

from scrubin.tables.declare import Column, Table

STEREO = Table(
    "stereo",
    "what both cameras of a released stereo recording say of their calibration, their order and their time",
    private=True,
    key=("id",),
    columns=(
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column("rig", "str", "", "the released calibration, such as rig_1", null="its rig is not known, or its calibration does not fit"),
        Column("matches", "int64", "", "points that both cameras see, in all pairs that were looked at", between=(0, None)),
        Column("offset_px", "float64", "px", "median row of the right picture less that of the left one, rectified", null="not known"),
        Column("p95_px", "float64", "px", "95th percentile of its size", null="not known", between=(0, None)),
        Column("lag_frames", "float64", "frames", "by how much the right camera is behind", null="it cannot be told"),
        Column("lag_error_frames", "float64", "frames", "how well that is known", null="it cannot be told", between=(0, None)),
        Column("depth_mm", "float64", "mm", "median distance of what both see", null="not known", between=(0, None)),
        Column("error", "str", "", "why its pairs are not to be used", null="nothing is wrong"),
        Column("warning", "str", "", "what somebody should look at", null="nothing is odd"),
        Column("undecided", "str", "", "what could not be told, and why", null="all of it was checked"),
    ),
)
