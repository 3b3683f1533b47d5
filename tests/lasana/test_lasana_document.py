"""Files of LASANA pass through byte for byte, whoever wrote them, and what did not change keeps its spelling."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import annotation_folder
from annotation_folder import ASPECTS
from scrubin.base.errors import RatingsError
from scrubin.ratings import LASANA
from scrubin.ratings.lasana import reports
from scrubin.ratings.lasana.annotation_text import TRUTH_VALUE, parse, read
from scrubin.ratings.lasana.files import read_folder
from scrubin.ratings.lasana.recomputation import score
from scrubin.ratings.lasana.revalidation import corrected
from scrubin.ratings.lasana.tables import main_of

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def files(draw):
    """The bytes of a CSV in some dialect, and its rows."""
    # The header of a single column would not tell the delimiter.
    columns = ["id", *draw(st.lists(st.sampled_from("abcd"), unique=True, min_size=1, max_size=3))]
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    # Python's writer leaves those line ends unquoted that are not its own.
    cells = CELLS if quoting == csv.QUOTE_ALL else CELLS.map(lambda cell: cell.replace("\r", "").replace("\n", ""))
    rows = draw(st.lists(st.tuples(st.text("xyz;,\"'é", min_size=1, max_size=3), *[cells] * (len(columns) - 1)), max_size=5))
    text = io.StringIO(newline="")
    end = draw(LINE_ENDS)
    delimiter = draw(st.sampled_from(";,\t"))
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([columns, *rows])
    whole = text.getvalue()
    if draw(st.booleans()):
        whole = whole.removesuffix(end)
    return (
        draw(st.sampled_from(["", "\ufeff"]))
        + whole
        + draw(st.sampled_from(["", "\n", f"{delimiter}{delimiter}\r\n"]) if whole.endswith(end) else st.just(""))
    ).encode(), [dict(zip(columns, row, strict=True)) for row in rows]


@given(files())
def test_a_file_in_any_dialect_is_written_back_as_it_was(file):
    data, rows = file
    document = parse("a.csv", data)
    assert document.render() == data
    assert [row.cells for row in document.rows()] == [{name: text.strip() for name, text in row.items()} for row in rows]


@given(files(), st.text('ab;"\n', min_size=1, max_size=3), st.data())
def test_a_changed_cell_changes_that_cell_only(file, text, data):
    content, rows = file
    document = parse("a.csv", content)
    columns = [column for column in document.columns if column != "id"]
    ids = [row["id"].strip() for row in rows]
    unique = [id_ for id_ in ids if ids.count(id_) == 1]
    if not (columns and unique):
        return
    id_, column = data.draw(st.sampled_from(unique)), data.draw(st.sampled_from(columns))
    changed = document.with_cells({(id_, column): text})
    again = parse("a.csv", changed.render())
    expected = [row.cells | ({column: text.strip()} if row.cells["id"] == id_ else {}) for row in document.rows()]
    assert [row.cells for row in again.rows()] == expected
    differing = [
        (a, b) for old, new in zip(document.lines, changed.lines, strict=True) for a, b in zip(old.raws, new.raws, strict=True) if a != b
    ]
    assert len(differing) <= 1
    assert [line.end for line in changed.lines] == [line.end for line in document.lines]


def test_rows_count_as_an_editor_counts_lines():
    document = parse("a.csv", b'id;note\r\nx;"two\r\nlines"\r\n\r\ny;\r\n')
    assert [row.where for row in document.rows()] == ["a.csv, line 2", "a.csv, line 5"]


def test_a_new_row_is_spelled_like_the_one_above_it():
    quoted = (
        pd.DataFrame({"id": ["x"], "n": [1]}).to_csv(sep=";", index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n").encode()
    )
    assert parse("a.csv", quoted).with_rows([{"id": "y", "n": "2"}]).render() == quoted + b'"y";2\r\n'
    assert parse("a.csv", b"id;n\nx;1").with_rows([{"id": "y"}, {"id": "z"}]).render() == b"id;n\nx;1\ny;\nz;"
    assert parse("a.csv", b"id;n\nx;1\n;\n").with_rows([{"id": "y"}]).render() == b"id;n\nx;1\ny;\n;\n"
    assert parse("a.csv", b"id;n").with_rows([{"id": "y", "n": "a;b"}]).render() == b'id;n\ny;"a;b"'


def test_rows_are_removed_by_id():
    assert parse("a.csv", b"id;n\nx;1\ny;2\n\nz;3").without({"y", "z"}).render() == b"id;n\nx;1\n\n"


@pytest.mark.parametrize("data", [b"id;n;;\nx;1;;\n", b"id;n;;\nx;1\n", b";id\n0;x\n"])
def test_what_spreadsheets_add_beside_a_table_is_kept(data):
    document = parse("a.csv", data)
    assert [row.cells["id"] for row in document.rows()] == ["x"]
    assert document.with_cells({("x", "n"): "1"}).render() == data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"name;n\nx;1\n", "a.csv, line 1: column 'id' is missing; add it; there are name, n"),
        (b"id;n\nx;1;\n", "a.csv, line 2: expected 2 cells, but got 3"),
        (b"id;n\n;1\n", "a.csv, line 2: id is empty"),
        (b'id;n\nx;"1"2\n', "a.csv, line 2: is no CSV"),
    ],
)
def test_what_is_no_such_file_is_refused_with_its_place(data, message):
    with pytest.raises(RatingsError) as caught:
        parse("a.csv", data)
    assert message in str(caught.value)


def test_a_file_is_named_without_its_folder(tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(RatingsError, match=r"^a\.csv: it is a folder"):
        read(tmp_path / "a.csv")


SPELLINGS = {
    "lasana": {},
    "floats": {"as_float": True},
    "windows": {"lineterminator": "\r\n", "encoding": "utf-8-sig"},
    "quoted": {"quoting": 1, "na_rep": "NaN"},
    "rounded": {"float_format": "%.7f"},
    "scientific": {"as_float": True, "float_format": "%.8e", "lineterminator": "\r"},
}


@pytest.fixture(params=SPELLINGS)
def tasks(request, golden, tmp_path):
    folder = annotation_folder.write(tmp_path, golden["tasks"], **SPELLINGS[request.param])
    return {task.task: task for task in read_folder(folder).tasks}


@pytest.mark.cases(2)
def test_every_file_is_written_back_as_it_was(tasks, request):
    number = [*SPELLINGS].index(request.node.callspec.params["tasks"])
    # As LASANA spells, all; the spelling of a file is read without looking at its task.
    for task in [*tasks.values()][number - 1 :: 4] if number else tasks.values():
        scored = score(task, LASANA)
        assert reports.main_bytes(task.main, scored.main, scored.main, ASPECTS) == task.main.render()
        assert reports.main_bytes(task.main, scored.main, corrected(scored), ASPECTS) == task.main.render()


def test_changed_values_of_the_main_file_are_in_our_own_spelling():
    data = b"id;dropped;GRS;depth_perception;efficiency;bimanual_dexterity;tissue_handling;duration;frame_count\r\n"
    data += b"b;False;1.50;0.10;0.20;0.30;0.40;00:01:00;20.0\r\na;;1.5;;;;;00:01:00;20\r\n"
    document = parse("Peg.csv", data)
    before = main_of(document, "Peg", ASPECTS, ())
    errors = pd.concat([before.errors.assign(occurred=True), before.errors.assign(id="a")])
    skill = before.skill.assign(GRS=[None, 1 / 3])
    times = before.recordings.assign(duration_s=[60.0, 61.2], frame_count=[20, 21])
    after = replace(before, errors=errors, skill=skill, recordings=times)
    assert reports.main_bytes(document, before, after, ASPECTS) == data.replace(b"b;False;1.50;", b"b;True;;").replace(
        b"a;;1.5;;;;;00:01:00;20\r", b"a;False;0.3333333333333333;;;;;0:01:01;21\r"
    )


def test_a_recording_that_is_gone_is_removed_and_a_new_one_appended():
    data = b"id;dropped\nc;True\na;TRUE\nb;False\n"
    before = {"c": {"dropped": True}, "a": {"dropped": True}, "b": {"dropped": False}}
    after = {"b": before["b"], "c": before["c"], "d": {"dropped": True}}
    cell_types = {"dropped": TRUTH_VALUE}
    assert reports.rewritten(parse("Peg_errors.csv", data), before, after, cell_types) == b"id;dropped\nc;True\nb;False\nd;True\n"


def test_an_id_that_stands_twice_is_passed_through_but_not_rewritten():
    data = b"id;dropped\na;True\na;False\n"
    document, before = parse("Peg_errors.csv", data), {"a": {"dropped": False}}
    assert reports.rewritten(document, before, before, {"dropped": TRUTH_VALUE}) == data
    with pytest.raises(RatingsError, match=r"line 3: id 'a' stands twice, first in line 2"):
        reports.rewritten(document, before, {"a": {"dropped": True}}, {"dropped": TRUTH_VALUE})
