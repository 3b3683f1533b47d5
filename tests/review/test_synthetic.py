"""Who stands in for people in the synthetic study decides about what is proposed before what follows from it."""

from __future__ import annotations

from pathlib import Path

import pytest

import review_study
from scrubin.stages.review import LEDGER_PATH, Ledger, result, study, synthetic_decisions


@pytest.mark.parametrize("camera", ["left", "right"])
def test_a_false_face_of_one_camera_hides_nothing_of_the_other(folder, monkeypatch, camera):
    review_study.propose(folder, [{**review_study.proposal("pair", camera, 20, 29), "source": "face", "faces": 1}])
    monkeypatch.chdir(folder)
    of = study.load(1, 0.2, Path("data/raw"))
    synthetic_decisions.write(LEDGER_PATH, Path("data/raw"), of)
    lines = Ledger(LEDGER_PATH).lines()
    decided = [(line.facts["camera"], line.facts["spans"][0]["what"]) for line in lines if line.event == "decided"]
    assert decided == [(camera, "reject")]
    assert all(b"2000-01-01" in line for line in LEDGER_PATH.read_bytes().splitlines())  # the same bytes on any day


def test_what_the_synthetic_study_brought_along_says_nothing_of_a_study_of_ones_own(folder, monkeypatch):
    """The first run is of the synthetic study; then `raw` is set to one's own, of which nobody needs to see anything."""
    monkeypatch.chdir(folder)
    raw = Path("data/raw")
    of = study.load(1, 0.2, raw)
    synthetic_decisions.write(LEDGER_PATH, raw, of)
    lines = Ledger(LEDGER_PATH).lines()
    standing = of.standing()
    standing.apply(lines)
    assert not result.document(of, standing, lines, raw)["synthetic"]
    synthetic_decisions.begin(LEDGER_PATH, raw)
    assert Ledger(LEDGER_PATH).lines() == []
    ledger = Ledger(LEDGER_PATH)
    ledger.append("acknowledged", {"subject": "warning", "key": "x", "why": "w", "until": None}, by="ann", session="s")
    synthetic_decisions.begin(LEDGER_PATH, raw)
    assert len(Ledger(LEDGER_PATH).lines()) == 1
