"""Formats by their signs: each module is found, the right one of every example, and a refusal rather than a guess."""

import gzip
import io
import sys

import pandas as pd
import pytest

from label_examples import EXAMPLES
from scrubin.base.errors import AnnotationError
from scrubin.labels import formats, tried
from scrubin.labels.files import detect
from scrubin.labels.registry import never, readable
from verdict_cases import write_files as put


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_every_format_is_known_by_its_signs(name, tmp_path):
    assert detect.detected(put(tmp_path / "study", EXAMPLES[name])).name == name


@pytest.mark.parametrize("name", ["avos", "cataract101", "cataract1k", "cvschallenge", "endoscapescvs", "petraw", "pitvis", "surch"])
@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_table_that_a_spreadsheet_saved_with_another_delimiter_is_known_by_its_signs(name, delimiter, tmp_path):
    for file, data in EXAMPLES[name].items():
        table = pd.read_csv(io.BytesIO(data), sep=None, engine="python", dtype=str, keep_default_na=False)
        put(tmp_path, {file: table.to_csv(index=False, sep=delimiter).encode()})
    assert detect.detected(tmp_path).name == name


def test_every_format_has_signs():
    assert all(form.by_hand.evidence is not never for form in readable().values())


@pytest.mark.parametrize("data", [b"", b"[1]", b"{}", b'{"a": 1}', b"null"])
def test_what_is_no_label_file_is_refused_with_the_formats(data, tmp_path):
    (tmp_path / "video.json").write_bytes(data)
    with pytest.raises(AnnotationError, match=r"looks like no format of labels.*; name the format by --from: aixsuture, .*cholec80"):
        detect.detected(tmp_path / "video.json")


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.csv", "frame,phase\n0,cut\n".encode("utf-16"), "a.csv: is UTF-16 text, not UTF-8 text; save it again as CSV UTF-8"),
        ("a.CSV", b"frame,phase\n0,caf\xe9\n", "a.CSV, line 2: byte 0xe9 at position 17 is not UTF-8; save it again as CSV UTF-8"),
        ("a.txt", gzip.compress(b"0\n", mtime=0), "a.txt: is compressed, not UTF-8 text; save it again as CSV UTF-8"),
        ("a.csv", b"PK\x03\x04", "a.csv: is a workbook or an archive, not UTF-8 text; save it again as CSV UTF-8"),
        ("a.tsv", b"frame\tphase\n0\t\0\n", "a.tsv, line 2: holds a NUL byte, so it is damaged or no text; save it again as CSV UTF-8"),
        ("a.json", b'{"0": [', "a.json, line 1: not JSON: Expecting value at column 8; the file may be cut off, export it again"),
        (
            "a.json",
            b'{"0" 1}',
            "a.json, line 1: not JSON: Expecting ':' delimiter at column 6; the file may be cut off, export it again",
        ),
        ("a.json", gzip.compress(b"{}", mtime=0), "a.json: is gzip data; unpack it"),
    ],
)
def test_what_is_no_text_is_refused_for_that_and_not_for_its_format(name, data, says, tmp_path):
    (tmp_path / name).write_bytes(data)
    for path in (tmp_path / name, tmp_path):
        with pytest.raises(AnnotationError) as refused:
            detect.detected(path)
        (one,) = refused.value.faults
        assert one.sentence == f"{tmp_path}/{says}"


def test_a_folder_of_two_formats_is_refused_with_both(tmp_path):
    for name in ("cholec80", "aixsuture"):
        put(tmp_path, EXAMPLES[name])
    with pytest.raises(AnnotationError, match="this could be aixsuture or cholec80; name the format"):
        detect.detected(tmp_path)


def test_a_path_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(AnnotationError, match="there is no such file or folder"):
        detect.detected(tmp_path / "nothing")


def test_it_is_said_of_every_format_which_files_of_its_authors_it_was_tried_on():
    assert set(tried.TRIED) == set(readable())
    assert tried.sentence("cataract101").startswith("tried on 3 files of the authors (as in matinmoqadas/Cataract-101")
    assert tried.sentence("pitvis") == "none found so far"


MADE_UP = '"""A format."""\n'


def test_modules_and_those_of_packages_are_found_in_sorted_order(tmp_path, monkeypatch):
    package = tmp_path / "made_up_formats"
    (package / "inner").mkdir(parents=True)
    for file in ("__init__.py", "b.py", "a.py", "submission.py", "inner/__init__.py", "inner/reader.py"):
        (package / file).write_text(MADE_UP)
    monkeypatch.syspath_prepend(str(tmp_path))
    names = list(formats.modules([str(package)], package.name))
    assert names == [f"made_up_formats.{name}" for name in ("a", "b", "inner", "inner.reader")]


def test_every_module_of_a_format_is_imported():
    names = list(formats.modules(formats.__path__, formats.__name__))
    assert "scrubin.labels.formats.triplets.cholect50" in names
    assert all(name in sys.modules for name in names)
