"""A release that the audit refuses for what it sees, a person who answers on the page, and the release that then passes."""

from __future__ import annotations

import csv
import json

import av
import numpy as np
import pandas as pd
import pytest
from anyio.from_thread import start_blocking_portal

import clips
import page_client
import small_study
from page_client import PORT, Page
from scrubin.audit.pictures import looks
from scrubin.base.errors import PrivacyError
from scrubin.base.params import SECTIONS
from scrubin.curate.page.app import ReviewApp
from scrubin.curate.page.server import Session
from scrubin.media.networks.faces import Face
from scrubin.media.networks.reading import Reading
from scrubin.stages.review import questions

pytestmark = pytest.mark.slow
FALSE_FACE, NAMED = "operation_02", "operation_03"
PLANTED = (40, 24, 16, 16)
LAST = 2
GREEN, BLUE = (0, 255, 0), (0, 0, 255)
AFTER = [stage for stage in SECTIONS[SECTIONS.index("decisions") :] if stage != "report"]


def plant(path, colour):
    """Draw a small rectangle of a colour into the first frames of a clip, which no detector of ours takes for anything."""
    with av.open(str(path)) as container:
        pictures = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    x, y, w, h = PLANTED
    for picture in pictures[: LAST + 1]:
        picture[y : y + h, x : x + w] = colour
    path.unlink()
    clips.film(path, pictures, 25)


def holds(picture, colour):
    x, y, w, h = PLANTED
    inside = picture[y + 4 : y + h - 4, x + 4 : x + w - 4].reshape(-1, 3).mean(axis=0)
    return bool(np.abs(inside - np.array(colour[::-1])).max() < 90)


@pytest.fixture
def folder(tmp_path, tmp_path_factory, monkeypatch):
    project = small_study.share_store(small_study.project(tmp_path / "project"), tmp_path_factory)
    raw = project / "data/raw"
    plant(raw / f"videos/{FALSE_FACE}.mp4", GREEN)
    plant(raw / f"videos/{NAMED}.mp4", BLUE)
    manifest = raw / "recordings.csv"
    manifest.write_text(manifest.read_text().replace("patient 4", "Quatermass"))
    assert [row["participant"] for row in csv.DictReader(manifest.read_text().splitlines())].count("Quatermass") == 1
    monkeypatch.setattr(looks, "faces", lambda picture: [Face(PLANTED, 0.5)] if holds(picture, GREEN) else [])
    monkeypatch.setattr(looks, "read", lambda picture: [Reading(PLANTED, "Quatermass", 0.9)] if holds(picture, BLUE) else [])
    monkeypatch.chdir(project)
    return project


def answers(folder, page):
    """Say on the page that the face is none, and that the name must be hidden; return what was answered about, by recording."""
    by_name = {one["name"]: one for one in page.get("/api/study").json()["recordings"]}
    done = {}
    for name, what in ((FALSE_FACE, "reject"), (NAMED, "accept")):
        assert (by_name[name]["asked"], by_name[name]["done"]) == (1, False)
        number = by_name[name]["number"]
        shown = page.get(f"/api/recordings/{number}").json()["recording"]["proposals"]
        (asked,) = [one for one in shown if one["source"] == "audit"]
        assert page.get(f"/still/{number}/mono/{asked['first']}").status_code == 200
        wish = {name: asked[name] for name in ("camera", "kind", "first", "last", "box_xywh")}
        answer = page_client.decide(page, number=number, what=what, proposal=asked["key"], nonce=f"{what}-{number}-x", **wish)
        assert answer.status_code == 200, answer.text
        assert answer.json()["recording"]["summary"]["asked"] == 0
        done[name] = asked
    return done


def test_what_the_audit_asks_is_answered_on_the_page_and_the_next_release_follows_the_answer(folder):
    with pytest.raises(PrivacyError) as refused:
        small_study.release(folder)
    said = str(refused.value)
    assert "the audit asks people about 2 places" in said
    for name in (FALSE_FACE, NAMED):
        assert f"open: .venv/bin/scrubin review --at {name}:" in said
    asked = {one.recording: one for one in questions.load()}
    assert (asked[FALSE_FACE].sight.first, asked[FALSE_FACE].sight.box_xywh) == (0, PLANTED)
    assert (asked[NAMED].sight.kind, asked[NAMED].read) == ("text", "Quatermass")
    before = pd.read_parquet("data/interim/hidden.parquet")

    study = page_client.opened(folder)
    with start_blocking_portal() as portal:
        page = Page(ReviewApp(study, Session(PORT)), portal)
        page.cookies.set(page.session.cookie, page.session.token)
        page.edition = page.get("/api/study").json()["edition"]
        answers(folder, page)
    study.close()

    small_study.regenerate(folder, AFTER, look=False)
    assert json.loads((folder / questions.QUESTIONS_PATH).read_text()) == []
    pictures = json.loads((folder / "reports/release.json").read_text())["audit"]["pictures"]
    assert (pictures["faces_let_through"], pictures["texts_let_through"]) == (pictures["faces"], 0)
    assert pictures["faces"] >= 1
    ids = pd.read_parquet("data/private/linkage.parquet").set_index("recording").id
    now = pd.read_parquet("data/interim/hidden.parquet")
    assert now[now.id == ids[FALSE_FACE]].equals(before[before.id == ids[FALSE_FACE]])
    (row,) = now[now.id == ids[NAMED]].to_dict("records")
    assert (row["x"], row["y"], row["w"], row["h"]) == PLANTED
    assert row["first_frame"] == 0
    assert row["last_frame"] >= LAST
