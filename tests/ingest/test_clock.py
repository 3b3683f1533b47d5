"""What a recorder's own clock says is missing between two files."""

from __future__ import annotations

import re
import time
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
import dicom_objects
from coded_films import FPS, film
from scrubin.base.errors import VideoError
from scrubin.media.raw_file import stored_sha256
from scrubin.media.source import FilePart, Source
from scrubin.media.timecode_rate import stated_rate
from scrubin.stages.ingest import joining
from scrubin.stages.ingest.joining import gaps_s, timecode
from scrubin.stages.ingest.manifest import ClockParams, ManifestRow

NTSC = Fraction(30000, 1001)


def gaps(raw, *names: str, source: str) -> list[Fraction]:
    parts = Source(tuple(FilePart(name, stored_sha256(raw / name, name)) for name in names))
    return gaps_s(raw, parts.paths, parts.joined_parts(raw), ClockParams("", source))


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def with_timecode(raw, name: str, code: str, frames: range = range(50)) -> str:
    clips.ffmpeg("-i", film(raw / f"plain_{name}", frames), "-c", "copy", "-timecode", code, raw / name)
    return name


def test_a_timecode_says_what_is_missing_to_the_frame(tmp_path):
    names = [with_timecode(tmp_path, f"{n}.mov", code) for n, code in enumerate(("10:00:00:00", "10:00:02:00", "10:00:04:05"))]
    assert gaps(tmp_path, *names, source="timecode") == [0, 0, Fraction(5, 25)]


def test_a_timecode_goes_on_over_midnight(tmp_path):
    names = [with_timecode(tmp_path, f"{n}.mov", code) for n, code in enumerate(("23:59:59:00", "00:00:04:00"))]
    assert gaps(tmp_path, *names, source="timecode") == [0, 3]


def test_a_file_without_timecode_is_named(tmp_path):
    names = [with_timecode(tmp_path, "1.mov", "10:00:00:00"), film(tmp_path / "2.mov", range(50)).name]
    with pytest.raises(VideoError, match=r"2\.mov: it has no timecode; write none into the column 'clock'"):
        gaps(tmp_path, *names, source="timecode")


def drop_frame(number: int, base: int = 30) -> str:
    """The label of a frame, counted on from label to label."""
    minutes, tens = divmod(number, base * 600 - base // 15 * 9)
    minutes *= 10
    if tens >= base * 60:
        more, rest = divmod(tens - base * 60, base * 60 - base // 15)
        minutes, tens = minutes + 1 + more, rest + base // 15
    seconds, frames = divmod(tens, base)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02};{frames:02}"


@pytest.mark.parametrize(
    ("code", "fps", "number"),
    [("00:00:01:007", Fraction(120000, 1001), 127), ("00:00:01:00007", Fraction(12000), 12007), ("00:00:01:3", Fraction(5), 8)],
)
def test_numbers_have_as_many_digits_as_their_rate_needs(code, fps, number):
    assert timecode("a", code, fps).time_s == number / fps


@given(number=st.integers(0, 24 * 3600 * 29), rate=st.sampled_from([30, 60]))
def test_drop_frame_labels_count_every_frame_once(number, rate):
    assert timecode("a", drop_frame(number, rate), Fraction(rate * 1000, 1001)).time_s == number / Fraction(rate * 1000, 1001)


def test_a_time_with_milliseconds_is_no_timecode():
    assert timecode("a", "12:30:15:29", Fraction(30)).time_s == 45015 + Fraction(29, 30)
    assert timecode("a", "12:30:15:24", Fraction(4800, 199), is_exact=False)
    for text in ("12:30:15.500", "12:30:15.020", "12:30:15:30"):
        with pytest.raises(VideoError, match="a: it has no timecode; write none into the column 'clock'"):
            timecode("a", text, Fraction(30))
    with pytest.raises(VideoError):
        timecode("a", "12:30:15.500", Fraction(4800, 199), is_exact=False)


def test_one_hour_of_drop_frame_timecode_is_an_hour():
    assert abs(timecode("a", "01:00:00;00", NTSC).time_s - 3600) < Fraction(1, 100)
    assert abs(timecode("a", "01:00:00:00", NTSC).time_s - 3600) > 3


def labels(minutes, base: int, dropped: int) -> list[str]:
    """Every label of some minutes of a day, as ST 12-1 words it: the first numbers of each minute are left out, except 00, 10, ... 50."""
    return [
        f"{minute // 60:02}:{minute % 60:02}:{second:02}{';' if dropped else ':'}{frame:02}"
        for minute in minutes
        for second in range(60)
        for frame in range(base)
        if not (second == 0 and frame < dropped and minute % 60 not in (0, 10, 20, 30, 40, 50))
    ]


def gap_between(monkeypatch, begins: tuple[str, str], frames: int, fps: Fraction, counted: Fraction | None) -> Fraction:
    """What is missing between two files of which the first has so many frames."""
    probe = SimpleNamespace(fps=fps, variable_rate=False)
    parts = [SimpleNamespace(probe=probe, length_s=frames / fps)] * 2
    monkeypatch.setattr(joining, "_tag", lambda _, name, __: name)
    monkeypatch.setattr(joining, "stated_rate", lambda _: counted)
    return gaps_s(Path(), begins, parts, ClockParams("", "timecode"))[1]


@pytest.mark.parametrize(
    ("fps", "counted", "base", "dropped"),
    [
        (Fraction(30000, 1001), None, 30, 2),
        (Fraction(30000, 1001), Fraction(30), 30, 2),
        (Fraction(30000, 1001), Fraction(30000, 1001), 30, 0),
        (Fraction(24000, 1001), None, 24, 0),
        (Fraction(60000, 1001), None, 60, 4),
        (Fraction(60000, 1001), Fraction(30000, 1001), 30, 2),
        (Fraction(50), Fraction(25), 25, 0),
        (Fraction(25), None, 25, 0),
    ],
)
def test_over_midnight_what_follows_has_no_gap_and_what_is_missing_is_told_to_the_frame(monkeypatch, fps, counted, base, dropped):
    every = labels([*range(1425, 1440), *range(15)], base, dropped)
    per_number = round(fps) // base
    first, count = 17, len(every) // 2 + 5000
    assert every[first] > every[first + count]
    for missing in (0, 60 * base, 61 * base + 7):
        begins = (every[first], every[first + count + missing])
        assert gap_between(monkeypatch, begins, count * per_number, fps, counted) == missing * per_number / fps


def test_numbers_without_drop_frame_pass_more_slowly_than_the_clock_over_midnight_too(monkeypatch):
    frames = 10 * 60 * 30
    assert gap_between(monkeypatch, ("23:50:00:00", "00:00:00:00"), frames, NTSC, None) == 0
    assert gap_between(monkeypatch, ("23:50:00:00", "00:01:00:00"), frames, NTSC, None) == Fraction(60 * 1001, 1000)


def mov_that_counts_pairs(raw, name: str, code: str, seconds: float) -> str:
    counting = clips.clip(raw / "counting.mov", fps="25", seconds=0.2, more=("-timecode", code))
    pictures = clips.clip(raw / "pictures.mov", fps="50", seconds=seconds)
    clips.ffmpeg("-i", pictures, "-i", counting, "-map", "0:v", "-map", "1:d", "-c", "copy", "-write_tmcd", "0", raw / f"{name}.mov")
    return f"{name}.mov"


def mxf_that_counts_pairs(raw, name: str, code: str, seconds: float) -> str:
    path = raw / f"{name}.mxf"
    picture = f"testsrc=r=50:s=96x64:d={seconds}"
    clips.ffmpeg("-f", "lavfi", "-i", picture, "-c:v", "mpeg2video", "-timecode", "10:00:00:00", path)
    minutes, seconds_, frames = (int(word) for word in code.split(":")[1:])
    start = (36000 + 60 * minutes + seconds_) * 25 + frames
    of_base = [f"15010008{begin:016x}15020002{base:04x}15030001" for begin, base in ((36000 * 50, 50), (start, 25))]
    data, (was, is_) = path.read_bytes(), map(bytes.fromhex, of_base)
    assert was in data
    path.write_bytes(data.replace(was, is_))
    return path.name


@pytest.mark.parametrize("made", [mov_that_counts_pairs, mxf_that_counts_pairs])
def test_a_timecode_that_counts_pairs_of_frames_is_read_as_its_track_says(tmp_path, made):
    codes = ("10:00:00:24", "10:00:02:00", "10:00:05:12")
    names = [made(tmp_path, str(n), code, 1.02) for n, code in enumerate(codes)]
    assert gaps(tmp_path, *names, source="timecode") == [0, 0, Fraction(3 * 25 + 12, 25) - Fraction(102, 100)]


def test_of_two_packages_the_one_counts_whose_numbers_are_told(tmp_path):
    path = tmp_path / mxf_that_counts_pairs(tmp_path, "1", "10:00:00:24", 0.2)
    data, (pairs, all_) = path.read_bytes(), (bytes.fromhex(f"15020002{base:04x}") for base in (25, 50))
    material, source = (at.start() for at in re.finditer(re.escape(pairs), data))
    path.write_bytes(data[:source] + data[source:].replace(pairs, all_))
    assert stated_rate(path) == 25
    path.write_bytes(data[:material] + data[material:].replace(pairs, all_, 1))
    assert stated_rate(path) == 50


def test_sets_within_sets_are_read_once(tmp_path):
    head, component = (bytes.fromhex(f"060e2b340{kind}") for kind in ("2050101 0d0102010102 0400", "2530101 0d0101010101 1400"))
    nested = b"".join(component + b"\x83\x04\x00\x00" for _ in range(4_000))
    (tmp_path / "1.mxf").write_bytes(head + b"\x00" + nested + bytes(1 << 18))
    started = time.process_time()
    assert stated_rate(tmp_path / "1.mxf") is None
    assert time.process_time() - started < 2


@pytest.mark.parametrize("keep", [12, 200, 0.9])
def test_a_head_that_is_cut_off_states_no_rate(tmp_path, keep):
    data = (tmp_path / with_timecode(tmp_path, "1.mov", "10:00:00:00")).read_bytes()
    assert stated_rate(tmp_path / "1.mov") == FPS
    (tmp_path / "2.mov").write_bytes(data[: keep if keep > 1 else data.index(b"stsd", data.rindex(b"mdia"))])
    assert stated_rate(tmp_path / "2.mov") is None


def dicom(raw, name: str, **elements: str) -> str:
    kind = next(name for name, kind in dicom_objects.KINDS.items() if kind.suffix != "mjpeg")
    dataset = dicom_objects.header(dicom_objects.KINDS[kind])
    for element, text in elements.items():
        setattr(dataset, element, text)
    return dicom_objects.recording(raw / name, kind, dataset=dataset)[0].name


def test_the_header_of_a_dicom_object_says_when_it_began(tmp_path):
    length_s = timedelta(seconds=dicom_objects.FRAMES * 0.04)
    second = datetime(2024, 1, 31, 23, 59, 58) + length_s + timedelta(seconds=90)
    names = [
        dicom(tmp_path / "1", "1.dcm", AcquisitionDateTime="20240131235958.000000"),
        dicom(tmp_path / "2", "2.dcm", ContentDate=f"{second:%Y%m%d}", ContentTime=f"{second:%H%M%S.%f}"),
    ]
    paths = [f"{n}/{name}" for n, name in enumerate(names, start=1)]
    assert gaps(tmp_path, *paths, source="dicom_time") == [0, 90]


def test_a_dicom_object_without_time_is_named(tmp_path):
    names = [dicom(tmp_path / "1", "1.dcm", AcquisitionDateTime="20240131235958"), dicom(tmp_path / "2", "2.dcm")]
    with pytest.raises(VideoError, match=r"2/2\.dcm: its header does not say when it was recorded"):
        gaps(tmp_path, *(f"{n}/{name}" for n, name in enumerate(names, start=1)), source="dicom_time")


def test_the_list_says_another_clock_for_one_recording(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [with_timecode(tmp_path, "1.mov", "10:00:00:00"), with_timecode(tmp_path, "2.mov", "10:00:05:00", range(50, 100))]
    gaps = {}
    for clock in ("", "timecode", "none"):
        rows = tuple(
            ManifestRow(n, "r", "p", "", "", "T", "mono", name, None, None, "", n, clock=clock) for n, name in enumerate(names, start=1)
        )
        read = joining.read(tmp_path, joining.CameraRecording(rows), ClockParams("", "timecode"))
        gaps[clock] = [part["gap_s"] for part in read.parts]
    assert gaps[""] == gaps["timecode"] == ["0", "3"]
    assert gaps["none"] == ["0", "0"]


@pytest.mark.parametrize(("code", "missing_s"), [("10:00:02:00", 0), ("10:00:02:01", 0), ("10:00:02:02", Fraction(2, 25))])
def test_a_timecode_that_is_one_frame_late_says_nothing(tmp_path, code, missing_s):
    names = [with_timecode(tmp_path, "1.mov", "10:00:00:00"), with_timecode(tmp_path, "2.mov", code, range(50, 100))]
    assert gaps(tmp_path, *names, source="timecode") == [0, missing_s]


@pytest.mark.parametrize(("second", "missing_s"), [("02", 0), ("03", 0), ("04", 2)])
def test_a_clock_of_whole_seconds_that_is_one_second_late_says_nothing(tmp_path, second, missing_s):
    for name, frames in (("x_20260131_090000.mov", range(50)), (f"x_20260131_0900{second}.mov", range(50, 100))):
        film(tmp_path / name, frames)
    parts = Source(tuple(FilePart(one.name, stored_sha256(one, one.name)) for one in sorted(tmp_path.glob("x_*.mov"))))
    clock = ClockParams("%Y%m%d_%H%M%S", "file_name")
    assert gaps_s(tmp_path, parts.paths, parts.joined_parts(tmp_path), clock) == [0, missing_s]
