"""Two files of scores: numbers are subtracted only where they are of the same: by options, files, and what is said of these."""

import json

import numpy as np
import pytest

from score_runs import fault, good, put, results, sides
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics import error_recognition
from scrubin.evaluate.metrics.result import difference, over_runs


def scores(study, capsys, name, metric, *more):
    """The file of the scores of a run."""
    good(capsys, *sides(study, metric, "--out", study / name, *more))
    return study / name


def earlier(path):
    """The same scores as an earlier version wrote them."""
    document = json.loads(path.read_text())
    for one in document["results"]:
        del one["stated"]
    older = path.with_name(f"earlier_{path.name}")
    older.write_text(json.dumps(document))
    return older


def compared(capsys, *files):
    """Differences by variant, and what is not compared."""
    document = json.loads(good(capsys, "compare", *files, "--json").out)
    return {one["variant"]: one["difference"] for one in document["results"]}, document["apart"]


@pytest.fixture
def errors(tmp_path):
    """Recordings with an error that is easy to see and two that are not; one file predicts the easy one only, another all of them."""
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 2, (12, 3))
    table = "".join(f"r{at},{a},{b},{c}\n" for at, (a, b, c) in enumerate(rows.tolist()))
    guessed = "".join(f"r{at},{a},{1 - b},{at % 2}\n" for at, (a, b, _) in enumerate(rows.tolist()))
    easy = "id,easy\n" + "".join(f"r{at},{a}\n" for at, (a, _, _) in enumerate(rows.tolist()))
    put(tmp_path, truth={"knots.csv": "id,easy,hard,harder\n" + table})
    put(tmp_path, found={"knots.csv": "id,easy,hard,harder\n" + guessed}, found_easy={"knots.csv": easy})
    return tmp_path


def both_sets(errors, capsys):
    one = scores(errors, capsys, "all.json", "errors")
    (errors / "found").rename(errors / "found_all")
    (errors / "found_easy").rename(errors / "found")
    return scores(errors, capsys, "easy.json", "errors"), one


def test_who_predicts_other_errors_is_not_compared(errors, capsys):
    easy, every = both_sets(errors, capsys)
    said = fault(capsys, "compare", easy, every)
    assert "no number that can be compared: easy.json has errors=easy and all.json has errors=easy, hard, harder; score both in" in said
    assert set(compared(capsys, every, every)[0].values()) == {0}


def test_errors_are_stated_in_every_form_of_the_scores_and_leave_the_names_as_they_were(errors, capsys):
    _, every = both_sets(errors, capsys)
    first = json.loads(every.read_text())["results"][0]
    assert first["stated"] == {"errors": "easy, hard, harder"}
    assert first["variant"] == "error recognition accuracy; paper; averaged=over errors; task=knots"
    assert first["options"] == {"averaged": "over errors", "task": "knots"}
    sheet = errors / "s.csv"
    printed = good(capsys, *sides(errors, "errors", "--out", sheet)).out
    assert "averaged=over errors; errors=easy; task=knots" in sheet.read_text()
    assert "averaged=over errors; errors=easy; task=knots" in printed


def test_an_earlier_file_is_read_and_what_it_does_not_say_is_not_compared(errors, capsys):
    easy, every = both_sets(errors, capsys)
    said = fault(capsys, "compare", earlier(easy), every)
    assert "earlier_easy.json does not say, as an earlier version wrote it and all.json has errors=easy, hard, harder" in said


def test_of_two_earlier_files_it_is_said_that_nobody_can_tell(errors, capsys):
    found, apart = compared(capsys, *map(earlier, both_sets(errors, capsys)))
    assert found["error recognition accuracy; paper; averaged=over errors; task=knots"] > 0
    cannot = "whether that is the same in both cannot be told; score again"
    assert apart == [f"an earlier version wrote both files, which do not say which errors are scored: {cannot}"]


def test_from_python_and_over_runs_other_errors_are_not_compared_either():
    one = error_recognition.score("accuracy", {"a": [0, 1]}, {"a": [1, 1]})
    two = error_recognition.score("accuracy", {"a": [0, 1], "b": [0, 1]}, {"a": [1, 1], "b": [0, 1]})
    with pytest.raises(MetricsError, match="cannot be compared: errors=a and errors=a, b; compute both of the same"):
        difference(one, two)
    with pytest.raises(MetricsError, match="run 1 has errors=a, b, run 0 errors=a; every run must predict the same"):
        over_runs([one, two])
    assert over_runs([one, one]).sd.variant.stated == {"errors": "a"}


def instruments(study):
    """Boxes of tracks of two instruments, and probabilities of both."""
    ids = [{"image_id": k, "category_id": 1 + k % 2, "track_id": 1, "bbox": [10, 10, 20, 20]} for k in range(6)]
    labels = {
        "images": [{"id": k, "file_name": f"VID01_{k:06d}.jpg", "width": 100, "height": 100} for k in range(6)],
        "annotations": [{"id": k, **one} for k, one in enumerate(ids)],
        "categories": [{"id": id_, "name": name} for id_, name in enumerate(("grasper", "hook"), 1)],
    }
    matrix = {"frame": np.arange(6), "i": np.random.default_rng(1).random((6, 2))}
    put(study, truth={"labels.json": labels}, found={"VID01.npz": matrix}, boxes={"results.json": [{**one, "score": 0.9} for one in ids]})


CLASSES = {
    "calibration": ("recognition", "--variant", "kind=calibration", "component=i"),
    "scikit-learn": ("recognition", "--semantics", "compat", "--variant", "component=i", "scikit-learn=>=1.6", "k=1"),
    "tracks": ("tracks", "--variant", "classes=averaged"),
    "published tracks": ("tracks", "--semantics", "compat", "--variant", "classes=averaged"),
}


@pytest.mark.parametrize("which", CLASSES)
def test_numbers_of_other_classes_are_not_compared(tmp_path, capsys, which):
    instruments(tmp_path)
    if "tracks" in which:
        (tmp_path / "found/VID01.npz").unlink()
        (tmp_path / "boxes/results.json").rename(tmp_path / "found/results.json")
    listed = scores(tmp_path, capsys, "listed.json", *CLASSES[which])
    whole = scores(tmp_path, capsys, "whole.json", *CLASSES[which], "--vocabulary", "cholect50")
    if which in ("calibration", "published tracks"):
        said = fault(capsys, "compare", listed, whole)
    else:
        # Of what no class without labels changes, such as top-k accuracy, numbers are compared.
        found, apart = compared(capsys, listed, whole)
        assert set(found.values()) <= {0, None}
        assert not any("AP" in name or ("HOTA" in name) for name in found)
        said = "\n".join(apart)
    assert "listed.json has taking part=0, 2 and whole.json has taking part=all 6" in said
    assert 0 in compared(capsys, listed, listed)[0].values()
    if which == "calibration":
        seven = scores(tmp_path, capsys, "seven.json", *CLASSES[which], "--vocabulary", "cholectrack20")
        assert "whole.json has taking part=all 6 and seven.json has taking part=all 7" in fault(capsys, "compare", whole, seven)


def test_an_option_that_changes_nothing_of_these_files_changes_nothing(tmp_path, capsys):
    instruments(tmp_path)
    as_files_say = scores(tmp_path, capsys, "a.json", "recognition")
    assert compared(capsys, as_files_say, scores(tmp_path, capsys, "b.json", "recognition", "--image-size", "9x9"))[1] == []
    (tmp_path / "found/VID01.npz").unlink()
    (tmp_path / "boxes/results.json").rename(tmp_path / "found/results.json")
    as_files_say = scores(tmp_path, capsys, "a.json", "tracks")
    assert compared(capsys, as_files_say, scores(tmp_path, capsys, "b.json", "tracks", "--image-size", "9x9"))[1] == []


def test_seconds_at_another_rate_are_not_compared_and_counts_of_segments_are(tmp_path, capsys):
    def table(first):
        return "frame,phase_id\n" + "".join(f"{frame},{int(frame >= first)}\n" for frame in range(60))

    put(tmp_path, truth={"a.csv": table(20)}, found={"a.csv": table(30)})
    events = ("phases", "--variant", "kind=events")
    unstated = scores(tmp_path, capsys, "unstated.json", *events)
    stated = scores(tmp_path, capsys, "stated.json", *events, "--fps", "25")
    found, apart = compared(capsys, unstated, stated)
    assert {name.partition(";")[0] for name in found} == {"phase segments"}
    assert "not compared, unstated.json has fps=1 and stated.json has fps=25: phase onset error; paper; " in apart[0]
    # What is assumed is the same as if it is said.
    found, apart = compared(capsys, unstated, scores(tmp_path, capsys, "one.json", *events, "--fps", "1"))
    assert (len(found), apart) == (9, [])


def test_sizes_in_other_images_are_not_compared(tmp_path, capsys):
    rows = [[17, 0, 1.0, 0.1, 0.1, 0.05, 0.05]]
    lists = {"frame": [0, 1], "list": [rows, rows]}
    put(tmp_path, truth={"VID01.json": lists}, found={"VID01.json": lists})
    files = [
        scores(tmp_path, capsys, f"{image}.json", "detection", "--variant", "kind=sizes", "component=i", f"image={image}")
        for image in ("854x480", "1920x1080")
    ]
    assert "854x480.json has image=854x480 and 1920x1080.json has image=1920x1080" in fault(capsys, "compare", *files)


def test_precision_of_boxes_is_not_compared_with_that_of_an_earlier_version(tmp_path, capsys):
    rows = [[17, 0, 1.0, 0.1, 0.1, 0.05, 0.05]]
    lists = {"frame": [0, 1], "list": [rows, rows]}
    put(tmp_path, truth={"VID01.json": lists}, found={"VID01.json": lists})
    now = scores(tmp_path, capsys, "now.json", "detection")
    for pair in ((now, earlier(now)), (earlier(now), now)):
        found, apart = compared(capsys, *pair)
        assert {name.split(";")[0] for name in found} == {"triplet association scores"}
        ap = "triplet detection AP; paper; classes=6; component=i; interpolation=step; iou=0.5; scope=video-wise"
        why = "an earlier version wrote earlier_now.json, in which equal confidences in a frame were one threshold each"
        assert f"not compared, {why}: {ap}" in apart
    curves = scores(tmp_path, capsys, "curves.json", "detection", "--variant", "kind=curves")
    assert "; score again with this version what earlier_curves.json has" in fault(capsys, "compare", curves, earlier(curves))
    # Two files of an earlier version are by one rule.
    assert len(compared(capsys, earlier(now), earlier(now))[0]) > len(found)


def points_in(study, width, side):
    own = {"keypoints": [110, 110, 2], "num_keypoints": 1, "category_id": 1, "bbox": [100, 100, 100, 50], "area": 5000, "iscrowd": 0}
    image = {"id": 1, "file_name": "v_000001.jpg", "width": width, "height": 300}
    labels = {"images": [image], "annotations": [{"id": 1, "image_id": 1, **own, **({"score": 0.9} if side == "found" else {})}]}
    put(study, **{side: {"labels.json": labels | {"categories": [{"id": 1, "name": "grasper", "keypoints": ["tip"]}]}}})


@pytest.mark.parametrize("kind", ["similarity", "distances"])
def test_points_in_other_images_are_not_compared(tmp_path, capsys, kind):
    for side in ("truth", "found"):
        points_in(tmp_path, 400, side)
    run = ("points", "--variant", f"kind={kind}")
    as_files_say = scores(tmp_path, capsys, "files.json", *run)
    larger = scores(tmp_path, capsys, "larger.json", *run, "image=800x600")
    assert "files.json has image=400x300 and larger.json has image=800x600" in fault(capsys, "compare", as_files_say, larger)
    # What files state is the same as if it is said.
    assert compared(capsys, as_files_say, scores(tmp_path, capsys, "said.json", *run, "image=400x300"))[1] == []


def test_a_size_that_files_state_is_the_same_if_it_is_said(tmp_path, capsys):
    for side in ("truth", "found"):
        points_in(tmp_path, 400, side)
    for run in (("detection",), ("points",)):
        plain = scores(tmp_path, capsys, "plain.json", *run)
        found, apart = compared(capsys, plain, scores(tmp_path, capsys, "said.json", *run, "--image-size", "400x300"))
        assert found
        assert apart == []


def test_a_size_that_a_format_has_is_the_same_if_it_is_said(tmp_path, capsys):
    rows = "1,1,100,100,80,60,1,2,1\n2,1,104,101,80,60,1,2,1\n"
    info = "[Sequence]\nname=v\nimWidth=854\nimHeight=480\nseqLength=2\n"
    files = {"v/gt/gt.txt": rows, "v/seqinfo.ini": info}
    put(tmp_path, truth=files, found=files)
    run = ("tracks", "--variant", "classes=one")
    plain = scores(tmp_path, capsys, "plain.json", *run)
    assert compared(capsys, plain, scores(tmp_path, capsys, "said.json", *run, "--image-size", "854x480"))[1] == []


def test_a_size_is_the_same_said_of_files_or_of_images(tmp_path, capsys):
    line = "0 0.5 0.5 0.2 0.2 0.4 0.4 2"
    for side, score in (("truth", ""), ("found", " 0.9")):
        folder = put(tmp_path, **{side: {"labels/v_000001.txt": f"{line}{score}\n"}})
        (folder / side / "data.yaml").write_text("path: .\ntrain: labels\nkpt_shape: [1, 3]\nnames:\n  0: grasper\n")
    files = scores(tmp_path, capsys, "files.json", "points", "--from", "yolo-pose", "--image-size", "854x480")
    images = scores(tmp_path, capsys, "images.json", "points", "--from", "yolo-pose", "--variant", "image=854x480")
    assert compared(capsys, files, images)[1] == []
    both = ("--from", "yolo-pose", "--image-size", "900x480", "--variant", "image=854x480")
    other = scores(tmp_path, capsys, "other.json", "points", *both)
    assert "images.json does not say and other.json has image size=900x480" in fault(capsys, "compare", images, other)


def test_many_sizes_of_images_are_stated_by_their_number(tmp_path, capsys):
    def labels(widths, **more):
        own = {"keypoints": [11, 11, 2], "num_keypoints": 1, "category_id": 1, "bbox": [10, 10, 10, 5], "area": 50, "iscrowd": 0}
        images = [{"id": at, "file_name": f"v_{at:06}.jpg", "width": width, "height": 300} for at, width in enumerate(widths, 1)]
        rows = [{"id": image["id"], "image_id": image["id"], **own, **more} for image in images]
        category = {"id": 1, "name": "grasper", "keypoints": ["tip"]}
        return {"labels.json": {"images": images, "annotations": rows, "categories": [category]}}

    stated = []
    for first in (400, 500, 400):
        widths = range(first, first + 40)
        put(tmp_path, truth=labels(widths), found=labels(widths, score=0.9))
        found, _ = results(capsys, tmp_path, "points")
        stated.append({one["stated"]["image"] for one in found})
    assert stated[0] == stated[2] != stated[1]
    ((text,), (other,), _) = stated
    assert text.startswith("40 sizes (")
    assert len(text) == len(other) == len("40 sizes (12345678)")


def test_labels_that_were_read_otherwise_are_not_compared(tmp_path, capsys):
    spans = [(0, 4301, "preparation", 0), (4301, 9000, "gastric_pouch_creation", 1)]
    listed = [{"start": start, "end": end, "label_name": name, "label_id": id_} for start, end, name, id_ in spans]
    put(tmp_path, truth={"v1.mp4.json": {"phases": listed, "steps": []}})
    put(tmp_path, found={"v1.csv": "frame,phase_id\n" + "".join(f"{k},{int(k > 3)}\n" for k in range(9))})
    files = [scores(tmp_path, capsys, f"{instant}.json", "phases", "--instant", instant) for instant in ("start", "end")]
    assert "start.json does not say and end.json has instant=end" in fault(capsys, "compare", *files)
    cannot = "whether that is the same in both cannot be told; score again"
    for pair in ((files[0], earlier(files[1])), (earlier(files[1]), files[0])):
        said = "an earlier version wrote earlier_end.json, which does not say what --instant was given"
        assert compared(capsys, *pair)[1] == [f"{said}: {cannot}"]
    both = "an earlier version wrote both files, which do not say at which rate frames are seconds and what --instant was given"
    assert compared(capsys, earlier(files[0]), earlier(files[1]))[1] == [f"{both}: {cannot}"]
    assert compared(capsys, files[0], files[0])[1] == []


def test_boxes_in_px_of_another_size_of_images_are_not_compared(tmp_path, capsys):
    rows = "1,1,100,100,80,60,1,2,1\n2,1,104,101,80,60,1,2,1\n"
    put(tmp_path, truth={"v.txt": rows}, found={"v.txt": rows})
    run = ("tracks", "--variant", "classes=one", "--image-size")
    files = [scores(tmp_path, capsys, f"{size}.json", *run, size) for size in ("854x480", "900x480")]
    assert "854x480.json has image size=854x480 and 900x480.json has image size=900x480" in fault(capsys, "compare", *files)


def test_scores_in_classes_of_another_vocabulary_are_not_compared(errors, capsys):
    _, path = both_sets(errors, capsys)
    document = json.loads(path.read_text())
    for vocabulary in ("cholect50", "multibypass140", "cholec80"):
        document["scored"][0]["vocabulary"] = vocabulary
        path.with_name(f"{vocabulary}.json").write_text(json.dumps(document))
    of = {name: path.with_name(f"{name}.json") for name in ("cholect50", "multibypass140", "cholec80")}
    said = fault(capsys, "compare", of["cholect50"], of["multibypass140"])
    assert "were scored in the classes of 'cholect50' and 'multibypass140'; score both in the same" in said
    assert compared(capsys, of["cholect50"], of["cholec80"])[1] == compared(capsys, of["cholect50"], path)[1] == []


def test_repeated_runs_state_the_same_as_one(errors, capsys):
    found, _ = results(capsys, errors, "errors", more=("--predictions", errors / "found", errors / "found"))
    assert {one["options"]["runs"].partition(",")[0] for one in found} == {"mean", "SD"}
    assert {one["stated"]["errors"] for one in found} == {"easy, hard, harder"}


def of_release(path, name, version, sha256=None):
    """The same scores as if the ground truth were of a release."""
    document = json.loads(path.read_text())
    document["ground_truth"]["release"] = {"name": "puppet", "version": version, "manifest_sha256": "0f" * 32, "changed": 0, "missing": 0}
    document["ground_truth"]["sha256"] = sha256 or document["ground_truth"]["sha256"]
    (path.parent / name).write_text(json.dumps(document))
    return path.parent / name


def test_scores_of_two_versions_are_told_apart_by_their_numbers(errors, capsys):
    every = scores(errors, capsys, "all.json", "errors")
    one, same = of_release(every, "one.json", "1.0.0"), of_release(every, "same.json", "1.0.1")
    other = of_release(every, "other.json", "2.0.0", sha256="a" * 64)
    said = fault(capsys, "compare", one, other)
    assert "of puppet 1.0.0, manifest 0f0f0f0f0f0f; aaaaaaaaaaaa of puppet 2.0.0, manifest" in said
    assert compared(capsys, one, same)[1] == ["the ground truth is of puppet 1.0.0 and puppet 1.0.1, which have the same files of it"]
    # Labels of no release, and files of an earlier version, say none.
    assert compared(capsys, one, every)[1] == []
    document = json.loads(every.read_text())
    assert document["ground_truth"].pop("release") is None
    every.write_text(json.dumps(document))
    assert compared(capsys, one, every)[1] == []
