"""Masks written as pictures of classes, as YOLO's corners: read as the same pixels again, and what cannot be said is counted."""

from __future__ import annotations

import base64
import json
from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from each import each
from label_examples import EXAMPLES, dumps, read_files, write_files
from png_files import png as reference_png
from scrubin.base.errors import AnnotationError
from scrubin.base.pixels import stored_png
from scrubin.labels.files.loss import Fit, fitted
from scrubin.labels.files.output import writer_of
from scrubin.labels.formats.plain.masks_png import colours_of_voc
from scrubin.labels.masks import png, rle
from scrubin.labels.model import IGNORED

WIDTH, HEIGHT = 23, 14


def coco(masks, classes=("snare", "brush"), **more):
    """One frame with masks, (class, pixels) each, as COCO with the boxes around them."""
    images = [{"id": 1, "file_name": "a_000003.png", "width": WIDTH, "height": HEIGHT}]
    annotations = [
        {"id": at + 1, "image_id": 1, "category_id": class_ + 1, "iscrowd": 0, "segmentation": segmentation(pixels), **more}
        for at, (class_, pixels) in enumerate(masks)
    ]
    categories = [{"id": at + 1, "name": name} for at, name in enumerate(classes)]
    return read_files("coco", {"c/a.json": dumps({"images": images, "annotations": annotations, "categories": categories})})


def segmentation(pixels):
    return {"size": [HEIGHT, WIDTH], "counts": rle.text_of_runs(rle.runs_of_picture(pixels))}


def there_and_back(collection, name, **options):
    """What is read of what is written of what fits, and all that was lost."""
    kept, losses = fitted(collection, writer_of(name), Fit("coco", 1))
    out = write_files(name, kept)
    files = {f"w/{file}": data for file, data in out.files.items()}
    return read_files(name, files, **options), losses + out.losses - Counter(["'file_name' of frames"]), files


def pixels_of(collection):
    (labels,) = collection.recordings
    rows = labels.instances.rows
    return [
        (labels.vocabulary.instruments[id_], rle.picture(rle.runs_of_text(mask, HEIGHT, WIDTH), HEIGHT, WIDTH))
        for id_, mask in zip(rows["instrument_id"], rows["mask"], strict=True)
    ]


PICTURES = arrays.arrays(bool, (HEIGHT, WIDTH))


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 1), PICTURES.filter(np.any)), min_size=1, max_size=3))
def test_any_masks_written_as_corners_of_yolo_are_the_same_pixels(masks):
    collection = coco(masks)
    again, losses, _ = there_and_back(collection, "yolo-seg", image_size=(WIDTH, HEIGHT))
    assert len(pixels_of(again)) == len(masks)
    for (class_, before), (name, after) in zip(masks, pixels_of(again), strict=True):
        assert name == ("snare", "brush")[class_]
        assert (before == after).all()
    joined = losses.pop("masks of several parts or with holes, whose outlines are joined by lines", 0)
    assert joined <= sum(not has_one_outline(pixels) for _, pixels in masks)
    assert not losses


def has_one_outline(pixels):
    """One part and no hole, and nowhere pixels that meet by a corner alone."""
    inside, _ = cv2.connectedComponents(pixels.astype(np.uint8), connectivity=4)
    outside, _ = cv2.connectedComponents(np.pad(~pixels, 1, constant_values=True).astype(np.uint8), connectivity=4)
    return inside == outside == 2


@pytest.mark.slow
@given(arrays.arrays(np.uint8, (HEIGHT, WIDTH), elements=st.sampled_from([0, 0, 1, 2, 255])))
def test_any_picture_of_classes_is_written_as_the_same_pixels(values):
    masks = [(class_, values == class_ + 1) for class_ in (0, 1) if (values == class_ + 1).any()]
    if not masks:
        return
    (labels,) = coco(masks).recordings
    void = rle.text_of_runs(rle.runs_of_picture(values == 255)) if (values == 255).any() else None
    labels = replace(labels, frames=labels.frames.assign(**{IGNORED: pd.array([void], dtype="str")}))
    again, losses, files = there_and_back(replace(coco(masks), recordings=(labels,)), "masks-png")
    assert not losses
    (data,) = (data for file, data in files.items() if file.endswith(".png"))
    shown = stored_png(data, "")
    assert (shown == colours_of_voc()[values]).all()
    for (class_, before), (name, after) in zip(masks, pixels_of(again), strict=True):
        assert name == ("snare", "brush")[class_]
        assert (before == after).all()
    (after,) = again.recordings
    assert (IGNORED in after.frames) == (void is not None)
    if void is not None:
        assert (rle.picture(rle.runs_of_text(after.frames[IGNORED][0], HEIGHT, WIDTH), HEIGHT, WIDTH) == (values == 255)).all()


def square(left, top, size=6):
    pixels = np.zeros((HEIGHT, WIDTH), bool)
    pixels[top : top + size, left : left + size] = True
    return pixels


def test_masks_with_holes_and_of_several_parts_are_counted_where_rows_are_one_polygon():
    ring = square(1, 1) & ~square(3, 3, 2)
    _, losses, files = there_and_back(coco([(0, ring), (1, square(1, 1) | square(12, 2)), (0, square(4, 4))]), "yolo-seg")
    assert losses == {"masks of several parts or with holes, whose outlines are joined by lines": 2}
    assert (
        files["w/labels/a_000003.txt"].decode().splitlines()[2]
        == "0 0.173913 0.285714 0.434783 0.285714 0.434783 0.714286 0.173913 0.714286"
    )


def test_what_a_picture_of_classes_cannot_say_is_counted():
    again, losses, _ = there_and_back(coco([(0, square(1, 1)), (0, square(12, 2)), (1, square(4, 4))]), "masks-png")
    assert losses == {"instances that are one with another of their class in the picture": 1, "pixels of an instance below another one": 9}
    (first, grasper), (second, hook) = pixels_of(again)
    assert (first, second) == ("snare", "brush")
    assert (hook == square(4, 4)).all()
    assert (grasper == (square(1, 1) | square(12, 2)) & ~hook).all()


@each("name", ["masks-png", "yolo-seg"])
def test_boxes_without_a_mask_are_left_out_with_their_frame_and_counted(name):
    boxed = coco([(0, square(1, 1))]).recordings[0]
    bare = boxed.instances.rows.assign(mask=pd.array([None], dtype="str"), position=8)
    rows = pd.concat([boxed.instances.rows, bare], ignore_index=True)
    layer = replace(boxed.instances, positions=np.array([3, 8]), rows=rows)
    frames = pd.DataFrame({"position": [3, 8], "width": WIDTH, "height": HEIGHT})
    collection = replace(coco([(0, square(1, 1))]), recordings=(replace(boxed, instances=layer, frames=frames),))
    kept, losses = fitted(collection, writer_of(name), Fit("coco", 1))
    assert losses["instances without a mask"] == losses["frames left out because of instances without a mask"] == 1
    assert kept.recordings[0].instances.positions.tolist() == [3]


def test_boxes_alone_cannot_be_written_as_pictures():
    boxes = read_files("yolo", EXAMPLES["yolo"])
    with pytest.raises(AnnotationError, match=r"nothing of these yolo files can be written as masks-png.*instances without a mask"):
        fitted(boxes, writer_of("masks-png"), Fit("yolo", 1, image_size=(WIDTH, HEIGHT)))


def test_too_many_classes_and_one_called_ignore_are_refused():
    many = coco([(0, square(1, 1))], classes=[f"tool {at}" for at in range(255)])
    with pytest.raises(AnnotationError, match="255 classes, and a picture has 254 values for classes; merge classes, or write COCO"):
        write_files("masks-png", fitted(many, writer_of("masks-png"), Fit("coco", 1))[0])
    called = coco([(0, square(1, 1))], classes=["Ignore"])
    with pytest.raises(AnnotationError, match="a class is called 'ignore', which a legend says of what is not counted; rename the class"):
        write_files("masks-png", fitted(called, writer_of("masks-png"), Fit("coco", 1))[0])


def test_the_legend_says_names_colours_and_values():
    _, _, files = there_and_back(coco([(1, square(1, 1))]), "masks-png")
    assert json.loads(files["w/legend.json"]) == [
        {"name": None, "color": [0, 0, 0], "classid": 0},
        {"name": "snare", "color": [128, 0, 0], "classid": 1},
        {"name": "brush", "color": [0, 128, 0], "classid": 2},
        {"name": "ignore", "color": [224, 224, 192], "classid": 255},
    ]


@each("shape", [(5, 7), (5, 7, 3), (1, 1)])
def test_a_png_is_decoded_as_what_was_written(shape):
    pixels = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    assert (stored_png(png.written(pixels), "") == pixels).all()
    assert png.written(pixels) == reference_png(pixels)


def labelme_file(mask, points, size=(WIDTH, HEIGHT), **more):
    shape = {"label": "snare", "shape_type": "mask", "points": points, "mask": mask, "group_id": None, "flags": {}, **more}
    return {"v/000003.json": dumps({"shapes": [shape], "imageWidth": size[0], "imageHeight": size[1]})}


def packed(pixels, dtype=np.uint8):
    return base64.b64encode(cv2.imencode(".png", np.asarray(pixels, dtype))[1].tobytes()).decode()


def test_a_mask_of_labelme_has_its_pixels_from_corner_to_corner():
    for values in (1, 255):
        part = np.random.default_rng(3).random((5, 7)) < 0.5
        files = labelme_file(packed(part * values), [[4.0, 2.0], [10.0, 6.0]])
        ((_, pixels),) = pixels_of(read_files("labelme", files))
        assert (pixels[2:7, 4:11] == part).all()
        assert pixels.sum() == part.sum()


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 1), PICTURES.filter(np.any)), min_size=1, max_size=3))
def test_any_masks_written_to_labelme_are_the_same_pixels_and_nothing_is_lost(masks):
    again, losses, files = there_and_back(coco(masks), "labelme")
    assert [name for name, _ in pixels_of(again)] == [("snare", "brush")[class_] for class_, _ in masks]
    assert all((before == after).all() for (_, before), (_, after) in zip(masks, pixels_of(again), strict=True))
    assert not losses
    (data,) = files.values()
    forms = [shape["shape_type"] for shape in json.loads(data)["shapes"]]
    assert all(form == "polygon" or not has_one_outline(pixels) for form, (_, pixels) in zip(forms, masks, strict=True))


def test_parts_of_an_instance_may_be_masks_and_polygons():
    (shape,) = json.loads(labelme_file(packed(np.ones((2, 2))), [[0, 0], [1, 1]], group_id=1)["v/000003.json"])["shapes"]
    polygon = {"label": "snare", "shape_type": "polygon", "points": [[10, 4], [14, 4], [14, 8], [10, 8]], "group_id": 1}
    files = {"v/000003.json": dumps({"shapes": [shape, polygon], "imageWidth": WIDTH, "imageHeight": HEIGHT})}
    ((_, pixels),) = pixels_of(read_files("labelme", files))
    assert pixels[:2, :2].all()
    assert pixels[4:8, 10:14].all()
    assert pixels.sum() == 20


WHOLE = packed(np.ones((5, 7)))
AT = [[4, 2], [10, 6]]


@each(
    "mask, points, size, message",
    [
        (None, AT, (WIDTH, HEIGHT), "shape 0: 'mask' cannot be decoded: it is no whole PNG; give a PNG of 8 bits per channel in base64"),
        ("&%$", AT, (WIDTH, HEIGHT), "'mask' cannot be decoded: it is no text in base64"),
        (WHOLE[:40], AT, (WIDTH, HEIGHT), "it is no whole PNG"),
        (packed(np.ones((5, 7)), np.uint16), AT, (WIDTH, HEIGHT), "it has 16 bits per channel, not 8"),
        (
            WHOLE,
            [[4, 2], [11, 7]],
            (WIDTH, HEIGHT),
            "'mask' has 7x5 pixels, from corner to corner there are 8x6; give the first",
        ),
        (WHOLE, [[-1, 2], [5, 6]], (WIDTH, HEIGHT), r"points \[\[-1, 2\], \[5, 6\]\] in an image of 23x14; draw it inside the image"),
        (WHOLE, [[4, 2]], (WIDTH, HEIGHT), r"points are \[\[4, 2\]\]; give two corners in pixels"),
        (WHOLE, AT, (10**9, 10**9), "a mask is of an image of 1000000000x1000000000; correct the size of the image"),
        (packed(np.zeros((5, 7))), AT, (WIDTH, HEIGHT), "the mask has no pixel of the image; draw it again, or remove it"),
    ],
)
def test_a_mask_of_labelme_that_cannot_be_used_is_refused_with_its_shape(mask, points, size, message):
    with pytest.raises(AnnotationError, match=message):
        read_files("labelme", labelme_file(mask, points, size))
