"""Groups of pictures and parameter sets, held to what x264 was told to make."""

from __future__ import annotations

import random
import unicodedata
from contextlib import suppress
from itertools import pairwise

import av
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clips import REAL, clip, escaped, ffmpeg, with_other_units
from scrubin.media.containers import foreign_bytes, h264
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


SETS = (
    ("-profile:v", "baseline", "-bf", "0"),
    ("-preset", "veryslow", "-bf", "8"),
    ("-profile:v", "high", "-x264-params", "cqm=jvt:nal-hrd=vbr:vbv-maxrate=900:vbv-bufsize=900:pic-struct=1"),
    ("-vf", "setsar=7/5", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"),
)


@pytest.mark.parametrize("more", SETS, ids=map(str, SETS))
@pytest.mark.parametrize("which", [h264.SPS, h264.PPS], ids=["sequence", "picture"])
@pytest.mark.parametrize("behind", [b"Ottilie\x80", b"\x01"], ids=["text", "a byte"])
def test_what_has_bytes_behind_a_parameter_set_is_not_copied(which, behind, more, tmp_path):
    """The audit refuses such a header, so a copy of it would stop the whole release."""
    path = clip(tmp_path / "a.mkv", seconds=0.4, more=("-pix_fmt", "yuv420p", *more))
    assert structure(path, "a.mkv").unsure == ""
    other = with_other_units(path, tmp_path / "b.mkv", lambda _, unit: unit + behind * (h264.unit_type(unit) == which))
    found = structure(other, "b.mkv")
    assert found.groups == ()
    assert "a parameter set" in found.unsure


CODED = {"CABAC": ("-coder", "1"), "CAVLC": ("-coder", "0"), "slices": ("-coder", "1", "-slices", "4")}
BEHIND = {
    "text": b"Ottilie Quast 1957-03-14",
    "text behind a zero word": b"\0\0\3Ottilie",
    "UTF-16": "Ottilie Quast".encode("utf-16-le"),
    "Cyrillic": "Оттилия".encode(),
    "Chinese": "患者姓名王小明手术".encode(),
    "a checksum": b"ae95f0df985e64a559adf49c896ad44c",
}


@pytest.fixture(scope="module", params=CODED)
def coded(request, tmp_path_factory):
    more = ("-bf", "0", "-pix_fmt", "yuv420p", *CODED[request.param])
    return clip(tmp_path_factory.mktemp("coded") / "a.mkv", seconds=2, more=("-preset", "medium", "-g", "10", *more))


@pytest.mark.parametrize("behind", BEHIND.values(), ids=BEHIND)
def test_a_group_in_whose_slices_something_else_stands_is_not_copied(behind, coded, tmp_path):
    """Appended to the last slice of packet 15, which is in the second group."""

    def change(number: int, unit: bytes) -> bytes:
        return unit + behind if number == 15 and h264.unit_type(unit) == h264.SLICE else unit

    assert not any(group.unsure for group in structure(coded, "a.mkv").groups)
    found = structure(with_other_units(coded, tmp_path / "b.mkv", change), "b.mkv")
    assert [bool(group.unsure) for group in found.groups] == [False, True, False, False, False]


@pytest.mark.parametrize("behind", [b"\x9c", b"\xe3\x91\x84\xc7"], ids=["a byte", "four bytes"])
def test_of_slices_coded_by_lengths_nothing_at_all_may_stand_behind(behind, tmp_path):
    """Their decoder knows where they end, so even a few bytes that look like coded ones are found."""
    path = clip(tmp_path / "a.mkv", seconds=1, more=("-bf", "0", "-pix_fmt", "yuv420p", "-coder", "0", "-g", "10"))
    other = with_other_units(path, tmp_path / "b.mkv", lambda number, unit: unit + behind * (number == 3))
    assert [bool(group.unsure) for group in structure(other, "b.mkv").groups] == [True, False, False]


def test_a_packet_with_two_pictures_is_not_copied(tmp_path):
    """A player shows one of the two."""
    path = clip(tmp_path / "a.mkv", seconds=1, more=("-bf", "0", "-pix_fmt", "yuv420p", "-preset", "medium", "-g", "10"))
    other = with_other_units(path, tmp_path / "b.mkv", lambda _, unit: unit, twice=13)
    assert [group.unsure for group in structure(other, "b.mkv").groups] == ["", "its packets hold more than one picture each", ""]


ORDINARY = {
    "static 4K": ("color", "640x480", ("-preset", "medium")),
    "static, by lengths": ("color", "640x480", ("-preset", "medium", "-coder", "0")),
    "every frame for itself": ("color", "640x480", ("-profile:v", "baseline", "-g", "1", "-qp", "1")),
    "lossless": ("smptebars", "192x128", ("-qp", "0")),
    "raw samples": ("life", "192x128", ("-qp", "0")),
    "cabac_zero_words": ("mandelbrot", "96x64", ("-qp", "0", "-preset", "medium")),
    "OpenH264": ("testsrc2", "192x128", ("-c:v", "libopenh264", "-b:v", "2M")),
}


@pytest.mark.cases(3)
@pytest.mark.parametrize(("picture", "size", "more"), ORDINARY.values(), ids=ORDINARY)
def test_ordinary_streams_hold_nothing_that_looks_foreign(picture, size, more, tmp_path):
    path = tmp_path / "a.mkv"
    ffmpeg("-f", "lavfi", "-i", f"{picture}=size={size}:rate=25", "-t", 2, "-c:v", "libx264", "-pix_fmt", "yuv420p", *more, path)
    zeros = with_other_units(path, tmp_path / "b.mkv", lambda _, unit: unit + b"\0\0\3\0\0\3" if unit[0] & 31 in (1, 5) else unit)
    for one in (path, zeros):
        found = structure(one, one.name)
        assert (found.unsure, {group.unsure for group in found.groups}) == ("", {""})


def test_in_twenty_megabytes_drawn_by_chance_there_is_no_text():
    chance = random.Random(0)
    for _ in range(20):
        unit = chance.randbytes(1_000_000).replace(b"\0\0", b"\0\4")
        assert foreign_bytes.foreign(unit) == ""


def test_identities_and_capitals_are_found_amid_a_slice_as_often_as_names_allow():
    """Read by how names go on alone, fewer were: letters of one case and digits go on as they began."""
    chance = random.Random(3)
    for least, write in (
        (14, lambda: f"{chance.getrandbits(96):024X}"),
        (33, lambda: f"DE{chance.randrange(10**20):020}"),
        (37, lambda: f"{chance.getrandbits(96):024x}"),
    ):
        slices = [chance.randbytes(1500).replace(b"\0\0", b"\0\4") for _ in range(40)]
        found = sum(bool(foreign_bytes.foreign(coded[:700] + write().encode() + coded[700:])) for coded in slices)
        assert found >= least, write()


BEHIND = {
    "Cyrillic in UTF-16": "Цветков Иван".encode("utf-16-le"),
    "the other way round": "Цветков Иван".encode("utf-16-be"),
    "Polish in UTF-16": "Wałęsa Łukasz".encode("utf-16-be"),
    "Greek in UTF-16": "Παπαδόπουλος".encode("utf-16-le"),
    "Arabic in UTF-16": "محمد عبد الله".encode("utf-16-le"),
    "Chinese in UTF-16": "患者王小明于北京协和医院".encode("utf-16-be"),
    "Japanese in UTF-16": "田中太郎 (タナカ タロウ)".encode("utf-16-le"),
    "Korean in UTF-16": "김철수 환자 수술 기록".encode("utf-16-le"),
    "German in Latin-1": "Jürgen Müßigbrodt".encode("latin-1"),
    "Russian in Windows-1251": "Оттилия Квастенова".encode("cp1251"),
}


@pytest.mark.parametrize("text", BEHIND.values(), ids=BEHIND)
def test_letters_beyond_ascii_behind_a_picture_are_text(text):
    """Where their two bytes begin, at an even or an odd byte, is chance."""
    chance = random.Random(1)
    for size in range(2000, 2008):
        coded = chance.randbytes(size).replace(b"\0\0", b"\0\4")
        assert foreign_bytes.foreign(coded) == ""
        assert foreign_bytes.foreign(coded + text) == foreign_bytes.TEXT


@pytest.mark.parametrize("text", BEHIND.values(), ids=BEHIND)
def test_letters_behind_a_long_slice_are_found_in_the_same_way(text):
    """Long slices are looked through all at once, short ones run by run."""
    chance = random.Random(2)
    for size in range(foreign_bytes.FEW_BYTES + 700, foreign_bytes.FEW_BYTES + 704):
        coded = chance.randbytes(size).replace(b"\0\0", b"\0\4")
        assert foreign_bytes.foreign(coded) == ""
        assert foreign_bytes.foreign(coded + text) == foreign_bytes.TEXT


NAMES = (
    *("Hélène Lefèvre, née 1957", "José García Hernández", "María Fernández Núñez 1957", "Świętosława Łęcka 12.03.1957"),
    *("Zdeněk Dvořák 1957-03-14", "Nguyễn Thị Phương Thảo", "Özdemir, Gülşen 03.07.1980", "Käthe Größmann, Königstraße 5"),
)


@pytest.mark.parametrize("name", [*NAMES, "Иван Цве", "Анна Ким", "王 小 明 患 者 姓"])
def test_names_in_utf_8_behind_a_picture_are_text(name):
    """Accents part words of ASCII, blanks part words of other scripts: no piece is long enough by itself."""
    chance = random.Random(3)
    for size in (1500, 1501, 20_000, 20_001):
        coded = chance.randbytes(size).replace(b"\0\0", b"\0\4")
        assert foreign_bytes.foreign(coded) == ""
        assert foreign_bytes.foreign(coded + name.encode()) == foreign_bytes.TEXT


RECORDS = {
    "Persian": "محمدرضا کیانی",
    "Urdu": "ڈاکٹر فیصل چیمہ",
    "Kazakh": "Нұрсұлтан Әбішұлы",
    "Chinese with signs and digits": "姓名：王小明，住院号：1234567",
    "Japanese with signs": "氏名：田中太郎（男）",
    "Korean with ASCII": "환자: 김철수, 담당: 이영희",
    "Russian with initials": "Иванов И.И., 12.03.1957",
    "accents behind their letters": unicodedata.normalize("NFD", "José García Hernández Núñez"),
    "accents": "José García Hernández Núñez",
    "fields of 16 bytes": b"".join(one.ljust(16, b"\0") for one in (b"Quast^Ottili", b"00471108", b"1957-03-14", b"2024-03-14")),
    "words with zeros between": b"\0".join(b"Patient Ottilie Quast born 1957-03-14 Klinik Augsburg OP 3 Dr Weiss".split()),
    "UTF-32": "Ottilie Quast 1957-03-14".encode("utf-32-le"),
    "the other way round": "Ottilie Quast 1957-03-14".encode("utf-32-be"),
    "Russian in UTF-32": "Цветков Иван Пётр".encode("utf-32-le"),
}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_records_of_any_language_and_with_zeros_in_them_are_text_wherever_they_stand_in_a_slice(record):
    chance = random.Random(4)
    text = escaped(record if isinstance(record, bytes) else record.encode())
    for size in (1500, 1501, 20_000, 20_001):
        coded = chance.randbytes(size).replace(b"\0\0", b"\0\4")
        assert foreign_bytes.foreign(coded) == ""
        for unit in (coded + text, coded[:1000] + text + coded[1000:]):
            assert foreign_bytes.foreign(unit) == foreign_bytes.TEXT


def test_zeros_alone_are_no_text():
    chance = random.Random(5)
    for _ in range(500):
        zeros = b"".join(bytes(chance.randrange(18)) + chance.randbytes(chance.randrange(1, 6)) for _ in range(40))
        assert foreign_bytes.foreign(b"\x65\x88" + escaped(zeros)) == ""


@pytest.mark.parametrize("form", ["avcC", "start codes"])
def test_a_damaged_header_is_read_or_is_a_value_error(form, tmp_path):
    chance = random.Random(7)
    film = clip(tmp_path / "a.mp4", more=("-preset", "medium", "-flags", "+ilme+ildct", "-x264-params", "tff=1"))
    if form == "start codes":
        ffmpeg("-i", film, "-c", "copy", tmp_path / "a.ts")
    with av.open(str(film if form == "avcC" else tmp_path / "a.ts")) as container:
        whole = bytes(container.streams.video[0].codec_context.extradata)
    read = 0
    for _ in range(4000):
        damaged = bytearray(whole[: chance.randrange(1, len(whole) + 1)] if chance.random() < 0.3 else whole)
        for _ in range(chance.randrange(4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        with suppress(ValueError):
            header = h264.header(bytes(damaged))
            h264.refuse_foreign(header.sequences, header.pictures)
            h264.free_id(header.sequences, header.pictures)
            read += all(map(h264.is_arithmetic, header.pictures))
    assert 400 < read < 3600


def orientation(*, cancelled: bool = False, mirrors: int = 0, angle: int = 0) -> bytes:
    """A display orientation message of an SEI unit (H.264, D.1.27), the angle in steps of 360 degrees / 65536."""
    bits = int(cancelled) << 31 | mirrors << 29 | angle << 13 | 0b1_0000000_00000
    return bytes([h264.DISPLAY_ORIENTATION, 4]) + bits.to_bytes(4, "big")


@pytest.mark.parametrize(
    ("messages", "turns"),
    [
        (orientation(), False),
        (orientation(angle=0x4000), True),
        (orientation(mirrors=0b10), True),
        (orientation(mirrors=0b01), True),
        (orientation(cancelled=True, angle=0x4000), False),
        (bytes([5, 2, 1, 2]) + orientation(angle=0x4000), True),  # behind a message of the recorder's own
        (bytes([5, 2, 1, 2]) + orientation(), False),
        (orientation(angle=0x4000)[:3], False),
    ],
)
def test_a_picture_is_turned_by_an_orientation_that_holds_and_says_so(messages, turns):
    assert h264.turns(bytes([h264.SEI]) + messages + b"\x80") == turns
