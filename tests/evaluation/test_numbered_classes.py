"""Predictions that number classes and do not name them: the numbers are those of the ground truth's own list, if it has one."""

import json

import numpy as np
import pytest

from score_runs import fault, good, sides
from scrubin.base.vocabulary.vocabulary import load
from scrubin.cli import main
from scrubin.evaluate.side import taking_part
from scrubin.labels.model import ClassList

ALPHABETICAL = ["bipolar", "clipper", "grasper", "hook", "irrigator", "scissors"]
SHARES = (0.2, 0.2, 0.2, 0.2)


def coco(folder, names, ids=None, video="VID01", file="labels.json"):
    """A box of each class, class k in frame k."""
    ids = ids or range(1, len(names) + 1)
    images = [{"id": k, "file_name": f"{video}_{k:06d}.jpg", "width": 100, "height": 100} for k in range(len(names))]
    annotations = [{"id": k + 1, "image_id": k, "category_id": id_, "bbox": [10, 10, 20, 20]} for k, id_ in enumerate(sorted(ids))]
    categories = [{"id": id_, "name": name} for id_, name in zip(ids, names, strict=True)]
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(json.dumps({"images": images, "annotations": annotations, "categories": categories}))


def yolo(folder, classes, names=None, row=SHARES, video="VID01"):
    folder.mkdir(exist_ok=True)
    for k, class_ in enumerate(classes):
        (folder / f"{video}_{k:06d}.txt").write_text(" ".join(map(str, (class_, *row, 0.9))) + "\n")
    if names:
        (folder / "data.yaml").write_text(f"names: [{', '.join(names)}]\n")


def overall(study, capsys, metric, *more, value="AP"):
    said = good(capsys, *sides(study, metric, "--out", study / "s.json", *more))
    results = json.loads((study / "s.json").read_text())["results"]
    return next(one["overall"]["value"] for one in results if one["metric"].endswith(value)), said.err


def mot(folder, classes="", video="v", order=(0, 1)):
    (folder / video).mkdir(parents=True, exist_ok=True)
    rows = [f"{frame},{id_ + 1},{10 + 40 * id_},10,20,20,1,{id_},1" for frame in (1, 2) for id_ in order]
    (folder / f"{video}.txt").write_text("\n".join(rows) + "\n")
    listed = f"classes={classes}\n" if classes else ""
    (folder / video / "seqinfo.ini").write_text(f"[Sequence]\nseqLength=2\nimWidth=100\nimHeight=100\n{listed}")


ROWS = {"yolo": SHARES, "yolo-seg": (0.1, 0.1, 0.3, 0.1, 0.3, 0.3, 0.1, 0.3), "yolo-pose": (*SHARES, 0.2, 0.2, 2)}


@pytest.mark.parametrize("form", ROWS)
def test_numbers_of_yolo_are_those_of_the_categories_by_id(tmp_path, capsys, form):
    coco(tmp_path / "truth", ["grasper", "hook", "clipper"], ids=(9, 4, 7))
    yolo(tmp_path / "found", (0, 1, 2), row=ROWS[form])
    value, said = overall(tmp_path, capsys, "detection", "--predictions-from", form)
    assert value == 1
    assert "classes are numbered and not named; the classes of the ground truth in" in said
    assert "labels.json are 0 hook, 1 clipper, 2 grasper, and the numbers are read so; name them by data.yaml or classes.txt" in said


def test_numbers_in_the_order_of_the_vocabulary_are_instruments_and_not_triplets_and_nothing_is_said(tmp_path, capsys):
    coco(tmp_path / "truth", ["grasper", "bipolar", "hook", "scissors", "clipper", "irrigator"])
    yolo(tmp_path / "found", range(6))
    value, said = overall(tmp_path, capsys, "detection")
    assert value == 1
    assert "numbered" not in said


def test_names_of_predictions_count_before_the_list_of_the_ground_truth(tmp_path, capsys):
    coco(tmp_path / "truth", ["hook", "grasper"])
    yolo(tmp_path / "found", (1, 0), names=["grasper", "hook"])
    value, said = overall(tmp_path, capsys, "detection")
    assert (value, "numbered" in said) == (1, False)


def test_a_number_beyond_the_list_names_the_list(tmp_path, capsys):
    coco(tmp_path / "truth", ["hook", "grasper"])
    yolo(tmp_path / "found", (0, 2))
    said = fault(capsys, *sides(tmp_path, "detection"))
    assert "VID01_000001.txt, line 1: class 2 is not in 0..1: the classes of the ground truth in" in said
    assert "labels.json are 0 hook, 1 grasper; correct it, or name the classes" in said


def test_files_of_the_ground_truth_with_lists_of_different_order_are_refused_where_predictions_only_number(tmp_path, capsys):
    coco(tmp_path / "truth", ["hook", "grasper"], file="a.json")
    coco(tmp_path / "truth", ["grasper", "hook"], video="VID02", file="b.json")
    yolo(tmp_path / "found", (0, 1))
    yolo(tmp_path / "found", (0, 1), video="VID02")
    said = fault(capsys, *sides(tmp_path, "detection"))
    assert "VID01_000000.txt: classes are numbered and not named, and the ground truth lists them in several orders" in said
    assert "a.json has 0 hook, 1 grasper and" in said
    assert "b.json has 0 grasper, 1 hook; name them by data.yaml or classes.txt" in said
    coco(tmp_path / "found", ["hook", "grasper"], file="a.json")
    coco(tmp_path / "found", ["grasper", "hook"], video="VID02", file="b.json")
    for file in (tmp_path / "found").glob("*.txt"):
        file.unlink()
    assert overall(tmp_path, capsys, "detection")[0] == 1


def test_labels_of_instruments_without_a_list_number_the_instruments_of_the_vocabulary(tmp_path, capsys):
    (tmp_path / "truth").mkdir()
    for k, name in enumerate(("grasper", "bipolar", "hook")):
        shape = {"label": name, "points": [[10, 10], [30, 30]], "shape_type": "rectangle"}
        document = {"shapes": [shape], "imageHeight": 100, "imageWidth": 100}
        (tmp_path / f"truth/VID01_{k:06d}.json").write_text(json.dumps(document))
    yolo(tmp_path / "found", (0, 1, 2))
    value, said = overall(tmp_path, capsys, "detection", "--vocabulary", "cholect50")
    assert (value, "numbered" in said) == (1, False)


def test_tracks_without_a_seqinfo_have_the_classes_of_that_of_the_ground_truth(tmp_path, capsys):
    mot(tmp_path / "truth", "hook,grasper")
    mot(tmp_path / "found")
    (tmp_path / "found/v/seqinfo.ini").unlink()
    value, said = overall(tmp_path, capsys, "tracks", "--variant", "classes=averaged", value="HOTA")
    assert value == 1
    assert "seqinfo.ini are 0 hook, 1 grasper, and the numbers are read so; name them by a line classes= of <video>/seqinfo.ini" in said


def test_tracks_are_numbered_from_1_where_labels_txt_of_the_ground_truth_names_them(tmp_path, capsys):
    mot(tmp_path / "found")
    rows = (tmp_path / "found/v.txt").read_text().replace(",1,1\n", ",2,1\n").replace(",0,1\n", ",1,1\n")
    (tmp_path / "found/v.txt").write_text(rows)
    (tmp_path / "truth/v/gt").mkdir(parents=True)
    (tmp_path / "truth/v/gt/gt.txt").write_text(rows)
    (tmp_path / "truth/v/gt/labels.txt").write_text("hook\ngrasper\n")
    (tmp_path / "truth/v/seqinfo.ini").write_bytes((tmp_path / "found/v/seqinfo.ini").read_bytes())
    value, said = overall(tmp_path, capsys, "tracks", "--variant", "classes=averaged", value="HOTA")
    assert value == 1
    assert "labels.txt are 1 hook, 2 grasper, and the numbers are read so" in said


def test_tracks_whose_videos_count_classes_from_different_numbers_are_refused(tmp_path, capsys):
    for side in ("truth", "found"):
        mot(tmp_path / side)
        mot(tmp_path / side, "grasper,bipolar" if side == "truth" else "", video="w")
    (tmp_path / "truth/v.txt").unlink()
    (tmp_path / "truth/v/gt").mkdir()
    (tmp_path / "truth/v/gt/labels.txt").write_text("grasper\nbipolar\n")
    rows = (tmp_path / "found/v.txt").read_text().replace(",1,1\n", ",2,1\n").replace(",0,1\n", ",1,1\n")
    (tmp_path / "truth/v/gt/gt.txt").write_text(rows)
    assert "labels.txt has 1 grasper, 2 bipolar and" in fault(capsys, *sides(tmp_path, "tracks"))


def test_tracks_whose_videos_list_classes_otherwise_are_refused_unless_predictions_have_no_class(tmp_path, capsys):
    mot(tmp_path / "truth", "hook,grasper")
    mot(tmp_path / "truth", video="w")
    mot(tmp_path / "found")
    mot(tmp_path / "found", video="w")
    said = fault(capsys, *sides(tmp_path, "tracks"))
    assert "seqinfo.ini has 0 hook, 1 grasper and" in said
    assert "w.txt has 0 grasper, 1 bipolar" in said
    for name in "vw":
        file = tmp_path / f"found/{name}.txt"
        file.write_text("".join(",".join([*row.split(",")[:7], "-1", "1"]) + "\n" for row in file.read_text().splitlines()))
    assert overall(tmp_path, capsys, "tracks", "--variant", "classes=one", value="HOTA")[0] == 1


@pytest.mark.parametrize("names", [ALPHABETICAL, ["hook", "grasper"]])
def test_columns_of_a_matrix_are_the_listed_instruments(tmp_path, capsys, names):
    coco(tmp_path / "truth", names)
    (tmp_path / "found").mkdir()
    np.savez(tmp_path / "found/VID01.npz", scores=np.eye(len(names)) * 0.8 + 0.1)
    value, said = overall(tmp_path, capsys, "recognition")
    assert value == 1
    assert f"labels.json are 0 {names[0]}, 1 {names[1]}" in said


def test_a_matrix_with_more_columns_than_the_list_is_refused_with_the_list(tmp_path, capsys):
    coco(tmp_path / "truth", ["hook", "grasper"])
    (tmp_path / "found").mkdir()
    np.save(tmp_path / "found/VID01.npy", np.full((2, 6), 0.5))
    said = fault(capsys, *sides(tmp_path, "recognition"))
    assert "VID01.npy: 6 classes, expected 2: the classes of the ground truth in" in said
    assert "labels.json are 0 hook, 1 grasper; give one column for each of these, in this order" in said


def test_logits_below_zero_leave_classes_that_are_not_listed_behind_all_others(tmp_path, capsys):
    coco(tmp_path / "truth", ["hook", "grasper"])
    (tmp_path / "found").mkdir()
    np.save(tmp_path / "found/VID01.npy", np.array([[-1.0, -2.0], [-2.0, -1.0]]))
    assert overall(tmp_path, capsys, "recognition", "--variant", "k=1", value="accuracy")[0] == 1


def test_a_check_of_a_submission_reads_numbers_as_the_score_does(tmp_path, capsys):
    mot(tmp_path / "truth", "hook,grasper")
    mot(tmp_path / "found")
    (tmp_path / "found/v.txt").write_text("1,1,10,10,20,20,0.9,2,1\n")
    words = ["submission", "check", tmp_path / "found", "--task", "tracks", "--ground-truth", tmp_path / "truth"]
    assert main(list(map(str, words))) == 1
    said = capsys.readouterr()
    assert "class 2 is not in 0..1: the classes of the ground truth in" in said.out + said.err


TRIPLETS = ["hook,dissect,cystic_duct", "grasper,retract,gallbladder", "clipper,clip,cystic_artery"]


@pytest.mark.parametrize("form", ["yolo", "yolo-seg"])
def test_numbers_of_triplets_are_those_of_the_list_of_the_ground_truth(tmp_path, capsys, form):
    coco(tmp_path / "truth", TRIPLETS)
    yolo(tmp_path / "found", (0, 1, 2), row=ROWS[form])
    value, said = overall(tmp_path, capsys, "detection", "--predictions-from", form)
    assert value == 1
    assert "labels.json are 0 hook,dissect,cystic_duct, 1 grasper,retract,gallbladder, 2 clipper,clip,cystic_artery, and" in said
    yolo(tmp_path / "found", (3,), row=ROWS[form])
    beyond = fault(capsys, *sides(tmp_path, "detection", "--predictions-from", form))
    assert "class 3 is not in 0..2: the classes of the ground truth in" in beyond


def test_a_matrix_has_a_column_per_listed_triplet_or_those_of_the_vocabulary(tmp_path, capsys):
    coco(tmp_path / "truth", TRIPLETS)
    (tmp_path / "found").mkdir()
    np.savez(tmp_path / "found/VID01.npz", ivt=np.eye(3) * 0.8 + 0.1)
    value, said = overall(tmp_path, capsys, "recognition", "--variant", "component=ivt")
    assert (value, "labels.json are 0 hook,dissect,cystic_duct, 1 grasper" in said) == (1, True)
    whole = load("cholect50")
    scores = np.full((3, len(whole.triplets)), 0.1)
    scores[range(3), [whole.triplet_of(name) for name in TRIPLETS]] = 0.9
    (tmp_path / "found/VID01.npz").unlink()
    lines = [",".join(map(str, (frame, *row))) for frame, row in enumerate(scores.tolist())]
    (tmp_path / "found/VID01.csv").write_text("\n".join(lines) + "\n")
    value, said = overall(tmp_path, capsys, "recognition", "--variant", "component=ivt", "--vocabulary", "cholect50")
    assert (value, "numbered" in said) == (1, False)
    (tmp_path / "found/VID01.csv").unlink()
    np.save(tmp_path / "found/VID01.npy", np.full((3, 4), 0.5))
    assert "VID01.npy: 4 classes, expected 3: the classes of the ground truth" in fault(capsys, *sides(tmp_path, "recognition"))


def test_a_list_of_triplets_says_nothing_of_the_instruments_of_tracks(tmp_path, capsys):
    coco(tmp_path / "truth", TRIPLETS[:2], video="v")
    document = json.loads((tmp_path / "truth/labels.json").read_text())
    for one in document["annotations"]:
        one["track_id"] = 1 + one["id"]
    (tmp_path / "truth/labels.json").write_text(json.dumps(document))
    mot(tmp_path / "found")
    (tmp_path / "found/v.txt").write_text("1,1,10,10,20,20,1,2,1\n2,2,10,10,20,20,1,0,1\n")
    value, said = overall(tmp_path, capsys, "tracks", "--variant", "classes=averaged", value="HOTA")
    assert (value, "numbered" in said) == (1, False)


def test_only_the_lists_of_videos_that_count_say_what_numbers_mean(tmp_path, capsys):
    coco(tmp_path / "truth", ["hook", "grasper"], file="a.json")
    coco(tmp_path / "truth", ["grasper", "hook", "clipper"], video="VID02", file="b.json")
    yolo(tmp_path / "found", (0, 1))
    (tmp_path / "only.txt").write_text("VID01\n")
    value, said = overall(tmp_path, capsys, "detection", "--videos", tmp_path / "only.txt")
    assert value == 1
    assert "a.json are 0 hook, 1 grasper, and the numbers are read so" in said
    for file in (tmp_path / "found").iterdir():
        file.unlink()
    np.savez(tmp_path / "found/VID02.npz", i=np.eye(3))
    (tmp_path / "only.txt").write_text("VID02\n")
    value, said = overall(tmp_path, capsys, "recognition", "--videos", tmp_path / "only.txt")
    assert (value, "b.json are 0 grasper, 1 hook, 2 clipper" in said) == (1, True)


def test_tracks_of_videos_that_count_and_list_nothing_are_numbered_by_the_vocabulary(tmp_path, capsys):
    mot(tmp_path / "truth", "hook,grasper", video="w")
    mot(tmp_path / "truth")
    mot(tmp_path / "found")
    (tmp_path / "found/v/seqinfo.ini").unlink()
    (tmp_path / "only.txt").write_text("v\n")
    more = ("--videos", tmp_path / "only.txt", "--variant", "classes=averaged")
    value, said = overall(tmp_path, capsys, "tracks", *more, value="HOTA")
    assert (value, "numbered" in said) == (1, False)
    words = ["submission", "check", tmp_path / "found", "--task", "tracks", "--ground-truth", tmp_path / "truth"]
    assert main(list(map(str, [*words, "--videos", tmp_path / "only.txt"]))) == 0


def box(x):
    return {"bbox": [x, 10, 20, 20], "segmentation": [[x, 10, x + 20, 10, x + 20, 30, x, 30]], "track_id": 1}


def segmented(folder, names, shift=0):
    """Masked boxes of tracks of two classes in turn, in frames 0 to 5, and their COCO results, so many px to the right."""
    coco(folder / "truth", names)
    labels = json.loads((folder / "truth" / "labels.json").read_text())
    size = {"width": 100, "height": 100}
    labels["images"] = [{"id": k, "file_name": f"VID01_{k:06d}.jpg", **size} for k in range(6)]
    ids = [{"image_id": k, "category_id": 1 + k % len(names)} for k in range(6)]
    labels["annotations"] = [{"id": k, **one, **box(10)} for k, one in enumerate(ids)]
    (folder / "truth" / "labels.json").write_text(json.dumps(labels))
    (folder / "found").mkdir(exist_ok=True)
    return [{**one, **box(10 + shift), "score": 0.9} for one in ids]


OF_ABSENT = {
    "Brier score": ("recognition", "--variant", "kind=calibration", "component=i"),
    "recognition AP": ("recognition", "--semantics", "compat", "--variant", "component=i", "scikit-learn=>=1.6"),
    "segmentation score": ("detection", "--semantics", "compat", "--variant", "program=SAR_RARP50-evaluation"),
    "IDF1": ("tracks", "--semantics", "compat", "--variant", "classes=averaged"),
}


@pytest.mark.parametrize("value", OF_ABSENT)
def test_what_a_vocabulary_has_beyond_the_list_of_the_files_counts_only_where_somebody_names_it(tmp_path, capsys, value):
    def score(names, *more):
        found = segmented(tmp_path, names, shift=4)
        if OF_ABSENT[value][0] == "recognition":
            np.savez(tmp_path / "found" / "VID01.npz", frame=np.arange(6), i=np.random.default_rng(1).random((6, 2)))
        else:
            (tmp_path / "found" / "results.json").write_text(json.dumps(found))
        return overall(tmp_path, capsys, *OF_ABSENT[value], *more, value=value)[0]

    assert score(["grasper", "hook"]) == score(["hook", "grasper"]) == score(["this one", "that one"])
    named = score(["grasper", "hook"], "--vocabulary", "cholect50")
    assert named != score(["grasper", "hook"])
    of_six = ["grasper", "hook", "bipolar", "scissors", "clipper", "irrigator"]
    if OF_ABSENT[value][0] != "recognition":
        found = segmented(tmp_path, ["grasper", "hook"], shift=4)
        labels = json.loads((tmp_path / "truth" / "labels.json").read_text())
        labels["categories"] = [{"id": id_, "name": name} for id_, name in enumerate(of_six, 1)]
        (tmp_path / "truth" / "labels.json").write_text(json.dumps(labels))
        (tmp_path / "found" / "results.json").write_text(json.dumps(found))
        assert overall(tmp_path, capsys, *OF_ABSENT[value], value=value)[0] == named


@pytest.mark.parametrize("is_right", [True, False])
@pytest.mark.parametrize("value", OF_ABSENT)
def test_a_class_that_only_predictions_have_is_false_and_leaves_all_runs_the_same_classes(tmp_path, capsys, value, is_right):
    names, found = ["grasper", "hook", "clipper"], segmented(tmp_path, ["grasper", "hook"], shift=4)
    document = json.loads((tmp_path / "truth" / "labels.json").read_text())
    document["categories"] = [{"id": id_, "name": name} for id_, name in enumerate(names, 1)]
    right = found if is_right else [{**found[0], **box(60), "score": 0.05}]
    invented = {**found[1], **box(60), "category_id": 3, "track_id": 9, "score": 0.05}
    values, said = [], ""
    for rows in (right, [*right, invented]):
        document["annotations"] = [{**one, "id": id_} for id_, one in enumerate(rows)]
        (tmp_path / "found" / "labels.json").write_text(json.dumps(document))
        one, said = overall(tmp_path, capsys, *OF_ABSENT[value], value=value)
        values.append(one)
        (tmp_path / f"run{len(values)}").mkdir()
        (tmp_path / f"run{len(values)}" / "labels.json").write_text(json.dumps(document))
    # Zeros of a class that is never there are all that an average precision could have of it.
    is_worse = {"Brier score": values[1] > values[0], "segmentation score": 0 < values[1] < values[0]}
    assert is_worse.get(value, values[1] == values[0])
    # TrackEval is given the classes of the labels.
    says = "the published program does not see what is predicted of them, except with classes=one" if value == "IDF1" else "is false"
    assert f"{says}: 'clipper'; correct" in said
    runs = [tmp_path / "run1", tmp_path / "run2"]
    good(capsys, OF_ABSENT[value][0], "--ground-truth", tmp_path / "truth", "--predictions", *runs, *OF_ABSENT[value][1:])


def test_the_error_of_a_class_that_only_predictions_have_is_added(tmp_path, capsys):
    segmented(tmp_path, ["grasper", "hook"])
    yolo(tmp_path / "found", [0] * 6, names=["clipper"])
    # Half of the labels of two classes are missed, and the clipper is false with its confidence of 0.9.
    assert overall(tmp_path, capsys, *OF_ABSENT["Brier score"], value="Brier score")[0] == pytest.approx((0.5 + 0.5 + 0.81) / 2)
    assert overall(tmp_path, capsys, *OF_ABSENT["Brier score"], value="ECE")[0] == pytest.approx((0.5 + 0.5 + 0.9) / 2)
    _, said = overall(tmp_path, capsys, *OF_ABSENT["Brier score"], "--vocabulary", "cholect50", value="ECE")
    assert "clipper" not in said


def test_lists_of_triplets_have_their_parts_and_lists_of_instruments_only_instruments():
    vocabulary = load("cholect50")
    instrument, verb, target = vocabulary.triplets[30]
    lists = [ClassList("a", (30,), triplets=True), ClassList("b", (5,))]
    there = {name: taking_part(lists, vocabulary, name, [0], 100) for name in ("i", "v", "t", "ivt")}
    assert there == {"i": tuple(sorted({0, instrument, 5})), "v": tuple(sorted({0, verb})), "t": tuple(sorted({0, target})), "ivt": (0, 30)}
    assert taking_part([], vocabulary, "v", [0], 3) == (0, 1, 2)
