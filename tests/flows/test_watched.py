"""Somebody's own Prefect server shows stages and recordings; one that is elsewhere hears no names."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from types import SimpleNamespace

import plumbing

import httpx
import pytest
from prefect import flow

import watched
from scrubin.base.errors import RecordingError, StageError

HERE, ELSEWHERE = "http://127.0.0.1:4200/api", "https://prefect.example.org/api"
NAME = "2023-03-06_Brenner_Juliane_PegTransfer_T1"


@dataclass(frozen=True)
class Raw:
    recording: str
    camera: str


@dataclass(frozen=True)
class Listed:
    rows: tuple[Raw, ...]


@dataclass(frozen=True)
class Released:
    id: str
    camera: str


ITEMS = [Raw(NAME, "left"), Listed((Raw(NAME, "right"),)), Released("zaiteup", "left"), "videos/Brenner.mkv"]


class Bars:
    """What was told to a server."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def create(self, progress: float, key: str, description: str) -> str:
        self.said.append(f"{key} {progress:.0f} {description}")
        return key

    def update(self, artifact_id: str, progress: float, description: str) -> None:
        self.create(progress, artifact_id, description)

    def link(self, link: str, text: str, key: str, description: str) -> None:
        self.said.append(f"{key} {link} {description}")


@pytest.fixture
def bars(monkeypatch):
    told = Bars()
    monkeypatch.setattr(watched, "create_progress_artifact", told.create)
    monkeypatch.setattr(watched, "update_progress_artifact", told.update)
    monkeypatch.setattr(watched, "create_link_artifact", told.link)
    return told


def test_a_server_of_this_machine_shows_recordings_by_name():
    assert watched.labels(ITEMS, "screen", HERE) == [f"{NAME} left", f"{NAME} right", "zaiteup left", "screen 4 of 4"]


def test_a_server_elsewhere_hears_numbers_and_released_ids():
    assert watched.labels(ITEMS, "screen", ELSEWHERE) == ["screen 1 of 4", "screen 2 of 4", "zaiteup left", "screen 4 of 4"]


@pytest.mark.parametrize(
    ("address", "is_told"), [(HERE, True), ("http://[::1]:4200/api", True), (ELSEWHERE, False), ("http://10.0.0.7:4200/api", False)]
)
def test_why_a_recording_is_set_aside_is_told_on_this_machine_only(address, is_told):
    state = watched.set_aside(RecordingError(f"videos/{NAME}.mkv", "the file is empty", "copy it again"), address)
    assert state.is_completed()
    assert state.name == watched.SET_ASIDE
    assert (NAME in state.message) == is_told


def test_a_bar_begins_at_nothing_and_ends_where_the_work_did(bars, monkeypatch):
    with watched.steps("screen", 3, HERE) as one_more:
        one_more()
        assert bars.said == ["progress-screen 0 screen: 0 of 3"], "no step before two seconds are over"
        monkeypatch.setattr(watched, "EVERY_S", 0.0)
        one_more()
    assert bars.said[1:] == ["progress-screen 67 screen: 2 of 3"] * 2


def test_without_a_server_of_ones_own_nothing_is_told(bars, monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    assert watched.given() == ""
    with watched.steps("screen", 3, "") as one_more:
        one_more()
    assert bars.said == []
    assert watched.labels(ITEMS, "screen", "") == [""] * 4


def started(work, *, name: str = "report"):
    """A stage of which only this process knows; nothing of Prefect runs."""

    class Stage:
        fn = staticmethod(work)

        def __init__(self) -> None:
            self.name = name

        def with_options(self, **_: str) -> Stage:
            return self

        def __call__(self) -> None:
            try:
                self.fn()
            except Exception as error:
                heard.append(str(error))
                raise

    heard: list[str] = []
    return Stage(), heard


def test_a_stage_ends_with_what_happened_and_a_server_elsewhere_or_of_the_run_hears_only_that_it_did(bars):
    def work() -> None:
        raise StageError(NAME)

    for address, told in ((HERE, NAME), (ELSEWHERE, watched.HIDDEN), ("", watched.HIDDEN)):
        stage, heard = started(work)
        with pytest.raises(StageError, match=NAME):
            watched.run(stage, address)
        assert heard == [told]


def test_a_page_is_linked_with_its_place_on_this_machine_only(bars, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports/index.html").write_text("")
    for address, link in ((HERE, (tmp_path / "reports/index.html").resolve().as_uri()), (ELSEWHERE, "reports/index.html")):
        bars.said.clear()
        watched.run(started(lambda: None)[0], address)
        assert bars.said == [f"page-report {link} On the machine of the run: {link}"]
    watched.run(started(lambda: None, name="screen")[0], HERE)
    assert len(bars.said) == 1, "screen writes no page"


class Stopped(Exception):
    """Nothing of Prefect runs."""


def prepared(monkeypatch, address: str, work) -> tuple:
    """What Prefect is given to run for each item, with its options."""
    given = []

    class Task:
        def map(self, *_: list) -> None:
            raise Stopped

        submit = map

    monkeypatch.setattr(plumbing._Running, "watched", address)
    monkeypatch.setattr(plumbing, "task", lambda function, **options: given.append((function, options)) or Task())
    with pytest.raises(Stopped):
        plumbing.map_items(work, ITEMS, name="look", here=True)
    return given[0]


def failing(item: object) -> None:
    raise StageError(NAME)


@pytest.mark.parametrize(("address", "told"), [(HERE, NAME), (ELSEWHERE, watched.HIDDEN)])
def test_why_the_work_on_a_recording_failed_is_told_to_ones_own_server_of_this_machine_only(monkeypatch, address, told):
    shown, options = prepared(monkeypatch, address, failing)
    with pytest.raises(StageError) as raised:
        shown(0, "")
    assert str(raised.value) == told
    assert options["task_run_name"] == "{label}"


def test_the_server_of_the_run_hears_of_no_single_recording(monkeypatch):
    lane, options = prepared(monkeypatch, "", failing)
    assert lane() is None
    assert "task_run_name" not in options


def test_after_an_interruption_no_further_recording_is_begun(monkeypatch):
    begun, lanes = [], []

    class Future:
        def result(self) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(plumbing._Running, "watched", "")
    monkeypatch.setattr(plumbing, "task", lambda function, **_: SimpleNamespace(submit=lambda: lanes.append(function) or Future()))
    with pytest.raises(KeyboardInterrupt):
        plumbing.map_items(begun.append, ITEMS, name="look", here=True)
    for lane in lanes:
        lane()
    assert lanes
    assert begun == []


@pytest.mark.slow
def test_the_notes_of_the_runs_own_server_hold_no_word_of_what_went_wrong(prefect_address):
    mine = f"look {uuid.uuid4()}"  # notes of earlier tests stay

    def look() -> None:
        plumbing.map_items(failing, ITEMS, name="look", here=True)

    def fall() -> None:
        raise ValueError(NAME)

    for work in (look, fall):
        with pytest.raises((StageError, ValueError), match=NAME):
            watched.run(flow(name=mine)(work), "")
    asked = {"flows": {"name": {"any_": [mine]}}}
    ended = [one for kind in ("flow", "task") for one in httpx.post(f"{prefect_address}/{kind}_runs/filter", json=asked).json()]
    flows = [one for one in ended if one["state_type"] == "FAILED"]
    assert len(flows) == 2
    assert all(watched.HIDDEN in one["state"]["message"] for one in flows)
    assert "Brenner" not in json.dumps(ended)


@pytest.mark.slow
@pytest.mark.parametrize("address", ["", HERE, ELSEWHERE])
def test_the_run_itself_learns_all_whatever_a_server_is_told(prefect_address, monkeypatch, address):
    def work(item: Raw) -> str:
        if item.camera == "aside":
            raise RecordingError(NAME, "the file is empty", "copy it again")
        return item.recording if item.camera == "left" else failing(item)

    def done(*cameras: str) -> plumbing.Mapped:
        mapped = []
        flow(name="look")(lambda: mapped.append(plumbing.map_items(work, [Raw(NAME, one) for one in cameras], name="look", here=True)))()
        return mapped[0]

    monkeypatch.setattr(plumbing._Running, "watched", address)
    mapped = done("left", "aside")
    assert [result for _, result in mapped.done] == [NAME]
    assert [item.camera for item, error in mapped.quarantined if NAME in str(error)] == ["aside"]
    with pytest.raises(StageError, match=NAME):
        done("left", "right")
