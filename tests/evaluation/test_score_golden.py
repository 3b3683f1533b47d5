"""The command on files with the golden inputs: the golden numbers come out, in both semantics."""

import json
import math

import numpy as np
import pytest

import detection_cases
import phase_cases
import recognition_cases
from scrubin.cli import main


def scored(tmp_path, metric, *arguments):
    """Results of the command by variant, after one run that must be good."""
    out = tmp_path / "scores.json"
    assert main(["score", metric, *map(str, arguments), "--out", str(out)]) == 0
    return json.loads(out.read_text())["results"]


def value_of(results, metric, **options):
    wanted = {key.replace("_", " "): value for key, value in options.items()}
    (found,) = [
        one for one in results if one["metric"] == metric and all(one["options"].get(key) == value for key, value in wanted.items())
    ]
    return found


def same(got, expected):
    """JSON numbers, null for undefined."""
    np.testing.assert_allclose(
        [math.nan if value is None else value for value in got],
        [math.nan if value is None else value for value in expected],
        rtol=0,
        atol=1e-9,
    )


@pytest.fixture(params=[case for case in recognition_cases.CASES if case != "edge"])
def recognition(request, tmp_path):
    for folder in ("truth", "predictions"):
        (tmp_path / folder).mkdir()
    for video in recognition_cases.golden_videos(request.param):
        np.savez(tmp_path / "truth" / f"VID{video.name}.npz", targets=video.targets)
        np.savez(tmp_path / "predictions" / f"VID{video.name}.npz", predictions=video.scores)
    return recognition_cases.golden(request.param)["expected"]


@pytest.mark.parametrize("semantics", ["paper", "compat"])
def test_recognition_of_archives_gives_the_published_numbers(recognition, tmp_path, semantics, capsys):
    results = scored(
        tmp_path, "recognition", "--ground-truth", tmp_path / "truth", "--predictions", tmp_path / "predictions", "--semantics", semantics
    )
    for key, scope in (("compute_video_AP", "video-wise"), ("compute_global_AP", "global")):
        for component, expected in recognition[key].items():
            null = {"ivt": {"null": "counted"}, "ivt_ignore_null": {"null": "left out (94, 95, 96, 97, 98, 99)"}}.get(component, {})
            name = component.removesuffix("_ignore_null")
            got = value_of(results, "triplet recognition AP", component=name, scope=scope, **null)
            same([one["value"] for one in got["classes"].values()], expected["AP"])
            same([got["overall"]["value"]], [expected["mAP"]])


def test_an_archive_of_several_videos_with_both_sides_is_split_by_their_lengths(capsys):
    file = recognition_cases.GOLDEN / "ivt_recognition_basic.npz"
    assert main(["score", "recognition", "--ground-truth", str(file), "--predictions", str(file), "--variant", "component=ivt"]) == 0
    said = capsys.readouterr().out
    values = [line.split()[-2:] for line in said.splitlines() if "null=counted" in line]
    assert values == [["0.7108", "n=45"], ["0.5617", "n=45"]]


def test_a_submission_gives_the_same_numbers_as_arrays(tmp_path, capsys):
    for folder in ("truth", "arrays", "submission"):
        (tmp_path / folder).mkdir()
    for video in recognition_cases.golden_videos("basic"):
        scores = 1 / (1 + np.exp(-np.asarray(video.scores, np.float64)))
        np.savez(tmp_path / "truth" / f"VID{video.name}.npz", targets=video.targets)
        np.save(tmp_path / "arrays" / f"VID{video.name}.npy", scores)
        frames = {str(frame): {"recognition": row, "detection": []} for frame, row in enumerate(scores.tolist())}
        (tmp_path / "submission" / f"VID{video.name}.json").write_text(json.dumps(frames))
    truth = ["--ground-truth", tmp_path / "truth", "--predictions"]
    assert scored(tmp_path, "recognition", *truth, tmp_path / "arrays") == scored(tmp_path, "recognition", *truth, tmp_path / "submission")


@pytest.mark.parametrize("case", ["basic", "perfect", "crowded", "order_a"])
def test_detection_of_lists_gives_the_published_numbers(case, tmp_path, capsys):
    videos = detection_cases.golden(case)["videos"]
    for side in ("gt", "pd"):
        (tmp_path / side).mkdir()
        for number, frames in enumerate(videos):
            rows = [[[int(cell) if at in (0, 1, 3, 4) else cell for at, cell in enumerate(row)] for row in frame[side]] for frame in frames]
            (tmp_path / side / f"VID{number}.json").write_text(json.dumps({"frame": list(range(len(rows))), "list": rows}))
    expected = detection_cases.golden(case)["expected"]
    folders = ["--ground-truth", tmp_path / "gt", "--predictions", tmp_path / "pd"]
    paper = scored(tmp_path, "detection", *folders)
    published = scored(tmp_path, "detection", *folders, "--semantics", "compat")
    newer = scored(tmp_path, "detection", *folders, "--semantics", "compat", "--variant", "program=ivtdmetrics-0.1")
    for component in ("ivt", "i"):
        got = value_of(published, "triplet detection AP", component=component, scope="video-wise")
        of = expected["ivtmetrics_0.1.5"]["threshold_0.5"]["compute_video_AP"][component]
        same([got["overall"]["value"]], [of["mAP"]])
        got = value_of(newer, "triplet detection AP", component=component, scope="global", iou="0.5")
        same([got["overall"]["value"]], [expected["ivtdmetrics"]["threshold_0.5"]["coco"]["compute_global_AP"][component]["mAP"]])
        for scope, of in (("video-wise", "video"), ("global", "global")):
            got = value_of(paper, "triplet detection AP", component=component, scope=scope, iou="0.5")
            same([got["overall"]["value"]], [expected["paper_reading"][component][of]["step"]["mAP@0.5"]])


def test_phases_of_tables_give_the_published_numbers(tmp_path, capsys):
    golden = phase_cases.golden("basic")
    runs = range(len(golden["videos"][0]["pred"]))
    for folder in ("truth", *(f"run{run}" for run in runs)):
        (tmp_path / folder).mkdir()
    for video in golden["videos"]:
        rows = "".join(f"{frame},{phase}\n" for frame, phase in enumerate(video["gt"]))
        (tmp_path / "truth" / f"{video['id']}.csv").write_text(f"frame,phase_id\n{rows}")
        for run in runs:
            (tmp_path / f"run{run}" / f"{video['id']}.txt").write_text("".join(f"{phase}\n" for phase in video["pred"][run]))
    results = scored(
        tmp_path,
        "phases",
        "--ground-truth",
        tmp_path / "truth",
        "--predictions",
        *(tmp_path / f"run{run}" for run in runs),
        "--vocabulary",
        "cholec80",
    )
    expected = golden["expected"]["strategies"]["A"]
    for rate in ("precision", "recall", "jaccard", "f1"):
        same([value_of(results, f"phase recognition {rate}", statistic="mean")["overall"]["value"]], [expected[rate]["M"]])
        for source in ("V", "P", "R"):
            name = {"V": "SD over videos", "P": "SD over phases", "R": "SD over runs"}[source]
            same([value_of(results, f"phase recognition {rate}", statistic=name)["overall"]["value"]], [expected[rate][f"SD_{source}"]])


def test_relaxed_phases_give_the_numbers_of_the_published_script(tmp_path, capsys):
    golden = phase_cases.golden("relaxed40")
    for side in ("gt", "pred"):
        (tmp_path / side).mkdir()
        for video in golden["videos"]:
            rows = "".join(f"{frame}\t{phase}\n" for frame, phase in enumerate(video[side]))
            (tmp_path / side / f"{video['id']}-phase.txt").write_text(f"Frame\tPhase\n{rows}")
    folders = ["--ground-truth", tmp_path / "gt", "--predictions", tmp_path / "pred", "--variant", "omega=10"]
    published = scored(tmp_path, "phases", *folders, "--semantics", "compat")
    got = [
        value_of(published, f"phase recognition relaxed {rate}", statistic="mean over phases")
        for rate in ("jaccard", "precision", "recall")
    ]
    same([round(one["overall"]["value"], 2) for one in got], [70.63, 86.67, 87.10])
    paper = scored(tmp_path, "phases", *folders, "above-one=clipped", "averaged=by-phase")
    got = [value_of(paper, f"phase recognition relaxed {rate}", statistic="mean") for rate in ("jaccard", "precision", "recall")]
    same([round(100 * one["overall"]["value"], 2) for one in got], [81.56, 93.69, 94.46])


@pytest.mark.parametrize("case", phase_cases.golden("relaxed_m2cai")["cases"], ids=lambda case: case["name"])
def test_eight_phases_without_a_vocabulary_are_those_of_m2cai_and_it_is_told(case, tmp_path, capsys):
    for side in ("gt", "pred"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "video.txt").write_text("".join(f"{phase}\n" for phase in case[side]))
    results = scored(
        tmp_path,
        "phases",
        "--ground-truth",
        tmp_path / "gt",
        "--predictions",
        tmp_path / "pred",
        "--semantics",
        "compat",
        "--variant",
        "omega=10",
    )
    said = "".join(capsys.readouterr())
    assert "these 8 phases are taken for those of M2CAI" in said
    for rate in ("jaccard", "precision", "recall"):
        got = value_of(results, f"phase recognition relaxed {rate}", statistic="mean over phases")
        expected = [None if value is None else min(float(value), 100.0) for value in case["octave_script"][rate]]
        annotated = [str(phase) in case["gt"] for phase in range(8)]
        same(
            [one["value"] for one in got["classes"].values()],
            [value if there else None for value, there in zip(expected, annotated, strict=True)],
        )


def test_seven_phases_without_a_vocabulary_are_those_of_cholec80_and_it_is_told(tmp_path, capsys):
    (tmp_path / "video.txt").write_text("".join(f"{phase}\n" * 20 for phase in range(7)))
    folders = ["--ground-truth", tmp_path / "video.txt", "--predictions", tmp_path / "video.txt", "--semantics", "compat"]
    scored(tmp_path, "phases", *folders)
    assert "these 7 phases are taken for those of Cholec80" in "".join(capsys.readouterr())
    scored(tmp_path, "phases", *folders, "--vocabulary", "cholec80")
    assert "are taken for" not in "".join(capsys.readouterr())


def test_tables_that_convert_wrote_are_scored_without_saying_so(tmp_path, capsys):
    (tmp_path / "labels").mkdir()
    names = ("instrument", "verb", "target", "triplet", "phase")
    vector = [17, 0, 1, 0.1, 0.1, 0.2, 0.2, 2, 1, -1, -1, -1, -1, -1, 0]
    document = {
        "video": 1,
        "fps": 1,
        "num_frames": 3,
        "categories": {name: {} for name in names},
        "annotations": {"0": [], "1": [], "2": []},
    }
    for frame, triplet in (("0", 17), ("2", 17)):
        document["annotations"][frame] = [[triplet, 0, *vector[2:7], 1, 0, *vector[9:]]]
    (tmp_path / "labels" / "VID01.json").write_text(json.dumps(document))
    labels, tables = str(tmp_path / "labels"), str(tmp_path / "tables")
    assert main(["convert", labels, "--from", "cholect50", "--to", "tables", "--out", tables, "--image-size", "854x480"]) == 0
    results = scored(tmp_path, "recognition", "--ground-truth", labels, "--predictions", tables, "--from", "cholect50")
    assert value_of(results, "triplet recognition AP", component="ivt", scope="global", null="counted")["overall"] == {"value": 1.0, "n": 1}
