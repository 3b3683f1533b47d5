"""New recordings join a released split, and nobody is moved."""

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubin.base.errors import SplitError
from scrubin.stages.splits.best_split import Effort
from scrubin.stages.splits.recording_sheet import read_released
from scrubin.stages.splits.registry import Setting, make
from scrubin.stages.splits.released_splits import extension
from scrubin.stages.splits.schemes import balanced
from scrubin.stages.splits.split_params import BalancedParams
from scrubin.stages.splits.study import warnings

SHORT = Effort(0.05, 0.05)
SHARES = {"train": 0.5, "val": 0.2, "test": 0.3}


def extended(cohort, old):
    known = extension(cohort, old, list(SHARES))
    return known, balanced(known.cohort, SHARES, 0, SHORT, known.placed)


@pytest.mark.slow
@given(st.integers(6, 12), st.integers(0, 1000), st.randoms())
@settings(max_examples=15)
def test_nobody_moves_and_participants_stay_whole(make_cohort, participants, seed, random):
    cohort = make_cohort(participants, 3, strong=2, seed=seed)
    first = cohort.only(cohort.people.participant.isin(random.sample(cohort.participants, 6)).to_numpy())
    first = first.only(pd.Series([random.random() < 0.8 or i < 3 for i in range(len(first.people))]).to_numpy())
    if len(first.participants) < 3 or (first.people.pinned.any() and len(set(first.people.participant[~first.people.pinned])) < 3):
        return
    try:
        old = balanced(first, SHARES, 0, SHORT).rows
    except SplitError:
        return
    known, made = extended(cohort, old)
    subset = made.rows.set_index("id").subset
    assert subset[old.id].tolist() == old.subset.tolist()
    placed = cohort.people.assign(subset=cohort.people.id.map(subset)).dropna(subset="subset")
    assert placed[["participant", "subset"]].drop_duplicates().participant.is_unique
    assert set(cohort.people.id) - set(made.rows.id) == set(known.left_out)
    new = placed[~placed.id.isin(old.id)]
    assert set(new.subset[new.pinned]) <= {"train"}


def test_a_new_recording_that_must_train_of_a_tested_participant_is_in_no_subset(make_cohort):
    cohort = make_cohort(participants=6, procedures=0, strong=0)
    who = cohort.participants
    places = dict(zip(who, ["train", "train", "val", "test", "train", "train"], strict=True))
    mine = cohort.people[cohort.people.participant == who[3]]
    new = mine.id.iloc[-1]
    old = cohort.people[cohort.people.id != new].assign(subset=lambda rows: rows.participant.map(places))[["id", "subset"]]
    cohort.people.loc[cohort.people.id == new, "pinned"] = True
    known, made = extended(cohort, old)
    assert known.left_out == (new,)
    assert new not in set(made.rows.id)
    assert any(new in note and "their participant is tested" in note for note in known.notes())


def test_a_released_recording_stays_although_raters_turn_out_to_disagree(make_cohort):
    cohort = make_cohort(participants=6, procedures=0, strong=0)
    places = dict(zip(cohort.participants, ["train", "train", "val", "test", "train", "train"], strict=True))
    old = cohort.people.assign(subset=cohort.people.participant.map(places))[["id", "subset"]]
    cohort.people["pinned"] = cohort.people.participant == cohort.participants[3]
    _, made = extended(cohort, old)
    pd.testing.assert_frame_equal(made.rows[["id", "subset"]], old.sort_values("id", ignore_index=True).astype({"subset": "str"}))


def test_a_released_participant_in_two_subsets_is_an_error(make_cohort):
    cohort = make_cohort(participants=4, procedures=0, strong=0)
    mine = cohort.people[cohort.people.participant == cohort.participants[0]].id
    old = pd.DataFrame({"id": mine.iloc[:2], "subset": ["train", "test"]})
    with pytest.raises(SplitError, match=rf"one participant in two subsets: '{mine.iloc[0]}' in train and '{mine.iloc[1]}' in test"):
        extension(cohort, old, list(SHARES))


def test_a_released_split_with_other_subsets_is_an_error(make_cohort):
    cohort = make_cohort(participants=4, procedures=0, strong=0)
    old = pd.DataFrame({"id": cohort.people.id[:1], "subset": ["validation"]})
    with pytest.raises(SplitError, match="has a subset 'validation', but the subsets are train, val, test"):
        extension(cohort, old, list(SHARES))


def test_recordings_that_are_gone_are_told(make_cohort):
    cohort = make_cohort(participants=6, procedures=0, strong=0)
    known = extension(cohort, pd.DataFrame({"id": ["vanished"], "subset": ["val"]}), list(SHARES))
    assert known.gone == ("vanished",)
    assert "1 recordings of the released split are not there any more: vanished" in known.notes()


def test_a_released_file_is_extended_by_the_scheme_balanced(make_cohort, tmp_path):
    cohort = make_cohort(participants=8, procedures=0, strong=0)
    first = cohort.people[cohort.people.participant == cohort.participants[0]].id
    (tmp_path / "old.csv").write_text("id;split\n" + "".join(f"{id_};test\n" for id_ in first))
    p = BalancedParams(SHARES, True, "old.csv", "balanced", ("GRS",))
    made = make("balanced", cohort, p, Setting(0, SHORT, tmp_path))["balanced"]
    assert set(made.rows.subset[made.rows.id.isin(first)]) == {"test"}


def test_recordings_of_other_tasks_are_not_gone_when_every_task_is_extended_by_itself(make_cohort, tmp_path):
    cohort = make_cohort(participants=8, procedures=0, strong=0)
    p = BalancedParams(SHARES, False, None, "balanced", ("GRS",))
    setting = Setting(0, SHORT, tmp_path)
    before = make("lasana", cohort, p, setting)
    rows = [row for made in before.values() for row in made.rows[["id", "subset"]].itertuples(index=False, name=None)]
    (tmp_path / "old.csv").write_text("id,subset\n" + "".join(f"{id_},{subset}\n" for id_, subset in rows))
    after = make("lasana", cohort, BalancedParams(SHARES, False, "old.csv", "balanced", ("GRS",)), setting)
    for name, made in after.items():
        pd.testing.assert_frame_equal(made.rows, before[name].rows)
        assert made.notes == ()


def named(cohort):
    """The same cohort, with what the curator calls its recordings."""
    return replace(cohort, people=cohort.people.assign(recording=[f"peg {i:02d}" for i in range(len(cohort.people))]))


def test_a_released_split_that_names_recordings_as_the_curator_does_moves_nobody(make_cohort, tmp_path):
    cohort = named(make_cohort(participants=8, procedures=0, strong=0))
    place = dict(zip(cohort.participants, ["test", "test", "test", "val", "val", "train", "train", "train"], strict=True))
    old = "".join(f"{row.recording},{place[row.participant]}\n" for row in cohort.people.itertuples())
    (tmp_path / "old.csv").write_text(f"recording,subset\n{old}")
    made = make("lasana", cohort, BalancedParams(SHARES, False, "old.csv", "balanced", ("GRS",)), Setting(0, SHORT, tmp_path))
    assert sorted(made) == ["lasana.Knot", "lasana.Peg"]
    subset = pd.concat([one.rows for one in made.values()]).set_index("id").subset
    assert subset[cohort.people.id].tolist() == cohort.people.participant.map(place).tolist()
    assert [one.doubts for one in made.values()] == [(), ()]


def test_an_id_that_is_a_name_in_another_task_places_the_recording_of_that_id(make_cohort, tmp_path):
    cohort = named(make_cohort(participants=8, procedures=0, strong=0))
    people = cohort.people
    knot, peg = (people[(people.participant == cohort.participants[0]) & (people.task == task)].index[0] for task in ("Knot", "Peg"))
    people.loc[peg, "recording"] = people.id[knot]
    (tmp_path / "old.csv").write_text(f"id,subset\n{people.id[knot]},test\n")
    made = make("lasana", cohort, BalancedParams(SHARES, False, "old.csv", "balanced", ("GRS",)), Setting(0, SHORT, tmp_path))
    assert made["lasana.Knot"].rows.set_index("id").subset[people.id[knot]] == "test"
    assert [one.doubts for one in made.values()] == [(), ()]
    alone = make("lasana", cohort, BalancedParams(SHARES, False, None, "balanced", ("GRS",)), Setting(0, SHORT, tmp_path))
    pd.testing.assert_frame_equal(made["lasana.Peg"].rows, alone["lasana.Peg"].rows)


def test_a_row_that_names_nobody_is_said_by_its_line_in_the_run_and_who_withdrew_is_not(make_cohort, tmp_path):
    cohort = named(make_cohort(participants=8, procedures=0, strong=0))
    (tmp_path / "old.csv").write_text("recording,subset\npeg 00,test\npge 01,test\nvanished,train\nwithdrew,train\n")
    p = BalancedParams(SHARES, True, "old.csv", "balanced", ("GRS",))
    setting = Setting(0, SHORT, tmp_path, withdrawn=frozenset({"withdrew"}))
    (doubt,) = make("balanced", cohort, p, setting)["balanced"].doubts
    assert doubt.startswith(
        "old.csv, lines 3-4: 2 released recordings of it are not there any more; correct a name that is misspelt, or its"
    )
    assert warnings({"schemes": [{"scheme": "balanced", "doubts": [doubt]}]}) == [f"split 'balanced': {doubt}"]
    assert not any(name in note for note in make("balanced", cohort, p, setting)["balanced"].notes for name in ("pge", "vanished"))


def test_a_recording_that_stands_twice_under_two_names_is_an_error_with_both(make_cohort, tmp_path):
    cohort = named(make_cohort(participants=8, procedures=0, strong=0))
    id_ = cohort.people.id[0]
    (tmp_path / "old.csv").write_text(f"recording,subset\n{id_},test\npeg 00,test\n")
    p = BalancedParams(SHARES, True, "old.csv", "balanced", ("GRS",))
    with pytest.raises(SplitError, match=rf"line 3: recording 'peg 00' stands twice \(as '{id_}' in line 2\)"):
        make("balanced", cohort, p, Setting(0, SHORT, tmp_path))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("id,subset\na,train\na,test\n", "line 3: recording 'a' stands twice"),
        ("id,subset\na,\n", "line 2: the cell 'subset' is empty"),
        ("id,place\na,train\n", "no column is named subset or split; name it; there are id, place"),
        ("id,subset\na,train,x\n", "line 2: expected 2 cells, but got 3"),
        ("", "it is empty"),
        ("id,id\na,b\n", "line 1: column 'id' stands twice"),
    ],
)
def test_a_released_file_that_is_none_is_an_error_with_its_row(tmp_path, text, says):
    path = tmp_path / "old.csv"
    path.write_text(text)
    with pytest.raises(SplitError, match=says):
        read_released(path)
