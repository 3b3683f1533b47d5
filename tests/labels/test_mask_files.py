"""Masks of COCO and Endoscapes: read, counted where they cannot be held, written so that pycocotools sees the same pixels, refused."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from pycocotools import mask as reference

from each import each
from fault_lines import sentences
from label_examples import EXAMPLES, dumps, faults_of, read_files, write_files
from scrubin import cli
from scrubin.base.errors import AnnotationError
from scrubin.labels.files.loss import Fit, fitted
from scrubin.labels.files.output import writer_of

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
WIDTH, HEIGHT = 23, 17


def blob(rng):
    """A random mask with holes and islands, (height, width)."""
    smooth = rng.normal(size=(HEIGHT + 4, WIDTH + 4))
    for axis in (0, 1):
        smooth = sum(np.roll(smooth, by, axis) for by in range(5))
    mask = smooth[:HEIGHT, :WIDTH] > rng.uniform(-3, 6)
    mask[rng.integers(HEIGHT), rng.integers(WIDTH)] = True
    return np.asfortranarray(mask, np.uint8)


def polygons(rng):
    """One to three polygons, which may cross themselves and leave the picture a little."""
    corners = [
        np.stack([rng.uniform(-0.4, WIDTH + 0.4, n), rng.uniform(-0.3, HEIGHT + 0.3, n)], 1) for n in rng.integers(3, 9, rng.integers(1, 4))
    ]
    return [np.round(one, int(rng.integers(0, 3))).clip([-0.4, -0.3], [WIDTH + 0.4, HEIGHT + 0.3]).ravel().tolist() for one in corners]


def uncompressed(mask):
    flat = mask.ravel(order="F")
    changes = np.flatnonzero(np.diff(flat)) + 1
    bounds = [0, *([0] if flat[0] else []), *changes.tolist(), flat.size]
    return {"size": [HEIGHT, WIDTH], "counts": np.diff(bounds).tolist()}


def compressed(mask):
    found = reference.encode(mask)
    return {"size": list(found["size"]), "counts": found["counts"].decode()}


def seen_by_reference(segmentation):
    """What pycocotools draws for a segmentation, (height, width), as its `annToMask` does."""
    if isinstance(segmentation, list):
        return reference.decode(reference.merge(reference.frPyObjects(segmentation, HEIGHT, WIDTH)))
    if isinstance(segmentation["counts"], list):
        return reference.decode(reference.frPyObjects(segmentation, HEIGHT, WIDTH))
    return reference.decode(segmentation)


def document(segmentations, **more):
    """A COCO file with an image for each instance, with a box where its mask has one."""
    images, annotations = [], []
    for number, one in enumerate(segmentations, start=1):
        images.append({"id": number, "file_name": f"7_{number}.jpg", "width": WIDTH, "height": HEIGHT})
        box = [1.0, 2.0, 11.0, 9.0]
        extra = {"id": number, "image_id": number, "category_id": 1, "bbox": box, "area": 50, "iscrowd": 0, **more}
        annotations.append({**{key: value for key, value in extra.items() if value is not None}, "segmentation": one})
    categories = [{"id": 1, "name": "gallbladder"}, {"id": 2, "name": "tool"}]
    return {"images": images, "annotations": annotations, "categories": categories}


def files_of(name, content):
    return {"m/train_seg/annotation_coco.json" if name == "endoscapes" else "m/a.json": dumps(content)}


def drawn_at_random(seed, count):
    rng = np.random.default_rng(seed)
    made = []
    while len(made) < count:
        one = rng.choice([lambda: polygons(rng), lambda: uncompressed(blob(rng)), lambda: compressed(blob(rng))])()
        made += [one] if seen_by_reference(one).any() else []
    return made


@each("name", ["coco", "endoscapes"])
def test_every_mask_comes_out_as_pycocotools_draws_what_went_in(name):
    before = drawn_at_random(4, 120)
    collection, losses = fitted(read_files(name, files_of(name, document(before))), writer_of(name), Fit(name, Fraction(25)))
    (written,) = [data for file, data in write_files(name, collection).files.items() if file.endswith(".json")]
    annotations = json.loads(written)["annotations"]
    assert losses == Counter()
    assert len(annotations) == len(before)
    for one, given in zip(annotations, before, strict=True):
        pixels = seen_by_reference(given)
        assert (reference.decode(one["segmentation"]) == pixels).all(), given
        assert one["segmentation"] == compressed(pixels)
        assert (one["area"], one["bbox"]) == (pixels.sum(), [1.0, 2.0, 11.0, 9.0])


def test_a_mask_alone_has_the_box_and_the_area_that_pycocotools_gives_it():
    given = drawn_at_random(5, 40)
    (labels,) = read_files("coco", files_of("coco", document(given, bbox=None, area=None))).recordings
    sides = np.array([WIDTH, HEIGHT, WIDTH, HEIGHT])
    for row, one in zip(labels.instances.rows.to_dict("records"), given, strict=True):
        mask = reference.encode(np.asfortranarray(seen_by_reference(one)))
        box = reference.toBbox(mask)
        assert np.allclose([row[side] for side in "xywh"] * sides, box, atol=1e-12)
        area = reference.area(mask)
        assert row["area"] == area or (np.isnan(row["area"]) and area == box[2] * box[3])


def test_a_mask_of_the_first_pixel_alone_is_written_and_read():
    for name in ("coco", "labelme"):
        given = {"size": [HEIGHT, WIDTH], "counts": [0, 1, HEIGHT * WIDTH - 1]}
        kept, _ = fitted(read_files("coco", files_of("coco", document([given], bbox=None))), writer_of(name), Fit("coco"))
        out = {f"out/{file}": data for file, data in write_files(name, kept).files.items()}
        (labels,) = read_files(name, out).recordings
        assert labels.instances.rows["mask"].tolist() == [compressed(seen_by_reference(given))["counts"]]


def test_a_box_in_shares_is_refused_beside_a_mask_too():
    with pytest.raises(AnnotationError, match="it looks like shares of the image"):
        read_files("coco", files_of("coco", document([[SQUARE]], bbox=[0, 0, 1, 1])))


def test_an_empty_segmentation_says_nothing():
    for nothing in ([], None, "", {}):
        (labels,) = read_files("coco", files_of("coco", document([nothing]))).recordings
        assert "mask" not in labels.instances.rows


def test_a_format_without_masks_counts_them():
    collection = read_files("coco", EXAMPLES["coco"])
    _, losses = fitted(collection, writer_of("yolo"), Fit("coco", Fraction(25)))
    assert losses["masks of instances"] == 1
    _, losses = fitted(collection, writer_of("cholect50"), Fit("coco", Fraction(25)))
    assert losses["masks of instances"] == 1


SQUARE = [2, 2, 9, 2, 9, 9, 2, 9]
FULL = [0, WIDTH * HEIGHT]
REFUSED = {
    "runs too short": (
        {"size": [HEIGHT, WIDTH], "counts": [3, 4]},
        r"annotation 1: the runs of a mask cover 7 px, its picture of 23 x 17 px has 391",
    ),
    "sides turned": (
        {"size": [WIDTH, HEIGHT], "counts": FULL},
        r"annotation 1: a mask has the size \[23, 17\], its picture is 17 px high and 23 px wide; give the height first, then the width",
    ),
    "of another image": (
        {"size": [480, 854], "counts": [0, 480 * 854]},
        "give height and width of the picture, and a mask of that size",
    ),
    "no pixel": (
        {"size": [HEIGHT, WIDTH], "counts": [391]},
        "annotation 1: the mask has no pixel of the image; draw it again, or remove it",
    ),
    "a polygon too small to cover a pixel": ([[3.1, 3.1, 3.2, 3.1, 3.2, 3.2]], "the mask has no pixel"),
    "of a larger image": ([[1, 1, 300, 1, 300, 9]], "the mask leaves the image of 23x17 by 1204.3 % of its side; draw it inside"),
}


@each("case", REFUSED)
def test_a_mask_that_is_none_is_refused_with_its_annotation_and_the_mend(case):
    segmentation, message = REFUSED[case]
    for name in ("coco", "endoscapes"):
        with pytest.raises(AnnotationError, match=message):
            read_files(name, files_of(name, document([segmentation])))


def test_a_mask_that_leaves_the_image_is_cut_to_it_and_told():
    given = [[-6.0, 3.0, 12.0, 3.0, 12.0, 9.0, -6.0, 9.0]]
    (told,) = sentences(faults_of("coco", files_of("coco", document([given]))), "deviation")
    assert told.startswith("m/a.json, annotation 1: the mask leaves the image of 23x17 by 26.1 % of its side; it is cut to the image")
    (labels,) = read_files("coco", files_of("coco", document([given]))).recordings
    assert compressed(seen_by_reference(given))["counts"] == labels.instances.rows["mask"].item()


def test_instances_may_overlap_and_polygons_may_cross_themselves():
    content = document([[SQUARE]])
    content["annotations"].append({**content["annotations"][0], "id": 2, "segmentation": [[1, 1, 15, 12, 15, 1, 1, 12]]})
    (labels,) = read_files("coco", files_of("coco", content)).recordings
    assert labels.instances.rows["mask"].notna().all()
    assert faults_of("coco", files_of("coco", content)) == ()


def test_results_of_masks_alone_are_scored_by_their_boxes(tmp_path, capsys):
    box = [2.0, 2.0, 7.0, 7.0]
    (tmp_path / "truth.json").write_bytes(dumps(document([[], []], bbox=box, area=49)))
    mask = compressed(seen_by_reference([SQUARE]))
    (tmp_path / "found.json").write_bytes(dumps([{"image_id": 1, "category_id": 1, "segmentation": mask, "score": 0.8}]))
    paths = ["--ground-truth", str(tmp_path / "truth.json"), "--predictions", str(tmp_path / "found.json")]
    assert cli.main(["score", "detection", *paths, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["overall"] == {"value": 0.5, "n": 1}
