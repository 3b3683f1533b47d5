"""One expectation and its explanation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from great_expectations.expectations.expectation import Expectation


@dataclass(frozen=True)
class Check:
    """What Great Expectations is asked and, for naming keys, the same in vectorised form.

    Parameters
    ----------
    rule, columns, says
        As in ``Outcome``.
    expectation
        What Great Expectations is asked.
    broken
        Returns for each row whether it breaks the rule; asked only when the expectation failed.
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
class Question:
    """A check to be made; making it can fail with ``NotCheckableError``."""

    rule: str
    columns: tuple[str, ...]
    says: str
    check: Callable[[], Check]
