"""Criteria of the critical view of safety: annotators kept, frames that nobody judged are no labels, faults with their place."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from each import each
from fault_lines import sentences
from label_examples import EXAMPLES, changed, faults_of, read_files, said, write_files
from scrubin import cli
from scrubin.labels import marks
from scrubin.labels.files import detect
from scrubin.labels.model import Collection, Scores, mark_rows, rating_rows
from scrubin.labels.parse import sheet_xml
from verdict_cases import write_files as put

METADATA = "endo/all_metadata.csv"
TABLE = b"video,frame,C1,C2,C3\n1,29375,0.5,0.25,0\n162,25,1,0.125,0.875\n"


def test_metadata_keeps_who_said_what_and_only_judged_frames_are_labels():
    first, second = read_files("endoscapescvs", EXAMPLES["endoscapescvs"]).recordings
    assert (first.recording, second.recording) == ("1", "162")
    assert first.marks.positions.tolist() == [29375, 29500]
    assert marks.raters_of(first.marks) == ["1", "2", "3"]
    assert marks.by_rater(first.marks, ["C1", "C2"], ["1", "2", "3"])[0].tolist() == [[1, 1, 0], [0, 1, 0]]
    assert first.frames["position"].tolist() == [29375, 29400, 29500]


def test_means_are_over_those_who_judged():
    _, second = read_files("cvschallenge", EXAMPLES["cvschallenge"]).recordings
    assert marks.means(second.marks, ["C1", "C3"]).tolist() == [[1.0, 0.5], [0.0, 0.0]]
    assert np.isnan(marks.by_rater(second.marks, ["C3"], ["3"])[0, 0, 0])


def test_means_of_coco_are_marks_of_nobody_by_name():
    (labels,) = read_files("endoscapes", EXAMPLES["endoscapes"]).recordings
    assert marks.raters_of(labels.marks) == [""]
    assert marks.means(labels.marks, marks.VIEW_OF_SAFETY).tolist() == [[1.0, 1 / 3, 0.0]]


def flagged(*flags, name="endo/train/annotation_coco.json"):
    """The example with what its images say of being key frames."""
    document = json.loads(EXAMPLES["endoscapes"][name])
    for image, of_image in zip(document["images"], flags, strict=True):
        image.update({"ds": [1.0, 0.5, 0.0]} | of_image)
    return {**EXAMPLES["endoscapes"], name: (json.dumps(document) + "\n").encode()}


def test_an_image_without_its_boxes_has_no_labelled_instrument_rather_than_none_in_view():
    files = flagged({"is_det_keyframe": True, "is_ds_keyframe": True}, {"is_det_keyframe": False, "is_ds_keyframe": True})
    (labels,) = read_files("endoscapes", files).recordings
    assert (labels.instances.positions.tolist(), labels.marks.positions.tolist()) == ([29375], [29375, 29500])
    assert faults_of("endoscapes", files) == ()
    written = write_files("endoscapes", read_files("endoscapes", files))
    (again,) = read_files("endoscapes", written.files).recordings
    assert (again.instances.positions.tolist(), again.marks.positions.tolist()) == ([29375], [29375, 29500])


def test_criteria_that_an_image_has_from_an_earlier_one_are_not_kept():
    files = flagged({"is_ds_keyframe": True}, {"is_ds_keyframe": False})
    (labels,) = read_files("endoscapes", files).recordings
    assert (labels.instances.positions.tolist(), labels.marks.positions.tolist()) == ([29375, 29500], [29375])


def test_an_image_that_has_boxes_is_labelled_whatever_it_says_and_a_flag_is_true_or_false():
    (labels,) = read_files("endoscapes", flagged({"is_det_keyframe": False}, {"is_det_keyframe": False})).recordings
    assert labels.instances.positions.tolist() == [29375]
    assert "'is_det_keyframe' is \"no\"; write true or false" in said("endoscapes", flagged({"is_det_keyframe": "no"}, {}))


def test_images_that_stand_in_two_files_are_told_without_faults_of_their_annotations():
    files = {**EXAMPLES["endoscapes"], "endo/train/annotation_ds_coco.json": EXAMPLES["endoscapes"]["endo/train/annotation_coco.json"]}
    errors = sentences(faults_of("endoscapes", files), "error")
    assert errors
    assert all("stands twice in this file or in another one; keep one of them, or name the one file to read" in one for one in errors)


def test_lists_spelled_with_points_are_written_back_so():
    text = b"".join(EXAMPLES["endoscapescvs"][METADATA].splitlines(keepends=True)[:2])
    text = re.sub(rb"\[(\d), (\d), (\d)\]", rb"[\1.0, \2.0, \3.0]", text)
    assert write_files("endoscapescvs", read_files("endoscapescvs", {METADATA: text})).files["all_metadata.csv"] == text


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("0.3333333333333333,0.0,True", "0.9,0.0,True", "line 2: C2 is 0.9, the mean of its annotators 0.3333"),
        ("False", "True", "line 3: is_ds_keyframe is True, and no annotator judged it; what the annotators say counts"),
    ],
)
def test_what_contradicts_the_annotators_is_told(old, new, told):
    assert told in said("endoscapescvs", changed("endoscapescvs", ".csv", old, new), "warning")


def test_a_table_of_criteria_is_known_and_one_of_a_video_is_called_like_its_file(tmp_path):
    path = put(tmp_path / "in", {"p.csv": TABLE})
    assert detect.detected(path / "p.csv").name == "mark-tables"
    (labels,) = read_files("mark-tables", {"a/162.csv": b"frame,C1\n25,0.5\n"}).recordings
    assert (labels.recording, labels.marks.rows["value"].tolist()) == ("162", [0.5])


def test_in_the_folder_of_the_release_the_coco_files_come_first(tmp_path):
    path = put(tmp_path / "in", {**EXAMPLES["endoscapes"], **EXAMPLES["endoscapescvs"]})
    assert detect.detected(path).name == "endoscapes"
    assert detect.detected(path / METADATA).name == "endoscapescvs"


def converted(tmp_path, capsys, form, *arguments):
    code = cli.main(["convert", str(put(tmp_path / "in", EXAMPLES[form])), *arguments, "--out", str(tmp_path / "out")])
    return code, capsys.readouterr().err


def test_single_annotators_become_means_and_that_is_counted(tmp_path, capsys):
    path = str(put(tmp_path / "in", EXAMPLES["endoscapescvs"]))
    assert cli.main(["convert", path, "--to", "endoscapes", "--image-size", "854x480", "--out", str(tmp_path / "out")]) == 0
    images = json.loads((tmp_path / "out/all/annotation_coco.json").read_text())["images"]
    assert [image["ds"] for image in images] == [[2 / 3, 1 / 3, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    told = capsys.readouterr()
    assert "marks of single annotators, whose mean is written: 27" in told.err
    assert "2 recordings, 9 marks" in told.out  # three criteria of three frames


def marks_of_many_raters(form):
    """The example of a format, with a fourth annotator, a criterion more, and a frame that lacks one."""
    first, *others = read_files(form, EXAMPLES[form]).recordings
    at = int(first.marks.positions[0])
    more = mark_rows([*((at, name, "9", 1.0) for name in ("C1", "C2", "C3")), (at, "gas", "1", 1.0)])
    layer = replace(first.marks, rows=pd.concat([first.marks.rows, more], ignore_index=True))
    return Collection((replace(first, marks=layer), *others))


@pytest.mark.parametrize(("target", "lost"), [("endoscapescvs", 4), ("cvschallenge", 1)])
def test_marks_that_have_no_place_are_not_counted_as_written(target, lost):
    assert write_files(target, marks_of_many_raters("endoscapescvs")).unwritten["mark"] == lost


def test_marks_of_who_did_not_judge_all_criteria_are_not_counted_as_written():
    first, *others = read_files("endoscapescvs", EXAMPLES["endoscapescvs"]).recordings
    layer = replace(first.marks, rows=first.marks.rows.drop(index=first.marks.rows.index[first.marks.rows["mark"] == "C3"][0]))
    out = write_files("endoscapescvs", Collection((replace(first, marks=layer), *others)))
    again, *_ = read_files("endoscapescvs", out.files).recordings
    assert out.unwritten["mark"] == len(layer.rows) - len(again.marks.rows) == 2


def test_scores_that_tables_do_not_hold_are_not_counted_as_written():
    ratings = rating_rows([("V", "T", "R", "A", 1.0, False), ("V", "T", "R", "B", None, False)])
    skill = pd.DataFrame({"id": ["V"], "task": ["T"], "aspect": ["A"], "score": [1.0]})
    scores = Scores(ratings, pd.DataFrame({"id": ["V"], "task": ["T"]}), skill=skill)
    assert dict(write_files("tables", Collection(scores=scores)).unwritten) == {"rating": 1, "combined score": 1}


def test_means_alone_are_no_annotators(tmp_path, capsys):
    code, told = converted(tmp_path, capsys, "endoscapes", "--to", "cvschallenge")
    assert code == 1
    assert "1: cvschallenge needs what each annotator says, and here is only their mean; give labels of single annotators" in told


def test_annotators_of_one_data_set_go_to_the_layout_of_the_other(tmp_path, capsys):
    code, told = converted(tmp_path, capsys, "endoscapescvs", "--to", "cvschallenge")
    assert code == 0
    rows = (tmp_path / "out/1/frame.csv").read_text().splitlines()
    assert rows[1] == "35250,1,1,0,0,1,0,0,0,0"
    assert "not in cvschallenge: 'mask_path' of frames: 1" in told


def test_what_has_no_place_for_marks_is_refused(tmp_path, capsys):
    code, told = converted(tmp_path, capsys, "cvschallenge", "--to", "cholec80")
    assert code == 1
    assert "marks of annotators (35)" in told
    assert "cvschallenge, endoscapes, endoscapescvs" in told


WHOLE = "labels/1f-90/video.csv"
OF_VIDEO = b"c1_rater1,c1_rater2,c3_rater1,c3_rater2,confidence_rater1,confidence_rater2\n1,1,0,,0.5,1.0\n"


def test_what_is_said_of_a_whole_video_is_its_ratings_by_surgeon():
    collection = read_files("cvschallenge", {**EXAMPLES["cvschallenge"], WHOLE: OF_VIDEO})
    assert [labels.recording for labels in collection.recordings] == ["0a2b-ffca", "1f-90"]
    ratings = collection.scores.ratings
    said_by = {(row.rater, row.aspect): row.score for row in ratings.itertuples()}
    assert set(ratings["id"]) == {"1f-90"}
    assert said_by.pop(("2", "C3")) != said_by.get(("2", "C3"))  # not judged
    assert said_by == {("1", "C1"): 1, ("2", "C1"): 1, ("1", "C3"): 0, ("1", "confidence"): 0.5, ("2", "confidence"): 1}


ANSWERS = {"overall_outputs": [[0.5, 0.25, 1], [0, 0.125, 0.75]]}


def test_answers_to_the_challenge_count_seconds_and_are_called_like_their_folder_or_file(tmp_path):
    files = {"0a2b/cvs-criteria.json": json.dumps(ANSWERS).encode(), "out/1f.json": json.dumps(ANSWERS).encode()}
    first, second = read_files("cvschallenge-outputs", files).recordings
    assert (first.recording, second.recording) == ("0a2b", "1f")
    assert marks.means(first.marks, marks.VIEW_OF_SAFETY).tolist() == ANSWERS["overall_outputs"]
    assert first.clock.period_s == 1
    assert detect.detected(put(tmp_path / "in", files)).name == "cvschallenge-outputs"


JUDGED = b"frame,mark,rater,value\n0,C1,1,1\n0,C1,2,0\n0,C2,,0.5\n4,C1,1,\n"


def test_a_table_with_a_row_per_judgement_keeps_what_each_annotator_said(tmp_path):
    path = put(tmp_path / "in", {"162.csv": JUDGED})
    assert detect.detected(path / "162.csv").name == "mark-tables"
    (labels,) = read_files("mark-tables", {"a/162.csv": JUDGED}).recordings
    assert labels.marks.positions.tolist() == [0, 4]
    assert labels.marks.rows.to_numpy().tolist() == [[0, "C1", "1", 1.0], [0, "C1", "2", 0.0], [0, "C2", "", 0.5]]


WRONG_TABLES = [
    (TABLE, b"0.25", b"1.25", "line 2: C2 is '1.25'; give a share of annotators or a probability in 0..1, of logits their sigmoid"),
    (TABLE, b"0.25", b"nan0", "line 2: C2 is 'nan0'; give a share"),
    (TABLE, b"162,25", b"1,29375", "line 3: frame 29375 of video 1 stands twice"),
    (TABLE, b"162,25", b",25", "line 3: the cell 'video' is empty; name the video of every row"),
    (TABLE, b"\n1,29375,0.5,0.25,0\n162,25,1,0.125,0.875", b"", "p.csv: has no rows; give a row per frame, or leave the file out"),
    (
        TABLE,
        b"frame,",
        b"when,",
        "line 1: has the columns video, when, C1, C2, C3; name them video, frame and as the criteria of the labels",
    ),
    (JUDGED, b"0,C1,2,0\n", b"0,C1,1,0\n", "line 3: C1 is judged twice in the frame by 1"),
    (JUDGED, b"0,C2,,0.5", b"0,,,0.5", "line 4: the cell 'mark' is empty"),
    (JUDGED, b"0,C2,,0.5", b"0,C2,,1.5", "line 4: C2 is '1.5'"),
    (JUDGED, b"0,C1,2,0", b"0,C1,1.0,0", "line 3: rater '1.0' differs from '1' in case, spaces, dashes"),
    (JUDGED, b"0,C1,2,0", b"0,C1,#NAME?,0", "line 3: the rater is '#NAME?', an error or a formula of a spreadsheet"),
]
WRONG_VIDEOS = [
    (b"0.5,", b"1.5,", "1f-90/video.csv, line 2: confidence_rater1 is '1.5'; give a number in 0..1"),
    (b"\n1,", b"\n2,", "1f-90/video.csv, line 2: c1_rater1 is '2'; a criterion is met (1) or not (0)"),
    (b"\n", b"\n0,0,0,0,0,0\n", "1f-90/video.csv: has 2 rows; give one, for the video as a whole"),
    (OF_VIDEO, b"a,b\n1,1\n", "1f-90/video.csv, line 1: has no column such as c1_rater1; take the file of the challenge"),
]
WRONG_ANSWERS = [
    ({"overall_outputs": [[0.5, 0.25, 1], [0, 0.125]]}, "cvs-criteria.json, frame 1: expected 3 probabilities, but got [0, 0.125]"),
    ({"overall_outputs": [[0.5, 1.5, 1]]}, "frame 0: 1.5 is no probability; give numbers in 0..1"),
    ({"overall_outputs": [[0.5, "x", 1]]}, 'frame 0: "x" is no probability'),
    ({"overall_outputs": 3}, "'overall_outputs' is 3; give a list with the three probabilities of each second"),
    ({}, "cvs-criteria.json: 'overall_outputs' is null"),
    ({"overall_outputs": []}, "cvs-criteria.json: has no second; export it again"),
]
WRONG = [
    *(("mark-tables", {"p.csv": data.replace(old, new, 1)}, told) for data, old, new, told in WRONG_TABLES),
    *(("cvschallenge", {**EXAMPLES["cvschallenge"], WHOLE: OF_VIDEO.replace(old, new, 1)}, told) for old, new, told in WRONG_VIDEOS),
    *(("cvschallenge-outputs", {"0a2b/cvs-criteria.json": json.dumps(one).encode()}, told) for one, told in WRONG_ANSWERS),
    ("cvschallenge", {WHOLE: OF_VIDEO, f"more/{WHOLE}": OF_VIDEO}, "the video 1f-90 is also in labels/1f-90/video.csv"),
]


@each("form, files, told", WRONG, say=lambda form, files, told: told)
def test_what_cannot_be_used_is_refused_with_its_place(form, files, told):
    assert told in said(form, files)


def values_of(table, **options):
    (labels,) = read_files("mark-tables", {"v.csv": table}, **options).recordings
    return labels.marks.rows[["position", "mark", "value"]].to_numpy().tolist()


@pytest.mark.parametrize("name", ["fold", "seconds", "Time (s)", "comment", "Unnamed: 0", "index", "image_id", "case"])
def test_a_column_whose_name_is_that_of_none_is_no_criterion_whatever_its_values(name):
    table = f"video,frame,C1,{name}\nv,0,1,0\nv,1,0,1\n".encode()
    named = sentences(faults_of("mark-tables", {"p.csv": table}), "warning")
    assert named == (f"p.csv: not read, as it is no criterion: {name}",)
    assert values_of(table) == [[0, "C1", 1.0], [1, "C1", 0.0]]


@pytest.mark.parametrize("words", [("good", "bad"), ("good", "bad", "fair", "poor", "blurred")])
def test_words_in_a_column_of_labels_are_refused_however_many_there_are(words):
    table = "video,frame,C1,quality\n" + "".join(f"v,{i},1,{word}\n" for i, word in enumerate(words))
    told = sentences(faults_of("mark-tables", {"p.csv": table.encode()}), "error")
    assert [one.split(": ")[1].split(";")[0] for one in told] == [f"quality is '{word}'" for word in words]
    assert all(one.endswith("leave out a column that is no criterion") for one in told)


def test_decimal_commas_are_read_where_no_comma_separates_cells():
    assert values_of(b"\xef\xbb\xbfvideo;frame;C1;C2\nv;0,0;0,5;1\n") == [[0, "C1", 0.5], [0, "C2", 1.0]]
    assert values_of(b"frame;mark;rater;value\n0;C1;1;0,25\n") == [[0, "C1", 0.25]]
    told = sentences(faults_of("mark-tables", {"p.csv": b"video;frame;C1\nv;1,000;0\n"}), "error")
    assert [one.split("; ")[0] for one in told] == ["p.csv, line 2: frame is '1,000': a decimal separator, or one of thousands?"]


@pytest.mark.parametrize("cells", ["1,000;0,5", "1.000;0,5", "1,000;0"])
def test_a_share_has_no_thousands(cells):
    assert values_of(f"video;frame;C1;C2\nv;0;{cells}\n".encode())[0] == [0, "C1", 1.0]
    told = sentences(faults_of("mark-tables", {"p.csv": b"video;frame;C1\nv;0;1.000,5\n"}), "error")
    assert [one.split("; ")[0] for one in told] == ["p.csv, line 2: C1 is '1.000,5': a decimal separator, or one of thousands?"]


def test_a_video_whose_number_pandas_wrote_with_a_decimal_comma_has_its_name():
    found = read_files("mark-tables", {"p.csv": b"video;frame;C1\n1,0;0;0,5\n2,5;0;1\n"})
    assert [labels.recording for labels in found.recordings] == ["1", "2,5"]


FILE = "cholec80-CVS.xlsx"
HEADER = ["video", "initial_minute", "initial_second", "final_minute", "final_second", *("two_structures", "cystic_plate")]
HEADER = [*HEADER, "hepatocystic_triangle", "Total", "critical_view"]


def sheet(*rows, header=HEADER):
    return {FILE: sheet_xml.workbook([header, *rows])}


def seconds_of(*rows):
    """Return the three values of each second of the one video: C1, C2, C3."""
    (labels,) = read_files("cholec80cvs", sheet(*rows)).recordings
    values = marks.means(labels.marks, marks.VIEW_OF_SAFETY).tolist()
    return dict(zip(labels.marks.positions.tolist(), values, strict=True))


def told(severity, *rows, header=HEADER):
    return "\n".join(sentences(faults_of("cholec80cvs", sheet(*rows, header=header)), severity))


def test_both_ends_belong_to_an_interval_and_points_are_halves():
    assert seconds_of([7, 0, 59, 1, 1, 2, 1, 0, 3, 0]) == {second: [1.0, 0.0, 0.5] for second in (59, 60, 61)}


def test_videos_are_called_as_in_cholec80_and_seconds_are_counted():
    two, eighty = read_files("cholec80cvs", EXAMPLES["cholec80cvs"]).recordings
    assert (two.recording, eighty.recording) == ("video02", "video80")
    assert two.clock.period_s == 1
    assert two.marks.positions.tolist() == [0, 1, 2, 3, *range(20 * 60 + 26, 20 * 60 + 30)]
    assert marks.raters_of(two.marks) == [""]


def test_where_rows_overlap_the_last_one_with_a_point_counts_and_it_is_said():
    rows = [[6, 0, 0, 0, 4, 1, 0, 0, 1, 0], [6, 0, 2, 0, 3, 2, 0, 0, 2, 0], [6, 0, 3, 0, 6, 0, 0, 0, 0, 0]]
    assert [values[0] for values in seconds_of(*rows).values()] == [0.5, 0.5, 1.0, 1.0, 0.5, 0.0, 0.0]
    what = "cholec80-CVS.xlsx: rows 2-4 give 3 seconds (2-4) of video06 different points; the last of them with any point counts"
    assert what in told("warning", *rows)
    assert "rows" not in told("warning", rows[0], [6, 0, 4, 0, 5, 1, 0, 0, 1, 0])


def test_a_row_that_ends_before_it_starts_says_nothing_and_that_is_said():
    rows = [[6, 15, 21, 14, 33, 1, 0, 1, 2, 0], [6, 0, 0, 0, 1, 0, 0, 0, 0, 0]]
    assert seconds_of(*rows) == {second: [0.0, 0.0, 0.0] for second in (0, 1)}
    assert "row 2: it ends at 14:33, before it starts at 15:21; it is left out, as by the data set's authors" in told("warning", *rows)


def test_what_the_points_mean_is_said_at_every_reading():
    what = "0, 1 and 2 points are read as 0, 0.5 and 1; seconds that are in no row are not labelled"
    assert what in "\n".join(sentences(faults_of("cholec80cvs", EXAMPLES["cholec80cvs"]), "warning"))


@pytest.mark.parametrize(
    ("total", "achieved", "what"),
    [(4, 1, "row 2: Total is 4, by the points 5; the points count"), (5, 0, "row 2: critical_view is 0, by the points 1")],
)
def test_sums_that_are_not_those_of_the_points_are_told(total, achieved, what):
    assert what in told("warning", [1, 0, 0, 0, 1, 2, 2, 1, total, achieved])


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ([1, 0, 0, 0, 1, 3, 0, 0], "cholec80-CVS.xlsx, row 2: two_structures is '3', expected a whole number in 0..2; correct it"),
        ([1, 0, 0, 0, 60, 0, 0, 0], "row 2: final_second is '60', expected a whole number in 0..59"),
        ([1, 0, 0, 10**9, 1, 0, 0, 0], "row 2: final_minute is '1000000000', expected a whole number in 0..1440"),
        ([1, 0, 0.5, 0, 1, 0, 0, 0], "row 2: initial_second is '0.5', expected a whole number in 0..59"),
        ([1, 0, 0, 0, 1, 0, None, 0], "row 2: cystic_plate is '', expected a whole number in 0..2"),
        (["two", 0, 0, 0, 1, 0, 0, 0], "row 2: video is 'two', expected the number of a video of Cholec80"),
    ],
)
def test_a_cell_that_cannot_be_used_is_refused_with_its_row(row, what):
    assert what in told("error", row)
    assert not read_faulty(row)


@pytest.mark.parametrize(
    ("row", "of"),
    [(["mean of both"], " of 'mean of both'"), (["mean of both", *[None] * 7], " of 'mean of both'"), ([*[None] * 8, 15], "")],
)
def test_a_note_or_a_sum_below_the_rows_is_one_fault(row, of):
    said = told("error", [1, 0, 0, 0, 1, 0, 0, 0], row)
    assert said == f"{FILE}, row 3: it has none of the times and points{of}; remove the row if it is a note or a sum, else fill it in"


@pytest.mark.parametrize(
    "line", [["max", *[None] * 4, 2, 2, 2, 6], [*["Cholec80 CVS"], *[None] * 4, "v", 2], [*HEADER[:1], "start", None, "end"]]
)
def test_a_line_of_maxima_a_title_and_one_of_groups_above_the_header_are_passed_over(line):
    files = {FILE: sheet_xml.workbook([line, HEADER, [1, 0, 0, 0, 1, 2, 2, 1]])}
    assert not sentences(faults_of("cholec80cvs", files), "error")
    assert "row 1: it stands above the header (row 2): not read" in "\n".join(sentences(faults_of("cholec80cvs", files), "warning"))


def read_faulty(row):
    return [one for one in faults_of("cholec80cvs", sheet(row)) if one.rule == "read-as"]


def test_a_header_without_the_columns_is_refused():
    assert "row 1: column hepatocystic_triangle missing; expected video, initial_minute" in told("error", header=HEADER[:7])
    assert "row 1: column Total stands twice; rename or remove one" in told("error", header=[*HEADER, "Total"])
    assert "has no rows below its header" in told("error")


def test_a_column_that_is_not_kept_is_named():
    assert "not kept: column 'surgeon'" in told("warning", [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, "A"], header=[*HEADER, "surgeon"])


def test_criteria_of_cholec80_are_scored_and_become_tables(tmp_path, capsys):
    path = str(put(tmp_path / "in", EXAMPLES["cholec80cvs"]))
    assert cli.main(["score", "criteria", "--ground-truth", path, "--predictions", path, "--json", "--bootstrap", "0"]) == 0
    assert "C3" in capsys.readouterr().out
    assert cli.main(["convert", path, "--to", "tables", "--out", str(tmp_path / "tables")]) == 0
    assert "frames that count: 11 for criteria" in capsys.readouterr().out
