"""The table ``rigs``: under which name each calibration of the raw study is released."""

from scrubin.tables.declare import Column, Table

RIGS = Table(
    "rigs",
    "stereo rigs of the released recordings",
    private=True,
    key=("rig",),
    columns=(
        Column("rig", "str", "", "the curator's name of the rig"),
        Column("calibration", "str", "", "the released calibration, such as rig_1", null="no released recording fits it"),
    ),
)
