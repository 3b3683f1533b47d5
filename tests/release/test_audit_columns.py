"""Private columns in any spelling, CSV read as a whole, numbers that are dates, whole arrays and zips."""

import io as streams
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrubin.audit.expected.private_columns import Public
from toy_release import IDS, TASK

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


def written(release, name: str, data: bytes | str) -> set[str]:
    data = data.encode() if isinstance(data, str) else data
    return release.rules_after(lambda: release.path(name).write_bytes(data))


def parquet(columns) -> bytes:
    data = streams.BytesIO()
    pq.write_table(pa.table(columns), data)
    return data.getvalue()


def array(values) -> bytes:
    data = streams.BytesIO()
    np.save(data, values)
    return data.getvalue()


def test_a_private_column_is_found_in_any_spelling(release):
    files = {}
    for number, name in enumerate(NAMES):
        files[f"n{number}.csv"] = f"id,{name}\n{IDS[0]},x\n".encode()
        files[f"n{number}.json"] = json.dumps({"a": [{name: "x"}]}).encode()
        files[f"n{number}.parquet"] = parquet({"id": [IDS[0]], name: ["x"]})
    assert release.rules_by_file({**files, "none.csv": b"id\n"}) == {name: {"private-column"} for name in files}


@pytest.mark.parametrize(
    "name", ["frame_count", "Aged", "dataset", "opposite", "update", "sexagesimal", "recordSet", "subset", "Annotation/Date.csv"]
)
def test_a_word_within_a_word_is_no_private_column(name):
    assert not Public().identifies(name)


def test_a_column_that_a_declaration_or_the_parameters_name_is_public():
    public = Public(columns=frozenset({"needle_at_wrong_site"}))
    assert not public.is_private("Needle_at_wrong_site")
    assert public.is_private("wrong_site")
    assert not public.is_private("frame")
    assert public.is_private("Offset_S")


def test_a_list_or_mapping_of_released_ids_is_harmless_under_any_key(release):
    assert written(release, "more.json", json.dumps({"recordings": dict.fromkeys(IDS, 1), "patients": list(IDS)})) == set()
    assert written(release, "more.json", json.dumps({"recordings": {**dict.fromkeys(IDS, 1), "x": 1}})) == {"private-column"}
    assert written(release, "more.json", json.dumps({"recordings": {}})) == set()


# --- CSV


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    "text",
    [
        "# made by\nid,participant\nx,y\n",
        "made by\nid,participant\nx,y\n",
        "id,x\na,b\n\nc,d\n",
        "id,x\na,b\nparticipant,site,date\nc,d,e\n",
        "# made by hand\n",
    ],
)
def test_rows_that_no_header_explains_are_refused(release, text):
    assert written(release, "more.csv", text) == {"unreadable"}


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "text", ['"id\n or name",participant\nx,y\n', '"a;b;c;d",participant\nx,y\n', "id\tSite\nx\ty\n", "\ufeffsite\nx\n"]
)
def test_the_first_parsed_row_is_the_header(release, text):
    assert written(release, "more.csv", text) == {"private-column"}
    assert written(release, "more.tsv", text) == {"private-column"}


# --- numbers that are dates: 17 April 2023 is private


@pytest.mark.cases(3)
@pytest.mark.parametrize("number", [20230417, 17042023, 4172023, 202304171430, -20230417])
def test_a_date_as_a_number_is_found_in_tables(release, number):
    columns = {
        "whole.parquet": pa.array([1, number]),
        "real.parquet": pa.array([None, float(number)]),
        "lists.parquet": pa.array([[1], [number]]),
    }
    files = {name: parquet({"value": values}) for name, values in columns.items()}
    assert release.rules_by_file(files) == {name: {"private-string"} for name in files}


@pytest.mark.parametrize("number", [20230417, 17042023, 202304171430])
def test_a_date_as_a_number_is_found_in_packed_arrays_and_json(release, number):
    def packed(name: str, data: bytes) -> bytes:
        target = streams.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
        return target.getvalue()

    files = {
        "whole.zip": packed("a.npy", array(np.array([[3, number]]))),
        "real.zip": packed("a.npy", array(np.array([0.5, number]))),
        "json.zip": packed("a.json", json.dumps({"x": [1, number]}).encode()),
    }
    harmless = packed("a.npy", array(np.array([3, 4])))
    assert release.rules_by_file({**files, "none.zip": harmless}) == {name: {"private-string"} for name in files}


@pytest.mark.slow
def test_six_digits_are_a_date_only_under_the_name_of_a_day(release):
    assert written(release, "more.json", json.dumps({"image_id": 170423, "area": [170423, "170423"]})) == set()
    assert written(release, "more.json", json.dumps({"recordedOn": 170423})) == {"private-string"}
    assert written(release, "more.json", json.dumps({"days": ["170423"]})) == {"private-string"}
    release.path("more.json").unlink()
    assert written(release, "more.csv", "id;made\nabelo;170423\n") == {"private-string"}
    release.path("more.csv").unlink()
    pq.write_table(pa.table({"frame": [170423], "made": [170423]}), release.path("more.parquet"))
    release.seal()
    assert [finding.place for finding in release.findings()] == ["column made"]


def test_numbers_that_count_up_are_no_dates(release):
    """4172023 could be 04/17/2023 without its zero, and is one of many ids here."""
    pq.write_table(pa.table({"annotation": range(4_172_000, 4_172_100)}), release.path("more.parquet"))
    release.seal()
    assert release.rules() == set()


# --- arrays


def test_byte_strings_of_an_array_are_read(release):
    values = np.array(["train", "Li Wei"]).astype("S")
    assert written(release, "more.npy", array(np.array(["train"]).astype("S"))) == set()
    assert written(release, "more.npy", array(values)) == {"private-string"}


def test_bytes_after_an_array_are_refused(release):
    assert written(release, "more.npy", array(np.arange(3)) + b"hello") == {"unreadable"}
    assert written(release, "more.npy", array(np.arange(3)) + b"Li Wei") == {"unreadable", "private-string"}


def test_a_zip_under_the_name_of_an_array_is_a_finding(release):
    assert "unreadable" in written(release, "more.npy", release.path("archives/Annotation.zip").read_bytes())


# --- zip


@pytest.mark.slow
def test_bytes_after_a_zip_are_found(release):
    path = release.path("archives/Annotation.zip")
    whole = path.read_bytes()
    for data in (whole + b"hello", whole + bytes(30)):
        assert release.rules_after(lambda data=data: path.write_bytes(data)) == {"zip"}
    before_the_end = whole[:-22] + b"hello" + whole[-22:]
    assert release.rules_after(lambda: path.write_bytes(before_the_end)) & {"zip", "unreadable"}


def test_a_large_zip_has_a_longer_end(release, monkeypatch):
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 0)
    path = release.path("archives/Annotation.zip")
    member = release.path(f"Annotation/{TASK}.csv")

    def pack() -> None:
        with zipfile.ZipFile(path, "w") as archive:
            entry = zipfile.ZipInfo(f"Annotation/{TASK}.csv", (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            archive.writestr(entry, member.read_bytes())

    assert release.rules_after(pack) == set()
    assert b"PK\x06\x06" in path.read_bytes()
