"""Bundles of labels as data sets and releases have them: CholecTrack20's JSON, tables of marks, the ground truth of a release."""

from __future__ import annotations

import json

import pytest

from contest_bundles import HIDDEN, PROGRAM, bundle, columns, hidden_part, on_codabench, on_every_platform
from contest_cases import CASES, CLASSES, HEIGHT, VIDEOS, WIDTH, WORSE, dumps, put
from scrubin import cli
from scrubin.base.vocabulary import vocabulary
from scrubin.evaluate import challenge as challenges
from scrubin.evaluate.challenge import handed_in
from scrubin.evaluate.contest_tasks import CONTESTS

KINDS = ("visibility_track", "intracorporeal_track", "intraoperative_track")
INSTRUMENTS = vocabulary.load("cholectrack20").instruments


def cholectrack20():
    """The tracks as JSON of CholecTrack20: another id for each kind."""
    files = {}
    for video in VIDEOS:
        tools: dict[str, list] = {}
        for frame, id_, x, y, w, h, _, class_, _ in (
            line.split(",") for line in CASES["tracks"]()[0][f"{video}.txt"].decode().splitlines()
        ):
            box = [float(x) / WIDTH, float(y) / HEIGHT, float(w) / WIDTH, float(h) / HEIGHT]
            ids = {kind: 10 * at + int(id_) for at, kind in enumerate(KINDS)}
            one = {"instrument": INSTRUMENTS.index(CLASSES[int(class_)]), "verb": -1, "target": -1, "triplet": -1, "phase": 0}
            tools.setdefault(str(int(frame) - 1), []).append({**one, "tool_bbox": box, "operator": 1, **ids, "visibility": 1})
        head = {"video": {"name": video, "width": WIDTH, "height": HEIGHT}, "categories": {}}
        files[f"{video}.json"] = dumps({**head, "annotations": tools})
    return files


def released_tracks():
    own = CASES["tracks"]()[0]
    place = "groundtruth/cholect50/tracks/track"
    tracks = {f"{place}/{video}/gt/gt.txt": own[f"{video}.txt"] for video in VIDEOS}
    return {
        "groundtruth/manifest.json": b"{}",
        "groundtruth/cholect50/tracks.stamp.json": b"{}",
        **tracks,
        **{f"{place}/{video}/seqinfo.ini": own[f"{video}/seqinfo.ini"] for video in VIDEOS},
    }


def judgements(video):
    """What each annotator says, as our ground truth has it."""
    head, *rows = (line.split(",") for line in CASES["criteria"]()[0][f"{video}/frame.csv"].decode().splitlines())
    named = [name.upper().split("_RATER") for name in head[1:]]
    said = [(row[0], *of, f"{value}.0") for row in rows for of, value in zip(named, row[1:], strict=True)]
    return "frame,mark,rater,value\n" + "".join(f"{','.join(one)}\n" for one in said)


def released_marks():
    marks = {f"groundtruth/marks/{video}.csv": judgements(video).encode() for video in VIDEOS}
    return {"groundtruth/manifest.json": b"{}", "groundtruth/marks.stamp.json": b"{}", **marks}


def mark_tables():
    return {f"{video}.csv": judgements(video).encode() for video in VIDEOS}


def mark_table():
    """One table of what the annotators say together."""
    head, *rows = CASES["criteria"]()[1]["found.csv"].decode().splitlines()
    return {"criteria.csv": "\n".join([head, *rows]).encode()}


TRUTHS = {
    "CholecTrack20": ("tracks", cholectrack20),
    "released tracks": ("tracks", released_tracks),
    "released marks": ("criteria", released_marks),
    "a table of marks per video": ("criteria", mark_tables),
    "one table of marks": ("criteria", mark_table),
}


@pytest.fixture(scope="module", params=TRUTHS)
def bundled(request, tmp_path_factory):
    """Task, and its bundle on each platform, when somebody asks for it."""
    task, files_of = TRUTHS[request.param]
    folder = tmp_path_factory.mktemp("own")
    truth = put(folder / "truth", files_of())

    class Platforms(dict):
        def __missing__(self, platform):
            self[platform] = bundle(folder / platform, truth, platform, task)
            return self[platform]

    return task, Platforms()


@pytest.mark.slow
@pytest.mark.cases(1)
def test_labels_handed_in_are_perfect_and_one_mistake_is_lower_on_every_platform(bundled, tmp_path):
    task, folders = bundled
    perfect, ranked = CASES[task]()[1], columns(folders["codabench"])
    assert len(ranked) == len(CONTESTS[task].parts)
    best, worse = (
        on_every_platform(folders, put(tmp_path / name, hidden_part(task, files)), tmp_path / f"of_{name}")
        for name, files in (("perfect", perfect), ("worse", WORSE[task](perfect)))
    )
    assert [best[key] for key in ranked] == pytest.approx([1] * len(ranked), abs=1e-12)
    assert all(0 < worse[key] < 1 for key in ranked)


@pytest.mark.slow
@pytest.mark.cases(1)
def test_the_sample_is_well_formed_at_home_and_knows_nothing(bundled, tmp_path):
    task, folders = bundled
    kit = folders["codabench"] / "public/starting_kit"
    sample = kit / "sample_submission"
    assert cli.main(["submission", "check", str(sample), "--ground-truth", str(kit / "frames"), "--task", task]) == 0
    scores = on_every_platform(folders, sample, tmp_path)
    assert max(scores[key] for key in columns(folders["codabench"])) < 1


@pytest.mark.cases(3)
def test_a_sample_of_any_number_of_frames_takes_one_reading_of_the_criteria(bundled, monkeypatch):
    task, folders = bundled
    challenge, read = challenges.read(folders["codabench"] / PROGRAM["codabench"]), []
    monkeypatch.setattr(handed_in, "criteria_in", lambda form: read.append(form) or ("c1",))
    values = handed_in.sample_values(challenge)
    assert sorted(values) == sorted(HIDDEN)
    assert len(read) == (task == "criteria")


def test_no_hidden_label_is_public(bundled):
    task, folders = bundled
    for path in sorted((folders["codabench"] / "public").rglob("*")):
        if path.is_file() and task == "tracks":
            assert b".5,4,12,14.25" not in path.read_bytes()
        if path.name == "frames.csv" and path.parent.name == "frames":
            values = {cell for line in path.read_text().splitlines()[1:] for cell in line.split(",")[2:]}
            assert values <= {"0"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["visibility", "intracorporeal"])
def test_a_bundle_of_cholectrack20_scores_the_kind_that_it_is_told(kind, tmp_path):
    truth = put(tmp_path / "truth", cholectrack20())
    folder = bundle(tmp_path / "one", truth, "codabench", "tracks", "--variant", f"kind={kind}", "classes=one")
    scores = on_codabench(folder, put(tmp_path / "perfect", hidden_part("tracks", CASES["tracks"]()[1])), tmp_path / "run")
    assert scores["tracks_hota"] == pytest.approx(1)


def test_cholectrack20s_own_json_can_be_handed_in(tmp_path):
    files = cholectrack20()
    folder = bundle(tmp_path / "one", put(tmp_path / "truth", files), "codabench", "tracks")
    own = put(tmp_path / "team", {f"{video}.json": files[f"{video}.json"] for video in HIDDEN})
    assert on_codabench(folder, own, tmp_path / "run")["tracks_hota"] == pytest.approx(1)


def test_numbers_of_tracks_are_the_classes_of_the_frames_alone_also_where_labels_list_an_order_of_their_own(tmp_path):
    files = {}
    for video in VIDEOS:
        files[f"{video}.txt"] = b"1,1,10,10,20,20,1,0,1\n2,1,11,10,20,20,1,1,1\n"
        # Of videos that are not hidden another order says nothing.
        order = b"hook,grasper" if video in HIDDEN else b"grasper,hook,clipper"
        files[f"{video}/seqinfo.ini"] = b"[Sequence]\nseqLength=2\nimWidth=100\nimHeight=100\nclasses=" + order + b"\n"
    folder = bundle(tmp_path / "one", put(tmp_path / "truth", files), "codabench", "tracks")
    alone = next(file for file in sorted(folder.rglob("*.json")) if "categories" in file.read_text())
    assert [one["name"] for one in json.loads(alone.read_text())["categories"]] == ["hook", "grasper"]
    own = put(tmp_path / "team", {f"{video}.txt": files[f"{video}.txt"] for video in HIDDEN})
    assert on_codabench(folder, own, tmp_path / "run")["tracks_hota"] == pytest.approx(1)


def converted(task, name, place):
    """The labels of a case in another format, which counts frames of a video of unknown rate, or does not say the size of pictures."""
    truth = put(place / "mine", CASES[task]()[0])
    assert cli.main(["convert", str(truth), "--to", name, "--out", str(place / name)]) == 0
    return place / name


@pytest.mark.cases(1)
@pytest.mark.parametrize(("name", "more"), [("cvat-video", ()), ("label-studio", ("--image-size", f"{WIDTH}x{HEIGHT}"))])
def test_tracks_of_frames_without_a_rate_are_bundled_by_their_numbers(name, more, tmp_path):
    folder = bundle(tmp_path / "one", converted("tracks", name, tmp_path), "codabench", "tracks", *more)
    frames = json.loads((folder / "public/starting_kit/frames/annotations.json").read_text())
    at = {one["name"]: number for number, one in enumerate(frames["categories"])}
    every = [(video, frame) for video in HIDDEN for frame in range(5)]
    assert sorted({(one["recording"], one["frame"]) for one in frames["images"]}) == every
    own = hidden_part("tracks", CASES["tracks"]()[1])
    listed = f"classes={','.join(sorted(at, key=at.__getitem__))}".encode()
    team = {file: data.replace(f"classes={','.join(CLASSES)}".encode(), listed) for file, data in own.items()}
    for file in [file for file in team if file.endswith(".txt")]:
        rows = [line.split(",") for line in team[file].decode().splitlines()]
        team[file] = "".join(",".join([*row[:7], str(at[CLASSES[int(row[7])]]), row[8]]) + "\n" for row in rows).encode()
    assert on_codabench(folder, put(tmp_path / "team", team), tmp_path / "run")["tracks_hota"] == pytest.approx(1)


@pytest.mark.cases(1)
@pytest.mark.parametrize(("name", "more"), [("masks-png", ()), ("yolo-seg", ("--image-size", f"{WIDTH}x{HEIGHT}"))])
def test_masks_of_frames_without_a_rate_or_a_size_are_bundled_by_their_numbers(name, more, tmp_path):
    folder = bundle(tmp_path / "one", converted("masks", name, tmp_path), "codabench", "masks", *more)
    frames = json.loads((folder / "public/starting_kit/frames/annotations.json").read_text())
    every = [(video, frame) for video in HIDDEN for frame in range(5)]
    assert sorted({(one["recording"], one["frame"]) for one in frames["images"]}) == every
    assert {(one["width"], one["height"]) for one in frames["images"]} == {(WIDTH, HEIGHT)}
