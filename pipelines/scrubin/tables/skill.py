"""The table ``skill``: one row per rated recording: normalised and aggregated scores."""

from scrubin.tables.declare import Column, Table


def skill(aspects: tuple[str, ...]) -> Table:
    """Return the declaration for a study that rates these aspects.

    The total ``GRS`` stands before the aspects, each an aggregated normalised score without
    unit; undefined means that fewer than the required number of raters have a defined score of it.
    """
    scores = tuple(
        Column(name, "float64", "sd", f"aggregated normalised score: {name}", null="too few ratings") for name in ("GRS", *aspects)
    )
    return Table(
        "skill",
        "skill per recording: z-score per rater, failed = a fixed low GRS, mean over raters",
        private=False,
        key=("task", "id"),
        columns=(
            Column("id", "str", "", "released pseudo-English id of the recording"),
            Column("task", "str", "", "training task or kind of procedure"),
            *scores,
            Column("n_ratings", "int64", "", "number of raters whose GRS entered the mean", between=(0, None)),
            Column(
                "disagreement",
                "float64",
                "sd",
                "mean absolute deviation of the raters from the GRS",
                null="too few ratings",
                between=(0, None),
            ),
            Column(
                "strong_disagreement", "bool", "", "whether the disagreement is beyond the percentile of the task", null="too few ratings"
            ),
        ),
    )
