"""What axe finds on every kind of page that people open: nothing serious, nothing critical, in light, in dark and on a small screen."""

from __future__ import annotations

from pathlib import Path

import pytest

import axe
import browser
import keyboard
import made_once
import reported_study
import review_server
import small_study
from scrubin.cli import main
from scrubin.stages.report import page
from scrubin.stages.report.document import document

pytestmark = pytest.mark.slow
SMALL = {"width": 390, "height": 700}
WAYS = [("light", browser.SIZE), ("dark", browser.SIZE), ("light", SMALL)]
OF_THE_STUDY = [f"reports/{name}index.html" for name in ("", "validation/", "certificate/")] + ["scores.html", "leaderboard/index.html"]
PHASES = "data/release/groundtruth/cholect50/phases"


@pytest.fixture(scope="module")
def script():
    return axe.source()


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    """A finished study, with a page of scores and a leaderboard."""
    folder = made_once.copy(small_study.finished(tmp_path_factory), tmp_path_factory.mktemp("pages") / "study")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        sides = ["--ground-truth", "data/release", "--predictions", PHASES]
        assert main(["score", "phases", *sides, "--html", "scores.html"]) == 0
        teams = [f"A={PHASES}", f"B={PHASES}"]
        assert main(["rank", *teams, "--ground-truth", "data/release", "--metric", "phases", "--out", "leaderboard"]) == 0
    return folder


def opened(chromium, path: Path, way):
    scheme, size = way
    tab = chromium.new_context(viewport=size, color_scheme=scheme).new_page()
    tab.goto(path.as_uri())
    tab.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    return tab


def test_axe_finds_what_is_wrong(chromium, script, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text('<html lang="en"><title>A page</title><img src="x.png"><p style="color: #ccc">Pale</p></html>', encoding="utf-8")
    found = axe.findings(opened(chromium, bad, WAYS[0]), script)
    assert [one.split()[0] for one in found] == ["color-contrast", "image-alt"]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way[0]} {way[1]['width']}")
@pytest.mark.parametrize("name", OF_THE_STUDY)
def test_a_page_of_the_study(chromium, script, study, name, way):
    tab = opened(chromium, study / name, way)
    assert axe.findings(tab, script) == []
    assert browser.overflow_px(tab) == 0
    tab.context.close()


def test_a_report_with_everything_in_it(chromium, script, tmp_path):
    reported = reported_study.study()
    path = tmp_path / "report.html"
    folder = reported_study.write_frames(reported, tmp_path / "release")
    path.write_text(page.render(reported, document(reported, reported_study.PARAMS), folder, reported_study.PARAMS), encoding="utf-8")
    assert axe.findings(opened(chromium, path, WAYS[0]), script) == []
    # Names may have as many letters as that of a file, and no place where they break.
    path.write_text(path.read_text(encoding="utf-8").replace("Rec_PegTransfer_", "W" * 140), encoding="utf-8")
    assert "W" * 140 in path.read_text(encoding="utf-8")
    assert [browser.overflow_px(opened(chromium, path, way)) for way in WAYS] == [0, 0, 0]


@pytest.mark.parametrize("scheme", axe.SCHEMES)
def test_the_page_of_the_review(chromium, script, study_to_review, tmp_path, scheme):
    folder = made_once.copy(study_to_review, tmp_path / "study")
    with review_server.running(folder, "--by", "ann") as server:
        tab = chromium.new_context(viewport=browser.SIZE, color_scheme=scheme).new_page()
        keyboard.come_in(tab, server.address)
        found = axe.findings(tab, script)
        for keys in (["j"], ["f"], ["Escape", "m"], ["Escape", "?"]):
            keyboard.press(tab, *keys)
            tab.wait_for_timeout(500)
            found += axe.findings(tab, script)
    assert found == []
