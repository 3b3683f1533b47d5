import pytest

from scrubin.base.errors import AnnotationError
from scrubin.labels.formats.objects import labelme

FOLDER = "annotations/labelme/case one"


@pytest.fixture
def read(make):
    def read(*documents):
        return labelme.read(make.named({f"{FOLDER}/{i * 25:06d}.json": data for i, data in enumerate(documents)}))

    return read


def test_two_corners_in_pixels_become_a_box_of_the_image(read, make):
    labels = read(make.labelme([make.shape(points=((10, 20), (60, 70)))], width=100, height=200))
    row = labels.instances.rows.iloc[0]
    assert (row["x"], row["y"], row["w"], row["h"]) == (0.1, 0.1, 0.5, 0.25)
    assert row[["instrument_id", "verb_id", "target_id", "triplet_id", "score"]].tolist() == [0, 1, 0, 17, 1.0]
    assert labels.picture_files == {0: f"{FOLDER}/000000.json"}


def test_corners_may_be_drawn_in_any_order(read, make):
    one = read(make.labelme([make.shape(points=((60, 70), (10, 20)))])).instances.rows
    other = read(make.labelme([make.shape(points=((10, 70), (60, 20)))])).instances.rows
    assert one.equals(other)


def test_a_file_without_shapes_is_labelled_as_nothing(read, make):
    labels = read(make.labelme([]), make.labelme([make.shape()]))
    assert labels.instances.positions.tolist() == [0, 25]
    assert labels.instances.rows["position"].tolist() == [25]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"label": "graspr"}, "shape 0, label: 'graspr' is no instrument .* did you mean 'grasper'"),
        ({"label": None}, "shape 0: label is null, expected the name of the instrument"),
        ({"action": "retrakt"}, "shape 0, attribute Action: 'retrakt' is no verb .* did you mean 'retract'"),
        ({"target": "spleen"}, "shape 0, attribute Target: 'spleen' is no target"),
        ({"action": "clip"}, "shape 0: 'grasper,clip,gallbladder' is no triplet of 'cholect50'"),
        ({"shape_type": "circle"}, 'shape 0: shape_type is "circle"; only rectangles, polygons, masks and points can be read'),
        ({"attributes": ["retract"]}, "shape 0: expected a shape with label, points and attributes"),
        ({"points": [[1, 2]]}, "shape 0: points are .*; give two corners"),
        ({"points": [[1, 2], ["3", 4]]}, "shape 0: points are .*; give two corners"),
        ({"points": [[1, 2], [1, 9]]}, "shape 0: points .* in an image of 100x200; they enclose nothing"),
        ({"points": [[1, 2], [190, 9]]}, "shape 0: points .* in an image of 100x200; draw the box inside"),
        ({"points": [[1, 2], [float("nan"), 9]]}, "shape 0: points"),
    ],
)
def test_a_broken_shape_is_refused_by_file_and_number(read, make, changes, text):
    with pytest.raises(AnnotationError, match=rf"labelme/case one/000000\.json, {text}"):
        read(make.labelme([make.shape(**changes)]))


@pytest.mark.parametrize("size", [{"imageWidth": 0}, {"imageWidth": None}, {"imageHeight": "200"}, {"imageHeight": 1.5}])
def test_an_image_without_a_size_is_refused(read, make, size):
    with pytest.raises(AnnotationError, match="imageWidth, imageHeight are"):
        read(make.labelme([], **size))


def test_shapes_must_be_a_list(read, make):
    with pytest.raises(AnnotationError, match="shapes: expected a list, but got null"):
        read(make.labelme(None))


def test_one_frame_in_two_files_is_refused(make):
    with pytest.raises(AnnotationError, match="frame 25 is also in"):
        labelme.read(make.named({f"{FOLDER}/000025.json": make.labelme([]), f"{FOLDER}/0000025.json": make.labelme([])}))


def test_the_faults_of_all_files_are_named(read, make):
    with pytest.raises(AnnotationError) as caught:
        read(b"{", make.labelme([make.shape(label="x"), make.shape(points=[])]), make.labelme([make.shape()]))
    assert len(caught.value.faults) == 3
