"""Who is in a recording, the CSV files, the balance table and the coverage."""

import json
from pathlib import Path

import pandas as pd
import pytest

from cohort_fixtures import THREE
from scrubin.base import params
from scrubin.base.errors import ParamsError, SplitError
from scrubin.stages.release.metadata import readme
from scrubin.stages.splits import study
from scrubin.stages.splits.assessment import class_coverage, class_warnings, classes, not_trained_on
from scrubin.stages.splits.best_split import Effort
from scrubin.stages.splits.cohort import Tables
from scrubin.stages.splits.registry import Setting
from scrubin.stages.splits.released_splits import extension
from scrubin.stages.splits.schemes import balanced
from scrubin.stages.splits.split_params import (
    BalancedParams,
    DifficultyFoldsParams,
    KFoldParams,
    LeaveOutParams,
    OfficialParams,
    SplitsParams,
)
from scrubin.stages.splits.study import listings, people


@pytest.fixture
def tables():
    recordings = pd.DataFrame(
        [("r1", "anna", "Peg", "left"), ("r1", "anna", "Peg", "right"), ("r2", "bert", "Peg", "left"), ("r3", "cleo", "Peg", "left")],
        columns=["recording", "participant", "task", "camera"],
    ).assign(site=["north", "north", None, None])
    linkage = pd.DataFrame({"recording": ["r1", "r2", "r3"], "id": ["papepu", "nonidu", "golaso"]})
    videos = pd.DataFrame(
        [("papepu", "Peg", "left"), ("papepu", "Peg", "right"), ("nonidu", "Peg", "left")], columns=["id", "task", "camera"]
    )
    return recordings, linkage, videos


def test_each_released_recording_has_one_row_with_its_participant(tables):
    found = people(*tables)
    assert found.drop(columns="site").to_dict("records") == [
        {"id": "nonidu", "task": "Peg", "participant": "bert", "recording": "r2"},
        {"id": "papepu", "task": "Peg", "participant": "anna", "recording": "r1"},
    ]


def test_a_released_recording_without_participant_is_an_error(tables):
    recordings, linkage, videos = tables
    with pytest.raises(SplitError, match="'nonidu' has no participant in the manifest"):
        people(recordings[recordings.recording != "r2"], linkage, videos)


def test_a_recording_with_two_participants_is_an_error(tables):
    recordings, linkage, videos = tables
    recordings.loc[1, "participant"] = "bert"
    with pytest.raises(SplitError, match="'papepu' has several participants, sites or tasks"):
        people(recordings, linkage, videos)


def test_the_page_and_the_dictionary_say_the_columns_of_every_file():
    rows = [("a", 0, "train", "r1"), ("a", 0, "test", "r2"), ("b", 0, "train", "r1"), ("b", 1, "test", "r1")]
    splits = pd.DataFrame(rows, columns=["scheme", "fold", "subset", "id"])
    files = listings(splits, pd.DataFrame({"id": ["r1", "r2"], "task": "Peg", "camera": "left"}), "a")
    heads = {name: text.splitlines()[0] for name, text in files.items()}
    assert heads == {"a.csv": "id,task,subset", "b.csv": "fold,id,task,subset", "Peg_split.csv": "id;split"}
    page = (Path(__file__).parents[2] / "docs/researcher.md").read_text()
    for line in (f"<scheme>.csv {heads['a.csv']}; with folds {heads['b.csv']},", f"<Task>_split.csv {heads['Peg_split.csv']}:"):
        assert f"splits/{line}" in " ".join(page.split())
    said = readme.dictionary_text({})
    for kind, delimiter, head in (
        ("<scheme>.csv", ",", "a.csv"),
        ("<scheme>.csv with folds", ",", "b.csv"),
        ("<Task>_split.csv", ";", "Peg_split.csv"),
    ):
        assert f"| `splits/{kind}` | `{delimiter}` | {heads[head].replace(delimiter, ', ')} |" in said


SCHEMES = {
    "balanced": BalancedParams({"train": 0.6, "val": 0.2, "test": 0.2}, True, None, "balanced", ("GRS", "error")),
    "lasana": BalancedParams({"train": 0.5, "test": 0.5}, False, None, "balanced", ("GRS",)),
    "folds": KFoldParams(True, False, "k_fold", ("GRS",), 3, 1),
    "hard": DifficultyFoldsParams("duration", True, False, "difficulty_folds", 3, 2),
}
KINDS = SCHEMES | {
    "by task": KFoldParams(False, False, "k_fold", ("GRS",), 3, 1),
    "one": LeaveOutParams(True, "leave_n_participants_out", 1, 1),
    "official": OfficialParams("cholect50/rdv", "videos.csv", "official"),
    "crossed": OfficialParams("cholect50/cv", "videos.csv", "official"),
}
P = SplitsParams(SCHEMES, seed=0, gap=0.05, work_limit=1)


@pytest.fixture(scope="module")
def everything(make_cohort, tmp_path_factory):
    """Everyone, their tables and every split."""
    drawn = make_cohort(participants=9, procedures=4)
    frame = drawn.people.assign(**{column.name: column.values for column in drawn.columns})
    scored = frame[frame.task != "Surgery"]
    marks = scored.melt("id", ["dropped", "torn"], "error", "occurred").merge(scored[["id", "task"]], on="id")
    # Of one recording nobody knows whether the raters disagree: it is not pinned.
    strong = scored.pinned.astype("boolean").mask(scored.id == scored.id[~scored.pinned].iloc[0])
    tables = Tables(
        skill=scored[["id", "task", "GRS"]].assign(strong_disagreement=strong),
        errors=marks.astype({"occurred": bool}),
        videos=frame.assign(camera="left", duration_s=frame.duration)[["id", "task", "camera", "duration_s"]],
        triplets=pd.DataFrame({"id": frame.id[:4], "vocabulary": "v", "triplet": "a,b,c", "instrument": ["a", "a", "a", "x"]}),
        phases=pd.DataFrame({"id": frame.id[:4], "vocabulary": "v", "phase": ["p", "p", "q", "q"], "frame": 0}),
        sites=pd.DataFrame({"id": frame.id, "site": ["north", "south"] * (len(frame) // 2) + [None] * (len(frame) % 2)}),
    )
    folk = frame[["id", "task", "participant"]].assign(recording=frame.id, site=None)
    everyone = study.cohort_of(folk, tables)
    made = study.splits(everyone, P, Setting(0, Effort(P.gap, P.work_limit), tmp_path_factory.mktemp("raw")))
    return everyone, tables, made


@pytest.mark.slow
def test_every_feature_of_a_study_can_be_balanced(everything):
    everyone, tables, _ = everything
    assert set(everyone.features) == {"GRS", "error", "duration", "site", "instrument", "triplet", "phase"}
    assert tables.skill.strong_disagreement.isna().sum() == 1
    assert (
        everyone.people.id[everyone.people.pinned].tolist()
        == tables.skill.id[tables.skill.strong_disagreement.eq(True).fillna(False)].tolist()
    )
    instrument = everyone.column("instrument v: a")
    assert instrument.kind == "count"
    assert instrument.values.sum() == 3
    errors = everyone.column("error torn").values
    assert errors[everyone.people.task == "Surgery"].isna().all()
    assert sum(value is True for value in errors) == tables.errors[tables.errors.error == "torn"].occurred.sum()


def test_csv_files_hold_every_recording_once_per_fold_sorted_by_id(everything):
    everyone, _, made = everything
    folk = everyone.people
    stereo = pd.concat([folk.assign(camera="left"), folk[folk.task != "Surgery"].assign(camera="right")])
    files = listings(study.table(made), stereo, "balanced")
    by_task = ["lasana.Knot.csv", "lasana.Peg.csv", "lasana.Surgery.csv"]
    assert sorted(files) == ["Knot_split.csv", "Peg_split.csv", "Surgery_split.csv", "balanced.csv", "folds.csv", "hard.csv", *by_task]
    lines = files["balanced.csv"].splitlines()
    assert lines[0] == "id,task,subset"
    assert [line.split(",")[0] for line in lines[1:]] == sorted(folk.id)
    knot = files["Knot_split.csv"].splitlines()
    assert knot[0] == "id;split"
    subset = made["balanced"].rows.set_index("id").subset
    assert dict(line.split(";") for line in knot[1:]) == subset[folk.id[folk.task == "Knot"]].to_dict()
    folds = [line.split(",") for line in files["folds.csv"].splitlines()]
    assert folds[0] == ["fold", "id", "task", "subset"]
    assert [(int(row[0]), row[1]) for row in folds[1:]] == [(fold, id_) for fold in range(3) for id_ in sorted(folk.id)]


def test_lasanas_files_are_those_of_the_scheme_that_was_asked_for(everything):
    everyone, _, made = everything
    videos = everyone.people.assign(camera="left")
    files = listings(study.table(made), videos, "lasana")
    peg = dict(line.split(";") for line in files["Peg_split.csv"].splitlines()[1:])
    assert peg == made["lasana.Peg"].rows.set_index("id").subset.to_dict()
    assert not any(name.endswith("_split.csv") for name in listings(study.table(made), videos, "folds"))


def test_the_document_adds_up_and_names_nobody(everything):
    everyone, tables, made = everything
    value = json.loads(json.dumps(study.document(made, everyone, tables, P), allow_nan=False))
    assert [scheme["scheme"] for scheme in value["schemes"]] == ["balanced", "lasana.Knot", "lasana.Peg", "lasana.Surgery", "folds", "hard"]
    balanced = value["schemes"][0]
    fold = balanced["folds"][0]
    assert sum(fold["participants"].values()) == everyone.people.participant.nunique()
    for task, subsets in fold["tasks"].items():
        assert sum(subset["recordings"] for subset in subsets.values()) == (everyone.people.task == task).sum()
    occurred = sum(subset["errors"].get("dropped", {"occurred": 0})["occurred"] for subset in fold["tasks"]["Knot"].values())
    assert occurred == tables.errors[(tables.errors.task == "Knot") & (tables.errors.error == "dropped")].occurred.sum()
    ids = made["balanced"].rows.id[made["balanced"].rows.subset == "test"]
    mean = tables.skill.GRS[tables.skill.id.isin(ids) & (tables.skill.task == "Knot")].mean()
    assert fold["tasks"]["Knot"]["test"]["GRS"]["mean"] == pytest.approx(mean)
    assert fold["tasks"]["Surgery"]["train"]["GRS"] == {"n": 0, "mean": None}
    assert sum(fold["tasks"][task]["train"]["strong_disagreement"] for task in fold["tasks"]) == 1
    assert all(fold["tasks"][task][subset]["strong_disagreement"] == 0 for task in fold["tasks"] for subset in ("val", "test"))
    proof = balanced["proofs"][0]
    assert proof["gap"] == pytest.approx(proof["objective"] - proof["bound"])
    assert balanced["imbalance"]["worst"] >= balanced["imbalance"]["mean"]
    assert [len(scheme["folds"]) for scheme in value["schemes"]] == [1, 1, 1, 1, 3, 6]
    assert set(fold["shortcut"]) == {"Knot", "Peg", "Surgery"}
    text = json.dumps(value)
    assert "person" not in text
    assert "patient" not in text


@pytest.mark.slow
def test_imbalance_is_the_deviation_from_the_share_of_the_total(everything):
    everyone, tables, made = everything
    table = study.document(made, everyone, tables, P)["schemes"][0]["imbalance"]["measures"]
    sizes = next(row for row in table if (row["task"], row["measure"]) == ("Knot", "recordings"))
    total = int((everyone.people.task == "Knot").sum())
    for subset, share in {"train": 0.6, "val": 0.2, "test": 0.2}.items():
        cell = sizes["subsets"][subset]
        assert cell["wanted"] == pytest.approx(share * total)
        assert cell["imbalance"] == pytest.approx(abs(cell["value"] - share * total) / max(1, share * total))
    mean = next(row for row in table if (row["task"], row["measure"]) == ("Knot", "GRS mean"))["subsets"]["train"]
    scores = everyone.people.merge(tables.skill[["id", "GRS"]], on="id").merge(made["balanced"].rows, on="id").query("task == 'Knot'")
    shift = (scores.GRS[scores.subset == "train"] - scores.GRS.mean()).sum() / scores.GRS.std() / (0.6 * len(scores))
    assert mean["value"] == pytest.approx(shift)
    assert mean["wanted"] == 0


def test_a_recording_that_should_only_now_be_trained_on_stays_and_is_told(make_cohort):
    cohort = make_cohort(participants=6, procedures=0, strong=0)
    places = dict(zip(cohort.participants, ["train", "train", "val", "test", "train", "train"], strict=True))
    old = cohort.people.assign(subset=cohort.people.participant.map(places))[["id", "subset"]]
    cohort.people["pinned"] = cohort.people.participant.isin([cohort.participants[0], cohort.participants[3]])
    known = extension(cohort, old, list(THREE))
    made = balanced(known.cohort, THREE, 0, Effort(0.1, 0.05), known.placed)
    mine = cohort.people.id[cohort.people.participant == cohort.participants[3]]
    assert not_trained_on(made, cohort.people) == dict.fromkeys(mine, "test")


def test_an_impossible_split_is_named(everything, tmp_path):
    everyone, _, _ = everything
    p = SplitsParams({"many": KFoldParams(True, False, "k_fold", (), 40, 1)}, seed=0, gap=0.0, work_limit=1)
    with pytest.raises(SplitError, match="split 'many': 13 participants cannot fill 40 folds"):
        study.splits(everyone, p, Setting(0, Effort(0.0, 1), tmp_path))


def test_classes_that_training_never_saw_are_listed():
    splits = pd.DataFrame({"id": ["a", "b", "c"], "subset": ["train", "val", "test"]})
    triplets = pd.DataFrame(
        [("a", "v", "hook,cut,fat"), ("a", "v", None), ("b", "v", "hook,cut,fat"), ("c", "v", "clip,clip,duct"), ("d", "v", "x,y,z")],
        columns=["id", "vocabulary", "triplet"],
    )
    phases = pd.DataFrame(
        [("a", "v", "start", 0), ("a", "v", "end", 1), ("c", "v", "end", 0), ("c", "v", "end", 1), ("c", "v", "start", 4)],
        columns=["id", "vocabulary", "phase", "frame"],
    )
    errors = pd.DataFrame([("b", "Knot", "dropped", True), ("a", "Knot", "dropped", False)], columns=["id", "task", "error", "occurred"])
    found = class_coverage(splits, classes(triplets, phases, errors), ["train", "val", "test"])
    assert found["triplets"]["classes"] == 2
    assert found["triplets"]["not_in_train"] == {"val": [], "test": ["v: clip,clip,duct"]}
    assert found["triplets"]["subsets"]["val"] == {"present": 1, "missing": ["v: clip,clip,duct"]}
    assert found["phases"]["not_in_train"] == {"val": [], "test": []}
    assert found["phase transitions"]["not_in_train"] == {"val": [], "test": ["v: end > start"]}
    assert found["errors"]["not_in_train"] == {"val": ["Knot: dropped"], "test": []}
    assert list(class_warnings(found, "train")) == [
        "1 triplet occurs in test but not in train: v: clip,clip,duct",
        "1 phase transition occurs in test but not in train: v: end > start",
        "1 error occurs in val but not in train: Knot: dropped",
    ]


def test_coverage_of_nothing_is_nothing():
    splits = pd.DataFrame({"id": ["a"], "subset": ["train"]})
    empty = pd.DataFrame({"id": [], "vocabulary": [], "triplet": [], "phase": [], "task": [], "error": []}, dtype="str")
    nothing = classes(empty, empty.assign(frame=pd.Series([], dtype=int)), empty.assign(occurred=pd.Series([], dtype=bool)))
    found = class_coverage(splits, nothing, ["train", "test"])
    assert {kind: value["classes"] for kind, value in found.items()} == {"triplets": 0, "phases": 0, "phase transitions": 0, "errors": 0}
    assert list(class_warnings(found, "train")) == []


@pytest.mark.parametrize(
    ("subsets", "message"),
    [
        ({"train": 0.75, "test": 0.2}, r"shares that add up to 1, but they add up to 0.95"),
        ({"train": 1.5, "test": -0.5}, r"'train' must be a share between 0 and 1, but is 1.5"),
        ({"train": 1.0}, r"'train' must be a share between"),
        ({}, r"add up to 0"),
        ({"a/b": 0.5, "c": 0.5}, r"'a/b' becomes part of file names"),
    ],
)
def test_shares_that_make_no_split_are_errors(subsets, message):
    with pytest.raises(ParamsError, match=message):
        BalancedParams(subsets, True, None, "balanced", ())


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        ("{kind: k_folds}", r"'splits.schemes.x.kind' must be one of balanced, k_fold, .*but is 'k_folds'; did you mean 'k_fold'\?"),
        ("{folds: 5}", "'splits.schemes.x.kind' must be one of .*but is None"),
        ("{kind: leave_n_participants_out, joint: true, participants: 0, repeats: 1}", "'splits.schemes.x.participants' must lie in"),
        ("{kind: k_fold, folds: 5, joint: true, repeats: 1, validation: false, balance: [GRS, errors]}", "did you mean 'error'"),
        ("{kind: official, split: a}", "'splits.schemes.x.videos' is missing"),
    ],
)
def test_a_scheme_that_is_none_is_an_error_by_its_full_name(tmp_path, scheme, message):
    path = tmp_path / "params.yaml"
    path.write_text(f"splits:\n  schemes:\n    x: {scheme}\n  seed: 0\n  gap: 0\n  work_limit: 1\n")
    with pytest.raises(ParamsError, match=message):
        params.load("splits", SplitsParams, path)


@pytest.mark.parametrize("old", ["time_limit_s: 900", "node_limit: 4000"])
def test_a_limit_of_before_is_an_error_that_says_what_to_write(tmp_path, old):
    path = tmp_path / "params.yaml"
    scheme = "{kind: leave_n_participants_out, joint: true, participants: 1, repeats: 1}"
    path.write_text(f"splits:\n  schemes:\n    x: {scheme}\n  seed: 0\n  gap: 0\n  {old}\n")
    with pytest.raises(ParamsError, match=rf"'splits.{old.partition(':')[0]}' is no parameter any more; write 'work_limit: 20' instead"):
        params.load("splits", SplitsParams, path)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (
            {"cv": "folds", "cv_1": "balanced"},
            "cv_1' shares the column 'split_cv_1' of the sheets of skill and errors with fold 1 of the scheme 'cv'",
        ),
        ({"cv_5": "balanced", "cv": "hard"}, "cv_5' shares the column 'split_cv_5'"),
        ({"louo": "one", "louo_77": "balanced"}, "louo_77' may share the column 'split_louo_77'"),
        ({"five": "crossed", "five_4": "official"}, "five_4' shares the column 'split_five_4'"),
        ({"cv": "folds", "CV": "hard"}, "CV' would have the file of 'cv' on macOS and Windows, for which 'CV' is the same name"),
        ({"Own": "lasana", "own": "lasana"}, "own' would have the file of 'Own'"),
    ],
)
def test_a_scheme_that_would_be_released_under_the_name_of_something_else_is_an_error(names, says):
    with pytest.raises(ParamsError, match=rf"'splits\.schemes\.{says}.*; call it otherwise"):
        SplitsParams({name: KINDS[kind] for name, kind in names.items()}, seed=0, gap=0.0, work_limit=1)


@pytest.mark.parametrize(
    "names",
    [
        {"cv": "folds", "cv_3": "balanced", "cv_01": "balanced", "fair": "balanced", "fair_0": "balanced", "a_splitting": "balanced"},
        {"official": "official", "official_2": "balanced"},
        {"five": "crossed", "five_5": "balanced", "five_1": "folds"},
        {"cv": "by task", "cv_1": "balanced", "louo": "folds", "louo_1": "lasana"},
        {"paper_split": "balanced", "own": "lasana", "OWN": "balanced"},
    ],
)
def test_names_that_only_look_alike_are_schemes_like_any_other(names):
    assert SplitsParams({name: KINDS[kind] for name, kind in names.items()}, seed=0, gap=0.0, work_limit=1).schemes.keys() == names.keys()


@pytest.mark.parametrize("name", ["Knot_split", "knot_SPLIT"])
def test_a_scheme_with_the_file_of_a_task_is_an_error_and_of_no_task_is_none(name, make_cohort, tmp_path):
    cohort = make_cohort(participants=6, procedures=0, strong=0, tasks=("Knot",))
    setting = Setting(0, Effort(0.1, 0.05), tmp_path)
    made = study.splits(cohort, SplitsParams({"paper_split": SCHEMES["folds"], "Knot_split": SCHEMES["lasana"]}, 0, 0.05, 1), setting)
    assert set(made) == {"paper_split", "Knot_split.Knot"}
    with pytest.raises(SplitError, match=rf"'splits\.schemes\.{name}': would be released as the split of the task 'Knot'.*; call it"):
        study.splits(cohort, SplitsParams({name: SCHEMES["folds"]}, 0, 0.05, 1), setting)


def test_all_splits_together_say_of_how_many_people_they_tell_what_none_tells_alone(make_cohort, tmp_path):
    cohort = make_cohort(participants=12, procedures=0, strong=0, tasks=("Knot",))
    fold = KFoldParams(True, False, "k_fold", (), 3, 1)
    alone = study.splits(cohort, SplitsParams({"one": fold}, 0, 0.05, 1), Setting(0, Effort(0.1, 0.05), tmp_path))
    assert alone["one"].notes == ()
    two = {"one": fold, "two": DifficultyFoldsParams("duration", True, False, "difficulty_folds", 3, 2)}
    both = study.splits(cohort, SplitsParams(two, 0, 0.05, 1), Setting(0, Effort(0.1, 0.05), tmp_path))
    (note,) = both["one"].notes
    assert note.startswith("all splits together tell which recordings are of one participant, for ")


def test_a_schemes_name_must_be_fit_for_a_file():
    with pytest.raises(ParamsError, match=r"'splits\.schemes\.a/b' becomes a file name"):
        SplitsParams({"a/b": SCHEMES["folds"]}, seed=0, gap=0.0, work_limit=1)
    with pytest.raises(ParamsError, match=r"'splits\.schemes' is empty"):
        SplitsParams({}, seed=0, gap=0.0, work_limit=1)
