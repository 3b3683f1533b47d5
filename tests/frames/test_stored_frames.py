from __future__ import annotations

import io as streams
import json
import tarfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest

import clips
from scrubin.base.errors import ReleaseError, VideoError
from scrubin.base.files import FIXED_TIME_S, sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.public import FRAMES
from scrubin.media.released import frame_files
from scrubin.stages.frames import frame_store
from scrubin.stages.frames.frame_params import DropParams, FramesParams

LOOSE = FramesParams(fps=Fraction(2), format="jpg", quality=90, height=None, shards="none")
SHARDS = replace(LOOSE, shards="per-recording")
DARK = DropParams(min_brightness=110.0, max_brightness=None, max_saturated_share=None, min_contrast=None, min_sharpness=None)
PLACE = "frames/Peg/mono/abelo"


@pytest.fixture(scope="module")
def clip(tmp_path_factory) -> Path:
    """Luma rises with the number: the first frames are dark, and the last second is hidden."""
    return clips.numbered(tmp_path_factory.mktemp("clip") / "a.mkv", 70)


@pytest.fixture
def release(tmp_path, monkeypatch, clip) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "release"
    (folder / "videos").mkdir(parents=True)
    (folder / "videos/a.mkv").hardlink_to(clip)
    return folder


def rendered(release: Path) -> frame_store.ReleasedVideo:
    return frame_store.ReleasedVideo("abelo", "Peg", "mono", "videos/a.mkv", sha256_of(release / "videos/a.mkv"))


def extracted(release: Path, params: FramesParams, hidden=((60, 69),)) -> tuple[pd.DataFrame, dict[str, bytes]]:
    """Run the stage's own calls on one video; return the table and the released files."""
    video = rendered(release)
    item = frame_store.extract_stored(release, video, params, {("abelo", "mono"): list(hidden)}, {})
    item.entry.copy(item.places(release))
    table = io.frame_of(FRAMES, frame_store.frame_rows([item]))
    return table, {
        path.relative_to(release).as_posix(): path.read_bytes() for path in sorted((release / "frames").rglob("*")) if path.is_file()
    }


def test_loose_frames_have_a_path_each(release):
    table, files = extracted(release, LOOSE)
    assert list(files) == [f"{PLACE}/{k:06d}.jpg" for k in range(7)] == table.path.tolist()
    assert table.redacted.tolist() == [False] * 6 + [True]
    assert not table.dropped.any()


def test_a_dropped_frame_keeps_its_number_and_its_row_but_has_no_file(release):
    before, all_files = extracted(release, LOOSE)
    table, _ = extracted(release, replace(LOOSE, drop=DARK))
    dropped = before.brightness < 110
    assert dropped.tolist() == [True, True, True, True, False, False, False]
    assert table.frame.tolist() == list(range(7))
    assert table.dropped.tolist() == dropped.tolist()
    assert table.path.isna().tolist() == dropped.tolist()
    assert table.dropped_why[1] == f"brightness {before.brightness[1]:.9g} is below 110"
    same = ["frame", "source_frame", "time_s", "sharpness", "brightness", "difference", "perceptual_hash"]
    pd.testing.assert_frame_equal(table[same], before[same])
    for path in table.path.dropna():
        assert (release / path).read_bytes() == all_files[path]


@pytest.mark.parametrize("params", [LOOSE, SHARDS, replace(LOOSE, drop=DARK), replace(SHARDS, drop=DARK)])
def test_every_file_that_is_kept_is_stated_and_no_other(release, params):
    item = frame_store.extract_stored(release, rendered(release), params, {}, {})
    item.entry.copy(item.places(release))
    files = {path.relative_to(release).as_posix(): sha256_of(path) for path in (release / "frames").rglob("*") if path.is_file()}
    assert frame_store.stated([item]) == files


def test_a_threshold_does_not_decode_the_video_again(release, monkeypatch):
    extracted(release, SHARDS)

    def never(*_):
        raise AssertionError

    monkeypatch.setattr(frame_store, "extract", never)
    table, _ = extracted(release, replace(SHARDS, drop=DARK))
    assert table.dropped.sum() == 4
    with pytest.raises(AssertionError):
        extracted(release, replace(SHARDS, quality=91))


def test_no_frame_of_a_video_that_changed_since_it_was_rendered_is_kept(release):
    video, path = rendered(release), release / "videos/a.mkv"
    sound = path.read_bytes()
    path.unlink()  # a link of the clip of all tests
    with pytest.raises(VideoError, match=r"^videos/a.mkv: it cannot be read \(No such file.*run 'dvc repro'"):
        frame_store.extract_stored(release, video, LOOSE, {}, {})
    path.write_bytes(clips.numbered(release / "other.mkv", 60).read_bytes())
    with pytest.raises(VideoError, match=r"^videos/a.mkv: its bytes are not those of the table 'videos'.*run 'dvc repro'"):
        frame_store.extract_stored(release, video, LOOSE, {}, {})
    path.write_bytes(sound)
    assert len(frame_store.extract_stored(release, video, LOOSE, {}, {}).rows) == 7


def test_a_video_is_read_as_a_whole_only_when_its_frames_are_extracted(release, monkeypatch):
    video, read = rendered(release), []
    monkeypatch.setattr(frame_store, "sha256_of", lambda path: read.append(path) or sha256_of(path))
    for params in (LOOSE, replace(LOOSE, drop=DARK), LOOSE):
        frame_store.extract_stored(release, video, params, {}, {})
    assert len(read) == 1


def test_a_shard_has_the_frames_in_order_and_beside_each_what_the_table_says(release):
    loose, files = extracted(release, LOOSE)
    for path in files:
        (release / path).unlink()
    table, packed = extracted(release, SHARDS)
    assert list(packed) == [f"{PLACE}.tar"]
    assert table.path.tolist() == [f"{PLACE}.tar/{k:06d}.jpg" for k in range(7)]
    pd.testing.assert_frame_equal(table.drop(columns="path"), loose.drop(columns="path"))
    with tarfile.open(fileobj=streams.BytesIO(packed[f"{PLACE}.tar"])) as tar:
        members = tar.getmembers()
        assert [member.name for member in members] == [f"{k:06d}.{suffix}" for k in range(7) for suffix in ("jpg", "json")]
        assert {(m.uid, m.gid, m.uname, m.gname, m.mode, m.mtime, m.type) for m in members} == {(0, 0, "", "", 0o644, FIXED_TIME_S, b"0")}
        for k, row in table.iterrows():
            assert tar.extractfile(f"{k:06d}.jpg").read() == files[f"{PLACE}/{k:06d}.jpg"]
            told = json.load(tar.extractfile(f"{k:06d}.json"))
            assert told == {"frame": k, "source_frame": row.source_frame, "time_s": row.time_s, "redacted": row.redacted}


def test_the_same_frames_give_the_same_shard_and_dropped_ones_are_left_out(release, tmp_path, monkeypatch):
    _, first = extracted(release, SHARDS)
    monkeypatch.chdir(tmp_path_of(tmp_path, "other"))
    _, again = extracted(release, SHARDS)
    assert first == again
    table, less = extracted(release, replace(SHARDS, drop=DARK))
    whole, kept = (members_of(files[f"{PLACE}.tar"]) for files in (first, less))
    assert list(kept) == [f"{k:06d}.{suffix}" for k in (4, 5, 6) for suffix in ("jpg", "json")]
    assert kept.items() <= whole.items()
    for path in table.path.dropna():
        assert frame_files.picture(release, path) == whole[path.rpartition("/")[2]]


def members_of(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=streams.BytesIO(data)) as tar:
        return {name: tar.extractfile(name).read() for name in tar.getnames()}


def tmp_path_of(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


@pytest.mark.parametrize("params", [LOOSE, SHARDS], ids=["loose", "shards"])
def test_one_function_reads_both(release, params):
    table, files = extracted(release, params)
    for k, path in enumerate(table.path):
        data = frame_files.picture(release, path)
        assert data.startswith(b"\xff\xd8")
        if params is LOOSE:
            assert data == files[path]
        assert clips_number(data) == table.source_frame[k]


def clips_number(data: bytes) -> int:
    return round(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE).mean() * 219 / 255 / 3)


def test_a_shard_that_was_replaced_is_read_anew(release):
    table, _ = extracted(release, SHARDS)
    first = frame_files.picture(release, table.path[6])
    other, _ = extracted(release, replace(SHARDS, drop=DARK))
    assert frame_files.picture(release, other.path[6]) == first
    with pytest.raises(ReleaseError, match=r"abelo.tar/000000.jpg: .*the shard has no member '000000.jpg'.*SHA256SUMS"):
        frame_files.picture(release, table.path[0])


@pytest.mark.parametrize("path", ["", "../secret.jpg", "/etc/passwd", "frames/../../x.jpg"])
def test_a_path_that_leaves_the_release_is_refused(tmp_path, path):
    with pytest.raises(ReleaseError, match="is no path of a frame; a dropped frame has none"):
        frame_files.picture(tmp_path, path)


def test_missing_and_damaged_files_are_named(release):
    table, files = extracted(release, SHARDS)
    with pytest.raises(ReleaseError, match=r"^frames/x.tar/000000.jpg: it cannot be read \(No such file"):
        frame_files.picture(release, "frames/x.tar/000000.jpg")
    shard = release / f"{PLACE}.tar"
    shard.unlink()
    shard.write_bytes(files[f"{PLACE}.tar"][:5000])
    with pytest.raises(ReleaseError, match=r"000006.jpg: .*in the middle"):
        frame_files.picture(release, table.path[6])
    shard.write_bytes(b"no tar" * 200)
    with pytest.raises(ReleaseError, match=r"000006.jpg: "):
        frame_files.picture(release, table.path[6])
