"""Boxes of a picture that is turned, or of two side by side, are refused, and masks of one of any other shape than the video.

Boxes and points are shares: those of a picture that was stretched are right, and said aloud.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest

import clips
import source_clips
from annotated_tables import tables_of
from each import each
from label_examples import EXAMPLES, read_files
from scrubin import cli
from scrubin.base.errors import AnnotationError, VideoError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.masks import rle
from scrubin.labels.model import BOX, SOURCE_FRAMES, Labels, Layer, detailed_rows
from scrubin.labels.points import Point
from scrubin.media.probe import pixel_aspect_of, released_pixel_aspect
from scrubin.stages.annotations import label_tables, lengths

WIDE = Fraction(4, 3)
STATING = {"coco", "cvat-images", "cvat-video", "endoscapes", "labelme", "mot"}
PAL, NTSC, FULL_HD = (720, 576), (720, 480), (1920, 1080)
BOX_ROW = {"x": 0.25, "y": 0.5, "w": 0.125, "h": 0.25}
POINTS_ROW = {"points": (Point("tip", 0.25, 0.5, 2),)}


def shape_faults(labels, source_size, aspect=Fraction(1)):
    faults = Faults()
    lengths.check(
        labels, source_frames=10**6, source_s=40000, source_size=source_size, tolerance_s=10**6, faults=faults, pixel_aspect=lambda: aspect
    )
    assert {fault.severity for fault in faults.all() if fault.rule == "image-stretched"} <= {"warning"}
    return [fault for fault in faults.all() if fault.rule in ("image-shape", "image-stretched")]


def test_boxes_of_every_format_that_states_the_size_of_its_pictures_are_refused_in_a_video_that_is_turned():
    found = set()
    for name, files in EXAMPLES.items():
        for labels in read_files(name, files).recordings if name != "tables-csv" else ():
            sizes = {*lengths.picture_sizes(labels).values()}
            has_boxes = labels.instances is not None and labels.instances.rows[[*BOX]].notna().any(axis=None)
            for width, height in sizes if has_boxes and len(sizes) == 1 and name != "cholectrack20" else ():
                found.add(name)
                assert not shape_faults(labels, (width, height)), name
                assert not shape_faults(labels, (2 * width, 2 * height)), name
                assert not shape_faults(labels, (3 * width, 4 * height), WIDE), name
                assert shape_faults(labels, (height, width), WIDE), name
                (fault, *_) = shape_faults(labels, (height, width))
                assert fault.what == f"the labelled image is {width}x{height}, the video {height}x{width}: another shape", name
                assert fault.file, name
    assert found >= STATING


def labels_of(size, **row):
    """One instance in frame 0, by default a box, of a picture of this size."""
    row = row or BOX_ROW
    rows = detailed_rows([{"position": 0, "instrument_id": 0, **row}], {"mask": "str", "points": "object"})
    frames = rows[["position"]].assign(width=size[0], height=size[1])
    layer = Layer("annotations/a.json", rows["position"].to_numpy(), rows)
    return Labels("case one", "coco", load("cholect50"), SOURCE_FRAMES, instances=layer, detail="instrument", frames=frames)


def made(labels, aspect=None):
    """The tables of labels of a video of 320x240 pixels."""
    asked = []

    def aspect_of(path):
        asked.append(path)
        return aspect

    tables = label_tables.tables([labels], label_tables.released(*tables_of()), (), 1.0, Faults(), pixel_aspect=aspect_of)
    assert asked == ([] if aspect is None else ["v.mp4"])
    return tables


def test_who_says_only_that_something_is_in_view_may_have_pictures_of_any_shape():
    assert len(made(labels_of((240, 320), score=1.0)).triplets) == 1


@pytest.mark.slow
@each("row", [BOX_ROW, POINTS_ROW, {"mask": rle.text_of_runs([0, 427 * 240])}])
def test_labels_on_square_pixels_of_an_anamorphic_film_are_its_own_with_x_and_y_as_shares(row):
    for size in ((427, 240), (854, 480), (213, 120)) if "mask" not in row else ((427, 240),):
        tables = made(labels_of(size, **row), WIDE)
        (of_box,) = tables.triplets[[*BOX]].astype(object).to_numpy().tolist()
        assert of_box == [row.get(side) for side in BOX] or "x" not in row
        assert tables.points[["x", "y"]].to_numpy().tolist() == ([[0.25, 0.5]] if "points" in row else [])
        assert tables.masks[["width", "height"]].to_numpy().tolist() == ([[427, 240]] if "mask" in row else [])


def test_labels_on_the_pixels_of_an_anamorphic_film_ask_nobody_how_wide_they_are():
    assert len(made(labels_of((160, 120))).triplets) == 1


@each("size, aspect", [((240, 320), 1), ((240, 320), WIDE), ((240, 427), WIDE), ((640, 240), 1), ((854, 240), WIDE)])
def test_pictures_that_are_turned_or_of_two_side_by_side_are_refused_and_both_shapes_of_the_film_are_told(size, aspect):
    shown = "" if aspect == 1 else rf", shown as {round(320 * aspect)}x240"
    for row in (BOX_ROW, POINTS_ROW):
        with pytest.raises(
            AnnotationError, match=rf"a\.json, frame 0: the labelled image is {size[0]}x{size[1]}, the video 320x240{shown}: ano"
        ):
            made(labels_of(size, **row), Fraction(aspect))


STRETCHED = [
    *(((side, side), video, 1) for side in (224, 512, 640) for video in (FULL_HD, (854, 480), (1280, 1024), PAL, (1080, 1920))),
    *((size, FULL_HD, 1) for size in ((640, 368), (640, 352), (320, 176), (1920, 540), (640, 480))),
    *((size, PAL, 1) for size in ((640, 480), (704, 576), (352, 288), (720, 288), (1024, 576), (768, 576))),
    *((size, NTSC, 1) for size in ((640, 480), (704, 480), (854, 480))),
    ((1920, 1080), (960, 1080), 1),
    ((512, 512), (560, 512), 1),
    ((512, 240), (320, 240), WIDE),
]
OF_TELEVISION = [
    ((768, 576), PAL, Fraction(59, 54)),
    ((768, 576), PAL, Fraction(12, 11)),
    ((768, 576), PAL, Fraction(16, 15)),
    ((1024, 576), PAL, Fraction(16, 11)),
    ((1024, 576), PAL, Fraction(64, 45)),
    ((640, 480), NTSC, Fraction(10, 11)),
    ((640, 480), NTSC, Fraction(8, 9)),
    ((854, 480), NTSC, Fraction(40, 33)),
]


def a_mask(size):
    return {"mask": rle.text_of_runs([0, size[0] * size[1]])}


@pytest.mark.parametrize(("size", "video", "aspect"), STRETCHED)
def test_boxes_and_points_of_a_picture_that_was_stretched_are_shares_and_taken_and_its_masks_are_refused(size, video, aspect):
    for row in (BOX_ROW, POINTS_ROW):
        (fault,) = shape_faults(labels_of(size, **row), video, aspect)
        assert fault.what.startswith(f"pictures of {size[0]}x{size[1]} have another shape than the video: boxes and points are taken as")
        assert (fault.severity, fault.sentence.count(f"{video[0]}x{video[1]}")) == ("warning", 1)
    (fault,) = shape_faults(labels_of(size, **BOX_ROW, **a_mask(size)), video, aspect)
    assert fault.severity == "error"


@each("size", [(640, 640), (640, 480), (1080, 1920), (3840, 1080), (1920, 1080)])
@each("drawn", ["rectangle", "point", "polygon", "ignore", "ignore alone", "nothing"])
def test_files_of_a_picture_each_are_asked_for_their_shape_as_others_are_and_named(size, drawn):
    corners = [[10, 10], [50, 60]]
    shapes = [{"label": "grasper", "points": [*corners, [10, 60]][: 3 if drawn == "polygon" else 2], "group_id": 1}]
    shapes[0]["shape_type"] = "polygon" if drawn == "polygon" else "rectangle"
    shapes += [{"label": "tip", "points": [[20, 20]], "shape_type": "point", "group_id": 1}] if drawn == "point" else []
    region = {"label": "ignore", "points": [*corners, [10, 60]], "shape_type": "polygon"}
    shapes = {"ignore": [*shapes, region], "ignore alone": [region]}.get(drawn, shapes)
    every = {"shapes": [] if drawn == "nothing" else shapes, "imageWidth": size[0], "imageHeight": size[1], "imageData": None}
    own = {"shapes": shapes, "imageWidth": 1920, "imageHeight": 1080, "imageData": None}
    files = {f"labelme/VID01/{n:06d}.json": json.dumps(document).encode() for n, document in enumerate((own, every, every))}
    (labels,) = read_files("labelme", files).recordings
    found = [(fault.file, fault.severity) for fault in shape_faults(labels, FULL_HD)]
    is_wrong = drawn in ("polygon", "ignore", "ignore alone") or size in ((1080, 1920), (3840, 1080))
    expected = [] if drawn == "nothing" or size == FULL_HD else [("labelme/VID01/000001.json", "error" if is_wrong else "warning")]
    assert found == expected


@each("size, video", [((1100, 1200), (1200, 1100)), ((1160, 1280), (1280, 1160)), ((550, 600), (1200, 1100)), ((1000, 1030), (1030, 1000))])
def test_a_nearly_square_film_is_told_from_one_that_is_turned_and_its_stretched_pictures_are_taken(size, video):
    (fault,) = shape_faults(labels_of(size), video)
    assert fault.severity == "error"
    for own in (video, (2 * video[0], 2 * video[1])):
        assert not shape_faults(labels_of(own), video)
    assert [of.severity for of in shape_faults(labels_of((512, 512)), video)] == ["warning"]
    assert all(of.severity == "warning" for side in (504, 512, 520) for of in shape_faults(labels_of((512, 512)), (512, side)))


@each("turned_by", [1.0, 0.98, 1.02])
def test_a_picture_of_television_that_is_turned_is_refused_by_either_rule_of_its_columns(turned_by):
    (fault,) = shape_faults(labels_of((576, round(768 * turned_by))), (768, 576))
    assert fault.severity == "error"


def test_a_picture_size_with_boxes_here_and_masks_there_has_one_fault_and_masks_of_one_size_say_nothing_of_another():
    def mixed(of_boxes, of_masks):
        boxes, masked = labels_of(of_boxes), labels_of(of_masks, **a_mask(of_masks))
        rows = pd.concat([boxes.instances.rows, masked.instances.rows.assign(position=1)], ignore_index=True)
        frames = pd.concat([boxes.frames, masked.frames.assign(position=1)], ignore_index=True)
        return replace(boxes, instances=replace(boxes.instances, positions=rows["position"].to_numpy(), rows=rows), frames=frames)

    def found(of_boxes, of_masks):
        return [(fault.place, fault.severity) for fault in shape_faults(mixed(of_boxes, of_masks), (320, 240))]

    assert found((240, 320), (240, 320)) == [("frame 1", "error")]
    assert found((64, 64), (64, 64)) == [("frame 1", "error")]
    assert found((64, 64), (320, 240)) == [("frame 0", "warning")]


def test_the_report_says_of_a_stretched_picture_that_its_boxes_are_taken_as_shares_and_names_no_file():
    (warning,) = made(labels_of((64, 64)), Fraction(1)).report["ids"]["mabolu"]["warnings"]
    assert warning == "coco: pictures of 64x64 have another shape than the video: boxes and points are taken as shares of them"
    assert made(labels_of((160, 120))).report["ids"]["mabolu"]["warnings"] == []


def test_stretched_pictures_of_many_sizes_are_one_warning_that_counts_them():
    sizes = [(64, 64), (65, 64), (66, 64), (128, 128), (320, 240)]
    each_of = [labels_of(size) for size in sizes]
    rows, frames = (
        pd.concat([of.assign(position=at) for at, of in enumerate(every)], ignore_index=True)
        for every in ([one.instances.rows for one in each_of], [one.frames for one in each_of])
    )
    layer = replace(each_of[0].instances, positions=rows["position"].to_numpy(), rows=rows)
    (fault,) = shape_faults(replace(each_of[0], instances=layer, frames=frames), (320, 240))
    assert fault.what.startswith("pictures of 64x64 and of 3 other sizes have another shape than the video: ")
    assert (fault.severity, fault.place) == ("warning", "frame 0")


@pytest.mark.parametrize(("size", "video", "aspect"), OF_TELEVISION)
def test_masks_on_square_pixels_of_television_are_taken_by_either_rule_of_how_wide_its_pixels_are(size, video, aspect):
    assert not shape_faults(labels_of(size, **a_mask(size)), video, aspect)
    assert shape_faults(labels_of((video[1], video[0]), **a_mask(size)), video, aspect)


def test_the_size_that_a_file_of_shares_states_is_not_looked_at():
    (labels,) = read_files("cholectrack20", EXAMPLES["cholectrack20"]).recordings
    assert {*lengths.picture_sizes(labels).values()} == {(854, 480)}
    assert not shape_faults(labels, (480, 854))


def test_the_width_of_pixels_is_that_of_the_file_turned_with_the_picture(tmp_path):
    wide = clips.clip(tmp_path / "wide.mp4", seconds=0.4, more=("-vf", "setsar=4/3"))
    assert released_pixel_aspect(tmp_path, "wide.mp4") == WIDE
    assert pixel_aspect_of(wide, "wide.mp4", 90) == 1 / WIDE
    assert pixel_aspect_of(wide, "wide.mp4", 180) == WIDE
    assert released_pixel_aspect(tmp_path, clips.numbered(tmp_path / "square.mkv", 4).name) == 1
    (tmp_path / "none.mp4").write_bytes(b"nothing")
    with pytest.raises(VideoError, match=r"none\.mp4"):
        released_pixel_aspect(tmp_path, "none.mp4")


def cvat(folder, width, height):
    """Write a track of boxes of CVAT for video, on pictures of this size."""
    box = '<box frame="{}" outside="0" keyframe="1" occluded="0" xtl="10" ytl="10" xbr="40" ybr="40"/>'
    size = f"<original_size><width>{width}</width><height>{height}</height></original_size>"
    track = f'<track id="0" label="grasper">{box.format(0)}{box.format(1)}</track>'
    path = folder / f"{width}.xml"
    path.write_text(f"<annotations><version>1.1</version><meta><task>{size}</task></meta>{track}</annotations>", encoding="utf-8")
    return path


def test_a_converter_that_has_the_video_refuses_boxes_of_another_orientation_and_takes_those_of_square_pixels(tmp_path, capsys):
    turned = source_clips.rotated(tmp_path)  # of 96x64 pixels, shown as 64x96
    wide = clips.clip(tmp_path / "wide.mp4", seconds=2.4, more=("-vf", "setsar=4/3"))

    def converted(labels, video):
        named = ["convert", labels, "--from", "cvat-video", "--to", "coco", "--out", tmp_path / f"{labels.stem}-{video.stem}.json"]
        return cli.main([*map(str, named), "--fps", "25", "--vocabulary", "cholect50", "--video", str(video)])

    assert converted(cvat(tmp_path, 96, 64), turned) == 1
    assert "the labelled image is 96x64, the video 64x96: another shape" in capsys.readouterr().err
    assert converted(cvat(tmp_path, 64, 96), turned) == 0
    assert converted(cvat(tmp_path, 128, 64), wide) == 0
    assert converted(cvat(tmp_path, 96, 64), wide) == 0
    (image, *_) = json.loads((tmp_path / "128-wide.json").read_text(encoding="utf-8"))["images"]
    assert (image["width"], image["height"]) == (128, 64)
    assert "shape" not in capsys.readouterr().err
    assert converted(cvat(tmp_path, 64, 64), wide) == 0
    assert "scrubin convert: " in (said := capsys.readouterr().err)
    assert "pictures of 64x64 have another shape than the video: boxes and points are taken as shares" in said
