"""What may hide inside a video stream, planted one by one."""

from __future__ import annotations

import json
import random
import re
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import av
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
from scrubin import cli
from scrubin.audit.containers import h264, slice_bytes
from scrubin.media.containers import foreign_bytes
from toy_release import BARE, findings_of

SLICE_KINDS = (1, 5)


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    """20 frames without B-frames, so that packets stand in the order of frames."""
    return made(tmp_path_factory.mktemp("plain"), "plain.mkv", "-bf", "0", "-g", "10")


def made(folder: Path, name: str, *more: object) -> Path:
    """A bare H.264 file; the second pass frees it of the encoder's name."""
    encoded = clips.clip(folder / f"encoded-{name}", seconds=1.0, fps="20", size="96x64", more=("-pix_fmt", "yuv420p", *more, *BARE))
    clips.ffmpeg("-i", encoded, "-c", "copy", *BARE, folder / name)
    return folder / name


def faults(path: Path) -> list[tuple[str, str, str]]:
    """Rule, place and message of each finding."""
    return [(one.rule, one.place, one.message) for one in findings_of(path)]


def header_of(path: Path) -> bytes:
    with av.open(str(path)) as container:
        return bytes(container.streams.video[0].codec_context.extradata)


def packets_of(path: Path) -> Iterator[av.Packet]:
    with av.open(str(path)) as container:
        yield from (packet for packet in container.demux(video=0) if packet.size)


def written(target: Path, template: Path, packets: list[tuple[bytes, int, bool]], header: bytes) -> Path:
    """Write packets (bytes, time in ms, keyframe) under a header of our own."""
    with av.open(str(template)) as old, av.open(str(target), "w", options={"fflags": "+bitexact"}) as new:
        stream = new.add_stream_from_template(old.streams.video[0])
        stream.codec_context.extradata = header
        for data, time_ms, key in packets:
            packet = av.Packet(data)
            packet.pts = packet.dts = time_ms
            packet.time_base, packet.is_keyframe, packet.stream = old.streams.video[0].time_base, key, stream
            new.mux(packet)
    return target


def changed(source: Path, target: Path, change: Callable[[int, list[bytes]], list[bytes]], header: bytes | None = None) -> Path:
    """Write a file again with other units in its packets; ``change`` gets the number and the units of a packet."""
    packets = []
    for number, packet in enumerate(packets_of(source)):
        units = change(number, list(h264.split(bytes(packet), 4)))
        packets.append((b"".join(len(unit).to_bytes(4, "big") + unit for unit in units), packet.pts, packet.is_keyframe))
    return written(target, source, packets, header or header_of(source))


def sets_of(header: bytes) -> tuple[bytes, bytes]:
    """The sequence and the picture parameter set of a header with one of each."""
    return h264.units_of("h264", header).header[:2]


def avcc(header: bytes, sequences: list[bytes], pictures: list[bytes]) -> bytes:
    """A header like another one, with other parameter sets."""
    sized = lambda units: b"".join(len(unit).to_bytes(2, "big") + unit for unit in units)  # noqa: E731
    tail = header[-4:] if header[1] >= 100 else b""  # high profiles repeat chroma format and bit depths
    return header[:5] + bytes([0xE0 | len(sequences)]) + sized(sequences) + bytes([len(pictures)]) + sized(pictures) + tail


def test_an_untouched_stream_is_clean(plain, tmp_path):
    assert faults(changed(plain, tmp_path / "a.mkv", lambda _, units: units)) == []


def test_a_stream_of_two_encodings_with_ids_of_their_own_is_clean_and_decodes_in_one_go(tmp_path):
    """As smart rendering makes it: copied groups under the source's parameter sets, encoded ones under ours."""
    parts = [made(tmp_path, f"{k}.mkv", "-bf", "0", "-profile:v", "high", "-x264-params", f"sps-id={k}:keyint=20") for k in (0, 1)]
    (first, second), (third, fourth) = (sets_of(header_of(part)) for part in parts)
    assert first != third
    assert second != fourth
    packets = [(bytes(packet), packet.pts + 1000 * k, packet.is_keyframe) for k, part in enumerate(parts) for packet in packets_of(part)]
    joined = written(tmp_path / "joined.mkv", parts[0], packets, avcc(header_of(parts[0]), [first, third], [second, fourth]))
    assert faults(joined) == []
    with av.open(str(joined)) as container:
        assert sum(1 for _ in container.decode(video=0)) == 40


def test_a_smartly_rendered_file_is_held_to_its_printed_plan(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    clips.clip(tmp_path / "source.mp4", seconds=6, size="160x96", more=("-g", "25", "-preset", "veryfast", "-metadata", "title=Dr. Who"))
    arguments = ["source.mp4", "out.mkv", "--start", "0.9", "--end", "4.9", "--redact", "2.11-2.53"]
    assert cli.main(["render", *arguments, "--plan"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["copied_frames"] > 0
    assert printed["encoded_frames"] > 0
    (tmp_path / "plan.json").write_text(json.dumps(printed))
    assert cli.main(["render", *arguments]) == 0
    capsys.readouterr()
    assert cli.main(["audit", "out.mkv", "--plan", "plan.json", "--needle", "Dr. Who"]) == 0
    assert cli.main(["audit", "source.mp4", "--plan", "plan.json", "--needle", "Dr. Who"]) == 1
    printed["hidden"][0]["last"] += 1
    (tmp_path / "plan.json").write_text(json.dumps(printed))
    assert cli.main(["audit", "out.mkv", "--plan", "plan.json"]) == 1
    assert f"frame {printed['hidden'][0]['last']}: [not-black]" in capsys.readouterr().out


UNITS = {
    "an SEI message in the middle": (bytes((6, 5, 4)) + b"abcd" + b"\x80", "sei", "NAL type 6"),
    "a delimiter with more than its three bits": (b"\x09\xf0" + b"hello", "nal", "NAL type 9"),
    "a delimiter whose stop bit is gone": (b"\x09\x0f", "nal", "NAL type 9"),
    "an end of sequence that goes on": (b"\x0ahello", "nal", "NAL type 10"),
    "an end of stream that goes on": (b"\x0bhello", "nal", "NAL type 11"),
    "filler": (b"\x0c" + b"\xff" * 20 + b"\x80", "nal", "NAL type 12"),
    "a unit without a meaning": (b"\x1e" + b"hello", "nal", "NAL type 30"),
    "an auxiliary picture": (b"\x13" + b"hello", "nal", "NAL type 19"),
    "a unit with the forbidden bit": (b"\x89\xf0", "nal", "NAL type 9"),
    "a slice that decoders skip": (b"\x81" + b"hello", "nal", "NAL type 1"),
}


SHOWN = 3
"""So many findings of one rule the audit names in one stream."""


def missed(found: list[tuple[str, str, str]], planted: dict[int, tuple[bytes, str, str]]) -> list[int]:
    """The packets in which something was planted that is not found there by its rule and with its message."""
    return [
        number
        for number, (_, rule, said) in planted.items()
        if not any((rule, f"packet {number}") == (broken, place) and said in message for broken, place, message in found)
    ]


def planting(planted: dict[int, tuple[bytes, str, str]]) -> Callable[[int, list[bytes]], list[bytes]]:
    return lambda number, units: [planted[number][0], *units] if number in planted else units


@pytest.mark.parametrize("first", range(0, len(UNITS), SHOWN))
def test_units_that_show_nothing_are_found(plain, tmp_path, first):
    planted = dict(enumerate([*UNITS.values()][first : first + SHOWN], start=3))
    assert missed(faults(changed(plain, tmp_path / "a.mkv", planting(planted))), planted) == []


def test_a_plain_delimiter_is_no_fault(plain, tmp_path):
    assert faults(changed(plain, tmp_path / "a.mkv", lambda _, units: [b"\x09\xf0", *units])) == []


def test_bytes_behind_a_parameter_set_are_found_in_header_and_packets(plain, tmp_path):
    header = header_of(plain)
    sequence, picture = sets_of(header)
    for other in (avcc(header, [sequence + b"hello"], [picture]), avcc(header, [sequence], [picture + b"hello"])):
        found = faults(changed(plain, tmp_path / "a.mkv", lambda _, units: units, other))
        assert [(rule, place) for rule, place, _ in found] == [("nal", "header")]
        assert "bytes behind its end" in found[0][2]
    found = faults(changed(plain, tmp_path / "a.mkv", lambda number, units: [picture + b"hello", *units] if number == 10 else units))
    assert [(rule, place) for rule, place, _ in found] == [("nal", "packet 10")]


def test_a_second_picture_in_a_packet_is_found(plain, tmp_path):
    """A player shows one of the two."""
    pictures = [next(unit for unit in h264.split(bytes(packet), 4) if unit[0] & 31 in SLICE_KINDS) for packet in packets_of(plain)]

    def twice(number: int, units: list[bytes]) -> list[bytes]:
        return [*units, pictures[number - 1]] if number == 5 else units

    found = faults(changed(plain, tmp_path / "a.mkv", twice))
    assert ("nal", "packet 5") in [(rule, place) for rule, place, _ in found]
    assert any("more than one picture, of which only one is shown" in message for _, _, message in found)


def test_several_slices_of_one_picture_are_no_fault(tmp_path):
    assert faults(made(tmp_path, "a.mkv", "-slices", "4", "-bf", "3")) == []


def test_both_fields_of_an_interlaced_picture_are_no_fault(tmp_path):
    assert faults(made(tmp_path, "a.mkv", "-flags", "+ildct+ilme", "-x264-params", "tff=1")) == []


def test_rows_that_are_cropped_away_are_found(plain, tmp_path):
    clips.ffmpeg("-i", plain, "-c", "copy", *BARE[:4], "-bsf:v", "h264_metadata=crop_bottom=32", *BARE[6:], tmp_path / "a.mkv")
    found = faults(tmp_path / "a.mkv")
    assert any("crops [0, 0, 0, 32] px from the picture, which stay in the file" in message for _, _, message in found)


def test_the_rest_of_a_macroblock_may_be_cropped(tmp_path):
    assert faults(made(tmp_path, "a.mkv", "-vf", "crop=82:54:0:0")) == []


def test_pictures_that_change_size_are_found(tmp_path):
    parts = [made(tmp_path, "0.mkv", "-bf", "0"), made(tmp_path, "1.mkv", "-bf", "0", "-vf", "scale=128:96", "-x264-params", "sps-id=1")]
    (first, second), (third, fourth) = (sets_of(header_of(part)) for part in parts)
    packets = [(bytes(packet), packet.pts + 1000 * k, packet.is_keyframe) for k, part in enumerate(parts) for packet in packets_of(part)]
    header = avcc(header_of(parts[0]), [first, third], [second, fourth])
    found = faults(written(tmp_path / "a.mkv", parts[0], packets, header))
    assert ("size", "frame 20", "expected 96x64 px, but got 128x96 px; render it again") in found


def test_a_damaged_picture_is_found(plain, tmp_path):
    """Decoders patch it up in silence, so what it shows is not what was rendered."""
    found = faults(changed(plain, tmp_path / "a.mkv", lambda number, units: [units[0][: len(units[0]) // 3]] if number == 12 else units))
    assert "unreadable" in {rule for rule, _, _ in found}


def test_a_packet_that_shows_nothing_is_found(plain, tmp_path):
    found = faults(changed(plain, tmp_path / "a.mkv", lambda number, units: [b"\x09\xf0"] if number == 12 else units))
    assert ("frame-count", "", "20 packets, but 19 frames: packets that show nothing can hide something") in found


BEHIND = {
    "text": b"Ottilie Quast 1957-03-14",
    "a zero word and a short name": b"\0\0\3Quast",
    "UTF-16": "Ottilie Quast".encode("utf-16-le"),
    "Cyrillic": "Оттилия Квастенова".encode(),
    "Chinese": "患者姓名王小明手术".encode(),
    "Cyrillic in UTF-16": "Цветков Иван".encode("utf-16-be"),
    "Korean in UTF-16": "김철수 환자 수술 기록".encode("utf-16-le"),
    "Chinese in UTF-16": "患者姓名王小明, 1957-03-14".encode("utf-16-le"),
    "German in Latin-1": "Zwetschgenberg, Jürgen".encode("latin-1"),
    "Russian in Windows-1251": "Оттилия Квастенова".encode("cp1251"),
}


@pytest.fixture(scope="module", params=["0", "1"], ids=["CAVLC", "CABAC"])
def coded(request, tmp_path_factory) -> Path:
    return made(tmp_path_factory.mktemp("coded"), "a.mkv", "-bf", "0", "-g", "10", "-preset", "medium", "-coder", request.param)


@pytest.mark.parametrize(("first", "places"), [(0, (3, 5, 0)), (2, (10, 14, 7)), (5, (0, 3, 10)), (7, (5, 7, 14))])
def test_text_behind_a_picture_is_found(coded, tmp_path, first, places):
    """Decoders pass over it, so every picture is right; the pictures 0 and 10 begin groups."""
    assert faults(coded) == []
    behind = dict(zip(places, [*BEHIND.values()][first:], strict=False))
    found = faults(changed(coded, tmp_path / "a.mkv", lambda number, units: [unit + behind.get(number, b"") for unit in units]))
    assert missed(found, {number: (text, "nal", "hidden behind a picture; render it again") for number, text in behind.items()}) == []


def test_whatever_stands_behind_a_picture_is_found_where_slices_are_coded_by_lengths(tmp_path):
    path = made(tmp_path, "plain.mkv", "-bf", "0", "-g", "10", "-preset", "medium", "-coder", "0")
    found = faults(changed(path, tmp_path / "a.mkv", lambda number, units: [unit + b"\xe3\x91\x84" * (number == 7) for unit in units]))
    assert found == [("unreadable", "frame 7", "it is damaged, or bytes stand behind it, so it cannot be proven; render it again")]


def test_zeros_behind_a_picture_are_no_fault(coded, tmp_path):
    assert faults(changed(coded, tmp_path / "a.mkv", lambda _, units: [unit + b"\0\0\3\0\0\3" for unit in units])) == []


@pytest.mark.parametrize("size", [1500, 1501, 20_000, 20_001])
@pytest.mark.parametrize(
    "text",
    [
        *("Hélène Lefèvre, née 1957", "Świętosława Łęcka 12.03.1957", "Zdeněk Dvořák 1957-03-14", "Özdemir, Gülşen 03.07.1980"),
        *("Käthe Größmann, Königstraße 5", "Иван Цветко", "王 小 明 患 者 姓 名 手"),
        *(text.encode(code) for text in ("សុខវណ្ណា ភ្នំពេញ", "Цветков Иван") for code in ("utf-16-le", "utf-16-be")),
        *(text.encode("cp1252") for text in ("Zwetschgenberg, Jürgen",)),
    ],
)
def test_text_is_found_behind_slices_of_any_length_and_where_it_begins(text, size):
    """Names with accents in UTF-8, words of other scripts with blanks, and Khmer."""
    behind = text.encode() if isinstance(text, str) else text
    coded = b"\x65\x88" + random.Random(size).randbytes(size).replace(b"\0\0", b"\0\4")
    assert list(slice_bytes.faults(coded)) == []
    (said,) = slice_bytes.faults(coded + behind)
    first, last = map(int, re.match(r"its bytes (\d+) to (\d+) of \d+ look like text", said).groups())
    assert abs(first - len(coded)) <= 6
    assert first + 12 <= last <= len(coded + behind)


RECORDS = {
    "Persian": "محمدرضا کیانی",
    "Urdu": "ڈاکٹر فیصل چیمہ",
    "Kazakh": "Нұрсұлтан Әбішұлы",
    "Chinese with signs and digits": "姓名：王小明，住院号：1234567",
    "Japanese with signs": "氏名：田中太郎（男）",
    "Korean with ASCII": "환자: 김철수, 담당: 이영희",
    "accents": "José García Hernández Núñez",
    "accents behind their letters": unicodedata.normalize("NFD", "José García Hernández Núñez"),
    "fields of 16 bytes": b"".join(one.ljust(16, b"\0") for one in (b"Quast^Ottili", b"00471108", b"1957-03-14", b"2024-03-14")),
    "words with zeros between": b"\0".join(b"Patient Ottilie Quast born 1957-03-14 Klinik Augsburg OP 3 Dr Weiss".split()),
    "UTF-32": "Ottilie Quast 1957-03-14".encode("utf-32-le"),
    "the other way round": "Ottilie Quast 1957-03-14".encode("utf-32-be"),
    "Russian in UTF-32": "Цветков Иван Пётр".encode("utf-32-le"),
}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_records_of_any_language_and_with_zeros_in_them_are_found_behind_a_slice(record):
    text = record if isinstance(record, bytes) else record.encode()
    for size in (1500, 1501, 20_000, 20_001):
        coded = b"\x65\x88" + random.Random(size).randbytes(size).replace(b"\0\0", b"\0\4").removesuffix(b"\0") + b"\0\0\3\1"
        assert list(slice_bytes.faults(coded)) == []
        # Letters of four bytes may look like two texts in letters of two.
        said, *_ = slice_bytes.faults(coded + clips.escaped(text))
        place = re.match(r"its bytes (\d+) to \d+ of \d+ look like text", said)
        assert abs(int(place[1]) - len(coded)) <= 8


def test_many_texts_in_one_slice_cost_by_their_number_alone(monkeypatch):
    many = b"".join(b"%c%cQuast %04d " % (200 + i % 7, 1 + i % 5, i) for i in range(2000))
    monkeypatch.setattr(slice_bytes, "_is_written", lambda *_: True)
    began = time.process_time()
    assert len(list(slice_bytes.faults(b"\x65\x88" + many))) >= 2000
    assert time.process_time() - began < 1.0


ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "latin-1", "cp1251", "shift_jis")
TEXTS = st.one_of(
    st.text(max_size=80),
    st.text("ABCDEabcde 0123-/.", max_size=80),
    st.text("АБВабвгдежзийклмн üöäÜß", max_size=40),
    st.text("患者姓名王小明手术田中太郎タナカ김철수환자，：1957", max_size=40),
    st.text("ґғқңөұүһәپچژگکیٹڈڑںے ،۱۹ Jose\u0301\0", max_size=40),
    st.from_regex(r"[A-Z][a-z]+, [A-Z][a-z]+ [0-9]{4}-[0-9]{2}-[0-9]{2}", fullmatch=True),
)


@pytest.mark.parametrize("text", [b"9e107d9d372bb6826bd81d3542a419d6", b"PATIENT: KRUEGER OTTILIE", b"MRN12345678-A07, MRN20418835-B12"])
def test_identities_and_capitals_are_found_amid_a_slice(text):
    coded = b"\x65\x88" + random.Random(4).randbytes(3000).replace(b"\0\0", b"\0\4")
    assert not list(slice_bytes.faults(coded))
    assert list(slice_bytes.faults(coded[:1000] + text + coded[1000:]))


@given(TEXTS, st.sampled_from(ENCODINGS), st.binary(max_size=300), st.binary(max_size=300))
def test_what_the_audit_finds_in_a_slice_a_render_does_not_copy(text, encoding, before, behind):
    """Otherwise a release could not be finished."""
    unit = b"\x65\x88" + before + clips.escaped(text.encode(encoding, "replace")) + behind
    if list(slice_bytes.faults(unit)):
        assert foreign_bytes.foreign(unit)


class TestParameterSets:
    """Bit by bit, on the sets that x264 writes in many settings."""

    SETTINGS = (
        ("-profile:v", "baseline"),
        ("-preset", "veryslow", "-bf", "8"),
        ("-pix_fmt", "yuv444p", "-preset", "medium"),
        ("-pix_fmt", "yuv422p10le", "-preset", "medium"),
        ("-x264-params", "nal-hrd=vbr:vbv-maxrate=900:vbv-bufsize=900:pic-struct=1:cqm=jvt"),
        ("-vf", "setsar=4/3", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"),
        ("-flags", "+ildct+ilme"),
    )

    @pytest.mark.parametrize("settings", SETTINGS, ids=map(str, SETTINGS))
    def test_they_are_read_to_their_last_bit(self, tmp_path, settings):
        path = clips.clip(tmp_path / "a.mkv", seconds=0.2, more=settings)
        units = [unit for unit in h264.units_of("h264", header_of(path)).header if unit[0] & 31 in (7, 8)]
        assert list(h264.Stream().faults(units)) == []
        for place, unit in enumerate(units):
            for other in (unit + b"x", unit[:-2], unit + b"\0x"):
                assert list(h264.Stream().faults([*units[:place], other])), (place, other.hex())

    def test_redundant_pictures_are_refused(self):
        """A baseline set as x264 writes it, and the same with its last flag set."""
        assert list(h264.Stream().faults([bytes.fromhex("68ce0fc8")])) == []
        assert ["redundant pictures" in said for said in h264.Stream().faults([bytes.fromhex("68ce0fd8")])] == [True]

    def test_slice_groups_are_refused(self):
        assert ["slice groups" in said for said in h264.Stream().faults([bytes.fromhex("68c4ce0fc8")])] == [True]


@pytest.fixture(scope="module")
def hevc(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("hevc")
    picture = "testsrc2=size=96x64:rate=20:duration=0.5"
    codec = ("-c:v", "libx265", "-x265-params", "log-level=none:info=0:bframes=0", "-pix_fmt", "yuv420p")
    sei_free = (*BARE[:5], "filter_units=remove_types=39-40", *BARE[6:])
    clips.ffmpeg("-f", "lavfi", "-i", picture, *codec, *sei_free, folder / "encoded.mkv")
    clips.ffmpeg("-i", folder / "encoded.mkv", "-c", "copy", *sei_free, folder / "a.mkv")
    return folder / "a.mkv"


class TestHevc:
    """HEVC is not what the pipeline writes, but what others release."""

    def test_a_plain_stream_is_clean(self, hevc):
        assert faults(hevc) == []

    def test_units_that_no_player_shows_are_found(self, hevc, tmp_path):
        units = {
            3: (b"\x46\x01\x50" + b"hello", "nal", "NAL type 35"),
            4: (b"\x48\x01hello", "nal", "NAL type 36"),
            5: (b"\x02\x09" + b"a picture of another layer", "nal", "NAL type 1"),
        }
        more = {3: (b"\x44\x01" + bytes(600), "nal", "NAL type 34")}
        for planted in (units, more):
            assert missed(faults(changed(hevc, tmp_path / "a.mkv", planting(planted))), planted) == []

    def test_a_second_picture_in_a_packet_is_found(self, hevc, tmp_path):
        found = faults(changed(hevc, tmp_path / "a.mkv", lambda number, units: [*units, units[-1]] if number == 3 else units))
        assert any("more than one picture in a packet" in message for _, _, message in found)


@pytest.mark.parametrize(
    "data", [bytes(4), b"\0\0\0\1\x65" + bytes(4), b"\0\0\0\2\x65"], ids=["no length", "no length behind one", "too long"]
)
def test_a_packet_holds_whole_units_and_nothing_else(data):
    with pytest.raises(ValueError, match="bytes that belong to no unit"):
        list(h264.split(data, 4))
