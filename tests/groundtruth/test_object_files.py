"""Masks, points, tracks and marks of a ground truth: what is in the files, and that scores take them as they are."""

import contextlib
import io as text_io
import json
import shutil

import numpy as np
import pandas as pd
import pytest
from pycocotools import mask as pycoco
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from compared_tables import compared
from ground_truths import write_ground_truth, write_tables
from object_labels import BLACK, ellipse, with_objects
from score_runs import good
from scrubin.base.vocabulary import vocabulary
from scrubin.labels.masks import rle
from scrubin.labels.masks.blackened import Blackened
from scrubin.labels.points import Point
from scrubin.labels.truth import Layer, Recording, objects
from scrubin.labels.truth.objects import Details, Instance, Mask, Objects
from scrubin.stages.groundtruth import verification

PARTS = ("masks", "points", "tracks", "marks")
BLACK_FRAMES, WHOLE = (3, 4, 5), 7
LABELLED_IDS = ("abelo", "bagiru")
WORDS = vocabulary.load("cholect50")


@pytest.fixture(scope="module")
def drawn(made):
    return with_objects(made, LABELLED_IDS, black_frames=BLACK_FRAMES, whole_frame=WHOLE)


@pytest.fixture(scope="module")
def truth(drawn, tmp_path_factory):
    folder = tmp_path_factory.mktemp("objects") / "g"
    write_ground_truth(folder, drawn)
    return folder


def document(truth, name):
    return json.loads((truth / "cholect50" / name).read_text())


def pixels(one):
    height, width = one["size"]
    return rle.picture(rle.runs_of_text(one["counts"], height, width), height, width)


def test_masks_are_those_of_the_table_in_the_size_of_the_picture(truth, drawn):
    coco = document(truth, "masks.json")
    images = {image["id"]: image for image in coco["images"]}
    assert {image["recording"] for image in images.values()} == set(LABELLED_IDS)
    rows = drawn["triplets"].set_index(["id", "frame", "instance"])
    for one in coco["annotations"]:
        image = images[one["image_id"]]
        row = rows.loc[(image["recording"], image["frame"], one["instance"])]
        assert coco["categories"][one["category_id"] - 1]["name"] == row["instrument"]
        mask = pixels(one["segmentation"])
        assert mask.shape == (240, 320)
        wanted = np.repeat(np.repeat(ellipse(row), 2, axis=0), 2, axis=1)
        black = np.zeros_like(wanted)
        if image["recording"] == LABELLED_IDS[0] and image["frame"] in BLACK_FRAMES:
            x, y, w, h = BLACK
            black[y : y + h, x : x + w] = True
        assert np.array_equal(mask, wanted & ~black)
        assert one["area"] == mask.sum() == pycoco.area(one["segmentation"])


def test_what_is_black_is_not_counted_and_a_black_frame_is_none(truth):
    images = [image for image in document(truth, "masks.json")["images"] if image["recording"] == LABELLED_IDS[0]]
    assert [image["frame"] for image in images if "ignored" in image] == list(BLACK_FRAMES)
    x, y, w, h = BLACK
    for image in images:
        if "ignored" in image:
            black = pixels(image["ignored"])
            assert black[y : y + h, x : x + w].all()
            assert black.sum() == w * h
    shown = {image["frame"] for image in images}
    assert shown == set(range(24)) - {WHOLE}
    assert WHOLE not in {image["frame"] for image in document(truth, "points.json")["images"] if image["recording"] == LABELLED_IDS[0]}


def test_an_instance_that_is_black_altogether_is_no_annotation_and_spares_its_frame():
    black = Blackened([(0, 0, 100, 100)], 320, 240)
    text = rle.text_of_runs(rle.runs_of_picture(np.ones((240, 320))))
    seen, under = Instance(0, 0, (0.5, 0.5, 0.4, 0.4), Mask(text, 320, 240)), Instance(1, 1, (0.05, 0.05, 0.1, 0.1))
    half = Instance(1, 1, (0.05, 0.05, 0.9, 0.1))
    one = Objects("a", WORDS, {0: (seen, under), 1: (seen, half), 2: (seen,)}, frozenset(), {0: black, 1: black})
    assert {frame: [instance.number for instance in own] for frame, own in one.masked().items()} == {0: [0], 2: [0]}


def test_rectangles_grow_to_every_pixel_that_they_touch():
    black = Blackened([(10, 10, 20, 20)], 100, 100)
    assert rle.picture(black.runs(33, 33), 33, 33).sum() == 4 * 4
    assert rle.box_xywh_px(black.runs(33, 33), 33) == (3, 3, 4, 4)


def test_a_mask_drawn_in_a_picture_with_an_odd_side_shows_nothing_that_is_black_in_the_released_one():
    # The source is 101 px wide, its video 100: source pixel 60 is shown, and its mask scaled by the nearest pixel comes to lie on 59.
    drawn = np.ones((50, 101), bool)
    drawn[10:20, 50:60] = False
    mask = Mask(rle.text_of_runs(rle.runs_of_picture(drawn)), 101, 50)
    black = Blackened([(50, 10, 60, 20)], 100, 50)
    small = np.zeros((50, 101), bool)
    small[12, 60] = True
    lost = Mask(rle.text_of_runs(rle.runs_of_picture(small)), 101, 50)
    box = (0.1, 0.1, 0.5, 0.5)
    points = (Point("tip", 0.1, 0.1, 2),)
    one = Objects("a", WORDS, {0: (Instance(0, 0, box, mask, points), Instance(1, 1, box, lost, points))}, frozenset(), {0: black})
    images = pd.DataFrame([{"id": "a", "frame": 0, "path": "a/0.jpg", "width": 100, "height": 50}])
    document = objects.masks_coco(WORDS, [one], images)
    (annotation,) = document["annotations"]
    assert (pixels(annotation["segmentation"]) == ~pixels(document["images"][0]["ignored"])).all()
    assert annotation["area"] == 5000 - 100
    first, second = objects.points_coco(WORDS, [one], images)["annotations"]
    assert first["segmentation"] == annotation["segmentation"]
    assert "segmentation" not in second


class Walked(dict):
    """A table that counts how often it is walked through."""

    walks = 0

    def __iter__(self):
        self.walks += 1
        return super().__iter__()

    def items(self):
        self.walks += 1
        return super().items()


def test_details_and_what_is_black_are_walked_through_once_for_all_recordings():
    masks, black = Walked({("a", 0, 0): None}), Walked({("a", 0): Blackened([(0, 0, 9, 9)], 320, 240)})
    layer = Layer(WORDS, np.zeros(0, np.int64), pd.DataFrame(), "instrument")
    labelled = [Recording(name, layer, None, whole_triplets=False) for name in "bcd"]
    assert objects.of_recordings(labelled, Details(masks, {}, {}), black) == []
    assert (masks.walks, black.walks) == (1, 1)


def scored(truth, capsys, tmp_path, task, wanted, found, *variant):
    out = tmp_path / "s.json"
    good(capsys, task, "--ground-truth", wanted, "--predictions", found, "--out", out, *(("--variant", *variant) if variant else ()))
    results = json.loads(out.read_text())["results"]
    return {one["metric"] + "".join(f" {key}={value}" for key, value in sorted(one["options"].items())): one for one in results}


def overall(results, name):
    (value,) = {one["overall"]["value"] for key, one in results.items() if key.startswith(name)}
    return value


MASK_KINDS = [("kind=masks", "component=i"), ("kind=pixels", "component=i")]


@pytest.mark.parametrize("variant", MASK_KINDS)
def test_masks_against_themselves_are_perfect_and_one_that_moved_is_not(truth, capsys, tmp_path, variant):
    wanted, found = truth / "cholect50/masks.json", tmp_path / "found.json"
    shutil.copy(wanted, found)
    for one in scored(truth, capsys, tmp_path, "detection", wanted, found, *variant).values():
        value, metric = one["overall"]["value"], one["metric"]
        if "HD95" in metric:
            assert value == 0
        elif "AR" in metric:
            assert value is None or value <= 1
        else:
            assert value is None or value == 1, metric
    planted = json.loads(found.read_text())
    one = planted["annotations"][0]
    moved = np.roll(pixels(one["segmentation"]), 40, axis=1)
    one["segmentation"]["counts"] = rle.text_of_runs(rle.runs_of_picture(moved))
    found.write_text(json.dumps(planted))
    worse = scored(truth, capsys, tmp_path, "detection", wanted, found, *variant)
    name = "mask AP" if variant[0] == "kind=masks" else "Dice"
    values = [one["overall"]["value"] for key, one in worse.items() if name in key]
    assert values
    assert min(value for value in values if value is not None) < 1


@pytest.mark.parametrize("variant", MASK_KINDS)
def test_what_is_predicted_where_the_picture_is_black_is_neither_right_nor_wrong(truth, capsys, tmp_path, variant):
    wanted, found = truth / "cholect50/masks.json", tmp_path / "found.json"
    document = json.loads(wanted.read_text())
    image = next(image for image in document["images"] if "ignored" in image)
    unfound = {one["category_id"] for one in document["annotations"] if one["image_id"] == image["id"]}
    under = pixels(image["ignored"])

    def values(mask):
        extra = {"id": 9999, "image_id": image["id"], "category_id": min({1, 2, 3, 4, 5, 6} - unfound), "iscrowd": 0, "score": 0.99}
        runs = rle.runs_of_picture(mask)
        extra |= {"bbox": list(rle.box_xywh_px(runs, 240)), "area": int(mask.sum())}
        extra["segmentation"] = {"size": [240, 320], "counts": rle.text_of_runs(runs)}
        annotations = [*({**one, "score": 0.5} for one in document["annotations"]), extra]
        found.write_text(json.dumps({**document, "annotations": annotations}))
        results = scored(truth, capsys, tmp_path, "detection", wanted, found, *variant)
        return {key: one["overall"]["value"] for key, one in results.items() if "AR" not in one["metric"] and "HD95" not in key}

    assert {value for value in values(under).values() if value is not None} == {1}
    assert min(value for value in values(np.roll(under, -60, axis=0)).values() if value is not None) < 1


def test_pycocotools_takes_masks_and_points(truth):
    for name, kind in (("masks.json", "segm"), ("points.json", "keypoints")):
        with contextlib.redirect_stdout(text_io.StringIO()):
            coco = COCO(str(truth / "cholect50" / name))
            found = [{**one, "score": 1.0} for one in coco.loadAnns(coco.getAnnIds())]
            evaluation = COCOeval(coco, coco.loadRes(found), kind)
            if kind == "keypoints":
                evaluation.params.kpt_oks_sigmas = np.array([0.05, 0.05])
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        assert evaluation.stats[0] == pytest.approx(1)


def test_points_have_the_names_and_places_of_the_table(truth, drawn):
    coco = document(truth, "points.json")
    images = {image["id"]: image for image in coco["images"]}
    rows = drawn["points"].set_index(["id", "frame", "instance", "point"])
    assert all(category["keypoints"] == ["joint", "tip"] for category in coco["categories"])
    hidden = 0
    for one in coco["annotations"]:
        image = images[one["image_id"]]
        for at, name in enumerate(("joint", "tip")):
            x, y, visibility = one["keypoints"][3 * at : 3 * at + 3]
            row = rows.loc[(image["recording"], image["frame"], one["instance"], name)]
            assert visibility == row["visibility"]
            hidden += visibility == 0
            assert (x, y) == ((0, 0) if not visibility else pytest.approx((row["x"] * 320, row["y"] * 240), abs=1e-4))
    assert 0 < hidden < len(coco["annotations"])


def test_points_against_themselves_are_perfect_and_one_that_moved_is_not(truth, capsys, tmp_path):
    wanted, found = truth / "cholect50/points.json", tmp_path / "found.json"
    shutil.copy(wanted, found)

    def values(*variant):
        results = scored(truth, capsys, tmp_path, "points", wanted, found, *variant)
        return {key: one["overall"]["value"] for key, one in results.items() if one["overall"]["value"] is not None}

    perfect = values(), values("kind=distances")
    assert {value for key, value in perfect[0].items() if "AP" in key} == {1}
    assert {value for key, value in perfect[1].items() if "PCK" in key} == {1}
    planted = json.loads(found.read_text())
    for one in planted["annotations"][:20]:
        one["keypoints"][0] += 60
    found.write_text(json.dumps(planted))
    worse = values(), values("kind=distances")
    assert min(value for key, value in worse[0].items() if "AP" in key) < 1
    assert min(value for key, value in worse[1].items() if "PCK" in key) < 1


def test_tracks_against_themselves_are_perfect_and_an_exchange_is_not(truth, capsys, tmp_path):
    wanted, found = truth / "cholect50/tracks/track", tmp_path / "found"
    assert sorted(path.name for path in wanted.iterdir()) == sorted(LABELLED_IDS)
    shutil.copytree(wanted, found)
    perfect = scored(truth, capsys, tmp_path, "tracks", wanted, found, "classes=one")
    for name in ("tracks HOTA", "tracks IDF1", "tracks MOTA"):
        assert overall(perfect, name) == 1
    file = found / LABELLED_IDS[0] / "gt/gt.txt"
    lines = [line.split(",") for line in file.read_text().splitlines()]
    late = [line if int(line[0]) < 12 else [line[0], str(int(line[1]) + 10), *line[2:]] for line in lines]
    file.write_text("".join(",".join(line) + "\n" for line in late))
    worse = scored(truth, capsys, tmp_path, "tracks", wanted, found, "classes=one")
    assert overall(worse, "tracks HOTA") < 1
    assert overall(worse, "tracks IDSW") > 0


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("task", "part", "variant"),
    [
        ("detection", "masks.json", ("kind=masks", "component=i")),
        ("detection", "masks.json", ("kind=pixels", "component=i")),
        ("points", "points.json", ()),
        ("tracks", "tracks/track", ("classes=one",)),
    ],
)
def test_a_release_is_taken_as_it_is(truth, capsys, tmp_path, task, part, variant):
    release = tmp_path / "release"
    release.mkdir()
    (release / "groundtruth").symlink_to(truth)
    own = truth / "cholect50" / part
    found = tmp_path / "found"
    (shutil.copytree if own.is_dir() else shutil.copy)(own, found if own.is_dir() else found.with_suffix(".json"))
    found = found if own.is_dir() else found.with_suffix(".json")
    by_part = scored(truth, capsys, tmp_path, task, own, found, *variant)
    for path in (release, truth, truth / "cholect50"):
        assert scored(truth, capsys, tmp_path, task, path, found, *variant) == by_part


def test_boxes_of_a_ground_truth_with_masks_are_those_of_all_its_frames(truth, capsys, tmp_path):
    found = scored(truth, capsys, tmp_path, "detection", truth, truth / "cholect50/detection", "component=i")
    assert {name for one in found.values() for name in one.get("videos", {})} >= {"abelo", "dufila"}


def test_marks_against_their_mean_are_perfect_and_a_mistake_is_not(truth, drawn, capsys, tmp_path):
    text = (truth / f"marks/{LABELLED_IDS[0]}.csv").read_text()
    assert text.splitlines()[0] == "frame,mark,rater,value"
    assert len(text.splitlines()) == 1 + len(drawn["marks"])
    means = drawn["marks"].pivot_table(index="frame", columns="mark", values="value")
    found = tmp_path / f"{LABELLED_IDS[0]}.csv"
    means.reset_index().to_csv(found, index=False)
    perfect = scored(truth, capsys, tmp_path, "criteria", truth / "marks", found)
    assert {one["overall"]["value"] for key, one in perfect.items() if "Brier" in key and "truth=soft" in key} == {0}
    assert {one["overall"]["value"] for key, one in perfect.items() if key.startswith("criteria AP")} == {1}
    # The ground truth as a whole, or a release that has it, is taken, too.
    assert scored(truth, capsys, tmp_path, "criteria", truth, found) == perfect
    raters = scored(truth, capsys, tmp_path, "criteria", truth / "marks", found, "kind=raters")
    assert set(next(one for key, one in raters.items() if "Brier" in key)["classes"]) == {"1", "2", "3"}
    (1 - means).reset_index().to_csv(found, index=False)
    worse = scored(truth, capsys, tmp_path, "criteria", truth / "marks", found)
    assert all(one["overall"]["value"] < 1 for key, one in worse.items() if key.startswith("criteria AP"))


def test_subsets_have_their_masks_and_points_and_list_what_is_of_one_recording(truth):
    for subset, own in (("balanced/0/train", set(LABELLED_IDS)), ("balanced/0/test", set())):
        folder = truth / "splits" / subset
        listed = json.loads((folder / "files.json").read_text())
        for name in ("masks.json", "points.json"):
            path = folder / "cholect50" / name
            assert path.is_file() == bool(own)
            if own:
                assert {image["recording"] for image in json.loads(path.read_text())["images"]} == own
                assert f"cholect50/{name}" in listed["files"]
        tracked = {id_ for id_, one in listed["recordings"].items() if f"cholect50/tracks/track/{id_}/gt/gt.txt" in one["files"]}
        assert tracked == own
        judged = {id_ for id_, one in listed["recordings"].items() if f"marks/{id_}.csv" in one["files"]}
        assert judged == own & {LABELLED_IDS[0]}


@pytest.mark.slow
def test_no_table_is_searched_once_for_each_recording(drawn, tmp_path, monkeypatch):
    counts = []
    for ids in (LABELLED_IDS[:1], LABELLED_IDS):
        of_labels = {name: drawn[name][drawn[name]["id"].isin(ids)] for name in ("labelled", "triplets", "phases", *PARTS)}
        with monkeypatch.context() as patched:
            seen = compared(patched, rows=1)
            write_ground_truth(tmp_path / "g", drawn | of_labels)
        counts.append(len(seen))
    assert counts[0] == counts[1]


def test_the_manifest_counts_what_can_be_scored_and_only_where_it_is_labelled(truth):
    counted = json.loads((truth / "manifest.json").read_text())["recordings"]
    first, second, third, _ = (counted[id_] for id_ in ("abelo", "bagiru", "cenopa", "dufila"))
    assert (first["mask_frames"], first["point_frames"], first["track_frames"], first["mark_frames"]) == (23, 23, 24, 6)
    assert (second["mask_frames"], second["track_frames"]) == (24, 24)
    assert not {"mask_frames", "point_frames", "track_frames", "mark_frames"} & third.keys()


def test_the_check_finds_a_changed_file_and_other_tables(truth, drawn, tmp_path):
    copy = tmp_path / "g"
    shutil.copytree(truth, copy)
    tables = write_tables(tmp_path / "tables", drawn)
    assert verification.check(copy, tables) == []
    fewer = write_tables(tmp_path / "fewer", {**drawn, "masks": drawn["masks"].iloc[1:]})
    assert any("another table 'masks'" in what for what in verification.check(copy, fewer))
    file = copy / "cholect50/masks.json"
    file.write_text(file.read_text().replace('"iscrowd":0', '"iscrowd":1', 1))
    gt = copy / "cholect50/tracks/track" / LABELLED_IDS[0] / "gt/gt.txt"
    gt.write_text(gt.read_text()[1:])
    found = verification.check(copy, tables)
    assert any(what.startswith("cholect50/masks.json: the file has changed") for what in found)
    assert any("gt/gt.txt: the file has changed" in what for what in found)


def test_the_ground_truth_of_a_study_without_such_labels_has_no_such_files(written_once):
    names = {path.name for path in written_once.rglob("*")}
    assert not names & {"masks.json", "points.json", "tracks", "marks", "marks.stamp.json"}
