"""Rows as the text of a CSV, the same on every machine: lines end as on Unix, quotes stand where a cell needs them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def csv_of(rows: Iterable[Sequence[object]], delimiter: str = ",", *, all_quoted: bool = False) -> str:
    r"""Return rows, the header among them, as the text of a CSV.

    >>> csv_of([("id", "note"), ("a", 'he said "no", twice'), ("b", None)])
    'id,note\na,"he said ""no"", twice"\nb,\n'
    """
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL).writerows(rows)
    return text.getvalue()
