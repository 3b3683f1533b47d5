"""Without a terminal a stage says once a minute how far it is."""

from __future__ import annotations

import json
import logging
import sys
import threading

import pytest

import progress


class Minutes(progress.Clock):
    """A clock that stands still until a test moves it on; who waits for it has spoken when that returns."""

    def __init__(self) -> None:
        self.seconds, self.due = 0.0, {}
        self.moved = threading.Condition()

    def now_s(self) -> float:
        return self.seconds

    def is_over(self, end: threading.Event, seconds: float) -> bool:
        me = threading.get_ident()
        with self.moved:
            self.due[me] = self.seconds + seconds
            self.moved.notify_all()
            while self.seconds < self.due[me] and not end.is_set():
                self.moved.wait(0.01)
            if end.is_set():
                del self.due[me]
            return end.is_set()

    def go_on(self, seconds: float, waiting: int) -> None:
        """Go on by so many seconds, a minute at a time, when so many threads wait for it."""
        last = self.seconds + seconds
        while self.seconds < last:
            with self.moved:
                assert self.moved.wait_for(lambda: len(self.due) == waiting and min(self.due.values()) > self.seconds, 20)
                self.seconds = min(last, self.seconds + 60)
                self.moved.notify_all()
        with self.moved:
            assert self.moved.wait_for(lambda: min(self.due.values()) > self.seconds, 20)


@pytest.fixture
def clock(monkeypatch, tmp_path) -> Minutes:
    monkeypatch.chdir(tmp_path)
    clock = Minutes()
    monkeypatch.setattr(progress, "CLOCK", clock)
    return clock


@pytest.fixture
def said(monkeypatch, caplog):
    caplog.set_level(logging.INFO, "scrubin")
    monkeypatch.setattr(progress.LOG, "propagate", True)
    return lambda: [record.getMessage() for record in caplog.records]


def test_done_rate_and_time_left_are_said_once_a_minute_until_it_is_over(clock, said):
    with progress.steps("screen", 4, shares=dict) as one_more:
        assert said() == []
        clock.go_on(60, 1)
        one_more()
        clock.go_on(60, 1)
        one_more()
        one_more()
        clock.go_on(60, 1)
    clock.seconds += 600
    assert said() == [
        "screen: 0 of 4 recordings done after 1 min",
        "screen: 1 of 4 recordings done, 0.5 a minute, about 6 min left",
        "screen: 3 of 4 recordings done, 1.0 a minute, about 1 min left",
    ]


def test_what_is_being_read_elsewhere_gives_a_rate_before_anything_is_done(clock, said):
    with progress.steps("screen", 2, shares=lambda: {"long.mkv": 0.25}):
        clock.go_on(60, 1)
    assert said() == ["screen: 0 of 2 recordings done, 0.2 a minute, about 7 min left; reading long.mkv (25 %)"]


def test_a_loop_is_said_too(clock, said):
    done: list[str] = []
    for name in progress.over("archives", ("a", "b", "c"), "archive"):
        done.append(name)
        clock.go_on(60, 1)
    assert done == ["a", "b", "c"]
    assert said()[-1] == "archives: 2 of 3 archives done, 0.7 a minute, about 2 min left"


def test_a_stage_without_steps_says_that_it_is_at_work_and_how_long_it_took_the_last_time(clock, said):
    for _ in range(2):
        with progress.of_stage("report"):
            clock.go_on(180, 1)
    assert said()[2:4] == ["report: at work for 3 min", "report: at work for 1 min, the last time it took 3 min"]
    assert json.loads(progress.LAST.read_text()) == {"report": 180.0}


@pytest.mark.parametrize("note", ["", "[]", "{", '{"report": "soon"}'])
def test_a_note_of_the_last_time_that_nobody_can_read_says_nothing(clock, said, note):
    progress.LAST.parent.mkdir()
    progress.LAST.write_text(note)
    with progress.of_stage("report"):
        clock.go_on(60, 1)
    assert said() == ["report: at work for 1 min"]


def test_a_stage_that_failed_notes_nothing(clock):
    def fail() -> None:
        with progress.of_stage("report"):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not progress.LAST.exists()


def test_one_speaks_at_a_time(clock, said):
    with progress.of_stage("splits"):
        clock.go_on(60, 1)
        with progress.steps("splits", 2, "scheme", dict):
            clock.go_on(60, 2)
        clock.go_on(60, 1)
    assert [line.partition(":")[2] for line in said()] == [" at work for 1 min", " 0 of 2 schemes done after 1 min", " at work for 3 min"]


class Bar:
    """A bar that notes how it was made and what stood beside it."""

    def __init__(self, **how: object) -> None:
        self.how, self.beside, self.done = how, [], 0

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self) -> None:
        self.done += 1

    def set_postfix_str(self, text: str) -> None:
        self.beside.append(text)


@pytest.fixture
def bars(monkeypatch) -> list[Bar]:
    made: list[Bar] = []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress, "tqdm", lambda **how: made.append(Bar(**how)) or made[-1])
    return made


def test_on_a_terminal_there_is_a_bar_and_no_line_and_beside_it_what_is_being_read_wherever_that_is(clock, said, bars):
    with progress.of_stage("screen"), progress.steps("screen", 1, shares=lambda: {"long.mkv": 0.25}) as one_more:
        clock.go_on(60, 2)
        one_more()
    (bar,) = bars
    assert bar.how == {"total": 1, "desc": "screen", "unit": "recording"}
    assert bar.beside == ["reading long.mkv (25 %)"]
    assert bar.done == 1
    assert said() == []


def test_a_stage_without_steps_says_on_a_terminal_too_that_it_is_at_work(clock, said, bars):
    with progress.of_stage("report"):
        clock.go_on(60, 1)
    assert said() == ["report: at work for 1 min"]
    assert bars == []
