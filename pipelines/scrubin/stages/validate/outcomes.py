"""What came of each rule, with the rows that are named, then what follows for the release."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import StageError
from scrubin.base.faults import count_text

SHOWN = 20
"""So many offending rows are named."""


def first_by_key(rows: pd.DataFrame, key: tuple[str, ...]) -> pd.DataFrame:
    """Return at most twenty rows, sorted by those columns of the key that are there; a missing value comes last.

    All two million rows may offend, so that they are not sorted but narrowed, column by column.
    """
    left, first = rows, rows.iloc[:0]
    for name in (name for name in key if name in rows.columns):
        wanted = SHOWN - len(first)
        if wanted <= 0 or len(left) <= wanted:
            break
        codes, _ = pd.factorize(_comparable(left[name]), sort=True)
        ranks = np.where(codes < 0, len(left), codes)
        last = np.partition(ranks, wanted - 1)[wanted - 1]
        first, left = pd.concat([first, left[ranks < last]]), left[ranks == last]
    named = pd.concat([first, left.iloc[: max(SHOWN - len(first), 0)]])
    by = [name for name in key if name in rows.columns]
    return named.sort_values(by, kind="stable", key=_comparable) if by else named


def _comparable(values: pd.Series) -> pd.Series:
    # A column of another type than declared may hold anything.
    return values.astype("str") if values.dtype == object else values


def keys_of(rows: pd.DataFrame, columns: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """Return the first rows as plain values; missing ones are None, infinite ones text."""
    names = [name for name in dict.fromkeys(columns) if name in rows.columns]
    return tuple({str(name): _plain(row[name]) for name in names} for row in rows[names].head(SHOWN).to_dict("records"))


def _plain(value: Any) -> Any:
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, float) and math.isinf(plain):
        return str(plain)
    # Whole numbers of a column with gaps were read as floats.
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain


IN_MESSAGE = 3
PASSED, FAILED, NOT_CHECKED, NOT_APPLICABLE = "passed", "failed", "not checked", "not applicable"
HARMLESS = (PASSED, NOT_APPLICABLE)
"""Results that are no failure: what is not applicable cannot be broken."""

ALIKE = "; near-duplicates that you looked at are acknowledged on the page of .venv/bin/scrubin review, with Q"
ALIKE_IN_PARAMS = "pairs that somebody looked at are listed in validate.near_duplicate.accepted of a params.yaml; name it with --params"
"""What acknowledges near-duplicates where there is no ledger, as beside a release."""


@dataclass(frozen=True)
class Outcome:
    """One check: a rule and a table, and what came of it.

    Parameters
    ----------
    rule, table, columns
        Which rule, which table, and the columns that the rule speaks about.
    severity
        error, warning or note.
    says
        What should hold.
    result
        passed, failed, not checked: then nothing is known, which counts like a failure; or not applicable: then there
        is nothing to check, because a table is not at hand or a number was not declared.
    rows
        Number of rows that were looked at.
    count
        Number of rows that break the rule; None when it was not checked.
    things
        What is counted: rows, or columns, totals, classes.
    keys
        The first offending rows, in the order of their key: the key and the columns the rule speaks about.
    why
        Why it was not checked, or is not applicable; "" otherwise.
    """

    rule: str
    table: str
    columns: tuple[str, ...]
    severity: str
    says: str
    result: str
    rows: int
    count: int | None
    things: str = "rows"
    keys: tuple[Mapping[str, Any], ...] = ()
    why: str = ""

    @property
    def sentence(self) -> str:
        """What is wrong, on one line."""
        where = f"table '{self.table}', column {', '.join(self.columns)}, rule {self.rule}"
        if self.result in (NOT_CHECKED, NOT_APPLICABLE):
            return f"{where}: {self.result}, because {self.why}"
        first = "; ".join(" ".join(f"{name}={value}" for name, value in key.items()) for key in self.keys[:IN_MESSAGE])
        return f"{where}: {self.count} of {self.rows} {self.things} break it; expected: {self.says}; first {first}"


def document(outcomes: Sequence[Outcome], rows: Mapping[str, int]) -> dict[str, Any]:
    """Return everything as one JSON value: verdict, row counts and every outcome."""
    return {
        "verdict": FAILED if stopping(outcomes) else PASSED,
        "counts": tally(outcomes),
        "rows": dict(rows),
        "outcomes": [vars(one) | {"columns": list(one.columns), "keys": [dict(key) for key in one.keys]} for one in outcomes],
    }


def metrics(outcomes: Sequence[Outcome], rows: Mapping[str, int]) -> dict[str, int]:
    """Return flat numbers for ``dvc metrics diff``: rows per table, checks by result, offending rows per rule."""
    offending: Counter[str] = Counter()
    for outcome in outcomes:
        offending[f"offending.{outcome.rule}"] += outcome.count or 0
    return {f"rules.{name}": count for name, count in tally(outcomes).items()} | {
        **{f"rows.{table}": count for table, count in rows.items()},
        **offending,
    }


def tally(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return the number of checks (``asked``) by result, failed ones by severity; not checked counts as failed."""
    failed = Counter(outcome.severity for outcome in outcomes if outcome.result not in HARMLESS)
    return {
        "asked": len(outcomes),
        "passed": sum(outcome.result == PASSED for outcome in outcomes),
        "not_applicable": sum(outcome.result == NOT_APPLICABLE for outcome in outcomes),
        "not_checked": sum(outcome.result == NOT_CHECKED for outcome in outcomes),
        "failed_error": failed["error"],
        "failed_warning": failed["warning"],
        "failed_note": failed["note"],
    }


def stopping(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the outcomes that stop the release."""
    return [outcome for outcome in outcomes if outcome.severity == "error" and outcome.result not in HARMLESS]


def names_near_duplicates(outcomes: Sequence[Outcome]) -> bool:
    """Return whether one of these outcomes is about recordings that show the same."""
    return any("near_duplicate" in outcome.rule for outcome in outcomes)


def refuse(outcomes: Sequence[Outcome], page: str, recordings: Mapping[str, str]) -> None:
    """Stop the release when a rule of severity error is broken.

    Parameters
    ----------
    page
        Where the rest is to be read.
    recordings
        The curator's names by released id: who mends does not know the ids.

    Raises
    ------
    StageError
        Names each broken rule with its first keys, and the page that has the rest.
    """
    broken = stopping(outcomes)
    if broken:
        lines = [outcome.sentence for outcome in broken]
        shown = {value: None for outcome in broken for key in outcome.keys[:IN_MESSAGE] for value in key.values() if value in recordings}
        lines += [f"here {', '.join(f'{id_} is {recordings[id_]!r}' for id_ in shown)}"] if shown else []

        look = ALIKE if names_near_duplicates(broken) else ""
        listed = "\n  ".join(lines)
        what = f"{count_text(len(broken), 'check')} of severity error did not pass"
        raise StageError(f"{what}; fix the raw study, or the stage that wrote the table{look}; see {page}:\n  {listed}")


TEMPLATE = Path(__file__).with_name("page.html.j2")
RANK = {"error": 0, "warning": 1, "note": 2}


def page(outcomes: Sequence[Outcome], rows: Mapping[str, int]) -> str:
    """Return one HTML file that needs nothing else: the verdict, what is broken with its keys, and every check."""
    from scrubin.base import pages

    broken = sorted((outcome for outcome in outcomes if outcome.result not in HARMLESS), key=lambda outcome: RANK[outcome.severity])
    return (
        pages.environment(TEMPLATE.parent, {"shown": _cell})
        .get_template(TEMPLATE.name)
        .render(
            stopped=bool(stopping(outcomes)),
            counts=tally(outcomes),
            rows=rows,
            broken=broken,
            tables=[(name, list(group)) for name, group in groupby(outcomes, key=lambda outcome: outcome.table)],
            shown=SHOWN,
            harmless=HARMLESS,
            skipped=_skipped(outcomes),
        )
    )


def _cell(value: Any) -> Any:
    """Return a value as a cell shows it: floats with six significant digits, which name a row but do not repeat it."""
    return "–" if value is None else f"{value:.6g}" if isinstance(value, float) else value


def _skipped(outcomes: Sequence[Outcome]) -> list[tuple[str, str, list[str]]]:
    """Return rule, reason and tables of what is not applicable."""
    tables: dict[tuple[str, str], dict[str, None]] = {}
    for outcome in outcomes:
        if outcome.result == NOT_APPLICABLE:
            tables.setdefault((outcome.rule, outcome.why), {})[outcome.table] = None
    return [(rule, why, list(names)) for (rule, why), names in sorted(tables.items())]
