"""What a recorder's own clock says is missing between two files."""

from __future__ import annotations

from datetime import datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
import dicom_objects
from coded_films import film
from scrubin.base.errors import VideoError
from scrubin.media.raw_file import stored_sha256
from scrubin.media.source import FilePart, Source
from scrubin.stages.ingest import joining
from scrubin.stages.ingest.joining import gaps_s, timecode_s
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


@given(number=st.integers(0, 24 * 3600 * 29), rate=st.sampled_from([30, 60]))
def test_drop_frame_labels_count_every_frame_once(number, rate):
    assert timecode_s("a", drop_frame(number, rate), Fraction(rate * 1000, 1001)) == number / Fraction(rate * 1000, 1001)


def test_one_hour_of_drop_frame_timecode_is_an_hour():
    assert abs(timecode_s("a", "01:00:00;00", NTSC) - 3600) < Fraction(1, 100)
    assert abs(timecode_s("a", "01:00:00:00", NTSC) - 3600) > 3


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
