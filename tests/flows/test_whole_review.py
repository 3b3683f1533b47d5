"""From raw files to a release, with a person at the keyboard in between: what is black is what was decided."""

from __future__ import annotations

import json
import shutil

import av
import numpy as np
import pandas as pd
import pytest

import browser
import keyboard
import made_once
import review_server
import small_study
from scrubin.base.errors import ReleaseError
from scrubin.base.layout import REVIEW_PATH
from scrubin.base.params import SECTIONS
from scrubin.stages.release import gates
from scrubin.stages.review import LEDGER_PATH, Ledger

pytestmark = pytest.mark.slow
AFTER = [stage for stage in SECTIONS[SECTIONS.index("decisions") :] if stage != "report"]
SPAN, BOX, OUT = "operation_02", "operation_03", "peg_05"
# Soft colours lie far above; x264 and JPEG leave black a little brighter than 16.
BLACK = 30


@pytest.fixture
def folder(tmp_path, tmp_path_factory):
    """A study of which nobody has seen or said anything, and nothing is released."""
    project = made_once.copy(small_study.finished(tmp_path_factory), tmp_path / "project")
    sheet = project / "data/raw/redactions.csv"
    sheet.write_text(sheet.read_text().splitlines()[0] + "\n")
    (project / LEDGER_PATH).write_bytes(b"")
    shutil.rmtree(project / "data/release")
    for told_of_it in (gates.LAST_RELEASE_PATH, REVIEW_PATH):
        (project / told_of_it).unlink()
    return project


def open_recording(page, name):
    page.locator("#list button", has_text=name).focus()
    page.keyboard.press("Enter")
    page.locator("#name", has_text=name).wait_for()
    keyboard.opened(page)


def status(page, text):
    page.locator("#status", has_text=text).wait_for()


def draw_span(page):
    """Hide some frames of the recording that is open, then others, and take those back."""
    for frame, length in ((30, 9), (120, 4)):
        keyboard.press(page, "g")
        page.locator("#time-dialog").wait_for()
        page.keyboard.type(f"#{frame}")
        keyboard.press(page, "Enter", "l", "i", *["ArrowRight"] * length, "o", "d")
        page.locator("#kind-dialog").wait_for()
        keyboard.press(page, "Enter")
        status(page, "is hidden")
        keyboard.press(page, "Escape")
    keyboard.press(page, "u")
    status(page, "Undone")


def draw_box(page):
    keyboard.press(page, "f")
    page.locator("#full-canvas[data-frame]").wait_for()
    keyboard.press(page, "b", "ArrowRight", "Shift+ArrowLeft", "Enter")
    page.locator("#kind-dialog").wait_for()
    keyboard.press(page, "Enter")
    status(page, "the rectangle is hidden")
    keyboard.press(page, "f")


def review(chromium, folder):
    with review_server.running(folder, "--by", "ann") as server:
        page = chromium.new_page(viewport=browser.SIZE)
        keyboard.come_in(page, server.address)
        open_recording(page, SPAN)
        draw_span(page)
        page.reload()
        keyboard.opened(page)
        open_recording(page, BOX)
        draw_box(page)
        open_recording(page, OUT)
        keyboard.press(page, "x")
        page.locator("#reason-dialog").wait_for()
        page.keyboard.type("no consent")
        keyboard.press(page, "Enter")
        status(page, "The recording is excluded")
        while keyboard.next_left(page):
            keyboard.look(page)
            keyboard.decide(page)
        page.locator("#overview-dialog", has_text="Everything is reviewed").wait_for()
        page.close()


def luma(path):
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="gray") for frame in container.decode(video=0)]


def decided_frames(name, camera, first, count):
    """Released frames that stand as hidden, whole (True) or in a rectangle, by the ledger alone."""
    lines = Ledger().lines()
    withdrawn = {line.facts["line"] for line in lines if line.event == "withdrawn"}
    hidden = {}
    for line in lines:
        facts = line.facts
        if line.event == "decided" and line.number not in withdrawn and (facts["recording"], facts["camera"]) == (name, camera):
            for span in facts["spans"]:
                for frame in range(max(span["first"], first), min(span["last"], first + count - 1) + 1):
                    box = None if facts["box_xywh"] is None else tuple(facts["box_xywh"])
                    hidden.setdefault(frame - first, set()).add(box)
    return hidden


def test_nothing_is_released_before_a_person_saw_it_and_what_is_black_is_what_they_decided(chromium, folder, monkeypatch):
    small_study.regenerate(folder, ["decisions", "review"], look=False)
    assert (folder / LEDGER_PATH).read_bytes() == b""
    with pytest.raises(ReleaseError) as refused:
        small_study.regenerate(folder, ["release"])
    said = str(refused.value)
    names = {row["recording"] for row in json.loads((folder / "data/interim/review.json").read_text())["recordings"]}
    assert len(names) == 9
    assert all(f"'{name}': " in said and f"scrubin review --at {name}:" in said for name in names)
    assert not (folder / "data/release/SHA256SUMS").exists()

    review(chromium, folder)
    small_study.regenerate(folder, AFTER, look=False)

    monkeypatch.chdir(folder)
    cuts, videos = pd.read_parquet("data/interim/cuts.parquet"), pd.read_parquet("data/tables/videos.parquet")
    assert set(cuts.recording) == names - {OUT}
    assert "each of the 8 recordings" in (folder / "data/release/README.md").read_text()
    checked = 0
    for cut in cuts.itertuples():
        path = videos.set_index(["id", "camera"]).path[cut.id, cut.camera]
        pictures = luma(folder / "data/release" / path)
        hidden = decided_frames(cut.recording, cut.camera, cut.first_source_frame, cut.frame_count)
        assert len(pictures) == cut.frame_count
        for number, picture in enumerate(pictures):
            boxes = hidden.get(number, set())
            assert (picture.max() <= BLACK) == (None in boxes), (cut.recording, cut.camera, number)
            for x, y, w, h in boxes - {None}:
                inside = picture[y : y + h, x : x + w]
                assert inside.max() <= BLACK
                outside = np.ones_like(picture, dtype=bool)
                outside[max(y - 8, 0) : y + h + 8, max(x - 8, 0) : x + w + 8] = False
                assert np.median(picture[outside]) > BLACK or None in boxes
            checked += bool(boxes)
    assert checked >= 10 + small_study.OPERATION_S * 25
    spans = [row for row in decided_frames(SPAN, "mono", 0, 300)]
    assert {*range(30, 40)} <= set(spans)
    assert not {*range(120, 125)} & set(spans)
