"""The synthetic study as validate finds it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa

import synthetic_study
from scrubin.base.tables.private import STEREO
from scrubin.base.tables.public import public_tables
from scrubin.base.vocabulary.vocabulary import load, transitions
from scrubin.stages.validate.expected import Expected, Severity
from scrubin.stages.validate.near_duplicates import Limits
from scrubin.stages.validate.outcomes import Outcome
from scrubin.stages.validate.registry import RULES
from scrubin.stages.validate.study_tables import Study, stored_table


def arrow_of(name: str, frame: pd.DataFrame) -> pa.Table:
    """As the table's file would hold it: declared types where the columns are the declared ones."""
    table = synthetic_study.BY_NAME[name]
    fields = {field.name: field.type for field in table.schema}
    schema = pa.schema([(column, fields[column]) for column in frame if column in fields])
    known = pa.Table.from_pandas(frame[list(schema.names)], schema=schema, preserve_index=False)
    for place, column in enumerate(frame):
        if column not in fields:
            known = known.add_column(place, str(column), pa.array(frame[column]))
    return known


def expected_of(**declared: Any) -> Expected:
    """What a curator declares when nothing is declared, and what is."""
    known = {"cholect50": transitions(load("cholect50"))}
    return Expected(**{"flicker_s": 2.0, "drift_limit": 0.1, "transitions": known, **declared})


def study_of(
    tables: dict[str, pd.DataFrame], retyped: dict[str, dict[str, pa.DataType]] | None = None, expected: Expected | None = None
) -> Study:
    arrows = {name: arrow_of(name, tables[name]) for name in (*synthetic_study.PUBLIC, "stereo")}
    for name, types in (retyped or {}).items():
        for column, type_ in types.items():
            arrows[name] = arrows[name].set_column(arrows[name].schema.get_field_index(column), column, arrows[name][column].cast(type_))
    declared = public_tables(synthetic_study.ASPECTS)
    return Study(
        tables={table.name: stored_table(table, arrows[table.name]) for table in (*declared.values(), STEREO)},
        recordings=tables["recordings"],
        linkage=tables["linkage"],
        hidden=tables["hidden"],
        vocabularies={"cholect50": load("cholect50")},
        near_duplicate=Limits(evidence_bits=20, min_frames=20),
        expected=expected or expected_of(),
    )


def severities(default: Severity = "error", **others: Severity) -> dict[str, Severity]:
    """Every rule with one severity, but for some."""
    return {name: others.get(name, default) for name in RULES}


def failed(outcomes: list[Outcome]) -> dict[tuple[str, str], Outcome]:
    """The outcomes that failed or were not checked, by rule and table; of several columns the first."""
    found: dict[tuple[str, str], Outcome] = {}
    for outcome in outcomes:
        if outcome.result not in ("passed", "not applicable"):
            found.setdefault((outcome.rule, outcome.table), outcome)
    return found
