"""Tracks and pixels that count for nobody in COCO files: read, and refused with their place."""

import json

import pytest

from scrubin.base.errors import AnnotationError
from scrubin.labels.files.reader import Options, read
from scrubin.labels.formats.objects.coco import write
from scrubin.labels.model import IGNORED
from scrubin.labels.registry import Output, format_of

WHOLE = {"size": [4, 6], "counts": [2, 22]}


def document(tracks, ignored=None):
    image = {"id": 1, "file_name": "v1/000004.jpg", "width": 6, "height": 4} | ({} if ignored is None else {"ignored": ignored})
    annotations = [
        {"id": at, "image_id": 1, "category_id": at, "bbox": [at, 1, 2, 2], **({} if track is None else {"track_id": track})}
        for at, track in enumerate(tracks, start=1)
    ]
    categories = [{"id": 1, "name": "grasper"}, {"id": 2, "name": "hook"}]
    return {"a.json": json.dumps({"images": [image], "annotations": annotations, "categories": categories}).encode()}


def read_of(*arguments, **named):
    return read(document(*arguments, **named), format_of("coco"), Options())


def test_the_number_of_a_track_is_kept_and_may_be_missing():
    (labels,) = read_of([7, None]).recordings
    assert labels.instances.rows["track"].astype(object).where(labels.instances.rows["track"].notna(), None).tolist() == [7, None]
    assert "track" not in read_of([None, None]).recordings[0].instances.rows


def test_what_was_written_has_the_numbers_again_and_counts_other_details():
    out = Output()
    write(read_of([7, None]), out)
    written = json.loads(out.files["annotations.json"])["annotations"]
    assert [one.get("track_id") for one in written] == [7, None]
    assert not +out.losses


def test_a_track_that_stands_twice_in_a_frame_is_a_warning():
    twice, of_several = read_of([7, 7]).faults
    assert (twice.rule, twice.severity, twice.what) == ("track-repeated", "warning", "track 7 stands twice in a frame")
    assert of_several.rule == "track-class"


def test_a_track_that_is_no_whole_number_is_refused_with_its_place():
    with pytest.raises(AnnotationError, match=r"a.json, annotation 2: 'track_id' is"):
        read_of([7, "x"])


def test_pixels_that_count_for_nobody_are_kept_with_their_frame():
    (labels,) = read_of([1, 2], ignored=WHOLE).recordings
    assert labels.frames[IGNORED].tolist() == ["2f0"]
    assert IGNORED not in read_of([1, 2]).recordings[0].frames


def test_pixels_that_count_for_nobody_are_written_again():
    out = Output()
    write(read_of([1, 2], ignored=WHOLE), out)
    (image,) = json.loads(out.files["annotations.json"])["images"]
    assert image["ignored"] == {"size": [4, 6], "counts": "2f0"}


def test_ignored_pixels_of_another_size_are_refused_with_their_place():
    with pytest.raises(AnnotationError, match=r"a.json, image 0: a mask has the size"):
        read_of([1, 2], ignored={"size": [3, 6], "counts": [2, 16]})
