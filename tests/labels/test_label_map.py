import pandas as pd
import pytest

from label_examples import EXAMPLES, dumps, read_files, shape
from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import label_map
from scrubin.labels.files import reader

WORDS = vocabulary.load("prostatd")
PROSTATD = label_map.load("prostatd")
HEADER = ",".join(label_map.COLUMNS)
ROW = "scissors,dissect,fat,scissors,dissect,fascias"


def test_the_published_merges_go_into_triplets_of_the_vocabulary():
    label_map.check(PROSTATD, WORDS)
    assert PROSTATD.source.startswith("ProstaTD")
    assert PROSTATD.merged(("scissors", "dissect", "lymph node")) == ("scissors", "dissect", "fascias")
    assert PROSTATD.merged(("Scissors", "dissect", "Lymph_Node")) == ("scissors", "dissect", "fascias")
    assert PROSTATD.merged(("forceps", "dissect", "lymph node")) == ("forceps", "dissect", "lymph node")


def test_merges_hold_while_labelme_is_read_and_are_counted():
    corners = [[10, 20], [60, 70]]
    shapes = [shape("scissors", "dissect", name, corners) for name in ("lymph node", "fat", "lymph node", "fascia")]
    files = {"p/v1/000000.json": dumps({"shapes": shapes, "imageWidth": 100, "imageHeight": 200})}
    with pytest.raises(AnnotationError, match=r"v1/000000.json, shape 0, attribute Target: 'lymph node' is no target of .*label map"):
        read_files("labelme", files)
    (labels,) = read_files("labelme", files, label_map=PROSTATD).recordings
    assert labels.instances.rows["triplet_id"].tolist() == [WORDS.triplet_of("scissors,dissect,fascias")] * 4
    assert dict(labels.merged) == {
        ("scissors,dissect,lymph node", "scissors,dissect,fascias"): 2,
        ("scissors,dissect,fat", "scissors,dissect,fascias"): 1,
    }


def test_merges_hold_for_categories_of_coco():
    categories = [{"id": 1, "name": "scissors,dissect,fascias"}, {"id": 2, "name": "scissors,dissect,fat"}]
    image = {"id": 1, "file_name": "v1_000001.jpg", "width": 100, "height": 100}
    annotations = [{"id": k, "image_id": 1, "category_id": k, "bbox": [10, 10, 20, 20]} for k in (1, 2)]
    files = {"c/a.json": dumps({"images": [image], "annotations": annotations, "categories": categories})}
    (labels,) = read_files("coco", files, label_map=PROSTATD).recordings
    assert labels.vocabulary.name == "prostatd"
    assert len(set(labels.instances.rows["triplet_id"])) == 1
    assert sum(labels.merged.values()) == 1


def test_merges_hold_for_formats_that_number_their_triplets():
    mapped = label_map.parse("m", f"{HEADER}\naspirator,suck,fluid,aspirator,null,null\nhook,cut,gut,hook,cut,gallbladder\n".encode())
    (labels,) = read_files("yolo", EXAMPLES["yolo"], label_map=mapped).recordings
    assert labels.instances.rows["triplet_id"].tolist() == [20, 52]
    assert labels.instances.rows["target_id"].tolist() == [4, 9]
    assert dict(labels.merged) == {("aspirator,suck,fluid", "aspirator,null,null"): 1}


def test_merged_instances_have_the_ids_of_the_new_class_and_keep_the_rest():
    (labels,) = read_files("labelme", EXAMPLES["labelme"]).recordings
    mapped = label_map.parse("m", f"# source: made up\n{HEADER}\nscissors,dissect,fascias,scissors,dissect,prostate\n".encode())
    rows = labels.instances.rows
    changed, counts = reader.merged(labels, rows, mapped)
    assert label_map.table(counts).to_dict("records") == [
        {"from": "scissors,dissect,fascias", "to": "scissors,dissect,prostate", "instances": 2}
    ]
    assert changed["triplet_id"].tolist().count(WORDS.triplet_of("scissors,dissect,prostate")) == 2
    prostate = WORDS.id_of("target", "prostate")
    assert (changed["target_id"] == prostate).sum() == (rows["target_id"] == prostate).sum() + 2
    assert changed.dtypes.equals(rows.dtypes)
    pd.testing.assert_frame_equal(changed[["position", "x", "score"]], rows[["position", "x", "score"]])
    again, _ = reader.merged(labels, changed, mapped)
    pd.testing.assert_frame_equal(again, changed)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [ROW, "Scissors,dissect,FAT,scissors,dissect,prostate"],
            "line 3: 'Scissors,dissect,FAT' is merged twice; keep one of the rows",
        ),
        ([ROW, "scissors,dissect,fascias,scissors,dissect,prostate"], "which is merged itself; merge both into the last one"),
        (["scissors,dissect,fat,scissors,dissect,Fat"], "is merged into itself; remove the row"),
        (["scissors,dissect,fat,scissors,dissect,"], "m.csv, line 2: to_target is empty; fill every cell"),
        (["scissors,dissect"], "m.csv, line 2: expected 6 cells, but got 2"),
    ],
)
def test_no_class_is_merged_twice(rows, message):
    with pytest.raises(AnnotationError, match=message):
        label_map.parse("m.csv", "\n".join([HEADER, *rows]).encode())


def test_a_merge_into_something_unknown_is_refused():
    mapped = label_map.parse("m.csv", f"{HEADER}\nscissors,dissect,fat,scissors,dissect,fasciae\n".encode())
    with pytest.raises(AnnotationError, match=r"label map m.csv: .*'fasciae' is no target of .* did you mean 'fascias'\?"):
        label_map.check(mapped, WORDS)


def test_an_unknown_map_is_an_error_with_the_known_ones(tmp_path):
    with pytest.raises(AnnotationError, match="no such label map; name a CSV file, or one of prostatd"):
        label_map.load(str(tmp_path / "nothing.csv"))
    with pytest.raises(AnnotationError, match=r"m\.csv: it is empty"):
        label_map.parse("m.csv", b"")
    with pytest.raises(AnnotationError, match=r"m\.csv, line 1: column 'to_target' is missing; did you mean 'to_tagret'\?"):
        label_map.parse("m.csv", HEADER.replace("to_target", "to_tagret").encode())
