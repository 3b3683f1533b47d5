"""What every flow shares: work mapped over recordings, a quiet Prefect, honest exit codes.

DVC decides whether a stage runs; Prefect decides how. A stage whose tasks failed fails, so
that DVC never commits an incomplete folder.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

import interrupts
import warm
from scrubin.base import private_paths
from scrubin.base.errors import PlatformError
from scrubin.curate.engine.run import require_letters
from server import HOME, QUIET, ServerError, die_with_parent, prefect_server
from state import REASONS

# At once, because importing Prefect takes seconds in which the parent may be killed.
die_with_parent()
try:
    require_letters()
except PlatformError as error:
    sys.exit(str(error))
warm.hand_over()
# Before anything is written, Prefect's own files included.
private_paths.write_privately()
private_paths.make_caches()
# Prefect looks for both when it is imported.
os.environ.update(QUIET)
HOME.mkdir(parents=True, exist_ok=True)

import httpx
from prefect import Flow, task
from prefect.cache_policies import NO_CACHE
from prefect.events.clients import NullEventsClient
from prefect.events.worker import EventsWorker
from prefect.futures import PrefectFuture, as_completed
from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
from prefect.task_runners import ThreadPoolTaskRunner

import progress
import watched
from scrubin.base import params
from scrubin.base.errors import RecordingError, ScrubinError, StageError
from scrubin.base.store import store, uses, workspaces
from scrubin.curate.engine import Piece
from scrubin.curate.engine.engines import Engine, Here, engine
from scrubin.stages.flow_params import FlowsParams

Item = TypeVar("Item")
Result = TypeVar("Result")
LOG = logging.getLogger("scrubin")
EVENTS_SECONDS = 30
RETRIES = 3
SHOWN = 10
RELEASE = "release"
"""The stage whose output others may read."""


@dataclass(frozen=True)
class Mapped(Generic[Item, Result]):
    """What came of mapping work over items, in the order of the items."""

    done: list[tuple[Item, Result]]
    quarantined: list[tuple[Item, RecordingError]]


def map_items(
    work: Callable[[Item], Result], items: Sequence[Item], *, name: str, here: bool = False, unit: str = "recording"
) -> Mapped[Item, Result]:
    """Do ``work`` for each item in Prefect's tasks, with a progress bar on a terminal, and a line a minute elsewhere.

    A ``RecordingError`` sets its item aside and the others go on. Any other error is raised
    after all items have been tried, so that everything that can be finished is finished.

    On somebody's own server each item is a task with a name. The server of the run is looked at by nobody, and a task takes longer
    than to find in the store what an earlier run has kept: there each task takes one item after the other.

    Parameters
    ----------
    work
        A function of the library, or a `functools.partial` of one: it is sent to other processes, and with a cluster to
        other machines, so the paths in it are absolute.
    items
        What it is done for.
    name
        Of the work, for the progress bar and for messages.
    here
        Do it in threads of this process: for what takes less time than being sent.
    unit
        What an item is, for the progress.

    Raises
    ------
    StageError
        Names each task that failed.
    """
    chosen, address = _Running.engine, _Running.watched
    outcomes: dict[int, Result | RecordingError] = {}
    raised: dict[int, Exception] = {}

    def attempt(number: int) -> None:
        item = items[number]
        try:
            outcomes[number] = work(item) if here else chosen.do(Piece(work, item, store.STORE_PATH.absolute(), uses.current()))
        except RecordingError as error:
            outcomes[number] = error
        except Exception as error:
            if not isinstance(error, (ScrubinError, OSError)):
                LOG.exception("%s: unexpected error with %s", name, item)
            raised[number] = error

    shares = (Here() if here else chosen).shares
    each = _each_as_a_task(attempt, watched.labels(items, name, address), name, address, outcomes, raised) if address else []
    with progress.steps(name, len(items), unit, shares) as one_more, watched.steps(name, len(items), address) as one_shown:
        for future in as_completed(each):
            future.wait()
            one_more()
            one_shown()
        if not address:
            _one_after_the_other(attempt, len(items), name, one_more)
    for number in set(range(len(items))) - outcomes.keys() - raised.keys():
        raised[number] = StageError("its task ended before it was done; run it again")
    if raised:
        failures = sorted(
            f"{watched.label(items[i], tells_names=True) or items[i]}: {type(error).__name__}: {error}" for i, error in raised.items()
        )
        shown = "\n  ".join(failures[:SHOWN])
        raise StageError(f"{len(failures)} of {len(items)} tasks of '{name}' failed; what was finished is kept:\n  {shown}")
    done, quarantined = [], []
    for i, item in enumerate(items):
        outcome = outcomes[i]
        if isinstance(outcome, RecordingError):
            quarantined.append((item, outcome))
        else:
            done.append((item, outcome))
    return Mapped(done, quarantined)


def _each_as_a_task(
    attempt: Callable[[int], None],
    labels: Sequence[str],
    name: str,
    address: str,
    outcomes: Mapping[int, Any],
    raised: Mapping[int, Exception],
) -> list[PrefectFuture[Any]]:
    """Begin with each item as a task that somebody's own server shows; what comes of it will be in one of the mappings."""

    def shown(number: int, label: str) -> Any:
        attempt(number)
        error = raised.get(number)
        if error is not None and watched.may_hear(address):
            raise error
        if error is not None:
            raise StageError(watched.HIDDEN)
        # What came of it stays here: nobody else needs it.
        return watched.set_aside(outcomes[number], address) if isinstance(outcomes[number], RecordingError) else None

    # Prefect's result cache would say "cached" for files that DVC has deleted.
    prepared = task(shown, name=name, task_run_name="{label}", cache_policy=NO_CACHE, persist_result=False)
    return list(prepared.map(list(range(len(labels))), list(labels)))


def _one_after_the_other(attempt: Callable[[int], None], count: int, name: str, one_more: Callable[[], object]) -> None:
    """Do all items in as many tasks as can be at work at a time; each takes the next one as soon as it is free."""
    numbers, guard, is_over = iter(range(count)), threading.Lock(), threading.Event()

    def lane() -> None:
        while not is_over.is_set():
            with guard:
                number = next(numbers, None)
            if number is None:
                return
            attempt(number)
            with guard:
                one_more()

    prepared = task(lane, name=name, cache_policy=NO_CACHE, persist_result=False)
    try:
        futures = [prepared.submit() for _ in range(min(_Running.engine.lanes, count))]
        for future in futures:
            future.result()
    finally:
        is_over.set()  # after Ctrl-C none begins another item


def run(flow: Flow[[], None]) -> None:
    """Run a stage as DVC's command: exit code 0 only when all of it was done."""
    _speak_plainly()
    # With the heartbeat a second goes by at the end of every flow, waiting for it.
    settings: dict[Any, Any] = {PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}
    _Running.watched = watched.given()
    if not _Running.watched:
        # A server of this machine that does not answer is gone; Prefect would ask again for minutes.
        settings[PREFECT_CLIENT_MAX_RETRIES] = RETRIES
        # Nobody can look at our own server, and for each task it would take eight events: a third of the time of a quick stage.
        EventsWorker.set_client_override(NullEventsClient)
    try:
        interrupts.end_in_order()
        # DVC's own files of a bare `dvc repro` have the modes that the user's shell gives them.
        private_paths.close(all_files=False)
        workspaces.remove_leftovers(store.STORE_PATH)
        with _engine(), prefect_server(), temporary_settings(settings):
            try:
                with uses.of_stage(flow.name, store.STORE_PATH), progress.of_stage(flow.name):
                    runner: Any = ThreadPoolTaskRunner(max_workers=_Running.engine.lanes)
                    watched.run(flow.with_options(task_runner=runner), _Running.watched)
            finally:
                # Otherwise Prefect delivers what is left when we exit, for minutes, to a server that has stopped.
                EventsWorker.drain_all(timeout=EVENTS_SECONDS)
        if flow.name == RELEASE:
            private_paths.open_release()
    except (ScrubinError, ServerError) as error:
        _stop(flow.name, str(error))
    except httpx.TransportError as error:
        _stop(flow.name, f"the Prefect server no longer answers ({error}); what was finished is kept, run again")
    except OSError as error:
        # A full disk, a read-only folder: nothing in the study is wrong, and nothing finished is lost.
        _stop(flow.name, f"{error}; fix this and run again, what was finished is kept")
    except KeyboardInterrupt:
        sys.exit(interrupts.INTERRUPTED)
    finally:
        interrupts.end_at_once()


def _stop(stage: str, why: str) -> NoReturn:
    """End the stage and say why: at once, or where a run gathers it, once at the end of that."""
    folder = os.environ.get(REASONS)
    if folder:
        with contextlib.suppress(OSError):
            (Path(folder) / stage).write_text(why, encoding="utf-8")
            sys.exit(1)
    sys.exit(f"{stage}: {why}")


class _Running:
    """Where the work of this process's flow runs, and which server of the curator's own is told of it: "" for none."""

    engine: Engine = Here()
    watched: str = ""


@contextlib.contextmanager
def _engine() -> Iterator[None]:
    _Running.engine = engine(params.load("flows", FlowsParams), Path.cwd())
    for line in getattr(_Running.engine, "notes", ()):
        LOG.info("cluster: %s", line)
    try:
        yield
    finally:
        _Running.engine.close()


def _speak_plainly() -> None:
    """Let our own sentences through as they are, without Prefect's clock."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
