"""Sides that do not belong together: swapped, shifted, at another rate, of another vocabulary, of other videos."""

import json
import re
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from challenge_cases import vector
from score_runs import fault, good, put, results, sides
from scrubin.cli import main
from scrubin.labels import registry
from scrubin.labels.files.detect import label_folder

TOOL, TRIPLET = 0, 17
BOX = [0.1, 0.1, 0.3, 0.3]
ROW = [TRIPLET, TOOL, 1.0, *BOX]


@pytest.fixture
def study(tmp_path):
    for folder in ("truth", "found"):
        (tmp_path / folder).mkdir()
    return tmp_path


def lists(folder, frames, rows, name="VID01"):
    """Boxes in the lists of ivtmetrics, the same in every frame."""
    numbered = list(frames)
    put(folder.parent, **{folder.name: {f"{name}.json": {"frame": numbered, "list": [rows for _ in numbered]}}})


def arrays(study, labelled, predicted, name="VID01"):
    rng = np.random.default_rng(1)
    np.savez(study / "truth" / f"{name}.npz", targets=(rng.random((labelled, 100)) < 0.1).astype(int))
    np.save(study / "found" / f"{name}.npy", rng.random((predicted, 100)))


def test_predictions_at_the_rate_of_the_video_are_not_taken_for_labelled_frames(study, capsys):
    arrays(study, 12, 300)
    said = fault(capsys, *sides(study, "recognition"))
    assert "the predictions go on 25 times as far as the labels (labels are numbered 0 to 11, predictions 0 to 299)" in said
    assert "say both rates, --fps of labels and --predictions-fps, the same one if they do" in said
    good(capsys, *sides(study, "recognition", "--fps", "1", "--predictions-fps", "25"))
    # Whoever says that both count alike has labelled the beginning only.
    good(capsys, *sides(study, "recognition", "--fps", "1", "--predictions-fps", "1"))


def test_a_rate_that_the_files_contradict_is_refused(study, capsys):
    arrays(study, 12, 12)
    (study / "found/VID01.npy").unlink()
    annotated(study / "found", "VID01", frames=12)
    good(capsys, *sides(study, "recognition", "--predictions-from", "cholect50", "--predictions-fps", "1"))
    said = fault(capsys, *sides(study, "recognition", "--predictions-from", "cholect50", "--predictions-fps", "25"))
    assert "VID01: cholect50 labels are numbered 1 per second by the files themselves, not 25" in said


def test_a_part_of_a_video_may_be_labelled(study, capsys):
    arrays(study, 12, 40)
    rates = ("--fps", "1", "--predictions-fps", "1")
    assert "frames 12-39: not labelled, so not counted (28 frames)" in good(capsys, *sides(study, "recognition", *rates)).err


def test_lists_of_boxes_are_joined_by_the_rates_that_are_said(study, capsys):
    lists(study / "truth", range(0, 300, 25), [ROW])
    lists(study / "found", range(12), [ROW])
    said = good(capsys, *sides(study, "detection", "--fps", "25", "--predictions-fps", "1"))
    lines = [line.split("read as ")[1] for line in said.err.splitlines()]
    assert lines == ["box-lists: 1 file, 1 recording; frames that count: 12 for recognition, 12 for detection"] * 2
    assert "1.0000" in said.out


def test_a_name_in_other_unicode_characters_is_told(study, capsys):
    arrays(study, 3, 3, unicodedata.normalize("NFC", "vidéo"))
    name = unicodedata.normalize("NFD", "vidéo")
    (study / "found" / f"{unicodedata.normalize('NFC', 'vidéo')}.npy").rename(study / "found" / f"{name}.npy")
    assert "one is named alike in other Unicode characters" in fault(capsys, *sides(study, "recognition"))


def test_boxes_that_are_missing_in_some_frames_are_no_shift(study, capsys):
    lists(study / "truth", range(12), [ROW])
    lists(study / "found", range(3, 12), [ROW])
    said = good(capsys, *sides(study, "detection")).err
    assert "frames 0-2: labelled, but not among the predictions: nothing is detected there (3 frames)" in said


@pytest.mark.parametrize(("form", "is_said"), [("csv", True), ("npy", False)])
def test_a_first_line_that_may_be_a_name_is_asked_for_in_tables_alone(study, capsys, form, is_said):
    ids = [0, *(frame // 4 for frame in range(12))]
    labels = "frame,phase\n" + "".join(f"{frame},{frame // 4}\n" for frame in range(12))
    found = "".join(f"{one}\n" for one in ids) if form == "csv" else np.array(ids)
    said = good(capsys, *sides(put(study, truth={"VID01.csv": labels}, found={f"VID01.{form}": found}), "phases")).err
    assert "frame 12: not labelled, so not counted" in said
    assert ("such as the 0 that pandas writes" in said) == is_said


def coco(names=("grasper",), **more):
    """A COCO file with a box of the first of some classes."""
    return {
        "images": [{"id": 1, "file_name": "VID01_000000.jpg", "width": 100, "height": 100}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 9, 9], **more}],
        "categories": [{"id": id_, "name": name} for id_, name in enumerate(names, 1)],
    }


def test_a_confidence_above_1_is_told_what_predictions_have(study, capsys):
    put(study, truth={"labels.json": coco()}, found={"labels.json": coco(score=1.5)})
    said = fault(capsys, *sides(study, "detection"))
    assert "score 1.5 is not in 0..1; predictions have a confidence in 0..1 (pass logits through a sigmoid first)" in said


def test_swapped_sides_are_told(study, capsys):
    arrays(study, 12, 12)
    swapped = ("recognition", "--ground-truth", study / "found", "--predictions", study / "truth")
    said = fault(capsys, *swapped)
    assert re.search(r"VID01 has the score 0\.[0-9]+ of class 0 in frame 0, but labels are 0 or 1; are ground truth and", said), said
    np.savez(study / "found/VID01.npz", predictions=np.ones((12, 100)))
    (study / "found/VID01.npy").unlink()
    said = fault(capsys, *swapped)
    assert "VID01 has predicted scores, but labels are 0 or 1; are ground truth and predictions swapped?" in said


def test_swapped_boxes_are_told(study, capsys):
    lists(study / "truth", range(3), [[TRIPLET, TOOL, 0.9, *BOX]])
    lists(study / "found", range(3), [ROW])
    assert "VID01, frame 0: an annotated box has the confidence 0.9; are ground truth and" in fault(capsys, *sides(study, "detection"))


def test_scores_of_triplets_are_refused_with_the_reason_where_only_instruments_are_labelled(study, capsys):
    put(study, truth={"labels.json": coco(["grasper", "hook"])}, found={"VID01.npy": np.ones((1, 100))})
    said = fault(capsys, *sides(study, "recognition", "--vocabulary", "cholect50"))
    assert "VID01 is predicted in 100 triplets of 'cholect50', the ground truth has 6 instruments of 'cholect50'" in said
    assert "(1 instances are no whole triplet, so only instruments are scored)" in said


def test_what_is_detected_in_a_video_without_instruments_is_wrong(study, capsys):
    for name, rows, score in (("VID01", [ROW], 0.5), ("VID02", [], 0.9)):
        lists(study / "truth", range(2), rows, name)
        lists(study / "found", range(2), [[TRIPLET, TOOL, score, *BOX]], name)
    (ap, *_), _ = results(capsys, study, "detection", "scope=global", "component=ivt")
    # Two false ones of higher confidence come first: two of two found at a precision of a half.
    assert ap["overall"]["value"] == pytest.approx(0.5)


def test_a_table_of_another_vocabulary_is_refused(study, capsys):
    np.savez(study / "truth/a.npz", targets=np.eye(5, 89, dtype=int))
    names = ",".join(["frame", *(f"ivt_{k}" for k in range(100))])
    (study / "found/a.csv").write_text(names + "\n" + "".join(f"{frame}{',0.5' * 100}\n" for frame in range(5)))
    said = fault(capsys, *sides(study, "recognition", "--vocabulary", "prostatd"))
    assert (
        "a.csv: 100 classes, expected 89 triplets of 'prostatd' in their order; give one column per class, or name the vocabulary" in said
    )


def test_files_that_name_their_classes_are_not_read_in_another_vocabulary(study, capsys):
    attributes = {"Action": "grasp", "Target": "prostate"}
    shape = {"label": "grasper", "points": [[10, 10], [50, 50]], "shape_type": "rectangle", "attributes": attributes}
    put(study, truth={"v/000000.json": {"shapes": [shape], "imageWidth": 100, "imageHeight": 100}}, found={"v.npy": np.ones((1, 89))})
    assert main(["score", *map(str, sides(study, "recognition", "--vocabulary", "cholect50"))]) == 1


def test_seven_tools_are_scored_as_instruments(study, capsys):
    put(study, truth={"a.npz": {"targets": np.eye(7, dtype=int)}}, found={"a.npy": np.eye(7)})
    assert "classes=7; component=i" in good(capsys, *sides(study, "recognition", "--vocabulary", "cholec80")).out
    (study / "truth/a.npz").unlink()
    lists(study / "truth", range(3), [ROW])
    assert "the vocabulary 'cholec80' has none" in fault(capsys, *sides(study, "detection", "--vocabulary", "cholec80"))


def test_listed_videos_without_ground_truth_are_told(study, capsys):
    for name in ("VID01", "VID02"):
        arrays(study, 6, 6, name)
    (study / "list.txt").write_text("VID01\nVID09\n")
    said = good(capsys, *sides(study, "recognition", "--videos", study / "list.txt")).err
    assert said.splitlines()[2:] == [
        "scrubin score: 1 listed video without this kind of ground truth, such as recordings of other tasks; not scored: VID09"
    ]


def test_scores_of_other_videos_or_frames_are_not_compared(study, capsys):
    for name in ("VID01", "VID02"):
        arrays(study, 6, 6, name)
    (study / "list.txt").write_text("VID01\n")
    good(capsys, *sides(study, "recognition", "--out", study / "all.json"))
    good(capsys, *sides(study, "recognition", "--out", study / "one.json", "--videos", study / "list.txt"))
    said = fault(capsys, "compare", study / "all.json", study / "one.json")
    assert "were scored on different videos or frames (VID02: 6 frames, not scored)" in said
    scored = json.loads((study / "all.json").read_text())["scored"]
    assert scored == [{"vocabulary": "cholect50", "videos": {"VID01": 6, "VID02": 6}}]


@pytest.mark.parametrize("note", ["A.stamp.json", "manifest.json", ".DS_Store", "README.txt"])
def test_files_beside_the_labels_are_passed_over(study, capsys, note):
    for side in ("truth", "found"):
        lists(study / side, range(3), [ROW])
        (study / side / note).write_text("{}")
    assert "1.0000" in good(capsys, *sides(study, "detection")).out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "line 1: not JSON: the file is empty"),
        ('{"frame": [0', "line 1: not JSON: Expecting ',' delimiter"),
        ("{}", "the first file is VID01.json"),
    ],
)
def test_a_file_that_cannot_be_recognised_is_named_with_its_fault(study, capsys, text, expected):
    lists(study / "truth", range(3), [ROW])
    (study / "found/VID01.json").write_text(text)
    assert expected in fault(capsys, *sides(study, "detection"))


def test_an_empty_folder_is_told_as_such(study, capsys):
    arrays(study, 3, 3)
    (study / "found/VID01.npy").unlink()
    assert "there is no file in it" in fault(capsys, *sides(study, "recognition"))


def test_a_first_video_without_tools_does_not_hide_the_format(study, capsys):
    tool = {"instrument": 0, "verb": -1, "target": -1, "triplet": -1, "phase": 0, "tool_bbox": BOX, "score": 1}
    files = {f"VID0{at}.json": {"annotations": {"0": rows, "25": rows}} for at, rows in ((1, []), (2, [tool]))}
    assert "1.0000" in good(capsys, *sides(put(study, truth=files, found=files), "detection")).out


def test_names_of_classes_do_not_hide_yolo_files(study, capsys):
    lists(study / "truth", range(2), [ROW], "z")
    rows = {f"z/{frame:06d}.txt": "0 0.25 0.25 0.3 0.3 0.9\n" for frame in range(2)}
    put(study, found={"classes.txt": "grasper,retract,gallbladder\n", **rows})
    assert "1.0000" in good(capsys, *sides(study, "detection")).out


def annotated(folder, *names, frames=4):
    """Labels of CholecT50, with the phase of every frame."""
    for name in names:
        annotations = {str(at): [vector(TRIPLET, 0, BOX)] for at in range(frames)}
        (folder / f"{name}.json").write_text(json.dumps({"fps": 1, "num_frames": frames, "annotations": annotations}))


def phases(folder, *names):
    for name in names:
        (folder / f"{name}.csv").write_text("frame,phase_id\n" + "".join(f"{at},{at // 2}\n" for at in range(4)))


def recognised(folder, *names):
    for name in names:
        (folder / f"{name}.json").write_text(json.dumps({str(at): {"recognition": [0.5] * 100, "detection": []} for at in range(4)}))


def test_labels_in_two_formats_are_refused_as_half_of_them_would_be_dropped(study, capsys):
    annotated(study / "truth", "VID01")
    np.savez(study / "truth/VID02.npz", ivt=np.eye(100)[:4].astype(int))
    recognised(study / "found", "VID01", "VID02")
    for command in (
        ["score", *sides(study, "recognition")],
        ["submission", "check", study / "found", "--ground-truth", study / "truth"],
        ["rank", study / "found", "--ground-truth", study / "truth"],
    ):
        assert main(list(map(str, command))) == 1
        said = capsys.readouterr().err
        assert "truth: files of several formats: VID01.json looks like cholect50, VID02.npz looks like matrices; move those of one" in said
        # By the name of matrices the other file would be read, too.
        assert "or name the one that counts (cholect50) by --from, of predictions by --predictions-from" in said


def test_of_labels_in_two_formats_the_one_that_is_named_counts(study, capsys):
    annotated(study / "truth", "VID01")
    np.savez(study / "truth/VID01.npz", ivt=np.eye(100)[:4].astype(int))
    recognised(study / "found", "VID01")
    assert "files of several formats" in fault(capsys, *sides(study, "recognition"))
    said = good(capsys, *sides(study, "recognition", "--from", "cholect50")).err
    assert "VID01.npz: is not of the format cholect50, so it was not read" in said


@pytest.mark.parametrize("command", ["score", "check", "rank"])
def test_phases_in_two_formats_are_refused_by_every_command(study, capsys, command):
    phases(study / "truth", "video01")
    (study / "truth/video02-phase.txt").write_text("Frame\tPhase\n" + "".join(f"{at}\tPreparation\n" for at in range(4)))
    phases(study / "found", "video01", "video02")
    truth, found = study / "truth", study / "found"
    asked = {
        "score": ["score", *sides(study, "phases", "--vocabulary", "cholec80")],
        "check": ["submission", "check", found, "--ground-truth", truth, "--vocabulary", "cholec80"],
        "rank": ["rank", found, "--ground-truth", truth, "--vocabulary", "cholec80", "--metric", "phases"],
    }
    assert main(list(map(str, asked[command]))) == 1
    assert "video02-phase.txt looks like cholec80, video01.csv looks like phase-tables" in capsys.readouterr().err


def test_predictions_in_two_formats_are_refused_as_one_of_them_would_be_dropped(study, capsys):
    annotated(study / "truth", "VID01", "VID02")
    recognised(study / "found", "VID01")
    for name in ("VID01", "VID02"):
        np.save(study / f"found/{name}.npy", np.full((4, 100), 0.1))
    said = fault(capsys, *sides(study, "recognition"))
    assert "found: files of several formats: VID01.json looks like cholectriplet2022, VID01.npy looks like matrices" in said
    (study / "found/VID02.json").write_bytes((study / "found/VID01.json").read_bytes())
    good(capsys, *sides(study, "recognition", "--predictions-from", "cholectriplet2022"))


def test_phases_beside_triplets_and_what_holds_no_labels_are_no_second_format(study, capsys):
    annotated(study / "truth", "VID01")
    recognised(study / "found", "VID01")
    for folder in ("truth", "found"):
        phases(study / folder, "VID01")
        (study / folder / "README.txt").write_text("0,1\n")
    for name in ("LICENSE.txt", "SHA256SUMS", ".hidden.csv", "manifest.json", "VID01.png", "notes.pdf"):
        (study / "truth" / name).write_bytes(b"{}")
    (study / "truth/label_mapping.txt").write_text("# IVT, I, V, T, IV, IT\n0, 0, 2, 1, 2, 1\n")
    said = good(capsys, *sides(study, "recognition")).err
    assert "not read" not in said
    assert main(["submission", "check", str(study / "found"), "--ground-truth", str(study / "truth"), "--task", "recognition"]) == 0
    capsys.readouterr()
    # Who asks for phases has them twice.
    assert "VID01.json looks like cholect50, VID01.csv looks like phase-tables" in fault(capsys, *sides(study, "phases"))
    assert main(["rank", str(study / "found"), "--ground-truth", str(study / "truth"), "--metric", "phases"]) == 1
    assert "VID01.csv looks like phase-tables" in capsys.readouterr().err


PHASE_NAMES = ("Preparation", "CalotTriangleDissection")
OF_CHOLEC80 = "Frame\tPhase\n" + "".join(f"{at}\t{PHASE_NAMES[at // 50]}\n" for at in range(100))
OF_AUTOLAPARO = "Frame\tPhase\n" + "".join(f"{at}\t{1 + at // 51}\n" for at in range(1, 101))
ACTIONS = "".join(f"{at},0,1,0,1\n" for at in range(100))
RELEASED = {
    "HeiChole": {
        f"Annotations/{of}/Hei-Chole{video}_{name}.csv": text
        for video in (1, 2)
        for of, name, text in (
            ("Phase", "Annotation_Phase", "".join(f"{at},{at // 50}\n" for at in range(100))),
            ("Instrument", "Annotation_Instrument", "".join(f"{at},1,{','.join('0' * 20)}\n" for at in range(100))),
            ("Action", "Annotation_Action", ACTIONS),
            ("Skill", "Calot_Skill", "1,2,3,4,5\n"),
        )
    },
    "Cholec80": {
        f"{folder}/video0{video}-{name}.txt": text
        for video in (1, 2)
        for folder, name, text in (
            ("phase_annotations", "phase", OF_CHOLEC80),
            ("phase_annotations", "timestamp", "Frame\tTime\n" + "".join(f"{at}\t00:00:0{at // 25}.000\n" for at in range(100))),
            (
                "tool_annotations",
                "tool",
                "Frame\tGrasper\tBipolar\tHook\tScissors\tClipper\tIrrigator\tSpecimenBag\n0\t1\t0\t1\t0\t0\t0\t0\n",
            ),
        )
    },
    "AutoLaparo": {
        "task1/labels/label_01.txt": OF_AUTOLAPARO,
        "task1/labels/label_02.txt": OF_AUTOLAPARO,
        "task2/laparoscope_motion_label.txt": "Clip\tLabel\n1\t2\n2\t3\n3\t3\n",
    },
    "SAR-RARP50": {
        "video_01/action_discrete.txt": "0,0\n6,1\n12,1\n",
        "video_01/action_continues.txt": "0,0\n1,0\n2,1\n",
        "categories.txt": "0 Other\n1 Picking-up the needle\n",
    },
}
RELEASED["Cholec80 with a list of classes"] = RELEASED["Cholec80"] | {"phases.txt": "0 Preparation\n1 CalotTriangleDissection\n"}
RELEASED["Cholec80 with a log of training"] = RELEASED["Cholec80"] | {"metrics.csv": "epoch,loss\n1,0.2\n2,0.1\n"}
RELEASED["Cholec80, times without a header"] = RELEASED["Cholec80"] | {
    f"phase_annotations/video0{video}-timestamp.txt": "".join(f"{at}\t00:00:0{at // 25}\n" for at in range(100)) for video in (1, 2)
}


@pytest.mark.parametrize(
    ("name", "metric"), [*((name, "phases") for name in RELEASED), ("HeiChole", "recognition"), ("Cholec80", "recognition")]
)
def test_a_data_set_as_it_is_released_is_scored_with_all_that_lies_beside_its_labels(study, capsys, name, metric):
    put(study, truth=RELEASED[name], found=RELEASED[name])
    said = good(capsys, *sides(study, metric, "--fps", "1", "--predictions-fps", "1")).err
    named = {Path(line.split(": ")[1]).name for line in said.splitlines() if "so it was not read" in line}
    assert named == set(RELEASED[name]) & {"phases.txt", "metrics.csv"}


def test_tables_beside_labels_that_are_named_like_another_video_are_refused(study, capsys):
    put(study, truth={"video01-phase.txt": OF_CHOLEC80, "more/Video02.csv": "frame,phase_id\n0,0\n1,1\n"})
    put(study, found={"video01-phase.txt": OF_CHOLEC80})
    assert "looks like phase-tables" in fault(capsys, *sides(study, "phases", "--vocabulary", "cholec80"))


def test_a_table_that_is_not_named_like_the_others_is_refused_where_the_other_side_has_its_video(study, capsys):
    put(study, truth={"video01-phase.txt": OF_CHOLEC80, "abelo.csv": "frame,phase_id\n0,0\n1,1\n"})
    put(study, found={"video01-phase.txt": OF_CHOLEC80, "abelo-phase.txt": OF_CHOLEC80})
    said = fault(capsys, *sides(study, "phases"))
    assert "abelo.csv: it is not of the format cholec80, so it was not read, but is named like the video abelo" in said
    (study / "found/abelo-phase.txt").unlink()
    assert "abelo.csv: is not of the format cholec80, so it was not read" in good(capsys, *sides(study, "phases")).err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("video02_info.json", '{"fps":25,"width":854}'),
        ("video02_log.txt", "epoch 1 loss 0.5\n"),
        ("video02/fps.txt", "25\n"),
        ("video02/results.csv", "video,accuracy\nvideo01,0.9\n"),
    ],
)
def test_what_is_named_like_a_video_but_holds_no_labels_is_a_warning(study, capsys, name, text):
    put(study, truth={"video01-phase.txt": OF_CHOLEC80, name: text})
    put(study, found={"video01-phase.txt": OF_CHOLEC80, "video02-phase.txt": OF_CHOLEC80})
    assert "so it was not read" in good(capsys, *sides(study, "phases")).err
    assert main(["submission", "check", str(study / "found"), "--ground-truth", str(study / "truth"), "--task", "phases"]) in (0, 1)
    assert "is named like the video" not in capsys.readouterr().out
    put(study, truth={name: '{"broken'} if name.endswith(".json") else {name: "frame,phase_id\n0,0\n1,1\n"})
    assert "is named like the video video02" in fault(capsys, *sides(study, "phases"))


def test_files_beside_labels_are_opened_once_to_see_what_they_are(study, monkeypatch):
    put(study, truth={f"video{at}-phase.txt": OF_CHOLEC80 for at in range(3)} | {f"boxes{at}.json": '{"fps": 25}' for at in range(5)})
    parsed = []
    monkeypatch.setattr(registry, "_parsed", lambda path: parsed.append(path.name))
    label_folder(study / "truth", None, "phases")
    # The first one is also asked of which format the folder is.
    assert sorted(parsed) == ["boxes0.json", *(f"boxes{at}.json" for at in range(5))]


UNREAD = {
    "video02.json": b'{"broken',
    "video02.csv.gz": b"\x1f\x8b",
    "video02.xlsx": b"PK",
    "video02.parquet": pd.DataFrame({"frame": range(4), "phase_id": [0, 0, 1, 1]}).to_parquet(),
}


@pytest.mark.parametrize("name", UNREAD)
def test_labels_that_were_not_read_cost_no_video_in_silence(study, capsys, name):
    phases(study / "truth", "video01")
    (study / "truth" / name).write_bytes(UNREAD[name])
    phases(study / "found", "video01", "video02")
    said = fault(capsys, *sides(study, "phases", "--vocabulary", "cholec80"))
    assert f"{name}: it is not of the format phase-tables, so it was not read, but is named like the video video02" in said
    asked = ["--ground-truth", str(study / "truth"), "--vocabulary", "cholec80"]
    assert main(["submission", "check", str(study / "found"), *asked, "--task", "phases"]) == 1
    assert (
        f"{name}: it is not of the format phase-tables, so it was not read, but is named like the video video02" in capsys.readouterr().out
    )
    assert main(["rank", str(study / "found"), *asked, "--metric", "phases"]) == 1
    (study / "found/video02.csv").unlink()
    said = good(capsys, *sides(study, "phases", "--vocabulary", "cholec80")).err
    assert f"{name}: is not of the format phase-tables, so it was not read; move it out of the folder if it holds no labels" in said


def test_labels_that_were_not_read_say_nothing_of_a_video_that_does_not_count(study, capsys):
    phases(study / "truth", "video01")
    (study / "truth/video02.csv.gz").write_bytes(b"\x1f\x8b")
    phases(study / "found", "video01", "video02")
    (study / "split.csv").write_text("id,subset\nvideo01,test\nvideo02,train\n")
    subset = ["--videos", str(study / "split.csv"), "--subset", "test", "--vocabulary", "cholec80"]
    good(capsys, *sides(study, "phases", *subset))
    assert main(["submission", "check", str(study / "found"), "--ground-truth", str(study / "truth"), *subset, "--task", "phases"]) == 0


def test_predictions_that_were_not_read_are_not_said_to_be_missing(study, capsys):
    phases(study / "truth", "video01", "video02")
    phases(study / "found", "video01")
    (study / "found/video02.csv.gz").write_bytes(b"\x1f\x8b")
    said = fault(capsys, *sides(study, "phases", "--vocabulary", "cholec80"))
    assert "video02.csv.gz: it is not of the format phase-tables, so it was not read, but is named like the video video02" in said


def test_sheets_that_are_no_csv_are_not_passed_over_in_silence(study, capsys):
    for folder in ("truth", "found"):
        (study / folder / "Suturing.csv").write_text("id,GRS\na,1\nb,2\nc,4\n")
    (study / "truth/Knotting.ods").write_bytes(b"PK")
    (study / "truth/README.txt").write_text("")
    said = good(capsys, *sides(study, "skill")).err
    assert "Knotting.ods: is not of the format CSV or TSV, so it was not read" in said
    assert "README" not in said
