"""The command on files with the golden inputs: the golden numbers come out, in both semantics."""

import json
import math

import numpy as np
import pytest

import detection_cases
import phase_cases
import recognition_cases
from score_runs import good, put, results, sides
from scrubin.cli import main


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


@pytest.fixture(params=["basic", "nonull"])
def recognition(request, tmp_path):
    for video in recognition_cases.golden_videos(request.param):
        name, found = f"VID{video.name}.npz", {"predictions": video.scores}
        put(tmp_path, truth={name: {"targets": video.targets}}, found={name: found})
    return recognition_cases.golden(request.param)["expected"]


@pytest.mark.parametrize("semantics", ["paper", "compat"])
def test_recognition_of_archives_gives_the_published_numbers(recognition, tmp_path, semantics, capsys):
    found, _ = results(capsys, tmp_path, "recognition", more=("--semantics", semantics))
    for key, scope in (("compute_video_AP", "video-wise"), ("compute_global_AP", "global")):
        for component, expected in recognition[key].items():
            null = {"ivt": {"null": "counted"}, "ivt_ignore_null": {"null": "left out (94, 95, 96, 97, 98, 99)"}}.get(component, {})
            name = component.removesuffix("_ignore_null")
            got = value_of(found, "triplet recognition AP", component=name, scope=scope, **null)
            same([one["value"] for one in got["classes"].values()], expected["AP"])
            same([got["overall"]["value"]], [expected["mAP"]])


def test_an_archive_of_several_videos_with_both_sides_is_split_by_their_lengths(capsys):
    file = recognition_cases.GOLDEN / "ivt_recognition_basic.npz"
    assert main(["score", "recognition", "--ground-truth", str(file), "--predictions", str(file), "--variant", "component=ivt"]) == 0
    said = capsys.readouterr().out
    values = [line.split()[-2:] for line in said.splitlines() if "null=counted" in line]
    assert values == [["0.7108", "n=45"], ["0.5617", "n=45"]]


def test_a_submission_gives_the_same_numbers_as_arrays(tmp_path, capsys):
    for video in recognition_cases.golden_videos("basic"):
        scores, name = 1 / (1 + np.exp(-np.asarray(video.scores, np.float64))), f"VID{video.name}"
        frames = {str(frame): {"recognition": row, "detection": []} for frame, row in enumerate(scores.tolist())}
        put(tmp_path, truth={f"{name}.npz": {"targets": video.targets}}, found={f"{name}.npy": scores}, other={f"{name}.json": frames})
    by_arrays, _ = results(capsys, tmp_path, "recognition")
    (tmp_path / "found").rename(tmp_path / "arrays")
    (tmp_path / "other").rename(tmp_path / "found")
    assert results(capsys, tmp_path, "recognition")[0] == by_arrays


@pytest.mark.parametrize("case", ["basic", "crowded"])
def test_detection_of_lists_gives_the_published_numbers(case, tmp_path, capsys):
    for folder, side in (("truth", "gt"), ("found", "pd")):
        for number, frames in enumerate(detection_cases.golden(case)["videos"]):
            rows = [[[int(cell) if at in (0, 1, 3, 4) else cell for at, cell in enumerate(row)] for row in frame[side]] for frame in frames]
            put(tmp_path, **{folder: {f"VID{number}.json": {"frame": list(range(len(rows))), "list": rows}}})
    expected = detection_cases.golden(case)["expected"]
    compat = ("--semantics", "compat")
    paper, _ = results(capsys, tmp_path, "detection")
    published, _ = results(capsys, tmp_path, "detection", more=compat)
    newer, _ = results(capsys, tmp_path, "detection", "program=ivtdmetrics-0.1", more=compat)
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
    for video in golden["videos"]:
        rows = "".join(f"{frame},{phase}\n" for frame, phase in enumerate(video["gt"]))
        put(tmp_path, truth={f"{video['id']}.csv": f"frame,phase_id\n{rows}"})
        for run in runs:
            put(tmp_path, **{f"run{run}": {f"{video['id']}.txt": "".join(f"{phase}\n" for phase in video["pred"][run])}})
    of_runs = ("--predictions", *(tmp_path / f"run{run}" for run in runs))
    said = good(capsys, "phases", "--ground-truth", tmp_path / "truth", *of_runs, "--vocabulary", "cholec80", "--json")
    found, expected = json.loads(said.out)["results"], golden["expected"]["strategies"]["A"]
    for rate in ("precision", "recall", "jaccard", "f1"):
        same([value_of(found, f"phase recognition {rate}", statistic="mean")["overall"]["value"]], [expected[rate]["M"]])
        for source, of in (("V", "videos"), ("P", "phases"), ("R", "runs")):
            got = value_of(found, f"phase recognition {rate}", statistic=f"SD over {of}")
            same([got["overall"]["value"]], [expected[rate][f"SD_{source}"]])


RELAXED = ("jaccard", "precision", "recall")


def test_relaxed_phases_give_the_numbers_of_the_published_script(tmp_path, capsys):
    for folder, side in (("truth", "gt"), ("found", "pred")):
        for video in phase_cases.golden("relaxed40")["videos"]:
            rows = "".join(f"{frame}\t{phase}\n" for frame, phase in enumerate(video[side]))
            put(tmp_path, **{folder: {f"{video['id']}-phase.txt": f"Frame\tPhase\n{rows}"}})
    published, _ = results(capsys, tmp_path, "phases", "omega=10", more=("--semantics", "compat"))
    got = [value_of(published, f"phase recognition relaxed {rate}", statistic="mean over phases") for rate in RELAXED]
    same([round(one["overall"]["value"], 2) for one in got], [70.63, 86.67, 87.10])
    paper, _ = results(capsys, tmp_path, "phases", "omega=10", "above-one=clipped", "averaged=by-phase")
    got = [value_of(paper, f"phase recognition relaxed {rate}", statistic="mean") for rate in RELAXED]
    same([round(100 * one["overall"]["value"], 2) for one in got], [81.56, 93.69, 94.46])


@pytest.mark.parametrize("case", phase_cases.golden("relaxed_m2cai")["cases"], ids=lambda case: case["name"])
def test_eight_phases_without_a_vocabulary_are_those_of_m2cai_and_it_is_told(case, tmp_path, capsys):
    for folder, side in (("truth", "gt"), ("found", "pred")):
        put(tmp_path, **{folder: {"video.txt": "".join(f"{phase}\n" for phase in case[side])}})
    found, said = results(capsys, tmp_path, "phases", "omega=10", more=("--semantics", "compat"))
    assert "these 8 phases are taken for those of M2CAI" in said
    annotated = [str(phase) in case["gt"] for phase in range(8)]
    for rate in RELAXED:
        got = value_of(found, f"phase recognition relaxed {rate}", statistic="mean over phases")
        expected = [None if value is None else min(float(value), 100.0) for value in case["octave_script"][rate]]
        wanted = [value if there else None for value, there in zip(expected, annotated, strict=True)]
        same([one["value"] for one in got["classes"].values()], wanted)


def test_seven_phases_without_a_vocabulary_are_those_of_cholec80_and_it_is_told(tmp_path, capsys):
    video = {"video.txt": "".join(f"{phase}\n" * 20 for phase in range(7))}
    run = sides(put(tmp_path, truth=video, found=video), "phases", "--semantics", "compat")
    assert "these 7 phases are taken for those of Cholec80" in "".join(good(capsys, *run))
    assert "are taken for" not in "".join(good(capsys, *run, "--vocabulary", "cholec80"))


def test_tables_that_convert_wrote_are_scored_without_saying_so(tmp_path, capsys):
    vector = [17, 0, 1, 0.1, 0.1, 0.2, 0.2, 1, 0, -1, -1, -1, -1, -1, 0]
    document = {"video": 1, "fps": 1, "num_frames": 3, "annotations": {"0": [vector], "1": [], "2": [vector]}}
    document["categories"] = {name: {} for name in ("instrument", "verb", "target", "triplet", "phase")}
    put(tmp_path, truth={"VID01.json": document})
    to = ("--from", "cholect50", "--to", "tables", "--out", tmp_path / "found", "--image-size", "854x480")
    assert main(["convert", *map(str, (tmp_path / "truth", *to))]) == 0
    capsys.readouterr()
    found, _ = results(capsys, tmp_path, "recognition", more=("--from", "cholect50"))
    assert value_of(found, "triplet recognition AP", component="ivt", scope="global", null="counted")["overall"] == {"value": 1.0, "n": 1}
