"""The suite of one table, generated from its declaration."""

from __future__ import annotations

import sys
from functools import partial

import great_expectations.expectations as gxe
import pandas as pd
from great_expectations.expectations.expectation import Expectation

from scrubin.tables.declare import Column, Table
from scrubin.validate.check import Check, Question
from scrubin.validate.study import Study

LARGEST = sys.float_info.max


def questions(study: Study, table: str) -> list[Question]:
    """Return what a table's declaration asks of its rows."""
    declared = study.tables[table].table
    asked = [Question("key_unique", declared.key, "no two rows have the same key", partial(_key_unique, study, declared))]
    for column in declared.columns:
        if not column.nullable:
            asked.append(_question("not_missing", study, table, column, "no value is missing"))
        if column.between is not None or column.dtype == "float64":
            asked.append(_question("in_range", study, table, column, _range_says(column)))
        if column.values:
            asked.append(_question("allowed_value", study, table, column, f"every value is one of {', '.join(column.values)}"))
    return asked


def _question(rule: str, study: Study, table: str, column: Column, says: str) -> Question:
    def check() -> Check:
        values = study.columns(table, column.name)[column.name]
        return Check(rule, (column.name,), says, _expectation(rule, column), partial(_broken, rule, column, values))

    return Question(rule, (column.name,), says, check)


def _expectation(rule: str, column: Column) -> Expectation:
    if rule == "not_missing":
        return gxe.ExpectColumnValuesToNotBeNull(column=column.name)
    if rule == "allowed_value":
        return gxe.ExpectColumnValuesToBeInSet(column=column.name, value_set=list(column.values))
    low, high = _limits(column)
    return gxe.ExpectColumnValuesToBeBetween(column=column.name, min_value=low, max_value=high)


def _broken(rule: str, column: Column, values: pd.Series) -> pd.Series[bool]:
    if rule == "not_missing":
        return values.isna()
    if rule == "allowed_value":
        return values.notna() & ~values.isin(column.values)
    low, high = _limits(column)
    outside = pd.Series(data=False, index=values.index)
    if low is not None:
        outside |= values < low
    if high is not None:
        outside |= values > high
    return outside


def _limits(column: Column) -> tuple[float | None, float | None]:
    low, high = column.between or (None, None)
    if column.dtype != "float64":
        return low, high
    # An open end allows large numbers, but never an infinite one.
    return (-LARGEST if low is None else low), (LARGEST if high is None else high)


def _range_says(column: Column) -> str:
    if column.between is None:
        return "every value is finite"
    low, high = column.between
    return f"every value lies in {'(-inf' if low is None else f'[{low:g}'}, {'inf)' if high is None else f'{high:g}]'}"


def _key_unique(study: Study, table: Table) -> Check:
    key = list(table.key)
    rows = study.columns(table.name, *key)
    expectation = gxe.ExpectColumnValuesToBeUnique(column=key[0]) if len(key) == 1 else gxe.ExpectCompoundColumnsToBeUnique(column_list=key)
    return Check("key_unique", table.key, "no two rows have the same key", expectation, lambda: rows.duplicated(key, keep=False))
