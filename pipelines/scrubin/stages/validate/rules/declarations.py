"""Rules that follow from a table's declaration: columns with their types, keys, missing values, ranges, nothing private."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import pandas as pd

from scrubin.base.tables import Column, Table, arrow
from scrubin.base.tables.private import PRIVATE_TABLES
from scrubin.stages.validate.registry import Batch, Batches, Check, Expectation, PlannedCheck, Rule, generated, ready, rule
from scrubin.stages.validate.study_tables import StoredTable, Study

BrokenValues = Callable[[Column, pd.Series], "pd.Series[bool]"]
LARGEST = sys.float_info.max
ORDER = ("declared_order", "found_order")

COLUMNS = generated("declared_columns", "error", "the columns are the declared ones, in their order")
TYPES = generated("declared_types", "error", "every column has its declared type")
NO_PRIVATE = generated("no_private_column", "error", "no column is one that only private tables have")
KEY = generated("key_unique", "error", "no two rows have the same key")
NOT_MISSING = generated("not_missing", "error", "no value is missing")
IN_RANGE = generated("in_range", "error", "every value lies in its range, and none is infinite")
ALLOWED = generated("allowed_value", "error", "every value is one of those that the table declares")


def batches_of_declaration(study: Study, table: str) -> Batches:
    """Return the checks that a table's declaration makes of its columns and of its rows."""
    stored = study.tables[table]
    schema = schema_of(stored)
    private = private_columns(frozenset(name for other in study.tables.values() for name in other.table.column_names))
    planned = row_checks(study, table)
    of_columns = Batch(f"{table} columns", schema, schema, (), schema_checks(schema, private), "columns")
    checks, skipped = ready(planned)
    names = [name for name in stored.table.column_names if any(name in check.columns for check in checks)]
    return [of_columns, Batch(f"{table} rows", stored.rows[names], stored.rows, stored.table.key, checks)], skipped


def schema_of(stored: StoredTable) -> pd.DataFrame:
    """Return one row per column that is declared or there: its two types and its two places.

    Columns that are both take their place among each other, so that one missing column does not
    move the others. Missing values stand for "not declared" and "not there".
    """
    declared = {column.name: str(arrow(column.dtype)) for column in stored.table.columns}
    schema = pd.DataFrame({"column": list(dict.fromkeys([*declared, *stored.types]))}, dtype="str")
    for side, types, others in (("declared", declared, stored.types), ("found", stored.types, declared)):
        shared = [name for name in types if name in others]
        alone = [name for name in types if name not in others]
        places = {name: place for place, name in enumerate([*shared, *alone])}
        schema[side] = schema["column"].map(dict(types)).astype("str")
        schema[f"{side}_order"] = schema["column"].map(places).astype("float64")
    return schema.assign(found_name=schema["column"].where(schema["found"].notna()))


def schema_checks(schema: pd.DataFrame, private: frozenset[str]) -> list[Check]:
    """Return the checks of the columns; ``private`` are the names that only private tables have."""
    types_differ = schema["declared"].notna() & schema["found"].notna() & (schema["declared"] != schema["found"])
    return [
        Check(
            COLUMNS.name,
            ("column", *ORDER),
            COLUMNS.says,
            Expectation(
                "ExpectColumnPairValuesToBeEqual", {"column_A": ORDER[0], "column_B": ORDER[1], "ignore_row_if": "both_values_are_missing"}
            ),
            lambda: schema[ORDER[0]] != schema[ORDER[1]],
        ),
        Check(
            TYPES.name,
            ("column", "declared", "found"),
            TYPES.says,
            Expectation(
                "ExpectColumnPairValuesToBeEqual", {"column_A": "declared", "column_B": "found", "ignore_row_if": "either_value_is_missing"}
            ),
            lambda: types_differ,
        ),
        Check(
            NO_PRIVATE.name,
            ("column",),
            NO_PRIVATE.says,
            Expectation("ExpectColumnValuesToNotBeInSet", {"column": "found_name", "value_set": sorted(private)}),
            lambda: schema["found_name"].isin(private),
        ),
    ]


def row_checks(study: Study, table: str) -> list[PlannedCheck]:
    """Return the checks that a table's declaration makes of its rows."""
    declared = study.tables[table].table
    checks = [PlannedCheck(KEY.name, declared.key, KEY.says, partial(_key_unique, study, declared))]
    for column in declared.columns:
        name = column.name
        if not column.nullable:
            expectation = Expectation("ExpectColumnValuesToNotBeNull", {"column": name})
            checks.append(_of_column(NOT_MISSING, study, table, column, NOT_MISSING.says, expectation, lambda _, values: values.isna()))
        if column.between is not None or column.dtype == "float64":
            low, high = _limits(column)
            expectation = Expectation("ExpectColumnValuesToBeBetween", {"column": name, "min_value": low, "max_value": high})
            checks.append(_of_column(IN_RANGE, study, table, column, _range_says(column), expectation, _outside))
        if column.values:
            says = f"every value is one of {', '.join(column.values)}"
            expectation = Expectation("ExpectColumnValuesToBeInSet", {"column": name, "value_set": list(column.values)})
            checks.append(_of_column(ALLOWED, study, table, column, says, expectation, _not_allowed))
    return checks


def _of_column(
    rule: Rule, study: Study, table: str, column: Column, says: str, expectation: Expectation, broken: BrokenValues
) -> PlannedCheck:
    def check() -> Check:
        values = study.columns(table, column.name)[column.name]
        return Check(rule.name, (column.name,), says, expectation, partial(broken, column, values))

    return PlannedCheck(rule.name, (column.name,), says, check)


def _not_allowed(column: Column, values: pd.Series) -> pd.Series[bool]:
    return values.notna() & ~values.isin(column.values)


def _outside(column: Column, values: pd.Series) -> pd.Series[bool]:
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
    single = Expectation("ExpectColumnValuesToBeUnique", {"column": key[0]})
    expectation = single if len(key) == 1 else Expectation("ExpectCompoundColumnsToBeUnique", {"column_list": key})
    return Check(KEY.name, table.key, KEY.says, expectation, lambda: rows.duplicated(key, keep=False))


WITH_FILES = {"videos": ("id", "path"), "frames": ("id", "path")}


def private_columns(public: frozenset[str]) -> frozenset[str]:
    """Return the names that only private tables have, given those of the public tables.

    >>> "participant" in private_columns(frozenset({"id", "task"}))
    True
    """
    return frozenset(name for table in PRIVATE_TABLES for name in table.column_names) - public


@rule("error", "ids and paths are not those of the raw study", **WITH_FILES)
def no_private_value(study: Study, table: str) -> pd.Series[bool]:
    """Find rows whose id is a name of the raw study, or whose file is called like a raw file."""
    rows = study.columns(table, "id", "path")
    raw = study.private("recordings")
    names = pd.concat([raw["recording"], raw["participant"]])
    file, raw_file = (paths.str.rsplit("/", n=1).str[-1] for paths in (rows["path"], raw["path"]))
    of_raw = rows["id"].isin(names)
    if table == "frames":
        # Frames are called by their number, which may well be somebody's number in the study, or that of a raw file.
        return of_raw | file.isin(raw_file[~raw_file.str.fullmatch(r"\d+\.\w+")])
    return of_raw | file.isin(raw_file) | file.str.rsplit(".", n=1).str[0].isin(names)
