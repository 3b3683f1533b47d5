"""How often a table is searched row by row: a search in a loop is slow only where there are many recordings, and wrong nowhere."""

import pandas as pd


def compared(monkeypatch, rows: int) -> list[int]:
    """Return a list that gets an entry each time when a column of at least so many rows is held against a value."""
    equal, seen = pd.Series.__eq__, []

    def counted(column, value):
        if len(column) >= rows:
            seen.append(len(column))
        return equal(column, value)

    monkeypatch.setattr(pd.Series, "__eq__", counted)
    return seen
