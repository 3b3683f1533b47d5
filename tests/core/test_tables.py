from __future__ import annotations

import importlib
import pkgutil

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubin.base.tables
from scrubin.base.errors import TableError
from scrubin.base.tables import Column, Table, io
from scrubin.base.tables.public import skill_table

TOY = Table(
    "toy",
    "a table for tests",
    private=False,
    key=("id", "n"),
    columns=(
        Column("id", "str", "", "who"),
        Column("n", "int64", "frames", "which", between=(0, 9)),
        Column("score", "float64", "", "how much", null="not rated", between=(0, 1)),
        Column("verb_id", "int64", "", "verb", null="not labelled"),
        Column("reason", "str", "", "why", null="no reason"),
        Column("camera", "str", "", "camera", values=("left", "right")),
    ),
)


def rows(*more: dict[str, object]) -> list[dict[str, object]]:
    base = {"id": "a", "n": 1, "score": 0.5, "verb_id": 3, "reason": "r", "camera": "left"}
    return [base | extra for extra in more]


def every_table() -> list[Table]:
    found = [skill_table(("efficiency",))]
    for module in pkgutil.walk_packages(scrubin.base.tables.__path__, "scrubin.base.tables."):
        values = vars(importlib.import_module(module.name)).values()
        found += [value for value in values if isinstance(value, Table)]
    return found


def test_undefined_stays_undefined_and_ids_stay_whole(tmp_path):
    frame = io.frame_of(TOY, rows({}, {"n": 2, "score": None, "verb_id": None, "reason": None}))
    io.write(TOY, frame, tmp_path / "toy.parquet")
    back = io.read(TOY, tmp_path / "toy.parquet")
    assert back.verb_id.tolist() == [3, pd.NA]
    assert back.score.isna().tolist() == [False, True]
    io.write(TOY, back, tmp_path / "again.parquet")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "toy.parquet").read_bytes()
    assert io.records(back)[1] == {"id": "a", "n": 2, "score": None, "verb_id": None, "reason": None, "camera": "left"}


@pytest.mark.slow
@given(order=st.permutations(range(6)))
def test_the_order_of_rows_changes_no_byte(order, tmp_path_factory):
    folder = tmp_path_factory.mktemp("t")
    items = rows(*({"n": n} for n in range(6)))
    io.write(TOY, io.frame_of(TOY, items), folder / "a.parquet")
    io.write(TOY, io.frame_of(TOY, [items[i] for i in order]), folder / "b.parquet")
    assert (folder / "a.parquet").read_bytes() == (folder / "b.parquet").read_bytes()


def test_the_file_carries_meaning_and_no_software_of_ours(tmp_path):
    io.write(TOY, io.frame_of(TOY, rows({})), tmp_path / "toy.parquet")
    schema = pq.read_schema(tmp_path / "toy.parquet")
    assert schema.field("n").metadata == {b"unit": b"frames", b"description": b"which", b"null": b""}
    assert b"pandas" not in schema.metadata


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"id": None}, "column 'id': 1 missing values"),
        ({"n": 10}, "column 'n': expected between 0 and 9, but got 10 at id=a n=10"),
        ({"score": 1.5}, "column 'score': expected between 0 and 1, but got 1.5 at id=a n=1"),
        ({"camera": "up"}, "column 'camera': expected one of left, right, but got up"),
        ({"n": "x"}, "column 'n': expected int64"),
        ({"id": 5}, "column 'id': expected text, but got 5"),
    ],
)
def test_a_broken_rule_names_table_column_and_row(bad, message):
    with pytest.raises(TableError, match=message):
        io.conform(TOY, io.frame_of(TOY, rows(bad)))


def test_a_repeated_key_and_a_foreign_column_are_refused():
    with pytest.raises(TableError, match="2 rows share their key"):
        io.conform(TOY, io.frame_of(TOY, rows({}, {})))
    with pytest.raises(TableError, match=r"missing columns \['n'\], undeclared columns \['participant'\]"):
        io.conform(TOY, io.frame_of(TOY, rows({})).rename(columns={"n": "participant"}))


def test_a_file_that_is_no_parquet_is_named(tmp_path):
    (tmp_path / "toy.parquet").write_text("x")
    with pytest.raises(TableError, match=r"toy.parquet: cannot be read as parquet"):
        io.read(TOY, tmp_path / "toy.parquet")


@pytest.mark.parametrize("table", every_table(), ids=lambda table: table.name)
def test_every_table_can_be_empty_and_is_documented(table, tmp_path):
    io.write(table, io.frame_of(table, []), tmp_path / "t.parquet")
    assert len(io.read(table, tmp_path / "t.parquet")) == 0
    assert all(column.description for column in table.columns)


def test_no_public_table_has_a_private_column():
    private = {"recording", "participant", "trial", "site", "offset_s"}
    assert not [(table.name, name) for table in every_table() if not table.private for name in table.column_names if name in private]
