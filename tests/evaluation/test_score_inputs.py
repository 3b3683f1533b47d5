"""The command on unusual and bad input: a number, or one clear sentence and exit code 1."""

import itertools
import json
import shutil

import numpy as np
import pytest

from score_runs import fault, good, put, results, sides
from scrubin.base.text import csv_text
from scrubin.evaluate import selection


@pytest.fixture
def study(tmp_path):
    """Two videos of triplets: labels and the same as predictions."""
    rng = np.random.default_rng(3)
    for name, frames in (("VID01", 12), ("VID02", 1)):
        put(tmp_path, truth={f"{name}.npz": {"targets": (rng.random((frames, 100)) < 0.1).astype(int)}})
        put(tmp_path, found={f"{name}.npy": rng.random((frames, 100))})
    return tmp_path


def recognition(study, *more):
    return sides(study, "recognition", *more)


def test_a_video_that_is_not_predicted_is_named_with_the_one_that_it_may_be(study, capsys):
    (study / "found/VID02.npy").rename(study / "found/video2.npy")
    assert "VID02: the video is not predicted; is it video2? name it as in the ground truth" in fault(capsys, *recognition(study))


def test_frames_and_videos_without_label_do_not_count_and_are_told(study, capsys):
    before = good(capsys, *recognition(study)).out
    np.save(study / "found/VID01.npy", np.concatenate([np.load(study / "found/VID01.npy"), np.ones((2, 100))]))
    np.save(study / "found/VID03.npy", np.ones((2, 100)))
    said = good(capsys, *recognition(study))
    assert said.out == before
    assert "VID03.npy: the video has no ground truth, so it does not count" in said.err
    assert "VID01.npy, frames 12-13: not labelled, so not counted (2 frames)" in said.err


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.zeros((12, 94)), "94 classes, expected 100 triplets or 6 instruments of 'cholect50' in their order"),
        (np.zeros((12, 101)), "is the first column the frame?"),
        (np.full((12, 100), np.nan), "frames 0-11: a score is not finite (first: class 0 of frame 0 is nan)"),
        (np.zeros(12), "the matrix has the shape (12,)"),
        (b"PK nonsense", "VID01.npy: cannot be read as npy"),
    ],
)
def test_matrices_that_cannot_be_scored_are_refused(study, capsys, values, expected):
    np.save(study / "found/VID01.npy", values)
    if isinstance(values, bytes):
        (study / "found/VID01.npy").write_bytes(values)
    assert expected in fault(capsys, *recognition(study))


def test_matrices_as_csv_with_and_without_header_are_the_same(study, capsys):
    expected = good(capsys, *recognition(study)).out
    for name in ("VID01", "VID02"):
        scores = np.load(study / f"found/{name}.npy")
        (study / f"found/{name}.npy").unlink()
        rows = [",".join([str(frame), *map(repr, row)]) for frame, row in enumerate(scores.tolist())]
        header = [",".join(["frame", *(f"ivt_{k}" for k in range(100))])] if name == "VID01" else []
        (study / f"found/{name}.csv").write_text("\n".join([*header, *rows]) + "\n")
    assert good(capsys, *recognition(study)).out == expected


@pytest.mark.parametrize(
    ("head", "cells", "place"),
    [
        (",".join(["frame", *(f"ivt_{k}" for k in range(100))]) + "\n", '0,"0,5"' + ",0.5" * 99, "row 2, column ivt_0"),
        ("", '"0,5"' + ",0.5" * 99, "row 1, column 0"),
        ("", "0,5" + ";0.5" * 99, "row 1, column 0"),
        (";".join(["frame", *(f"ivt_{k}" for k in range(100))]) + "\n", "0;0,5" + ";0.5" * 99, "row 2, column ivt_0"),
    ],
)
def test_a_decimal_comma_in_a_matrix_is_named_with_its_cell(study, capsys, head, cells, place):
    (study / "found/VID01.npy").unlink()
    (study / "found/VID02.npy").unlink()
    (study / "found/VID01.csv").write_text(f"{head}{cells}\n")
    said = fault(capsys, *recognition(study, "--predictions-from", "matrices"))
    assert f"VID01.csv, {place}: '0,5' is no number; write decimal points and no thousands separators" in said


def test_a_class_without_positives_is_undefined_and_not_zero(study, capsys):
    (result, *_), _ = results(capsys, study, "recognition", "scope=global", "component=ivt")
    absent = [one for one in result["classes"].values() if one["n"] == 0]
    assert absent
    assert all(one["value"] is None for one in absent)
    assert result["overall"]["n"] == 100 - len(absent)


@pytest.mark.parametrize(
    ("split", "subset", "videos"),
    [
        ("id;split\nVID01;test\nVID02;train\n", "test", {"VID01"}),
        ("fold,id,subset\n0,VID01,test\n0,VID02,train\n1,VID01,train\n1,VID02,test\n", "1/test", {"VID02"}),
        # As in `splits check`, two spellings of a subset are one.
        *(("id,split\nVID01,test\nVID02,Test\n", asked, {"VID01", "VID02"}) for asked in ("test", "Test", "testing")),
    ],
)
def test_only_the_videos_of_a_subset_count(study, capsys, split, subset, videos):
    (study / "split.csv").write_text(split)
    found, _ = results(capsys, study, "recognition", more=("--videos", study / "split.csv", "--subset", subset))
    assert set(found[0]["videos"]) == videos


def test_names_of_videos_can_be_typed_as_for_a_ranking_and_one_that_is_not_there_is_refused(study, capsys):
    found, _ = results(capsys, study, "recognition", more=("--videos", "VID02"))
    assert set(found[0]["videos"]) == {"VID02"}
    found, _ = results(capsys, study, "recognition", more=("--videos", "VID01,VID02"))
    assert set(found[0]["videos"]) == {"VID01", "VID02"}
    said = fault(capsys, *recognition(study, "--videos", "VID01,VID20"))
    assert "--videos VID01,VID20: the ground truth has no video 'VID20'; did you mean 'VID01'?" in said
    many = ",".join(["VID01", *(f"VID{number}" for number in range(100, 200))])
    assert "has no video 'VID100'" in fault(capsys, *recognition(study, "--videos", many))


def test_repeated_runs_give_mean_and_deviation(study, capsys):
    variant = ("component=ivt", "null=counted", "k=5")
    runs, _ = results(capsys, study, "recognition", *variant, more=("--predictions", study / "found", study / "found"))
    by_run = {(one["metric"], one["options"].get("scope"), one["options"]["runs"]): one["overall"]["value"] for one in runs}
    assert by_run["triplet recognition AP", "global", "SD, corrected"] == 0
    (alone,) = [one for one in results(capsys, study, "recognition", *variant)[0] if one["options"].get("scope") == "global"]
    assert by_run["triplet recognition AP", "global", "mean"] == alone["overall"]["value"]


def test_the_best_classes_of_several_runs_are_those_of_their_mean(study, capsys):
    truth = ("recognition", "--ground-truth", study / "truth", "--predictions", study / "found")
    alone = good(capsys, *truth).out.partition("best classes")[2].splitlines()
    repeated = good(capsys, *truth, study / "found").out.partition("best classes")[2].splitlines()
    assert [line.split()[0] for line in repeated] == [line.split()[0] for line in alone]
    assert float(alone[1].split()[0]) > 0


def test_an_ensemble_of_equal_models_is_the_model(study, capsys):
    truth = ("recognition", "--ground-truth", study / "truth")
    alone = good(capsys, *truth, "--predictions", study / "found").out
    for how in (["mean"], ["weighted", "--weights", "1", "3"], ["soft-vote"]):
        said = good(capsys, *truth, "--predictions", study / "found", study / "found", "--ensemble", *how)
        assert said.out == alone
        assert f"scored is one ensemble ({how[0]}) of 2 models" in said.err


@pytest.fixture
def models(study):
    """A second model beside the first one."""
    rng = np.random.default_rng(4)
    return put(study, other={"VID01.npy": rng.random((12, 100)), "VID02.npy": rng.random((1, 100))})


def ensemble(models, *how):
    return ("recognition", "--ground-truth", models / "truth", "--predictions", models / "found", models / "other", "--ensemble", *how)


@pytest.mark.parametrize("how", [["mean"], ["weighted", "--weights", "1", "3"], ["soft-vote"]])
def test_what_a_model_of_an_ensemble_predicts_without_a_label_does_not_count_and_is_told(models, capsys, how):
    before = good(capsys, *ensemble(models, *how)).out
    # Not even its scores: 7 is no probability.
    np.save(models / "other/VID01.npy", np.concatenate([np.load(models / "other/VID01.npy"), np.full((2, 100), 7.0)]))
    np.save(models / "found/VID03.npy", np.ones((2, 100)))
    said = good(capsys, *ensemble(models, *how))
    assert said.out == before
    assert f"VID01.npy, frames 12-13: model 2 ({models / 'other'}): not labelled, so not counted (2 frames)" in said.err
    assert f"VID03.npy: model 1 ({models / 'found'}): the video has no ground truth, so it does not count" in said.err


def test_models_whose_numbers_of_frames_differ_by_a_whole_factor_may_be_at_other_rates(models, capsys):
    said = "12 of model 1"
    assert said not in good(capsys, *ensemble(models, "mean")).err
    every = np.load(models / "other/VID01.npy")
    tripled = ensemble(models, "mean")
    np.save(models / "other/VID01.npy", np.repeat(every, 3, axis=0))
    assert "the predictions go on 3 times as far as the labels" in fault(capsys, *tripled)
    assert said not in good(capsys, *tripled, "--fps", "1", "--predictions-fps", "1").err
    # A video by itself may be one of which only a part is labelled.
    np.save(models / "other/VID01.npy", every)
    for video, folder in itertools.product(("VID04", "VID05", "VID06"), ("truth", "found", "other")):
        (same,) = (models / folder).glob("VID01.*")
        shutil.copy(same, same.with_stem(video))
    # Also from the first frame to the last one, and where the film ends between two.
    for frames, about in ((36, ""), (34, "about "), (37, "about ")):
        np.save(models / "other/VID01.npy", np.repeat(every, 4, axis=0)[:frames])
        told = f"VID01.npy: model 2 ({models / 'other'}): has {frames} frames of the video VID01, {about}3 times the {said} ("
        assert told in good(capsys, *ensemble(models, "mean")).err
    np.save(models / "other/VID01.npy", np.concatenate([every, every[:5]]))
    assert said not in good(capsys, *ensemble(models, "mean")).err


def test_a_labelled_frame_that_a_model_of_an_ensemble_lacks_is_told_with_model_file_and_frame(models, capsys):
    np.save(models / "other/VID01.npy", np.load(models / "other/VID01.npy")[:-1])
    said = fault(capsys, *ensemble(models, "mean"))
    assert f"VID01.npy, frame 11: model 2 ({models / 'other'}): labelled, but not predicted" in said
    (models / "found/VID02.npy").unlink()
    assert f"VID02: model 1 ({models / 'found'}): the video is not predicted" in fault(capsys, *ensemble(models, "mean"))


def test_a_score_that_no_ensemble_can_have_is_told_with_model_file_frame_and_class(models, capsys):
    scores = np.load(models / "other/VID01.npy")
    scores[3, 17] = 1.5
    np.save(models / "other/VID01.npy", scores)
    said = fault(capsys, *ensemble(models, "mean"))
    told = f"VID01.npy, frame 3: model 2 ({models / 'other'}): the score of class 17 ('grasper,retract,gallbladder') is 1.5; scores of"
    assert told in said


@pytest.mark.parametrize(("weights", "given"), [([], "0 weights"), (["--weights", "1"], "1 weight")])
def test_an_ensemble_by_weights_asks_for_weights(models, capsys, weights, given):
    said = fault(capsys, *ensemble(models, "weighted", *weights), code=2)
    assert f"--ensemble weighted has 2 models and {given}: give one per model by --weights" in said


@pytest.mark.parametrize("delimiter", csv_text.DELIMITERS)
def test_a_split_has_any_delimiter_and_a_list_has_none(study, capsys, delimiter):
    (study / "split.csv").write_text("\ufeffID,Split\nVID01,test\nVID02,train\n".replace(",", delimiter), "utf-8")
    assert selection.read(study / "split.csv", "test") == {"VID01": 2}
    (study / "list.txt").write_text("\n VID02 \n\nVID01\n")
    assert selection.read(study / "list.txt", None) == {"VID02": 2, "VID01": 4}


@pytest.mark.parametrize(
    ("text", "subset", "expected"),
    [
        ("id,split\nVID01,test\nVID02\n", "test", "videos.csv, line 3: expected 2 cells, but got 1"),
        ("id,split\n,test\n", "test", "videos.csv, line 2: the cell 'id' is empty; name the video, or remove the row"),
        ("video,split\nVID01,test\n", "test", "videos.csv, line 1: column 'id' is missing; add it; there are video, split"),
        ("VID01,test\nVID02,train\n", None, "videos.csv, line 1: expected the name of a video, but got 2 cells; write one name per line"),
        ("VID01\n", "test", "videos.csv: there is no column 'split', so no subset 'test'; leave --subset out"),
        ("id\nVID01\n", "test", "videos.csv: there is no column 'split', so no subset 'test'; leave --subset out"),
        ("id,split\n", "test", "videos.csv: no video is listed in the subset 'test'; give a list of videos or a split"),
        ("id;split\nVID01;test\n", "val", "no video is listed in the subset 'val'"),
        ("id;split\nVID01;test\nVID02;train\n", None, "lists the subsets test, train; name one by --subset"),
        ("", None, "videos.csv: it is empty"),
        (None, None, "videos.csv: there is no such file; give a list of videos or a split"),
    ],
)
def test_a_list_of_videos_that_cannot_be_used_is_refused_with_its_line(study, capsys, text, subset, expected):
    if text is not None:
        (study / "videos.csv").write_text(text)
    more = ("--subset", subset) if subset else ()
    assert expected in fault(capsys, *recognition(study, "--videos", study / "videos.csv", *more))


def test_intervals_hold_the_value_when_videos_agree(study, capsys):
    found, _ = results(capsys, study, "recognition", "k=5", "component=i", more=("--bootstrap", "30"))
    assert all(one["interval"]["low"]["value"] <= one["interval"]["high"]["value"] for one in found)
    assert "30 draws" in found[0]["interval"]["variant"]


def test_scores_of_different_variants_are_not_compared(study, capsys):
    good(capsys, *recognition(study, "--out", study / "one.json", "--variant", "component=i", "scope=global", "k=5"))
    good(capsys, *recognition(study, "--out", study / "two.json", "--variant", "component=v", "scope=global", "k=10"))
    said = fault(capsys, "compare", study / "one.json", study / "two.json")
    assert "these are different metrics and cannot be compared" in said
    assert "component=i" in said
    assert "component=v" in said
    assert "+0.0000" in good(capsys, "compare", study / "one.json", study / "one.json").out


def test_scores_against_other_ground_truth_are_not_compared(study, capsys):
    good(capsys, *recognition(study, "--out", study / "one.json"))
    np.savez(study / "truth/VID02.npz", targets=np.zeros((1, 100), int))
    good(capsys, *recognition(study, "--out", study / "two.json"))
    assert "were scored against different ground truth" in fault(capsys, "compare", study / "one.json", study / "two.json")


@pytest.mark.parametrize(
    ("variant", "said"),
    [
        ("colour=red", "'colour' is no choice of recognition, paper; choose kind=precision|calibration, component=all|i|v|t|iv|it|ivt"),
        ("scope=frame", "scope can be both, video-wise, global"),
        ("k=0", "give whole numbers from 1"),
    ],
)
def test_a_variant_that_is_none_is_refused_with_those_that_are(study, capsys, variant, said):
    assert said in fault(capsys, *recognition(study, "--variant", variant), code=1 if variant == "k=0" else 2)


def test_the_metric_can_be_an_option(study, capsys):
    named = ("--metric", *recognition(study))
    assert good(capsys, *named).out == good(capsys, *recognition(study)).out


def test_input_is_never_overwritten(study, capsys):
    assert "this is where input is read from" in fault(capsys, *recognition(study, "--out", study / "truth/scores.json"))


def test_the_same_input_gives_the_same_bytes(study, capsys):
    for name in ("one.json", "two.json"):
        good(capsys, *recognition(study, "--bootstrap", "5", "--out", study / name, "--variant", "component=i"))
    assert (study / "one.json").read_bytes() == (study / "two.json").read_bytes()


def test_one_compat_number_is_that_of_newer_scikit_learn(study, capsys):
    older, newer = (
        results(capsys, study, "recognition", "component=ivt", "k=5", *more, more=("--semantics", "compat"))[0]
        for more in ((), ("scikit-learn=>=1.6",))
    )
    assert older != newer


def test_known_differences_are_told(capsys):
    said = good(capsys, "differences").out
    for name in (
        "recognition: undefined-class (bug)",
        "detection: boxes-in-place (bug)",
        "phases: tail-mask-on-head (bug)",
        "errors: balanced-accuracy-of-one-class (choice)",
    ):
        assert name in said


def phases(tmp_path, truth, found, name="a.csv"):
    return sides(put(tmp_path, truth={name: truth}, found={name: found}), "phases")


TRUTH = "frame,phase\n0,preparation\n1,preparation\n2,CalotTriangleDissection\n"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ("frame,phase\n0,preparation\n1,preparatio\n2,1\n", "frame 1: 'preparatio' is no phase of the vocabulary"),
        ("frame,phase_id\n0,1\n1,1\n2,7\n", "frame 2: phase 7 is not in 0..6; are they numbered from 1?"),
        ("frame,phase_id\n0,0\n1,0\n2,7\n", "frame 2: phase 7 is not in 0..6; correct it"),
        ("frame,phase_id\n0,0\n1,0\n1,1\n", "line 4: frame 1 is also in line 3"),
        ("frame,phase_id\n0,0\n1,\n2,1\n", "line 3: expected 2 cells with a phase"),
        ("frame,phase_id\nx,0\n", "line 2: 'x' is no frame number"),
        ("", "a.csv is empty"),
        ("0,0\n1,0\n", "a.csv, frame 2: labelled, but not predicted"),
        ("a,b\n0,0\n", "'a' is no frame number"),
    ],
)
def test_phases_that_cannot_be_scored_are_refused(tmp_path, capsys, found, expected):
    assert expected in fault(capsys, *phases(tmp_path, TRUTH, found))


@pytest.mark.parametrize("name", ["y_true", "gt", "target", "annotation", "reference", "ground_truth", "phase_gt"])
def test_a_column_of_predictions_is_no_ground_truth(tmp_path, capsys, name):
    both = f"frame,{name},pred\n0,0,0\n1,1,1\n2,2,3\n3,2,3\n"
    said = fault(capsys, *phases(tmp_path, both, "frame,pred\n0,0\n1,1\n2,3\n3,3\n"))
    assert "a column of predictions would be taken for the ground truth" in said
    assert name in said
    right = good(capsys, *phases(tmp_path, "frame,phase_id\n0,0\n1,1\n2,2\n3,2\n", both), "--vocabulary", "cholec80")
    assert "0.5000  n=1" in right.out
    assert f"not read: {name}" in right.err


@pytest.mark.parametrize("vocabulary", [(), ("--vocabulary", "cholec80")])
def test_two_columns_of_ids_of_phases_that_differ_are_refused(tmp_path, capsys, vocabulary):
    right = "frame,phase,phase_id\n0,0,0\n1,1,1\n2,2,2\n3,02,2\n"
    good(capsys, *phases(tmp_path, right, right), *vocabulary)
    said = fault(capsys, *phases(tmp_path, right.replace("2,2,2", "2,2,3"), right), *vocabulary)
    assert "frame 2: the phase is 3 in one column and 2 in the other" in said


def test_ids_and_names_of_phases_are_the_same(tmp_path, capsys):
    by_name = good(capsys, *phases(tmp_path, TRUTH, TRUTH)).out
    by_id = good(capsys, *phases(tmp_path, TRUTH, "0\t0\n1\t0\n2\t1\n")).out
    assert by_name == by_id
    assert "1.0000" in by_id


def test_labels_at_25_per_second_are_joined_with_predictions_at_1(tmp_path, capsys):
    names = ["Preparation"] * 60 + ["CalotTriangleDissection"] * 40
    truth = "Frame\tPhase\n" + "".join(f"{frame}\t{name}\n" for frame, name in enumerate(names))
    found = "Frame\tPhase\n0\tPreparation\n1\tPreparation\n2\tPreparation\n3\tCalotTriangleDissection\n"
    arguments = phases(tmp_path, truth, found, "video01-phase.txt")
    assert "say the rate of the predictions by --predictions-fps" in fault(capsys, *arguments)
    said = good(capsys, *arguments, "--predictions-fps", "1")
    assert "labels are read as 25 per second, the rate of cholec80" in said.err
    assert "omega=10 frames" in said.out
    assert "1.0000" in said.out


@pytest.mark.parametrize("more", [(), ("--semantics", "compat")])
def test_what_seconds_are_taken_for_is_said_where_nothing_states_a_rate(tmp_path, capsys, more):
    rows = "".join(f"{frame},{frame // 60}\n" for frame in range(420))
    run = (*phases(tmp_path, rows, rows, "Hei-Chole1_Annotation_Phase.csv"), *more)
    assert "no file states a rate: omega=10s is 10 frames, as of one per second; say another by --fps" in good(capsys, *run).err
    assert "no file states a rate" not in good(capsys, *run, "--variant", "omega=10").err
    said = good(capsys, *run, "--fps", "25", "--predictions-fps", "25")
    assert "no file states a rate" not in said.err
    assert more or "omega=250 frames" in said.out


@pytest.mark.parametrize("semantics", ["paper", "compat"])
def test_ten_seconds_are_ten_seconds_whether_frames_are_numbered_by_second_or_by_source_frame(tmp_path, capsys, semantics):
    """One label a second, and a transition that comes 20 s late."""

    def rows(change, every):
        return "".join(f"{every * second}\t{int(second >= change)}\n" for second in range(120))

    said = {}
    for every in (1, 25):
        (tmp_path / str(every)).mkdir()
        arguments = phases(tmp_path / str(every), rows(60, every), rows(80, every))
        options = ("--vocabulary", "cholec80", "--fps", str(every), "--semantics", semantics, "--json")
        results = json.loads(good(capsys, *arguments, *options).out)["results"]
        said[every] = [(one["metric"], one["options"].get("statistic"), one["overall"], one["videos"]) for one in results]
    assert said[1] == said[25]
    accuracy = next(of_video["a"] for metric, _, _, of_video in said[25] if metric.endswith("relaxed accuracy") and of_video)
    assert accuracy["value"] == pytest.approx((1 if semantics == "paper" else 100) * 110 / 120)


def sheets(tmp_path, truth, found, metric="skill"):
    (tmp_path / "truth.csv").write_text(truth)
    (tmp_path / "found.csv").write_text(found)
    return (metric, "--ground-truth", tmp_path / "truth.csv", "--predictions", tmp_path / "found.csv")


SKILL = "id,GRS\na,0.5\nb,\nc,-1\nd,2\n"


def test_recordings_without_rating_are_left_out_with_their_n(tmp_path, capsys):
    said = good(capsys, *sheets(tmp_path, SKILL, "id,GRS\na,0.5\nb,9\nc,-1\nd,2\n"), "--json")
    found = [one["overall"] for one in json.loads(said.out)["results"]]
    assert found == [{"value": 1.0, "n": 3}, {"value": 1.0, "n": 3}, {"value": 0.0, "n": 3}]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ("id,GRS\na,0.5\nb,1\nc,x\nd,2\n", "found.csv, line 4: GRS is 'x'; give a number"),
        ("id,GRS\na,0.5\nb,1\nd,2\n", "1 of 4 recordings of truth are not predicted (c)"),
        (
            "id,GRS\na,0.5\nb,\nc,\nd,2\n",
            "found.csv, line 4: the prediction of 'GRS' of 'c' is missing, but it has ground truth; predict every recording",
        ),
        ("id,grade\na,0.5\n", "none of its columns is in the ground truth"),
        ("name,GRS\na,0.5\n", "found.csv, line 1: column 'id' is missing; add it; there are name, GRS"),
        ("id,GRS\na,1\na,1\n", "found.csv, line 3: the id 'a' stands twice, first in line 2; one row per recording"),
        ("", "found.csv: it is empty; write a header"),
    ],
)
def test_sheets_that_cannot_be_scored_are_refused(tmp_path, capsys, found, expected):
    assert expected in fault(capsys, *sheets(tmp_path, SKILL, found))


def test_columns_whose_names_are_those_of_no_scores_are_named(tmp_path, capsys):
    alone = "id,duration\na,1\nb,2\n"
    expected = (
        "truth.csv: it has no values of truth, only id, duration; give a column per score, on both sides by a name that is none of these"
    )
    assert expected in fault(capsys, *sheets(tmp_path, alone, alone))
    beside = "id,GRS,duration\na,1,4\nb,2,3\n"
    assert "found.csv: not read as values, by their names, on both sides: duration" in good(capsys, *sheets(tmp_path, beside, beside)).err
    # What only the labels have nobody predicted.
    assert "not read as values" not in good(capsys, *sheets(tmp_path, beside, "id,GRS\na,1\nb,2\n")).err


def test_constant_predictions_have_no_correlation(tmp_path, capsys):
    said = good(capsys, *sheets(tmp_path, SKILL, "id,GRS\na,1\nb,1\nc,1\nd,1\n")).out
    assert "undefined  n=3" in said


def test_probabilities_of_errors_are_refused(tmp_path, capsys):
    truth = "id,dropped\na,True\nb,False\n"
    assert "dropped is '0.7'; give True or False" in fault(capsys, *sheets(tmp_path, truth, "id,dropped\na,0.7\nb,0\n", "errors"))
    assert "sensitivity" in good(capsys, *sheets(tmp_path, truth, "id,dropped\na,1\nb,0\n", "errors")).out


def test_an_error_that_never_occurs_has_no_sensitivity_and_its_published_balanced_accuracy(tmp_path, capsys):
    arguments = sheets(tmp_path, "id,cut\na,False\nb,False\n", "id,cut\na,False\nb,True\n", "errors")
    assert "undefined" in good(capsys, *arguments).out
    assert (
        "balanced accuracy (compat); averaged=over errors; errors=cut; task=truth\n    0.5000"
        in good(capsys, *arguments, "--semantics", "compat").out
    )


def boxes(tmp_path, truth, found):
    one, other = ({"frame": list(range(len(frames))), "list": frames} for frames in (truth, found))
    return sides(put(tmp_path, truth={"VID01.json": one}, found={"VID01.json": other}), "detection")


BOXES = [[[17, 0, 1.0, 0.1, 0.1, 0.3, 0.3]], []]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([[[17, 0, 0.9, 0.5, 0.5, 0.8, 0.9]], []], "look like two corners"),
        ([[[17, 0, 0.9, 85, 48, 256, 144]], []], "pixels"),
        ([[[100, 0, 0.9, 0.1, 0.1, 0.3, 0.3]], []], "'triplet' is 100, expected a whole number in 0..99; ids are numbered from 0"),
        ([[[17, 0, 0.9, 0.1, 0.1, 0.3]], []], "VID01.json, frame 0, row 0: expected 7 or 9 numbers"),
        ([[[17, 0, "0.9", 0.1, 0.1, 0.3, 0.3]], []], "expected 7 or 9 numbers"),
        ([[[17, 0, 1.9, 0.1, 0.1, 0.3, 0.3]], []], "confidence"),
    ],
)
def test_boxes_that_cannot_be_scored_are_refused(tmp_path, capsys, found, expected):
    assert expected in fault(capsys, *boxes(tmp_path, BOXES, found))


def coco(box=(10, 10, 20, 20), names=("grasper", "hook"), size=(100, 50), **more):
    """A COCO file of one box of each class, a class in each frame."""
    return {
        "images": [{"id": at, "file_name": f"VID01_{at:06d}.jpg", "width": size[0], "height": size[1]} for at in range(len(names))],
        "categories": [{"id": at, "name": name} for at, name in enumerate(names, 1)],
        "annotations": [{"id": at, "image_id": at - 1, "category_id": at, "bbox": list(box), **more} for at in range(1, 1 + len(names))],
    }


def test_coco_results_are_scored_against_their_coco_file(tmp_path, capsys):
    put(tmp_path, truth={"t.json": coco(area=400, iscrowd=0)})
    put(tmp_path, found={"f.json": [{"image_id": 0, "category_id": 1, "bbox": [10, 10, 20, 20], "score": 0.9}]})
    assert results(capsys, tmp_path, "detection")[0][0]["overall"] == {"value": 0.5, "n": 2}


def test_an_annotated_box_may_leave_the_image_a_little_as_published_ones_do(tmp_path, capsys):
    truth = [[[17, 0, 1.0, 0.57, 0.26, 0.39, 0.745], [0, 0, 1.0, 0.1, 0.1, 0.05, 0.05]]]
    assert "1.0000" in good(capsys, *boxes(tmp_path, truth, truth)).out


def test_a_model_may_predict_another_instrument_than_that_of_the_triplet(tmp_path, capsys):
    other = [[[17, 1, 1.0, 0.1, 0.1, 0.3, 0.3]], []]
    boxes(tmp_path, BOXES, other)
    at_half = {
        one["options"]["component"]: one["overall"]["value"]
        for one in results(capsys, tmp_path, "detection", "scope=global")[0]
        if one["options"].get("iou") == "0.5" and "AP" in one["metric"]
    }
    assert at_half == {"ivt": 1.0, "i": 0.0, "v": 1.0, "t": 1.0}
    # Labels are read in the same way: as written, and it is said.
    said = good(capsys, *boxes(tmp_path, other, BOXES)).err
    assert "frame 0: 1 of 1 rows have another instrument, verb or target than their triplet; read as written" in said


def test_intervals_of_one_video_are_said_to_say_nothing_as_by_rank(study, capsys):
    (study / "one.txt").write_text("VID01\n")
    said = "with one video every resample is the same, so the intervals say nothing"
    of_one = good(capsys, *recognition(study, "--videos", study / "one.txt", "--bootstrap", "3", "--out", study / "one.json"))
    assert said in of_one.err
    assert said in json.loads((study / "one.json").read_text())["notes"]
    for more in (("--bootstrap", "3"), ("--videos", study / "one.txt")):
        assert said not in good(capsys, *recognition(study, *more)).err


def test_what_is_wrong_on_both_sides_in_files_of_one_name_is_said_of_each(tmp_path, capsys):
    document = coco(names=["hook"])
    document["annotations"][0]["image_id"] = "0"
    put(tmp_path, truth={"labels.json": document}, found={"labels.json": document})
    told = good(capsys, *sides(tmp_path, "detection")).err
    for side in ("ground truth", "predictions"):
        assert f"labels.json: {side}: 'image_id' of annotations are texts of digits; they are read as the numbers" in told


@pytest.mark.parametrize(("kind", "value"), [("boxes", 1), ("curves", 1), ("sizes", 0.1)])
def test_boxes_of_whole_px_that_overlap_by_just_the_threshold_are_found(tmp_path, capsys, kind, value):
    # In shares of 854 px the overlap of one half is rounded to 0.4999999999999995.
    truth, found = ({"labels.json": coco((left, 50, 30, 30), ["hook"], (854, 480))} for left in (59, 69))
    (first, *_), _ = results(capsys, put(tmp_path, truth=truth, found=found), "detection", f"kind={kind}")
    assert first["overall"]["value"] == pytest.approx(value)


def test_a_fault_in_one_of_several_runs_names_the_run(tmp_path, capsys):
    put(tmp_path, **{run: {"Peg.csv": f"id,GRS\na,{value}\nb,2\nc,3\n"} for run, value in (("truth", 1), ("one", 1), ("two", "inf"))})
    runs = [tmp_path / run for run in ("one", "two")]
    assert f"{tmp_path / 'two/Peg.csv'}, line 2: " in fault(capsys, "skill", "--ground-truth", tmp_path / "truth", "--predictions", *runs)
