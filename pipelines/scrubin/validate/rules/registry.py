"""The registry of rules: a rule is a function from the study to one truth value per row.

To add one, write the function in a module of this folder, name it in ``params.Severities`` and
``params.yaml``, and break it once on purpose in a test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from scrubin.validate.study import Study

Find = Callable[[Study, str], "pd.Series[bool]"]
Details = Callable[[Study, str], pd.DataFrame]


@dataclass(frozen=True)
class Rule:
    """One rule.

    Parameters
    ----------
    name
        Its name in ``params.yaml``.
    says
        What holds for every row, as a sentence without a full stop.
    columns
        By table that it is asked of, the columns it speaks about.
    find
        Given the study and such a table, returns for each of its rows whether the rule is broken.
    details
        Returns more columns about the rows, with the index of the table, to be named beside the key; None when there are none.
    """

    name: str
    says: str
    columns: Mapping[str, tuple[str, ...]]
    find: Find
    details: Details | None = None


RULES: dict[str, Rule] = {}


def rule(says: str, **columns: tuple[str, ...]) -> Callable[[Find], Find]:
    """Register a rule under its function's name."""
    return explained_rule(says, None, **columns)


def explained_rule(says: str, details: Details | None, **columns: tuple[str, ...]) -> Callable[[Find], Find]:
    """Register a rule that tells more about an offending row than its key."""

    def register(find: Find) -> Find:
        name = find.__name__
        if name in RULES:
            msg = f"there are two rules '{name}'"
            raise ValueError(msg)
        RULES[name] = Rule(name, says, columns, find, details)
        return find

    return register
