"""Sources whose files are of several recordings: each recording gets its own labels, and what fits nowhere is named."""

from __future__ import annotations

import json

import pytest

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.labels.registry import DATASET_FORMATS
from scrubin.stages.annotations import sources
from scrubin.stages.annotations.params import DATA_SETS, SourceParams

COCO = SourceParams("coco", "annotations/coco", "cholect50")
CVS = SourceParams("cvschallenge", "annotations/cvs", "endoscapes")
MARKS = "frame_id,c1_rater1,c1_rater2\n0,1,0\n"


def coco(*recordings):
    images = [{"id": at, "file_name": f"{name}/000000.jpg", "width": 100, "height": 50} for at, name in enumerate(recordings)]
    annotations = [
        {"id": at, "image_id": at, "category_id": 1, "bbox": [10 * at, 0, 10, 10], "track_id": at} for at in range(len(recordings))
    ]
    return json.dumps({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "hook"}]})


@pytest.fixture
def found(tmp_path):
    def found(files, *of, recordings=("a", "b"), withdrawn=()):
        for name, text in files.items():
            path = tmp_path / "annotations" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        faults = Faults()
        batches = sources.find(tmp_path, of, set(recordings), faults, withdrawn)
        return {(batch.source.format, batch.recording): sources.read(tmp_path, 0.02, batch) for batch in batches}, faults.all()

    return found


def test_each_recording_of_a_file_has_its_own_labels(found):
    read, faults = found({"coco/all.json": coco("a", "b"), "cvs/a/frame.csv": MARKS}, COCO, CVS)
    assert faults == ()
    assert sorted(read) == [("coco", "a"), ("coco", "b"), ("cvschallenge", "a")]
    assert [read["coco", name].instances.rows["track"].item() for name in "ab"] == [0, 1]
    assert read["cvschallenge", "a"].marks.rows["value"].tolist() == [1.0, 0.0]
    assert (read["coco", "a"].vocabulary.name, read["cvschallenge", "a"].vocabulary.name) == ("cholect50", "endoscapes")


def test_a_recording_that_nobody_lists_is_named_with_the_near_miss(found):
    read, faults = found({"coco/all.json": coco("a", "operation 11")}, COCO, recordings=("a", "operation 1"))
    assert list(read) == [("coco", "a")]
    (fault,) = faults
    assert fault.file == "annotations/coco/all.json"
    assert (fault.rule, fault.fix) == ("recording-unknown", "did you mean 'operation 1'?")


def test_a_withdrawn_recording_is_passed_over(found):
    read, faults = found({"coco/all.json": coco("a", "b")}, COCO, recordings=("a",), withdrawn=("b",))
    assert (list(read), faults) == ([("coco", "a")], ())


def test_what_is_wrong_with_a_file_is_said_once_and_a_strange_file_too(found):
    _, faults = found({"coco/all.json": "{", "coco/notes.md": ""}, COCO)
    assert [(fault.file, fault.rule) for fault in faults] == [
        ("annotations/coco/all.json", "json-syntax"),
        ("annotations/coco/notes.md", "file-name"),
    ]


def test_a_file_that_changed_is_read_again(found, tmp_path):
    found({"coco/all.json": coco("a")}, COCO)
    read, _ = found({"coco/all.json": coco("b", "a")}, COCO)
    assert read["coco", "a"].instances.rows["track"].item() == 1
    assert not isinstance(read["coco", "a"], AnnotationError)


def test_every_format_that_a_source_can_have_is_one_of_data_sets():
    assert set(DATA_SETS) <= set(DATASET_FORMATS)
