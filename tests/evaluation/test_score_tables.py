"""Tables as people write them: names such as 007, numbers as floats, other columns, other separators."""

import json

import numpy as np
import pytest

from each import each
from score_runs import fault, good, put, results, sides
from scrubin import cli
from scrubin.base.faults import Faults
from scrubin.base.text import csv_text
from scrubin.labels.formats.plain import matrix_tables

OF_TRIPLETS = ",".join(["frame", *(f"ivt_{k}" for k in range(100))])


@pytest.fixture
def matrices(tmp_path):
    """Truth of one video named 007, and where its predictions go."""
    return put(tmp_path, truth={"007.npz": {"targets": np.eye(5, 100, dtype=int)}}, found={})


def recognition(folder, *more):
    return sides(folder, "recognition", *more)


def rows(cells=",0.5" * 100, head=""):
    return head + "".join(f"{frame}{cells}\n" for frame in range(5))


def test_names_of_digits_keep_their_zeros(matrices, capsys):
    (matrices / "found/all.csv").write_text(f"id,{OF_TRIPLETS}\n" + "".join(f"007,{line}\n" for line in rows().splitlines()))
    good(capsys, *recognition(matrices))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (rows(",0.5" * 99 + ",x"), "007.csv, row 1, column 100: 'x' is no number"),
        (rows(",0.5" * 99 + ",0_5"), "007.csv, row 1, column 100: '0_5' is no number"),
        (rows(",0.5" * 99 + ",\N{ARABIC-INDIC DIGIT FIVE}"), "007.csv, row 1, column 100: '\N{ARABIC-INDIC DIGIT FIVE}' is no number"),
        (rows(",0.5" * 99 + ","), "007.csv, row 1, column 100: a cell is empty"),
        (rows(",0.5" * 99 + ",nan"), "007.csv, row 1, column 100: 'nan' is no number"),
        (rows(",0.5" * 101, f"{OF_TRIPLETS},ivt_0\n"), "the column 'ivt_0' stands twice"),
        (rows(",0.5" * 101, f"{OF_TRIPLETS}\n"), "rows have more cells (102) than the header has names (101)"),
        (
            ",".join(map(str, range(100))) + "\n" + ("0.5," * 99 + "0.5\n") * 5,
            "the first row is 0, 1, 2 ..., which looks like names of",
        ),
        (f"{OF_TRIPLETS}\n", "007.csv, frames 0-4: labelled, but not predicted: nothing is predicted (5 frames)"),
    ],
)
def test_tables_that_would_be_read_wrongly_are_refused(matrices, capsys, text, expected):
    (matrices / "found/007.csv").write_text(text)
    assert expected in fault(capsys, *recognition(matrices))


def test_a_score_that_is_not_finite_is_named_by_the_number_of_its_frame(matrices, capsys):
    scores = np.ones((5, 100))
    scores[2, 3] = np.inf
    np.savez(matrices / "found/007.npz", scores=scores, frame=[0, 10, 20, 30, 40])
    assert "007.npz, frame 20: a score is not finite (first: class 3 of frame 20 is inf)" in fault(capsys, *recognition(matrices))


def test_columns_of_instruments_are_labels_of_instruments(matrices, capsys):
    (matrices / "truth/007.npz").unlink()
    head = ",".join(["frame", *(f"i_{k}" for k in range(6))]) + "\n"
    table = {"007.csv": head + "".join(f"{k}," + ",".join(map(str, row)) + "\n" for k, row in enumerate(np.eye(6, dtype=int)))}
    assert "classes=6; component=i" in good(capsys, *recognition(put(matrices, truth=table, found=table))).out
    # The first six triplets are no instruments.
    (matrices / "found/007.csv").write_text(f"{OF_TRIPLETS}\n" + rows())
    assert "007 is predicted in 100 triplets of 'cholect50', the ground truth has 6 instruments" in fault(capsys, *recognition(matrices))


SCORES = np.random.default_rng(3).random((12, 6)).round(3)


def csv_of(values, head=""):
    return head + "".join(",".join(f"{one:g}" for one in row) + "\n" for row in values)


@each("header", ["1,2,3,4,5,6", "5,4,3,2,1,0", "2,0,1,5,3,4", "6,4,5,1,3,2", "1,2,3,5,8,13", "1.0,2.0,3.0,4.0,5.0,6.0"])
def test_numbers_of_classes_above_a_matrix_are_no_scores_of_frame_0(tmp_path, capsys, header):
    frames = "".join(f"{frame},{'1,0,0,0,0,0' if frame % 2 else '0,1,0,0,1,1'}\n" for frame in range(13))
    truth = {"v1.csv": ",".join(["frame", *(f"i_{k}" for k in range(6))]) + "\n" + frames}
    # With the header there is a row per frame: the number of rows does not tell.
    said = fault(capsys, *recognition(put(tmp_path, truth=truth, found={"v1.csv": csv_of(SCORES, f"{header}\n")})))
    begins = ", ".join(header.replace(".0", "").split(",")[:3])
    assert f"v1.csv, line 1: the first row is {begins} ..., which looks like names of columns; " in said
    assert ("remove it, or name them frame" in said) == (header[0] == "1" and "8" not in header)


@each(
    "rows",
    [
        [[0, 1], [1, 0], [1, 1]],
        [[1, 0], [0, 1]],
        [[0.0, 1], [1, 0.25], [2, 0.5]],
        [[1, 0]],
        [[2, 1, 0], [3, 0, 1], [4, 0, 0]],
        [[5, 2, 1, 3], [2, 7, 8, 1], [0, 9, 4, 6]],
        [[0, 1, 0], [0.25, 0.5, 0.25]],
        [[3, -1, 2], [0.5, 0.25, 0.5]],
        [[1], [0.25]],
        # Shares of two classes, votes of three models, ranks of classes, ratings, percents that are rounded, one frame with its number.
        [[1, 0], [0.02, 0.98], [0.9, 0.1]],
        [[2, 1, 0], [0, 3, 0], [3, 0, 0], [3, 0, 0], [1, 1, 0]],
        [[0, 1, 2], [0, 3, 0], [1, 1, 1], [3, 0, 0], [0, 3, 0]],
        [[3, 1, 2], [1, 3, 2], [3, 2, 1], [1, 2, 3]],
        [[3, 1, 2], [2, 3, 1], [5, 5, 4], [0, 1, 1], [3, 4, 4]],
        [[90, 7, 3], [89.5, 7.5, 2.9], [1.5, 97, 1.5]],
        [[2, 0, 1]],
    ],
)
def test_whole_numbers_that_may_be_frames_labels_or_scores_are_read(rows):
    faults = Faults()
    ((matrix,),) = matrix_tables.read_csv("a.csv", csv_of(rows).encode(), faults).values()
    assert not faults.all()
    assert matrix.values.tolist() == rows


@each("header", ["0,1", "1,0", "1,2", "2,1"])
def test_numbers_of_two_classes_above_scores_are_no_scores(header):
    faults = Faults()
    assert not matrix_tables.read_csv("a.csv", f"{header}\n0.25,0.5\n1,1\n".encode(), faults)
    assert [one.rule for one in faults.all()] == ["header"]


def test_numbers_of_two_classes_above_shares_are_told_by_how_they_are_written():
    # Names are whole; a program writes a score of 0 as 0.0, or as 0 in some rows.
    for header, shares, rules in (
        ("0,1", "0.02,0.98\n1.0,0.0\n", ["header"]),
        ("0,1", "0.3,0.7\n1,0\n0.2,0.8\n", ["header"]),
        ("0,1", "0.334,0.667\n1,0\n", ["header"]),
        ("0.0,1.0", "0.02,0.98\n1,0\n", []),
    ):
        faults = Faults()
        matrix_tables.read_csv("a.csv", f"{header}\n{shares}".encode(), faults)
        assert [one.rule for one in faults.all()] == rules


LABELS = [[0, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 1, 1], [1, 0, 0, 0]]


@each("header", ["0,2,4,6", "10,11,12,13", "3,2,1,0", "3,1,2,0", "0,1,2,3", "1,2,3,4"])
@pytest.mark.parametrize("first", [None, 0, 3, 90])
def test_numbers_above_labels_are_names_also_where_the_number_of_the_frame_is_first(header, first):
    rows = LABELS if first is None else [[frame, *row[1:]] for frame, row in enumerate(LABELS, first)]
    faults = Faults()
    assert not matrix_tables.read_csv("a.csv", f"{header}\n{csv_of(rows)}".encode(), faults)
    (fault,) = faults.all()
    assert fault.rule == "header"
    assert "if it is the first frame, put such names above it and the number of each frame before its row" in fault.fix


def test_classes_above_labels_of_two_are_names_though_most_sums_are_alike():
    faults = Faults()
    assert not matrix_tables.read_csv("a.csv", b"0,1,2\n0,1,1\n1,1,1\n2,0,1\n3,0,0\n", faults)
    assert [one.rule for one in faults.all()] == ["header"]


def phases(tmp_path, found, truth="0\n0\n1\n1\n"):
    put(tmp_path, truth={"a.csv": truth}, found=found if isinstance(found, dict) else {"a.csv": found})
    return sides(tmp_path, "phases", "--vocabulary", "cholec80")


def accuracy(tmp_path, capsys):
    return results(capsys, tmp_path, "phases", more=("--vocabulary", "cholec80"))[0][0]["overall"]["value"]


@each(
    "found",
    [
        "0.0\n0.0\n1.0\n1.0\n",
        "0.0,0\n1.0,0\n2.0,1\n3.0,1\n",
        "id,frame,phase\n1,0,Preparation\n1,1,Preparation\n1,2,CalotTriangleDissection\n1,3,CalotTriangleDissection\n",
        "frame;id\n0;0\n1;0\n2;1\n3;1\n",
        {"a.txt": "0\n0\n1\n1\n", "README.txt": "these are my predictions\n", "LICENSE.txt": "free\n", ".DS_Store": "\0"},
        {"a.npy": np.array([0.0, 0.0, 1.0, 1.0], np.float32)},
    ],
)
def test_phases_as_people_write_them(tmp_path, capsys, found):
    phases(tmp_path, found)
    assert accuracy(tmp_path, capsys) == 1


@each(
    "found, expected",
    [
        ("frame,phase,prediction\n0,0,1\n", "the columns phase, prediction could all be meant"),
        ("frame,index,phase\n0,0,1\n", "the columns frame, index could all be meant"),
        ("0,0\n1,-1\n2,1\n3,1\n", "a.csv, line 2: phase -1 is below 0; leave frames without a phase out"),
        ({"a.csv": "0\n0\n1\n1\n", "a.txt": "1\n1\n1\n1\n"}, "a.csv; keep one of them"),
        ({"a.npy": np.array([0.0, 0.5, 1.0, 1.0])}, "give one whole phase id per frame"),
    ],
)
def test_tables_of_phases_that_could_mean_two_things_are_refused(tmp_path, capsys, found, expected):
    assert expected in fault(capsys, *phases(tmp_path, found))


def sheets(tmp_path, metric, truth, found):
    return sides(put(tmp_path, truth=truth, found=found), metric)


def test_errors_with_semicolons_need_no_score(tmp_path, capsys):
    text = {"Sewing.csv": "id;cut\na;True\nb;False\n"}
    assert "1.0000" in good(capsys, *sheets(tmp_path, "errors", text, text)).out


@each("side", ["truth", "prediction"])
@each("delimiter", csv_text.DELIMITERS)
@each("metric, column, cells", [("skill", "GRS", "1 2 4"), ("errors", "cut", "1 0 1")])
def test_a_missing_value_is_spelled_in_any_way_with_any_delimiter(tmp_path, capsys, metric, column, cells, delimiter, side):
    # Written out, so that a spelling which the library forgets is missed here.
    spellings = {f"d{number}": spelling for number, spelling in enumerate(["", "-", "n/a", "na", "<na>", "nan", "none", "null"])}
    assert {*spellings.values()} == csv_text.MISSING
    rated = [*zip("abc", cells.split(), strict=True)]

    def text(rows):
        return {"Sewing.csv": "".join(f"{id_}{delimiter}{cell}\n" for id_, cell in [("id", column), *rated, *rows])}

    whole, missing = text((id_, "1") for id_ in spellings), text((id_, spelling.upper()) for id_, spelling in spellings.items())
    arguments = sheets(tmp_path, metric, *((missing, whole) if side == "truth" else (whole, missing)))
    if side == "truth":
        (first, *_), _ = results(capsys, tmp_path, metric)
        assert first["classes"].get(column, first["overall"]) == {"value": 1.0, "n": 3}
    else:
        said = fault(capsys, *arguments)
        first_of_all = f"the prediction of '{column}' of 'd0' is missing, but it has ground truth; predict every recording"
        assert f"{first_of_all} (and at {len(spellings) - 1} more places)" in said


def test_every_fault_of_every_sheet_is_said_at_once(tmp_path, capsys):
    truth = {f"{task}.csv": "id,GRS\na,1\nb,2\n" for task in ("Sewing", "Cutting")}
    said = fault(capsys, *sheets(tmp_path, "skill", truth, {"Sewing.csv": "id,GRS\na,x\na,2\n", "Cutting.csv": "id,GRS\na,1,2\nb,3\n"}))
    for one in (
        "3 faults",
        "Cutting.csv, line 2: expected 2 cells, but got 3",
        "Sewing.csv, line 2: GRS is 'x'; give a number; only in the ground truth may a cell be empty",
        "Sewing.csv, line 3: the id 'a' stands twice, first in line 2; one row per recording",
    ):
        assert one in said


@pytest.mark.parametrize("cell", ["1_000", "\N{ARABIC-INDIC DIGIT FIVE}", "inf"])
def test_a_score_is_a_number_of_the_digits_0_to_9(tmp_path, capsys, cell):
    said = fault(capsys, *sheets(tmp_path, "skill", {"Sewing.csv": "id,GRS\na,1\nb,2\n"}, {"Sewing.csv": f"id,GRS\na,{cell}\nb,2\n"}))
    assert f"Sewing.csv, line 2: GRS is '{cell}'; give a number; only in the ground truth may a cell be empty" in said


def test_a_subset_of_one_task_passes_over_the_other(tmp_path, capsys):
    text = {f"{task}.csv": f"id,GRS\n{task}1,1\n{task}2,2\n{task}3,4\n" for task in ("Sewing", "Cutting")}
    arguments = sheets(tmp_path, "skill", text, text)
    (tmp_path / "split.csv").write_text("id;split\nSewing1;test\nSewing2;train\nSewing3;test\n")
    said = good(capsys, *arguments, "--videos", tmp_path / "split.csv", "--subset", "test").out
    assert "task=Sewing" in said
    assert "n=2" in said


def test_errors_that_are_not_predicted_are_told(tmp_path, capsys):
    arguments = sheets(tmp_path, "errors", {"S.csv": "id,cut,drop\na,1,0\nb,0,1\n"}, {"S.csv": "id,cut\na,1\nb,0\n"})
    assert "S.csv: not predicted of S, and not scored: drop" in good(capsys, *arguments).err


def test_predictions_of_other_recordings_are_refused(tmp_path, capsys):
    arguments = sheets(tmp_path, "skill", {"S.csv": "id,GRS\na,1\nb,0\n"}, {"T.csv": "id,GRS\nc,1\nd,0\n"})
    assert "nothing is predicted (T.csv: predictions of T have no ground truth and do not count)" in fault(capsys, *arguments)


COCO = {
    "images": [{"id": 5, "file_name": "a_000000.jpg", "width": 100, "height": 50}],
    "categories": [{"id": 1, "name": "grasper"}],
    "annotations": [{"id": 1, "image_id": 5, "category_id": 1, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0}],
}


def of_coco(tmp_path, results, truth=COCO):
    return sides(put(tmp_path, truth={"truth.json": truth}, found={"results.json": results}), "detection")


def test_coco_results_need_scores_and_may_lie_in_a_folder(tmp_path, capsys):
    result = {"image_id": 5, "category_id": 1, "bbox": [10, 10, 20, 20]}
    assert "1.0000" in good(capsys, *of_coco(tmp_path, [{**result, "score": 0.9}])).out
    said = fault(capsys, *of_coco(tmp_path, [result]))
    assert "result 0 has no score; give image_id, category_id, bbox, segmentation or keypoints, and score" in said
    lists = {"frame": [0], "list": [[[17, 0, 1.0, 0.1, 0.1, 0.3, 0.3]]]}
    assert "these are COCO results by image id, but the ground truth is no single COCO file" in fault(
        capsys, *of_coco(tmp_path, [result], lists)
    )


def test_a_result_that_gives_its_score_twice_is_not_scored_by_the_last_one(tmp_path, capsys):
    outline = {"segmentation": [[10, 10, 30, 10, 30, 30, 10, 30]]}
    result = json.dumps([{"image_id": 5, "category_id": 1, "bbox": [10, 10, 20, 20], **outline, "score": 0.1}])
    twice = result.replace('"score"', '"score": 0.9, "score"')
    arguments = of_coco(tmp_path, twice, {**COCO, "annotations": [{**COCO["annotations"][0], **outline}]})
    said = "results.json: the key 'score' stands twice in one object; keep one of them"
    assert said in fault(capsys, *arguments)
    check = ["submission", "check", tmp_path / "found", "--ground-truth", tmp_path / "truth", "--task", "masks"]
    assert cli.main([*map(str, check)]) == 1
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(("task", "column"), [("phases", "phase"), ("criteria", "C1")])
@pytest.mark.parametrize(
    ("truth", "found", "is_same"),
    [
        ("001 7", "001.0 7.0", True),
        ("7. 8", "7 8.0", True),
        ("1.5e1 01.50", "1.5e1 01.50", True),
        ("001 7", "1 7", False),
        ("15 7", "1.5e1 7", False),
    ],
)
def test_a_name_of_a_video_loses_the_point_of_a_number_and_nothing_else(truth, found, is_same, task, column, tmp_path, capsys):
    def table(names):
        rows = "".join(f"{name},{frame},{frame // 3}\n" for name in names.split() for frame in range(6))
        return {"all.csv": f"video,frame,{column}\n{rows}"}

    put(tmp_path, truth=table(truth), found=table(found))
    assert (cli.main(["score", *map(str, sides(tmp_path, task))]) == 0) is is_same, capsys.readouterr().err
