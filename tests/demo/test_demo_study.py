"""The files of a reduced study against the truth beside it."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from scrubin.base import params
from scrubin.base.files import sha256_of
from scrubin.stages.demo import course, plan, procedures, sheets
from scrubin.stages.demo.operation import triplets
from scrubin.stages.demo.raw_study import PSEUDONYM_KEY

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
UNREADABLE = {"missing", "no_moov", "empty", "text"}


def hashes(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def luma(path: Path, numbers: set[int]) -> dict[int, np.ndarray]:
    with av.open(str(path)) as container:
        return {n: frame.to_ndarray(format="gray") for n, frame in enumerate(container.decode(video=0)) if n in numbers}


@pytest.mark.slow  # a whole study more
def test_the_same_seed_gives_the_same_bytes(small_study, same_again):
    assert hashes(small_study.raw) == hashes(same_again.raw)
    assert hashes(small_study.truth_folder) == hashes(same_again.truth_folder)


def test_nothing_but_the_raw_layout_is_in_the_raw_folder(small_study):
    folders, files = (sorted(path.name for path in small_study.raw.iterdir() if path.is_dir() == is_folder) for is_folder in (True, False))
    assert folders == ["annotations", "calibration", "ratings", "splits", "videos"]
    assert files == ["datasheet.yaml", "errata.yaml", "pseudonym.key", "recordings.csv", "redactions.csv", "withdrawn.csv"]
    assert bytes.fromhex((small_study.raw / "pseudonym.key").read_text()) == bytes.fromhex(PSEUDONYM_KEY)
    assert len(PSEUDONYM_KEY) == 64


def test_every_video_is_in_the_manifest_and_every_row_has_its_file_but_one(small_study):
    with (small_study.raw / "recordings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    videos = {path.relative_to(small_study.raw).as_posix() for path in (small_study.raw / "videos").rglob("*") if path.is_file()}
    missing = {row["path"] for row in rows} - videos
    assert videos <= {row["path"] for row in rows}
    assert missing == {row["path"] for row in small_study.truth("media") if row["damage"] == "missing"}
    # 2 participants x 3 trials x 2 tasks + 1 expert x 2 tasks + 3 fourth trials, stereo; 9 procedures
    assert len(rows) == 2 * (2 * 3 * 2 + 1 * 2 + 3) + 9


def test_media_truth_is_what_a_probe_finds(small_study):
    rows = [row for row in small_study.truth("media") if row["damage"] is None]
    assert {row["variable_rate"] for row in rows} == {True, False}
    for row in rows:
        with av.open(str(small_study.raw / row["path"])) as container:
            stream = container.streams.video[0]
            times = sorted(packet.pts * stream.time_base for packet in container.demux(stream) if packet.pts is not None)
            assert len(times) == row["frame_count"], row["path"]
            assert times[0] == 0
            assert float(times[-1]) == pytest.approx(row["last_frame_s"], abs=1e-9)
            if not row["variable_rate"]:
                assert stream.average_rate == Fraction(row["fps"])
            assert bool(container.streams.audio) == row["has_audio"]
            assert [chapter["metadata"]["title"] for chapter in container.chapters()] == row["chapters"]
            found = {name.lower(): value for name, value in container.metadata.items()}
            for name, value in row["tags"].items():
                assert found[name].startswith(value.removesuffix("Z")), row["path"]


def test_damaged_files_are_damaged_as_the_truth_says(small_study):
    rows = [row for row in small_study.truth("media") if row["damage"]]
    assert {row["damage"] for row in rows} == {*UNREADABLE, "cut"}
    for row in rows:
        if row["damage"] in UNREADABLE:
            with pytest.raises((av.FFmpegError, FileNotFoundError)):
                av.open(str(small_study.raw / row["path"]))
        else:
            with av.open(str(small_study.raw / row["path"])) as container:
                count = sum(packet.pts is not None for packet in container.demux(video=0))
            assert 0 < count < row["frame_count"]


def test_spans_begin_and_end_at_the_stated_frames(small_study):
    seen = set()
    for row in small_study.truth("spans"):
        if row["kind"] not in ("out_of_body", "black", "drape") or row["camera"] == "right":
            continue
        start, end = row["start_frame"], row["end_frame"]
        picture = luma(small_study.path(row["recording"], row["camera"]), {start - 1, start, end - 1, end})
        means = [int(picture[n].mean()) for n in (start - 1, start, end - 1, end)]
        if row["kind"] == "black":
            assert max(means[1:3]) < 2
            assert min(means[0], means[3]) > 30
        else:
            assert min(means[1:3]) > 150, row
            assert max(means[0], means[3]) < 130, row
        assert row["hide"] == (row["kind"] != "drape")
        seen.add(row["kind"])
    assert seen == {"out_of_body", "black", "drape"}


def test_a_span_of_the_procedures_starts_inside_a_group_of_pictures():
    for one in procedures.procedures(1):
        for span in one.spans:
            assert span.kind != "out_of_body" or one.frames_of(span).start % 250 > 20


def test_burned_in_text_is_inside_its_rectangle_and_its_clock_runs(small_study):
    rows = small_study.truth("text")
    for row in rows:
        media = small_study.media(row["recording"], row["camera"])
        x, y, w, h = row["xywh"]
        assert x + w <= media["width"]
        assert y + h <= media["height"]
        first = int(row["start_s"] * Fraction(media["fps"]))
        picture = luma(small_study.path(row["recording"], row["camera"]), {first + 1, first + 45})
        for frame in picture.values():
            inside = frame[y : y + h, x : x + w]
            assert (inside > 200).mean() > 0.04
            assert (frame[y : y + h] > 225).sum() == pytest.approx((inside > 225).sum(), abs=3)
        early, late = (picture[n][y : y + h, x : x + w].astype(int) > 180 for n in sorted(picture))
        assert (early != late)[:, w // 2 :].any()
        assert not (early != late)[:, : w // 3].mean() > 0.01


def test_every_redaction_names_a_planted_thing(small_study):
    with (small_study.raw / "redactions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    spans, texts = small_study.truth("spans"), small_study.truth("text")
    for row in rows:
        if row["kind"] == "text":
            rectangle = [int(row[name]) for name in "xywh"]
            assert any(text["recording"] == row["recording"] and text["xywh"] == rectangle for text in texts)
            continue
        start_s, end_s = float(row["start_s"]), float(row["end_s"])
        span = next(one for one in spans if one["recording"] == row["recording"] and one["decision"] == row["decision"])
        assert start_s <= span["start_s"] < span["end_s"] <= end_s
        assert end_s - start_s < span["end_s"] - span["start_s"] + 0.25
        assert span["hide"] == (row["decision"] != "reject")
    assert {row["decision"] for row in rows} >= {"add", "reject"}


def test_boxes_of_the_labels_are_where_the_instruments_were_drawn(small_study):
    labels = small_study.truth("labels")
    assert sorted(one["format"] for one in labels.values()) == ["cholec80"] * 3 + ["cholect50"] * 3
    for name, one in labels.items():
        wanted = {int(frame): tools for frame, tools in one["frames"].items()}
        for frame, picture in luma(small_study.path(name, "mono"), set(wanted)).items():
            for tool in wanted[frame]:
                x, y, w, h = tool["xywh"]
                assert 0 <= x < x + w <= 426
                assert 0 <= y < y + h <= 240
                # The dark outline of the tip touches the box on all its free sides.
                assert picture[y : y + h, x : x + w].max() > 90, (name, frame, tool)


def test_cholect50_files_say_what_the_truth_says(small_study):
    labels = small_study.truth("labels")
    for path in sorted((small_study.raw / "annotations/cholect50").glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        frames = [labels[path.stem]["frames"][key] for key in sorted(labels[path.stem]["frames"], key=int)]
        assert list(map(int, sorted(content["annotations"], key=int))) == list(range(len(frames)))
        assert content["num_frames"] == len(frames)
        for second, tools in enumerate(frames):
            vectors = content["annotations"][str(second)]
            assert {len(vector) for vector in vectors} == {15}
            assert [vector[0] for vector in vectors] == ([tool["triplet"] for tool in tools] or [-1])
            for vector, tool in zip(vectors, tools, strict=False):
                one = triplets()[tool["triplet"]]
                assert (vector[1], vector[7], vector[8]) == (one.instrument, one.verb, one.target)
                assert np.allclose(np.array(vector[3:7]) * (426, 240, 426, 240), tool["xywh"])


def test_cholec80_and_labelme_files_agree_with_each_other(small_study):
    folder = small_study.raw / "annotations"
    for phases in sorted((folder / "cholec80").glob("*-phase.txt")):
        name = phases.name.removesuffix("-phase.txt")
        rows = phases.read_text(encoding="utf-8").splitlines()
        assert rows[0] == "Frame\tPhase"
        assert len(rows) - 1 == small_study.media(name, "mono")["frame_count"]
        text = (folder / f"cholec80/{name}-tool.txt").read_text(encoding="utf-8")
        tools = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
        assert [int(row["Frame"]) for row in tools] == list(range(0, len(rows) - 1, 25))
        at_frame = {int(row["Frame"]): row for row in tools}
        for path in sorted((folder / "labelme" / name).glob("*.json")):
            shapes = json.loads(path.read_text(encoding="utf-8"))["shapes"]
            row = at_frame.get(int(path.stem))
            if row is not None:
                present = {tool.lower() for tool in ("Grasper", "Bipolar", "Hook", "Scissors", "Clipper", "Irrigator") if row[tool] == "1"}
                assert present == {shape["label"] for shape in shapes}


def test_no_instrument_is_labelled_outside_the_body(small_study):
    labels = small_study.truth("labels")
    checked = 0
    for span in small_study.truth("spans"):
        if span["hide"] and span["recording"] in labels:
            for frame, tools in labels[span["recording"]]["frames"].items():
                if span["start_frame"] <= int(frame) < span["end_frame"]:
                    assert tools == []
                    checked += 1
    assert checked > 0


def test_what_is_private_stands_in_the_names_and_nowhere_else_unlisted(small_study):
    private = small_study.truth("private_strings")
    assert all(len(text) >= 6 for texts in private.values() for text in texts)
    listed = [text for texts in private.values() for text in texts]
    for row in small_study.truth("media"):
        assert row["recording"] in private["names"]
        for value in (*row["tags"].values(), *row["chapters"]):
            assert any(text in value for text in listed)


def test_one_participant_more_changes_no_other_recording():
    small = course.trainings(dataclasses.replace(SMALL_COURSE, participants=3))
    large = course.trainings(dataclasses.replace(SMALL_COURSE, participants=4))
    by_name = {one.name: one for one in large}
    assert all(by_name[one.name] == one for one in small)
    assert len(large) == len(small) + 6


def test_the_study_out_of_the_box_has_all_that_a_larger_one_has():
    said = params.load("demo", plan.DemoParams, path=ROOT / "params.yaml")
    assert kinds(said) == kinds(LARGEST_COURSE)
    # One that holds less must be seen to do so.
    assert kinds(LARGEST_COURSE) - kinds(dataclasses.replace(said, participants=4))


def kinds(of: plan.DemoParams) -> set[object]:
    """Return all kinds of things that are planted in a study, each once."""
    found: set[object] = set()
    for one in [*course.trainings(of), *procedures.procedures(of.seed)]:
        found |= {(span.kind, span.decision) for span in one.spans} | {("text", len(text.cameras)) for text in one.texts}
        found |= {("sound", len(one.audio)), ("loops", one.loops), ("exclude", one.exclude), ("labels", one.labels), ("phases", one.phases)}
        found |= {*one.damage.items(), *one.tags} | {("chapters", bool(one.chapters)), ("rate", one.fps, one.variable_rate)}
        found |= {(one.task, one.site), ("container", one.container), ("size", one.width), ("trial", one.task, one.trial)}
        found |= {("throws", one.throws < 3), ("drops", one.drops), ("ends", one.start_ms is None, one.end_ms is None)}
        # How a site names its files, whoever and whenever it was.
        found |= {re.sub(r"[^\W\d_]+(-[^\W\d_]+)*|\d+", "x", Path(path).name) for path in one.paths.values() if one.task != procedures.TASK}
    return found


def test_the_whole_study_is_complete_and_affordable():
    recordings = [*course.trainings(FULL_COURSE), *procedures.procedures(FULL_COURSE.seed)]
    assert len({one.name for one in recordings}) == len(recordings) == 14 * 3 * 2 + 4 * 2 + 3 + 9
    assert len({path for one in recordings for path in one.paths.values()}) == 2 * (84 + 8 + 3) + 9
    assert sum(one.frame_count * len(one.paths) for one in recordings) < 45_000
    assert all("\n" not in row for row in sheets.manifest(recordings).splitlines())
    for one in recordings:
        end_ms = one.end_ms if one.end_ms is not None else one.duration * 1000
        assert 0 <= (one.start_ms or 0) < end_ms <= one.duration * 1000
        assert all(0 <= span.start_ms < span.end_ms <= one.duration * 1000 for span in one.spans), one.name
        assert one.width % 2 == one.height % 2 == 0
    lengths = {round((span.end_ms - span.start_ms) / 1000, 1) for one in recordings for span in one.spans if span.kind == "out_of_body"}
    assert {0.4, 1.0, 2.5, 6.0, 20.0} <= lengths


SMALL_COURSE = plan.DemoParams(seed=5, participants=2, experts=1)
LARGEST_COURSE = plan.DemoParams(seed=20240229, participants=30, experts=8)
FULL_COURSE = plan.DemoParams(seed=20240229, participants=14, experts=4)
