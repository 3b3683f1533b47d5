"""The page of a score of masks, pixels, points, tracks and criteria: what is drawn is what is printed."""

from __future__ import annotations

import json
import re

import pytest

from contest_cases import SCORE, TASKS, VIDEOS
from score_runs import LOADED, area, good


def page_of(folder, task, capsys, *more):
    metric, *variant = SCORE[task]
    sides = ("--ground-truth", folder / "truth", "--predictions", folder / "worse", "--html", folder / "page.html", "--json")
    said = good(capsys, metric, *sides, *(variant or (["--variant"] if more else [])), *more)
    return (folder / "page.html").read_text(encoding="utf-8"), json.loads(said.out)["results"]


def section(page, name):
    (found,) = re.findall(rf'<section id="{name}">.*?</section>', page, re.DOTALL)
    return found


@pytest.mark.cases(2)
@pytest.mark.parametrize("task", TASKS)
def test_every_page_loads_nothing_and_has_its_pictures(task, home, capsys):
    page, _ = page_of(home / task, task, capsys)
    assert not LOADED.search(page)
    assert all(f'<th class="n" scope="col">{video}</th>' in section(page, "classes-by-video") for video in VIDEOS)
    assert ('id="thresholds"' in page) == (task == "tracks")
    assert ('id="criteria"' in page) == (task == "criteria")
    # Curves would be those of the boxes around the masks.
    assert 'id="curves"' not in page


def rows(text):
    return re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', text)


def test_a_class_of_a_video_has_the_value_of_the_video_alone(home, tmp_path, capsys):
    page, results = page_of(home / "pixels", "pixels", capsys, "component=i")
    (dice,) = [one for one in results if one["metric"] == "pixels Dice" and one["options"]["scope"] == "video-wise"]
    (tmp_path / "one.txt").write_text(f"{VIDEOS[0]}\n")
    sides = ("--ground-truth", home / "pixels/truth", "--predictions", home / "pixels/worse", "--videos", tmp_path / "one.txt", "--json")
    alone = json.loads(good(capsys, "detection", *sides, "--variant", "kind=pixels", "component=i").out)["results"]
    (of_video,) = [one for one in alone if one["metric"] == "pixels Dice" and one["options"]["scope"] == "video-wise"]
    named = {of["name"]: (key, of) for key, of in dice["classes"].items() if of["value"] is not None}
    table = section(page, "classes-by-video").split("</table>")[0]
    found = {name: re.findall(r">([0-9.]+)</td>", cells) for name, cells in rows(table)}
    assert set(found) == set(named)
    for name, values in found.items():
        key, whole = named[name]
        assert values[0] == f"{of_video['classes'][key]['value']:.4f}"
        assert values[-1] == f"{whole['value']:.4f}"


def test_the_lines_of_hota_end_where_the_curve_of_the_numbers_ends(home, capsys):
    page, results = page_of(home / "tracks", "tracks", capsys)
    (hota,) = [one for one in results if one["metric"] == "tracks HOTA" and "curves" in one]
    drawn = section(page, "thresholds")
    assert f"HOTA: {hota['overall']['value']:.4f} on average" in drawn
    (line,) = re.findall(r'<path class="line c0" d="M([^"]*)"', drawn)
    points = [tuple(map(float, one.split())) for one in line.split("L")]
    assert len(points) == 19
    heights = hota["curves"]["all"]["HOTA"]
    assert [1 - y / 200 for _, y in points] == pytest.approx(heights, abs=1e-3)
    assert len(rows(drawn)) == 19


def test_the_area_under_the_curve_of_a_criterion_is_its_average_precision(home, capsys):
    page, results = page_of(home / "criteria", "criteria", capsys)
    (precision,) = [one for one in results if one["metric"] == "criteria AP" and one["options"]["scope"] == "global"]
    drawn = dict(re.findall(r'<path class="curve" data-class="(.*?)" d="(.*?)"', section(page, "criteria")))
    assert drawn.keys() == precision["classes"].keys()
    for name, path in drawn.items():
        assert area(path) == pytest.approx(precision["classes"][name]["value"], abs=2e-3)


def test_what_annotators_reach_has_no_curves(home, capsys):
    page, _ = page_of(home / "criteria", "criteria", capsys, "kind=raters")
    assert 'id="criteria"' not in page
    assert 'id="classes-by-video"' not in page
