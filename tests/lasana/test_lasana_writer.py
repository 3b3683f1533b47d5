"""Tables back to files: what did not change keeps its spelling."""

from __future__ import annotations

import difflib
from dataclasses import replace

import pandas as pd
import pytest

import annotation_folder
from annotation_folder import ASPECTS
from scrubin.errors import RatingsError
from scrubin.lasana import writer
from scrubin.lasana.csv_document import parse
from scrubin.lasana.defaults import LASANA
from scrubin.lasana.files import read_folder
from scrubin.lasana.recomputation import score
from scrubin.lasana.revalidation import corrected
from scrubin.lasana.tables import labels_of, main_of, split_of

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


def changed_lines(old: bytes, new: bytes) -> list[str]:
    lines = difflib.ndiff(old.decode().splitlines(keepends=True), new.decode().splitlines(keepends=True))
    return [line for line in lines if line[0] in "+-"]


def test_every_file_is_written_back_as_it_was(files):
    for task in files.values():
        scored = score(task, LASANA)
        assert writer.main_bytes(task.main, scored.main, scored.main, ASPECTS) == task.main.render()
        assert writer.main_bytes(task.main, scored.main, corrected(scored), ASPECTS) == task.main.render()
        assert writer.split_bytes(task.split, scored.splits, scored.splits) == task.split.render()
        for rater, document in task.sheets.items():
            given = scored.entries.ratings[scored.entries.ratings.rater == rater]
            assert writer.sheet_bytes(document, rater, given, given.sample(frac=1, random_state=1)) == document.render()


def test_a_changed_score_changes_its_cell_only(files):
    task = files["PegTransfer"]
    ratings = score(task, LASANA).entries.ratings.query("rater == '1'")
    one = (ratings.id == "numapo") & (ratings.aspect == "efficiency")
    old = task.sheets["1"].render()
    new = writer.sheet_bytes(task.sheets["1"], "1", ratings, ratings.assign(score=ratings.score.mask(one, 4.0)))
    removed, added = (line for line in changed_lines(old, new) if "numapo" in line)
    assert added[2:].replace('"', "").split(";")[3] == "4"
    assert added[2:].split(";")[:3] + added[2:].split(";")[4:] == removed[2:].split(";")[:3] + removed[2:].split(";")[4:]


def test_changed_values_of_the_main_file_are_in_our_own_spelling():
    data = b"id;dropped;GRS;depth_perception;efficiency;bimanual_dexterity;tissue_handling;duration;frame_count\r\n"
    data += b"b;False;1.50;0.10;0.20;0.30;0.40;00:01:00;20.0\r\na;;1.5;;;;;00:01:00;20\r\n"
    document = parse("Peg.csv", data)
    before = main_of(document, "Peg", ASPECTS, ())
    errors = pd.concat([before.errors.assign(occurred=True), before.errors.assign(id="a")])
    skill = before.skill.assign(GRS=[None, 1 / 3])
    times = before.recordings.assign(duration_s=[60.0, 61.2], frame_count=[20, 21])
    after = replace(before, errors=errors, skill=skill, recordings=times)
    assert writer.main_bytes(document, before, after, ASPECTS) == data.replace(b"b;False;1.50;", b"b;True;;").replace(
        b"a;;1.5;;;;;00:01:00;20\r", b"a;False;0.3333333333333333;;;;;0:01:01;21\r"
    )


def test_a_recording_that_is_gone_is_removed_and_a_new_one_appended():
    data = b"id;split\nc;train\na;val\nb;test\n"
    document = parse("Peg_split.csv", data)
    before = split_of(document, "Peg")
    after = pd.concat([before[before.id != "a"], pd.DataFrame({"id": ["d"], "subset": ["train"]})])
    assert writer.split_bytes(document, before, after) == b"id;split\nc;train\nb;test\nd;train\n"


def test_marks_and_labels_are_written_back_with_what_changed():
    data = b"id;dropped;lost\nb;TRUE;\na;false;True\n"
    document = parse("Peg_errors.csv", data)
    before = labels_of(document, "Peg")
    assert writer.truth_bytes(document, before, before) == data
    other = before.assign(occurred=before.occurred ^ (before.id == "b"))
    assert writer.truth_bytes(document, before, other) == data.replace(b"TRUE", b"False")


def test_an_id_that_stands_twice_is_passed_through_but_not_rewritten():
    data = b"id;split\na;val\na;train\n"
    document = parse("Peg_split.csv", data)
    before = split_of(document, "Peg")
    assert writer.split_bytes(document, before, before) == data
    with pytest.raises(RatingsError, match=r"row 3: id 'a' stands twice, first in row 2"):
        writer.split_bytes(document, before, before.assign(subset="test"))
