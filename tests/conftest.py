"""Properties have 50 draws and are not judged by the clock, as a busy machine is slow; and what many tests ask is answered once."""

from __future__ import annotations

import gc
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
NO_TIME = "no time was left to begin it"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let files that make whole studies come first: one that began last would run alone, beside a processor that waits."""
    leave_to_slow(items)
    items.sort(key=lambda item: "small_study" not in vars(getattr(item, "module", object)))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no file for `make slow` that has no slow test: half of them, and to read them is a minute of each process."""
    if config.option.markexpr != "slow" or not collection_path.name.startswith("test_"):
        return None
    return None if re.search(r"slow|\bcases\(", collection_path.read_text(), re.IGNORECASE) else True


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Let three processes of slow tests share two processors: each waits for servers and browsers a tenth of its time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + cores // 2 if config.option.markexpr == "slow" else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin no test after the time that its run has: those left out are listed, each by its place."""
    end_s = os.environ.get("SCRUBIN_TESTS_BEGIN_UNTIL")
    if end_s and time.time() > float(end_s):
        raise pytest.skip.Exception(NO_TIME, _use_item_location=True)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Say at the end how many tests were left out for want of time: a run that passed may not have been a whole one."""
    yield
    late = [report for report in terminalreporter.stats.get("skipped", ()) if NO_TIME in str(report.longrepr)]
    if late:
        passed = len(terminalreporter.stats.get("passed", ()))
        terminalreporter.section(f"{len(late)} TESTS DID NOT BEGIN, {passed} passed", red=True)


def leave_to_slow(items: list[pytest.Item]) -> None:
    """Leave to `make test` as many cases of a test as its mark says, from its first to its last; the others are slow."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("cases"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for same in cases.values():
        number = next(same[0].iter_markers("cases")).args[0]
        quick = {step * (len(same) - 1) // max(number - 1, 1) for step in range(number)}
        for place, item in enumerate(same):
            if place not in quick:
                item.add_marker("slow")


def pytest_collection_finish() -> None:
    """Take what is imported and collected out of the collection of garbage: it stays until the end."""
    gc.collect()
    gc.freeze()
    # Tables are many small objects in no circles: most collections would find nothing.
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """Let nothing wait until the disk has it: no test cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def tables_are_read_once() -> Iterator[None]:
    """Let a table be read once, however many copies of it tests make; where no test reads one, nothing is loaded for it."""
    with pytest.MonkeyPatch.context() as patch:
        if "scrubin.base.tables.io" in sys.modules:
            import remembered_tables

            patch.setattr(remembered_tables.io, "read", remembered_tables.read)
        yield


@pytest.fixture(autouse=True)
def same_umask() -> Iterator[None]:
    """Let no test inherit the umask that a flow of another one closed."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Path]:
    """Return what copies a study that was made once, and is in the copy."""
    import made_once

    def enter(made: Path) -> Path:
        copy = made_once.copy(made, tmp_path / "study")
        monkeypatch.chdir(copy)
        return copy

    return enter


@pytest.fixture
def small_disk() -> Callable[[int], AbstractContextManager[None]]:
    """Return what lets no file become larger than so many bytes: to those who write it is a full disk."""
    import resource

    @contextmanager
    def at_most(size: int) -> Iterator[None]:
        before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))

    return at_most


@pytest.fixture
def one_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all validations have one judge, which remembers its verdicts: most tests change one table of several."""
    # Great Expectations takes seconds to import: only where something is validated.
    import remembered_verdicts
    from scrubin.stages.validate import suite

    monkeypatch.setattr(suite, "Judge", remembered_verdicts.judge)


@pytest.fixture
def own_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rules judge by themselves, as in the base install: for tests of what is read, which no rule changes."""
    from scrubin.stages.validate import suite

    monkeypatch.setattr(suite, "Judge", lambda: None)


@pytest.fixture
def agreement_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the agreement between raters be computed once for the same sheets."""
    import remembered_agreement
    from scrubin.ratings import agreement

    monkeypatch.setattr(agreement, "of_scores", remembered_agreement.of_scores)
    monkeypatch.setattr(agreement, "of_points", remembered_agreement.of_points)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser without a window."""
    import browser

    with browser.chromium() as started:
        yield started


@pytest.fixture(autouse=True)
def no_page_stays_open(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close what a test opened in the browser: pages without a server ask for it again and again, and slow all others."""
    started = request.getfixturevalue("chromium") if "chromium" in request.fixturenames else None
    yield
    for context in started.contexts if started else ():
        context.close()


@pytest.fixture(scope="session")
def study_to_review(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of a pair and a single recording, with proposals, as it waits for a review: tests take a copy."""
    import made_once
    import review_study

    return made_once.folder(tmp_path_factory, "study_to_review", review_study.project)


@pytest.fixture(scope="session")
def study_released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same study with its finished release: tests take a copy."""
    import made_once
    import sampled_release

    return made_once.folder(tmp_path_factory, "study_released", sampled_release.project)
