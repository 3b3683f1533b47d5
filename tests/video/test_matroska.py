"""The cleaned head of a Matroska file: still whole, and silent."""

from __future__ import annotations

import zlib
from pathlib import Path

import av
import pytest

from clips import clip
from scrubin.media.ffmpeg import strip_head


@pytest.fixture
def path(tmp_path) -> Path:
    return clip(tmp_path / "a.mkv", seconds=4, more=("-metadata", "title=Dr. Who", "-metadata:s:v", "comment=Room 7"))


def checksums(path: Path) -> dict[str, bool]:
    """Whether the checksum of each head element fits what follows it."""
    data, found = path.read_bytes(), {}
    for name, start in (("SeekHead", b"\x11\x4d\x9b\x74"), ("Info", b"\x15\x49\xa9\x66")):
        at = data[:1000].rindex(start) + 4  # the list of positions names them before
        size_bytes = 1 if data[at] & 0x80 else 2
        size = int.from_bytes(data[at : at + size_bytes], "big") - (0x80 if size_bytes == 1 else 0x4000)
        content = data[at + size_bytes : at + size_bytes + size]
        assert content[:2] == b"\xbf\x84"
        found[name] = zlib.crc32(content[6:]) == int.from_bytes(content[2:6], "little")
    return found


def test_no_tag_and_no_program_is_left(path):
    size = path.stat().st_size
    strip_head(path)
    head = path.read_bytes()[:4000]
    assert path.stat().st_size == size
    for trace in (b"Lavf", b"Lavc", b"DURATION", b"Who", b"Room", b"TITLE"):
        assert trace not in head
    with av.open(str(path)) as container:
        assert container.streams.video[0].metadata == {}
        assert container.metadata == {"encoder": "none"}
        assert container.duration == 4_000_000


def test_pictures_positions_and_checksums_stay_true(path):
    with av.open(str(path)) as container:
        before = [(packet.pts, bytes(packet)) for packet in container.demux(video=0)]
    strip_head(path)
    with av.open(str(path)) as container:
        assert [(packet.pts, bytes(packet)) for packet in container.demux(video=0)] == before
        container.seek(3_000_000)
        assert next(container.decode(video=0)).pts == 2000
    assert checksums(path) == {"SeekHead": True, "Info": True}


def test_a_wrong_checksum_would_be_noticed(path):
    assert checksums(path) == {"SeekHead": True, "Info": True}
    path.write_bytes(path.read_bytes().replace(b"Lavf", b"Lavg", 1))
    assert checksums(path) == {"SeekHead": True, "Info": False}


def test_what_is_no_matroska_is_refused(tmp_path):
    other = clip(tmp_path / "a.mp4")
    with pytest.raises(ValueError, match=r"it has no segment|its head has no end"):
        strip_head(other)
