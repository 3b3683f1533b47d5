from __future__ import annotations

import base64
import dataclasses
import json
import re
import xml.etree.ElementTree as ET

import pandas as pd
import pytest
from matplotlib import font_manager

import reported_study
import synthetic_study
from reported_study import PARAMS
from scrubin.base.errors import StageError
from scrubin.base.tables import io
from scrubin.stages.report import figures, page, read_json
from scrubin.stages.report.document import document

HOSTILE = "<script>alert('x')</script>"
DATA_IMAGE = re.compile(r'src="data:image/([a-z+]+);base64,([A-Za-z0-9+/=]+)"')


@pytest.fixture(scope="module")
def html(study, release) -> str:
    return page.render(study, document(study, PARAMS), release, PARAMS)


def without_images(html: str) -> str:
    return DATA_IMAGE.sub("", html)


@pytest.mark.slow
def test_the_same_study_gives_the_same_bytes(study, release, html):
    assert page.render(study, document(study, PARAMS), release, PARAMS) == html


@pytest.mark.slow
def test_row_order_of_private_tables_does_not_matter(study, release, html):
    mixed = {name: getattr(study, name).sample(frac=1, random_state=1) for name in ("recordings", "linkage", "redactions", "quarantine")}
    other = dataclasses.replace(study, **mixed)
    assert document(other, PARAMS) == document(study, PARAMS)
    assert page.render(other, document(other, PARAMS), release, PARAMS) == html


def test_the_page_loads_nothing(html):
    assert html.count("src=") == len(DATA_IMAGE.findall(html)) == 10 + 12 + 3 * 3 + 2 + 12  # figures, worst frames, spans, near misses
    rest = without_images(html)
    assert not re.search(r"https?://|<script|<link|<iframe|<object|url\(|@import|srcset", rest)
    assert {link for link in re.findall(r'href="([^"]*)"', rest) if not link.startswith("#")} == {
        "certificate/index.html",
        "validation/index.html",
    }


def test_figures_load_nothing_and_carry_no_date_and_no_text_that_needs_a_font(html):
    figures = [base64.b64decode(data) for kind, data in DATA_IMAGE.findall(html) if kind == "svg+xml"]
    assert len(figures) == 10
    for figure in figures:
        tree = ET.fromstring(figure)
        assert not list(tree.iter("{http://www.w3.org/2000/svg}text"))
        assert b"dc:date" not in figure
        assert b"Matplotlib" not in figure.split(b"<defs>")[0]
        for element in tree.iter():
            assert element.get("{http://www.w3.org/1999/xlink}href", "#").startswith("#")


def test_the_fonts_of_a_machine_change_no_byte_of_a_figure(monkeypatch):
    def drawn():
        with figures.style():
            return figures.svg_uri(figures.blank("nothing to see"))

    before, manager = drawn(), font_manager.fontManager
    serif = [dataclasses.replace(entry, name="DejaVu Sans") for entry in manager.ttflist if entry.name == "DejaVu Serif"]
    assert serif
    monkeypatch.setattr(manager, "ttflist", [*serif, *(entry for entry in manager.ttflist if entry.name != "DejaVu Sans")])
    manager._findfont_cached.cache_clear()
    assert drawn() == before
    manager._findfont_cached.cache_clear()


def test_the_page_says_first_that_it_is_private(study, html):
    body = html[html.index("<body>") :]
    assert body.index("Private: for the curator") < body.index("<h1>")
    assert document(study, PARAMS)["audience"].startswith("private")


def test_every_link_of_the_contents_has_its_section(html):
    rest = without_images(html)
    contents = rest[rest.index("<nav") : rest.index("</nav>")]
    assert len(re.findall(r'href="#([a-z]+)"', contents)) == 11
    assert all(f'id="{name}"' in rest for name in re.findall(r'href="#([a-z]+)"', rest))


def test_every_image_has_a_text_alternative(html):
    assert all('alt="' in image for image in re.findall(r"<img [^>]*>", html))


def test_every_quarantined_file_is_listed_with_reason_and_mend(study, release):
    rows = [
        {
            "recording": f"r{i}",
            "camera": camera,
            "stage": stage,
            "path": f"videos/{i} {camera}.mp4",
            "reason": f"broken {i}",
            "mend": f"mend {i}",
        }
        for i in range(30)
        for camera, stage in (("left", "ingest"), ("right", "render"))
    ]
    many = dataclasses.replace(study, quarantine=io.frame_of(synthetic_study.BY_NAME["quarantine"], rows))
    said = document(many, PARAMS)
    text = reported_study.page_without_pictures(many, release)
    assert len(said["quarantined"]) == len(rows)
    assert said["overview"]["quarantined"] == 30
    for row in rows:
        for value in (row["path"], row["reason"], row["mend"]):
            assert f">{value}<" in text


@pytest.mark.slow
def test_hostile_names_are_shown_and_not_run(study, release):
    name = f'videos/{HOSTILE}" onerror="x .mp4'
    quarantine = study.quarantine.assign(path=name, reason=HOSTILE, recording=HOSTILE)
    recordings = study.recordings.assign(path=name, reason=HOSTILE, task=study.recordings.task.replace("PegTransfer", HOSTILE))
    videos = study.videos.assign(task=study.videos.task.replace("PegTransfer", f"{HOSTILE} $\\frac"))
    hostile = dataclasses.replace(study, quarantine=quarantine, recordings=recordings, videos=videos)
    text = page.render(hostile, document(hostile, PARAMS), release, PARAMS)
    assert "<script" not in text
    assert ' onerror="' not in text
    assert "&lt;script&gt;" in text


@pytest.mark.slow
def test_an_empty_study_has_a_page_and_every_figure_says_why_it_is_empty(tmp_path):
    study = reported_study.empty()
    said = document(study, PARAMS)
    html = page.render(study, said, tmp_path, PARAMS)
    assert said["overview"]["recordings"] == said["overview"]["labelled_frames"] == 0
    assert len(DATA_IMAGE.findall(html)) == 7
    for sentence in (
        "The study has no recordings.",
        "There is no recording to look at.",
        "The study has no ratings.",
        "There are no visible frames.",
        "Nothing was found or decided.",
        "The study has no splits.",
    ):
        assert sentence in html


def test_a_study_without_ratings_still_reports_labels_and_splits(study, release):
    none = io.frame_of(synthetic_study.BY_NAME["skill"], [])
    unrated = dataclasses.replace(study, skill=none, scores={"tasks": {}})
    html = reported_study.page_without_pictures(unrated, release)
    assert "The study has no ratings." in html
    assert "grasper" in html


def test_only_the_most_frequent_triplets_are_listed_and_the_page_says_so(study, html):
    said = document(study, PARAMS)
    assert len(said["labels"]["triplets"]) > PARAMS.top_triplets
    assert f"The 3 most frequent of {len(said['labels']['triplets'])} triplets" in html


def test_a_missing_frame_is_an_error_that_names_it(study, tmp_path):
    with pytest.raises(StageError, match=r"\.jpg: the frame cannot be read as an image; run 'dvc repro'"):
        page.render(study, document(study, PARAMS), tmp_path, PARAMS)


def test_the_document_is_plain_json(study):
    said = document(study, PARAMS)
    assert json.loads(json.dumps(said, allow_nan=False)) == said


@pytest.mark.parametrize("text", ["", "[1]", "{"])
def test_what_another_stage_left_broken_is_named(tmp_path, text):
    path = tmp_path / "scores.json"
    path.write_text(text)
    with pytest.raises(StageError, match=r"scores\.json.*run 'dvc repro' to make it again"):
        read_json(path)


def test_undefined_values_are_dashes_not_zeros(study, release):
    skill = study.skill.assign(GRS=float("nan"), strong_disagreement=True)
    undefined = dataclasses.replace(study, skill=skill)
    said = document(undefined, PARAMS)
    assert said["skill"]["strong_disagreement"][0]["GRS"] is None
    assert "–</td>" in reported_study.page_without_pictures(undefined, release)
    assert pd.isna(skill.GRS).all()


MAP = {
    "format": "labelme",
    "vocabulary": "prostatd",
    "map": "prostatd",
    "source": "a paper, <b>section A.4</b>",
    "instances": 1234,
    "merged_instances": 3,
    "merged": [{"from": "scissors,dissect,fat", "to": "scissors,dissect,fascias", "instances": 3}],
}
WINDOWS = {"continuous_after_s": 2.0, "momentary_before_s": 1.5, "momentary_after_s": 2.0, "momentary": ("cut", "clip")}


@pytest.mark.slow
def test_what_was_merged_and_how_actions_were_made_is_on_the_page(study, tmp_path):
    release = reported_study.write_frames(study, tmp_path)
    changed = dataclasses.replace(study, annotations={**study.annotations, "label_maps": [MAP], "windows": WINDOWS})
    said = document(changed, PARAMS)
    assert (said["labels"]["label_maps"], said["labels"]["windows"]) == ([MAP], WINDOWS)
    html = reported_study.page_without_pictures(changed, release)
    assert "scissors, dissect, fat</th><td>scissors, dissect, fascias</td>" in html
    assert "3 of 1,234 instances were merged, none was lost" in html
    assert "<b>section" not in html
    assert "momentary ones (cut; clip) from up to 1.5 s before" in html


@pytest.mark.slow
def test_unchanged_labels_say_nothing_of_merges(study, tmp_path):
    said = document(study, PARAMS)
    assert not {"label_maps", "windows"} & set(said["labels"])
    html = reported_study.page_without_pictures(study, reported_study.write_frames(study, tmp_path))
    assert "Merged triplets" not in html
    assert "windows around contacts" not in html


@pytest.mark.slow
def test_who_labelled_what_is_on_the_page_by_number(study, tmp_path):
    id_ = next(iter(study.names()))
    said = {"annotators": [1, 3], "blind": True, "settled": 2, "labels": 30, "proposed": 5}
    release = reported_study.write_frames(study, tmp_path)
    for more, shown in (({}, ("–", "–")), ({"changed": 4, "refused": 7}, ("4", "7"))):
        changed = dataclasses.replace(study, annotations={**study.annotations, "provenance": {id_: said | more}})
        html = reported_study.page_without_pictures(changed, release)
        numbers = "".join(f'<td class="n">{number}</td>' for number in ("2", "30", "5", *shown))
        assert f"({id_})</th><td>1, 3</td><td>yes</td>{numbers}" in html


@pytest.mark.slow
def test_interpolated_places_and_sources_without_a_folder_are_on_the_page(study, tmp_path):
    id_ = next(iter(study.names()))
    said = {"interpolated": {id_: {"n": 1234, "of": 2000}}, "missing_sources": ["6 (scrubin-labels)"]}
    changed = dataclasses.replace(study, annotations={**study.annotations, **said})
    html = reported_study.page_without_pictures(changed, reported_study.write_frames(study, tmp_path))
    assert f'({id_})</th><td class="n">1,234</td><td class="n">2,000</td>' in html
    assert "of which nothing was read: 6 (scrubin-labels)" in html


@pytest.mark.slow
def test_rates_that_read_alike_are_shown_once(study, release):
    rates = ["15", "89000/5933"] * len(study.videos)
    said = reported_study.page_without_pictures(
        dataclasses.replace(study, videos=study.videos.assign(fps=rates[: len(study.videos)])), release
    )
    cells = re.findall(r"<td>((?:<span class=\"whole\">15</span>(?:, )?)+)</td>", said)
    assert cells
    assert set(cells) == {'<span class="whole">15</span>'}
