"""The checks of a table's columns: there, in order, of the declared type, and none of them private."""

from __future__ import annotations

import great_expectations.expectations as gxe
import pandas as pd

from scrubin.tables.declare import ARROW
from scrubin.validate.check import Check
from scrubin.validate.study import Found

ORDER = ("declared_order", "found_order")


def schema_of(found: Found) -> pd.DataFrame:
    """Return one row per column that is declared or there: its two types and its two places.

    Columns that are both take their place among each other, so that one missing column does not
    move the others. Missing values stand for "not declared" and "not there".
    """
    declared = {column.name: str(ARROW[column.dtype]) for column in found.table.columns}
    schema = pd.DataFrame({"column": list(dict.fromkeys([*declared, *found.types]))}, dtype="str")
    for side, types, others in (("declared", declared, found.types), ("found", found.types, declared)):
        shared = [name for name in types if name in others]
        alone = [name for name in types if name not in others]
        places = {name: place for place, name in enumerate([*shared, *alone])}
        schema[side] = schema["column"].map(dict(types)).astype("str")
        schema[f"{side}_order"] = schema["column"].map(places).astype("float64")
    return schema.assign(found_name=schema["column"].where(schema["found"].notna()))


def schema_checks(schema: pd.DataFrame, private: frozenset[str]) -> list[Check]:
    """Return the checks of the columns, given the names that only private tables have."""
    types_differ = schema["declared"].notna() & schema["found"].notna() & (schema["declared"] != schema["found"])
    return [
        Check(
            "declared_columns",
            ("column", *ORDER),
            "the columns are the declared ones, in their order",
            gxe.ExpectColumnPairValuesToBeEqual(column_A=ORDER[0], column_B=ORDER[1], ignore_row_if="both_values_are_missing"),
            lambda: schema[ORDER[0]] != schema[ORDER[1]],
        ),
        Check(
            "declared_types",
            ("column", "declared", "found"),
            "every column has its declared type",
            gxe.ExpectColumnPairValuesToBeEqual(column_A="declared", column_B="found", ignore_row_if="either_value_is_missing"),
            lambda: types_differ,
        ),
        Check(
            "no_private_column",
            ("column",),
            "no column is one that only private tables have",
            gxe.ExpectColumnValuesToNotBeInSet(column="found_name", value_set=sorted(private)),
            lambda: schema["found_name"].isin(private),
        ),
    ]
