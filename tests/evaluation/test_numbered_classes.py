"""Predictions that number classes and do not name them: the numbers are those of the ground truth's own list, if it has one."""

import json

import numpy as np
import pytest

from score_runs import fault, put, results, sides
from scrubin.base.vocabulary.vocabulary import load
from scrubin.cli import main
from scrubin.evaluate.side import taking_part
from scrubin.labels.model import ClassList

ALPHABETICAL = ["bipolar", "clipper", "grasper", "hook", "irrigator", "scissors"]
SHARES = (0.2, 0.2, 0.2, 0.2)


def coco(folder, names, ids=None, video="VID01", file="labels.json"):
    """A box of each class, class k in frame k."""
    ids = ids or range(1, len(names) + 1)
    document = {
        "images": [{"id": k, "file_name": f"{video}_{k:06d}.jpg", "width": 100, "height": 100} for k in range(len(names))],
        "annotations": [{"id": k + 1, "image_id": k, "category_id": id_, "bbox": [10, 10, 20, 20]} for k, id_ in enumerate(sorted(ids))],
        "categories": [{"id": id_, "name": name} for id_, name in zip(ids, names, strict=True)],
    }
    put(folder.parent, **{folder.name: {file: document}})


def yolo(folder, classes, names=None, row=SHARES, video="VID01"):
    folder.mkdir(exist_ok=True)
    for k, class_ in enumerate(classes):
        (folder / f"{video}_{k:06d}.txt").write_text(" ".join(map(str, (class_, *row, 0.9))) + "\n")
    if names:
        (folder / "data.yaml").write_text(f"names: [{', '.join(names)}]\n")


def overall(study, capsys, metric, *more, value="AP"):
    found, said = results(capsys, study, metric, more=more)
    return next(one["overall"]["value"] for one in found if one["metric"].endswith(value)), said


def perfect(study, capsys, metric, *more, value="AP", said=""):
    """A run whose value is 1, and which says of numbers just this, or nothing."""
    found, told = overall(study, capsys, metric, *more, value=value)
    assert found == 1
    assert said in told
    assert said or "numbered" not in told


def mot(folder, classes="", video="v", order=(0, 1)):
    (folder / video).mkdir(parents=True, exist_ok=True)
    rows = [f"{frame},{id_ + 1},{10 + 40 * id_},10,20,20,1,{id_},1" for frame in (1, 2) for id_ in order]
    (folder / f"{video}.txt").write_text("\n".join(rows) + "\n")
    listed = f"classes={classes}\n" if classes else ""
    (folder / video / "seqinfo.ini").write_text(f"[Sequence]\nseqLength=2\nimWidth=100\nimHeight=100\n{listed}")


AVERAGED = ("--variant", "classes=averaged")
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
    perfect(tmp_path, capsys, "detection")


def test_names_of_predictions_count_before_the_list_of_the_ground_truth(tmp_path, capsys):
    coco(tmp_path / "truth", ["hook", "grasper"])
    yolo(tmp_path / "found", (1, 0), names=["grasper", "hook"])
    perfect(tmp_path, capsys, "detection")


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
    shapes = [[{"label": name, "points": [[10, 10], [30, 30]], "shape_type": "rectangle"}] for name in ("grasper", "bipolar", "hook")]
    documents = {f"VID01_{k:06d}.json": {"shapes": of, "imageHeight": 100, "imageWidth": 100} for k, of in enumerate(shapes)}
    yolo(put(tmp_path, truth=documents) / "found", (0, 1, 2))
    perfect(tmp_path, capsys, "detection", "--vocabulary", "cholect50")


def test_tracks_without_a_seqinfo_have_the_classes_of_that_of_the_ground_truth(tmp_path, capsys):
    mot(tmp_path / "truth", "hook,grasper")
    mot(tmp_path / "found")
    (tmp_path / "found/v/seqinfo.ini").unlink()
    said = "seqinfo.ini are 0 hook, 1 grasper, and the numbers are read so; name them by a line classes= of <video>/seqinfo.ini"
    perfect(tmp_path, capsys, "tracks", *AVERAGED, value="HOTA", said=said)


def with_labels_txt(tmp_path, names):
    """Take what is found for the ground truth, with classes from 1 on that labels.txt names."""
    rows = (tmp_path / "found/v.txt").read_text().replace(",1,1\n", ",2,1\n").replace(",0,1\n", ",1,1\n")
    put(tmp_path, truth={"v/gt/gt.txt": rows, "v/gt/labels.txt": "".join(f"{name}\n" for name in names)})
    return rows


def test_tracks_are_numbered_from_1_where_labels_txt_of_the_ground_truth_names_them(tmp_path, capsys):
    mot(tmp_path / "found")
    rows = with_labels_txt(tmp_path, ["hook", "grasper"])
    put(tmp_path, found={"v.txt": rows}, truth={"v/seqinfo.ini": (tmp_path / "found/v/seqinfo.ini").read_bytes()})
    said = "labels.txt are 1 hook, 2 grasper, and the numbers are read so"
    perfect(tmp_path, capsys, "tracks", *AVERAGED, value="HOTA", said=said)


def test_tracks_whose_videos_count_classes_from_different_numbers_are_refused(tmp_path, capsys):
    for side in ("truth", "found"):
        mot(tmp_path / side)
        mot(tmp_path / side, "grasper,bipolar" if side == "truth" else "", video="w")
    (tmp_path / "truth/v.txt").unlink()
    with_labels_txt(tmp_path, ["grasper", "bipolar"])
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
    put(tmp_path, found={"VID01.npz": {"scores": np.eye(len(names)) * 0.8 + 0.1}})
    perfect(tmp_path, capsys, "recognition", said=f"labels.json are 0 {names[0]}, 1 {names[1]}")


def test_logits_below_zero_leave_classes_that_are_not_listed_behind_all_others(tmp_path, capsys):
    coco(tmp_path / "truth", ["hook", "grasper"])
    put(tmp_path, found={"VID01.npy": np.array([[-1.0, -2.0], [-2.0, -1.0]])})
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
    said = "labels.json are 0 hook,dissect,cystic_duct, 1 grasper,retract,gallbladder, 2 clipper,clip,cystic_artery, and"
    perfect(tmp_path, capsys, "detection", "--predictions-from", form, said=said)
    yolo(tmp_path / "found", (3,), row=ROWS[form])
    beyond = fault(capsys, *sides(tmp_path, "detection", "--predictions-from", form))
    assert "class 3 is not in 0..2: the classes of the ground truth in" in beyond


def test_a_matrix_has_a_column_per_listed_triplet_or_those_of_the_vocabulary(tmp_path, capsys):
    coco(tmp_path / "truth", TRIPLETS)
    of_triplets = ("recognition", "--variant", "component=ivt")
    put(tmp_path, found={"VID01.npz": {"ivt": np.eye(3) * 0.8 + 0.1}})
    perfect(tmp_path, capsys, *of_triplets, said="labels.json are 0 hook,dissect,cystic_duct, 1 grasper")
    (tmp_path / "found/VID01.npz").unlink()
    whole = load("cholect50")
    scores = np.full((3, len(whole.triplets)), 0.1)
    scores[range(3), [whole.triplet_of(name) for name in TRIPLETS]] = 0.9
    put(tmp_path, found={"VID01.csv": "".join(",".join(map(str, (frame, *row))) + "\n" for frame, row in enumerate(scores.tolist()))})
    perfect(tmp_path, capsys, *of_triplets, "--vocabulary", "cholect50")
    (tmp_path / "found/VID01.csv").unlink()
    put(tmp_path, found={"VID01.npy": np.full((3, 5), 0.5)})
    said = fault(capsys, *sides(tmp_path, "recognition"))
    assert "VID01.npy: 5 classes, expected 3: the classes of the ground truth in" in said
    assert f"labels.json are 0 {TRIPLETS[0]}, 1 {TRIPLETS[1]}, 2 {TRIPLETS[2]}; give one column for each of these, in this order" in said


def test_a_list_of_triplets_says_nothing_of_the_instruments_of_tracks(tmp_path, capsys):
    coco(tmp_path / "truth", TRIPLETS[:2], video="v")
    document = json.loads((tmp_path / "truth/labels.json").read_text())
    document["annotations"] = [{**one, "track_id": 1 + one["id"]} for one in document["annotations"]]
    mot(put(tmp_path, truth={"labels.json": document}) / "found")
    put(tmp_path, found={"v.txt": "1,1,10,10,20,20,1,2,1\n2,2,10,10,20,20,1,0,1\n"})
    perfect(tmp_path, capsys, "tracks", *AVERAGED, value="HOTA")


def test_only_the_lists_of_videos_that_count_say_what_numbers_mean(tmp_path, capsys):
    coco(tmp_path / "truth", ["hook", "grasper"], file="a.json")
    coco(tmp_path / "truth", ["grasper", "hook", "clipper"], video="VID02", file="b.json")
    yolo(tmp_path / "found", (0, 1))
    only = tmp_path / "only.txt"
    only.write_text("VID01\n")
    said = "a.json are 0 hook, 1 grasper, and the numbers are read so"
    perfect(tmp_path, capsys, "detection", "--videos", only, said=said)
    for file in (tmp_path / "found").iterdir():
        file.unlink()
    put(tmp_path, found={"VID02.npz": {"i": np.eye(3)}})
    only.write_text("VID02\n")
    perfect(tmp_path, capsys, "recognition", "--videos", only, said="b.json are 0 grasper, 1 hook, 2 clipper")


def test_tracks_of_videos_that_count_and_list_nothing_are_numbered_by_the_vocabulary(tmp_path, capsys):
    mot(tmp_path / "truth", "hook,grasper", video="w")
    mot(tmp_path / "truth")
    mot(tmp_path / "found")
    (tmp_path / "found/v/seqinfo.ini").unlink()
    (tmp_path / "only.txt").write_text("v\n")
    perfect(tmp_path, capsys, "tracks", "--videos", tmp_path / "only.txt", *AVERAGED, value="HOTA")
    words = ["submission", "check", tmp_path / "found", "--task", "tracks", "--ground-truth", tmp_path / "truth"]
    assert main(list(map(str, [*words, "--videos", tmp_path / "only.txt"]))) == 0


def box(x):
    return {"bbox": [x, 10, 20, 20], "segmentation": [[x, 10, x + 20, 10, x + 20, 30, x, 30]], "track_id": 1}


def segmented(folder, names, shift=0, listed=None):
    """Masked boxes of tracks of two classes in turn, in frames 0 to 5, and their COCO results, so many px to the right."""
    ids = [{"image_id": k, "category_id": 1 + k % len(names)} for k in range(6)]
    labels = {
        "images": [{"id": k, "file_name": f"VID01_{k:06d}.jpg", "width": 100, "height": 100} for k in range(6)],
        "annotations": [{"id": k, **one, **box(10)} for k, one in enumerate(ids)],
        "categories": [{"id": id_, "name": name} for id_, name in enumerate(listed or names, 1)],
    }
    put(folder, truth={"labels.json": labels}, found={})
    return [{**one, **box(10 + shift), "score": 0.9} for one in ids]


OF_ABSENT = {
    "Brier score": ("recognition", "--variant", "kind=calibration", "component=i"),
    "recognition AP": ("recognition", "--semantics", "compat", "--variant", "component=i", "scikit-learn=>=1.6"),
    "segmentation score": ("detection", "--semantics", "compat", "--variant", "program=SAR_RARP50-evaluation", "confidence=0"),
    "IDF1": ("tracks", "--semantics", "compat", "--variant", "classes=averaged"),
}


@pytest.mark.parametrize("value", OF_ABSENT)
def test_what_a_vocabulary_has_beyond_the_list_of_the_files_counts_only_where_somebody_names_it(tmp_path, capsys, value):
    is_matrix = OF_ABSENT[value][0] == "recognition"

    def score(names, *more, listed=None):
        found = {"results.json": segmented(tmp_path, names, 4, listed)}
        if is_matrix:
            found = {"VID01.npz": {"frame": np.arange(6), "i": np.random.default_rng(1).random((6, 2))}}
        return overall(put(tmp_path, found=found), capsys, *OF_ABSENT[value], *more, value=value)[0]

    by_list = score(["grasper", "hook"])
    assert by_list == score(["hook", "grasper"]) == score(["this one", "that one"])
    named = score(["grasper", "hook"], "--vocabulary", "cholect50")
    assert named != by_list
    of_six = ["grasper", "hook", "bipolar", "scissors", "clipper", "irrigator"]
    assert is_matrix or score(["grasper", "hook"], listed=of_six) == named


@pytest.mark.parametrize("is_right", [True, False])
@pytest.mark.parametrize("value", OF_ABSENT)
def test_a_class_that_only_predictions_have_is_false_and_leaves_all_runs_the_same_classes(tmp_path, capsys, value, is_right):
    found = segmented(tmp_path, ["grasper", "hook"], shift=4)
    document = json.loads((tmp_path / "truth" / "labels.json").read_text())
    document["categories"] = [{"id": id_, "name": name} for id_, name in enumerate(["grasper", "hook", "clipper"], 1)]
    right = found if is_right else [{**found[0], **box(60), "score": 0.05}]
    invented = {**found[1], **box(60), "category_id": 3, "track_id": 9, "score": 0.05}
    values, runs, said = [], [tmp_path / "run1", tmp_path / "run2"], ""
    for run, rows in zip(runs, (right, [*right, invented]), strict=True):
        document["annotations"] = [{**one, "id": id_} for id_, one in enumerate(rows)]
        put(tmp_path, **{folder: {"labels.json": document} for folder in ("found", run.name)})
        one, said = overall(tmp_path, capsys, *OF_ABSENT[value], value=value)
        values.append(one)
    # Zeros of a class that is never there are all that an average precision could have of it.
    is_worse = {"Brier score": values[1] > values[0], "segmentation score": 0 < values[1] < values[0]}
    assert is_worse.get(value, values[1] == values[0])
    # TrackEval is given the classes of the labels.
    says = "the published program does not see what is predicted of them, except with classes=one" if value == "IDF1" else "is false"
    assert f"{says}: 'clipper'; correct" in said
    metric, *more = OF_ABSENT[value]
    results(capsys, tmp_path, metric, more=("--predictions", *runs, *more))


OF_MASKS = {
    "kind=pixels empty=left-out": "pixels Dice",
    "kind=pixels empty=counted": "pixels Dice",
    "kind=masks": "panoptic quality",
    "program=ISINet": "pixels IoU",
}


@pytest.mark.parametrize("variant", OF_MASKS)
def test_a_class_of_pixels_that_no_label_has_makes_no_score_higher_and_is_named_also_where_files_list_it(tmp_path, capsys, variant):
    shift = 4 if variant == "kind=masks" else 18  # a quality of 0 cannot become less
    found = segmented(tmp_path, ["grasper", "hook"], shift, listed=["grasper", "hook", "clipper"])
    invented = {**found[1], **box(70), "category_id": 3, "track_id": 2}
    more = (*(("--semantics", "compat") if "program" in variant else ()), "--variant", *variant.split(), "component=i")

    def scores(*rows):
        put(tmp_path, found={"results.json": list(rows)})
        every, said = results(capsys, tmp_path, "detection", more=more)
        return [one["overall"]["value"] for one in every if one["metric"] == OF_MASKS[variant]], said

    (before, silent), (after, said) = scores(*found), scores(*found, invented)
    assert all(one <= other for one, other in zip(after, before, strict=True))
    assert after != before
    assert "what is predicted of them is false: 'clipper'; correct what is one of theirs, or leave it out" in said
    assert "clipper" not in silent
    assert "clipper" not in scores(*found, {**invented, "score": 0.1})[1] or "program" in variant


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
