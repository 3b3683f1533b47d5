"""Not rated is not failed: an aspect, or a whole recording, that a rater could not judge is undefined, and counts for nothing."""

from __future__ import annotations

import math

import pytest

from scrubin.base.errors import ParamsError, RatingsError
from scrubin.ratings import FailedMark, scoring
from scrubin.ratings.entries import read_entries
from scrubin.ratings.lasana import annotation_text
from scrubin.ratings.rater_files import read_folder

TASKS = {"papepu": "Knot", "nonidu": "Knot", "golaso": "Knot"}
ASPECTS = ("depth_perception", "efficiency", "bimanual_dexterity", "tissue_handling")
FIRST, LAST = "papepu;1;3;3;4;5;15", "golaso;1;1;1;2;1;5"
HEADER = "id;rater;depth_perception;efficiency;bimanual_dexterity;tissue_handling;GRS"


@pytest.fixture
def read(write_sheet, make_roster, make_params):
    def read(*rows, header=HEADER, **changes):
        sheets = read_folder(write_sheet("Knot_rater1.csv", list(rows), header=header), ("Knot",))
        return read_entries(sheets, make_roster(TASKS), make_params(**changes))

    return read


def test_a_recording_that_was_not_rated_is_no_failed_one_and_is_counted(read, make_roster):
    entries = read(FIRST, "nonidu;1;" + ";".join(["Not rated"] * 5), LAST)
    assert set(entries.ratings.id) == {"papepu", "golaso"}
    assert not entries.ratings.failed.any()
    assert entries.not_rated == {("Knot", "1"): 1}
    normalised = scoring.normalise(entries.ratings, -2.5)
    skill = scoring.aggregate(normalised, make_roster(TASKS).released, ASPECTS, 1, 95).set_index("id")
    assert skill.n_ratings["nonidu"] == 0
    assert math.isnan(skill.GRS["nonidu"])


@pytest.mark.parametrize("total", ["", "not rated"])
def test_an_aspect_that_was_not_rated_is_undefined_and_so_is_the_sum(read, total):
    ratings = read(FIRST, f"nonidu;1;2;not rated;4;5;{total}", LAST).ratings
    of = ratings[ratings.id == "nonidu"].set_index("aspect")
    assert not of.failed.any()
    assert set(of.index[of.score.isna()]) == {"GRS", "efficiency"}
    normalised = scoring.normalise(ratings, -2.5)
    assert set(normalised.aspect[(normalised.id == "nonidu") & normalised.score.isna()]) == {"GRS", "efficiency"}


def test_a_sum_beside_an_aspect_that_was_not_rated_is_refused(read):
    with pytest.raises(RatingsError, match="line 3: GRS is 11, but efficiency is 'not rated': there is no sum"):
        read(FIRST, "nonidu;1;2;not rated;4;5;11")


def test_an_empty_score_beside_one_that_was_not_rated_is_refused(read):
    with pytest.raises(RatingsError, match=r"line 3: depth_perception, GRS empty beside given scores; .*'not rated' where the rater"):
        read(FIRST, "nonidu;1;;not rated;4;5;")


def test_with_a_failed_mark_a_row_can_be_not_rated(read):
    mark = FailedMark("failed", "x")
    entries = read(f"{FIRST};", "nonidu;1;" + ";".join(["not rated"] * 5) + ";", f"{LAST};", header=f"{HEADER};failed", failed_mark=mark)
    assert entries.not_rated == {("Knot", "1"): 1}


def test_without_the_word_such_a_cell_is_no_score(read):
    with pytest.raises(RatingsError, match="efficiency is 'not rated', not a number"):
        read(FIRST, "nonidu;1;2;not rated;4;5;15", not_rated=None)


@pytest.mark.parametrize("word", ["", "n/a", "3", "3,5", " x"])
def test_a_word_that_means_something_else_is_refused(make_params, word):
    with pytest.raises(ParamsError, match=r"scores\.not_rated"):
        make_params(not_rated=word)


def test_released_sheets_say_it_in_the_same_words_and_are_read_again(read, write_sheet, make_roster, make_params):
    ratings = read(FIRST, "nonidu;1;2;not rated;4;5;", LAST).ratings
    text = annotation_text.rater_csv("Knot", "1", ratings, ASPECTS)
    assert "nonidu;1;2;not rated;4;5;not rated" in text.splitlines()
    folder = write_sheet("Knot_rater1.csv", text.splitlines()[1:], header=text.splitlines()[0])
    again = read_entries(read_folder(folder, ("Knot",)), make_roster(TASKS), make_params()).ratings
    assert again.equals(ratings)


def test_decimal_commas_of_a_spreadsheet_are_scores(read):
    ratings = read("papepu;1;3,5;3;4,0;5;15,5", LAST, step=0.5).ratings
    assert ratings[ratings.id == "papepu"].set_index("aspect").score["GRS"] == 15.5


def test_a_number_that_can_be_read_in_two_ways_is_refused_with_its_line(read):
    with pytest.raises(RatingsError, match=r"line 2: efficiency is '3,500': a decimal separator, or one of thousands\?"):
        read("papepu;1;3;3,500;4;5;15")
