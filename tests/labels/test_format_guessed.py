"""What was written says by itself what it is: read back with no option, it has the same format, vocabulary and labels."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each import each
from label_examples import EXAMPLES, dumps, rate_of, read_files, shape
from scrubin import cli
from scrubin.base.errors import AnnotationError
from scrubin.labels.choices import READ_AS
from scrubin.labels.files import reader
from scrubin.labels.files.detect import NO_LABELS, label_folder
from scrubin.labels.files.loss import Fit, fitted
from scrubin.labels.files.output import render, writer_of
from scrubin.labels.files.reader import Options
from scrubin.labels.registry import WRITERS, name_pattern, readable
from verdict_cases import write_files

EXAMPLE_OF = {"tables": "cholect50", "tables-csv": "multibypass140"}
"""Formats that have no example of their own, and what is written in them."""

LOST = {"boxes cut to the image"}
OF_CORNERS = "yolo-seg"
"""Its rows are outlines, and no file of it states how large its images are."""


@pytest.mark.cases(10)
@pytest.mark.parametrize("target", sorted(set(WRITERS) - {OF_CORNERS}))
def test_a_written_format_is_known_and_read_back_with_no_option(target, tmp_path):
    source = EXAMPLE_OF.get(target, target)
    kept, losses = fitted(read_files(source, EXAMPLES[source]), writer_of(target), Fit(source, source_fps=rate_of(source)))
    written = render(kept, writer_of(target))
    reading = reader.read_path(write_files(tmp_path, written.files), None, Options())
    assert {*losses, *written.losses} <= LOST
    assert reading.form.name == READ_AS.get(target, target)
    assert not [fault for fault in reading.faults if fault.severity != "warning"]
    again = reading.collection
    assert [labels.recording for labels in again.recordings] == [labels.recording for labels in kept.recordings]
    for one, other in zip(kept.recordings, again.recordings, strict=True):
        assert other.vocabulary.name == one.vocabulary.name
        for layer in ("phases", "instances"):
            assert_same_layer(getattr(one, layer), getattr(other, layer))
        for rows in ("segments", "spans"):
            assert_same_rows(getattr(one, rows), getattr(other, rows))
    assert (again.scores is None) == (kept.scores is None)
    if kept.scores is not None:
        assert len(again.scores.ratings) == len(kept.scores.ratings)


def test_outlines_that_were_written_are_known_and_need_only_the_size_of_their_images(tmp_path):
    size = {"image_size": (640, 480)}
    written = render(read_files(OF_CORNERS, EXAMPLES[OF_CORNERS], **size), writer_of(OF_CORNERS))
    path = write_files(tmp_path, written.files)
    reading = reader.read_path(path, None, Options(**size))
    assert reading.form.name == OF_CORNERS
    assert reading.collection.recordings[0].instances.rows["mask"].notna().all()


@pytest.mark.cases(4)
@pytest.mark.parametrize("target", ["cholect45", "coco", "labelme", "multibypasst40", "spans", "tables", "yolo", "yolo4"])
@pytest.mark.parametrize("source", ["cholect50", "labelme"])
def test_triplets_of_another_format_keep_their_vocabulary_with_no_option(source, target, tmp_path):
    if (source, target) == ("labelme", "cholect45"):
        pytest.skip("CholecT45 has its own triplets")
    fit = Fit(source, source_fps=rate_of(source), image_size=(100, 100))
    kept, _ = fitted(read_files(source, EXAMPLES[source]), writer_of(target), fit)
    reading = reader.read_path(write_files(tmp_path, render(kept, writer_of(target)).files), None, Options())
    assert (reading.form.name, [fault for fault in reading.faults if fault.severity == "error"]) == (target, [])
    assert {one.vocabulary.triplets for one in reading.collection.recordings} == {one.vocabulary.triplets for one in kept.recordings}


@pytest.mark.parametrize(
    "target", sorted(name for name, writer in WRITERS.items() if {"actions", "instances"} <= {*writer.holds} and not writer.only_masks)
)
def test_a_prediction_whose_instrument_is_not_that_of_its_triplet_is_written_as_its_triplet_and_counted(target, tmp_path):
    collection = read_files("cholectriplet2022", {"VID01.json": predicted(instruments=[0, 3, 0])})
    kept, losses = fitted(collection, writer_of(target), Fit("cholectriplet2022", image_size=(100, 100)))
    reading = reader.read_path(write_files(tmp_path, render(kept, writer_of(target)).files), None, Options())
    assert (reading.form.name, [fault for fault in reading.faults if fault.severity != "warning"]) == (READ_AS.get(target, target), [])
    if target != "cholectrack20":  # it has other triplets, so that only the instruments as predicted are left
        assert losses["instruments, verbs or targets that are not those of their triplet"] == 1


def predicted(instruments):
    """Return three frames of a submission to CholecTriplet2022: the triplet grasper,retract,gallbladder, and an instrument each."""
    boxes = [[{"triplet": 17, "instrument": [id_, 0.9, 0.1, 0.1, 0.2, 0.2]}] for id_ in instruments]
    return dumps({str(frame): {"recognition": [0.1] * 100, "detection": of_frame} for frame, of_frame in enumerate(boxes)})


def assert_same_layer(one, other):
    assert (one is None) == (other is None)
    if one is not None:
        assert one.positions.tolist() == other.positions.tolist()
        assert_same_rows(one.rows, other.rows)


def assert_same_rows(one, other):
    assert (one is None) == (other is None)
    if one is not None:
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize("target", ["tables", "tables-csv"])
def test_jigsaws_comes_back_from_our_tables_byte_for_byte(target, tmp_path):
    steps = [("in", "jigsaws", "once"), ("once", target, "as tables"), ("as tables", "jigsaws", "again")]
    write_files(tmp_path / "in", EXAMPLES["jigsaws"])
    for source, form, out in steps:
        assert cli.main(["convert", str(tmp_path / source), "--to", form, "--out", str(tmp_path / out)]) == 0
    once, again = ({file.name: file.read_bytes() for file in (tmp_path / of).rglob("*.txt")} for of in ("once", "again"))
    assert once == again
    assert len(once) == len(EXAMPLES["jigsaws"])


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_an_extension_in_capital_letters_makes_no_other_format(name, tmp_path):
    capital = {f"{file.rpartition('.')[0]}.{file.rpartition('.')[2].upper()}": data for file, data in EXAMPLES[name].items()}
    small, large = (found(write_files(tmp_path / of, files)) for of, files in (("small", EXAMPLES[name]), ("large", capital)))
    assert small == large


def found(path):
    """The format of files, or that it is none or unclear, and what is in them."""
    try:
        reading = reader.read_path(path, None, Options())
    except AnnotationError as error:
        return [fault.rule for fault in error.faults]
    rows = [[len(layer.rows) for layer in (one.phases, one.instances) if layer] for one in reading.collection.recordings]
    return reading.form.name, len(reading.paths), len(reading.others), [one.recording for one in reading.collection.recordings], rows


def test_files_that_differ_in_the_case_of_their_extension_alone_are_refused(tmp_path):
    files = {f"labels/label_01.{end}": b"Frame\tPhase\n1\t1\n" for end in ("txt", "TXT")}
    with pytest.raises(AnnotationError, match=r"label_01\.txt.*the same name; keep one"):
        reader.read_path(write_files(tmp_path, files), None, Options())


@pytest.mark.parametrize("name", ["Label_03.txt", "LABEL_03.TXT", "Video01-Phase.txt"])
def test_a_name_of_a_format_but_for_its_capitals_is_no_plain_table(name, tmp_path):
    path = write_files(tmp_path, {f"labels/{name}": b"Frame\tPhase\n1\t1\n2\t1\n"})
    with pytest.raises(AnnotationError, match=r"but for its capitals the name is one of the format (autolaparo|cholec80).*rename it"):
        reader.read_path(path, None, Options())


@pytest.mark.parametrize("name", ["m2cai", "autolaparo"])
@pytest.mark.parametrize(
    "saved",
    [
        lambda text: text.replace("\t", ","),
        lambda text: text.replace("\t", ";"),
        lambda text: text.replace("\t", "  "),
        lambda text: text.replace("Frame", "frame").replace("Phase", "phase"),
        lambda text: "".join(f'"{line.replace(chr(9), chr(34) + chr(9) + chr(34))}"\n' for line in text.splitlines()),
    ],
    ids=["commas", "semicolons", "blanks", "small letters", "quoted"],
)
def test_a_phase_file_that_was_saved_otherwise_is_refused_and_not_read_as_a_plain_table(name, saved, tmp_path):
    ((file, data),) = EXAMPLES[name].items()
    path = write_files(tmp_path, {file: saved(data.decode()).encode()})
    with pytest.raises(AnnotationError, match=r"line 1: the header is .*; expected Frame<TAB>Phase, separated by tabs"):
        reader.read(*of_path(path), Options())


def of_path(path):
    folder = label_folder(path, None)
    return folder.contents, folder.form


def test_phases_of_autolaparo_without_a_header_are_refused_as_their_frames_and_phases_begin_at_1(tmp_path):
    path = write_files(tmp_path, {"labels/label_03.txt": b"1\t1\n2\t1\n3\t2\n"})
    with pytest.raises(AnnotationError, match=r"label_03\.txt, line 1: the header is .*: write that line above the first row"):
        reader.read(*of_path(path), Options())


def test_a_polygon_without_attributes_is_an_instrument_with_the_box_around_it():
    corners = [[30, 20], [60, 40], [10, 60]]
    bare = {"label": "grasper", "points": corners, "shape_type": "polygon"}
    files = {"a/000000.json": dumps({"shapes": [bare], "imageWidth": 100, "imageHeight": 100})}
    (labels,) = read_files("labelme", files, vocabulary="cholect50").recordings
    (row,) = labels.instances.rows.to_dict("records")
    assert [row[side] for side in "xywh"] == pytest.approx([0.1, 0.2, 0.5, 0.4])
    assert (labels.detail, row["instrument_id"], pd.isna(row["triplet_id"])) == ("instrument", 0, True)
    assert {fault.rule for fault in labels.faults} == {"attributes-missing"}


def test_some_shapes_without_attributes_are_counted_beside_whole_triplets():
    whole = shape("grasper", "retract", "gallbladder", [[10, 10], [50, 50]])
    bare = {"label": "hook", "points": [[10, 10], [50, 50]], "shape_type": "rectangle", "flags": {}}
    files = {"a/000000.json": dumps({"shapes": [whole, bare], "imageWidth": 100, "imageHeight": 100})}
    (labels,) = read_files("labelme", files, vocabulary="cholect50").recordings
    assert labels.instances.rows["triplet_id"].astype(object).where(labels.instances.rows["triplet_id"].notna(), None).tolist() == [
        17,
        None,
    ]
    assert [fault.what for fault in labels.faults] == ["1 of 2 shapes have no attributes, so only the instrument is read"]


def coco(ids):
    images = [{"id": ids(i), "file_name": f"VID01/{i:06d}.png", "width": 100, "height": 100} for i in range(37)]
    annotations = [{"id": ids(i), "image_id": ids(i), "category_id": ids(1), "bbox": [10, 10, 20, 20]} for i in range(37)]
    categories = [{"id": ids(1), "name": "grasper,retract,gallbladder", "supercategory": "grasper"}]
    return {"annotations.json": dumps({"images": images, "annotations": annotations, "categories": categories})}


def test_coco_with_ids_as_text_says_the_same_as_with_numbers():
    (of_text,), (of_numbers,) = (read_files("coco", coco(ids)).recordings for ids in (str, int))
    assert_same_layer(of_text.instances, of_numbers.instances)
    assert len(of_text.instances.rows) == 37


@pytest.mark.slow
@each("form", [form for form in readable().values() if form.by_hand.files is None], say=lambda form: form.name)
def test_no_format_has_files_that_detection_leaves_out(form):
    @given(st.from_regex(name_pattern(form), fullmatch=True))
    @settings(max_examples=20)
    def left_out(name):
        assert not name.endswith(NO_LABELS)

    left_out()
    assert not [end for end in NO_LABELS if name_pattern(form).fullmatch(f"a/b_000001{end}")]
