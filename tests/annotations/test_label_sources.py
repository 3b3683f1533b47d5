import unicodedata
from pathlib import Path

import pytest

from label_examples import EXAMPLES, read_files
from scrubin.base import params
from scrubin.base.errors import AnnotationError, ParamsError
from scrubin.base.faults import Faults
from scrubin.labels.parse import sheet_xml
from scrubin.labels.registry import FORMATS, label_format, readable
from scrubin.stages.annotations import report, sources
from scrubin.stages.annotations.params import AnnotationsParams, SourceParams
from verdict_cases import write_files as put

RECORDINGS = {"case one", "case-two"}
ALL = tuple(SourceParams(name, f"annotations/{name}", "cholect50") for name in ("cholect50", "cholec80", "labelme"))


@pytest.fixture
def found(tmp_path):
    """Put empty files into a raw folder; return what is found and what is refused."""

    def found(*names, sources_=ALL):
        put(tmp_path / "annotations", dict.fromkeys(names, b""))
        faults = Faults()
        batches = sources.find(tmp_path, sources_, RECORDINGS, faults)
        try:
            AnnotationError.raise_any(faults)
        except AnnotationError as error:
            return batches, tuple(fault.sentence for fault in error.faults)
        return batches, ()

    return found


@pytest.fixture
def refused(tmp_path):
    """Put files into the annotations of a raw folder; return what is refused."""

    def refused(contents, *given, withdrawn=(), known=None):
        put(tmp_path / "annotations", contents)
        sources.find(tmp_path, given, known or RECORDINGS | set(withdrawn), faults := Faults(), withdrawn)
        return [fault.sentence for fault in faults.all()]

    return refused


def test_files_are_grouped_by_recording_in_the_order_of_the_sources(found):
    batches, faults = found(
        "labelme/case one/000025.json", "labelme/case one/000000.json", "cholec80/case-two-tool.txt", "cholec80/case-two-phase.txt"
    )
    assert faults == ()
    assert [(batch.recording, batch.source.format, batch.files) for batch in batches] == [
        ("case-two", "cholec80", ("annotations/cholec80/case-two-phase.txt", "annotations/cholec80/case-two-tool.txt")),
        ("case one", "labelme", ("annotations/labelme/case one/000000.json", "annotations/labelme/case one/000025.json")),
    ]


def test_a_study_without_label_folders_has_no_batches(found):
    assert found() == ([], ())


def test_a_source_whose_folder_is_not_there_is_told_by_number_and_format(tmp_path):
    for source in ALL[1:]:
        (tmp_path / source.folder).mkdir(parents=True)
    told = sources.missing(tmp_path, ALL)
    assert told == [f"1 ({ALL[0].format})"]
    summary = {"ids": {}, "totals": {}, "left_out_recordings": 0}
    assert report.document(summary, [], None, told)["missing_sources"] == told
    assert "missing_sources" not in report.document(summary, [], None, sources.missing(tmp_path, ALL[1:]))


def test_a_name_of_no_recording_is_refused_with_the_near_miss(found):
    _, faults = found("cholect50/case two.json")
    assert faults == ("annotations/cholect50/case two.json: 'case two' is no recording of recordings.csv; did you mean 'case-two'?",)


def test_a_name_that_only_looks_like_that_of_a_recording_says_so(refused):
    listed, written = (unicodedata.normalize(form, "Köhler TC") for form in ("NFC", "NFD"))
    (said,) = refused({f"cholect50/{written}.json": b""}, *ALL, known=[listed])
    assert said.endswith(
        f"; '{listed}' looks the same and is not: one of them writes letters and their marks apart; copy the name from there"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cholect50/case one.txt", "expected <recording>.json"),
        ("cholect50/deep/case one.json", "expected <recording>.json"),
        ("cholec80/case one.txt", "expected <recording>-phase.txt or <recording>-tool.txt"),
        ("labelme/case one/frame.json", "expected <recording>/<frame>.json with the source frame number in six digits"),
        ("labelme/case one/25.json", "expected <recording>/<frame>.json with the source frame number in six digits"),
        ("labelme/000025.json", "expected <recording>/<frame>.json"),
    ],
)
def test_a_file_that_fits_no_pattern_is_refused(found, name, expected):
    batches, faults = found(name)
    assert batches == []
    assert len(faults) == 1
    assert f"annotations/{name}: the name does not fit the format" in faults[0]
    assert expected in faults[0]


def test_what_systems_and_editors_leave_is_ignored(found):
    left = (".DS_Store", ".case one.json.swp", "Thumbs.db", "desktop.ini", "~$case one.xlsx", "@eaDir/case one.json")
    assert found(*(f"cholect50/{name}" for name in left)) == ([], ())


def test_a_folder_that_no_source_reads_is_refused_with_the_near_miss(found):
    _, faults = found("cholect5O/case one.json")
    assert faults == ("annotations/cholect5O: no source in params.yaml reads this folder; did you mean 'cholect50'?",)


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("annotations", "annotations: it is a file, not a folder; move it away, and make the folder: it may stay empty"),
        ("annotations/cholect50", "annotations/cholect50: it is a file, and annotations.sources in params.yaml names it as a folder"),
        (
            "annotations/case one.json",
            "annotations/case one.json: it is like labels of cholect50, and no source in params.yaml reads files of annotations/ itself; "
            "move labels into annotations/cholect50/, and anything else out of the raw study",
        ),
    ],
)
def test_a_label_file_that_lies_where_no_source_looks_is_refused(found, tmp_path, file, says):
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).touch()
    assert only(found()[1]).startswith(says)


def test_a_folder_called_like_a_label_file_is_refused_and_a_dot_in_one_of_a_recording_is_not(found, tmp_path):
    (tmp_path / "annotations/cholect50/case one.json").mkdir(parents=True)
    (tmp_path / "annotations/cholect50/.case one.json").mkdir()
    assert only(found()[1]).startswith("annotations/cholect50/case one.json: it is a folder, and files of cholect50 are called so; put")
    (tmp_path / "annotations/cholect50/case one.json").rmdir()
    (tmp_path / "annotations/labelme/case 1.2").mkdir(parents=True)
    (tmp_path / "annotations/labelme/case 1.2/000025.json").touch()
    assert len(sources.find(tmp_path, ALL, {"case 1.2"}, faults := Faults())) == 1
    assert not faults.all()


NOTES = (
    *("notes.txt", "classes.txt", "annotators.txt", "00_README.txt", "LIESMICH.txt", "protocol.xlsx", "split.csv", "raters.csv"),
    *("old_map.csv", "contents.json", "~$OSATS.xlsx", "legend.json", "figure_0001.png"),
)
EVERYWHERE = (
    *(SourceParams(name, f"annotations/{name}", "cholect50") for name in ("masks-png", "coco", "yolo", "aixsuture")),
    SourceParams("vidat", "annotations/video/vidat", "cholect50"),
    SourceParams("endoscapescvs", "annotations/study/2024/cvs", "endoscapes"),
    SourceParams("spans", "annotations/study/2024/spans", "cholect50"),
)
BESIDE = ("video/case one/0002.png", "video/images/case one_0002.png", "study/images/case one/0002.png", "study/2024/minutes/case one.csv")
"""In folders of people's own beside that of a source."""


@pytest.mark.parametrize(
    "name",
    [
        *("case one_0002.png", "case-two.json", "case-two_000025.txt", "video/case-two.json", "video/case one_0002.png"),
        *("case one.xlsx", "CASE ONE.xlsx", "Case One.JSON", "case one_0002.PNG", "video/case onee.json"),
    ],
)
def test_a_file_beside_a_source_that_is_called_like_its_labels_is_refused(found, name):
    said = only(found(name, sources_=EVERYWHERE)[1])
    assert said.startswith(f"annotations/{name}: it is like labels of ")
    assert "move labels into annotations/" in said


@pytest.mark.parametrize("name", ["coco", "cholect50", "aixsuture", "endoscapescvs", "elan", "label-studio", "spans", "lasana"])
def test_a_file_beside_a_source_that_holds_its_labels_is_refused_however_it_is_called(refused, name):
    source = SourceParams(name, f"annotations/{name}", "prostatd" if name == "spans" else "cholect50")
    loose = {Path(file).name: data for file, data in EXAMPLES[name].items()}
    assert f"like labels of {name}, and no source" in only(refused(loose, source))
    people = [Path(file).stem for file in loose]
    assert not refused(loose, source, withdrawn=people, known=RECORDINGS) or name in {"coco", "endoscapescvs"}


@pytest.mark.parametrize("name", ["OSATS.xlsx", "OSATS.XLSX"])
def test_a_damaged_file_of_the_name_that_only_one_format_has_is_refused(refused, name):
    assert only(refused({name: b"PK\x03\x04"}, *EVERYWHERE)).startswith(f"annotations/{name}: it is like labels of aixsuture")


def test_a_loose_workbook_without_a_cell_has_no_labels_whatever_it_is_called(refused):
    assert refused({"OSATS.xlsx": sheet_xml.workbook([])}, *EVERYWHERE) == []


ELAN = '<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER/><TIER TIER_ID="phases"/></ANNOTATION_DOCUMENT>'
CVAT = "<annotations><version>1.1</version><meta><project><labels/></project></meta></annotations>"


@pytest.mark.parametrize(
    ("format_", "name", "text"),
    [
        ("lasana", "raters.csv", "id;age\nA;3\n"),
        ("elan", "template.eaf", ELAN),
        ("boris", "ethogram.boris", '{"behaviors_conf":{}}'),
        ("yolo", "notes_01.txt", "0 1 2 3 4\n"),
        ("coco", "template.json", '{"images": [], "annotations": [], "categories": [{"id": 1, "name": "grasper"}]}'),
        ("cvat-images", "labels.xml", CVAT),
        ("surch", "segments.csv", "a,b\n"),
        ("endoscapescvs", "all_metadata.csv", "recording,site\n"),
        ("coco", "case onee.json", ""),
        ("vidat", "operation-2023-003.csv", ""),
        ("vidat", "operation-2023-003.json", ""),
        ("vidat", "operations-2024.json", ""),
        ("vidat", "case oven.json", ""),
    ],
)
def test_a_loose_file_without_labels_or_of_another_number_is_peoples_own(refused, format_, name, text):
    known = {*RECORDINGS, "operation-2023-001", "operation-2023-002"}
    assert refused({name: text.encode()}, SourceParams(format_, f"annotations/{format_}", "cholect50"), known=known) == []


def example(name):
    """The first file of a format's example."""
    return next(iter(EXAMPLES[name].values()))


@pytest.mark.parametrize("folder", ["Vidat", "vidat2", "vidta", "vidat_old"])
def test_a_folder_beside_a_nested_source_that_is_called_almost_like_it_and_has_its_labels_is_refused(refused, folder):
    assert refused({f"video/{folder}/any name.json": example("vidat")}, *EVERYWHERE) == [
        f"annotations/video/{folder}: any name.json in it is like labels of vidat, and no source in params.yaml reads it; "
        "add it to annotations.sources in params.yaml, or move it out of the raw study"
    ]


def test_in_a_folder_called_almost_like_that_of_pictures_or_plain_tables_the_name_of_a_recording_tells(refused):
    nested = (
        SourceParams("masks-png", "annotations/study/masks", "cholect50"),
        SourceParams("phase-tables", "annotations/study/2", "cholect50"),
    )
    assert refused({"study/marks/overview/0001.png": b"", "study/masks_color/figure/0002.png": b""}, *nested) == []
    assert only(refused({"study/masks_color/case one/0001.png": b""}, *nested)).startswith(
        "annotations/study/masks_color: case one/0001.png in"
    )


@pytest.mark.parametrize("other", ["2024", "02", "mainz", "東京", "bonn/labels"])
def test_a_folder_beside_a_nested_source_with_labels_of_a_recording_is_refused_however_it_is_called(refused, other):
    read = SourceParams("cholect50", "annotations/hospital/2023", "cholect50")
    said = only(refused({f"hospital/{other}/case one.json": example("cholect50"), "hospital/2023/case-two.json": b""}, read))
    assert said.startswith(f"annotations/hospital/{other.split('/')[0]}: ")
    assert "case one.json in it is like labels of cholect50, and no source" in said


def test_in_a_folder_of_ones_own_beside_a_nested_source_name_and_look_tell_together(refused):
    nested = (SourceParams("cholect50", "annotations/a/labels", "cholect50"), SourceParams("masks-png", "annotations/a/masks", "cholect50"))
    own = {"a/pilots/pilot.json": example("cholect50"), "a/other/case one.json": b"{}", "a/images/case one/0001.png": b""}
    assert refused({**own, "a/other/labelme/case one.json": example("labelme"), "a/other/masks/case two/1.png": b"0"}, *nested) == []
    assert (
        refused({"a/gone/gone.json": example("cholect50"), "a/labels2/gone.json": example("cholect50")}, *nested, withdrawn=["gone"]) == []
    )


def test_in_a_folder_called_almost_like_that_of_a_source_the_name_of_a_recording_tells_whatever_is_in_it_also_with_a_slip(refused):
    nested = [SourceParams(name, f"annotations/a/{name}", "cholect50") for name in ("cholect50", "phase-tables")]
    of_folders = {"cholect50_2/case one.json": b"{broken", "phase-tables2/case onee.csv": b"0,1\n"}
    said = refused({f"a/{name}": data for name, data in of_folders.items()}, *nested)
    assert [one.partition(" in it is like")[0].rpartition(": ")[2] for one in said] == ["case one.json", "case onee.csv"]


@pytest.mark.parametrize(("text", "is_refused"), [("0,1\n1,2\n", False), ("frame,step\n0,1\n", False), ("Frame,Phase\n0,1\n", True)])
def test_a_plain_table_in_a_folder_of_ones_own_is_labels_where_its_header_names_the_phase(refused, text, is_refused):
    read = SourceParams("phase-tables", "annotations/a/phases", "cholect50")
    assert len(refused({"a/kinematics/case one.csv": text.encode()}, read)) == is_refused


def test_zeros_of_a_number_are_a_slip_and_another_number_is_another_recording(refused):
    read = SourceParams("masks-png", "annotations/a/masks", "cholect50")
    said = [refused({"a/masks2/VID098/0001.png": b"0"}, read, known={known}) for known in ("VID98", "VID99")]
    assert [bool(one) for one in said] == [True, False]


def test_frames_in_a_folder_of_ones_own_are_not_asked_one_by_one(refused, monkeypatch):
    asked = []
    monkeypatch.setattr(sources, "_is_like_labels", lambda raw, source, file, *rest: asked.append(file.name))
    read = SourceParams("cholect50", "annotations/a/labels", "cholect50")
    refused({"a/frames/case one/0001.PNG": b"", "a/frames/case one.json": b""}, read)
    assert asked == ["case one.json"]


def test_the_folders_of_an_official_release_beside_the_one_that_is_read_are_passed_over(refused):
    train = SourceParams("endoscapes", "annotations/endoscapes/train", "endoscapes")
    assert refused({f"endoscapes/{folder}/annotation_coco.json": b"{}" for folder in ("train", "train_seg", "val")}, train) == []


@pytest.mark.parametrize(
    "name",
    [
        *("video/Vidat/clip.mp4", "video/Vidat/.case one.json", "study/2023/cvs/all_metadata.csv", "video/images/case one.json"),
        *("video/vidat_videos/a.mp4", "study/2024/spinach/case one.json"),
    ],
)
def test_a_folder_beside_a_nested_source_that_has_none_of_its_files_or_another_name_is_passed_over(found, name):
    assert found(name, sources_=EVERYWHERE) == ([], ())


def test_a_folder_that_is_called_almost_like_several_sources_is_one_error_whichever_would_read_it(refused):
    nested = tuple(SourceParams(name, f"annotations/a/{folder}", "cholect50") for name, folder in (("coco", "old 1/x"), ("elan", "old 2")))
    only(refused({"a/old 3/case one.json": example("coco"), "a/old 2/case one.eaf": b""}, *nested))
    assert len(refused({"a/olds/any name.eaf": example("elan")}, *nested)) == 2


def test_a_file_that_another_source_reads_is_in_nobodys_way(found):
    nested = (SourceParams("cholect50", "annotations/a", "cholect50"), SourceParams("cholec80", "annotations/a/b", "cholect50"))
    batches, faults = found("a/case one.json", sources_=nested)
    assert (faults, [batch.files for batch in batches]) == ((), [("annotations/a/case one.json",)])


def test_a_loose_file_of_a_data_set_may_be_called_like_a_recording_that_ends_in_a_number(refused):
    (said,) = refused({"op_12.json": b""}, SourceParams("coco", "annotations/coco", "cholect50"), known={"op_12"})
    assert said.startswith("annotations/op_12.json: ")


def test_notes_are_like_labels_of_no_format_whatever_is_in_them(tmp_path):
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations/lost.csv").symlink_to(tmp_path / "nowhere")
    for i, text in enumerate(("Dr. A was late", "id,age,site\n1,22,North\n", "{}", "1\n2\n", "PK\x03\x04", "")):
        for ending in ("csv", "txt", "json", "xlsx", "xml"):
            (tmp_path / f"annotations/note {i}.{ending}").write_text(text)
    for name in readable():
        sources.find(tmp_path, [SourceParams(name, f"annotations/{name}", "cholect50")], RECORDINGS, faults := Faults())
        assert not faults.all(), name


def test_many_loose_files_of_a_source_are_one_error(found):
    said = only(found(*(f"case one_{frame:04}.png" for frame in range(3)), sources_=EVERYWHERE)[1])
    assert said.startswith("annotations/case one_0000.png: it and 2 more are like labels of masks-png")


@pytest.mark.parametrize("spelt", ["case one", "CASE ONE", "Case One"])
def test_a_loose_file_of_somebody_who_withdrew_is_passed_over_with_capitals_too(tmp_path, spelt):
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations/case one.json").touch()
    (tmp_path / f"annotations/{spelt}.json").write_bytes(next(iter(EXAMPLES["cholect50"].values())))
    for withdrawn in ("case one", spelt):
        sources.find(tmp_path, ALL, {"case-two", withdrawn}, faults := Faults(), withdrawn={withdrawn})
        assert not faults.all()
    sources.find(tmp_path, ALL, {"case one", "V1"}, faults := Faults(), withdrawn={"v1"})
    assert faults.all()


def test_a_folder_called_like_a_file_of_a_data_set_is_read_through(found):
    batches, faults = found("coco/all.json/part1.json", sources_=EVERYWHERE)
    assert faults == ()
    assert only(batches).files == ("annotations/coco/all.json/part1.json",)


def test_what_lies_beside_the_folders_of_labels_and_is_none_is_passed_over(found):
    notes = (f"{folder}/{name}" for folder in ("video", "study", "study/2024") for name in (*NOTES, ".case one.json"))
    loose = ("README.md", "guidelines.pdf", ".DS_Store", ".case one.json", "LICENSE.txt", *NOTES, *notes, *BESIDE)
    assert found(*loose, sources_=EVERYWHERE) == ([], ())
    merged = SourceParams("cholect50", "annotations/cholect50", "cholect50", "annotations/merges.csv")
    path = "merges.csv"
    with pytest.raises(ParamsError, match=r"merges\.csv"):  # it is read, and is empty
        found(path, sources_=(merged,))


def only(said):
    assert len(said) == 1, said
    return said[0]


@pytest.mark.parametrize("folder", ["/labels", "labels", "annotations/../secret"])
def test_a_source_folder_outside_annotations_is_refused(found, folder):
    with pytest.raises(ParamsError, match="must be inside 'annotations/'"):
        found(sources_=(SourceParams("cholect50", folder, "cholect50"),))


def test_reading_returns_the_labels_or_everything_that_is_wrong(tmp_path, make):
    path = tmp_path / "annotations/cholect50/case one.json"
    path.parent.mkdir(parents=True)
    batch = sources.Batch("case one", ALL[0], ("annotations/cholect50/case one.json",))
    path.write_bytes(make.cholect50({"0": [make.vector()]}))
    assert sources.read(tmp_path, 0.02, batch).recording == "case one"
    path.write_bytes(b"{")
    assert isinstance(sources.read(tmp_path, 0.02, batch), AnnotationError)


def test_a_format_is_registered_once():
    with pytest.raises(ValueError, match="label format 'cholec80' is registered twice"):
        label_format("cholec80", pattern="", expected="")(FORMATS["cholec80"].read)


def test_a_misspelt_format_or_vocabulary_in_params_names_the_near_miss(tmp_path):
    path = tmp_path / "params.yaml"
    text = (
        "annotations: {{sources: [{{format: {}, folder: annotations/x, vocabulary: {}, label_map: null, fps: null}}],\n"
        "  box_tolerance: 0.02, length_tolerance_s: 1, windows: null}}\n"
    )
    path.write_text(text.format("cholec8O", "cholect50"))
    with pytest.raises(ParamsError, match="did you mean 'cholec80'"):
        params.load("annotations", AnnotationsParams, path)
    path.write_text(text.format("cholec80", "cholec50"))
    with pytest.raises(ParamsError, match="did you mean 'cholect50'"):
        params.load("annotations", AnnotationsParams, path)


def test_params_of_before_need_no_rate_for_their_sources(tmp_path):
    path = tmp_path / "params.yaml"
    source = "{format: coco, folder: annotations/x, vocabulary: cholect50, label_map: null%s}"
    text = "annotations: {{sources: [{}], box_tolerance: 0.02, length_tolerance_s: 1, windows: null}}\n"
    path.write_text(text.format(source % ""))
    assert params.load("annotations", AnnotationsParams, path).sources[0].fps is None
    path.write_text(text.format(source % ", fsp: source"))
    with pytest.raises(ParamsError, match="did you mean 'fps'"):
        params.load("annotations", AnnotationsParams, path)


def test_seconds_beside_frames_that_contradict_the_rate_of_a_source_are_refused():
    table = "frame,seconds,phase\n" + "".join(f"{frame},{frame / 25:.2f},1\n" for frame in range(100))
    (labels,) = read_files("phase-tables", {"d/a.csv": table.encode()}).recordings
    of = {fps: SourceParams("phase-tables", "x", "cholec80", fps=fps) for fps in (None, "1", "25", "source")}
    told = {fps: refused.sentence if (refused := source.refused_rate(labels, "a.csv")) else "" for fps, source in of.items()}
    assert (told["25"], told["source"]) == ("", "")
    assert "the seconds beside the frames of a say about 25 per second, not 1; say it as fps of 'x'" in told[None]
    assert "say about 25 per second, and fps of 'x' in annotations.sources is 1" in told["1"]
