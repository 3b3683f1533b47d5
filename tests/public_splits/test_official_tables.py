"""Official splits against what their sources print: users, trials, sequences, folders."""

from __future__ import annotations

import pytest

from scrubin.public_splits import catalogue
from scrubin.public_splits.datasets import dataset
from scrubin.public_splits.selection import select

USERS = "BCDEFGHI"
# Gao et al. 2014: eight users, five repetitions of each task; these have no gesture labels.
MISSING = {
    "Suturing": "H002",
    "Knot_Tying": "B005 H001 H002 I004",
    "Needle_Passing": "B005 E002 F002 F005 G001 G002 G003 G004 G005 H001 H003 I001",
}
TRIALS = {"Suturing": 39, "Knot_Tying": 36, "Needle_Passing": 28}


def trials(task):
    """Return every labelled trial of a task as (user, repetition), from the letters and numbers alone."""
    missing = {(name[0], int(name[1:])) for name in MISSING[task].split()}
    return {(user, repetition) for user in USERS for repetition in range(1, 6)} - missing


def by_name(videos, task):
    """Return trials of one task by user and repetition."""
    assert all(video.startswith(f"{task}_") for video in videos)
    return {(video[-4], int(video[-3:])) for video in videos}


def ids(videos):
    return {video.id for video in select(videos).videos}


def jigsaws(task, protocol):
    return catalogue.load(f"jigsaws/{task.casefold().replace('_', '-')}-{protocol}")


@pytest.mark.parametrize("task", MISSING)
def test_jigsaws_has_the_trials_of_eight_users_but_for_the_missing_ones(task):
    assert len(trials(task)) == TRIALS[task]
    for protocol in ("loso", "louo"):
        split = jigsaws(task, protocol)
        assert by_name(split.videos, task) == trials(task)
        for placed in split.placed.values():
            assert by_name(placed["train"] + placed["test"], task) == trials(task)
    assert by_name(dict(dataset("jigsaws").parts)[task.casefold().replace("_", "-")], task) == trials(task)


@pytest.mark.parametrize("task", MISSING)
def test_leave_one_user_out_leaves_out_each_user_once_and_whole(task):
    left_out = []
    for placed in jigsaws(task, "louo").placed.values():
        users = {user for user, _ in by_name(placed["test"], task)}
        assert len(users) == 1
        assert not users & {user for user, _ in by_name(placed["train"], task)}
        left_out += users
    assert left_out == [user for user in USERS if any(user == of for of, _ in trials(task))]


@pytest.mark.parametrize("task", MISSING)
def test_leave_one_super_trial_out_leaves_out_each_repetition_once_and_whole(task):
    left_out = []
    for placed in jigsaws(task, "loso").placed.values():
        repetitions = {repetition for _, repetition in by_name(placed["test"], task)}
        assert len(repetitions) == 1
        assert not repetitions & {repetition for _, repetition in by_name(placed["train"], task)}
        left_out += repetitions
    assert left_out == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("task", MISSING)
def test_people_are_said_to_be_on_both_sides_exactly_where_they_are(task):
    for protocol in ("loso", "louo"):
        split = jigsaws(task, protocol)
        sides = [[{user for user, _ in by_name(videos, task)} for videos in placed.values()] for placed in split.placed.values()]
        assert all(bool(train & test) == bool(split.people) for train, test in sides)
        assert select(f"{split.name}@1:train").note == split.people


def test_cholecinstanceseg_has_the_printed_sequences():
    """README.md, commit c1953a0: 17 sequences of CholecSeg8k, 50 of CholecT50, 28 of Cholec80; the split file has 55, 18, 22."""
    placed = {subset: set(videos) for subset, videos in catalogue.load("cholecinstanceseg").placed[0].items()}
    sequences = {}
    for subset, videos in placed.items():
        of_seg8k, of_t50 = videos & ids("cholecseg8k"), videos & ids("cholect50")
        sequences[subset] = len(of_seg8k), len(of_t50), len(videos - of_seg8k - of_t50)
    assert sequences == {"train": (10, 45, 0), "val": (3, 1, 14), "test": (4, 4, 14)}
    assert [sum(counts) for counts in sequences.values()] == [55, 18, 22]
    assert [sum(counts) for counts in zip(*sequences.values(), strict=True)] == [17, 50, 28]
    assert ids("cholect50/challenge:test") <= placed["train"]


def test_cholectrack20_has_the_printed_videos():
    """README.md, commit 3968eee: ten, two and eight; its figure of overlaps has 15 videos of Cholec80 and 14 of CholecT50."""
    placed = catalogue.load("cholectrack20").placed[0]
    assert {subset: len(videos) for subset, videos in placed.items()} == {"train": 10, "val": 2, "test": 8}
    assert "2" in placed["train"]
    videos = {video for videos in placed.values() for video in videos}
    assert videos & ids("cholec80") - ids("cholect50") == {"7", "11", "17", "30", "37", "39"}
    assert videos - ids("cholec80") == {"92", "96", "103", "110", "111"}
    assert len(videos & ids("cholect50")) == 14


def test_weights_of_endovit_have_not_seen_what_its_split_of_cholecseg8k_holds_out():
    seen = {video.id for video in select("endovit-seg").videos if video.dataset == "cholec80"}
    placed = catalogue.load("cholecseg8k/endovit").placed[0]
    assert not seen & {*placed["val"], *placed["test"]}
    assert set(placed["train"]) <= seen
    assert ids("cholec80") - seen == {*placed["val"], *placed["test"]}


def test_grasp_trains_on_the_cases_of_psi_ava_and_tests_on_new_ones():
    placed = catalogue.load("grasp").placed[0]
    assert {f"psiv{case}" for case in placed["train"]} == set(dataset("psi-ava").videos)
    assert placed["test"] == ("41", "47", "50", "51", "53")


def test_the_two_folds_of_psi_ava_change_places():
    first, second = catalogue.load("psi-ava/2fold").placed.values()
    assert (first["train"], first["test"]) == (second["test"], second["train"])
    assert first["train"] == ("psiv1", "psiv4", "psiv14", "psiv15")


def test_the_names_of_m2cai16_say_the_side():
    placed = catalogue.load("m2cai16-workflow").placed[0]
    assert placed["train"] == tuple(f"workflow_video_{number:02d}" for number in range(1, 28))
    assert placed["test"] == tuple(f"test_workflow_video_{number:02d}" for number in range(1, 15))
    assert catalogue.load("m2cai16-tool").placed[0]["test"] == ("11", "12", "13", "14", "15")


def test_every_new_source_says_when_it_was_read_and_from_which_state():
    older = ("cholec80", "cholect4", "cholect5", "endoscapes", "prostatd")
    for name in catalogue.available():
        if not name.startswith(older):
            assert "2026-11-25" in catalogue.load(name).source, name
