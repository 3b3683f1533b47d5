"""Tables back to files: what did not change keeps its spelling."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import annotation_folder
from annotation_folder import ASPECTS
from scrubin.base.errors import RatingsError
from scrubin.ratings.lasana import reports
from scrubin.ratings.lasana.annotation_text import TRUTH_VALUE, parse
from scrubin.ratings.lasana.files import read_folder
from scrubin.ratings.lasana.recomputation import score
from scrubin.ratings.lasana.revalidation import corrected
from scrubin.ratings.lasana.tables import main_of
from scrubin.ratings.params import LASANA

SPELLINGS = {
    "lasana": {},
    "floats": {"as_float": True},
    "windows": {"lineterminator": "\r\n", "encoding": "utf-8-sig"},
    "quoted": {"quoting": 1, "na_rep": "NaN"},
    "rounded": {"float_format": "%.7f"},
    "scientific": {"as_float": True, "float_format": "%.8e", "lineterminator": "\r"},
}


@pytest.fixture(params=SPELLINGS)
def files(request, golden, tmp_path):
    folder = annotation_folder.write(tmp_path, golden["tasks"], **SPELLINGS[request.param])
    return {task.task: task for task in read_folder(folder).tasks}


@pytest.mark.cases(2)
def test_every_file_is_written_back_as_it_was(files, request):
    number = [*SPELLINGS].index(request.node.callspec.params["files"])
    # As LASANA spells, all; the spelling of a file is read without looking at its task.
    for task in [*files.values()][number - 1 :: 4] if number else files.values():
        scored = score(task, LASANA)
        assert reports.main_bytes(task.main, scored.main, scored.main, ASPECTS) == task.main.render()
        assert reports.main_bytes(task.main, scored.main, corrected(scored), ASPECTS) == task.main.render()


def test_changed_values_of_the_main_file_are_in_our_own_spelling():
    data = b"id;dropped;GRS;depth_perception;efficiency;bimanual_dexterity;tissue_handling;duration;frame_count\r\n"
    data += b"b;False;1.50;0.10;0.20;0.30;0.40;00:01:00;20.0\r\na;;1.5;;;;;00:01:00;20\r\n"
    document = parse("Peg.csv", data)
    before = main_of(document, "Peg", ASPECTS, ())
    errors = pd.concat([before.errors.assign(occurred=True), before.errors.assign(id="a")])
    skill = before.skill.assign(GRS=[None, 1 / 3])
    times = before.recordings.assign(duration_s=[60.0, 61.2], frame_count=[20, 21])
    after = replace(before, errors=errors, skill=skill, recordings=times)
    assert reports.main_bytes(document, before, after, ASPECTS) == data.replace(b"b;False;1.50;", b"b;True;;").replace(
        b"a;;1.5;;;;;00:01:00;20\r", b"a;False;0.3333333333333333;;;;;0:01:01;21\r"
    )


def test_a_recording_that_is_gone_is_removed_and_a_new_one_appended():
    data = b"id;dropped\nc;True\na;TRUE\nb;False\n"
    before = {"c": {"dropped": True}, "a": {"dropped": True}, "b": {"dropped": False}}
    after = {"b": before["b"], "c": before["c"], "d": {"dropped": True}}
    cell_types = {"dropped": TRUTH_VALUE}
    assert reports.rewritten(parse("Peg_errors.csv", data), before, after, cell_types) == b"id;dropped\nc;True\nb;False\nd;True\n"


def test_an_id_that_stands_twice_is_passed_through_but_not_rewritten():
    data = b"id;dropped\na;True\na;False\n"
    document, before = parse("Peg_errors.csv", data), {"a": {"dropped": False}}
    assert reports.rewritten(document, before, before, {"dropped": TRUTH_VALUE}) == data
    with pytest.raises(RatingsError, match=r"line 3: id 'a' stands twice, first in line 2"):
        reports.rewritten(document, before, {"a": {"dropped": True}}, {"dropped": TRUTH_VALUE})
