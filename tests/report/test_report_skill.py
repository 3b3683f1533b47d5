"""The page's section on skill: every measure of agreement, and what the curator must look at."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pandas as pd
import pytest

import reported_study
from scrubin.base import params
from scrubin.ratings import ScoresParams, agreement
from scrubin.stages.report import skill


@pytest.fixture(scope="module")
def section(study, tmp_path_factory):
    release = reported_study.write_frames(study, tmp_path_factory.mktemp("release"))
    html = reported_study.page_without_pictures(study, release)
    found = html[html.index('<section id="skill">') : html.index('<section id="splits">')]
    return re.sub(r'src="data:[^"]*"', "", found)


def test_agreement_tells_every_measure_and_which_recordings_it_rests_on(study):
    grs, efficiency = skill.agreement(study)[:2]
    assert (grs["aspect"], efficiency["aspect"]) == ("GRS", "efficiency")
    assert grs["icc"] == {"n": 3, "k": 2, "left_out": 1}
    assert grs["icc_one"] == {"value": 0.61, "low": 0.2, "high": None}
    assert (grs["alpha"], grs["kappa"]) == (0.28, None)  # interval; a total has no categories
    assert (efficiency["alpha"], efficiency["kappa"]) == (0.29, 0.33)  # ordinal; quadratic weights


def test_the_caption_of_agreement_says_what_counts_of_a_recording_that_one_rater_marked_as_failed(section):
    rows = [(rater, id_, "GRS", 1.0 + place, (rater, id_) == ("3", "a")) for rater in "123" for place, id_ in enumerate("abc")]
    scores = pd.DataFrame(rows, columns=["rater", "id", "aspect", "score", "failed"])
    p = dataclasses.replace(params.load("scores", ScoresParams, Path(__file__).parents[2] / "params.yaml"), aspects=("efficiency",))
    pairs = agreement.of_scores(scores, p)["GRS"]["failed_excluded"]["raters"]["pairs"]
    assert {name: pair["n"] for name, pair in pairs.items()} == {"1-2": 3, "1-3": 2, "2-3": 2}
    assert "A recording that a rater marked as failed is left out for this rater; what the others scored of it counts" in section


def test_errors_tell_how_far_the_marks_agree_and_how_many_were_overruled(study):
    row = skill.errors(study)[0]
    assert (row["kappa"], row["alpha"], row["overruled"]) == (0.31, 0.27, 1)


def test_the_page_shows_intervals_and_a_dash_for_what_is_undefined(section):
    assert "0.61 [0.20, –]" in section
    assert "3 (1)" in section
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", section)
    assert {"0.28", "0.29", "0.33", "0.31", "0.27"} <= set(cells)
    assert "–" in cells


def test_unlabelled_recordings_are_counted_and_named_with_who_marked_them(study, section):
    rows = skill.unlabelled(study)
    assert f"{len(rows)} recordings without error labels" in section
    assert all(row["raters"] == ["1", "2"] and f"<td>{row['id']}</td><td>1, 2</td>" in section for row in rows)


def test_contradictions_of_all_raters_tell_who_said_what(study, section):
    rows = skill.contradictions(study)
    assert len(rows) == len(study.scores["tasks"])
    assert rows[0]["said"] == ["rater 1: failed, no error marks", "rater 2: scored, no error"]
    assert "rater 1: failed, no error marks; rater 2: scored, no error" in section


def test_a_study_in_which_everything_fits_shows_no_empty_tables(study, tmp_path):
    tasks = {
        task: {**facts, "contradictions": [], "error_marks": {**facts["error_marks"], "unlabelled": {"n": 0, "recordings": []}}}
        for task, facts in study.scores["tasks"].items()
    }
    fine = dataclasses.replace(study, scores={"tasks": tasks})
    html = reported_study.page_without_pictures(fine, reported_study.write_frames(fine, tmp_path))
    assert "without error labels" not in html
    assert "contradict the rule" not in html
