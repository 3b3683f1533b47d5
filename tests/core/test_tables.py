from __future__ import annotations

import hashlib
import importlib
import json
import pkgutil
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubin.base.tables
from scrubin.base.errors import TableError
from scrubin.base.tables import Column, Table, io, seals
from scrubin.base.tables.private import LINKAGE, REDACTIONS, RIGS
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


OTHERS = Table(
    "others",
    "",
    private=False,
    key=("n",),
    columns=(
        Column("n", "int64", "", ""),
        Column("flag", "bool", "", ""),
        Column("value", "float64", "", "", null="none"),
        Column("width", "float64", "", "", null="none", between=(0, 1)),
        Column("share", "float64", "", "", null="none", between=(0, 1), yes_is_1=True),
        Column("marked", "float64", "", "", between=(0, None), yes_is_1=True),
    ),
)


PLAIN = pd.DataFrame(
    {"n": [0, 1], "flag": [True, False], "value": [0.5, None], "width": [0.5, None], "share": [1.0, None], "marked": [1.0, 0.0]}
)


@pytest.mark.parametrize(
    ("column", "values", "wrong"),
    [
        ("n", [0.0, 1.5], "row 2 is '1.5'"),
        ("n", [Decimal("0.50"), Decimal("1.50")], "row 1 is '0.50'"),
        ("n", [True, False], "row 1 is 'True'"),
        ("n", [0, 2**63], f"row 2 is '{2**63}'"),
        ("n", [np.inf, 1.0], "row 1 is 'inf'"),
        ("n", ["0", "1.5"], "row 2 is '1.5'"),
        ("n", pd.to_datetime(["2024-01-01", "2024-01-02"], utc=True), "row 1 is '2024-01-01 00:00:00"),
        ("n", pd.to_timedelta([0, 1], "s"), "row 1 is '0 days"),
        ("flag", ["True", "False"], "row 1 is 'True'"),
        ("flag", pd.Categorical(["False", "False"]), "row 1 is 'False'"),
        ("flag", [1, 2], "row 2 is '2'"),
        ("flag", [1, -1], "row 2 is '-1'"),
        ("value", [True, False], "row 1 is 'True'"),
        ("value", pd.to_timedelta([0, 1], "s"), "row 1 is '0 days"),
        ("width", [True, False], "row 1 is 'True'"),
        ("width", np.array([0.5, True], object), "row 2 is 'True'"),
    ],
)
def test_what_is_of_another_kind_is_refused_and_never_cut(column, values, wrong):
    frame, types = PLAIN.assign(**{column: values}), {one.name: one.dtype for one in OTHERS.columns}
    with pytest.raises(TableError) as refused:
        io.conform(OTHERS, frame)
    assert f"column '{column}': expected {types[column]}, but {wrong}" in str(refused.value)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("n", [0.0, 1.0]),
        ("n", [Decimal(0), Decimal("1.00")]),
        ("n", ["0", "1"]),
        ("n", np.array([0, 1], np.uint64)),
        ("flag", [1, 0]),
        ("flag", [1.0, 0.0]),
        ("flag", np.array([True, False], object)),
        ("value", [Decimal("0.5"), None]),
        ("value", ["0.5", None]),
        ("value", np.array([0.5, np.nan], np.float32)),
        ("share", np.array([True, None], object)),
        ("share", pd.array([True, None], "boolean")),
        ("marked", [True, False]),
        ("marked", np.array([True, False], object)),
    ],
)
def test_the_same_values_in_another_type_are_the_same(column, values):
    pd.testing.assert_frame_equal(io.conform(OTHERS, PLAIN.assign(**{column: values})), io.conform(OTHERS, PLAIN))


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


def seal_of_raw_files(*contents: bytes) -> seals.Seal:
    """Return the seal of a study with these files, one of which cannot be read."""
    hashes = [*(hashlib.sha256(one).hexdigest() for one in contents), None]
    return seals.of_files(pd.DataFrame({"sha256": hashes}))


def seal_of_draws(*draws: int) -> seals.Seal:
    rows_of = [{"recording": f"r{number}", "id": f"i{number}", "draw": draw} for number, draw in enumerate(draws)]
    return seals.of_draws(io.frame_of(LINKAGE, rows_of))


REDACTION = {"camera": "mono", "kind": "text", "start_s": 0.0, "end_s": 8.0, "x": 16.0, "y": 8.0, "w": 120.0, "h": 24.0}
REDACTION |= {"source": "curator", "decision": "accepted", "accepted": True}


@pytest.mark.parametrize(
    ("table", "private", "guesses"),
    [
        (RIGS, {"rig": "UKE Hamburg Turm 3", "calibration": "rig_1"}, [{"rig": f"UKE Hamburg Turm {number}"} for number in range(2, 5)]),
        (
            REDACTIONS,
            {"recording": "2024-05-14_Ostermann", **REDACTION},
            [{"recording": f"2024-05-{day}_Ostermann"} for day in range(13, 16)],
        ),
    ],
    ids=["rigs", "redactions"],
)
def test_who_knows_the_hash_of_a_private_table_cannot_try_what_is_in_it(table, private, guesses, tmp_path):
    """``dvc.lock`` and the certificate tell hashes, and everybody has this program: a small table could be guessed and compared."""
    path, guesses = tmp_path / f"{table.name}.parquet", [private | guess for guess in guesses]

    def tried(seal: seals.Seal | None) -> set[str]:
        done = set()
        for guess in guesses:
            io.write(table, io.frame_of(table, [guess]), path, seal)
            done.add(hashlib.sha256(path.read_bytes()).hexdigest())
        return done

    def hash_of(seal: seals.Seal | None) -> str:
        io.write(table, io.frame_of(table, [private]), path, seal)
        return hashlib.sha256(path.read_bytes()).hexdigest()

    plain = tried(None)
    assert hash_of(None) in plain
    of_files = hash_of(seal_of_raw_files(b"left", b"right"))
    assert of_files not in plain | tried(seal_of_raw_files()) | tried(seal_of_raw_files(b"left", b"righT")) | tried(seal_of_draws(1))
    assert of_files == hash_of(seal_of_raw_files(b"right", b"left"))
    assert hash_of(seal_of_draws(1 << 62)) not in plain | tried(seal_of_draws()) | tried(seal_of_draws(1, 1 << 62))
    hash_of(seal_of_draws(1))
    assert io.records(io.read(table, path)) == io.records(io.frame_of(table, [private]))


def test_the_seal_of_one_file_tells_nothing_of_that_of_another():
    seal = seal_of_raw_files(b"left")
    assert len({seal.secret, seal.of("a.json"), seal.of("b.json"), hashlib.sha256(b"left").hexdigest()}) == 4


def test_a_sealed_document_says_the_same_and_one_of_an_earlier_edition_is_still_read(tmp_path):
    seal, document, several = seal_of_draws(3), tmp_path / "d.json", tmp_path / "l.json"
    seals.write_sealed(document, {"tasks": {"random": 1}}, seal)
    assert json.loads(document.read_text()) == {"tasks": {"random": 1}, "random": seal.of("d.json")}
    seals.write_sealed(several, [{"recording": "r"}], seal)
    assert seals.read_rows(several) == [{"recording": "r"}]
    several.write_text('[{"recording": "r"}]')
    assert seals.read_rows(several) == [{"recording": "r"}]
    with pytest.raises(ValueError, match="a 'random' of its own"):
        seals.write_sealed(document, {"random": []}, seal)
