"""Folds: every recording tested once, participants whole, difficulty dealt evenly."""

import itertools
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubin.base.errors import SplitError
from scrubin.stages.splits.assessment import balance
from scrubin.stages.splits.best_split import Effort
from scrubin.stages.splits.cohort import cohort as cohort_of
from scrubin.stages.splits.cohort import column
from scrubin.stages.splits.registry import SCHEMES, Setting, make
from scrubin.stages.splits.schemes import SINGLE, clusters, difficulty_folds, k_fold, leave_n_participants_out
from scrubin.stages.splits.split import alone, empty_subsets
from scrubin.stages.splits.split_params import BalancedParams, DifficultyFoldsParams, KFoldParams, LeaveOutParams, OfficialParams
from scrubin.stages.splits.study import warnings

SHORT = Effort(0.05, 0.05)


def check_folds(made, cohort, repeats):
    """Every fold has everybody, participants whole; over a repetition each recording is tested once."""
    for _, rows in made.rows.groupby("fold"):
        assert sorted(rows.id) == sorted(cohort.people.id)
        placed = cohort.people.assign(subset=cohort.people.id.map(rows.set_index("id").subset))
        assert len(placed[["participant", "subset"]].drop_duplicates()) == placed.participant.nunique()
        assert set(rows.subset) == set(made.subsets)
    tested = made.rows[made.rows.subset == "test"].id.value_counts()
    assert len(tested) == len(cohort.people)
    assert set(tested) == {repeats}


@pytest.mark.slow
@given(st.integers(5, 12), st.integers(0, 3), st.integers(2, 5), st.integers(1, 3), st.integers(0, 1000))
@settings(max_examples=15)
def test_k_fold_tests_everybody_once_per_repetition(make_cohort, participants, procedures, n_folds, repeats, seed):
    cohort = make_cohort(participants, procedures, strong=0, seed=seed)
    made = k_fold(cohort, n_folds, repeats, seed, SHORT, validation=n_folds > 2)
    check_folds(made, cohort, repeats)
    assert sorted(set(made.rows.fold)) == list(range(n_folds * repeats))
    assert [one.status == "sampled" for one in made.proofs] == [False] + [True] * (repeats - 1)


@pytest.mark.slow
def test_repetitions_of_k_fold_differ_and_are_balanced_too(make_cohort):
    cohort = make_cohort(participants=30, procedures=0, strong=0)
    made = k_fold(cohort, 3, 3, 0, Effort(0.0, 2), validation=False)
    parts = {
        tuple(sorted(map(tuple, (rows.id[rows.subset == "test"] for _, rows in made.rows[made.rows.fold // 3 == r].groupby("fold")))))
        for r in range(3)
    }
    assert len(parts) == 3
    assert max(one.objective for one in made.proofs) < 4 * made.proofs[0].objective


def test_the_next_fold_validates_when_asked_for(make_cohort):
    cohort = make_cohort(participants=9, procedures=0, strong=0)
    made = k_fold(cohort, 3, 1, 0, SHORT, validation=True)
    for fold in range(3):
        validated = set(made.rows.id[(made.rows.fold == fold) & (made.rows.subset == "val")])
        assert validated == set(made.rows.id[(made.rows.fold == (fold + 1) % 3) & (made.rows.subset == "test")])
    assert made.shares == {"train": 1 / 3, "val": 1 / 3, "test": 1 / 3}


def of_people(people, recordings=1, **columns):
    """A cohort of so many people with so many recordings each; columns have a value per person."""
    rows = [(f"r{who:02d}-{i}", f"P{who:02d}") for who in range(people) for i in range(recordings)]
    frame = pd.DataFrame(rows, columns=["id", "participant"]).assign(task="", pinned=False)
    return cohort_of(
        frame, [column(name, pd.Series([value for value in values for _ in range(recordings)])) for name, values in columns.items()]
    )


def mates(made, n_folds):
    """The recordings that are tested together, as pairs, in each repetition."""
    tested = made.rows[made.rows.subset == "test"]
    return [
        {pair for _, rows in of.groupby("fold") for pair in itertools.combinations(rows.id, 2)}
        for _, of in tested.groupby(tested.fold // n_folds)
    ]


@pytest.mark.parametrize("columns", [{}, {"dropped": ["True", "False", "False"] * 10}])
def test_who_is_alike_is_tested_together_with_others_in_every_repetition(columns):
    cohort = of_people(30, **columns)
    made = k_fold(cohort, 5, 4, 0, SHORT, validation=False)
    check_folds(made, cohort, 4)
    for one, other in itertools.combinations(mates(made, 5), 2):
        assert len(one & other) < len(one) / 2  # by chance a sixth
    assert made.notes == ()
    once = k_fold(cohort, 5, 1, 0, SHORT, validation=False)
    pd.testing.assert_frame_equal(once.rows, made.rows[made.rows.fold < 5])


def test_who_is_equally_difficult_comes_into_other_clusters_in_every_repetition():
    cohort = of_people(20, duration=["60"] * 20)
    assert clusters(cohort, "duration", 5, 0, 1) != clusters(cohort, "duration", 5, 0)
    harder = of_people(20, duration=[str(60 + who) for who in range(20)])
    assert clusters(harder, "duration", 5, 0, 1) == clusters(harder, "duration", 5, 0)
    made = difficulty_folds(cohort, "duration", 5, 2, 0, validation=False)
    first = [set(cluster) for cluster in clusters(cohort, "duration", 5, 0)]
    second = [{f"P{id_[1:3]}" for id_ in pair} for pair in mates(made, 5)[1]]
    assert any(pair <= cluster for pair in second for cluster in first)
    pd.testing.assert_frame_equal(difficulty_folds(cohort, "duration", 5, 1, 0, validation=False).rows, made.rows[made.rows.fold < 5])


def test_a_repetition_that_tests_the_same_people_together_again_is_told():
    cohort = of_people(4)
    assert (
        "2 of 3 repetitions test the same people together as earlier ones: they add nothing"
        in leave_n_participants_out(cohort, 1, 3, 0).notes
    )
    assert any(
        note.startswith("1 of 2 repetitions tests the same people") for note in k_fold(cohort, 4, 2, 0, SHORT, validation=False).notes
    )


def test_folds_that_only_one_person_has_in_common_are_counted_and_told(setting):
    cohort = of_people(30, 4)
    p = KFoldParams(True, False, "k_fold", (), 5, 1)
    told = [alone([make("cv", cohort, replace(p, repeats=r), setting)["cv"].rows], cohort.people)[0] for r in (1, 2, 3, 4)]
    assert told[0] == 0
    assert told == sorted(told)
    assert told[3] >= 25
    sentence = (
        "the subsets tell which recordings are of one participant, for {} of the 30 with several: nobody else is in the same subset of"
    )
    assert any(note.startswith(sentence.format(told[3])) for note in make("cv", cohort, replace(p, repeats=4), setting)["cv"].notes)
    assert make("cv", cohort, p, setting)["cv"].notes == ()
    pairs = make("two", cohort, LeaveOutParams(True, "leave_n_participants_out", 2, 2), setting)["two"]
    assert any(note.startswith(sentence.format(alone([pairs.rows], cohort.people)[0])) for note in pairs.notes)
    few = of_people(5, 4)
    assert alone([make("cv", few, p, setting)["cv"].rows], few.people) == (5, 5)
    assert make("cv", of_people(5), p, setting)["cv"].notes == ()  # one recording each: nothing is told


@pytest.mark.slow
@given(st.integers(3, 25), st.integers(2, 6), st.integers(1, 2), st.integers(0, 1000))
@settings(max_examples=30)
def test_each_difficulty_fold_has_exactly_one_of_each_cluster(make_cohort, participants, n_folds, repeats, seed):
    cohort = make_cohort(max(participants, n_folds), 0, strong=0, seed=seed)
    made = difficulty_folds(cohort, "duration", n_folds, repeats, seed, validation=False)
    check_folds(made, cohort, repeats)
    ranked = clusters(cohort, "duration", n_folds, seed)
    who = dict(zip(cohort.people.id, cohort.people.participant, strict=True))
    for fold, rows in made.rows[made.rows.subset == "test"].groupby("fold"):
        tested = {who[id_] for id_ in rows.id}
        for number, cluster in enumerate(ranked):
            inside = len(tested & set(cluster))
            assert inside == 1 if len(cluster) == n_folds else inside <= 1, (fold, number)


def test_clusters_are_sorted_by_the_mean_difficulty_of_a_participant():
    people = pd.DataFrame({"id": list("abcdef"), "task": "", "participant": ["p", "q", "p", "r", "s", "s"], "pinned": False})
    cohort = cohort_of(people, [column("duration", pd.Series([10, 50, 30, 40, 5, 5]))])
    assert clusters(cohort, "duration", 2, 0) == [["q", "r"], ["p", "s"]]


def test_fifty_videos_in_five_folds_are_dealt_as_in_cholect50():
    people = pd.DataFrame(
        {"id": [f"v{i:02d}" for i in range(50)], "task": "", "participant": [f"v{i:02d}" for i in range(50)], "pinned": False}
    )
    cohort = cohort_of(people, [column("duration", pd.Series([float((i * 37) % 50) for i in range(50)]))])
    made = difficulty_folds(cohort, "duration", 5, 1, 0, validation=False)
    tests = made.rows[made.rows.subset == "test"]
    assert tests.fold.value_counts().to_dict() == dict.fromkeys(range(5), 10)
    other = difficulty_folds(cohort, "duration", 5, 1, 1, validation=False).rows
    assert not other.equals(made.rows)


@given(st.integers(2, 10), st.integers(1, 4), st.integers(1, 2), st.integers(0, 1000))
@settings(max_examples=20)
def test_leaving_n_participants_out_tests_n_at_a_time(make_cohort, participants, n, repeats, seed):
    cohort = make_cohort(max(participants, n + 1), 0, strong=0, seed=seed)
    made = leave_n_participants_out(cohort, n, repeats, seed)
    check_folds(made, cohort, repeats)
    who = dict(zip(cohort.people.id, cohort.people.participant, strict=True))
    sizes = [len({who[id_] for id_ in rows.id}) for _, rows in made.rows[made.rows.subset == "test"].groupby("fold")]
    assert len(sizes) == repeats * -(-len(cohort.participants) // n)
    assert all(size == n for size in sizes[: len(cohort.participants) // n])
    assert (SINGLE in made.notes) == (n == 1)


@pytest.mark.slow
@given(st.randoms())
@settings(max_examples=5)
def test_folds_do_not_depend_on_the_order_of_rows_or_names(make_cohort, reordered, random):
    cohort = make_cohort(participants=8, procedures=2)
    other = reordered(cohort, random)
    for one, two in (
        (k_fold(cohort, 3, 2, 0, SHORT, validation=False), k_fold(other, 3, 2, 0, SHORT, validation=False)),
        (difficulty_folds(cohort, "duration", 3, 2, 0, validation=True), difficulty_folds(other, "duration", 3, 2, 0, validation=True)),
        (leave_n_participants_out(cohort, 2, 2, 0), leave_n_participants_out(other, 2, 2, 0)),
    ):
        pd.testing.assert_frame_equal(one.rows, two.rows)


@pytest.mark.parametrize(
    ("scheme", "says"),
    [
        (lambda c: k_fold(c, 5, 1, 0, SHORT, validation=False), "4 participants cannot fill 5 folds"),
        (
            lambda c: k_fold(c, 2, 1, 0, SHORT, validation=True),
            "2 folds leave nothing to train on; ask for more folds, or for no validation",
        ),
        (lambda c: difficulty_folds(c, "GRS", 2, 1, 0, validation=False), "has no number in column 'GRS'"),
        (
            lambda c: difficulty_folds(c, "weight", 2, 1, 0, validation=False),
            "there is no column 'weight'; there are GRS, dropped, duration",
        ),
        (lambda c: leave_n_participants_out(c, 4, 1, 0), "leaving 4 of 4 participants out leaves nobody to train on"),
    ],
)
def test_impossible_folds_are_errors(make_cohort, scheme, says):
    with pytest.raises(SplitError, match=says):
        scheme(make_cohort(participants=3, procedures=1, tasks=("Knot",), strong=0))


@pytest.fixture
def setting(tmp_path):
    return Setting(0, SHORT, tmp_path)


def test_split_by_task_a_participant_may_be_in_several_subsets_but_not_within_a_task(make_cohort, setting):
    cohort = make_cohort(participants=12, procedures=0, strong=0)
    found = make("lasana", cohort, BalancedParams({"train": 0.5, "test": 0.5}, False, None, "balanced", ("GRS",)), setting)
    assert sorted(found) == ["lasana.Knot", "lasana.Peg"]
    tables = {name: cohort.people.merge(made.rows, on="id") for name, made in found.items()}
    for name, table in tables.items():
        assert set(table.task) == {name.removeprefix("lasana.")}
        assert table[["participant", "subset"]].drop_duplicates().participant.is_unique
    assert not pd.concat(tables.values())[["participant", "subset"]].drop_duplicates().participant.is_unique


def test_an_official_split_is_taken_over_in_the_studys_own_ids(setting, tmp_path):
    people = pd.DataFrame(
        {"id": ["abba", "bebe", "cici"], "task": "C", "participant": ["1", "2", "3"], "pinned": False, "recording": ["or1", "or2", "or3"]}
    )
    (tmp_path / "videos.csv").write_text("recording,video\nor1,VID08\nor3,51\n")
    made = make("rdv", cohort_of(people, []), OfficialParams("cholect50/rdv", "videos.csv", "official"), setting)["rdv"]
    assert made.rows.to_dict("records") == [{"fold": 0, "subset": "val", "id": "abba"}, {"fold": 0, "subset": "test", "id": "cici"}]
    assert made.subsets == ("train", "val", "test")
    assert any("48 of 50 videos of cholect50/rdv are missing" in note for note in made.notes)
    assert any("1 recordings of the study are no video" in note for note in made.notes)


def official(setting, tmp_path, split, videos, participants=None):
    """An official split of recordings or1, or2 ..., one per line of the list, each with its participant."""
    names = [f"or{number}" for number in range(1, len(videos) + 1)]
    whose = participants or [str(number) for number in range(len(videos))]
    people = pd.DataFrame({"id": [f"id{name}" for name in names], "task": "C", "participant": whose, "pinned": False, "recording": names})
    (tmp_path / "videos.csv").write_text(
        "recording,video\n" + "".join(f"{name},{video}\n" for name, video in zip(names, videos, strict=True))
    )
    return make("cv", cohort_of(people, []), OfficialParams(split, "videos.csv", "official"), setting)["cv"]


def test_a_fold_of_an_official_split_without_a_test_video_is_told(setting, tmp_path):
    made = official(setting, tmp_path, "cholect50/cv", [1, 2, 4, 5, 6, 8])
    assert set(made.rows.subset[made.rows.fold == 3]) == {"train"}
    (line,) = empty_subsets(made, "official")
    assert line.startswith("no recording is in test in 1 of 5 folds (fold 3); only further videos of this split can go there: ")
    whole = official(setting, tmp_path, "cholect50/rdv", [1, 2])
    assert [line.partition(";")[0] for line in empty_subsets(whole, "official")] == ["no recording is in val", "no recording is in test"]


def test_rows_of_an_official_list_that_are_wrong_are_named_by_file_line_and_the_curators_name(setting, tmp_path):
    with pytest.raises(SplitError) as refused:
        official(setting, tmp_path, "cholect50/rdv", ["VID01", "VID07", "68", "VID999"])
    first, second = refused.value.faults
    assert first.sentence == (
        f"{tmp_path}/videos.csv, line 3: recording 'or2' is of 'VID07', which is no video of cholect50/rdv; correct it, or remove the row; "
        "'scrubin splits show cholect50/rdv' lists its videos"
    )
    assert second.place == "line 5"
    people = pd.DataFrame({"id": ["a"], "task": "C", "participant": "1", "pinned": False, "recording": ["or1"]})
    (tmp_path / "videos.csv").write_text("recording,video\nor1,1\nelsewhere,VID07\na,2\n")
    with pytest.raises(SplitError, match=r"videos.csv, line 4: recording 'a' stands already in line 2; name its video once"):
        make("cv", cohort_of(people, []), OfficialParams("cholect50/rdv", "videos.csv", "official"), setting)


def test_one_video_for_recordings_of_two_participants_is_doubted_and_for_those_of_one_it_is_not(setting, tmp_path):
    made = official(setting, tmp_path, "cholect50/rdv", ["VID01", "2", "VID1"])
    (doubt,) = made.doubts
    assert doubt.startswith(
        "lines 2 and 4 of videos.csv name the same video, 1 of cholect50, for recordings of several participants; correct"
    )
    assert (
        doubt in balance(made, cohort_of(pd.DataFrame({"id": made.rows.id, "task": "C", "participant": "1", "pinned": False}), []))["notes"]
    )
    assert warnings({"schemes": [{"scheme": "cv", "doubts": [doubt]}]}) == [f"split 'cv': {doubt}"]
    assert official(setting, tmp_path, "cholect50/rdv", ["VID01", "2", "VID1"], ["P1", "P2", "P1"]).doubts == ()


def test_every_kind_of_scheme_in_params_can_be_made(make_cohort, setting):
    cohort = make_cohort(participants=8, procedures=0)
    every = {
        "balanced": BalancedParams({"train": 0.5, "test": 0.5}, True, None, "balanced", ("GRS",)),
        "k_fold": KFoldParams(True, False, "k_fold", ("GRS",), 2, 1),
        "difficulty_folds": DifficultyFoldsParams("duration", True, False, "difficulty_folds", 2, 1),
        "leave_n_participants_out": LeaveOutParams(True, "leave_n_participants_out", 2, 1),
    }
    assert {*every, "official"} == set(SCHEMES)
    for name, p in every.items():
        assert len(make(name, cohort, p, setting)[name].rows) >= len(cohort.people)
