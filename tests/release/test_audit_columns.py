"""Private columns in any spelling, CSV read as a whole, and numbers that are dates."""

import io as streams
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrubin.audit.containers import binary_tables
from scrubin.audit.expected.private_columns import Public
from toy_release import IDS, breaking, npy, zipped

NAMES = [
    "Participant",
    "patient_id",
    "Trial",
    "Date",
    "PATIENT-ID",
    "siteName",
    "Date of birth",
    "dateOfBirth",
    "participants",
    "PatientID",
]


def parquet(**columns) -> bytes:
    data = streams.BytesIO()
    pq.write_table(pa.table(columns), data)
    return data.getvalue()


def test_a_private_column_is_found_in_any_spelling(release):
    files = {}
    for number, name in enumerate(NAMES):
        files[f"n{number}.csv"] = f"id,{name}\n{IDS[0]},x\n"
        files[f"n{number}.json"] = json.dumps({"a": [{name: "x"}]})
        files[f"n{number}.parquet"] = parquet(**{"id": [IDS[0]], name: ["x"]})
    assert release.rules_by_file({**files, "none.csv": "id\n"}) == breaking(files, "private-column")


@pytest.mark.parametrize(
    "name", ["frame_count", "Aged", "dataset", "opposite", "update", "sexagesimal", "recordSet", "subset", "Annotation/Date.csv"]
)
def test_a_word_within_a_word_is_no_private_column(name):
    assert not Public().identifies(name)


def test_a_column_that_a_declaration_or_the_parameters_name_is_public():
    public = Public(columns=frozenset({"needle_at_wrong_site"}))
    names = ("Needle_at_wrong_site", "wrong_site", "frame", "Offset_S")
    assert [public.is_private(name) for name in names] == [False, True, False, True]


def test_whether_a_target_is_in_a_frame_is_told_of_no_participant_who_is_called_alike():
    data = parquet(t_3=[True], ivt_12=[False], t_4=[0.5], T_5=[True], t_1=["x"])
    columns = binary_tables.read(pa.py_buffer(data), None, Public()).texts[0]
    assert (columns.place, columns.text.split()) == ("columns", ["t_4", "T_5", "t_1"])


UNEXPLAINED = (
    "# made by\nid,participant\nx,y\n",
    "made by\nid,participant\nx,y\n",
    "id,x\na,b\n\nc,d\n",
    "id,x\na,b\nparticipant,site,date\nc,d,e\n",
    "# made by hand\n",
)
HEADED = ('"id\n or name",participant\nx,y\n', '"a;b;c;d",participant\nx,y\n', "id\tSite\nx\ty\n", "\ufeffsite\nx\n")


def test_the_first_parsed_row_of_a_csv_is_its_header_and_rows_that_none_explains_are_refused(release):
    odd = {f"odd{number}.csv": text for number, text in enumerate(UNEXPLAINED)}
    headed = {f"{number}.{suffix}": text for number, text in enumerate(HEADED) for suffix in ("csv", "tsv")}
    assert release.rules_by_file(odd | headed) == breaking(odd, "unreadable") | breaking(headed, "private-column")


# --- numbers that are dates: 17 April 2023 is private


NUMBERS = (20230417, 17042023, 4172023, 202304171430, -20230417)


def test_a_date_as_a_number_is_found_in_tables_packed_arrays_and_json(release):
    """4172023 could be 04/17/2023 without its zero; where it is one of many ids, it counts."""
    files = {}
    for number in NUMBERS:
        files[f"whole{number}.parquet"] = parquet(value=pa.array([1, number]))
        files[f"real{number}.parquet"] = parquet(value=pa.array([None, float(number)]))
        files[f"lists{number}.parquet"] = parquet(value=pa.array([[1], [number]]))
    for number in (20230417, 17042023, 202304171430):
        files[f"whole{number}.zip"] = zipped(("a.npy", npy(np.array([[3, number]]))))
        files[f"real{number}.zip"] = zipped(("a.npy", npy(np.array([0.5, number]))))
        files[f"json{number}.zip"] = zipped(("a.json", json.dumps({"x": [1, number]}).encode()))
    files = {f"{place}.{name.partition('.')[2]}": data for place, (name, data) in enumerate(files.items())}  # no date in a name
    harmless = {"none.zip": zipped(("a.npy", npy(np.array([3, 4])))), "ids.parquet": parquet(annotation=range(4_172_000, 4_172_100))}
    assert release.rules_by_file(files | harmless) == breaking(files, "private-string")


def test_six_digits_are_a_date_only_under_the_name_of_a_day(release):
    of_a_day = {
        "key.json": json.dumps({"recordedOn": 170423}),
        "list.json": json.dumps({"days": ["170423"]}),
        "column.csv": "id;made\nabelo;170423\n",
        "both.parquet": parquet(frame=[170423], made=[170423]),
    }
    others = {
        "no.json": json.dumps({"image_id": 170423, "area": [170423, "170423"]}),
        "no.csv": "id;frames\n" + "".join(f"{id_};170423\n" for id_ in IDS),
    }
    assert release.rules_by_file(of_a_day | others) == breaking(of_a_day, "private-string")
    assert [finding.place for finding in release.findings() if finding.file == "both.parquet"] == ["column made"]
