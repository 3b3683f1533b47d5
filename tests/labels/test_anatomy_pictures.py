"""Masks of EndoVis 2017, the Dresden data set and AutoLaparo: whose picture is which class, and what nobody looked for is not absent."""

from __future__ import annotations

import numpy as np
import pytest

from fault_lines import sentences
from label_examples import EXAMPLES, faults_of, read_files
from png_files import png
from scrubin.base.errors import AnnotationError
from scrubin.labels.formats.objects import autolaparo_masks, dsad
from scrubin.labels.masks import rle

WIDTH, HEIGHT = 20, 12


def classes_at(labels, position):
    rows = labels.instances.rows[labels.instances.rows["position"] == position]
    names = [labels.vocabulary.instruments[id_] for id_ in rows["instrument_id"]]
    masks = [rle.picture(rle.runs_of_text(mask, HEIGHT, WIDTH), HEIGHT, WIDTH) for mask in rows["mask"]]
    return list(zip(names, masks, strict=True))


def test_left_and_right_instruments_of_endovis_2017_are_two_instances_of_one_type_with_all_their_parts():
    train, test = read_files("endovis2017", EXAMPLES["endovis2017"]).recordings
    assert (train.recording, test.recording) == ("instrument_dataset_1", "instrument_dataset_9")
    found = classes_at(train, 4)
    assert sorted(name for name, _ in found) == ["Other", "Prograsp Forceps", "Prograsp Forceps"]
    # Shaft and clasper have values of their own, and are one instrument.
    assert {int(mask.sum()) for _, mask in found} == {84}
    assert len({mask.tobytes() for _, mask in found}) == 3
    assert [(name, int(mask.sum())) for name, mask in classes_at(test, 225)] == [("Bipolar Forceps", 75), ("Monopolar Curved Scissors", 9)]


def test_that_the_parts_of_an_instrument_are_one_mask_is_said():
    told = sentences(faults_of("endovis2017", EXAMPLES["endovis2017"]), "warning")
    assert len(told) == 3  # not of the picture of types
    assert "Other_labels/frame004.png: not kept: which part is which; the mask is all of them" in told[1]
    whole = {"e/instrument_dataset_1/ground_truth/Other_labels/frame000.png": png(np.full((4, 4), 10))}
    assert not faults_of("endovis2017", whole)


def test_a_folder_of_endovis_2017_that_is_no_instrument_is_refused_with_its_name():
    files = {f"e/instrument_dataset_1/ground_truth/Camera_labels/frame00{at}.png": png(np.zeros((4, 4))) for at in (0, 1)}
    with pytest.raises(
        AnnotationError, match="ground_truth/Camera_labels: the folder 'Camera_labels' is called after no type of instrument"
    ):
        read_files("endovis2017", files)


def test_an_organ_of_the_dresden_data_set_is_the_only_class_of_its_folder():
    colon, liver, together = read_files("dsad", EXAMPLES["dsad"]).recordings
    assert [one.recording for one in (colon, liver, together)] == ["colon_03", "liver_20", "multilabel_03"]
    assert (colon.vocabulary.instruments, liver.vocabulary.instruments) == (("colon",), ("liver",))
    assert colon.instances.positions.tolist() == [0, 1]
    assert [(name, int(mask.sum())) for name, mask in classes_at(colon, 1)] == [("colon", 84)]
    assert together.vocabulary.instruments == dsad.OF_ALL
    assert [name for name, _ in classes_at(together, 2)] == ["liver", "spleen"]


def test_values_of_autolaparo_are_its_classes_and_a_clip_is_a_recording():
    (labels,) = read_files("autolaparo-masks", EXAMPLES["autolaparo-masks"]).recordings
    assert labels.recording == "007"
    assert labels.instances.positions.tolist() == [1, 25]
    assert [(name, int(mask.sum())) for name, mask in classes_at(labels, 1)] == [("Grasping forceps shaft", 42), ("Uterus", 57)]
    values = np.zeros((HEIGHT, WIDTH))
    for at, name in enumerate(autolaparo_masks.CLASSES):
        values[at, :5] = 20 * (at + 1)
        (labels,) = read_files("autolaparo-masks", {"a/masks/001001.png": png(np.stack([values] * 3, axis=-1))}).recordings
        assert classes_at(labels, 1)[at][0] == name


@pytest.mark.parametrize("name", ["endovis2017", "dsad", "autolaparo-masks", "sarrarp50-masks"])
def test_a_value_of_no_class_and_another_size_are_refused_with_their_place(name):
    files = dict(EXAMPLES[name])
    first, second = [file for file in sorted(files) if "TypeSegmentation" not in file and "multilabel" not in file][:2]
    with pytest.raises(AnnotationError, match=r"it has 9x8 pixels, .* has 20x12; write the masks of a recording"):
        read_files(name, {**files, second: png(np.zeros((8, 9)))})
    values = np.zeros((HEIGHT, WIDTH, 3))
    values[3, 4] = 7, 8, 9
    with pytest.raises(AnnotationError, match=rf"{first}: 1 colour is in no legend: colour 7,8,9, 1 pixels, the first at x 4, y 3"):
        read_files(name, {**files, first: png(values)})
