"""`scrubin score criteria`: both sides from files, what is refused with its place, and the pages and sheets of other metrics."""

import json
import re

import pytest

from label_examples import EXAMPLES
from score_runs import fault, good
from verdict_cases import write_files as put

FOUND = "video,frame,C1,C2,C3\n1,29375,0.75,0.25,0.125\n1,29500,0.5,0,0.25\n162,25,0.875,1,0.5\n"


@pytest.fixture
def study(tmp_path):
    put(tmp_path / "truth", EXAMPLES["endoscapescvs"])
    put(tmp_path / "coco", EXAMPLES["endoscapes"])
    (tmp_path / "found.csv").write_text(FOUND)
    return tmp_path


def arguments(study, *more, truth="truth"):
    return ("criteria", "--ground-truth", study / truth, "--predictions", study / "found.csv", *more)


def results(study, capsys, *more, truth="truth"):
    said = good(capsys, *arguments(study, "--json", *more, truth=truth))
    return {(one["metric"], *sorted(one["options"].items())): one for one in json.loads(said.out)["results"]}, said.err


def one_of(found, metric, **options):
    (one,) = [of for (name, *had), of in found.items() if name == metric and options.items() <= dict(had).items()]
    return one


def test_criteria_are_scored_pooled_and_by_video_against_soft_and_hard_truth(study, capsys):
    found, said = results(study, capsys)
    assert one_of(found, "criteria AP", scope="global")["classes"]["C1"] == {"value": 1.0, "n": 2}
    soft = one_of(found, "criteria Brier score", scope="global", truth="soft")
    assert soft["classes"]["C1"]["value"] == pytest.approx(((2 / 3 - 0.75) ** 2 + 0.25 + 0.125**2) / 3)
    assert set(one_of(found, "criteria Brier score", scope="video-wise", truth="hard")["videos"]) == {"1", "162"}
    assert "the truth is the mean of the annotators 1, 2, 3: a criterion is met from 0.5 on; frames that nobody judged do not count" in said


def test_what_annotators_reach_is_scored_without_the_predictions(study, capsys):
    found, _ = results(study, capsys, "--variant", "kind=raters")
    assert {name for name, *_ in found} == {"raters criteria alpha", "raters criteria Brier score", "raters criteria balanced accuracy"}
    assert set(one_of(found, "raters criteria Brier score")["classes"]) == {"1", "2", "3"}


def test_means_in_coco_files_are_a_soft_truth_and_have_no_raters(study, capsys):
    found, said = results(study, capsys, truth="coco")
    soft = one_of(found, "criteria Brier score", scope="global", truth="soft")
    assert soft["classes"]["C2"]["value"] == pytest.approx((1 / 3 - 0.25) ** 2)
    assert "the labels name no annotator, they are of one or the mean of several: a criterion is met from 0.5 on" in said
    assert "these labels have only their mean" in fault(capsys, *arguments(study, "--variant", "kind=raters", truth="coco"))


def test_the_same_format_may_hold_the_predictions(study, capsys):
    document = json.loads(EXAMPLES["endoscapes"]["endo/train/annotation_coco.json"])
    document["images"][0]["ds"] = [0.75, 0.25, 0.125]
    put(study / "found", {"test/annotation_coco.json": json.dumps(document).encode()})
    said = good(capsys, "criteria", "--ground-truth", study / "coco", "--predictions", study / "found", "--json")
    assert json.loads(said.out)["results"]


def test_intervals_sheet_and_page_are_those_of_the_other_metrics(study, capsys):
    found, _ = results(study, capsys, "--bootstrap", "20", "--html", str(study / "page.html"))
    assert one_of(found, "criteria AP", scope="global")["interval"]["high"]["value"] == 1.0
    assert "criteria Brier score" in (study / "page.html").read_text(encoding="utf-8")
    good(capsys, *arguments(study, "--out", study / "s.csv"))
    assert "criteria balanced accuracy" in (study / "s.csv").read_text()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("0.75,0.25", "1.75,0.25", "line 2: C1 is '1.75'; give a share of annotators or a probability in 0..1, of logits their sigmoid"),
        ("1,29500,0.5,0,0.25\n", "", "video 1, frame 29500: labelled, but not predicted"),
        ("162,25,0.875,1,0.5\n", "", "162: the video is not predicted"),
        ("C1,C2,C3", "C1,C2,C4", "found.csv: the labels have no criterion 'C4'"),
        (",0.25,0.125", ",,0.125", "1: 1 judged frames have no prediction of C2 (29375); predict every criterion of every judged frame"),
        (r",[^,\n]*\n", "\n", "found.csv: the criterion C3 is not predicted; predict all of C1, C2, C3"),
    ],
)
def test_predictions_that_do_not_fit_are_refused_with_their_place(study, capsys, old, new, told):
    text = re.sub(old, new, FOUND, count=0 if "\\" in old else 1)
    assert text != FOUND
    (study / "found.csv").write_text(text)
    assert told in fault(capsys, *arguments(study))


def test_a_criterion_that_is_predicted_in_two_spellings_is_refused(study, capsys):
    (study / "found.csv").write_text("".join(f"{line},{line.rsplit(',', 1)[1].lower()}\n" for line in FOUND.splitlines()))
    assert "found.csv: 'C3' and 'c3' are one criterion; keep one of them" in fault(capsys, *arguments(study))


def test_a_criterion_that_is_labelled_in_two_spellings_is_refused_with_both_files(tmp_path, capsys):
    put(tmp_path / "truth", {"a.csv": b"video,frame,C1\nv1,0,1\n", "b.csv": b"video,frame,c1\nv2,0,0\n"})
    (tmp_path / "found.csv").write_text("video,frame,C1\nv1,0,1\nv2,0,0.25\n")
    said = rf"b\.csv: 'C1' of {re.escape(str(tmp_path))}.*a\.csv and 'c1' are one criterion; keep one of them"
    assert re.search(said, fault(capsys, *arguments(tmp_path)))


def test_predicted_frames_that_nobody_judged_do_not_count(study, capsys):
    (study / "found.csv").write_text(FOUND + "1,29400,0.5,0.5,0.5\n")
    found, said = results(study, capsys)
    assert one_of(found, "criteria Brier score", scope="global", truth="hard")["classes"]["C1"]["n"] == 3
    assert "found.csv, video 1, frame 29400: not labelled, so not counted" in said


@pytest.mark.parametrize("predicted", ["video,frame,C1,C3\nop,0,0.9,0.5\nop,1,0.1,0.5\n", "video,frame,C1\nop,0,0.9\nop,1,0.1\n"])
@pytest.mark.parametrize(
    "labelled",
    [
        "video,frame,C1,C3\nop,0,1,\nop,1,0,\n",
        "video,frame,mark,rater,value\nop,0,C1,a,1\nop,1,C1,a,0\nop,0,C3,a,\nop,1,C3,a,\n",
    ],
)
def test_a_criterion_that_nobody_judged_is_known_and_undefined(study, capsys, labelled, predicted):
    put(study / "empty", {"marks.csv": labelled.encode()})
    (study / "found.csv").write_text(predicted)
    found, _ = results(study, capsys, truth="empty")
    for scope in ("global", "video-wise"):
        one = one_of(found, "criteria Brier score", scope=scope, truth="hard")
        assert one["classes"]["C3"] == {"value": None, "n": 0}
        assert one["overall"] == {"value": pytest.approx(0.01), "n": 1}
        assert one_of(found, "criteria AP", scope=scope)["overall"] == {"value": 1.0, "n": 1}


def test_an_empty_column_of_remarks_is_no_criterion(study, capsys):
    put(study / "empty", {"marks.csv": b"video,frame,C1,remark\nop,0,1,\nop,1,0,\n"})
    (study / "found.csv").write_text("video,frame,C1\nop,0,0.9\nop,1,0.1\n")
    found, _ = results(study, capsys, "--from", "mark-tables", truth="empty")
    assert set(one_of(found, "criteria AP", scope="global")["classes"]) == {"C1"}


@pytest.mark.parametrize("threshold", ["0", "1.5", "x"])
def test_a_threshold_that_is_none_is_refused(study, capsys, threshold):
    told = fault(capsys, *arguments(study, "--variant", f"threshold={threshold}"))
    assert f"--variant threshold={threshold}: give the mean of annotators from which a criterion is met, above 0 and up to 1" in told


def test_what_says_nothing_of_a_kind_is_refused(study, capsys):
    assert "says nothing of kind=raters" in fault(capsys, *arguments(study, "--variant", "kind=raters", "scope=global"))
    assert "the semantics is 'paper'" in fault(capsys, *arguments(study, "--semantics", "compat"))


def test_labels_without_criteria_are_refused(study, capsys):
    put(study / "boxes", EXAMPLES["cholect50"])
    told = fault(capsys, *arguments(study, truth="boxes"))
    assert "no criterion is judged in these cholect50 files; give labels of criteria" in told


def test_answers_by_second_are_held_against_frames_of_the_challenge(tmp_path, capsys):
    put(tmp_path / "truth", EXAMPLES["cvschallenge"])
    for video, at_5_s in (("0a2b-ffca", [1, 0.25, 0]), ("1f-90", [0, 0, 0])):
        answers = [[0.5, 0.5, 0.5]] * 5 + [at_5_s] + [[0.125, 0.125, 0.125]] * 84
        put(tmp_path / "found", {f"{video}/cvs-criteria.json": json.dumps({"overall_outputs": answers}).encode()})
    (tmp_path / "found").rename(tmp_path / "found.csv")
    found, _ = results(tmp_path, capsys)
    # Frame 150 of 30 per second is second 5: C1 is said rightly in both videos there, and is 0.5 at 0 s.
    soft = one_of(found, "criteria Brier score", scope="global", truth="soft")["classes"]["C1"]
    assert soft == {"value": pytest.approx(((2 / 3 - 0.5) ** 2 + 0 + 0.25 + 0) / 4), "n": 4}


def test_answers_by_frame_are_not_taken_for_answers_by_second(tmp_path, capsys):
    names = [f"c{criterion}_rater{rater}" for criterion in (1, 2, 3) for rater in (1, 2, 3)]
    # A clip of 90 s, judged every 5 s.
    rows = [",".join(["frame_id", *names]), *(f"{frame}," + ",".join("1" * 9) for frame in range(0, 2700, 150))]
    put(tmp_path / "truth", {"clip/frame.csv": ("\n".join(rows) + "\n").encode()})
    arguments = ("criteria", "--ground-truth", tmp_path / "truth", "--predictions", tmp_path / "found")
    for seconds, expected in ((90, None), (900, None), (2700, "but both end as if they had one rate")):
        answers = json.dumps({"overall_outputs": [[0.5, 0.5, 0.5]] * seconds}).encode()
        put(tmp_path / "found", {"clip/cvs-criteria.json": answers})
        assert expected in fault(capsys, *arguments) if expected else good(capsys, *arguments)
