"""Phases that predictions name and no labelled video has, where the labels are all that says which phases there are."""

import json

import numpy as np
import pytest
from sklearn.metrics import f1_score, jaccard_score, precision_score

from score_runs import fault, good, put, sides
from scrubin.cli import main
from scrubin.labels.formats.plain import phase_tables

TRUTH = {"a": [0, 0, 1, 1, 2, 2], "b": [0, 1, 1, 2, 2, 2]}
NAMES = {0: "prepare", 1: "dissect", 2: "close", 5: "suture", 7: "rinse"}


def write(folder, videos, spelled=str):
    rows = {name: "".join(f"{frame},{spelled(one)}\n" for frame, one in enumerate(ids)) for name, ids in videos.items()}
    put(folder.parent, **{folder.name: {f"{name}.csv": f"frame,phase\n{of}" for name, of in rows.items()}})


def both(study, found, truth=TRUTH, spelled=str):
    write(study / "truth", truth, spelled)
    write(study / "found", found, spelled)


def scored(study, capsys, *variant, found=("found",), more=()):
    run = ("phases", "--ground-truth", study / "truth", "--predictions", *(study / one for one in found), "--json", *more)
    said = good(capsys, *run, *(("--variant", *variant) if variant else ()))
    return json.loads(said.out)["results"], said.err


def one_of(results, metric, statistic="mean"):
    return next(one for one in results if one["metric"].endswith(metric) and one["options"].get("statistic", "mean") == statistic)


@pytest.mark.parametrize("spelled", [str, NAMES.get], ids=["ids", "names"])
def test_a_phase_that_no_labelled_video_has_is_false_and_named_with_its_frames(tmp_path, capsys, spelled):
    found = {"a": [0, 5, 5, 1, 2, 2], "b": TRUTH["b"]}
    both(tmp_path, found, spelled=spelled)
    results, said = scored(tmp_path, capsys)
    assert one_of(results, "accuracy")["overall"]["value"] == pytest.approx((4 / 6 + 1) / 2)
    assert f"no labelled video has these phases, so their frames are false: '{spelled(5)}' (a.csv 1-2); the labels" in said
    assert str(tmp_path) not in json.dumps(results)
    # Strategy A in the video that predicts it: its precision, F1 and Jaccard index are 0; in the other it is left out.
    for metric, other in (("precision", precision_score), ("f1", f1_score), ("jaccard", jaccard_score)):
        of_videos = [
            other(TRUTH[name], found[name], average=None, labels=labels) for name, labels in (("a", [0, 1, 2, 5]), ("b", [0, 1, 2]))
        ]
        assert one_of(results, metric)["overall"]["value"] == pytest.approx(np.concatenate(of_videos).mean()), metric
    assert one_of(results, "recall")["overall"]["value"] == pytest.approx(np.mean([0.5, 0.5, 1, 1, 1, 1]))


@pytest.mark.parametrize(("more", "is_said"), [((), True), (("--vocabulary", "cholec80"), False)], ids=["found", "said"])
def test_a_rank_names_the_phases_that_only_a_team_has_as_a_score_does(tmp_path, capsys, more, is_said):
    names = "Preparation", "CalotTriangleDissection", "ClippingCutting", "GallbladderDissection"
    both(tmp_path, {**TRUTH, "a": [0, 3, 3, 1, 2, 2]}, spelled=names.__getitem__)
    (tmp_path / "found" / "a.csv").rename(tmp_path / "found" / "a.CSV")
    words = ["rank", tmp_path / "found", "--ground-truth", tmp_path / "truth", "--metric", "phases", "--resamples", "2", "--json", *more]
    assert main(list(map(str, words))) == 0
    ((*warnings,),) = [team["warnings"] for team in json.loads(capsys.readouterr().out)["teams"]]
    says = "no labelled video has these phases, so their frames are false: 'GallbladderDissection' ("
    assert [one.partition("a.CSV 1-2)")[0] for one in warnings] == [says] * is_said
    assert (says in scored(tmp_path, capsys, more=more)[1]) == is_said


@pytest.mark.parametrize("kind", ["segments", "events", "videos"])
def test_every_kind_takes_such_a_phase(tmp_path, capsys, kind):
    both(tmp_path, {**TRUTH, "a": [0, 5, 5, 1, 2, 2]})
    results, said = scored(tmp_path, capsys, f"kind={kind}")
    assert results
    assert "'5'" in said


def test_strategy_b_leaves_it_out(tmp_path, capsys):
    both(tmp_path, {**TRUTH, "a": [0, 5, 5, 1, 2, 2]})
    results, _ = scored(tmp_path, capsys, "undefined=B")
    assert one_of(results, "precision")["overall"]["value"] == 1


def test_further_phases_of_several_runs_are_the_same_by_name(tmp_path, capsys):
    write(tmp_path / "truth", TRUTH, NAMES.get)
    for run, ids in (("one", [0, 7, 7, 1, 2, 2]), ("two", [0, 5, 7, 1, 2, 2])):
        write(tmp_path / run, {**TRUTH, "a": ids}, NAMES.get)
    together, said = scored(tmp_path, capsys, found=("one", "two"))
    alone = [scored(tmp_path, capsys, found=(run,))[0] for run in ("one", "two")]
    means = [one_of(results, "accuracy")["overall"]["value"] for results in (together, *alone)]
    assert means[0] == pytest.approx((means[1] + means[2]) / 2)
    assert "'rinse' (run 1: a.csv 1-2, run 2: a.csv 2), 'suture' (run 2: a.csv 1)" in said


def test_a_further_phase_only_in_frames_that_do_not_count_changes_nothing(tmp_path, capsys):
    both(tmp_path, TRUTH)
    before, _ = scored(tmp_path, capsys, "undefined=zero")
    write(tmp_path / "found", {**TRUTH, "a": [*TRUTH["a"], 1000000], "c": [5]})
    after, said = scored(tmp_path, capsys, "undefined=zero")
    assert after == before
    assert "no labelled video has" not in said


def test_a_table_of_several_videos_is_named_with_its_video(tmp_path, capsys):
    write(tmp_path / "truth", TRUTH)
    for run, videos in {"good": TRUTH, "found": FROM_1, "more": {**TRUTH, "a": [5] * 6}}.items():
        lines = [f"{name},{frame},{one}" for name, ids in videos.items() for frame, one in enumerate(ids)]
        put(tmp_path, **{run: {"all.csv": "\n".join(["video,frame,phase", *lines])}})
    said = fault(capsys, *sides(tmp_path, "phases"), "--predictions", tmp_path / "good")
    assert f"{tmp_path}/found/all.csv, video a, frames 4-5: phase 3 is not in 0..2" in said
    assert "'5' (run 2: all.csv, video a 0-5)" in scored(tmp_path, capsys, found=("good", "more"))[1]


FROM_1 = {name: [one + 1 for one in ids] for name, ids in TRUTH.items()}


@pytest.mark.parametrize(
    ("truth", "found", "said"),
    [
        (TRUTH, FROM_1, ["a.csv, frames 4-5: phase 3 is not in 0..2 (2 frames); are they numbered from 1?"]),
        # A video without labels that has 0 hides none of it.
        (TRUTH, FROM_1 | {"zz": [0, 3, 3]}, ["a.csv, frames 4-5: phase 3 is not in 0..2 (2 frames); are they numbered from 1?"]),
        # One that the labels have not is refused in every file.
        (TRUTH, {**FROM_1, "a": [1, 1, 2, 2, 3, 4]}, ["a.csv, frame", "is not in 0..2", "are they numbered from 1?", "b.csv"]),
        (TRUTH, {**FROM_1, "a": [2, 2, 3, 3, 4, 4]}, ["a.csv, frame", "is not in 0..2", "are they numbered from 1?", "b.csv"]),
        ({"a": [0, 1]}, {"a": [5, 5]}, ["phase 5 is not in 0..1"]),
    ],
)
def test_ids_that_are_numbered_from_1_are_still_refused(tmp_path, capsys, truth, found, said):
    both(tmp_path, found, truth)
    told = fault(capsys, *sides(tmp_path, "phases"))
    assert [one for one in said if one not in told] == []
    assert "zz.csv, frame" not in told


@pytest.mark.parametrize(
    ("truth", "found", "accuracy"),
    [
        (TRUTH, {"a": [1, 1, 1, 1, 2, 9], "b": [1, 1, 1, 2, 2, 2]}, 4 / 6),
        ({"a": [0, 1, 1, 1, 2, 2]}, {"a": [1, 1, 1, 1, 2, 5]}, 4 / 6),
        ({"a": [0, 1, 1, 1, 2, 2]}, {"a": [1, 1, 1, 1, 2, 3]}, 4 / 6),
        # Neither agrees better: as they are written.
        ({"a": [0, 1, 1, 2]}, {"a": [5, 1, 2, 5]}, 1 / 4),
        # Who predicts 0 does not count from 1.
        (TRUTH, {"a": [0, 1, 2, 2, 3, 3], "b": [1, 2, 2, 3, 3, 4]}, 1 / 12),
    ],
)
def test_ids_that_never_have_phase_0_are_refused_only_where_they_agree_better_from_1(tmp_path, capsys, truth, found, accuracy):
    both(tmp_path, found, truth)
    assert one_of(scored(tmp_path, capsys)[0], "accuracy")["overall"]["value"] == pytest.approx(accuracy)


def test_ids_that_are_one_too_many_and_agree_no_better_as_they_are_are_refused_with_a_way_out(tmp_path, capsys):
    truth, found = {"a": [0, 1, 1, 2, 2, 2]}, {"a": [1, 1, 1, 1, 1, 3]}
    # Two frames agree as they are, and two from 1.
    both(tmp_path, found, truth)
    said = fault(capsys, *sides(tmp_path, "phases"))
    assert "a.csv, frame 5: phase 3 is not in 0..2; are they numbered from 1? if not, write names instead of ids on both sides" in said
    both(tmp_path, found, truth, "phase {}".format)
    assert "so their frames are false: 'phase 3'" in scored(tmp_path, capsys)[1]


@pytest.mark.parametrize(
    ("spelled", "found", "other"),
    [
        (str, TRUTH, [5, 5]),
        (str, {"a": [1, 1, 1, 1, 2, 2], "b": [1, 1, 1, 2, 2, 2]}, [5, 5]),
        (str, TRUTH, ["nan", "9" * 5000]),
        (NAMES.get, {**TRUTH, "a": [0, 5, 1, 1, 2, 2]}, [f"other {one}" for one in range(30)]),
        (NAMES.get, TRUTH, ["clse", "4"]),
    ],
)
def test_videos_without_labels_decide_nothing(tmp_path, capsys, spelled, found, other):
    both(tmp_path, found, spelled=spelled)
    before, _ = scored(tmp_path, capsys)
    write(tmp_path / "found", {"zz": other})
    after, said = scored(tmp_path, capsys)
    assert after == before
    assert "zz.csv: the video has no ground truth, so it does not count" in said


@pytest.mark.parametrize("vocabulary", [(), ("--vocabulary", "cholec80")], ids=["files of Cholec80", "named"])
def test_videos_without_labels_decide_nothing_where_the_vocabulary_is_known(tmp_path, capsys, vocabulary):
    seven = ["Preparation", "CalotTriangleDissection"]
    both(tmp_path, {"video01": seven}, {f"video01{'' if vocabulary else '-phase'}": seven})
    before, _ = scored(tmp_path, capsys, more=vocabulary)
    write(tmp_path / "found", {"video02": ["rubbish", "nan"]})
    after, said = scored(tmp_path, capsys, more=vocabulary)
    assert after == before
    assert "video02.csv: the video has no ground truth, so it does not count" in said
    write(tmp_path / "found", {"video01": ["rubbish", "nan"]})
    assert "video01.csv, frame 0: 'rubbish' is no phase of the vocabulary 'cholec80'" in fault(
        capsys, *sides(tmp_path, "phases", *vocabulary)
    )


@pytest.mark.parametrize(("labels", "further"), [(["1.1", "1.1", "1.2", "2.1"], "2.2"), (["1,1", "1,1", "1,2"], "1,3")])
def test_phases_that_are_written_as_numbers_in_the_labels_may_be_exceeded_by_such(tmp_path, capsys, labels, further):
    both(tmp_path, {"a": [further, *labels[1:]]}, {"a": labels}, '"{}"'.format)
    assert f"so their frames are false: '{further}' (a.csv 0)" in scored(tmp_path, capsys)[1]


@pytest.mark.parametrize("cell", ["none", "NA", "-", "null"])
def test_a_name_that_stands_for_nothing_is_one_where_the_labels_have_it(tmp_path, capsys, cell):
    both(tmp_path, {"a": ["prepare", cell, "dissect"]}, {"a": ["prepare", "prepare", "dissect"]})
    said = fault(capsys, *sides(tmp_path, "phases"))
    assert f"a.csv, frame 1: '{cell}' counts as an empty cell, because no phase of the labels is called so" in said
    both(tmp_path, {"a": ["prepare", cell, "dissect", "suture"]}, {"a": ["prepare", cell, "dissect", cell]})
    assert one_of(scored(tmp_path, capsys)[0], "accuracy")["overall"]["value"] == 3 / 4


@pytest.mark.parametrize("side", ["truth", "found"])
def test_a_name_that_stands_for_nothing_is_told_with_the_phases_of_a_vocabulary_that_is_named(tmp_path, capsys, side):
    for folder in ("truth", "found"):
        write(tmp_path / folder, {"a": ["Preparation", "none" if folder == side else "Preparation"]})
    said = fault(capsys, *sides(tmp_path, "phases", "--vocabulary", "cholec80"))
    assert "a.csv, frame 1: 'none' is no phase of the vocabulary 'cholec80'; known are Preparation, Calot" in said


def test_labels_with_ids_that_number_no_phases_are_refused_at_their_frame(tmp_path, capsys, monkeypatch):
    both(tmp_path, {"a": [0, 1, 1]}, {"a": [0, "9" * 15, 10_000]})
    said = "a.csv, frame 1: phase {} is not below {}; number phases from 0, or write their names"
    assert said.format("9" * 15, "10,000") in fault(capsys, *sides(tmp_path, "phases"))
    # So many phases take half a minute.
    monkeypatch.setattr(phase_tables, "MOST_IDS", 9)
    write(tmp_path / "truth", {"a": [0, 9, 1]})
    assert said.format(9, 9) in fault(capsys, *sides(tmp_path, "phases"))
    write(tmp_path / "truth", {"a": [0, 8, 1]})
    assert "accuracy" in good(capsys, *sides(tmp_path, "phases")).out


def test_labels_that_are_numbered_from_1_themselves_may_be_exceeded(tmp_path, capsys):
    both(tmp_path, {**FROM_1, "a": [1, 1, 2, 2, 3, 4]}, FROM_1)
    assert "so their frames are false: '4'" in scored(tmp_path, capsys)[1]


@pytest.mark.parametrize("cell", ["nan", "none", "#N/A", "0.93", "0,93", "1e3", "9" * 5000])
@pytest.mark.parametrize("spelled", [str, NAMES.get], ids=["ids", "names"])
def test_a_cell_that_names_no_phase_is_no_further_one(tmp_path, capsys, cell, spelled):
    write(tmp_path / "truth", TRUTH, spelled)
    write(tmp_path / "found", {"a": [f'"{cell}"', *map(spelled, TRUTH["a"][1:])], "b": list(map(spelled, TRUTH["b"]))})
    said = fault(capsys, *sides(tmp_path, "phases"))
    assert "a.csv, frame 0" in said
    assert len(said) < 2000


@pytest.mark.parametrize("start", ["x", ""], ids=["names", "ids"])
def test_a_column_of_something_else_is_refused_at_once(tmp_path, capsys, start):
    truth = {"a": [f"{start}{one}" for one in (0, 1, 2)] * 10}
    write(tmp_path / "truth", truth)
    # No known one at all, and more of others than anybody adds.
    for other in ([f"{start}{one}" for one in range(100, 130)], [*truth["a"][:3], *(f"{start}{one}" for one in range(103, 130))]):
        write(tmp_path / "found", {"a": other})
        said = fault(capsys, *sides(tmp_path, "phases"))
        assert "100" in said or "103" in said
    write(tmp_path / "found", {"a": [*truth["a"][:10], *(f"{start}{one}" for one in range(103, 123))]})
    said = scored(tmp_path, capsys)[1]
    assert f"'{start}103' (a.csv 10)" in said
    assert "and 15 more" in said
    # As many as the labels have and 20 may be further, and none where no frame at all is of a known phase.
    write(tmp_path / "found", {"a": [*truth["a"][:7], *(f"{start}{one}" for one in range(103, 126))]})
    assert "and 18 more" in scored(tmp_path, capsys)[1]
    write(tmp_path / "found", {"a": [*truth["a"][:6], *(f"{start}{one}" for one in range(103, 127))]})
    assert "103" in fault(capsys, *sides(tmp_path, "phases"))
    write(tmp_path / "found", {"a": [f"{start}100"] * 30})
    assert "100" in fault(capsys, *sides(tmp_path, "phases"))


def test_ids_with_zeros_before_them_are_the_same_ids(tmp_path, capsys):
    both(tmp_path, {**TRUTH, "a": ["00", "05", "5", "01", "2", "02"]})
    assert "so their frames are false: '5' (a.csv 1-2); the labels" in scored(tmp_path, capsys)[1]


def test_messages_name_the_phases_of_the_labels_alone(tmp_path, capsys):
    write(tmp_path / "truth", TRUTH, NAMES.get)
    write(tmp_path / "found", {"a": ["rinse", "4", *map(NAMES.get, TRUTH["a"][2:])], "b": list(map(NAMES.get, TRUTH["b"]))})
    assert "phase 4 is an id, but the phases close, dissect, prepare have no known order" in fault(capsys, *sides(tmp_path, "phases"))


def test_a_name_that_is_nearly_one_of_the_labels_is_refused_but_not_one_of_another_number(tmp_path, capsys):
    both(tmp_path, {**TRUTH, "a": [0, 3, 1, 1, 2, 2]}, spelled="phase {}".format)
    assert "so their frames are false: 'phase 3'" in scored(tmp_path, capsys)[1]
    write(tmp_path / "found", TRUTH, "phse {}".format)
    assert "did you mean 'phase 0'?" in fault(capsys, *sides(tmp_path, "phases"))


def test_a_vocabulary_that_is_named_stays_closed(tmp_path, capsys):
    both(tmp_path, {**TRUTH, "a": [0, 9, 1, 1, 2, 2]})
    assert "phase 9 is not in 0..6; correct it" in fault(capsys, *sides(tmp_path, "phases", "--vocabulary", "cholec80"))


def test_the_published_program_does_not_take_one(tmp_path, capsys):
    seven = list(range(7))
    both(tmp_path, {"a": [*seven[:-1], 8]}, {"a": seven})
    said = fault(capsys, *sides(tmp_path, "phases", "--semantics", "compat"))
    assert "the published program does not know phases that no labelled video has, such as '8'" in said
