"""One way to read a CSV: what is read, and what is refused with which words."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.text import csv_text
from scrubin.base.text.csv_text import Grid, Sheet

BOM = csv_text.BYTE_ORDER_MARK
NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=8)
CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"], include_characters="\n\r\t;,\" '"), max_size=12)


def cells_of(sheet: Sheet) -> list[dict[str, str]]:
    return [dict(row.cells) for row in sheet.rows]


def sentences(sheet: Sheet | Grid) -> list[str]:
    return [fault.sentence for fault in sheet.faults]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    columns = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    rows = draw(st.lists(st.lists(CELLS, min_size=len(columns), max_size=len(columns)), max_size=6))
    return columns, rows


def written(columns: list[str], rows: list[list[str]], delimiter: str, end: str, quoting: int) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode()


@given(tables(), st.sampled_from(csv_text.DELIMITERS), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_what_the_csv_module_writes_is_read_back(table, delimiter, end, mark, all_quoted):
    columns, rows = table
    # A header of one name does not tell the delimiter.
    delimiter = "," if len(columns) == 1 and not all_quoted else delimiter
    # The csv module does not quote a carriage return when lines end otherwise.
    rows = [[cell if all_quoted or "\r" in end else cell.replace("\r", "\n") for cell in row] for row in rows]
    data = written(columns, rows, delimiter, end, csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL)
    sheet = csv_text.read("a.csv", (BOM if mark else b"") + data, columns)
    assert sheet.faults == ()
    assert sheet.columns == tuple(columns)
    # Blanks around a cell mean nothing, and neither do rows without text.
    stripped = [[cell.strip() for cell in row] for row in rows]
    empty = " ;,\t\r\n" if len(columns) == 1 else " "
    assert cells_of(sheet) == [dict(zip(columns, row, strict=True)) for row in stripped if any(cell.strip(empty) for cell in row)]


@given(tables(), st.sampled_from(csv_text.DELIMITERS), st.sampled_from(["\n", "\r\n"]))
def test_rows_stand_in_the_line_in_which_an_editor_shows_them(table, delimiter, end):
    columns, rows = table
    sheet = csv_text.read("a.csv", written(columns, rows, delimiter, end, csv.QUOTE_ALL))
    lines = [2]
    for row in rows:
        lines.append(lines[-1] + 1 + sum(len(csv_text._LINE_END.findall(cell)) for cell in row))
    empty = " ;,\t\r\n" if len(columns) == 1 else " \r\n"
    assert [row.line for row in sheet.rows] == [
        line for line, row in zip(lines, rows, strict=False) if any(cell.strip().strip(empty) for cell in row)
    ]


@given(st.binary(max_size=200) | st.text('ab,;\t"\n\r #\x00é', max_size=60).map(str.encode), st.booleans(), st.booleans())
def test_any_bytes_are_read_or_refused_with_faults(data, whitespace, comments):
    sheet = csv_text.read("a.csv", data, ["id"], comments=comments)
    assert sheet.rows or sheet.faults or sheet.columns
    assert all(fault.file == "a.csv" and fault.sentence.isprintable() for fault in sheet.faults)
    assert all(tuple(row.cells) == sheet.columns for row in sheet.rows)
    cells = csv_text.grid("a.csv", data, whitespace=whitespace, comments=comments)
    assert cells.lines or cells.faults


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("id;score (1,2,3)\n", ";"),
        ('"a;b",c\n', ","),
        ('x,"a;b;c;d",y', ","),
        ('x,"a\n;b",y', ","),
        ("a\tb;c,d", "\t"),
        ("\n;;;\nid;a", ";"),
        (';"a,b"', ";"),
        ("id\n1;2", ","),
        ("frame phase\n0 1", " "),
    ],
)
def test_the_delimiter_is_that_of_the_header_line_outside_of_quotation_marks(text, delimiter):
    assert csv_text.delimiter_of(text, whitespace=True) == (delimiter if delimiter in text.split("\n")[0] or "\n;;" in text else " ")
    assert csv_text.delimiter_of(text) == (delimiter if delimiter != " " else ",")


@pytest.mark.parametrize("cell", ["", " ", "-", "NA", "na", "N/A", "n/a", "<NA>", "NaN", "nan", "None", "null", "NULL"])
def test_missing_values_are_spelled_in_many_ways(cell):
    assert csv_text.is_missing(cell)


@pytest.mark.parametrize("cell", ["0", "-1", "no", "False", "999", ".", "?", "--"])
def test_what_could_be_a_value_is_not_missing(cell):
    assert not csv_text.is_missing(cell)


def test_blanks_and_what_spreadsheets_write_beside_and_below_a_table_mean_nothing():
    sheet = csv_text.read("a.csv", b"\r\n id , a ,,\r\n x, 1,,\r\n,,,\r\n\r\ny,2\r\n")
    assert sheet.faults == ()
    assert [(row.line, dict(row.cells)) for row in sheet.rows] == [(3, {"id": "x", "a": "1"}), (6, {"id": "y", "a": "2"})]
    assert sheet.header_line == 2
    assert sheet.rows[0].written == ("x", "1")


def test_blanks_are_kept_as_written_for_who_wants_them():
    sheet = csv_text.read("a.csv", b"id,path\nx,a.mkv \n")
    assert (sheet.rows[0].cells["path"], sheet.rows[0].as_written("path")) == ("a.mkv", "a.mkv ")


def test_a_nameless_first_column_is_left_out_when_it_numbers_the_rows():
    for numbers in ([0, 1], [1, 2], [17, 4]):
        sheet = csv_text.read("a.csv", ",id\n{},x\n{},y\n".format(*numbers).encode())
        assert (sheet.faults, cells_of(sheet), sheet.row_numbers) == ((), [{"id": "x"}, {"id": "y"}], True)
    for numbers in ("7", "7"), ("a", "b"), ("", "1"):
        sheet = csv_text.read("a.csv", ",id\n{},x\n{},y\n".format(*numbers).encode())
        assert sentences(sheet) == ["a.csv, line 1: column 1 has no name; name it, or remove it"]


def test_lines_with_a_hash_above_the_header_are_comments_where_they_are_allowed():
    data = b'# source: somebody, "somewhere\n\n# more\nid,a\n#1,2\n'
    sheet = csv_text.read("a.csv", data, comments=True)
    assert sheet.comments == ('# source: somebody, "somewhere', "# more")
    assert [(row.line, dict(row.cells)) for row in sheet.rows] == [(5, {"id": "#1", "a": "2"})]
    assert csv_text.read("a.csv", data).faults


def test_cells_are_separated_by_blanks_only_where_that_is_allowed_and_there_is_nothing_else():
    assert [line.cells for line in csv_text.grid("a.txt", b"0  1\n2\t 3", whitespace=True).lines] == [("0", "1"), ("2", "3")]
    assert [line.cells for line in csv_text.grid("a.txt", b"0 a,1\n", whitespace=True).lines] == [("0 a", "1")]
    assert [line.cells for line in csv_text.grid("a.txt", b"0 1\n").lines] == [("0 1",)]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "a.csv: it is empty; write a header and a row for each entry, or remove the file"),
        (BOM + b"\n ;;\n", "a.csv: it is empty; write a header and a row for each entry, or remove the file"),
        (b"id\r\nx\r\n\xe4", "a.csv, line 3: byte 0xe4 at position 7 is not UTF-8; save it again as CSV UTF-8"),
        (BOM + b"id\n\xe4", "a.csv, line 2: byte 0xe4 at position 6 is not UTF-8; save it again as CSV UTF-8"),
        ("id,a".encode("utf-16"), "a.csv: is UTF-16 text, not UTF-8 text; save it again as CSV UTF-8"),
        (b"PK\x03\x04...", "a.csv: is a workbook or an archive, not UTF-8 text; save it again as CSV UTF-8"),
        (b"id\nx\0", "a.csv, line 2: holds a NUL byte, so it is damaged or no text; save it again as CSV UTF-8"),
        (b"id,a,id\n", "a.csv, line 1: column 'id' stands twice; rename or remove one"),
        (b"\nid,,a\n", "a.csv, line 2: column 2 has no name; name it, or remove it"),
        (b"ID,a\n", "a.csv, line 1: column 'id' is missing; did you mean 'ID'?"),
        (b"name,a\n", "a.csv, line 1: column 'id' is missing; add it; there are name, a"),
    ],
)
def test_what_spoils_a_file_is_one_fault_and_no_row(data, sentence):
    sheet = csv_text.read("a.csv", data, ["id"])
    assert sentences(sheet) == [sentence]
    assert sheet.rows == ()


def test_a_column_that_is_not_known_is_a_fault_where_the_columns_are_known():
    assert csv_text.read("a.csv", b"id,site\n", ["id"], ["site"]).faults == ()
    assert sentences(csv_text.read("a.csv", b"x,sote\n", ["id", "task", "site"])) == [
        "a.csv, line 1: column 'site' is missing; did you mean 'sote'?",
        "a.csv, line 1: columns 'id', 'task' are missing; add them; there are x, sote",
    ]
    assert sentences(csv_text.read("a.csv", b"id,sote\n", ["id"], ["site"])) == [
        "a.csv, line 1: column 'sote' is unknown; did you mean 'site'?"
    ]
    assert sentences(csv_text.read("a.csv", b"id,x\n", ["id"], [])) == ["a.csv, line 1: column 'x' is unknown; known are id"]


def test_a_row_of_another_length_is_kept_apart():
    # A cell too many is none, even if it is empty: the others may have been shifted.
    sheet = csv_text.read("a.csv", b"id,a\nx\ny,1\nz,1,\n")
    assert cells_of(sheet) == [{"id": "y", "a": "1"}]
    assert [(misfit.row.line, dict(misfit.row.cells)) for misfit in sheet.misfits] == [(2, {"id": "x"}), (4, {"id": "z", "a": "1"})]
    fix = "give one cell per column, in quotation marks if it holds a delimiter"
    assert sentences(sheet) == [
        f"a.csv, line 2: expected 2 cells, but got 1: 'x'; {fix}",
        f"a.csv, line 4: expected 2 cells, but got 3: 'z,1,'; {fix}",
    ]


TITLES = ["Course of May", "sep=;", "Course of May;;;", "Course, in May"]


@pytest.mark.parametrize("title", TITLES)
def test_a_line_above_the_header_is_one_fault_of_that_line(title):
    text = f"{title}\r\n\r\nid;force;note\r\np1;3,5;\r\np2;4;late\r\n"
    sheet = csv_text.read("a.csv", text.encode("utf-8-sig"), ("id", "force"))
    assert [fault.sentence for fault in sheet.faults] == [
        f"a.csv, line 1: '{title}' is no header, the names of columns stand in line 3; remove it"
    ]
    assert sheet.rows == ()


@pytest.mark.parametrize(
    "text",
    [
        "id\na,b\nc,d\n",  # a header of one known column, and names with commas
        "name;note\nx;3,5\ny;4,5;z\n",
        "force\n3,5\n4,5\n",
        "id,note\na,b,c\nd,e,f\n",
        "Course of May\nid;force\n",
    ],
)
def test_a_header_is_none_above_it(text):
    assert csv_text.above_header("a.csv", text.encode(), ("id",)) == ()


def test_a_quotation_mark_that_never_closes_is_a_fault_of_the_line_in_which_it_opens():
    sheet = csv_text.read("a.csv", b'id,a\nx,1\ny,"2\nz,3\n')
    assert cells_of(sheet) == [{"id": "x", "a": "1"}]
    assert sentences(sheet) == [
        "a.csv, line 3: a quotation mark is opened but never closed; correct the quotation marks, or save it again as CSV"
    ]


def test_a_file_that_cannot_be_opened_is_a_fault(tmp_path):
    assert sentences(csv_text.read_path(tmp_path / "a.csv", "a.csv")) == ["a.csv: there is no such file; name a CSV file"]
    assert sentences(csv_text.read_path(tmp_path, "folder")) == ["folder: it is a folder; name a CSV file"]
    (tmp_path / "b.csv").write_bytes(b"id\nx\n")
    assert cells_of(csv_text.read_path(tmp_path / "b.csv", "b.csv", ["id"])) == [{"id": "x"}]


NUMBERS = {
    "12,5": ("12,5", "12.5"),
    "a point stays": ("12.5", "12.5"),
    "a comma that shows what commas are": ("0,25", "0.25"),
    "text stays": ("north, left", "north, left"),
    "thousands or a decimal comma": ("12,500", None),
    "two kinds of separators": ("1.234,5", None),
    "two groups of thousands": ("1.234.567", None),
    "without thousands a point is a point": ("12.500", "12.500"),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_decimal_commas_are_read_only_where_they_mean_one_thing(case):
    cell, number = NUMBERS[case]
    sheet, faults = csv_text.with_points(csv_text.read("a.csv", f"id;s\nx;{cell}\n".encode()), ["s"])
    assert [fault.place for fault in faults] == ([] if number else ["line 2"])
    assert sheet.rows[0].cells["s"] == (number or cell)


def test_another_cell_can_show_that_a_comma_is_a_decimal_one():
    sheet, faults = csv_text.with_points(csv_text.read("a.csv", b"id;s\nx;12,500\ny;3,5\nz;12.500\n"), ["s"])
    assert [row.cells["s"] for row in sheet.rows] == ["12.500", "3.5", "12.500"]
    assert [fault.place for fault in faults] == ["line 4"]


def test_where_the_comma_separates_cells_it_is_no_decimal_one():
    read = csv_text.read("a.csv", b'id,s\nx,"12,5"\n')
    assert csv_text.with_points(read, ["s"]) == (read, ())
