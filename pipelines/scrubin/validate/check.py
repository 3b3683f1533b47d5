"""One check: what Great Expectations judges, and which rows break it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Expectation:
    """An expectation as data: the judge alone imports Great Expectations, which takes five seconds.

    Parameters
    ----------
    name
        Class of ``great_expectations.expectations``.
    arguments
        Its arguments by name.
    """

    name: str
    arguments: Mapping[str, Any]


def expect(name: str, **arguments: Any) -> Expectation:
    """Return an expectation by its class and its arguments."""
    return Expectation(name, arguments)


@dataclass(frozen=True)
class Check:
    """What Great Expectations judges and, for naming keys, the same in vectorised form.

    Parameters
    ----------
    rule, columns, says
        As in ``Outcome``.
    expectation
        What Great Expectations judges.
    broken
        Returns for each row whether it breaks the rule; called only when the expectation failed, or where nobody judges it.
    details
        Returns more columns to be named beside the key of an offending row; None when there are none.
    """

    rule: str
    columns: tuple[str, ...]
    says: str
    expectation: Expectation
    broken: Callable[[], pd.Series[bool]]
    details: Callable[[], pd.DataFrame] | None = None


@dataclass(frozen=True)
class PlannedCheck:
    """A check that may turn out impossible: ``check`` can fail with ``NotCheckableError`` or ``NotApplicableError``."""

    rule: str
    columns: tuple[str, ...]
    says: str
    check: Callable[[], Check]
