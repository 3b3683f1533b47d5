"""Failed by an explicit mark: the mark alone decides, and scores must agree with it."""

import pytest

from scrubin.base.errors import ParamsError, RatingsError
from scrubin.ratings import FailedMark
from scrubin.ratings.entries import read_entries
from scrubin.ratings.rater_files import read_folder

TASKS = {"papepu": "Knot", "nonidu": "Knot", "golaso": "Knot"}
SCORES = "depth_perception;efficiency;bimanual_dexterity;tissue_handling;GRS"
FORMS = {"sheet": ("Knot_rater1.csv", f"id;{SCORES};failed", ""), "table": ("ratings.csv", f"id;task;rater;{SCORES};failed", "Knot;1;")}
MARK = FailedMark("failed", "True")


@pytest.fixture(params=FORMS)
def read(request, write_sheet, make_roster, make_params):
    name, header, key = FORMS[request.param]

    def read(rows, mark=MARK):
        folder = write_sheet(name, [row.replace(";", f";{key}", 1) for row in rows], header=header)
        roster = make_roster(TASKS)
        return read_entries(read_folder(folder, roster.tasks), roster, make_params(failed_mark=mark)).ratings

    return read


def failed(ratings):
    return set(ratings.id[ratings.failed])


def test_the_mark_decides(read):
    ratings = read(["papepu;3;3;4;5;15;False", "nonidu;;;;;;TRUE", "golaso;1;1;1;1;4;"])
    assert failed(ratings) == {"nonidu"}
    assert ratings.score[ratings.failed].isna().all()
    assert ratings.score[~ratings.failed].notna().all()


@pytest.mark.parametrize("cell", ["", "no", "0", "FALSE"])
def test_other_ways_to_say_no_are_understood(read, cell):
    assert failed(read([f"papepu;3;3;4;5;15;{cell}", "nonidu;;;;;;x"], FailedMark("failed", "X"))) == {"nonidu"}


BAD = {
    "no scores without the mark": (
        "papepu;;;;;;False",
        r"line 2: depth_perception, .*, GRS empty without the mark for failed; .* write 'True' into failed",
    ),
    "scores beside the mark": ("papepu;3;3;4;5;15;True", r"line 2: depth_perception 3, .* GRS 15 given although failed is 'True'; remove"),
    "a total beside the mark": ("papepu;;;;;15;true", r"line 2: GRS 15 given although failed is 'true'"),
    "half filled": ("papepu;3;;4;5;15;", r"line 2: efficiency empty beside given scores"),
    "a typo": ("papepu;3;3;4;5;15;Ture", r"line 2: failed is 'Ture', neither 'True' for failed .* did you mean 'True'"),
    "something else": ("papepu;3;3;4;5;15;perhaps", r"line 2: failed is 'perhaps', neither 'True' for failed nor False, No, 0 or empty"),
}


@pytest.mark.parametrize("case", BAD)
def test_scores_that_contradict_the_mark_are_errors(read, case):
    row, message = BAD[case]
    with pytest.raises(RatingsError, match=message):
        read([row])


def test_words_for_scores_are_named_all_at_once_with_every_way_to_say_it(read):
    every = "depth_perception, efficiency, bimanual_dexterity, tissue_handling are 'failed', not numbers; "
    ways = "write numbers with the decimal sign of the other scores, 'not rated' where the rater could not judge, or for failed "
    with pytest.raises(RatingsError) as refused:
        read(["papepu;failed;failed;failed;failed;;"])
    assert f"line 2: {every}{ways}'True' into failed and no score" in str(refused.value)
    with pytest.raises(RatingsError, match="depth_perception is 'bad', tissue_handling is 'worse': not numbers"):
        read(["papepu;bad;3;4;worse;;"])


def test_without_the_parameter_words_for_scores_say_how_a_column_can_mean_failed(write_sheet, make_roster, make_params):
    folder = write_sheet("Knot_rater1.csv", ["papepu;1;3,5;failed;failed;failed;"])
    roster = make_roster(TASKS)
    with pytest.raises(RatingsError, match=r"are 'failed', not numbers; .* no score at all; .* \(scores.failed_mark in params.yaml\)"):
        read_entries(read_folder(folder, roster.tasks), roster, make_params(step=0.5))


def test_without_the_parameter_the_column_is_unknown(read):
    with pytest.raises(RatingsError, match="line 1: column 'failed' is unknown"):
        read(["papepu;;;;;;True"], mark=None)


def test_a_sheet_without_the_column_is_an_error(write_sheet, make_roster, make_params):
    folder = write_sheet("Knot_rater1.csv", ["papepu;1;3;3;4;5;15"])
    roster = make_roster(TASKS)
    with pytest.raises(RatingsError, match=r"Knot_rater1.csv, line 1: column 'failed' is missing"):
        read_entries(read_folder(folder, roster.tasks), roster, make_params(failed_mark=MARK))


MOLTEN = {
    "failed needs no row per aspect": (["papepu,Knot,1,GRS,,True"], None),
    "contradicting rows": (
        ["papepu,Knot,1,GRS,,True", "papepu,Knot,1,efficiency,,"],
        r"line 3: failed is '', but 'True' in line 2 about the same",
    ),
    "scores beside the mark": (
        ["papepu,Knot,1,GRS,,True", "papepu,Knot,1,efficiency,3,True"],
        r"line 3: efficiency 3 given although failed is 'True'",
    ),
    "not failed and incomplete": (
        ["papepu,Knot,1,efficiency,3,False"],
        r"line 2: there is no row about depth_perception, bimanual_dexterity",
    ),
}


@pytest.mark.parametrize("case", MOLTEN)
def test_a_mark_stands_in_every_row_about_a_recording(case, write_sheet, make_roster, make_params):
    rows, message = MOLTEN[case]
    folder = write_sheet("ratings.csv", rows, header="id,task,rater,aspect,score,failed")
    roster, p = make_roster(TASKS), make_params(failed_mark=MARK)
    if message is None:
        assert failed(read_entries(read_folder(folder, roster.tasks), roster, p).ratings) == {"papepu"}
    else:
        with pytest.raises(RatingsError, match=message):
            read_entries(read_folder(folder, roster.tasks), roster, p)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"failed_mark": FailedMark("GRS", "True")}, r"scores.failed_mark.column' must name a column of its own"),
        ({"failed_mark": FailedMark("efficiency", "True")}, r"scores.failed_mark.column'"),
        ({"failed_mark": FailedMark("", "True")}, r"scores.failed_mark.column'"),
        ({"failed_mark": FailedMark("failed", "False")}, r"scores.failed_mark.value' must be a cell that means failed"),
        ({"failed_mark": FailedMark("failed", "")}, r"scores.failed_mark.value'"),
        ({"reviewer": "Schmidt", "error_rule": "reviewer"}, r"scores.reviewer' must name raters by number"),
        (
            {"complementary_raters": (("0", "02"),)},
            r"scores.complementary_raters' must name raters by number, such as \"3\", but holds '02'",
        ),
        ({"failed_grs": float("nan")}, r"scores.failed_grs' must be a finite number"),
        ({"highest": float("inf")}, r"must make a scale"),
        *(({"aspects": aspects}, r"scores.aspects") for aspects in (("task", "efficiency"), ("GRS", "a"), ())),
        ({"lowest": 5.0}, "must make a scale"),
        ({"step": 0.0}, "must make a scale"),
        ({"complementary_raters": (("0", "2"), ("2",))}, "names a rater twice"),
    ],
)
def test_parameters_that_cannot_be_meant_are_errors(make_params, changes, message):
    with pytest.raises(ParamsError, match=message):
        make_params(**changes)
