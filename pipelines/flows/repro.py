"""Run the whole pipeline: `dvc repro` with one Prefect server for all stages.

A bare `dvc repro` does the same; there each stage starts a server of its own, and a refused
release may leave other stages undone. The server starts when there is work.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

import interrupts
import warm
from scrubin.base import private_paths
from scrubin.base.errors import ReleaseError, ReviewError, ScrubinError
from scrubin.base.layout import DEMO, PRIVATE, RELEASE, REVIEW_PATH, UNRELEASED
from scrubin.base.store.store import STORE_PATH
from scrubin.curate.engine.run import only_run, require_letters, time_text
from scrubin.curate.project import outputs
from scrubin.curate.project.outputs import LOCK
from scrubin.curate.project.room import prune_store, share_with_cache
from scrubin.stages import recordings_list, withdrawals
from scrubin.stages.review import Ledger
from scrubin.stages.withdrawals import releases
from server import QUIET, die_with_parent, run_with_server
from state import local_state

if TYPE_CHECKING:
    from scrubin.stages.release.release_params import ReleaseParams

GIGABYTE = 10**9
FIRST = "the synthetic study is made, and from it a release: usually about 4 minutes on two cores, longer where others are at work\n"
SECONDS_BELOW_S = 100
NOT_NAMED = f"{LOCK}: it names no release any more, so 'dvc push' sends none, until a run has released again\n"
LISTED = (
    f"{{}}: it lists somebody whom no run has left out yet: {RELEASE} still holds them if they were released, and a run leaves them out "
    f"then only when 'release.version' in params.yaml is raised by a major step\n"
)
BACK = (
    f"{LOCK}: the release that it names, or {RELEASE} where DVC's cache has no list of that, holds somebody of whom "
    f"{PRIVATE / 'withdrawn.json'} remembers that they withdrew; if another clone made it, that one has to know\n"
)
GONE_FOR_GOOD = (
    f"if {{}} is gone for good, and nobody withdrew since that release, 'git checkout HEAD {LOCK}' names it again as it was committed, "
    "until the next run\n"
)
WITHOUT_THEM = (
    f"the release of the last commit holds nobody of them: to go back to it, 'git checkout HEAD {LOCK}', then "
    f"'dvc pull --force {RELEASE}', before the next run\n"
)
RELEASED = PRIVATE / "released.json"
SHOWN_DAMAGED = 10
NOTES = Path(".cache/stopped.json")
"""Which stages failed and why, as `quiet_dvc` notes it."""


def main() -> int:
    """Return the exit code of DVC; arguments are passed on to `dvc repro`."""
    begin = time.monotonic()
    die_with_parent()
    try:
        if not LOCK.is_file():  # then nobody can be sent, and a run that is refused writes nothing
            require_letters()
        private_paths.write_privately()
        private_paths.make_caches()
        interrupts.end_in_order()
        with only_run(), _withholding():
            require_letters()
            # Only now, because they take a second, and a refusal should not.
            from scrubin.base import params
            from scrubin.base.store import renewal
            from scrubin.curate.lists import empty_study
            from scrubin.curate.preflight.preflight import look
            from scrubin.stages.flow_params import FlowsParams
            from scrubin.stages.release import other_clones, release_folder
            from scrubin.stages.release.release_params import ReleaseParams

            private_paths.close(all_files=True)
            release_folder.keep_what_waits()
            for folder in (UNRELEASED, RELEASE):
                renewal.remove_dead_links(folder)
            # A refused run starts nothing, and the next pull replaces what lies there.
            other_clones.keep_pulled()
            found = look(with_demo=False)
            sys.stderr.write("".join(f"{line}\n" for line in found.lines()))
            if found.errors:
                _withhold_waiting()
                sys.stderr.write(f"nothing was started: {found.sentence()}; put that right, then run `make repro` again\n")
                return 2
            for path in empty_study.complete(params.raw_folder()):
                sys.stderr.write(f"{path}: it was missing and is empty now\n")
            os.environ.update(QUIET | local_state())
            if outputs.set_torn_lock_aside(LOCK):
                sys.stderr.write(f"{LOCK}: a killed run left it unfinished; it is {outputs.ASIDE} now, and what was done is looked up\n")
            was_named = releases.names_release()
            _take_late_decisions()
            NOTES.unlink(missing_ok=True)
            if params.raw_folder() == DEMO and not DEMO.exists():
                sys.stderr.write(FIRST)
            command = [sys.executable, Path(__file__).with_name("quiet_dvc.py"), "repro", "--keep-going", *sys.argv[1:]]
            last_release = _last_release()
            try:
                code = run_with_server(command, warm.started())
            finally:
                _say_what_is_named(was_named)
            notes = json.loads(NOTES.read_text(encoding="utf-8")) if NOTES.is_file() else None
            # Also after a run that ended well: somebody may be listed while it works.
            _withhold_waiting()
            # What DVC puts back into its place has the modes of everything else that it writes here.
            private_paths.open_release()
            _share()
            is_sound = _fix_times(last_release)
            if code == 0:
                _keep_to_budget(params.load("flows", FlowsParams).store_gb)
            if code == 0 or notes is not None:
                _close(notes, params.load("release", ReleaseParams))
            sys.stderr.write(f"{'done' if code == 0 else 'stopped'} after {_time_text(time.monotonic() - begin)}\n")
            if code < 0:
                sys.stderr.write("DVC was killed; run `make repro` again to go on, what was finished is kept\n")
            return 0 if code == 0 and is_sound else 1  # DVC's 255 tells nothing
    except ScrubinError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; run `make repro` again to go on, what was finished is kept\n")
        return interrupts.INTERRUPTED
    finally:
        interrupts.end_at_once()


def _time_text(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < SECONDS_BELOW_S else time_text(seconds)


@contextlib.contextmanager
def _withholding() -> Iterator[None]:
    """Withhold who waits before anything else, as a run that is killed cannot; where it breaks off, also who was listed meanwhile."""
    try:
        # An unfinished lock, by which nothing is sent, is set aside below; what cannot be read otherwise is said then.
        _withhold_waiting(is_known=lambda error: isinstance(error, ReleaseError))
        yield
    except BaseException as broken_off:
        said = str(broken_off)
        _withhold_waiting(is_known=lambda error: str(error) == said)
        raise


def _withhold_waiting(*, is_known: Callable[[Exception], bool] = lambda _: False) -> None:
    """Let `dvc push` send nothing where `dvc.lock` names a release with somebody who withdrew: whom no run has left out yet, or earlier.

    Who waits is listed: the study that parameters name and that of the release are asked, each by itself. Who withdrew earlier is
    remembered: the release itself is asked. Where one cannot tell, nothing is sent either, and no file goes but of those of whom another
    tells: the next run may be able to tell.

    Parameters
    ----------
    is_known
        Whether an error is said elsewhere.
    """
    from scrubin.audit.expected import withdrawal_memory
    from scrubin.base import params
    from scrubin.curate.project import copies, strange_lock
    from scrubin.stages.withdrawals import notice

    studies, stated, gone = list[Path](), set[Path | None](), list[Path]()
    waiting, back, unknown = dict[Path, frozenset[str]](), list[frozenset[str]](), list[str]()
    remembered, named = withdrawal_memory.Memory(), None
    with _noted(unknown):
        studies.append(params.raw_of())
    with _noted(unknown), contextlib.suppress(ReleaseError):
        stated = strange_lock.studies()
    studies += sorted(raw for raw in stated if raw is not None and raw not in (DEMO, *studies))
    for raw in studies:
        with _noted(unknown):
            if not str(raw).isascii():  # it would be taken for missing
                require_letters()
            if not any((raw / name).exists() for name in (recordings_list.NAME, withdrawals.NAME)):
                gone.append(raw)
            elif (staying := notice.staying_at_news(raw)) is not None:
                waiting[raw] = staying
    with _noted(unknown):
        remembered = withdrawal_memory.load()
        back += [notice.staying(remembered, studies)] if outputs.release_holds(Path(), remembered) else []
    to_restore = ""
    with contextlib.suppress(ReleaseError):
        named = outputs.stated_md5(Path(), RELEASE)
    with _noted(unknown):
        if missed := _missed(gone, studies, stated):
            # Of another commit nobody can say whom it holds.
            is_told = bool(named) and not (waiting or back or unknown) and copies.committed_release(Path(), "HEAD") == named
            to_restore = GONE_FOR_GOOD.format(missed[-1]) if is_told else ""
            unknown += [f"{raw}: there is no {recordings_list.NAME} in it" for raw in missed]
    if not (waiting or back or unknown):
        return
    if back and not (waiting or unknown):
        listed = outputs.listed(Path(), copies.committed_release(Path(), "HEAD") or "")
        to_restore = WITHOUT_THEM if listed and not outputs.hold(listed, remembered) else ""
    of = next((raw for raw in (*waiting, *studies[1:], *studies) if raw != DEMO), Path())
    strange = strange_lock.look(of)
    was_named = False
    # Before all else, as files may not be to be removed.
    with _said(is_known):
        if releases.withhold():
            who = "".join([*(LISTED.format(raw / withdrawals.NAME) for raw in waiting), *(BACK for _ in back)])
            why = f"who waits to be left out cannot be told ({'; '.join(dict.fromkeys(unknown))})\n" if unknown else ""
            to_look_at = f"to look at: {strange_lock.fault(strange, of).line()}\n" if strange else ""
            sys.stderr.write(f"{who}{why}{NOT_NAMED}{to_restore}{to_look_at}")
            was_named = True
    # A lock that cannot be read now may be put back as it was.
    with _said(is_known):
        if waiting or back:
            staying = frozenset.intersection(*waiting.values(), *back)
            elsewhere = outputs.forget_releases(Path(), staying, None if waiting else remembered)
            sys.stderr.write(f"{elsewhere}\n" if elsewhere and was_named else "")


@contextlib.contextmanager
def _noted(unknown: list[str]) -> Iterator[None]:
    """Note what fails, whatever it is: nobody can tell then who waits."""
    try:
        yield
    except Exception as error:
        unknown.append(f"{type(error).__name__}: {error}")


@contextlib.contextmanager
def _said(is_known: Callable[[Exception], bool]) -> Iterator[None]:
    """Say what fails and go on: why the run was refused is told as well."""
    try:
        yield
    except (ScrubinError, OSError, ValueError) as error:
        sys.stderr.write("" if is_known(error) else f"{error}\n")


def _missed(gone: Sequence[Path], studies: Sequence[Path], stated: Set[Path | None]) -> list[Path]:
    """Return those of the studies that are not there which may know more: what lies on a disk that is missing now may list somebody.

    The synthetic study is made anew, and nobody can leave it. Otherwise it is enough that one study answers, as after a typo, or where all
    was moved; and in a clone in which there was never one, nobody was listed.
    """
    from scrubin.audit.expected import withdrawal_memory

    if stated == {DEMO}:
        return []
    is_open = {*studies} <= {*gone, DEMO} and (withdrawal_memory.PATH.exists() or RELEASED.exists())
    return [raw for raw in gone if raw != DEMO and (is_open or raw.is_symlink() or (raw == studies[0] and raw.is_dir()))]


def _say_what_is_named(was_named: bool) -> None:
    """Say that there is no release where there was one: DVC took it out of the lock when it ran a stage before it."""
    with contextlib.suppress(ReleaseError):  # a killed DVC may have torn it: the next run says so, and sets it aside
        if was_named and not releases.names_release():
            sys.stderr.write(NOT_NAMED)


def _close(notes: Mapping[str, Any] | None, release: ReleaseParams) -> None:
    """Say what the run came to."""
    from scrubin.curate.project import closing

    said = [] if notes is None else closing.stopped(notes["failed"], notes["waiting"], notes["stages"])
    with contextlib.suppress(ScrubinError, OSError, ValueError, KeyError):  # a run of single stages: not all that is counted is there
        failed, waiting = ((), ()) if notes is None else (notes["failed"], notes["waiting"])
        said += closing.lines(failed, release, is_named=releases.names_release(), waiting=waiting)
    sys.stderr.write("".join(f"{line}\n" for line in ("", *said) if said))


def _share() -> None:
    """Give up what the store holds and DVC's cache holds as well; a full disk must not spoil a run that is done."""
    try:
        share_with_cache(Path())
    except OSError as error:
        sys.stderr.write(f"store: it keeps what DVC's cache holds as well ({error}); 'scrubin store --prune' tries again\n")


def _last_release() -> tuple[int, int] | None:
    """Return by what it is known that the stage `release` has written what it keeps of its last release."""
    try:
        state = RELEASED.stat()
    except OSError:
        return None
    return state.st_ino, state.st_mtime_ns


def _fix_times(before: tuple[int, int] | None) -> bool:
    """Take the time of the run off the released files: DVC makes some of them anew when it notes them; return whether all are sound.

    Parameters
    ----------
    before
        What `_last_release` said before the run.
    """
    from scrubin.stages.release import added_files

    try:
        damaged = added_files.fix_times_again(RELEASE, made_now=_last_release() != before)
    except OSError as error:
        sys.stderr.write(f"{RELEASE}: its files keep the time of this run ({error})\n")
        return True
    for name in damaged[:SHOWN_DAMAGED]:
        sys.stderr.write(f"{RELEASE / name}: its bytes are not those of SHA256SUMS: the copy was damaged, perhaps before it was pulled\n")
    if damaged:
        more = f"{len(damaged):,} files of the release are damaged" if len(damaged) > 1 else "a file of the release is damaged"
        mend = "'.venv/bin/scrubin verify --fix' restores what is sound elsewhere in this project, then run `make repro` again"
        sys.stderr.write(f"{more}: {mend}\n")
    return not damaged


def _keep_to_budget(store_gb: float | None) -> None:
    """Remove the oldest results that no output uses, where they take more than they may."""
    if store_gb is None:
        return
    gone = prune_store(STORE_PATH, int(store_gb * GIGABYTE))
    if gone:
        size_gb = sum(one.size for one in gone) / GIGABYTE
        sys.stderr.write(f"store: {len(gone)} results that nothing uses any more were removed, {size_gb:.2f} GB\n")


def _take_late_decisions() -> None:
    """Let the stage review run again when somebody decided in the moment in which DVC noted that it was done."""
    try:
        known = json.loads(REVIEW_PATH.read_text(encoding="utf-8"))["head"]
    except (OSError, ValueError, KeyError):
        return
    ledger = Ledger()
    try:
        ledger.lines()
    except ReviewError:
        return  # the stage decisions says where the chain is broken
    if ledger.head != known:
        REVIEW_PATH.unlink()


if __name__ == "__main__":
    sys.exit(main())
