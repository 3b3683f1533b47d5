"""Whatever still names somebody who withdrew is passed over by every reader, also what is wrong; the same of others is a fault as ever."""

import pytest

from scrubin.audit.expected.private_columns import Public
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ManifestError, RatingsError
from scrubin.base.faults import Faults
from scrubin.ratings.rater_files import read_folder, without
from scrubin.ratings.rater_sheet import RaterSheet, RatingRow
from scrubin.stages import pseudonymize, recordings_list
from scrubin.stages.annotations import sources
from scrubin.stages.annotations.params import SourceParams
from scrubin.stages.ingest import manifest
from scrubin.stages.ingest.manifest import TaskParams
from scrubin.stages.review import redaction_sheet

GONE = Memory().with_participants(["Ann"]).with_recording("a1", "consent", {"id": ["glimst"], "path": ["videos/a1.mkv"]}, [])
TASKS = {"T": TaskParams(("mono",), None, "exclude")}
HEADER = ",".join(recordings_list.COLUMNS) + "\n"


@pytest.mark.parametrize(
    "row", ["a1,Ann,,,T,mono,videos/a1.mkv,,,", "a1,Ann,,,No task,mono,elsewhere,x,,", "a1,Ann,too,few", ",Ann,,,T,mono,videos/x.mkv,,,"]
)
def test_their_rows_in_the_list_of_recordings_say_nothing_any_more(row):
    listed = manifest.parse(f"{HEADER}b1,Ben,,,T,mono,videos/b1.mkv,,,\n{row}\n".encode(), TASKS, GONE)
    assert (list(listed.recordings), listed.problems) == (["b1"], [])


def test_a_raw_file_of_theirs_without_a_row_is_not_named_and_any_other_is(tmp_path):
    (tmp_path / "videos").mkdir()
    for name in ("a1.mkv", "c1.mkv"):
        (tmp_path / "videos" / name).touch()
    problems = manifest.files_without_row(tmp_path, HEADER.encode(), GONE)
    assert [problem.recording for problem in problems] == ["videos/c1.mkv"]


def test_their_ids_are_never_given_again():
    key = b"k" * 32
    first = pseudonymize.assign(["a1"], key, {}, 2)["a1"]
    known = Memory().with_recording("a1", "consent", {"id": [first]}, [])
    # The same name would get the same id by the same key.
    assert pseudonymize.assign(["a1"], key, {}, 2, known)["a1"] != first
    assert pseudonymize.assign(["b1"], key, {}, 2, known) == pseudonymize.assign(["b1"], key, {}, 2)


def test_their_ratings_are_passed_over_by_name_and_by_id():
    rows = tuple(
        RatingRow("f.csv", number, {"id": name, "points": "no number"}) for number, name in enumerate(["a1", "b1", "glimst"], start=2)
    )
    (left,) = without([RaterSheet("f.csv", "T", "1", False, ("id", "points"), rows, 1)], GONE)
    assert [row.cells["id"] for row in left.rows] == ["b1"]


def test_a_sheet_of_a_task_of_which_only_they_are_rated_is_passed_over_and_one_of_an_unknown_task_is_not(tmp_path):
    header = "id,depth\n"
    (tmp_path / "T_rater1.csv").write_text(f"{header}b1,3\n")
    (tmp_path / "Peg_rater1.csv").write_text(f"{header}a1,3\nglimst,4\n")
    (tmp_path / "ratings.csv").write_text("id,task,rater,depth\nb1,T,2,4\na1,Knot,2,4\n")
    assert [(sheet.task, sheet.rater) for sheet in read_folder(tmp_path, ["T"], GONE)] == [("T", "1"), ("T", "2")]
    # What `scrubin remove` leaves of it.
    (tmp_path / "Peg_rater1.csv").write_text(header)
    assert [(sheet.task, sheet.rater) for sheet in read_folder(tmp_path, ["T"], GONE)] == [("T", "1"), ("T", "2")]
    (tmp_path / "Peg_rater1.csv").write_text(f"{header}a1,3\nc1,4\n")
    with pytest.raises(RatingsError, match=r"Peg_rater1.csv: .*no recording of task 'Peg'"):
        read_folder(tmp_path, ["T"], GONE)


def test_their_label_files_are_passed_over_and_others_of_nobody_are_a_fault(tmp_path):
    folder = tmp_path / "annotations/cholect50"
    folder.mkdir(parents=True)
    for name in ("a1", "b1", "c1"):
        (folder / f"{name}.json").write_text("no labels")
    faults = Faults()
    found = sources.find(tmp_path, [SourceParams("cholect50", "annotations/cholect50", "cholect50", None)], {"b1"}, faults, GONE)
    assert [batch.recording for batch in found] == ["b1"]
    assert [fault.file for fault in faults.all()] == ["annotations/cholect50/c1.json"]


def test_their_decisions_in_a_sheet_are_passed_over_and_others_of_nobody_stop_everything():
    text = ",".join(redaction_sheet.COLUMNS) + "\na1,,nonsense,9,1,,,,,\nb1,,text,,,1,1,8,8,add\n"
    assert [row.recording for row in redaction_sheet.parse(text.encode(), {"b1": ("mono",)}, withdrawn=GONE).rows] == ["b1"]
    with pytest.raises(ManifestError, match="'c1' is no recording"):
        redaction_sheet.parse(text.replace("a1", "c1").encode(), {"b1": ("mono",)}, withdrawn=GONE)


def test_a_release_may_say_how_many_recordings_and_never_which():
    public = Public(frozenset({"blivka"}))
    assert public.may_be("recordings", 3)
    assert not public.may_be("recordings", ["a1"])
    assert not public.may_be("recording", 3)
