"""The table ``ratings``: one row per recording, rater and rated aspect, as given."""

from scrubin.tables.declare import Column, Table

RATINGS = Table(
    "ratings",
    "raw scores as the raters gave them",
    private=False,
    key=("task", "id", "rater", "aspect"),
    columns=(
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column("task", "str", "", "training task or kind of procedure"),
        Column("rater", "str", "", "which rater, a number without meaning"),
        Column("aspect", "str", "", "rated aspect; GRS is their sum"),
        Column("score", "float64", "points", "score as given", null="failed, or this aspect was not rated: then GRS, too"),
        Column("failed", "bool", "", "whether the rater marked the recording as failed"),
    ),
)
