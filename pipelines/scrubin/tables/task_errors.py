"""The table ``errors``: one row per recording and task-specific error."""

from scrubin.tables.declare import Column, Table

ERRORS = Table(
    "errors",
    "task-specific errors per recording, after harmonising the raters' marks",
    private=False,
    key=("task", "id", "error"),
    columns=(
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column("task", "str", "", "training task or kind of procedure"),
        Column("error", "str", "", "name of the error"),
        Column("occurred", "bool", "", "whether it occurred at least once"),
    ),
)
