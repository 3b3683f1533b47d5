"""The table ``splits``: which recording belongs to which subset, per scheme and fold."""

from collections.abc import Mapping, Sequence

from scrubin.tables.declare import Column, Table

SPLITS = Table(
    "splits",
    "subsets at participant level, per scheme and fold",
    private=False,
    key=("scheme", "fold", "id"),
    columns=(
        Column("scheme", "str", "", "name of the split"),
        Column("fold", "int64", "", "number of the fold, from 0", between=(0, None)),
        Column("subset", "str", "", "subset of the recording"),
        Column("id", "str", "", "released pseudo-English id of the recording"),
    ),
)

SCHEME, FOLDS, LASANA = "<scheme>.csv", "<scheme>.csv with folds", "<Task>_split.csv"
COLUMNS: Mapping[str, Sequence[str]] = {SCHEME: ("id", "task", "subset"), FOLDS: ("fold", "id", "task", "subset"), LASANA: ("id", "split")}
"""The table as CSV: of each kind of file its columns in their order."""
DELIMITERS = {SCHEME: ",", FOLDS: ",", LASANA: ";"}
