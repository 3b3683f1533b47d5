from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

import review_study
from scrubin.base.errors import ReviewError
from scrubin.stages.release.certificate import attention as attention_said
from scrubin.stages.review import Ledger, attention, result
from scrubin.stages.review.attention import Clock, Look
from scrubin.stages.review.events import PERSON

SINGLE = 1
OLD = {"view": "sheet", "stills": [[0, 20, 4]], "seconds": [[0, 3]]}


def test_96_small_stills_for_a_fifth_of_a_second_are_not_looked_at():
    assert "too small" in attention.why_not("sheet", 96, Look(0.2, 1, 46))
    assert attention.why_not("sheet", 96, Look(0.2, 1, 90)) == "23.8 s more for these 96 stills: each needs 0.25 s"
    assert attention.why_not("sheet", 96, Look(24.0, 1, 90)) == ""
    assert "before a person goes on" in attention.why_not("sheet", 96, Look(24.0, 0, 90))


def test_no_moment_is_spent_twice_though_looks_at_sheet_and_lens_take_turns():
    now = [0.0]
    clock = Clock(lambda: now[0])
    # The sheet is sent at 0; from 5 to 8 the person looks at a lens, then at the sheet again.
    now[0] = 8.0
    clock.spend(2.75, 5.1)
    now[0] = 13.0
    clock.spend(10.0, 0.0)
    with pytest.raises(ReviewError, match=r"only 0\.2 s have passed"):
        clock.spend(0.5, 0.0)


def test_what_was_spent_in_another_session_cannot_be_spent_here():
    now = [0.0]
    clock = Clock(lambda: now[0])
    now[0] = 10.0
    clock.take(8.0)
    with pytest.raises(ReviewError, match=r"only 2\.0 s"):
        clock.spend(3.0, 0.0)
    clock.spend(2.0, 0.0)


def old_line(folder):
    with review_study.desk(folder) as desk:
        file = desk.file(SINGLE, "mono")
        Ledger(folder / "data/private/decisions.jsonl").append(
            "seen", {"recording": "single", "camera": "mono", "sha256": file.sha256, **OLD}, by="ann", session="before"
        )


def test_lines_of_before_attention_was_measured_are_read_and_count_nothing(folder):
    old_line(folder)
    with review_study.desk(folder) as desk:
        assert desk.recordings()[SINGLE].unseen_s == 4
        assert "1 line of an earlier edition says nothing of how it was looked at" in " ".join(desk.recording(SINGLE).missing)
        said = result.document(desk.reviewed, desk.standing, desk.lines(), folder / "data/raw")
        assert "1 line of the ledger from an earlier edition: on a screen for 0.2 s, no longer counted as seen" in said["warnings"]
        assert said["attention"]["looked_s"] == 0
        review_study.see(desk, SINGLE, "mono", "sheet", [0, 20, 40, 60])
        assert desk.recordings()[SINGLE].unseen_s == 0


def test_attention_is_summed_over_what_was_newly_seen_and_looking_again_changes_nothing(folder):
    with review_study.desk(folder) as desk:

        def summary():
            return result.document(desk.reviewed, desk.standing, desk.lines(), folder / "data/raw", 0.02)["attention"]

        desk.seen(SINGLE, "mono", "sheet", [0, 20], Look(3.0, 2, 120, sheet=True))
        desk.seen(SINGLE, "mono", "sheet", [40, 60], Look(5.0, 2, 96, sheet=True))
        assert summary() == {
            "looked_s": 8.0,
            "sheets": 2,
            "median_sheet_s": 4.0,
            "still_height_px": 96,
            "least_still_s": 0.25,
            "least_height_px": 90,
            "checks": {"person": {"shown": 0, "noticed": 0}, "name": {"shown": 0, "noticed": 0}},
            "checks_share": 0.02,
        }
        before = summary()
        review_study.see(desk, SINGLE, "mono", "sheet", [0, 20])
        assert summary() == before


def test_the_height_that_is_stated_is_of_sheets_because_lower_stills_of_the_lens_count_too(folder):
    with review_study.desk(folder) as desk:
        desk.seen(SINGLE, "mono", "sheet", [0, 20, 40, 60], Look(5.0, 2, 96, sheet=True))
        assert desk.seen(SINGLE, "mono", "lens", list(range(8)), Look(1.0, 2, 64)) is not None
        said = result.document(desk.reviewed, desk.standing, desk.lines(), folder / "data/raw", 0.02)["attention"]
    assert (said["looked_s"], said["still_height_px"]) == (6.0, 96)
    checks = {kind: {**counted, "low": None, "high": None} for kind, counted in said["checks"].items()}
    says = next(iter(attention_said.sentences({**said, "checks": checks})))
    assert says.endswith("and the smallest still of a sheet that counted was 96 px high.")


def test_a_stop_is_seen_at_full_size_and_a_recording_is_not_done_before(folder):
    review_study.stop(folder, ("single", "mono", 30, "scene"), ("single", "mono", 44, "jump"))
    with review_study.desk(folder) as desk:
        review_study.see(desk, SINGLE, "mono", "lens", range(70))
        # In the lens a jump can be seen, a small name cannot.
        assert desk.recording(SINGLE).files[0].unseen_stops == (30,)
        assert desk.recordings()[SINGLE].stops_missing == 1
        said = result.document(desk.reviewed, desk.standing, desk.lines(), folder / "data/raw")
        (single,) = [one["files"][0] for one in said["recordings"] if one["recording"] == "single"]
        assert (single["stops"], single["unseen_stops"]) == (2, [1.5])
        review_study.see(desk, SINGLE, "mono", "full", [30])
        assert desk.recordings()[SINGLE].stops_missing == 0


class Left:
    done, lenses_missing, stops_missing = False, 0, 0

    def __init__(self, unseen_s):
        self.unseen_s = unseen_s


def work_of(lines):
    work = attention.Work()
    work.take(lines)
    return work


def test_time_left_goes_down_steadily_also_with_a_long_look_and_a_pause(folder):
    with review_study.desk(folder) as desk:
        lines = [review_study.see(desk, SINGLE, "mono", "sheet", [frame]) for frame in range(60)]
    said, at_s = [], 0
    for place, line in enumerate(lines):
        at_s += 110 if place == 30 else 40 if place == 45 else 6 * (1 + place % 3)
        lines[place] = replace(line, at=f"2026-01-01T00:{at_s // 60:02d}:{at_s % 60:02d}+00:00")
        said.append(attention.progress([Left(3600 - 20 * place)], work_of(lines[: place + 1]), "ann").seconds_left)
    steps = [after / before for before, after in pairwise(said)]
    assert max(steps) < 1.15, steps
    assert min(steps) > 0.85, steps


def test_time_left_follows_how_many_seconds_one_still_stands_for_once_they_fold(folder):
    left = [Left(3600)]

    def said(times, limit, folds):
        with review_study.desk(folder) as desk:
            looked = review_study.see(desk, SINGLE, "mono", "sheet", [0])
            stood = desk.folded(SINGLE, "mono", {0: [(1, 1)]}, limit)
        lines = [line for _ in range(times) for line in (looked, replace(stood, facts={**stood.facts, "seconds": [[1, 6]]}))]
        at = [replace(line, at=f"2026-01-01T00:{place // 60:02d}:{place % 60:02d}+00:00") for place, line in enumerate(lines)]
        return attention.progress(left, work_of(at), "ann", folds).seconds_left

    unfolded = said(600, 0.1, 0.0)
    # Each still stands for itself and six more: a seventh of the stills are left, one more as the beginning is reckoned unfolded.
    assert said(600, 0.1, 0.1) / unfolded == pytest.approx(660 / (660 + 3600))
    assert said(6, 0.1, 0.1) / said(6, 0.1, 0.0) == pytest.approx(66 / (66 + 36))
    # What was folded less strictly than now counts nothing, here as elsewhere.
    assert said(600, 0.2, 0.1) == pytest.approx(unfolded)


def test_time_left_is_by_the_pace_of_the_person_who_is_here_and_never_below_the_attention_that_is_needed(folder):
    left, least_s = [Left(3600)], 3600 * attention.LOOK_S
    with review_study.desk(folder) as desk:
        looked = review_study.see(desk, SINGLE, "mono", "sheet", [0])

    def lines(by, every_s, times=300):
        at = [divmod(place * every_s, 60) for place in range(times)]
        return [replace(looked, by=by, session=by, at=f"2026-01-01T{m // 60:02d}:{m % 60:02d}:{s:02d}+00:00") for m, s in at]

    ledger = [*lines(PERSON, 0), *lines("slow", 40), *lines("fast", 0)]
    said = {by: attention.progress(left, work_of(ledger), by) for by in ("new", PERSON, "slow", "fast")}
    assert {by: one.seconds_left for by, one in said.items() if by in ("new", PERSON)} == {"new": None, PERSON: None}
    assert said["fast"].seconds_left > least_s
    assert said["slow"].seconds_left > 10 * said["fast"].seconds_left
    assert attention.progress(left, work_of(lines("fast", 0, 9000)), "fast").seconds_left == least_s
    assert {one.attention_s for one in said.values()} == {least_s}
