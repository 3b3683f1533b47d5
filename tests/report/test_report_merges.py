"""What label maps merged, windows, and who labelled, on the page: there where labels say so, and only there."""

import dataclasses

import pytest

import reported_study
from reported_study import PARAMS
from scrubin.stages.report.document import document

pytestmark = pytest.mark.slow

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


def test_unchanged_labels_say_nothing_of_merges(study, tmp_path):
    said = document(study, PARAMS)
    assert not {"label_maps", "windows"} & set(said["labels"])
    html = reported_study.page_without_pictures(study, reported_study.write_frames(study, tmp_path))
    assert "Merged triplets" not in html
    assert "windows around contacts" not in html


def test_who_labelled_what_is_on_the_page_by_number(study, tmp_path):
    id_ = next(iter(study.names()))
    said = {"annotators": [1, 3], "blind": True, "settled": 2, "labels": 30, "proposed": 5}
    release = reported_study.write_frames(study, tmp_path)
    for more, shown in (({}, ("–", "–")), ({"changed": 4, "refused": 7}, ("4", "7"))):
        changed = dataclasses.replace(study, annotations={**study.annotations, "provenance": {id_: said | more}})
        html = reported_study.page_without_pictures(changed, release)
        numbers = "".join(f'<td class="n">{number}</td>' for number in ("2", "30", "5", *shown))
        assert f"({id_})</th><td>1, 3</td><td>yes</td>{numbers}" in html


def test_interpolated_places_and_sources_without_a_folder_are_on_the_page(study, tmp_path):
    id_ = next(iter(study.names()))
    said = {"interpolated": {id_: {"n": 1234, "of": 2000}}, "missing_sources": ["6 (scrubin-labels)"]}
    changed = dataclasses.replace(study, annotations={**study.annotations, **said})
    html = reported_study.page_without_pictures(changed, reported_study.write_frames(study, tmp_path))
    assert f'({id_})</th><td class="n">1,234</td><td class="n">2,000</td>' in html
    assert "of which nothing was read: 6 (scrubin-labels)" in html
