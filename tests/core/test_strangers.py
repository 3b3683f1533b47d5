"""Files that somebody else made: what is no plain file, leads out, is too large or unpacks to too much is one line, at once."""

from __future__ import annotations

import io
import os
import pickle
import socket
import struct
import zipfile
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrubin.base import pixels, strangers, unpacking
from scrubin.base.errors import FileError, ScrubinError
from scrubin.base.text import csv_text
from scrubin.media.released import frame_files

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(8)
)


def header(shape, dtype="<f8"):
    """The header of an npy file without what it states."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": shape})
    return file.getvalue()


def npz(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return file.getvalue()


def refused(read, *parts):
    """The sentence with which something is refused: one line."""
    with pytest.raises(FileError) as error:
        read()
    said = str(error.value)
    assert "\n" not in said
    assert all(part in said for part in parts), said
    return error.value


@pytest.fixture
def release(tmp_path):
    folder = tmp_path / "release"
    (folder / "deeper").mkdir(parents=True)
    (folder / "real.json").write_text('{"a": 1}')
    (tmp_path / "secret.json").write_text("{}")
    return folder


@pytest.mark.parametrize(("kind", "says"), [("pipe", "a pipe"), ("zero", "a device"), ("socket", "a socket")])
def test_what_is_no_plain_file_is_refused_at_once(release, kind, says, monkeypatch):
    monkeypatch.chdir(release)  # a socket's name has to be short
    path = release / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    else:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(kind)
    error = refused(lambda: strangers.read_bytes(path), str(path), says, "put the file itself there")
    assert {OSError, ValueError, ScrubinError} <= set(type(error).__mro__)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_links_may_lead_to_another_place_inside_but_not_out(release):
    (release / "inside.json").symlink_to(release / "real.json")
    (release / "deeper/chain.json").symlink_to("../inside.json")
    (release / "out.json").symlink_to("../secret.json")
    (release / "folder").symlink_to(release.parent)
    assert strangers.read_json(release / "deeper/chain.json", inside=release) == {"a": 1}
    for name in ("out.json", "folder/secret.json", "../secret.json"):
        refused(lambda name=name: strangers.read_bytes(release / name, inside=release), name, "it is outside of")
    assert strangers.read_json(release / "out.json") == {}


def test_links_in_a_circle_folders_and_impossible_names_are_errors_of_the_system_or_ours(release):
    (release / "a").symlink_to("b")
    (release / "b").symlink_to("a")
    for name in ("a", "deeper", "missing"):
        with pytest.raises(OSError, match=r"Too many levels|Is a directory|No such file"):
            strangers.read_bytes(release / name, inside=release)
    for name in ("a\0b", "a\ud800"):
        refused(lambda name=name: strangers.read_bytes(release / name), "there can be no file of this name")


def test_a_limit_says_its_name_and_can_be_raised_by_it(release, monkeypatch):
    with (release / "large").open("wb") as file:
        file.truncate(3 * 10**9)
    refused(lambda: unpacking.parquet(release / "large", "large"), "it cannot be read as parquet")
    with (release / "holes").open("wb") as file:
        file.truncate(10**13)
    refused(lambda: strangers.opened(release / "holes"), "it has 1e+04 GB, above the limit of 500", "SCRUBIN_LIMITS=streamed_gb=")
    refused(lambda: strangers.read_bytes(release / "large"), "it has 3 GB, above the limit of 1", "SCRUBIN_LIMITS=file_gb=3.2")
    monkeypatch.setenv("SCRUBIN_LIMITS", "yaml_mb=32 file_gb=0.000000001")
    refused(lambda: strangers.read_bytes(release / "real.json"), "above the limit of 1e-09")
    assert strangers.limits().yaml_mb == 32
    monkeypatch.setenv("SCRUBIN_LIMITS", "file_bg=3")
    refused(strangers.limits, "did you mean 'file_gb'?")
    monkeypatch.setenv("SCRUBIN_LIMITS", "file_gb=much")
    refused(strangers.limits, "'file_gb=much' is no number")


def test_the_page_has_every_limit_with_its_default():
    page = (Path(__file__).parents[2] / "docs/policy.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[:2] for line in page.splitlines() if line.startswith("| `")]
    stated = {name.removeprefix("| `").removesuffix("`"): value for name, value in rows}
    assert {name: float(stated[name]) for name in asdict(strangers.Limits())} == asdict(strangers.Limits())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "has 5000 digits"),
        (b'{"a": 1', "it is not JSON"),
        (b'{"a": "\xff"}', "it is not JSON"),
    ],
)
def test_json_that_no_reader_survives_is_one_line(text, says):
    refused(lambda: strangers.json_value(text, "a.json"), "a.json: ", says)


@pytest.mark.parametrize(
    "text", [BOMB, "[" * 5000, "a: &a [*a]", "a: 2001-99-99", "a: !!int x", "a: " + "9" * 5000, "a: !!python/name:os.system x", "{"]
)
def test_yaml_that_no_reader_survives_is_one_line(text):
    refused(lambda: strangers.yaml_value(text, "a.yaml"), "a.yaml: ")


def test_yaml_with_anchors_as_people_use_them_is_read():
    assert strangers.yaml_value("a: &a {x: 1}\nb: {<<: *a, y: [*a, *a]}") == {"a": {"x": 1}, "b": {"x": 1, "y": [{"x": 1}, {"x": 1}]}}


@pytest.mark.parametrize(
    ("data", "packed", "says"),
    [
        (header((10**14,)), False, "its header states 100000000000000 values of 8 bytes, but it holds 0 bytes"),
        (npz(scores=header((10**14,))), True, "array 'scores': its header states"),
        (header((-1, 5)), False, "its shape is (-1, 5)"),
        (header((10**18,), "|S0"), False, "its header states"),
        (header((1,), "|O") + pickle.dumps(1), False, "allow_pickle=False"),
        (b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535, False, "cannot be read as an array"),
        (npz(scores=b"hello"), True, "it is no array of numpy"),
        (npz(scores=header((1,)) + bytes(8))[:-30], True, "it cannot be unpacked"),
    ],
)
def test_arrays_are_measured_before_they_are_allocated(data, packed, says):
    refused(lambda: unpacking.arrays(data, "a.npz", packed=packed), says)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("second", ["scores.npy", "./scores.npy"])
def test_a_member_that_stands_twice_is_not_read_by_its_last_copy(second):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("scores.npy", header((1,)) + bytes(8))
        archive.writestr(second, header((1,)) + bytes(8))

    def read():
        with unpacking.zipped(file.getvalue(), "a.xlsx"):
            pass

    refused(read, "a.xlsx: its member 'scores.npy' stands twice; write it again")


def test_a_small_archive_that_unpacks_to_gigabytes_is_not_unpacked():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scores.npy", b"")
    # The directory says 4 GB, as that of a bomb does; what is in there does not matter, for it is not looked at.
    data = bytearray(file.getvalue())
    struct.pack_into("<I", data, data.rfind(b"PK\x01\x02") + 24, 4 * 10**9)
    refused(lambda: unpacking.arrays(bytes(data), "a.npz", packed=True), "it unpacks to 4 GB", "SCRUBIN_LIMITS=unpacked_gb=4.2")


@pytest.mark.slow
def test_tables_are_measured_by_what_they_say_and_by_texts_that_repeat(tmp_path):
    repeated = pa.DictionaryArray.from_arrays(pa.array(np.zeros(50_000, np.int32)), pa.array(["x" * 100_000]))
    pq.write_table(pa.table({"id": repeated}), tmp_path / "texts.parquet", store_schema=False)
    pq.write_table(pa.table({"n": pa.array(np.zeros(140_000_000, np.int8))}), tmp_path / "rows.parquet")
    refused(lambda: unpacking.parquet(tmp_path / "texts.parquet", "texts"), "it unpacks to 5 GB")
    refused(lambda: unpacking.parquet(tmp_path / "rows.parquet", "rows"), "it unpacks to 1.12 GB")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "rows.parquet").read_bytes()[:-50])
    refused(lambda: unpacking.parquet(tmp_path / "cut.parquet", "cut"), "it cannot be read as parquet")


def test_a_table_with_many_repeated_texts_is_read_as_ever(tmp_path, monkeypatch):
    monkeypatch.setenv("SCRUBIN_LIMITS", "unpacked_gb=0.001")  # so that the texts are counted
    table = pa.table({"id": ["left", None, "räch"] * 2000, "n": range(6000), "lists": [["a", "b"], [], None] * 2000})
    pq.write_table(table, tmp_path / "t.parquet")
    assert unpacking.parquet(tmp_path / "t.parquet", "t").equals(table)
    assert unpacking.parquet(tmp_path / "t.parquet", "t", ["n", "id"]).equals(table.select(["n", "id"]))


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".bmp", ".tiff", ".webp"])
def test_the_size_of_a_picture_is_read_from_its_header(suffix):
    cv2 = pytest.importorskip("cv2")
    data = cv2.imencode(suffix, np.zeros((30, 40, 3), np.uint8))[1].tobytes()
    assert pixels.picture_size(data) == (40, 30)
    pixels.refuse_huge_picture(data, "a")


def test_a_picture_of_gigabytes_is_not_decoded(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"\xff\xd8\xff\xc0\x00\x11\x08" + struct.pack(">HH", 65500, 65500) + bytes(20))
    refused(lambda: pixels.read_picture(tmp_path / "a.jpg"), "its picture has 65500 x 65500 pixels", "picture_megapixels")


def test_a_shard_with_a_negative_size_ends(tmp_path):
    block = bytearray(512)
    block[:1], block[124:135] = b"a", b"-0000001000"
    (tmp_path / "a.tar").write_bytes(bytes(block) * 4)
    with pytest.raises(ValueError, match="negative size"):
        frame_files.index(tmp_path / "a.tar")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"id\n" + b"x" * (17 << 20), "a line has more than"),
        (b",".join(b"%d" % n for n in range(20_001)), "20001 columns, above the limit"),
    ],
)
def test_a_csv_of_one_endless_line_or_row_is_a_fault(data, says):
    assert says in csv_text.read("a.csv", data).faults[0].sentence


def test_a_note_for_pandas_that_makes_no_sense_is_passed_over():
    table = pa.table({"frame": [0, 1]})
    for note in (b'{"index_columns": ["x"], "columns": 7}', b'{"index_columns": 3}', b"[]"):
        odd = table.replace_schema_metadata({b"pandas": note})
        assert unpacking.to_pandas(odd).frame.tolist() == [0, 1]
