"""Every rule about other files, broken on purpose: the audit must name it, and nothing else."""

import gzip
import io as streams
import json
import os
import struct
import zipfile
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
from scrubin.base.tables.public import VIDEOS
from toy_release import IDS, TASK, recordings

FRAME = f"frames/{TASK}/mono/{IDS[0]}/000000.jpg"
DARK = f"frames/{TASK}/mono/{IDS[0]}/000001.jpg"


def rewritten(release, name: str, change) -> set[str]:
    path = release.path(name)
    return release.rules_after(lambda: path.write_bytes(change(path.read_bytes())))


# --- pictures


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("marker", "body"),
    [(0xE1, b"Exif\0\0hello"), (0xFE, b"a comment"), (0xE2, b"ICC_PROFILE\0\1\1x"), (0xED, b"Photoshop 3.0\0"), (0xE0, b"JFXX\0")],
)
def test_jpeg_metadata_are_found(release, marker, body):
    segment = bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body
    assert rewritten(release, FRAME, lambda data: data[:2] + segment + data[2:]) == {"image-metadata"}


def test_bytes_after_a_jpeg_are_found(release):
    assert rewritten(release, FRAME, lambda data: data + b"hello") == {"image-metadata"}


def test_a_truncated_jpeg_is_found(release):
    assert rewritten(release, FRAME, lambda data: data[:-200]) >= {"unreadable"}


def test_a_png_text_is_found(release):
    _, png = cv2.imencode(".png", np.zeros((4, 4, 3), np.uint8))
    body = b"tEXt" + b"Author\0hello"
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    plain = bytes(png)
    path = release.path("plot.png")  # no frame of the plan, which is a finding of its own
    assert release.rules_after(lambda: path.write_bytes(plain)) == {"layout"}
    assert release.rules_after(lambda: path.write_bytes(plain[:33] + chunk + plain[33:])) == {"layout", "image-metadata"}
    assert release.rules_after(lambda: path.write_bytes(plain + b"hello")) == {"layout", "image-metadata"}


def test_a_redacted_frame_that_shows_something_is_found(release):
    picture = np.zeros((64, 96, 3), np.uint8)
    picture[20:40, 20:40] = 60
    _, jpeg = cv2.imencode(".jpg", picture)
    assert rewritten(release, DARK, lambda _: bytes(jpeg)) == {"not-black", "frame-picture"}


def test_a_hidden_rectangle_that_shows_in_a_frame_is_found(release):
    _, jpeg = cv2.imencode(".jpg", np.random.default_rng(3).integers(0, 255, (64, 96, 3), np.uint8))
    assert rewritten(release, FRAME, lambda _: bytes(jpeg)) == {"not-black", "frame-picture"}


# --- zip and gzip


def zipped(release, change) -> set[str]:
    """Pack one file of the release again, with a change to its entry or to the archive."""
    member = release.path("Annotation") / f"{TASK}.csv"

    def pack() -> None:
        with zipfile.ZipFile(release.path("archives/Annotation.zip"), "w") as archive:
            entry = zipfile.ZipInfo(f"Annotation/{TASK}.csv", (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            change(entry, archive)
            archive.writestr(entry, member.read_bytes())

    return release.rules_after(pack)


def setting(**values):
    return lambda entry, _: [setattr(entry, name, value) for name, value in values.items()]


def test_a_zip_that_tells_nothing_has_no_findings(release):
    assert zipped(release, setting()) == set()


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    "values",
    [
        {"comment": b"hello"},
        {"date_time": (2023, 4, 17, 12, 0, 0)},
        {"create_system": 0},
        {"extra": b"UT\x05\x00\x01\x00\x00\x00\x00"},
        {"extra": b"\x01"},
    ],
)
def test_a_zip_header_that_tells_something_is_found(release, values):
    assert zipped(release, setting(**values)) == {"zip"}


def test_a_zip_comment_is_found(release):
    assert zipped(release, lambda _, archive: setattr(archive, "comment", b"hello")) == {"zip"}


def test_bytes_before_a_zip_are_found(release):
    path = release.path("archives/Annotation.zip")
    assert release.rules_after(lambda: path.write_bytes(b"hello" + path.read_bytes())) == {"zip"}


def test_a_zip_with_members_in_another_order_is_found(release):
    def pack() -> None:
        with zipfile.ZipFile(release.path(f"archives/{TASK}_mono.zip"), "w") as archive:
            for id_ in reversed(IDS):
                entry = zipfile.ZipInfo(f"{TASK}/mono/{id_}.mkv", (1980, 1, 1, 0, 0, 0))
                entry.create_system, entry.external_attr = 3, 0o100644 << 16
                archive.writestr(entry, release.path(f"videos/{TASK}/mono/{id_}.mkv").read_bytes())

    assert release.rules_after(pack) == {"order"}


def test_a_video_in_a_zip_that_is_not_in_the_release_is_refused(release):
    def pack() -> None:
        with zipfile.ZipFile(release.path("archives/more.zip"), "w") as archive:
            entry = zipfile.ZipInfo("more.mkv", (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            archive.writestr(entry, release.video.read_bytes() + b"x")

    assert release.rules_after(pack) == {"unreadable"}


def test_gzip_names_and_times_are_found(release):
    path = release.path("scores.csv.gz")

    def pack(name: str, time: int) -> None:
        with path.open("wb") as raw, gzip.GzipFile(name, "wb", mtime=time, fileobj=raw) as file:
            file.write(b"id;x\n")

    assert release.rules_after(lambda: pack("", 0)) == set()
    assert release.rules_after(lambda: pack("", 1_681_732_800)) == {"gzip"}
    assert release.rules_after(lambda: pack("raw.csv", 0)) == {"gzip"}


def test_a_name_inside_a_gzip_is_found(release):
    path = release.path("scores.csv.gz")
    assert release.rules_after(lambda: path.write_bytes(gzip.compress("id;x\nGrünwaldner;1\n".encode(), mtime=0))) == {"private-string"}


def test_a_name_inside_a_deflated_array_is_found(release):
    def save(values: np.ndarray) -> None:
        with zipfile.ZipFile(release.path("values.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
            data = streams.BytesIO()
            np.save(data, values)
            entry = zipfile.ZipInfo("values.npy", (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data.getvalue())

    assert release.rules_after(lambda: save(np.array(["train", "test"]))) == set()
    assert release.rules_after(lambda: save(np.array(["train", "Mechthild"]))) == {"private-string"}
    assert release.rules_after(lambda: save(np.array([{"a": 1}], dtype=object))) == {"unreadable"}


# --- tables


def with_metadata(release, **metadata: str) -> set[str]:
    path = release.path("tables/videos.parquet")
    table = pq.read_table(path)
    pq.write_table(
        table.replace_schema_metadata({**table.schema.metadata, **{key.encode(): value for key, value in metadata.items()}}), path
    )
    release.seal()
    return release.rules()


def test_a_parquet_metadata_key_is_found(release):
    assert with_metadata(release, note="hello") == {"parquet-metadata"}


def test_the_table_name_of_a_private_table_is_found(release):
    assert with_metadata(release, table="linkage") == {"parquet-metadata", "private-table"}


def test_a_parquet_column_metadata_key_is_found(release):
    path = release.path("tables/videos.parquet")
    table = pq.read_table(path)
    field = table.schema.field("task")
    pq.write_table(table.cast(table.schema.set(1, field.with_metadata({**field.metadata, b"from": b"hello"}))), path)
    release.seal()
    assert release.rules() == {"parquet-metadata"}


def test_a_private_column_is_found_in_any_table(release):
    path = release.path("groundtruth/a.parquet")
    path.parent.mkdir()
    pd.DataFrame({"id": IDS, "participant": [1, 2, 3, 4]}).to_parquet(path)
    release.seal()
    assert release.rules() == {"private-column"}
    path.unlink()
    assert rewritten(release, f"Annotation/{TASK}.csv", lambda data: data.replace(b"GRS", b"site")) == {"private-column"}


def test_a_private_key_is_found_in_json_unless_it_holds_a_released_id(release):
    path = release.path("groundtruth/a.json")
    path.parent.mkdir()
    assert release.rules_after(lambda: path.write_text(json.dumps({"images": [{"recording": id_} for id_ in IDS]}))) == set()
    assert release.rules_after(lambda: path.write_text(json.dumps({"images": [{"recording": 17}]}))) == {"private-column"}


def test_a_private_table_is_found_under_any_name(release):
    rows = [{"recording": f"r-{id_}", "id": id_, "draw": number} for number, id_ in enumerate(IDS)]
    io.write(LINKAGE, io.frame_of(LINKAGE, rows), release.path("tables/more.parquet"))
    release.seal()
    assert release.rules() == {"private-column", "private-table"}
    release.path("tables/more.parquet").unlink()
    release.seal()
    release.path("more.csv").write_text("recording;id\nx;y\n")
    release.seal()
    assert release.rules() == {"private-column", "private-table"}


def test_values_that_cannot_be_searched_are_refused(release):
    table = pa.table({"id": pa.array(["x"]), "when": pa.array([pd.Timestamp("2023-04-17")])})
    pq.write_table(table, release.path("more.parquet"))
    release.seal()
    assert release.rules() == {"unreadable"}


def test_rows_in_the_order_of_recordings_are_found(release):
    path = release.path("tables/videos.parquet")
    table = pq.read_table(path)
    pq.write_table(table.take([2, 0, 3, 1]), path)
    release.seal()
    assert release.rules() == {"order"}
    io.write(VIDEOS, io.read(VIDEOS, path), path)
    release.seal()
    assert release.rules() == set()


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id;x\n{2};1\n{0};2\n{3};3\n{1};4\n", {"order"}),
        ("number;id\n1;{2}\n2;{0}\n3;{3}\n4;{1}\n", {"order"}),
        ("fold,id\n0,{1}\n0,{3}\n1,{0}\n1,{2}\n", set()),
        ("fold,subset,id\n0,train,{1}\n0,train,{3}\n0,test,{0}\n0,test,{2}\n", set()),
        ("id,frame\n{0},0\n{0},1\n{1},0\n{1},1\n{2},0\n{3},0\n", set()),
    ],
)
def test_csv_rows_are_sorted_by_id_at_least_within_a_subset(release, text, expected):
    assert (
        release.rules_after(
            lambda: release.path("splits/x.csv").parent.mkdir() or release.path("splits/x.csv").write_text(text.format(*IDS))
        )
        == expected
    )


@pytest.mark.parametrize("value", [[IDS[2], IDS[0], IDS[1]], {IDS[2]: 1, IDS[0]: 2, IDS[1]: 3}, [{"id": id_} for id_ in IDS[::-1]]])
def test_json_lists_and_keys_are_sorted_by_id(release, value):
    assert release.rules_after(lambda: release.path("x.json").write_text(json.dumps(value))) == {"order"}


# --- the folder


def test_a_file_that_no_table_names_is_found(release):
    left_over = release.video.with_name("euravo.mkv")
    left_over.write_bytes(release.video.read_bytes())
    release.seal()
    assert release.rules() == {"layout"}


def test_a_missing_file_is_found(release):
    release.path(FRAME).unlink()
    assert {(finding.rule, finding.file) for finding in release.findings()} == {("layout", FRAME), ("checksum", FRAME)}


def test_a_link_is_found(release):
    release.path("more.mkv").symlink_to(release.video)
    assert release.rules() == {"layout"}


def test_a_kind_of_file_that_no_reader_knows_is_refused(release):
    assert release.rules_after(lambda: release.path("weights.bin").write_bytes(b"x")) == {"unreadable"}


def test_a_text_that_is_not_utf8_is_refused(release):
    assert release.rules_after(lambda: release.path("a.txt").write_bytes("für".encode("latin-1"))) == {"unreadable"}


def test_checksums_are_checked(release):
    path = release.path("README.md")
    path.write_text(path.read_text() + "\n")
    assert {(finding.rule, finding.file) for finding in release.findings()} == {("checksum", "README.md")}
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


SAMPLES = (
    f"videos/{TASK}/mono/{IDS[0]}.mkv",
    FRAME,
    DARK,
    "archives/Annotation.zip",
    "tables/videos.parquet",
    "croissant.json",
    f"Annotation/{TASK}.csv",
)


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


def test_a_file_that_claims_another_kind_is_refused(release):
    release.path("a.mkv").write_bytes(b"RIFF" + bytes(40))
    release.path("b.npz").write_bytes(b"no zip")
    release.path("c.gz").write_bytes(b"no gzip")
    release.path("d.parquet").write_bytes(b"PAR1")
    release.seal()
    assert {finding.file for finding in release.findings() if finding.rule == "unreadable"} == {"a.mkv", "b.npz", "c.gz", "d.parquet"}
