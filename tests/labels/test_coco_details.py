"""Key points, tracks and pixels that count for nobody in COCO: read with their names, written back, and refused with their place."""

import json
import re

import pytest

from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.files.reader import Options, read
from scrubin.labels.formats.objects.coco import write
from scrubin.labels.model import IGNORED
from scrubin.labels.points import POINTS, Point, unlabelled
from scrubin.labels.registry import Output, format_of

NAMES = ["tip", "hinge", "shaft"]
NUMBERS = [20, 10, 2, 40, 20, 1, 0, 0, 0]


def document(numbers=NUMBERS, names=NAMES, *, more=None, category=None):
    annotation = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 5, 60, 40], "area": 2400, "iscrowd": 0}
    annotation |= {} if numbers is None else {"keypoints": numbers, "num_keypoints": sum(v > 0 for v in numbers[2::3])}
    return {
        "images": [{"id": 1, "file_name": "v1/000004.jpg", "width": 100, "height": 50, "recording": "v1", "frame": 4}],
        "annotations": [annotation | (more or {})],
        "categories": [{"id": 1, "name": "tool", **({} if names is None else {"keypoints": names}), **(category or {})}],
    }


def rows(of):
    collection = read({"a.json": json.dumps(of).encode()}, format_of("coco"), Options(classes=load("endoscapes")))
    return collection.recordings[0].instances.rows, collection


def points(of):
    return rows(of)[0].get(POINTS, [None])[0]


def faults(of):
    with pytest.raises(AnnotationError) as caught:
        rows(of)
    return [f"{fault.place}: {fault.rule}: {fault.what}" for fault in caught.value.faults]


def test_points_are_shares_of_the_picture_with_the_names_of_their_category():
    assert points(document()) == (Point("tip", 0.2, 0.2, 2), Point("hinge", 0.4, 0.4, 1), unlabelled("shaft"))


def test_a_track_may_stand_among_the_attributes_as_cvat_writes_it():
    of = document(more={"attributes": {"track_id": 5}})
    of["annotations"].append(of["annotations"][0] | {"id": 2, "attributes": {"track_id": -1}})
    read_, collection = rows(of)
    assert read_["track"].fillna(-1).tolist() == [5, -1]
    assert not [fault for fault in collection.faults if fault.rule == "not-kept"]


@pytest.mark.parametrize(("track", "why"), [(5, "5 stands twice in its image"), ([5], "[5] is no whole number from 0")])
def test_tracks_among_the_attributes_that_cannot_be_any_are_not_read_and_it_is_said_why_and_where(track, why):
    of = document(more={"attributes": {"track_id": track}})
    of["annotations"].append(of["annotations"][0] | {"id": 2})
    read_, collection = rows(of)
    assert "track" not in read_
    what = f"tracks are not read: 'track_id' of 'attributes' {why}"
    assert what in [fault.what for fault in collection.faults if fault.place.startswith("annotation")]


def test_images_of_several_videos_that_no_name_tells_apart_are_not_one_recording():
    of = document()
    of["images"] = [{"id": one, "file_name": f"img_{one}.jpg", "width": 100, "height": 50, "video_id": one} for one in (1, 2)]
    with pytest.raises(AnnotationError, match="image 1: it is of another 'video_id' than an image before"):
        rows(of)


def test_an_instance_without_key_points_has_none_and_one_without_labelled_ones_has_them():
    assert points(document(None)) is None
    assert points(document([0] * 9)) == tuple(unlabelled(name) for name in NAMES)


def test_what_was_written_is_read_as_the_same_with_names_and_skeleton():
    before, collection = rows(document(category={"skeleton": [[1, 2], [2, 3]]}))
    out = Output()
    write(collection, out)
    written = json.loads(out.files["annotations.json"])
    tool = next(one for one in written["categories"] if one["name"] == "tool")
    assert (tool["keypoints"], tool["skeleton"]) == (NAMES, [[1, 2], [2, 3]])
    assert written["annotations"][0]["keypoints"] == NUMBERS
    assert written["annotations"][0]["num_keypoints"] == 2
    assert rows(written)[0].to_dict("list") == before.to_dict("list")


def test_the_other_categories_have_no_points():
    out = Output()
    write(rows(document())[1], out)
    others = [one for one in json.loads(out.files["annotations.json"])["categories"] if one["name"] != "tool"]
    assert others
    assert not any("keypoints" in one for one in others)


def test_points_without_names_are_numbered_and_all_instances_have_as_many():
    of = document(names=None)
    of["annotations"].append(of["annotations"][0] | {"id": 2, "keypoints": NUMBERS[:6], "num_keypoints": 2})
    assert faults(of) == ["annotation 2: points-number: 2 points, the category names 3"]
    read_, collection = rows(document(names=None))
    assert [point.name for point in read_[POINTS][0]] == ["1", "2", "3"]
    assert [fault.rule for fault in collection.faults] == ["points-unnamed"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ([20, 10, 3, *NUMBERS[3:]], "annotation 1, point tip: point-visibility: visibility 3"),
        (
            [*NUMBERS[:3], 140, 20, 1, 0, 0, 0],
            "annotation 1, point hinge: point-outside: it lies outside of the image by 40.0 % of its side",
        ),
        (NUMBERS[:8], "annotation 1: points-form: 'keypoints' are [20, 10, 2, 40, 20, 1, 0, 0]"),
        (NUMBERS[:6], "annotation 1: points-number: 2 points, the category names 3"),
        (["20", *NUMBERS[1:]], "annotation 1: points-form: 'keypoints' are [\"20\", 10, 2, 40, 20, 1, 0, 0, 0]"),
    ],
)
def test_a_point_that_cannot_be_used_is_refused_with_its_place(changed, said):
    of = document()
    of["annotations"][0]["keypoints"] = changed
    assert said in faults(of)


def test_names_that_are_none_are_refused():
    assert faults(document(names=["tip", "tip", "shaft"])) == ['category 0: points-names: \'keypoints\' are ["tip", "tip", "shaft"]']


def test_what_is_clear_is_read_and_said():
    _, collection = rows(document([20, 10, 2, 40, 20, 0, 0, 0, 0], more={"num_keypoints": 3}))
    assert [fault.rule for fault in collection.faults] == ["point-unlabelled", "points-count"]
    assert all(fault.severity == "deviation" for fault in collection.faults)


def test_a_prediction_may_have_a_confidence_instead_of_the_visibility_and_leave_the_picture():
    predicted = document([20, 10, 0.25, 140, 20, 7, 0, 0, 0], more={"score": 0.5, "bbox": None, "area": None, "num_keypoints": None})
    read_, _ = rows(predicted)
    assert read_[POINTS][0] == (Point("tip", 0.2, 0.2, 2), Point("hinge", 1.4, 0.4, 2), unlabelled("shaft"))
    assert read_[["x", "y", "w", "h"]].round(6).to_numpy().tolist() == [[0.2, 0.2, 1.2, 0.2]]


def test_a_predicted_instance_of_one_point_has_no_box():
    predicted = document([20, 10, 1, *[0] * 6], more={"score": 0.5, "bbox": None, "area": None})
    assert rows(predicted)[0]["x"].isna().all()


WHOLE = {"size": [4, 6], "counts": [2, 22]}


def tracked(tracks, ignored=None):
    image = {"id": 1, "file_name": "v1/000004.jpg", "width": 6, "height": 4} | ({} if ignored is None else {"ignored": ignored})
    annotations = [
        {"id": at, "image_id": 1, "category_id": at, "bbox": [at, 1, 2, 2], **({} if track is None else {"track_id": track})}
        for at, track in enumerate(tracks, start=1)
    ]
    categories = [{"id": 1, "name": "grasper"}, {"id": 2, "name": "hook"}]
    return {"a.json": json.dumps({"images": [image], "annotations": annotations, "categories": categories}).encode()}


def read_of(*arguments, **named):
    return read(tracked(*arguments, **named), format_of("coco"), Options())


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


def test_a_track_that_stands_twice_in_a_frame_is_refused_with_its_frame():
    with pytest.raises(AnnotationError, match=r"v1, frame 4: track 7 stands twice in a frame"):
        read_of([7, 7])


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


@pytest.mark.parametrize(
    ("ignored", "said"),
    [
        ({"size": [3, 6], "counts": [2, 16]}, "a mask has the size"),
        ([WHOLE], "there is a list of 1 with run lengths; give one object {size, counts} of all pixels together, in no list"),
        ([["smoke"]], "polygon 0 of a mask is no list of numbers"),
    ],
)
def test_ignored_pixels_that_cannot_be_read_are_refused_with_their_place(ignored, said):
    with pytest.raises(AnnotationError, match=re.escape(f"a.json, image 0, key 'ignored': {said}")):
        read_of([1, 2], ignored=ignored)
