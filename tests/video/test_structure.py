"""Groups of pictures and parameter sets, held to what x264 was told to make."""

from __future__ import annotations

from itertools import pairwise

import av
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clips import REAL, clip
from scrubin.media.containers import h264
from scrubin.media.structure import structure


def exp_golomb(value: int) -> str:
    code = bin(value + 1)[2:]
    return "0" * (len(code) - 1) + code


@given(st.lists(st.integers(0, 100_000), min_size=1, max_size=20))
def test_exp_golomb_codes_are_read_back(values):
    bits = "".join(map(exp_golomb, values)) + "1"
    bits += "0" * (-len(bits) % 8)
    payload = int(bits, 2).to_bytes(len(bits) // 8, "big")
    escaped = bytearray()
    for byte in payload:
        if escaped[-2:] == b"\0\0" and byte <= 3:
            escaped.append(3)
        escaped.append(byte)
    reader = h264.Bits(b"\x67" + bytes(escaped))
    assert [reader.ue() for _ in values] == values


@given(st.lists(st.binary(min_size=1, max_size=40).map(lambda data: b"\x65" + data.replace(b"\0", b"\1")), min_size=1, max_size=5))
def test_units_come_back_from_lengths_and_from_start_codes(units):
    with_lengths = b"".join(len(unit).to_bytes(4, "big") + unit for unit in units)
    with_codes = b"".join(b"\0\0\0\1" + unit for unit in units)
    assert [bytes(unit) for unit in h264.units(with_lengths, 4)] == units
    assert [bytes(unit) for unit in h264.units(with_codes, 0)] == units


def test_a_length_that_does_not_fit_is_an_error():
    with pytest.raises(ValueError, match="a NAL unit of 9 bytes does not fit"):
        list(h264.units(b"\0\0\0\x09\x65\x01", 4))


@pytest.mark.parametrize(
    ("more", "reorder_frames"),
    [
        (("-bf", 0), 0),
        (("-bf", 3, "-b-pyramid", "none"), 1),
        (("-bf", 3, "-b-pyramid", "normal"), 2),
        (("-bf", 3, "-b-pyramid", "normal", "-x264-params", "nal-hrd=vbr:vbv-maxrate=500:vbv-bufsize=500"), 2),
        (("-bf", 3, "-b-pyramid", "normal", "-vf", "setsar=7/5", "-colorspace", "bt709", "-color_primaries", "bt709"), 2),
        (("-bf", 1, "-coder", 0, "-profile:v", "main"), 1),
    ],
)
def test_the_sequence_parameter_set_tells_how_many_frames_are_reordered(more, reorder_frames, tmp_path):
    path = clip(tmp_path / "a.mkv", more=("-preset", "veryfast", *more))
    with av.open(str(path)) as container:
        stated = h264.header(bytes(container.streams.video[0].codec_context.extradata))
    found = h264.sequence(stated.sequences[0])
    assert (found.reorder_frames, found.progressive, found.cropped) == (reorder_frames, True, False)


def test_a_header_is_read_as_it_was_written(tmp_path):
    for more in (("-profile:v", "high"), ("-profile:v", "baseline")):
        path = clip(tmp_path / "a.mp4", more=("-bf", 0, "-pix_fmt", "yuv420p", *more))
        with av.open(str(path)) as container:
            extradata = bytes(container.streams.video[0].codec_context.extradata)
        stated = h264.header(extradata)
        assert h264.avcc(stated.sequences, stated.pictures) == extradata
        assert h264.free_id(stated.sequences, stated.pictures) == 1


@pytest.mark.parametrize("bframes", [0, 2, 5])
def test_groups_start_where_the_encoder_was_told_and_breaks_are_places_to_cut(bframes, tmp_path):
    more = ("-preset", "veryfast", "-x264-params", f"keyint=20:min-keyint=20:scenecut=0:bframes={bframes}")
    path = clip(tmp_path / "a.mp4", seconds=3, more=more)
    found = structure(path, "a.mp4")
    assert found.unsure == ""
    assert [(group.first, group.end, group.packets) for group in found.groups] == [(0, 20, 20), (20, 40, 20), (40, 60, 20), (60, 75, 15)]
    with av.open(str(path)) as container:
        times = [packet.pts for packet in container.demux(video=0) if packet.size]
    for group in found.groups:
        for place in group.breaks:
            before, behind = times[group.first : place], times[place : group.end]
            assert not before or not behind or max(before) < min(behind)
        if bframes == 0:
            assert len(group.breaks) == group.packets + 1


def test_every_real_clip_can_be_copied():
    for path in REAL.values():
        found = structure(path, path.name)
        assert found.unsure == ""
        assert found.groups[0].first == 0
        assert all(before.end == behind.first for before, behind in pairwise(found.groups))
