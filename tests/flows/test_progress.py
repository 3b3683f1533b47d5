"""Without a terminal a stage says once a minute how far it is."""

from __future__ import annotations

import logging
import time

import pytest

import progress


@pytest.fixture
def said(monkeypatch, caplog):
    monkeypatch.setattr(progress, "EVERY_S", 0.05)
    caplog.set_level(logging.INFO, "scrubin")
    monkeypatch.setattr(progress.LOG, "propagate", True)
    return lambda: [record.getMessage() for record in caplog.records]


def test_done_rate_and_time_left_are_said(said):
    with progress.steps("screen", 4) as one_more:
        one_more()
        time.sleep(0.3)
    assert said()
    assert said()[0].startswith("screen: 1 of 4 recordings done, ")
    assert "left" in said()[0]
    before = len(said())
    time.sleep(0.15)
    assert len(said()) == before, "silent when it is over"


def test_a_stage_that_has_no_recordings_says_that_it_is_at_work(said):
    with progress.of_stage("splits"):
        time.sleep(0.2)
        with progress.steps("inner", 2):
            time.sleep(0.2)
    assert "splits: at work for 1 min" in said()
    inner = [line.startswith("inner: 0 of 2") for line in said()]
    assert any(inner)
    first, behind = inner.index(True), len(inner) - inner[::-1].index(True)
    assert all(inner[first:behind]), "one speaks at a time"
