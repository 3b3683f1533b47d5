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


def project(tasks, images):
    """Return a file of a project: id, name, subset, first frame, size and step of each task; id and task of each image."""
    of = (
        f"<task><id>{id_}</id><name>n{id_}</name><size>{size}</size><subset>{subset}</subset><start_frame>{start}</start_frame>"
        f"<frame_filter>step={step}</frame_filter><source>{source}</source></task>"
        for id_, source, subset, start, size, step in tasks
    )
    data = document(*((at, f"frame_{at:06d}", BOX) for at, _ in images), meta=f"<project><tasks>{''.join(of)}</tasks></project>")
    for at, task in images:
        data = data.replace(f'id="{at}"'.encode(), f'id="{at}" task_id="{task}"'.encode())
    return data


def test_through_a_project_frames_are_numbered_on_by_subset_in_the_order_of_the_ids_of_tasks():
    tasks = [(10, "VID03.mp4", "a", 0, 4, 1), (9, "VID02.mp4", "a", 100, 3, 25), (11, "", "a", 5, 9, 1), (2, "VID04.mp4", "b", 0, 9, 1)]
    data = project(tasks, [(100, 9), (150, 9), (175, 10), (178, 10), (184, 11), (0, 2)])
    found = {"VID02": [100, 150], "VID03": [0, 3], "n11": [5], "VID04": [0]}
    assert frames(data) == {name: (at, at) for name, at in found.items()}


def test_a_project_of_one_task_is_numbered_as_its_task():
    assert frames(project([(7, "VID03.mp4", "a", 100, 9, 1)], [(104, 7)])) == {"VID03": ([104], [104])}


@pytest.mark.parametrize(("size", "at", "task"), [(4, 3, 2), (4, 8, 2), (4, 5, 3), ("", 5, 2)])
def test_a_frame_of_a_project_that_is_none_of_its_task_is_refused(size, at, task):
    data = project([(1, "VID01.mp4", "a", 0, size, 1), (2, "VID02.mp4", "a", 0, 4, 1)], [(at, task)])
    with pytest.raises(AnnotationError, match=f"line 2: .* which one {at} is cannot be told; export the tasks of the project one by one"):
        read_files("cvat-images", {"a/op1.xml": data})


@pytest.mark.parametrize("form", ["cvat-images", "cvat-video"])
def test_two_jobs_of_one_task_are_refused_and_two_files_of_one_video_are_named(form):
    shape = f'<image id="0" name="frame_000000" width="200" height="100">{BOX}</image>'
    if form == "cvat-video":
        shape = f'<track id="0" label="hook">{BOX.replace("<box", """<box frame="0" """)}</track>'
    meta = "<original_size><width>200</width><height>100</height></original_size><source>VID01.mp4</source>"
    for of, refused in [("<job><created>2026</created></job>", True), ("<job></job>", True), ("<task></task>", False)]:
        data = f"<annotations><version>1.1</version><meta>{of}{meta}</meta>{shape}</annotations>".encode()
        said = [fault.sentence for fault in faults_of(form, {"a/1.xml": data, "a/2.xml": data})]
        assert any(one.startswith("1, 2: they are parts or copies of one task of CVAT") for one in said) == refused
        assert any("all say that their video is VID01.mp4" in one for one in said) != refused


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
