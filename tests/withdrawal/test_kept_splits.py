"""After a withdrawal nobody else moves, in any kind of split; who is new joins them, and a fold that tests nobody goes."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cohort_fixtures import make_cohort
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.stages.splits.best_split import Effort
from scrubin.stages.splits.registry import Setting, make
from scrubin.stages.splits.released_splits import unchanged
from scrubin.stages.splits.split import empty_subsets
from scrubin.stages.splits.split_params import BalancedParams, DifficultyFoldsParams, KFoldParams, LeaveOutParams
from scrubin.stages.withdrawals import notice

__all__ = ["make_cohort"]
SHARES = {"train": 0.6, "val": 0.2, "test": 0.2}
SCHEMES = {
    "balanced": BalancedParams(SHARES, True, None, "balanced", ("GRS",)),
    "by_task": BalancedParams(SHARES, False, None, "balanced", ("GRS",)),
    "folds": KFoldParams(True, False, "k_fold", ("GRS",), 3, 2),
    "validated": KFoldParams(True, True, "k_fold", ("GRS",), 4, 1),
    "difficulty": DifficultyFoldsParams("duration", True, False, "difficulty_folds", 3, 2),
    "leave_out": LeaveOutParams(True, "leave_n_participants_out", 1, 1),
}


def splits_of(cohort, scheme, tmp_path, released=None):
    setting = Setting(0, Effort(0.1, 0.05), tmp_path, released=released or {})
    return make("s", cohort, SCHEMES[scheme], setting)


def rows(split_of):
    return {name: split.rows for name, split in split_of.items()}


@pytest.mark.cases(2)
@pytest.mark.parametrize("scheme", SCHEMES)
@given(st.randoms())
@settings(max_examples=6)
def test_nobody_moves_and_no_participant_is_cut_in_two(make_cohort, tmp_path_factory, scheme, random):
    raw = tmp_path_factory.getbasetemp()
    everyone = make_cohort(8, 0, strong=1, seed=random.randrange(100))
    new = random.sample(everyone.participants, 1)
    first = everyone.only((~everyone.people.participant.isin(new)).to_numpy())
    before = rows(splits_of(first, scheme, raw))
    gone = set(random.sample(first.participants, 2))
    left = everyone.only((~everyone.people.participant.isin(gone)).to_numpy())
    after = splits_of(left, scheme, raw, before)
    assert set(after) == set(before)
    for name, split in after.items():
        old = before[name].set_index(["fold", "id"]).subset
        now = split.rows.set_index(["fold", "id"]).subset
        both = old.index.intersection(now.index)
        assert now[both].tolist() == old[both].tolist()
        assert not set(split.rows.id) - set(left.people.id)
        folds = set(split.rows.fold)
        still = before[name][before[name].fold.isin(folds) & before[name].id.isin(left.people.id)]
        assert len(both) == len(still)
        assert all(((split.rows.fold == fold) & (split.rows.subset == split.subsets[-1])).any() for fold in folds if len(folds) > 1)
        person = split.rows.merge(left.people[["id", "participant"]], on="id")
        assert person[["fold", "participant", "subset"]].drop_duplicates().groupby(["fold", "participant"]).size().max() == 1
        expected = set(left.people.id[left.people.task == name.partition(".")[2]]) if "." in name else set(left.people.id)
        assert expected - set(split.rows.id) <= set(left.people.id[left.people.pinned])


def test_a_fold_whose_only_participants_withdrew_is_left_out_and_said(make_cohort, tmp_path):
    cohort = make_cohort(4, 0, strong=0)
    before = rows(splits_of(cohort, "leave_out", tmp_path))
    who = cohort.participants[0]
    left = cohort.only((cohort.people.participant != who).to_numpy())
    split = splits_of(left, "leave_out", tmp_path, before)["s"]
    tested = before["s"][(before["s"].subset == "test") & before["s"].id.isin(cohort.people.id[cohort.people.participant == who])]
    assert set(split.rows.fold) == set(before["s"].fold) - set(tested.fold)
    assert f"folds {tested.fold.iloc[0]} are left out: whoever they tested withdrew" in split.notes


def without_a_subset(cohort, tmp_path, subset, new=1):
    """The released split of a cohort; the cohort after all of a subset withdrew, with so many participants who were not released."""
    later = cohort.participants[:new]
    first = cohort.only((~cohort.people.participant.isin(later)).to_numpy())
    released = rows(splits_of(first, "balanced", tmp_path))
    gone = set(released["s"].id[released["s"].subset == subset])
    return released, cohort.only((~cohort.people.id.isin(gone)).to_numpy()), set(cohort.people.id[cohort.people.participant.isin(later)])


@pytest.mark.parametrize("subset", SHARES)
def test_who_is_new_goes_where_everybody_withdrew(make_cohort, tmp_path, subset):
    released, left, new = without_a_subset(make_cohort(8, 0, strong=0), tmp_path, subset)
    split = splits_of(left, "balanced", tmp_path, released)["s"]
    assert set(split.rows.id[split.rows.subset == subset]) == new
    still = released["s"][released["s"].id.isin(left.people.id)]
    assert split.rows.set_index("id").subset[still.id].tolist() == still.subset.tolist()


def test_with_more_empty_subsets_than_new_participants_these_go_there_and_never_where_they_may_not(make_cohort, tmp_path):
    released, left, new = without_a_subset(make_cohort(8, 0, strong=0), tmp_path, "val")
    left = left.only((~left.people.id.isin(released["s"].id[released["s"].subset == "test"])).to_numpy())
    split = splits_of(left, "balanced", tmp_path, released)["s"]
    assert set(split.rows.subset[split.rows.id.isin(new)]) == {"test"}
    left.people["pinned"] = left.people.id.isin(new)
    split = splits_of(left, "balanced", tmp_path, released)["s"]
    assert set(split.rows.subset[split.rows.id.isin(new)]) == {"train"}


def test_a_subset_that_has_nobody_is_said_and_one_that_has_somebody_is_not(make_cohort, tmp_path):
    released, left, new = without_a_subset(make_cohort(8, 0, strong=0), tmp_path, "val")
    only_old = left.only((~left.people.id.isin(new)).to_numpy())
    (line,) = empty_subsets(splits_of(only_old, "balanced", tmp_path, released)["s"], "balanced")
    assert line.startswith(
        "no recording is in val; release more participants, who go there first unless raters strongly disagree on them, or"
    )
    assert list(empty_subsets(splits_of(left, "balanced", tmp_path, released)["s"], "balanced")) == []


def test_folds_that_validate_on_nobody_are_counted(make_cohort, tmp_path):
    cohort = make_cohort(8, 0, strong=0)
    released = rows(splits_of(cohort, "validated", tmp_path))
    gone = set(released["s"].id[(released["s"].fold == 1) & (released["s"].subset == "val")])
    left = cohort.only((~cohort.people.id.isin(gone)).to_numpy())
    (line,) = empty_subsets(splits_of(left, "validated", tmp_path, released)["s"], "k_fold")
    assert line.startswith("no recording is in val in 1 of 3 folds (fold 1); when it is needed, describe the scheme in another way")


def test_a_scheme_that_is_described_in_another_way_is_made_anew():
    table = pd.DataFrame({"scheme": ["a", "b.Knot"], "fold": 0, "subset": "train", "id": ["one", "two"]})
    section = {"seed": 0, "schemes": {"a": {"kind": "k_fold", "folds": 5}, "b": {"kind": "balanced"}}}
    said = notice.placed(table, section)
    assert set(unchanged(said, section)) == {"a", "b.Knot"}
    assert set(unchanged(said, {**section, "schemes": {**section["schemes"], "a": {"kind": "k_fold", "folds": 4}}})) == {"b.Knot"}
    assert unchanged(said, {**section, "seed": 1}) == {}
    assert unchanged({}, section) == {}


def test_nobody_who_withdrew_stands_in_the_notes_of_a_split_that_is_extended(make_cohort, tmp_path):
    cohort = make_cohort(8, 0, strong=0)
    before = rows(splits_of(cohort, "balanced", tmp_path))["s"]
    before.to_csv(tmp_path / "old.csv", index=False)
    ids = before.id[before.id.isin(cohort.people.id[cohort.people.participant == cohort.participants[0]])]
    withdrawn = Memory()
    for number, id_ in enumerate(ids):
        withdrawn = withdrawn.with_recording(f"r{number}", "consent", {"id": [id_]}, [])
    left = cohort.only((~cohort.people.id.isin(ids)).to_numpy())
    extending = BalancedParams(SHARES, True, "old.csv", "balanced", ("GRS",))
    split = make("s", left, extending, Setting(0, Effort(0.1, 0.05), tmp_path, withdrawn=withdrawn))["s"]
    assert split.doubts == ()
    assert not any(id_ in note for note in split.notes for id_ in ids)
    assert split.rows.set_index("id").subset.to_dict() == before[~before.id.isin(ids)].set_index("id").subset.to_dict()
