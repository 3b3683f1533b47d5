"""Pictures of frames: the same from every storage, and never a damaged one."""

from __future__ import annotations

import io
import os
import sys

import cv2
import numpy as np
import pytest
from PIL import Image

from scrubin.base.errors import ReleaseError
from scrubin.data.load import sources
from scrubin.load import Release
from scrubin.media.decode import decoded


@pytest.fixture
def undecided(monkeypatch):
    """Decoders are looked for again, now and after the test."""
    for chosen in (sources._jpeg_decoder, sources._png_decoder):
        chosen.cache_clear()
    yield monkeypatch
    for chosen in (sources._jpeg_decoder, sources._png_decoder):
        chosen.cache_clear()


def without(monkeypatch, *packages):
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)


def test_loose_files_and_shards_give_the_same_pictures(storages):
    loose, shards = (Release(storages[name]).frames(camera="all", include_hidden=True) for name in ("loose", "shards"))
    assert len(loose) == len(shards) > 30
    for one, other in zip(loose, shards, strict=True):
        assert one["image"].tobytes() == other["image"].tobytes()
        assert (one["id"], one["camera"], one["frame"]) == (other["id"], other["camera"], other["frame"])


def test_png_files_are_the_frames_of_the_video_that_the_table_names(storages):
    release = Release(storages["png"])
    dataset = release.frames(camera="all", include_hidden=True)
    videos = release.tables["videos"].set_index(["id", "camera"])["path"]
    frames = {key: list(decoded(release.folder / path, path)) for key, path in videos.items()}
    for item, source in zip(dataset, dataset.table["source_frame"], strict=True):
        frame = frames[item["id"], item["camera"]][source]
        assert np.array_equal(item["image"], frame.to_ndarray(format="rgb24"))
        assert item["time_s"] == pytest.approx(float(frame.time), abs=1e-9)


def test_every_decoder_gives_the_same_picture(undecided):
    rng = np.random.default_rng(3)
    picture = cv2.resize(rng.integers(0, 256, (9, 16, 3), np.uint8), (161, 91), interpolation=cv2.INTER_CUBIC)
    for suffix in (".jpg", ".png"):
        data = cv2.imencode(suffix, picture)[1].tobytes()
        expected = cv2.cvtColor(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
        assert np.array_equal(sources.decoded(data), expected)
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(data))), expected)
        with undecided.context() as without_others:
            without(without_others, "cv2", "turbojpeg")
            sources._jpeg_decoder.cache_clear()
            sources._png_decoder.cache_clear()
            by_pillow = sources.decoded(data)
            assert np.array_equal(by_pillow, expected)
            assert by_pillow.flags.writeable
        sources._jpeg_decoder.cache_clear()
        sources._png_decoder.cache_clear()


def test_without_any_decoder_it_says_what_to_install(undecided, release):
    without(undecided, "cv2", "turbojpeg", "PIL")
    with pytest.raises(ImportError, match=r"pip install 'scrubin\[load\]'"):
        release.frames()[0]


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda path: path.unlink(), "cannot be read"),
        (lambda path: path.write_bytes(path.read_bytes()[:-20]), "in the middle"),
        (lambda path: path.write_bytes(b""), "neither JPEG nor PNG"),
        (lambda path: path.write_bytes(path.read_bytes()[:20] + b"\xff\xd9"), "decode"),
        (lambda path: cv2.imwrite(str(path), np.zeros((10, 20, 3), np.uint8)), "it is 20x10, but the table 'frames' says 96x64"),
    ],
)
def test_a_missing_truncated_or_changed_picture_is_named_with_what_to_do(changed, damage, says):
    dataset = Release(changed).frames()
    path = changed / "frames/Cholecystectomy/mono/abelo/000000.jpg"
    data = path.read_bytes()
    path.unlink()  # it is shared with other tests
    path.write_bytes(data)
    damage(path)
    with pytest.raises(ReleaseError, match=rf"frames/Cholecystectomy/mono/abelo/000000.jpg: .*{says}.*scrubin verify {changed}"):
        dataset[0]
    assert dataset[1]["frame"] == 1


@pytest.mark.parametrize("kind", ["outside", "pipe", "playlist"])
def test_a_video_that_is_a_link_out_a_pipe_or_a_list_of_others_is_refused_at_once(changed, tmp_path, kind):
    video = next(path for path in sorted((changed / "videos").rglob("abelo.mkv")))
    other = tmp_path / "other.mkv"
    video.rename(other)
    if kind == "outside":
        video.symlink_to(other)
    elif kind == "pipe":
        os.mkfifo(video)
    else:
        video.write_text(f"ffconcat version 1.0\nfile '{other.name}'\n")
        other.rename(video.with_name(other.name))
    frames = Release(changed).frames(task="Cholecystectomy", source="videos")
    says = {"outside": "it is outside of", "pipe": "it is a pipe, no plain file", "playlist": "it cannot be read as a video"}
    with pytest.raises(ReleaseError, match=says[kind]):
        frames[0]
