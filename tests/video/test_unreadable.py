from __future__ import annotations

import pytest

from clips import clip
from scrubin.base.errors import VideoError
from scrubin.media.probe import is_unfinished, probe


def test_an_mp4_without_its_index_is_named_with_the_mend(tmp_path):
    whole = clip(tmp_path / "whole.mp4", seconds=1)
    data = whole.read_bytes()
    part = tmp_path / "part.mp4"
    part.write_bytes(data[: data.index(b"moov") - 4])
    with pytest.raises(VideoError, match=r"it is unfinished: its index \(moov\) is missing") as raised:
        probe(part, "part.mp4")
    assert "untrunc" in raised.value.fix
    assert not is_unfinished(whole)


@pytest.mark.parametrize("data", [b"", b"no video", b"\0\0\0\x08ftyp", b"\0\0\0\x00mdat", b"\0\0\0\x08free" * 3, b"\0\0\0\x01mdat"])
def test_other_damage_is_no_missing_index_unless_there_are_pictures(data, tmp_path):
    path = tmp_path / "a.mp4"
    path.write_bytes(data)
    assert is_unfinished(path) == (b"mdat" in data)
