"""The name that was probably meant: "did you mean ...", said in one way everywhere."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def near(name: str, known: Iterable[str], similarity: float = 0.6) -> str | None:
    """Return the known name that is most like a name, small and capital letters alike; None when none is.

    Parameters
    ----------
    name, known
        What was written, and what could have been meant.
    similarity
        How like they must be, from 0 to 1: more where all names are alike, as ids are.

    >>> near("evry_s", ["every_s", "fps"]), near("grs", ["GRS"]), near("x", ["every_s"])
    ('every_s', 'GRS', None)
    """
    by_folded = {one.casefold(): one for one in sorted(known, reverse=True)}
    close = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=similarity)
    return by_folded[close[0]] if close else None


def hint(name: str, known: Iterable[str]) -> str:
    """Return what to say of an unknown name: the near miss, else all names there are.

    >>> hint("evry_s", ["every_s", "fps"]), hint("x", ["every_s", "fps"])
    ("did you mean 'every_s'?", 'known are every_s, fps')
    """
    names = list(known)
    close = near(name, names)
    return f"did you mean '{close}'?" if close else f"known are {', '.join(names)}"
