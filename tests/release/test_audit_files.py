"""Every rule about other files, broken on purpose: the audit must name it, and nothing else."""

import gzip
import json
import os
import struct
import zlib

import cv2
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrubin.audit.run import audit, refuse
from scrubin.base.errors import PrivacyError
from scrubin.base.files import set_fixed_time, sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.private import LINKAGE
from toy_release import IDS, TASK, breaking, npy, recordings, zipped

FRAMES = [f"frames/{TASK}/mono/{id_}/{number:06d}.jpg" for number in (0, 1) for id_ in IDS]
FRAME, DARK = FRAMES[0], FRAMES[4]
SHEET = f"Annotation/{TASK}.csv"


def jpeg(picture: np.ndarray) -> bytes:
    return bytes(cv2.imencode(".jpg", picture)[1])


# --- pictures


SEGMENTS = ((0xE1, b"Exif\0\0hello"), (0xFE, b"a comment"), (0xE2, b"ICC_PROFILE\0\1\1x"), (0xED, b"Photoshop 3.0\0"), (0xE0, b"JFXX\0"))


def test_what_a_jpeg_holds_beside_its_picture_is_found(release):
    """Each in a frame of its own."""
    whole = {name: release.path(name).read_bytes() for name in FRAMES[: len(SEGMENTS) + 1]}
    (last, data), *others = reversed(whole.items())
    changed = {last: data + b"hello"}
    for (name, data), (marker, body) in zip(others, SEGMENTS, strict=True):
        changed[name] = data[:2] + bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body + data[2:]
    assert release.rules_by_file(changed) == breaking(changed, "image-metadata")


def test_a_frame_that_is_cut_off_or_shows_what_is_hidden_is_found(release):
    bright, noise = np.zeros((64, 96, 3), np.uint8), np.random.default_rng(3).integers(0, 255, (64, 96, 3), np.uint8)
    bright[20:40, 20:40] = 60
    found = release.rules_by_file({FRAME: jpeg(noise), DARK: jpeg(bright), FRAMES[1]: release.path(FRAMES[1]).read_bytes()[:-200]})
    assert "unreadable" in found.pop(FRAMES[1])
    assert found == breaking((FRAME, DARK), "not-black", "frame-picture")


def test_a_png_text_is_found(release):
    plain = bytes(cv2.imencode(".png", np.zeros((4, 4, 3), np.uint8))[1])
    body = b"tEXt" + b"Author\0hello"
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    # No frame of the plan, which is a finding of its own.
    files = {"plain.png": plain, "text.png": plain[:33] + chunk + plain[33:], "behind.png": plain + b"hello"}
    both = {"layout", "image-metadata"}
    assert release.rules_by_file(files) == {"plain.png": {"layout"}, "text.png": both, "behind.png": both}


# --- zip, gzip and numpy


def test_whatever_a_zip_tells_beside_its_members_is_found(release):
    member = (SHEET, release.path(SHEET).read_bytes())
    plain = zipped(member, deflated=False)
    told = (
        {"comment": b"hello"},
        {"date_time": (2023, 4, 17, 12, 0, 0)},
        {"create_system": 0},
        {"extra": b"UT\x05\x00\x01\x00\x00\x00\x00"},
        {"extra": b"\x01"},
    )
    odd = {f"archives/{number}.zip": zipped(member, deflated=False, **values) for number, values in enumerate(told)}
    odd |= {"archives/comment.zip": plain[:-2] + b"\5\0hello", "archives/before.zip": b"hello" + plain}
    odd |= {"archives/behind.zip": plain + b"hello", "archives/zeros.zip": plain + bytes(30)}
    found = release.rules_by_file({**odd, "archives/plain.zip": plain, "archives/gap.zip": plain[:-22] + b"hello" + plain[-22:]})
    assert found.pop("archives/gap.zip") & {"zip", "unreadable"}
    assert found == breaking(odd, "zip")


def test_members_of_a_zip_are_released_files_in_their_order(release):
    names = [f"videos/{TASK}/mono/{id_}.mkv" for id_ in reversed(IDS)]
    turned = zipped(*((name.removeprefix("videos/"), release.path(name).read_bytes()) for name in names), deflated=False)
    other = zipped(("more.mkv", release.video.read_bytes() + b"x"), deflated=False)
    files = {f"archives/{TASK}_mono.zip": turned, "archives/more.zip": other}
    assert release.rules_by_file(files) == {f"archives/{TASK}_mono.zip": {"order"}, "archives/more.zip": {"unreadable"}}


def test_a_large_zip_has_a_longer_end(release, monkeypatch):
    monkeypatch.setattr("zipfile.ZIP_FILECOUNT_LIMIT", 0)
    data = zipped((SHEET, release.path(SHEET).read_bytes()), deflated=False)
    assert b"PK\x06\x06" in data
    assert release.rules_by_file({"archives/Annotation.zip": data}) == {}


def test_names_and_times_of_a_gzip_and_names_inside_are_found(release):
    def gzipped(name: str, time: int) -> bytes:
        path = release.folder.parent / "a.gz"
        with path.open("wb") as raw, gzip.GzipFile(name, "wb", mtime=time, fileobj=raw) as file:
            file.write(b"id;x\n")
        return path.read_bytes()

    private = gzip.compress("id;x\nGrünwaldner;1\n".encode(), mtime=0)
    files = {"a.csv.gz": gzipped("", 0), "b.csv.gz": gzipped("", 1_681_732_800), "c.csv.gz": gzipped("raw.csv", 0), "d.csv.gz": private}
    assert release.rules_by_file(files) == {"b.csv.gz": {"gzip"}, "c.csv.gz": {"gzip"}, "d.csv.gz": {"private-string"}}


def test_what_stands_in_an_array_is_read_to_its_end(release):
    of_bytes, numbers = np.array(["train", "Li Wei"]).astype("S"), npy(np.arange(3))
    files = {
        "sound.npy": npy(of_bytes[:1]),
        "sound.npz": zipped(("a.npy", npy(np.array(["train", "test"])))),
        "name.npy": npy(of_bytes),
        "name.npz": zipped(("a.npy", npy(np.array(["train", "Mechthild"])))),
        "objects.npz": zipped(("a.npy", npy(np.array([{"a": 1}], dtype=object)))),
        "behind.npy": numbers + b"hello",
        "name_behind.npy": numbers + b"Li Wei",
        "zip.npy": release.path("archives/Annotation.zip").read_bytes(),
    }
    assert release.rules_by_file(files) == {
        **breaking(("name.npy", "name.npz"), "private-string"),
        **breaking(("objects.npz", "behind.npy", "zip.npy"), "unreadable"),
        "name_behind.npy": {"unreadable", "private-string"},
    }


# --- tables


def with_metadata(release, **metadata: str) -> set[str]:
    path = release.path("tables/videos.parquet")
    table = pq.read_table(path)
    stated = {**table.schema.metadata, **{key.encode(): value for key, value in metadata.items()}}
    return release.rules_after(lambda: pq.write_table(table.replace_schema_metadata(stated), path))


def test_a_parquet_metadata_key_is_found_and_the_name_of_a_private_table(release):
    assert with_metadata(release, note="hello") == {"parquet-metadata"}
    assert with_metadata(release, table="linkage") == {"parquet-metadata", "private-table"}


def test_a_parquet_column_metadata_key_is_found(release):
    path = release.path("tables/videos.parquet")
    table = pq.read_table(path)
    field = table.schema.field("task")
    other = table.schema.set(1, field.with_metadata({**field.metadata, b"from": b"hello"}))
    assert release.rules_after(lambda: pq.write_table(table.cast(other), path)) == {"parquet-metadata"}


def test_a_private_column_is_found_in_any_table(release):
    release.path("groundtruth").mkdir()
    pd.DataFrame({"id": IDS, "participant": [1, 2, 3, 4]}).to_parquet(release.path("groundtruth/a.parquet"))
    sheet = release.path(SHEET).read_bytes().replace(b"GRS", b"site")
    assert release.rules_by_file({SHEET: sheet}) == breaking(("groundtruth/a.parquet", SHEET), "private-column")


def test_a_private_key_is_found_in_json_unless_it_holds_released_ids(release):
    values = {
        "ids": {"images": [{"recording": id_} for id_ in IDS]},
        "lists": {"recordings": dict.fromkeys(IDS, 1), "patients": list(IDS)},
        "none": {"recordings": {}},
        "number": {"images": [{"recording": 17}]},
        "more": {"recordings": {**dict.fromkeys(IDS, 1), "x": 1}},
    }
    found = release.rules_by_file({f"groundtruth/{name}.json": json.dumps(value) for name, value in values.items()})
    assert found == breaking(("groundtruth/number.json", "groundtruth/more.json"), "private-column")


def test_a_private_table_is_found_under_any_name(release):
    rows = [{"recording": f"r-{id_}", "id": id_, "draw": number} for number, id_ in enumerate(IDS)]
    io.write(LINKAGE, io.frame_of(LINKAGE, rows), release.path("tables/more.parquet"))
    found = release.rules_by_file({"more.csv": "recording;id\nx;y\n"})
    assert found == breaking(("tables/more.parquet", "more.csv"), "private-column", "private-table")


def test_rows_in_the_order_of_recordings_are_found(release):
    path = release.path("tables/videos.parquet")
    rows = pq.read_table(path).take([2, 0, 3, 1])
    assert release.rules_after(lambda: pq.write_table(rows, path)) == {"order"}


# --- the folder


def test_a_file_that_no_table_names_and_a_missing_one_are_found(release):
    more = release.video.with_name("euravo.mkv")
    more.write_bytes(release.video.read_bytes())
    release.seal()
    release.path(FRAME).unlink()
    assert release.broken() == {f"videos/{TASK}/mono/euravo.mkv": {"layout"}, FRAME: {"layout", "checksum"}}


def test_a_link_is_found(release):
    release.path("more.mkv").symlink_to(release.video)
    assert release.rules() == {"layout"}


def test_what_no_reader_knows_or_can_read_is_refused(release):
    table = pa.table({"id": pa.array(["x"]), "when": pa.array([pd.Timestamp("2023-04-17")])})
    pq.write_table(table, release.path("times.parquet"))
    files = {
        "weights.bin": b"x",
        "a.txt": "für".encode("latin-1"),
        "a.mkv": b"RIFF" + bytes(40),
        "b.npz": b"no zip",
        "c.gz": b"no gzip",
        "d.parquet": b"PAR1",
    }
    found = release.rules_by_file(files)
    assert "unreadable" in found.pop("a.mkv")
    assert found == breaking({"times.parquet", *files} - {"a.mkv"}, "unreadable")


def test_checksums_are_checked(release):
    path = release.path("README.md")
    path.write_text(path.read_text() + "\n")
    assert release.broken() == {"README.md": {"checksum"}}
    release.path("SHA256SUMS").unlink()
    assert release.rules() == {"checksum"}


def test_all_problems_are_raised_at_once(release):
    table = recordings()
    release.path("notes.txt").write_text(table.participant.iloc[0] + "\n")
    os.utime(release.video, (0, 0))
    set_fixed_time(release.path("notes.txt"), sha256_of(release.path("notes.txt")))
    with pytest.raises(PrivacyError, match="the release is refused, 5 findings:") as caught:
        refuse(audit(release.folder, release.private, release.plan).findings)
    for part in ("[file-time]", "[private-string]", "it holds 'Li_Wei', which tells the participant", "SHA256SUMS does not list it"):
        assert part in str(caught.value)


SAMPLES = (f"videos/{TASK}/mono/{IDS[0]}.mkv", FRAME, DARK, "archives/Annotation.zip", "tables/videos.parquet", "croissant.json", SHEET)


@pytest.mark.cases(3)
@pytest.mark.parametrize("number", range(5))
def test_a_damaged_file_is_a_finding_and_never_stops_the_audit(release, number):
    """Bytes changed, cut or put in, mostly near the start where the structure is; one audit for a damaged file of each sort."""
    damaged = set()
    for name in SAMPLES:
        rng = np.random.default_rng((len(name), number))
        whole = release.path(name).read_bytes()
        data = bytearray(whole)
        for position in rng.integers(0, min(len(data), int(rng.choice([40, 600, len(data)]))), 5):
            data[position] = rng.integers(256)
        kept = bytes(data[: int(rng.choice([0, 30, len(data) // 2, len(data), len(data)]))])
        release.path(name).write_bytes(kept)
        if kept != whole:
            damaged.add(name)
    assert damaged <= {finding.file for finding in release.findings()}
