"""A suspect of a study says at which address the label page opens at its frame."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction

import pytest

import labelled_study
import review_study
import sampled_release
from labelled_study import SINGLE
from scrubin import cli
from scrubin.labels.model import Clock
from scrubin.labels.suspects import suspect
from scrubin.labels.suspects.suspect import ShownRecording, Suspect

pytestmark = pytest.mark.usefixtures("own_judge")
FIRST, FPS, FRAMES = sampled_release.FIRST, sampled_release.FPS, sampled_release.SINGLE_FRAMES
AT = 140
"""The source frame whose phase is another one than before and after."""
SHOWN = ShownRecording(SINGLE, FIRST, FRAMES, Fraction(FIRST, FPS), Fraction(FPS), is_source=True)


def labels(at):
    spans = [(0, at, "preparation"), (at, at + 1, "cleaning-and-coagulation"), (at + 1, FIRST + FRAMES, "preparation")]
    head = {"scrubin_labels": 1, "vocabulary": "cholect50", "camera": "mono", "source_sha256": "0" * 64, "frames": FIRST + FRAMES}
    return json.dumps(head | {"phases": [{"first": first, "end": end, "label": label} for first, end, label in spans]})


def by_second(at):
    rows = [f"{second},{'cleaning-and-coagulation' if second == at else 'preparation'}\n" for second in range(16)]
    return "seconds,phase\n" + "".join(rows)


@pytest.fixture
def flips(folder, monkeypatch, capsys):
    """Write a file of labels, and return what is said of the phase that is there for one position."""
    monkeypatch.chdir(folder)

    def flips(name, text, where="labels", *, as_text=False):
        path = folder / where
        path.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
        assert cli.main(["validate", str(path), "--suspects", *([] if as_text else ["--json"])]) == 0
        out = capsys.readouterr().out
        if as_text:
            return out
        return [one for one in json.loads(out)["suspects"]["listed"] if "flip" in one["evidence"]]

    return flips


def test_a_suspect_of_source_frames_says_the_released_frame(flips):
    (found,) = flips("single.labels.json", labels(AT))
    assert (found["first"], found["page"]) == (AT, f"#{SINGLE}/{AT - FIRST}")
    assert f"; scrubin label: #{SINGLE}/{AT - FIRST}\n" in flips("single.labels.json", labels(AT), as_text=True)


def test_a_suspect_of_seconds_says_the_released_frame_of_its_time(flips):
    (found,) = flips("single.csv", by_second(7))
    assert (found["time_s"], found["page"]) == (7, f"#{SINGLE}/{7 * FPS - FIRST}")


def test_seconds_of_a_released_recording_begin_with_its_first_frame(flips):
    (found,) = flips(f"{SINGLE}.csv", by_second(7))
    assert found["page"] == f"#{SINGLE}/{7 * FPS}"


def test_labels_beside_the_study_or_of_another_recording_have_no_page(flips, folder):
    for name, where in (("single.labels.json", "../elsewhere"), ("somebody.labels.json", "others")):
        assert [one["page"] for one in flips(name, labels(AT), where)] == [""]
    review_study.change_params(folder, labelled_study.SECTION, "")
    assert [one["page"] for one in flips("single.labels.json", labels(AT))] == [""]


@pytest.mark.parametrize(
    ("first", "end", "expected"),
    [(0, 20, ""), (0, 21, "0"), (20, 30, "0"), (339, 340, "319"), (340, 350, "")],
)
def test_what_the_video_does_not_show_has_no_page(first, end, expected):
    one = Suspect("single", "phases", first, end, "a", "b", 0.5, ("flip",), "")
    assert suspect.address_on_page(one, Clock(None), SHOWN).rpartition("/")[2] == expected


def test_of_a_variable_rate_frames_have_a_page_and_times_have_none():
    one = Suspect("single", "phases", 30, 31, "a", "b", 0.5, ("flip",), "")
    variable = dataclasses.replace(SHOWN, fps=None)
    assert suspect.address_on_page(one, Clock(None), variable) == f"#{SINGLE}/10"
    assert suspect.address_on_page(one, Clock(Fraction(1)), variable) == ""
    assert suspect.address_on_page(one, Clock(None), SHOWN, first=1) == f"#{SINGLE}/9"


def test_a_frame_of_a_file_with_rounded_times_is_the_frame_that_it_is():
    fps = Fraction(30000, 1001)
    shown = ShownRecording(SINGLE, 14, FRAMES, Fraction(467, 1000), fps, is_source=True)
    assert 14 / fps > shown.offset_s
    for frame in (14, 15, 100, 300):
        one = Suspect("single", "phases", frame, frame + 1, "a", "b", 0.5, ("flip",), "")
        assert suspect.address_on_page(one, Clock(1 / fps), shown) == f"#{SINGLE}/{frame - 14}"
        by_half = Suspect("single", "phases", 2 * frame, 2 * frame + 2, "a", "b", 0.5, ("flip",), "")
        assert suspect.address_on_page(by_half, Clock(1 / fps / 2), shown) == f"#{SINGLE}/{frame - 14}"
    assert suspect.address_on_page(one, Clock(1 / fps), dataclasses.replace(shown, is_source=False)) == f"#{SINGLE}/300"
