"""Names of configurations and splits by Hugging Face's rules; a name stays what it is wherever the rules let it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scrubin.core.errors import ReleaseError

SPLIT = re.compile(r"\w+(\.\w+)*", re.ASCII)
RESERVED = "all"
"""Asks `load_dataset` for all splits."""
MOST_SPLITS = 32


def split_names(subsets: Iterable[str], config: str) -> dict[str, str]:
    """Return the split of each subset.

    A split may hold letters, digits, underscores and single dots between them; every other sign becomes an underscore.

    Raises
    ------
    ReleaseError
        When two subsets would have one name, or a configuration more than 32 splits.

    >>> split_names(["train", "in-domain test"], "frames_balanced")
    {'train': 'train', 'in-domain test': 'in_domain_test'}
    """
    names = {subset: _safe(subset) for subset in subsets}
    if len(set(names.values())) < len(names):
        msg = f"the subsets {', '.join(sorted(names))} of '{config}' would share a name on Hugging Face; rename one in the splits"
        raise ReleaseError(msg)
    if len(names) > MOST_SPLITS:
        msg = f"'{config}' has {len(names)} subsets, but Hugging Face reads at most {MOST_SPLITS}; make them folds of a scheme instead"
        raise ReleaseError(msg)
    return names


def _safe(name: str) -> str:
    if SPLIT.fullmatch(name) and name != RESERVED:
        return name
    return ".".join(part for part in re.sub(r"[^\w.]", "_", name, flags=re.ASCII).split(".") if part) + ("_" if name == RESERVED else "")
