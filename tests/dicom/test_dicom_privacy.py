"""Identifiers in every corner of a DICOM header: none is left in anything that is released, and they are counted."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pandas as pd
import pytest
from pydicom.dataset import Dataset
from pydicom.sequence import Sequence

import dicom_objects
from clips import ffmpeg
from screen_params import SCREEN
from scrubin.base.files import sha256_of
from scrubin.cli import main
from scrubin.media.containers import dicom_header as header
from scrubin.media.containers.dicom_recording import stream_of
from scrubin.media.decode import decoded
from scrubin.media.source import Source
from scrubin.stages.ingest import joining
from scrubin.stages.ingest.manifest import ClockParams, ManifestRow
from scrubin.stages.release.certificate import public_form
from scrubin.stages.render import RenderParams, rendering, tables
from scrubin.stages.render.rendering import FileToRender
from scrubin.stages.screen import screening

_PEOPLE = """\
PatientName PatientID IssuerOfPatientID OtherPatientNames PatientBirthName PatientMotherBirthName PatientAddress PatientComments
MedicalRecordLocator EthnicGroup Occupation AdditionalPatientHistory PatientReligiousPreference ResponsiblePerson MilitaryRank
BranchOfService PatientTelephoneNumbers PatientInsurancePlanCodeSequence InstitutionName InstitutionAddress ReferringPhysicianName
ReferringPhysicianAddress ReferringPhysicianTelephoneNumbers PhysiciansOfRecord PerformingPhysicianName OperatorsName
NameOfPhysiciansReadingStudy StationName InstitutionalDepartmentName AccessionNumber StudyID StudyDescription SeriesDescription
ProtocolName DeviceSerialNumber Manufacturer ManufacturerModelName SoftwareVersions DeviceID PlateID GantryID CassetteID
RequestingPhysician RequestingService RequestedProcedureDescription AdmissionID CurrentPatientLocation VisitComments ServiceEpisodeID
ScheduledPerformingPhysicianName RequestedProcedureID PlacerOrderNumberImagingServiceRequest FillerOrderNumberImagingServiceRequest
ImageComments FrameComments TextComments VerifyingObserverName PersonName AuthorObserverSequence InterpretationAuthor ScheduledStationName
PerformedStationName PerformedLocation NamesOfIntendedRecipientsOfResults DerivationDescription
"""
PEOPLE = _PEOPLE.split()
SMART = RenderParams("smart", 20, "ultrafast", 0.0)


def planted(path):
    """A recording with an identifier of its own in each place; returns them too."""
    dataset, words = dicom_objects.header(dicom_objects.KINDS["H.264 MP4"]), []

    def word():
        words.append(f"Xq{len(words):03}Plnt")
        return words[-1]

    for keyword in PEOPLE:
        if not keyword.endswith("Sequence"):
            setattr(dataset, keyword, word())
    inner, middle = Dataset(), Dataset()
    inner.PatientName, inner.InstitutionName = word(), word()
    middle.ReferencedStudySequence, middle.OperatorsName = Sequence([inner]), word()
    dataset.RequestAttributesSequence = Sequence([middle, inner])
    for group in (0x0009, 0x0011, 0x7FE1):
        block = dataset.private_block(group, word()[:16], create=True)
        block.add_new(1, "LO", word())
        block.add_new(2, "OB", word().encode("utf-16-le"))
        hidden = Dataset()
        hidden.PatientID = word()
        block.add_new(3, "SQ", Sequence([hidden]))
    dataset.preamble = word().encode().ljust(128, b"\0")
    dataset.file_meta = Dataset()
    dataset.DataSetTrailingPadding = word().encode() + b"\0"
    kind = dicom_objects.KINDS["H.264 MP4"]
    alone = dicom_objects.stream(path.parent, kind)
    tagged, title = path.parent / "tagged.mp4", word()
    ffmpeg("-i", f"file:{alone}", "-c", "copy", "-metadata", f"title={title}", f"file:{tagged}")
    return dicom_objects.write(path, dataset, kind, [tagged.read_bytes()]), words


def spellings(word):
    """A word as bytes, in the encodings in which it could be left."""
    plain = [word, word.upper(), word.lower(), word[::-1]]
    found = [one.encode(name) for one in plain for name in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")]
    found += [word.encode().hex().encode(), word.encode().hex().upper().encode()]
    # Base64 of a word inside of something else begins at one of three places.
    found += [base64.b64encode(b"x" * shift + word.encode())[(2, 3, 4)[shift] : -4] for shift in range(3)]
    return found


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    path, words = planted(folder / "a.dcm")
    return folder, path, words


@pytest.fixture(scope="module")
def released(study):
    """What the library functions of ingest, screen and render make of a recording."""
    folder, path, _ = study
    row = ManifestRow(2, "Case 1", "p", "1", "", "Peg", "mono", path.name, None, None, "")
    media = joining.read(folder, joining.CameraRecording((row,)), ClockParams("", "none")).media
    assert (media.frame_count, media.fps, media.codec) == (50, 25, "h264")
    file = FileToRender("Case 1", "mono", Source.of_file(path.name, media.sha256), "Peg", "abelo", 0.2, 1.8, "25", False, ())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        item = rendering.render(folder, file, SMART)
        yield item, folder / item.entry.folder / rendering.FILE_NAME


@pytest.mark.slow
def test_no_planted_identifier_is_left_in_what_is_released(study, released, tmp_path):
    _, path, words = study
    item, video = released
    source = path.read_bytes()
    assert len(words) >= 75
    there = [word for word in words if word.encode() in source or word.encode("utf-16-le") in source]
    assert there == words
    # Also not on the way back.
    assert main(["dicom", "write", str(video), str(tmp_path / "back.dcm")]) == 0
    for data in (video.read_bytes(), (tmp_path / "back.dcm").read_bytes()):
        assert [word for word in words for one in spellings(word) if one in data] == []
    stated = json.dumps([tables.video_rows([item]), tables.hidden_rows([item]), tables.cut_rows([item])])
    assert [word for word in words if word in stated] == []


@pytest.mark.slow
def test_released_frames_are_those_of_the_stream(study, released):
    item, video = released
    assert item.mode == "smart"
    frames, own = ([frame.to_ndarray().tobytes() for frame in decoded(path, "v")] for path in (video, study[0] / "tagged.mp4"))
    assert len(frames) == item.plan.frame_count == 40
    same = sum(one == other for one, other in zip(frames, own[5:45], strict=True))
    assert same >= item.copied_frames >= 20


def test_what_stays_behind_is_counted_by_group(study, released):
    _, path, words = study
    (cut,) = tables.cut_rows([released[0]])
    counts = stream_of(path).header.counts
    assert header.text(counts) == cut["left_behind"]
    assert {group: counts[group] for group in ("0009", "0011", "7FE1", "FFFC")} == {"0009": 4, "0011": 4, "7FE1": 4, "FFFC": 1}
    assert sum(counts.values()) >= len(words)
    of_all = public_form.counted_headers(pd.DataFrame([cut, {**cut, "left_behind": None}]))
    assert of_all == {"headers": 1, "elements": sum(counts.values()), "private_elements": 12}
    assert {"group": "0011", "elements": 4, "private": True} in public_form.header_groups(pd.DataFrame([cut]))


def test_elements_of_nested_sequences_are_counted_and_pixels_are_not():
    innermost, inner, outer = Dataset(), Dataset(), Dataset()
    innermost.PatientName, innermost.PatientID = "A^B", "1"
    inner.ReferencedStudySequence, inner.StationName = Sequence([innermost, innermost]), "s"
    outer.RequestAttributesSequence, outer.PixelData = Sequence([inner]), b"\0\0"
    outer.private_block(0x0011, "maker", create=True).add_new(1, "SQ", Sequence([inner]))
    assert header.counts([outer]) == {"0008": 4, "0010": 8, "0011": 2, "0040": 1}


def test_the_command_shows_no_value(study, capsys):
    _, path, words = study
    assert main(["dicom", "show", str(path)]) == 0
    shown = capsys.readouterr()
    assert [word for word in words if word in shown.out + shown.err] == []
    assert "12 of them private" in shown.out


@pytest.mark.parametrize(
    ("element", "value", "kinds"),
    [
        ("BurnedInAnnotation", "YES", ["text"]),
        ("RecognizableVisualFeatures", "YES", ["out_of_body"]),
        ("BurnedInAnnotation", "NO", []),
    ],
)
def test_a_hint_of_the_header_hides_everything_until_somebody_looked(element, value, kinds, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dataset = dicom_objects.header(dicom_objects.KINDS["JPEG"], 5)
    setattr(dataset, element, value)
    path, _ = dicom_objects.recording(tmp_path / "a.dcm", "JPEG", 5, dataset=dataset)
    rows = screening.screen(tmp_path, screening.FileToScreen("Case 1", "mono", Source.of_file("a.dcm", sha256_of(path)), "Peg"), SCREEN)
    hinted = [row for row in rows if row["source"] == "header"]
    assert [row["kind"] for row in hinted] == kinds
    assert all((row["first_frame"], row["last_frame"], row["x"]) == (0, 4, None) for row in hinted)
    assert Path("a.dcm").exists()
