"""CVAT for images: which recording and frame an image is of, its shapes and tags, and what cannot be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from label_examples import faults_of, read_files, write_files
from scrubin.base.errors import AnnotationError

BOX = '<box label="hook" occluded="0" xtl="10" ytl="10" xbr="50" ybr="50"/>'


def document(*images, meta=""):
    """Return a file of images: id, name, what is inside."""
    of = "".join(f'<image id="{at}" name="{name}" width="200" height="100">{inside}</image>\n' for at, name, inside in images)
    return f"<annotations><version>1.1</version><meta>{meta}</meta>\n{of}</annotations>".encode()


def frames(data, name="a/op1.xml", **options):
    """Return recordings with their labelled frames and how many instances each has."""
    return {
        labels.recording: (labels.instances.positions.tolist(), labels.instances.rows["position"].tolist())
        for labels in read_files("cvat-images", {name: data}, **options).recordings
    }


def said(data, name="a/op1.xml"):
    return [fault.sentence for fault in faults_of("cvat-images", {name: data})]


def test_names_say_of_which_recording_and_frame_an_image_is():
    data = document((0, "VID01/000004.png", BOX), (1, "VID02_000025.jpg", ""), (2, "VID01_000029.png", BOX + BOX))
    assert frames(data) == {"VID01": ([4, 29], [4, 29, 29]), "VID02": ([25], [])}
    assert said(data) == []


def test_frames_of_a_video_are_of_the_recording_that_the_file_is_called_like():
    assert frames(document((25, "frame_000025", BOX), (50, "frame_000050", ""))) == {"op1": ([25, 50], [25])}


def test_an_image_whose_name_says_nothing_is_numbered_by_its_id_and_it_is_said():
    data = document((7, "first.jpg", BOX))
    assert frames(data) == {"op1": ([7], [7])}
    assert said(data)[0].startswith("a/op1.xml: 1 images have names that say no recording and frame: they are of 'op1', and 'id' is")


def test_the_tasks_of_a_project_are_recordings():
    of = "<task><id>{}</id><name>{}</name>{}</task>"
    meta = f"<project><tasks>{of.format(3, 'third', '<source>VID03.mp4</source>')}{of.format(9, 'ninth', '')}</tasks></project>"
    data = document((0, "frame_000000", BOX), (1, "frame_000001", ""), meta=meta)
    data = data.replace(b'id="0"', b'id="0" task_id="3"').replace(b'id="1"', b'id="1" task_id="9"')
    assert frames(data) == {"VID03": ([0], [0]), "ninth": ([1], [])}


def test_a_skeleton_whose_points_are_no_elements_is_not_kept_and_it_is_said():
    data = document((0, "VID01_000000.png", BOX + '<skeleton label="hook" occluded="0" points="1,1;2,2"/>'))
    assert frames(data) == {"VID01": ([0], [0])}
    assert said(data) == ["a/op1.xml: not kept: skeletons without points inside of them (1)"]


def test_a_tag_is_a_phase_of_the_vocabulary_or_counted():
    tags = '<tag label="preparation"/><tag label="smoke"/>'
    data = document((0, "VID01_000000.png", '<box label="grasper" xtl="1" ytl="1" xbr="9" ybr="9"/>' + tags))
    (labels,) = read_files("cvat-images", {"a/op1.xml": data}, vocabulary="cholect50").recordings
    assert labels.phases.rows.to_numpy().tolist() == [[0, 0]]
    (fault,) = faults_of("cvat-images", {"a/op1.xml": data}, vocabulary="cholect50")
    assert fault.sentence == "a/op1.xml: not kept: tag 'smoke' (1)"


def test_images_with_tags_alone_say_nothing_of_instances():
    data = document((0, "VID01_000000.png", '<tag label="preparation"/>'))
    (labels,) = read_files("cvat-images", {"a/op1.xml": data}, vocabulary="cholect50").recordings
    assert labels.instances is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (document((0, "v_1.png", BOX), (1, "v_1.png", "")), "line 3: v frame 1 stands twice; keep one of them"),
        (document(("x", "first.png", BOX)), 'line 2: id is "x"; it is a whole number from 0'),
        (document((0, "v_1.png", BOX)).replace(b'width="200"', b'width="0"'), 'line 2: the size is \\["0", "100"\\]'),
        (document((0, "v_1.png", BOX.replace("50", "500"))), "line 2: the box from 10,10 to 500,500 in a picture of 200x100 px leaves it"),
        (document((0, "v_1.png", BOX)).replace(b"<image", b'<track id="0" label="hook"/><image', 1), "read it as CVAT for video"),
        (b"<!DOCTYPE a><annotations/>", "it declares a document type"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_line(data, message):
    with pytest.raises(AnnotationError, match=message):
        read_files("cvat-images", {"a/op1.xml": data})


def test_a_name_with_a_character_that_xml_does_not_have_is_refused():
    coco = (
        b'{"images": [{"id": 1, "file_name": "v_1.jpg", "width": 9, "height": 9}], "categories": [{"id": 1, "name": "a\\u0001"}],'
        b'"annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 2, 2]}]}'
    )
    with pytest.raises(AnnotationError, match=r"XML cannot hold the character .* of a name; give it a plain name"):
        write_files("cvat-images", read_files("coco", {"a/x.json": coco}))


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(0, 9), *[st.integers(0, 19_999)] * 4), max_size=12), st.sampled_from(["hook", "a & <b>", "\N{SNOWMAN}"])
)
def test_what_is_written_is_read_back_to_the_digit(drawn, name):
    inside = {frame: "" for frame in range(10)}
    label = name.replace("&", "&amp;").replace("<", "&lt;")
    for frame, x, y, other_x, other_y in drawn:
        left, top, right, bottom = min(x, other_x), min(y, other_y) // 2, max(x, other_x) + 1, max(y, other_y) // 2 + 1
        corners = zip(("xtl", "ytl", "xbr", "ybr"), (left, top, right, bottom), strict=True)
        inside[frame] += f'<box label="{label}" {" ".join(f"""{key}="{side / 100:.2f}" """ for key, side in corners)}/>'
    meta = f"<task><labels><label><name>{label}</name></label></labels></task>"
    first = read_files("cvat-images", {"a/x.xml": document(*((at, f"v_{at:06d}.png", of) for at, of in inside.items()), meta=meta)})
    out = write_files("cvat-images", first)
    (a,), (b,) = first.recordings, read_files("cvat-images", {f"o/{file}": data for file, data in out.files.items()}).recordings
    assert not out.losses
    assert a.vocabulary.name == b.vocabulary.name
    assert a.instances.rows.equals(b.instances.rows)
    assert a.frames.equals(b.frames)
