"""Every kind of page that people open: axe finds nothing serious, in light, in dark and on a small screen; paper cuts nothing off."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
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
OF_THE_STUDY = [f"reports/{name}index.html" for name in ("", "validation/", "certificate/")] + ["scores.html", "leaderboard/index.html"]
A4_PX = 717
"""Between the margins that Chromium leaves; Letter is wider."""
CUT_OFF = """() => [...document.querySelectorAll("table, .scroll, svg, img")].filter((one) => {
    const at = one.getBoundingClientRect();
    return at.right > innerWidth + 1 || (one.matches(".scroll") && one.scrollWidth > one.clientWidth + 1);
}).map((one) => `${one.closest("section")?.id} ${one.tagName}`)"""
FOLDED = "() => [...document.querySelectorAll('details > :not(summary)')].filter((one) => !one.checkVisibility()).length"
LINES = """() => [...document.querySelectorAll("section th")].map((one) => {
    const all = document.createRange();
    all.selectNodeContents(one);
    return [one.textContent, all.getClientRects().length];
})"""
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


def opened(chromium, path: Path, size=browser.SIZE):
    tab = chromium.new_context(viewport=size).new_page()
    tab.goto(path.as_uri())
    tab.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    return tab


def test_axe_finds_what_is_wrong(chromium, script, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text('<html lang="en"><title>A page</title><img src="x.png"><p style="color: #ccc">Pale</p></html>', encoding="utf-8")
    found = axe.findings(opened(chromium, bad), script)
    assert [one.split()[0] for one in found] == ["color-contrast", "image-alt"]


@pytest.mark.parametrize("name", OF_THE_STUDY)
def test_a_page_of_the_study(chromium, script, study, name):
    tab = opened(chromium, study / name)
    assert axe.in_light_and_dark(tab, script) == []
    assert browser.overflow_px(tab) == 0
    # Colours are the same on a small screen.
    tab.set_viewport_size(SMALL)
    assert axe.findings(tab, script, rules=axe.ALL_BUT_CONTRAST) == []
    assert browser.overflow_px(tab) == 0
    tab.context.close()


@pytest.fixture(scope="module")
def wide(tmp_path_factory) -> Path:
    """A page of scores with the phases of Cholec80, whose names have no place where they break, and many frames of each."""
    folder = tmp_path_factory.mktemp("wide")
    for side, shift in (("truth", 0), ("found", 300)):
        (folder / side).mkdir()
        rows = "".join(f"{frame},{(frame + shift) // 3000 % 7}\n" for frame in range(21_000))
        (folder / side / "a.csv").write_text(f"frame,phase_id\n{rows}", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        sides = ["--ground-truth", "truth", "--predictions", "found", "--vocabulary", "cholec80"]
        assert main(["score", "phases", *sides, "--html", "scores.html"]) == 0
    return folder / "scores.html"


@pytest.mark.parametrize("name", [*OF_THE_STUDY, "wide"])
def test_on_paper_nothing_is_cut_off_and_every_fold_is_open(chromium, study, wide, name):
    tab = chromium.new_context(viewport={"width": A4_PX, "height": 980}).new_page()
    tab.goto((wide if name == "wide" else study / name).as_uri())
    tab.emulate_media(media="print")
    assert tab.evaluate(CUT_OFF) == []
    assert tab.evaluate(FOLDED) == 0
    tab.context.close()


def test_on_a_small_screen_an_edge_is_shaded_as_long_as_more_of_a_table_lies_behind_it(chromium, wide):
    tab = chromium.new_context(viewport={"width": 400, "height": 720}).new_page()
    tab.goto(wide.as_uri())
    matrix = tab.locator("#confusion .scroll")
    dark = []
    for left in (0, 60, 10_000):
        matrix.evaluate("(one, left) => { one.scrollLeft = left; }", left)
        picture = cv2.imdecode(np.frombuffer(matrix.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)
        # Most of a column of pixels is ground.
        dark.append(tuple(bool(np.median(picture[:, at]) < 235) for at in (1, -2)))
    assert dark == [(False, True), (True, True), (True, False)]
    tab.context.close()


def test_on_a_small_screen_the_words_of_the_certificate_stay_whole(chromium, study):
    tab = chromium.new_context(viewport={"width": 400, "height": 720}).new_page()
    tab.goto((study / "reports/certificate/index.html").as_uri())
    lines = tab.evaluate(LINES)
    assert "rule" in [text for text, _ in lines]
    # Before a bracket, as of a paragraph, a line may end.
    assert [text for text, count in lines if count > len(text.replace("(", " (").split())] == []
    tab.context.close()


def test_a_report_with_everything_in_it(chromium, script, tmp_path):
    reported = reported_study.study()
    path = tmp_path / "report.html"
    folder = reported_study.write_frames(reported, tmp_path / "release")
    path.write_text(page.render(reported, document(reported, reported_study.PARAMS), folder, reported_study.PARAMS), encoding="utf-8")
    assert axe.findings(opened(chromium, path), script) == []
    # Names may have as many letters as that of a file, and no place where they break.
    path.write_text(path.read_text(encoding="utf-8").replace("Rec_PegTransfer_", "W" * 140), encoding="utf-8")
    assert "W" * 140 in path.read_text(encoding="utf-8")
    assert [browser.overflow_px(opened(chromium, path, size)) for size in (browser.SIZE, SMALL)] == [0, 0]


def test_the_page_of_the_review(chromium, script, study_to_review, tmp_path):
    folder = made_once.copy(study_to_review, tmp_path / "study")
    with review_server.running(folder, "--by", "ann") as server:
        tab = chromium.new_context(viewport=browser.SIZE).new_page()
        keyboard.come_in(tab, server.address)
        found = axe.in_light_and_dark(tab, script)
        for keys in (["j"], ["f"], ["Escape", "m"], ["Escape", "?"]):
            keyboard.press(tab, *keys)
            tab.wait_for_timeout(500)
            found += axe.in_light_and_dark(tab, script)
    assert found == []
