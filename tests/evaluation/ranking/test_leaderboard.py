"""The leaderboard loads nothing, escapes names, and shows what the document says."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from challenge_cases import document, labels, scores, write, write_labels
from scrubin.evaluate import submission_truth
from scrubin.evaluate.ranking import leaderboard, measures, ranking_document, ranking_text
from scrubin.evaluate.ranking.contest import RankingSettings
from scrubin.evaluate.ranking.leaderboard import blobs as blob_plot
from scrubin.evaluate.ranking.leaderboard import cell_px, significance_map

EVIL = '<script>alert("x")</script> & Söhne'


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("leaderboard")
    truth = {"VID01": labels(1, 40), "VID02": labels(2, 40)}
    write_labels(folder / "gt", truth)
    for at, team in enumerate(("one", "two", "three")):
        write(folder / team, {name: document(scores(at, of, 1 + at)) for name, of in truth.items()})
    held = submission_truth.read(folder / "gt")
    teams = {EVIL: folder / "one", "two": folder / "two", "three": folder / "three", "<i>bad</i>": folder / "gone"}
    return ranking_document.rank(teams, held, measures.measure("recognition", None, held), RankingSettings(resamples=50), ["ivt", "i"])


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text, self.links = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data):
        self.text.append(data)


def test_names_are_text_and_nothing_is_loaded(found):
    html = leaderboard.page(found)
    page = Page()
    page.feed(html)
    assert "script" not in page.tags
    assert "i" not in [tag for tag, text in zip(page.tags, page.text, strict=False) if text == "bad"]
    assert page.links == []
    assert not re.search(r"https?://|@import|url\(", html)
    assert EVIL in page.text
    assert "<i>bad</i>" in page.text
    assert page.tags.count("svg") == 6


def test_the_figures_hold_every_team_and_pair(found):
    blobs, tests = blob_plot(found["teams"]), significance_map(found)
    assert len(tests["cells"]) == 9
    assert [cell["kind"] for cell in tests["cells"]].count("self") == 3
    for at, cell in enumerate(tests["cells"]):
        other = tests["cells"][3 * (at % 3) + at // 3]
        assert {"better": "worse", "worse": "better"}.get(cell["kind"], cell["kind"]) == other["kind"]
    # The area of the circles of a team is that of the whole.
    whole = (cell_px(3) / 2 - 2) ** 2
    for team in found["teams"]:
        areas = [mark["radius"] ** 2 for mark in blobs["marks"] if mark["team"] == team["team"]]
        assert np.sum(areas) == pytest.approx(whole, rel=0.01)


def test_the_same_ranking_gives_the_same_bytes(found):
    assert leaderboard.page(found) == leaderboard.page(found)
    assert ranking_text.sheet(found) == ranking_text.sheet(found)


def test_the_sheet_has_one_row_per_team(found):
    rows = list(csv.DictReader(io.StringIO(ranking_text.sheet(found))))
    assert [row["team"] for row in rows] == [*(team["team"] for team in found["teams"]), "<i>bad</i>"]
    assert [row["rank"] for row in rows] == ["1", "2", "3", ""]
    assert rows[3]["not_ranked_because"] == "there is no such folder"
    for row, team in zip(rows, found["teams"], strict=False):
        assert float(row["score"]) == team["score"] == float(row["component_ivt"])
    assert {row["release"] for row in rows} == {""}
    release = {"name": "study", "version": "1.0.0", "manifest_sha256": "0f" * 32, "changed": 0, "missing": 0}
    known = {**found, "ground_truth": {**found["ground_truth"], "release": release}}
    rows = list(csv.DictReader(io.StringIO(ranking_text.sheet(known))))
    assert {row["release"] for row in rows} == {"study 1.0.0, manifest 0f0f0f0f0f0f"}


@pytest.mark.parametrize("name", ['=HYPERLINK("http:evil")', "@SUM(1)", "+1", "-1+1", "\uff1d1+1"])
def test_no_name_is_a_formula_in_the_sheet(found, name):
    named = {**found, "teams": [{**found["teams"][0], "team": name}], "not_ranked": [{**found["not_ranked"][0], "team": name}]}
    rows = list(csv.DictReader(io.StringIO(ranking_text.sheet(named))))
    assert [row["team"] for row in rows] == [f"'{name}", f"'{name}"]
    assert float(rows[0]["score"]) == found["teams"][0]["score"]


def test_the_table_names_ranks_tests_and_who_is_not_ranked(found):
    text = "\n".join(ranking_text.lines(found))
    assert "3 teams ranked, 1 not ranked" in text
    assert "corrected by Holm (1979); over 2 videos, p <= 0.05" in text
    assert "no difference can ever be significant at 0.05; it takes at least 7 videos" in text
    assert "not ranked: <i>bad</i>: 1 error" in text
    assert re.search(r"^ +1 +\S", text, re.MULTILINE)


def test_a_single_team_has_a_page_and_a_table(tmp_path):
    write_labels(tmp_path / "gt", {"VID01": labels(1, 40)})
    write(tmp_path / "one", {"VID01": document(scores(0, labels(1, 40), 1))})
    held = submission_truth.read(tmp_path / "gt")
    alone = ranking_document.rank(
        {"one": tmp_path / "one"}, held, measures.measure("recognition", None, held), RankingSettings(resamples=5)
    )
    assert "needs two teams that differ" in leaderboard.page(alone)
    text = "\n".join(ranking_text.lines(alone))
    assert "0 of 0" in text
    assert "with one video every resample is the same" in text
    assert alone["leave_one_out"] == []
