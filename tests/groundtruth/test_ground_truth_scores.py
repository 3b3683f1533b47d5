"""What the stage wrote, given to the programs that it is for: the published ones and our own must say the same."""

import contextlib
import io as text_io
import json
import math
import warnings
from copy import deepcopy

import faster_coco_eval
import numpy as np
import pandas as pd
import pytest
import sklearn
from ivtmetrics.detection import Detection
from ivtmetrics.recognition import Recognition
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import detection_cases
from scrubin.base.vocabulary import vocabulary
from scrubin.evaluate.metrics import error_recognition, phases, skill
from scrubin.evaluate.metrics.detection import compat_ivtdmetrics, compat_ivtmetrics
from scrubin.evaluate.metrics.detection.average_precision import average_precision, average_precision_range
from scrubin.evaluate.metrics.phases import PhaseVideo, averaging, rates
from scrubin.evaluate.metrics.recognition import TripletVideo, compat, disentangle, triplet_map
from scrubin.evaluate.metrics.recognition.average_precision import video_wise
from scrubin.evaluate.metrics.variants import COMPONENTS

WORDS = vocabulary.load("cholect50")
TRIPLETS = triplet_map(WORDS.triplets)
RELEASE = "<=1.5" if tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 6) else ">=1.6"
SUBSETS = ("balanced/0/test", *(pytest.param(name, marks=pytest.mark.slow) for name in ("balanced/0/train", "cv/0/test", "cv/1/train")))


@contextlib.contextmanager
def quiet():
    """The published programs divide by zero and print tables."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(text_io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def files_of(folder, subset, kind):
    """The files of one kind that a subset lists, by recording."""
    listed = json.loads((folder / "splits" / subset / "files.json").read_text())["recordings"]
    return {id_: folder / name for id_, one in sorted(listed.items()) for name in one["files"] if f"/{kind}/" in name}


def matrices(folder, subset):
    found = {}
    for id_, path in files_of(folder, subset, "recognition").items():
        with np.load(path, allow_pickle=False) as archive:
            found[id_] = {name: archive[name] for name in archive.files}
    return found


def published_recognition(videos):
    with quiet():
        one = Recognition(100)
        for video in videos:
            one.update(video.targets, video.scores)
            one.video_end()
        return {name: one.compute_video_AP(name) for name in COMPONENTS}, {name: one.compute_global_AP(name) for name in COMPONENTS}


@pytest.mark.slow
@pytest.mark.parametrize("subset", SUBSETS)
def test_ivtmetrics_takes_the_matrices_of_a_subset_and_says_what_we_say(written_once, subset):
    rng = np.random.default_rng(1)
    found = matrices(written_once, subset)
    for blur in (0.0, 0.8):
        videos = [
            TripletVideo(id_, one["ivt"], (1 - blur) * one["ivt"] + blur * rng.random(one["ivt"].shape)) for id_, one in found.items()
        ]
        video_wise_ap, global_ap = published_recognition(videos)
        ours = compat.of_videos(videos, TRIPLETS, scikit_learn=RELEASE)
        for name in COMPONENTS:
            assert math.isfinite(video_wise_ap[name]["mAP"])
            np.testing.assert_allclose(ours.compute_video_ap(name).overall.value, video_wise_ap[name]["mAP"], rtol=0, atol=1e-12)
            np.testing.assert_allclose(ours.compute_global_ap(name).overall.value, global_ap[name]["mAP"], rtol=0, atol=1e-12)
            paper = video_wise(videos, TRIPLETS, [name])[name]
            assert paper.overall.value == 1 if blur == 0 else 0 < paper.overall.value < 1


def test_components_in_the_files_are_those_of_the_metric_and_of_the_table(written_once):
    for id_, one in matrices(written_once, "balanced/0/train").items():
        table = pd.read_parquet(written_once / "splits/balanced/0/train/cholect50/recognition.parquet")
        rows = table[table["id"] == id_]
        assert rows["frame"].tolist() == one["frame"].tolist()
        for name in COMPONENTS:
            assert np.array_equal(disentangle(one["ivt"], TRIPLETS, name), one[name])
            assert np.array_equal(rows[[f"{name}_{k}" for k in one[f"{name}_ids"]]].to_numpy(int), one[name])
        assert [one[name].shape[1] for name in ("ivt", "i", "v", "t")] == [100, 6, 10, 15]


def boxes_of(folder, subset):
    return {id_: json.loads(path.read_text()) for id_, path in files_of(folder, subset, "detection").items()}


def perturbed(rows, rng):
    """Predictions of one frame with nine columns: moved, some lost, some of another class, some of nothing."""
    found = []
    for row in rows:
        if rng.random() < 0.2:
            continue
        triplet = int(rng.integers(100)) if rng.random() < 0.2 else row[0]
        corner = np.clip(np.array(row[5:7]) + rng.normal(0, 0.03, 2), 0, 1 - np.array(row[7:9])).tolist()
        found.append([triplet, WORDS.triplets[triplet][0], rng.random(), *WORDS.triplets[triplet][1:], *corner, *row[7:9]])
    if rng.random() < 0.3:
        triplet = int(rng.integers(100))
        found.append([triplet, WORDS.triplets[triplet][0], rng.random(), *WORDS.triplets[triplet][1:], 0.1, 0.1, 0.3, 0.3])
    return found


def predictions_of(truth, *, perfect):
    rng = np.random.default_rng(2)
    return {id_: [rows if perfect else perturbed(rows, rng) for rows in one["list_9"]] for id_, one in truth.items()}


def seven(rows):
    return [[*row[:3], *row[5:]] for row in rows]


def as_dict(rows):
    return [{"triplet": row[0], "instrument": row[1:]} for row in rows]


def study_of(truth, found):
    frames = {id_: zip(one["list_9"], found[id_], strict=True) for id_, one in truth.items()}
    return detection_cases.study_of([[{"gt": gt, "pd": pd_} for gt, pd_ in both] for both in frames.values()])


@pytest.mark.parametrize("perfect", [True, False])
@pytest.mark.parametrize("layout", ["list", "dict"])
@pytest.mark.parametrize("subset", SUBSETS)
def test_ivtmetrics_takes_the_boxes_of_a_subset_and_says_what_we_say(written_once, subset, layout, perfect):
    truth = boxes_of(written_once, subset)
    found = predictions_of(truth, perfect=perfect)
    with quiet():
        one = Detection(100, 6)
        for number, id_ in enumerate(truth):
            if number:
                one.video_end()
            predicted = [seven(rows) if layout == "list" else as_dict(seven(rows)) for rows in found[id_]]
            one.update(deepcopy(truth[id_][layout]), predicted, layout)
        theirs = {component: one.compute_video_AP(component) for component in ("ivt", "i")}
    ours = compat_ivtmetrics.of_videos(study_of(truth, found))
    for component, values in theirs.items():
        result = ours.compute_video_ap(component)
        assert 0 < values["mAP"] <= 1 + 1e-12
        for name in ("AP", "Rec", "Pre"):
            np.testing.assert_allclose([one.value for one in result[name].classes.values()], values[name], rtol=0, atol=1e-12)
        for name in ("lm", "plm", "ids", "idm", "mil", "fp", "fn"):
            assert result[name].overall.value == pytest.approx(values[name], abs=1e-12)


def test_perfect_boxes_are_perfect_by_the_paper_and_by_ivtdmetrics_almost(written_once):
    truth = boxes_of(written_once, "balanced/0/test")
    study = study_of(truth, predictions_of(truth, perfect=True))
    for component in ("ivt", "i", "v", "t"):
        assert average_precision(study, component).overall.value == 1
        assert average_precision_range(study, component).overall.value == 1
        # Appendix D of ProstaTD adds a recall of 1 with precision 0.
        published = compat_ivtdmetrics.of_videos(study).compute_video_ap(component)["AP"].overall.value
        assert published == pytest.approx(0.995, abs=1e-9)


def coco_numbers(program, path, found, images):
    """AP over IoU 0.50:0.95, at 0.50 and at 0.75, of predictions in px."""
    results = []
    for (id_, at), image in images.items():
        side = np.array([image["width"], image["height"]] * 2)
        results += [
            {"image_id": image["id"], "category_id": row[0] + 1, "bbox": (np.array(row[5:9]) * side).tolist(), "score": row[2]}
            for row in found[id_][at]
        ]
    with quiet():
        truth_class, eval_class = program
        truth = truth_class(str(path))
        one = eval_class(truth, truth.loadRes(results), "bbox")
        one.evaluate()
        one.accumulate()
        one.summarize()
    return [float(one.stats[k]) for k in range(3)]


@pytest.mark.cases(2)
@pytest.mark.parametrize("perfect", [True, False])
@pytest.mark.parametrize("program", [(COCO, COCOeval), (faster_coco_eval.COCO, faster_coco_eval.COCOeval_faster)])
@pytest.mark.parametrize("subset", [None, *SUBSETS])
def test_coco_programs_say_what_we_say_of_the_same_subset(written_once, subset, program, perfect):
    path = written_once / ("cholect50/coco.json" if subset is None else f"splits/{subset}/cholect50/coco.json")
    truth = {
        id_: one for name in ([subset] if subset else ["cv/0/test", "cv/0/train"]) for id_, one in boxes_of(written_once, name).items()
    }
    truth = dict(sorted(truth.items()))
    found = predictions_of(truth, perfect=perfect)
    images = {(image["recording"], image["frame"]): image for image in json.loads(path.read_text())["images"]}
    assert set(images) == {(id_, frame) for id_, one in truth.items() for frame in one["frame"]}
    study = study_of(truth, found)
    ours = [average_precision_range(study, interpolation="101-point", scope="global").overall.value]
    ours += [average_precision(study, threshold=iou, interpolation="101-point", scope="global").overall.value for iou in (0.5, 0.75)]
    assert coco_numbers(program, path, found, images) == pytest.approx(ours, abs=1e-9)
    assert ours == [1, 1, 1] if perfect else all(0 < value < 1 for value in ours)


def test_subsets_of_coco_are_disjoint_parts_of_the_whole_and_keep_their_ids(written_once):
    whole = json.loads((written_once / "cholect50/coco.json").read_text())
    parts = [json.loads((written_once / f"splits/balanced/0/{name}/cholect50/coco.json").read_text()) for name in ("train", "test")]
    for key in ("images", "annotations"):
        assert sorted((one for part in parts for one in part[key]), key=lambda one: one["id"]) == whole[key]
    assert all(part["categories"] == whole["categories"] for part in parts)


@pytest.mark.parametrize("subset", SUBSETS)
def test_phase_files_are_sequences_that_the_phase_metrics_take(written_once, subset):
    rng = np.random.default_rng(3)
    videos = []
    for id_, path in files_of(written_once, subset, "phases").items():
        truth = pd.read_csv(path)["phase_id"].to_numpy()
        wrong = rng.random(len(truth)) < 0.25
        videos.append(PhaseVideo(id_, truth, np.stack([truth, np.where(wrong, (truth + 1) % 7, truth)])))
    assert len(videos) == 2
    shares = [float(np.mean(np.asarray(one.annotation) == np.asarray(one.predictions)[run])) for one in videos for run in (0, 1)]
    counted = phases.confusions_of_videos(videos, WORDS.phases)
    assert averaging.mean(rates.accuracy(counted)).overall.value == pytest.approx(math.fsum(shares) / len(shares), abs=1e-12)
    alone = phases.confusions_of_videos([PhaseVideo(one.name, one.annotation, one.annotation) for one in videos], WORDS.phases)
    for rate in rates.RATES:
        assert averaging.mean(rates.rate_elements(alone, rate)).overall.value == 1


def test_sheets_of_a_subset_are_what_the_skill_and_error_metrics_take(written_once, made):
    sheet = pd.read_csv(written_once / "splits/balanced/0/train/skill/PegTransfer.csv")
    assert sheet["id"].tolist() == ["abelo", "bagiru"]
    assert np.isnan(sheet["GRS"].to_numpy()[1])  # undefined, and left out by the metric
    whole = pd.read_csv(written_once / "skill/PegTransfer.csv")
    defined = made["skill"]["GRS"].dropna().to_numpy()
    result = skill.score("mae", whole["GRS"], whole["GRS"].fillna(0) + 0.5)
    assert (result.overall.value, result.overall.n) == (pytest.approx(0.5), len(defined))
    assert skill.score("ccc", whole["GRS"], whole["GRS"].fillna(9)).overall.value == pytest.approx(1)
    errors = pd.read_csv(written_once / "errors/PegTransfer.csv")
    truth = {name: errors[name] for name in ("cut", "drop")}
    assert error_recognition.score("accuracy", truth, truth).overall.value == 1
    flipped = {"cut": ~errors["cut"], "drop": errors["drop"]}
    assert error_recognition.score("accuracy", truth, flipped).overall.value == 0.5
    subsets = [pd.read_csv(written_once / f"splits/cv/1/{name}/errors/PegTransfer.csv") for name in ("train", "test")]
    assert sorted(one for sheet in subsets for one in sheet["id"]) == errors["id"].tolist()
