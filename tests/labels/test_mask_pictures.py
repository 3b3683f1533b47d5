"""Pictures whose pixels are classes: every class of a frame with its pixels, and what is refused with its file and pixel."""

from __future__ import annotations

import zlib

import cv2
import numpy as np
import pytest
from pycocotools import mask as reference

from each import each
from fault_lines import sentences
from label_examples import EXAMPLES, dumps, faults_of, read_files
from png_files import chunk, png
from scrubin.base.errors import AnnotationError
from scrubin.labels.formats.objects import cholecseg8k
from scrubin.labels.formats.plain.masks_png import MASK_FILE

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
WIDTH, HEIGHT = 31, 18
GREY = np.array([*cholecseg8k.CLASSES.values(), 0, 255])


def areas(rng, values):
    """A picture of patches of some values, (height, width)."""
    return np.kron(rng.choice(values, (6, 11)), np.ones((3, 3), np.int64))[:HEIGHT, :WIDTH]


def encoded(mask):
    return reference.encode(np.asfortranarray(mask, np.uint8))["counts"].decode()


def cholecseg8k_file(picture):
    return {"c/video01_00080/frame_95_endo_watershed_mask.png": picture}


def instances(name, files):
    (labels,) = read_files(name, files).recordings
    return labels, {labels.vocabulary.instruments[row["instrument_id"]]: row for row in labels.instances.rows.to_dict("records")}


def test_every_class_of_cholecseg8k_has_the_pixels_of_its_grey_value():
    rng = np.random.default_rng(3)
    for _ in range(40):
        values = areas(rng, rng.choice(GREY, 5, replace=False))
        labels, found = instances("cholecseg8k", cholecseg8k_file(png(np.stack([values] * 3, axis=-1))))
        assert labels.instances.positions.tolist() == [95]
        assert {name: row["mask"] for name, row in found.items()} == {
            name: encoded(values == value) for name, value in cholecseg8k.CLASSES.items() if (values == value).any()
        }
        for row in found.values():
            box = reference.toBbox({"size": [HEIGHT, WIDTH], "counts": row["mask"]})
            assert np.allclose([row[side] for side in "xywh"] * np.array([WIDTH, HEIGHT, WIDTH, HEIGHT]), box)


def test_clips_of_a_video_are_one_recording_at_25_per_second():
    first, second = read_files("cholecseg8k", EXAMPLES["cholecseg8k"]).recordings
    assert [labels.recording for labels in (first, second)] == ["video01", "video12"]
    assert first.instances.positions.tolist() == [80, 81]
    assert first.instances.rows["position"].unique().tolist() == [80]
    again = {file.replace("video01_00080/frame_81", "video01_00160/frame_160"): data for file, data in EXAMPLES["cholecseg8k"].items()}
    first, _ = read_files("cholecseg8k", again).recordings
    assert first.instances.positions.tolist() == [80, 160]


def test_values_of_sarrarp50_are_classes_from_one_in_one_channel_or_three():
    values = areas(np.random.default_rng(9), [0, 1, 4, 9])
    for picture in (values, np.stack([values] * 3, axis=-1)):
        labels, found = instances("sarrarp50-masks", {"r/video_3/segmentation/000000120.png": png(picture)})
        assert labels.instances.positions.tolist() == [120]
        assert {name: row["mask"] for name, row in found.items()} == {
            name: encoded(values == value) for name, value in (("Tool clasper", 1), ("Suturing needle", 4), ("Catheter", 9))
        }


LEGEND = [
    {"name": "tissue", "color": [0, 0, 0], "classid": 0},
    {"name": "thread", "color": [187, 155, 25], "classid": 6},
    {"name": "clamps", "color": [0, 255, 125], "classid": 7},
    {"name": None, "color": [255, 255, 255], "classid": 255},
]
COLOURS = np.array([one["color"] for one in LEGEND])
VALUES = np.array([one["classid"] for one in LEGEND])


def with_legend(picture, legend=LEGEND, file="e/seq_1/labels/frame004.png"):
    return {"e/labels.json": dumps(legend), file: picture}


def test_colours_grey_values_and_palettes_of_a_legend_mean_the_same():
    places = areas(np.random.default_rng(5), range(4))
    opaque = np.concatenate([COLOURS[places], np.full((HEIGHT, WIDTH, 1), 255)], axis=2)
    for picture in (png(COLOURS[places]), png(VALUES[places]), png(opaque), png(places, palette=COLOURS)):
        labels, found = instances("masks-png", with_legend(picture))
        assert (labels.recording, labels.instances.positions.tolist()) == ("seq_1", [4])
        assert {name: row["mask"] for name, row in found.items()} == {
            one["name"]: encoded(places == place) for place, one in enumerate(LEGEND) if one["name"]
        }


def test_two_colours_of_a_legend_may_not_be_one_class_and_one_class_may_fill_the_picture():
    with pytest.raises(AnnotationError, match="'thread' stands twice"):
        read_files("masks-png", with_legend(png(np.zeros((2, 2, 3))), [*LEGEND, {"name": "thread", "color": [1, 1, 1]}]))
    _, found = instances("masks-png", with_legend(png(np.full((HEIGHT, WIDTH), 6))))
    assert found["thread"]["mask"] == encoded(np.ones((HEIGHT, WIDTH)))


@each(
    "file, recording, frame",
    [
        ("endovis/seq_1/labels/frame012.png", "seq_1", "012"),
        ("seq_1/000012.png", "seq_1", "000012"),
        ("maps/t80_VID03_000030.png", "t80_VID03", "000030"),
        ("a/case 7/masks/frame_3.png", "case 7", "3"),
        ("seq_1/left_frames/frame012.png", None, None),
        ("images/seq 1/overview.png", None, None),
    ],
)
def test_a_picture_is_named_by_its_recording_and_frame_and_frames_beside_are_none(file, recording, frame):
    match = MASK_FILE.fullmatch(file)
    assert (match and match["recording"], match and match["frame"]) == (recording, frame)


def smoothed():
    values = np.full((HEIGHT, WIDTH), 50)
    values[4, 7], values[9:11, 20:23] = 49, 77
    return png(np.stack([values] * 3, axis=-1))


REFUSED = {
    "colours of no class": (
        cholecseg8k_file(smoothed()),
        r"frame_95_endo_watershed_mask\.png: 2 colours are in no legend: colour 77,77,77, 6 pixels, the first at x 20, y 9; "
        "colour 49,49,49, 1 pixels, the first at x 7, y 4; correct the pixels",
    ),
    "a picture cut off": (cholecseg8k_file(smoothed()[:-9]), "it is no whole PNG; write it again"),
    "a picture with a damaged byte": (cholecseg8k_file(smoothed()[:60] + b"~" + smoothed()[61:]), "it is no whole PNG"),
    "a JPEG": (cholecseg8k_file(cv2.imencode(".jpg", np.zeros((8, 8, 3), np.uint8))[1].tobytes()), "it is no whole PNG"),
    "16 bits": (cholecseg8k_file(cv2.imencode(".png", np.zeros((8, 8), np.uint16))[1].tobytes()), "it has 16 bits per channel, not 8"),
    "nothing": (cholecseg8k_file(b""), "it is no whole PNG"),
    "a glass": (
        cholecseg8k_file(png(np.full((4, 4, 4), 50))),
        "it has transparent pixels; write it without transparency",
    ),
    "pixels without end": (
        cholecseg8k_file(
            png(np.zeros((1, 1)))[:8] + chunk(b"IHDR", b"\x00\x0f\xff\xff\x00\x0f\xff\xff\x08\x00\x00\x00\x00") + chunk(b"IEND", b"")
        ),
        "its picture has 1048575 x 1048575 pixels",
    ),
    "no pixels": (
        cholecseg8k_file(png(np.zeros((1, 1)))[:33] + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")),
        "endo_watershed_mask.png: ",
    ),
    "another size": (
        {**cholecseg8k_file(png(np.full((8, 9), 50))), "c/video01_00080/frame_99_endo_watershed_mask.png": png(np.full((9, 8), 50))},
        r"frame_99_endo_watershed_mask.png: it has 8x9 pixels, c/video01_00080/frame_95_endo_watershed_mask.png has 9x8; write the masks",
    ),
    "a frame twice": (
        {**cholecseg8k_file(png(np.full((8, 9), 50))), "c/video01_00081/frame_95_endo_watershed_mask.png": png(np.full((8, 9), 50))},
        "frame 95 is also in c/video01_00080/",
    ),
}


@each("case", REFUSED)
def test_a_picture_that_cannot_be_used_is_refused_with_its_place(case):
    files, message = REFUSED[case]
    with pytest.raises(AnnotationError, match=message):
        read_files("cholecseg8k", files)


@each(
    "legend, message",
    [
        ([], r"e/labels.json: it is no list of classes with name and color; write \[\{"),
        ({"name": "liver"}, "it is no list of classes"),
        ([{"name": 3, "color": [1, 2, 3]}], "entry 0: 'name' is 3; name the class"),
        ([{"name": "liver", "color": [1, 2]}], r"entry 0: 'color' \[1, 2\] is no colour; give each class its own red"),
        ([{"name": "liver", "color": [1, 2, 256]}], "is no colour"),
        ([*LEGEND[:1], {"name": "liver", "color": [0, 0, 0]}], r"entry 1: 'color' \[0, 0, 0\] stands twice"),
        ([{"name": "liver", "color": [1, 2, 3], "classid": 300}], "entry 0: 'classid' is 300; give each class its own grey value"),
    ],
)
def test_a_legend_that_is_none_is_refused_with_its_entry(legend, message):
    with pytest.raises(AnnotationError, match=message):
        read_files("masks-png", with_legend(png(np.zeros((2, 2))), legend))


def test_pictures_without_a_legend_and_with_two_are_refused():
    files = with_legend(png(np.zeros((2, 2))))
    legend = files.pop("e/labels.json")
    with pytest.raises(AnnotationError, match=r"no legend\.json says what the colours mean; put one beside the folders"):
        read_files("masks-png", files)
    with pytest.raises(AnnotationError, match=r"there are 2 legends, e/labels\.json and e/legend\.json"):
        read_files("masks-png", {**files, "e/labels.json": legend, "e/legend.json": legend})


def test_examples_have_no_fault():
    for name in ("cholecseg8k", "sarrarp50-masks", "masks-png"):
        assert sentences(faults_of(name, EXAMPLES[name])) == ()
