"""A clean release has no findings, whatever its numbers happen to be and whoever is called like its words."""

import hashlib
import json
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from scrubin.audit.expected import dates, plan, private_strings
from scrubin.audit.expected.private_strings import Private
from scrubin.audit.expected.spelling import folded_words
from scrubin.audit.run import audit
from scrubin.base.tables.public import public_tables
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.masks import rle
from scrubin.labels.masks.blackened import Blackened
from scrubin.labels.points import Point
from scrubin.labels.truth import detection, objects
from scrubin.stages import groundtruth
from scrubin.stages.release.audited_project import public_words, subsets
from toy_release import IDS, PARAMS, TASK, recordings


def written(release, name: str, text: str) -> set[str]:
    return release.rules_after(lambda: release.path(name).write_text(text, encoding="utf-8"))


def test_the_audit_changes_nothing(release):
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in release.folder.rglob("*")}
    assert release.findings() == []
    assert before == {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in release.folder.rglob("*")}


def test_a_release_can_be_audited_without_a_plan(release):
    assert audit(release.folder, release.private).findings == []
    assert audit(release.folder, Private()).findings == []


def private_of(names: dict[str, list[str]], words: object = ()) -> private_strings.Private:
    """The toy study with other names in some columns."""
    table = recordings().head(0)
    rows = pd.DataFrame({column: pd.Series(values) for column, values in names.items()})
    return private_strings.of_tables([pd.concat([table, rows])], IDS, public_words(public_tables(()), PARAMS, ["cholect50"], [TASK, words]))


def numbered(release, first: int) -> None:
    """Give the frames of the release other numbers, in its tables as well."""
    videos, frames = [], []
    for video in release.plan.videos:
        stills = []
        for still in reversed(video.stills):
            path = Path(still.path)
            name = path.with_name(f"{int(path.stem) + first:06d}.jpg").as_posix()
            shutil.move(release.path(still.path), release.path(name))
            stills.insert(0, replace(still, path=name, file=name))
        videos.append(replace(video, stills=tuple(stills)))
        frames += stills
    release.plan = replace(release.plan, videos=tuple(videos))
    listed = "".join(f"{frame.path}\n" for frame in frames)
    release.path("listed.txt").write_text(listed)
    release.path("tables/frames.parquet").unlink()
    release.path("listed.json").write_text(json.dumps({"images": [{"file_name": frame.path} for frame in frames]}))
    for frame in frames:  # and the labels beside
        label = release.path("groundtruth/cholect50/yolo") / Path(frame.path).with_suffix(".txt")
        label.parent.mkdir(parents=True, exist_ok=True)
        label.write_text("0 0.500000 0.500000 0.250000 0.250000\n")
    folders = sorted({f"cholect50/yolo/{Path(frame.path).parent.as_posix()}" for frame in frames})
    release.path("groundtruth/cholect50/yolo.txt").write_text("".join(f"./{frame.path}\n" for frame in frames))
    release.path("groundtruth/manifest.json").write_text(
        json.dumps({"folders": {name: {"count": 1, "sha256": "0" * 64} for name in folders}})
    )


@pytest.mark.cases(2)
@pytest.mark.parametrize("first", [0, 1, 10_203, 170_422])
def test_recordings_named_by_numbers_do_not_collide_with_frames(release, first):
    names = [f"{first + number:06d}" for number in range(4)]
    release.private = private_of({"path": [f"videos/{name}.mp4" for name in names], "recording": names})
    numbered(release, first)
    release.seal()
    assert release.findings() == []
    assert written(release, "notes.md", f"seen in {names[1]} here\n") == {"private-string"}


def test_numbers_that_count_up_give_no_dates():
    counting = [f"videos/{number:06d}.mp4" for number in range(10_190, 10_330)]
    assert dates.of_names(counting) == frozenset()
    days = [f"videos/{day:02d}0423.mp4" for day in range(1, 31)]
    assert len(dates.of_names(days)) >= 30
    assert dates.of_names([*counting, "videos/170423 left.mp4"]) == dates.dates_in("170423")
    assert dates.of_names(["x_170423_000001", "x_180423_000002"]) == dates.dates_in("170423 180423")


WORDS = ["Mark", "King", "Test", "Train", "Size", "List", "CC", "Frame", "Score", "Padding", "License", "Shape", "Schema", "Area", "Val"]


def ground_truth(folder: Path) -> None:
    """What the ground truth of a study says, as its own stage writes it."""
    words = load("cholect50")
    folder.mkdir()
    found = [detection.BoxedFrames(IDS[0], [0], [[(0, 0, (0.1, 0.1, 0.2, 0.2))]], 0, [False])]
    images = pd.DataFrame(
        {"id": [IDS[0]], "frame": [0], "path": [f"frames/{TASK}/mono/{IDS[0]}/000000.jpg"], "width": [96], "height": [64]}
    )
    stamped = groundtruth.Stamps(
        {name: hashlib.sha256(name.encode()).hexdigest() for name in frozenset[str]().union(*groundtruth.INPUTS.values())}
    )
    subset = groundtruth.Subset("balanced", 0, "train")
    info = {"description": "COCO", "version": words.version, "stamp": stamped.of("coco", words, subset)}
    (folder / "coco.json").write_text(json.dumps({"info": info, **detection.coco(words, found, images)}))
    pixels = objects.Mask(rle.text_of_runs([0, 96 * 64]), 96, 64)
    drawn = objects.Instance(0, 0, (0.1, 0.1, 0.2, 0.2), pixels, (Point("tip", 0.2, 0.2, 2),), {"track": 1})
    seen = objects.Objects(IDS[0], words, {0: (drawn,)}, frozenset(), {0: Blackened([(0, 0, 9, 9)], 96, 64)})
    for kind, coco in (("masks", objects.masks_coco), ("points", objects.points_coco)):
        (folder / f"{kind}.json").write_text(json.dumps({"info": info, **coco(words, [seen], images)}))
    for name, text in objects.track_files(seen, "track", (96, 64)).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / f"{IDS[0]}.json").write_text(json.dumps({**detection.layouts(found[0], words), "stamp": stamped.of("detection", words)}))
    for kind in groundtruth.INPUTS:
        told = {"stamp": stamped.of(kind, words), "files": {"data.yaml": "0" * 64}, "folders": {"frames": {"count": 1, "sha256": "0" * 64}}}
        (folder / f"{kind}{groundtruth.SIDECAR}").write_text(json.dumps(told))
    (folder / groundtruth.LIST).write_text(json.dumps({"recordings": {IDS[0]: {"files": {"data.yaml": "0" * 64}, "folders": {}}}}))
    (folder / "data.yaml").write_text(detection.names(words))
    (folder / "README.md").write_text(groundtruth.readme(), encoding="utf-8")
    facts = {"recognition_frames": 3, "detection_frames_left_out": None, "mask_frames": 1, "point_frames": 1, "track_frames": 1}
    of_ids = {id_: facts | {"mark_frames": 1, "mark_frames_left_out": 1} for id_ in IDS}
    (folder / "manifest.json").write_text(json.dumps(groundtruth.manifest(folder, stamped.inputs, [words], of_ids, Fraction(1))))


def test_people_called_like_the_words_of_a_release_do_not_stop_it(release):
    splits = pd.DataFrame({"scheme": "balanced", "fold": 0, "subset": ["train", "test", "val", "train"], "id": IDS})
    release.private = private_of({"participant": WORDS}, subsets(splits))
    ground_truth(release.path("groundtruth"))
    splits.rename(columns={"subset": "split"})[["id", "split"]].to_csv(release.path("splits.csv"), index=False)
    release.seal()
    assert [str(finding) for finding in release.findings()] == []


def test_every_word_of_the_ground_truth_and_its_keys_is_public(tmp_path):
    public = folded_words(public_words(public_tables(()), PARAMS, ["cholect50"], [TASK, "balanced", "train"]))
    ground_truth(tmp_path / "groundtruth")

    def texts(value: object) -> list[str]:
        if isinstance(value, dict):
            # The audit reads run lengths as masks, not as words.
            return [*value, *(text for key, child in value.items() if key != "counts" for text in texts(child))]
        return [text for child in value for text in texts(child)] if isinstance(value, list) else [value] if isinstance(value, str) else []

    found = {text for path in (tmp_path / "groundtruth").glob("*.json") for text in texts(json.loads(path.read_text())) if "/" not in text}
    hashes = {text for text in found if len(text) == 64}
    files = {path.name for path in (tmp_path / "groundtruth").iterdir()}
    assert folded_words(list(found - hashes - files - set(IDS))) <= public
    assert folded_words((tmp_path / "groundtruth/README.md").read_text()) <= public


def test_a_person_with_another_name_is_still_found(release):
    release.private = private_of({"participant": [*WORDS, "Markward"]})
    assert written(release, "notes.md", "seen with Markward here\n") == {"private-string"}


def test_the_plan_takes_columns_that_stand_in_no_table(release):
    assert written(release, "more.csv", "id;needle_at_wrong_site\nabelo;True\n") == {"private-column"}
    release.plan = replace(release.plan, columns=frozenset({"needle_at_wrong_site"}))
    assert release.rules() == set()
    assert plan.Plan(columns=frozenset({"a"})).public.columns == {"a"}
