"""The page of reproduced numbers: what it says is what was printed and what was measured, and equal means equal to the printed digits."""

from __future__ import annotations

import importlib
import io
import math
import pickle
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks" / "reproduced"
HASH = re.compile(r"[0-9a-f]{40}")
PRINTED = re.compile(r"\d+\.\d+")


def _module(name: str) -> ModuleType:
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER))


comparison, page, octave, snapshot = _module("comparison"), _module("page"), _module("octave"), _module("snapshot")


def test_the_tables_on_the_page_are_those_of_the_data():
    text = page.PAGE.read_text(encoding="utf-8")
    assert text.count(page.BEGIN) == text.count(page.END) == 1
    assert page.filled(text) == text, "run: python benchmarks/reproduced/page.py"


def test_every_table_has_a_source_and_every_figure_is_as_printed():
    found = page.outcome()
    for table in page.published():
        assert {"title", "paper", "read", "repository", "files", "source", "command", "variant", "figures"} <= table.keys()
        assert HASH.fullmatch(found[table["source"]]["commit"])
        assert all(isinstance(printed, str) and PRINTED.fullmatch(printed) for printed in table["figures"].values()), (
            "quote figures: 64.0 is not 64"
        )


def test_a_difference_has_a_reason():
    found = page.outcome()
    for table, verdicts in zip(page.published(), page.counts(page.published(), found), strict=True):
        assert {"cut off", "different", "not there"} & verdicts.keys() <= table.get("reasons", {}).keys(), table["title"]


def test_the_last_row_of_the_summary_counts_all_tables():
    tables, found = page.published(), page.outcome()
    *_, last = page.summary(tables, found)
    cells = [cell.strip() for cell in last.strip("|").split("|")]
    assert cells[0] == f"all {len(tables)} tables"
    assert int(cells[1]) == sum(map(int, cells[2:])) == sum(len(table["figures"]) for table in tables)


@pytest.mark.parametrize(
    ("printed", "ours", "verdict"),
    [
        ("64.7", 64.6795, "equal"),
        ("64.7", 64.65, "equal"),
        ("64.7", 64.6499, "different"),
        ("72.2", 72.27, "cut off"),
        ("72.2", 72.30, "different"),
        ("72.2", 72.19, "equal"),
        ("72.2", 72.14, "different"),
        ("64.0", 63.71, "different"),
        ("0.5751", 0.57514, "equal"),
        ("64.0", None, "not there"),
        ("64.0", math.nan, "not there"),
    ],
)
def test_equal_is_equal_to_the_digits_printed(printed, ours, verdict):
    assert comparison.verdict(printed, ours) == verdict


@given(st.floats(0, 100), st.integers(1, 4))
def test_a_number_equals_what_is_printed_of_it_and_nothing_a_unit_away(ours, digits):
    assert comparison.verdict(f"{ours:.{digits}f}", ours) == "equal"
    assert comparison.verdict(f"{ours + 2 * 10**-digits:.{digits}f}", ours) == "different"


def test_numbers_that_one_program_calls_undefined_are_counted_apart():
    found = comparison.agreement([(1.0, 1.0), (2.0, 2.5), (None, math.nan), (math.nan, math.nan), (None, 3.0), (4.0, math.nan)])
    assert found == {"numbers": 2, "undefined": 2, "one_sided": 2, "worst": 0.5}


def test_variables_of_octave_are_read_as_it_saves_them():
    text = (
        "# Created by Octave 7.3.0\n# name: jaccard\n# type: matrix\n# rows: 2\n# columns: 2\n 26.5 NaN\n 81 100\n\n\n"
        "# name: meanAcc\n# type: scalar\n88.076811242810358\n\n\n"
    )
    found = octave.variables(text)
    assert found.keys() == {"jaccard", "meanAcc"}
    np.testing.assert_array_equal(found["jaccard"], [[26.5, math.nan], [81, 100]])
    assert found["meanAcc"].item() == 88.076811242810358


def test_transitions_are_read_from_a_drawing_to_the_second():
    m2cai = _module("m2cai")
    picture = np.empty((1500, 1500, 3))
    picture[:] = m2cai.BACKGROUND
    bottom = m2cai.TOP + m2cai.HEIGHT
    for level, second in ((0, 131), (1, 178)):  # drawn between the second before and this one, 7 elements wide
        middle = m2cai.LEFT + (second - 0.5) / m2cai.SECONDS * m2cai.WIDTH
        covered = np.clip(np.minimum(np.arange(1500) + 1, middle + 3.5) - np.maximum(np.arange(1500), middle - 3.5), 0, 1)[:, None]
        rows = slice(int(bottom - (level + 1) / 7 * m2cai.HEIGHT), int(bottom - level / 7 * m2cai.HEIGHT))
        picture[rows] += covered * (m2cai.GREEN - m2cai.BACKGROUND)
    phases = m2cai.phases_of(picture, 0, 200 * 25)
    assert [phases.index(1), phases.index(2)] == [131 * 25 - 12, 178 * 25 - 12]
    assert len(phases) == 5000
    assert set(phases) == {0, 1, 2}


def test_labels_are_data_and_run_no_program():
    reader = _module("multibypass140").Data
    assert reader(io.BytesIO(pickle.dumps({"BBP01": [{"Phase_gt": 0}]}))).load() == {"BBP01": [{"Phase_gt": 0}]}
    with pytest.raises(pickle.UnpicklingError, match="in a file of labels"):
        reader(io.BytesIO(pickle.dumps(Path()))).load()


def test_predicted_scores_are_data_and_run_no_program():
    module = _module("skill_scores")

    def saved(content):
        file = io.BytesIO()
        np.save(file, np.array(content, dtype=object))
        return file.getvalue()

    scores = {"Suturing_B001_capture1": np.array([[0.25, 0.5]], dtype=np.float32)}
    assert module.predicted(saved(scores)) == {"Suturing_B001_capture1": 0.25}
    with pytest.raises(pickle.UnpicklingError, match="in a file of predictions"):
        module.predicted(saved({"Suturing_B001_capture1": Path()}))


def test_the_global_rating_is_read_from_the_list_of_trials(tmp_path):
    module = _module("skill_scores")
    (tmp_path / "Suturing").mkdir()
    (tmp_path / "Suturing/meta_file_Suturing.txt").write_text("Suturing_B001\t\tN\t13\t\t3\t2\nSuturing_D002 \tE\t9\t\t1\t2\n\n")
    assert module.annotated(tmp_path, "Suturing") == {"Suturing_B001": 13, "Suturing_D002": 9}


def test_every_network_is_held_against_the_first_surgeon_fold_by_fold():
    row = {"name": "a", "gt": "3", "pgs_combo": "4", "pgs_surg2": "2", "pgs_only": "5", "fold": "7"}
    assert list(_module("pgs").ratings([row])) == [
        "id,task,rater,pgs",
        "a,combined fold 7,1,3",
        "a,combined fold 7,2,4",
        "a,PGS only fold 7,1,3",
        "a,PGS only fold 7,2,5",
        "a,second surgeon,1,3",
        "a,second surgeon,2,2",
    ]


def test_a_group_of_trials_becomes_a_video(tmp_path):
    cells = [("002", "1", "0"), ("001", "2", "2"), ("002", "0", "0")]
    rows = [{"subject": group, "true": true, "pred": pred} for group, true, pred in cells]
    truth, predictions = _module("skill_levels").write(rows, tmp_path)
    assert sorted(path.name for path in truth.iterdir()) == ["001.csv", "002.csv"]
    assert (truth / "002.csv").read_text() == "frame,phase_id\n0,1\n1,0\n"
    assert (predictions / "002.csv").read_text() == "frame,phase_id\n0,0\n1,0\n"


def test_a_copy_without_the_commit_is_named(tmp_path):
    with pytest.raises(SystemExit, match=r"no phase in commit 0000.*whole history"):
        snapshot.Snapshot(tmp_path, "0000").names("phase")
