"""The table ``triplets``: one row per instrument-verb-target instance in a frame."""

from scrubin.tables.declare import Column, Table

TRIPLETS = Table(
    "triplets",
    "instrument-verb-target labels, with the box of the instrument where there is one",
    private=False,
    key=("id", "frame", "instance"),
    columns=(
        Column("id", "str", "", "released pseudo-English id of the recording"),
        Column("frame", "int64", "", "number of the extracted frame, from 0", between=(0, None)),
        Column("instance", "int64", "", "number of the instance in its frame, from 0", between=(0, None)),
        Column("vocabulary", "str", "", "vocabulary of the names and ids"),
        Column("instrument", "str", "", "instrument", null="not labelled"),
        Column("verb", "str", "", "verb", null="not labelled"),
        Column("target", "str", "", "target", null="not labelled"),
        Column("triplet", "str", "", "instrument,verb,target", null="not a triplet of the vocabulary"),
        Column("instrument_id", "int64", "", "id in the vocabulary, from 0", null="not labelled", between=(0, None)),
        Column("verb_id", "int64", "", "id in the vocabulary, from 0", null="not labelled", between=(0, None)),
        Column("target_id", "int64", "", "id in the vocabulary, from 0", null="not labelled", between=(0, None)),
        Column("triplet_id", "int64", "", "id in the vocabulary, from 0", null="not a triplet of the vocabulary", between=(0, None)),
        Column("x", "float64", "image width", "left edge of the box", null="no box", between=(0, 1)),
        Column("y", "float64", "image height", "top edge of the box", null="no box", between=(0, 1)),
        Column("w", "float64", "image width", "width of the box", null="no box", between=(0, 1)),
        Column("h", "float64", "image height", "height of the box", null="no box", between=(0, 1)),
        Column("score", "float64", "", "confidence; 1 for ground truth", null="not stated", between=(0, 1)),
    ),
)
