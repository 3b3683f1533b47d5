from __future__ import annotations

import json

import numpy as np
import pytest

import clips
from scrubin import cli
from scrubin.cli.video import render
from scrubin.stages.screen.detector import DEFAULTS
from scrubin.stages.screen.proposals import Proposal


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    man, rabbit = (clips.pictures(clips.REAL[name], (176, 144)) for name in ("carphone_pristine", "bigbuckbunny"))
    return clips.film(tmp_path_factory.mktemp("film") / "a.mkv", [*rabbit[:60], *man[:3], *rabbit[60:], *[np.zeros_like(man[0])] * 25], 25)


@pytest.mark.slow
def test_the_spans_are_printed_as_json(film, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["screen", str(film), "--json"]) == 0
    whole, visit, black = json.loads(capsys.readouterr().out)
    # A rabbit's film is no endoscopy, and nobody has said what it is.
    assert (whole["source"], whole["start_s"], whole["end_s"]) == ("unknown_scene", 0.0, pytest.approx(6.4))
    assert (visit["kind"], visit["faces"], visit["source"], visit["text"], visit["x"]) == ("out_of_body", 1, "appearance", None, None)
    # The face in it is the same event.
    assert (visit["start_s"], visit["end_s"]) == (pytest.approx(55 / 25), pytest.approx(68 / 25))
    assert (black["kind"], black["score"], black["faces"]) == ("black", 1.0, None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_spans_are_printed_as_a_table(film, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["screen", str(film)]) == 0
    head, whole, visit, black = capsys.readouterr().out.splitlines()
    assert whole.split()[:3] == ["out_of_body", "0.000", "6.400"]
    assert head.split() == list(render.HEADER)
    assert visit.split()[:7] == ["out_of_body", "2.200", "2.720", "-", "-", "-", "-"]
    assert black.split()[0] == "black"


def test_a_rectangle_and_what_was_read_are_printed():
    proposal = Proposal("text", (0.0, 5.0), 0.9, "text", (8, 8, 40, 16), text="Brenner 10:20")
    assert render.table([render.row(proposal)]).splitlines()[1].split(maxsplit=10) == [
        *("text", "0.000", "5.000", "8", "8", "40", "16", "0.900", "-", "text", "Brenner 10:20")
    ]
    assert render.table([]) == "nothing was found\n"


def test_the_parameters_of_the_folder_count(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    clips.film(tmp_path / "a.mkv", [np.full((144, 176, 3), 120, np.uint8)] * 25 + [np.zeros((144, 176, 3), np.uint8)] * 25, 25)
    (tmp_path / "params.yaml").write_text(
        "raw: data/raw\nscreen: {detectors: [black], model: null, thumbnail_height: 36, scene: any, outside_score: 0.6, min_span_s: 0.2,"
        " clear_score: 0.8, margin_s: 0.2, black_level: 24, frozen_s: 2, text_every_s: 60}\n"
    )
    assert cli.main(["screen", "a.mkv", "--json"]) == 0
    assert [row["kind"] for row in json.loads(capsys.readouterr().out)] == ["black"]


def test_a_file_that_is_missing_or_no_video_gives_an_exit_code(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "no.mkv").write_text("no video")
    assert cli.main(["screen", "nothing.mkv"]) == 1
    assert "nothing.mkv: the file is missing" in capsys.readouterr().err
    assert cli.main(["screen", "no.mkv"]) == 1
    assert "no.mkv: it cannot be read as a video" in capsys.readouterr().err


def test_the_shipped_defaults_are_what_a_new_study_begins_with():
    assert DEFAULTS.model is None
