"""The page of a score: what is drawn is what is printed, whatever the names, and nothing is loaded."""

import json
import re

import numpy as np
import pytest

from score_runs import LOADED, area, fault, good, put, sides
from scrubin.evaluate import score_pictures
from scrubin.evaluate.computation import ComparedBoxes
from scrubin.evaluate.metrics.detection import BoxRows, BoxStudy, checked
from scrubin.evaluate.metrics.detection.average_precision import average_precision
from scrubin.evaluate.metrics.variants import INTERPOLATIONS
from scrubin.evaluate.score_pictures import SIZE

NAMES = ("<b>&bold'\"", "x" * 150, "vid 3")


def page_of(study, capsys, metric, *more):
    """The page of a run, and its document."""
    said = good(capsys, *sides(study, metric, "--html", study / "page.html", "--json", *more))
    return (study / "page.html").read_text(), json.loads(said.out)


@pytest.fixture
def recognition(tmp_path):
    """Three videos of triplets, one class frequent, most rare or absent, names that are no HTML."""
    rng = np.random.default_rng(7)
    often = np.where(np.arange(100) < 40, 0.05, 0.0)
    often[3] = 0.6
    for name in NAMES:
        labels = (rng.random((200, 100)) < often).astype(int)
        scores = np.clip(rng.normal(0.3, 0.2, labels.shape) + 0.3 * labels, 0.01, 0.99).round(4)
        put(tmp_path, truth={f"{name}.npz": {"targets": labels}}, found={f"{name}.npz": {"scores": scores}})
    return tmp_path


@pytest.fixture
def phases(tmp_path):
    """Three videos of phases; the prediction of one is wrong for 20 frames, elsewhere a few are."""
    rng = np.random.default_rng(8)
    for name in NAMES:
        truth = np.repeat(np.arange(7), 20)
        found = np.where(rng.random(len(truth)) < 0.05, 0, truth)
        found[45:65] = 1 if name == NAMES[2] else found[45:65]
        for side, ids in (("truth", truth), ("found", found)):
            rows = "".join(f"{frame},{id_}\n" for frame, id_ in enumerate(ids.tolist()))
            put(tmp_path, **{side: {f"{name}.csv": f"frame,phase_id\n{rows}"}})
    return tmp_path


@pytest.mark.parametrize("semantics", ["paper", "compat"])
def test_the_area_under_a_drawn_curve_is_the_average_precision_that_is_printed(recognition, capsys, semantics):
    page, document = page_of(recognition, capsys, "recognition", "--semantics", semantics, "--variant", "scope=global", "null=counted")
    printed = {
        (result["options"]["component"], key): value["value"]
        for result in document["results"]
        for key, value in result["classes"].items()
        if "component" in result["options"] and value["value"] is not None and "AP" in result["metric"]
    }
    parts = re.findall(r"<summary>(\w+): \d+ classes(.*?)</details>\n(?=<details|</section)", page, flags=re.S)
    drawn = {(name, key): area(d) for name, part in parts for key, d in re.findall(r'data-class="(\d+)" d="([^"]*)"', part)}
    assert drawn.keys() == printed.keys()
    assert len(drawn) > 60
    assert max(abs(drawn[one] - printed[one]) for one in drawn) < 1e-5


@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
def test_curves_of_boxes_have_the_area_of_their_interpolation(interpolation):
    rng = np.random.default_rng(9)

    def rows(count, scores):
        corner = rng.random((count, 2)) * 0.05
        classes = {"i": rng.integers(0, 3, count)}
        return BoxRows(np.zeros(count, int), rng.integers(0, 80, count), classes, np.hstack([corner, np.full((count, 2), 0.4)]), scores)

    scene = checked(BoxStudy(("v",), (80,), {"i": 4}, rows(260, None), rows(500, rng.random(500).round(2))))
    result = average_precision(scene, "i", interpolation=interpolation, scope="global")
    compared = ComparedBoxes(scene, {"v": np.arange(80)}, 0.5, interpolation)
    for curve in score_pictures.curves_of_boxes(compared, "i"):
        value = result.classes[curve.key]
        assert curve.positives == value.n
        if value.defined:
            assert curve.area == pytest.approx(value.value, abs=1e-12)
            assert area(score_pictures.path(curve, SIZE, SIZE)) == pytest.approx(value.value, abs=1e-5)
        else:
            assert curve.area is None


def test_a_page_loads_nothing_and_shows_names_as_they_are(recognition, capsys):
    page, _ = page_of(recognition, capsys, "recognition")
    assert LOADED.search(page) is None
    assert "<b>&bold" not in page
    assert "&lt;b&gt;&amp;bold" in page
    assert "nan" not in re.sub(r"[a-z]*nan[a-z]+|[a-z]+nan", "", page.casefold())


def test_the_same_input_gives_the_same_page(phases, capsys):
    first, _ = page_of(phases, capsys, "phases", "--bootstrap", "3")
    again, _ = page_of(phases, capsys, "phases", "--bootstrap", "3")
    assert first == again
    assert str(phases) not in first


def test_the_longest_wrong_stretch_is_named_with_its_frames(phases, capsys):
    page, _ = page_of(phases, capsys, "phases")
    assert LOADED.search(page) is None
    assert "<b>&bold" not in page
    worst = page.split("longest wrong stretches")[1].split("</tr>")[1]
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", worst)
    assert cells == ["vid 3", "15", "45", "59", "2", "1"]
    assert page.count('class="ribbon"') == 3


def test_several_runs_have_a_strip_each_and_say_which_is_drawn(phases, capsys):
    page, _ = page_of(phases, capsys, "phases", "--predictions", str(phases / "truth"))
    assert "2 repeated runs" in page
    assert page.count('class="ribbon"') == 3
    assert len(re.findall(r'aria-label="[^"]*predicted phases, run 2', page)) == 3


def test_the_frame_with_the_highest_loss_is_named(recognition, capsys):
    path = recognition / "found" / f"{NAMES[2]}.npz"
    scores = np.load(path)["scores"]
    labels = np.load(recognition / "truth" / f"{NAMES[2]}.npz")["targets"]
    scores[150] = np.where(labels[150], 0.0, 1.0)
    np.savez(path, scores=scores)
    page, _ = page_of(recognition, capsys, "recognition")
    first = page.split("highest loss first")[1].split("</tr>")[1]
    assert re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", first)[:2] == ["vid 3", "150"]


def test_scores_that_are_no_probabilities_have_a_loss_by_order(recognition, capsys):
    for path in (recognition / "found").iterdir():
        np.savez(path, scores=np.load(path)["scores"] * 20 - 10)
    page, document = page_of(recognition, capsys, "recognition")
    assert "in the wrong order" in page
    assert document["results"]


def test_what_is_undefined_is_called_that(tmp_path, capsys):
    put(tmp_path, truth={"VID01.npz": {"targets": np.zeros((5, 100))}}, found={"VID01.npz": {"scores": np.zeros((5, 100))}})
    page, _ = page_of(tmp_path, capsys, "recognition")
    assert "100 undefined: nothing of them is labelled" in page
    assert page.count('undefined">undefined') > 10
    assert "0 classes" in page


def test_skill_has_its_pictures(tmp_path, capsys):
    sheets = {"truth": "id,GRS,<i>care\na,1,\nb,2,\nc,4,\n", "found": "id,GRS,<i>care\na,1.5,1\nb,2,1\nc,1,1\n"}
    page, _ = page_of(put(tmp_path, **{side: {"s.csv": text} for side, text in sheets.items()}), capsys, "skill")
    assert page.count("<circle") == 3
    assert "undefined: the truth of no recording is known" in page
    assert "<i>care" not in page
    furthest_first = re.findall(r"<th scope=\"row\">(\w)</th>", page.partition("furthest off first")[2])
    assert furthest_first[:3] == ["c", "a", "b"]


def test_errors_have_their_table(tmp_path, capsys):
    sheets = {"truth": "id,cut\na,1\nb,0\nc,1\nd,\n", "found": "id,cut\na,1\nb,1\nc,0\nd,1\n"}
    page, _ = page_of(put(tmp_path, **{side: {"s.csv": text} for side, text in sheets.items()}), capsys, "errors")
    row = page.split('<th scope="row">cut</th>')[1].split("</tr>")[0]
    assert re.findall(r">(\d+)</td>", row) == ["1", "1", "1", "0", "1"]


def test_a_page_of_many_long_videos_stays_small():
    rng = np.random.default_rng(1)
    truth = np.sort(rng.integers(0, 7, 3000))
    restless = score_pictures.strip(np.where(rng.random(3000) < 0.5, truth, rng.integers(0, 7, 3000)))
    assert 80 * sum(map(len, restless.values())) < 1_200_000


def test_a_strip_has_every_run_where_they_fit():
    phases = np.repeat(np.array([2, 0, 2, 1, 0]), [30, 1, 19, 40, 10])
    drawn = np.full(1000, -1)
    for phase, path in score_pictures.strip(phases).items():
        for start, width in re.findall(r"M([\d.]+) 0h([\d.]+)", path):
            drawn[int(start) : int(start) + int(width)] = phase
    assert np.array_equal(drawn, np.repeat(phases, 10))


@pytest.mark.parametrize(
    ("option", "name", "code", "expected"),
    [
        ("--html", "page.txt", 2, "name a file that ends in .html or .htm"),
        ("--html", "truth/page.html", 1, "write elsewhere"),
        ("--out", "no/s.json", 1, "no/s.json: cannot be written: "),
    ],
)
def test_a_page_or_file_that_cannot_be_is_named_as_it_was_asked_for(phases, capsys, option, name, code, expected):
    (phases / "no").touch()
    assert expected in fault(capsys, *sides(phases, "phases", option, phases / name), code=code)
