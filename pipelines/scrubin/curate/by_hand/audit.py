"""The audit of a finished release or one of its files, held to the project that it was made in."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scrubin.audit import run
from scrubin.audit.expected import private_strings
from scrubin.audit.expected.plan import VideoPlan, of_document
from scrubin.audit.expected.private_strings import Private
from scrubin.audit.expected.spelling import folded_words
from scrubin.audit.pictures.looks import Sampling
from scrubin.audit.pictures.shown import RULES, Pictures
from scrubin.audit.pictures.stored import Fresh, Stored
from scrubin.audit.reading import Examine, Over, Part, Reading
from scrubin.audit.run import Proof
from scrubin.base import strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import count_text
from scrubin.base.files import sha256_of
from scrubin.base.store import store
from scrubin.curate.engine import Piece
from scrubin.curate.engine.engines import Here, Processes
from scrubin.stages.flow_params import AUTO, FlowsParams
from scrubin.stages.release import audited_project, linking
from scrubin.stages.release.audited_project import Project

TEXTS_SHOWN = 10
SMALL_BYTES = 1 << 25
"""A smaller release is read before other processes have started."""
Shown = Callable[[Iterable[Reading], int], Iterable[Reading]]
"""Passes on what was read of each part, and may show how far it is; it is told how many parts there are."""


@dataclass(frozen=True)
class AuditRequest:
    """What is audited, and against what.

    Parameters
    ----------
    path
        A finished release, or one file of it.
    project
        The study's project; None: the working folder, when it is one.
    plan
        Of one video: what it must be, as a file; None: what the project says of it.
    needles
        Texts that must not occur, beside those of the project.
    sampling
        Which pictures are looked at: "every", "none" or "sampled".
    fresh
        Decode again what an earlier run has decoded.
    """

    path: Path
    project: str | None = None
    plan: Path | None = None
    needles: Sequence[str] = ()
    sampling: Sampling = "sampled"
    fresh: bool = False


def prove(asked: AuditRequest, shown: Shown) -> Proof:
    """Read everything again, and return what was found.

    Raises
    ------
    ReleaseError
        When there is nothing to read, or a plan is given for a folder, or the project is none.
    """
    path, study = asked.path, _study(asked.project)
    if not path.exists():
        raise ReleaseError(f"{path}: there is no such file or folder")
    if asked.plan and not path.is_file():
        raise ReleaseError(f"{path}: --plan is for one video; a release is held to the tables of its project")
    base = study.private if study else Private(public=folded_words([audited_project.FORMATS, private_strings.GENERIC]))
    private = private_strings.with_requested(base, asked.needles)
    pictures = Pictures(private, asked.sampling)
    if path.is_file():
        strangers.refuse_unless_plain(path)
        return run.proof_of_file(path, private, pictures, of_document(asked.plan, path.name) if asked.plan else _known(path, study))
    folder, root = path.absolute(), Path(asked.project or "").absolute() / store.STORE_PATH
    with _everywhere(folder, root, shown) as over, tempfile.TemporaryDirectory() as shared:
        if study is None:
            return run.proof_of_folder(folder, private, pictures, over, Path(shared))
        examine: Examine = Fresh(folder, pictures.sampling) if asked.fresh else Stored(folder, root, pictures.sampling)
        return audited_project.proof_of_release(folder, study, private, pictures, examine, over, Path(shared))


def _study(folder: str | None) -> Project | None:
    """Return the project that is named, or that the working folder is."""
    if folder is None:
        return audited_project.load() if audited_project.is_project(Path()) else None
    if not audited_project.is_project(Path(folder)):
        msg = f"{folder}: this is no project: it has no params.yaml, or no data/interim/recordings.parquet; run 'make repro' there"
        raise ReleaseError(msg)
    return audited_project.load(Path(folder))


def _known(path: Path, study: Project | None) -> VideoPlan | None:
    """Return what a file must be when its bytes are those of a video of the project."""
    if study is None:
        return None
    sha256 = sha256_of(path)
    return next((replace(video, path=path.name, stills=()) for video in study.plan.videos if video.sha256 == sha256), None)


@contextmanager
def _everywhere(folder: Path, root: Path, shown: Shown) -> Iterator[Over]:
    """Read parts of a release in as many processes as cores and memory allow; Python's own search would hold threads up."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    count = FlowsParams(AUTO, None, None).worker_count() if size > SMALL_BYTES else 1
    engine: Processes | Here = Processes(count) if count > 1 else Here()
    threads = ThreadPoolExecutor(engine.lanes)

    def over(work: Callable[[Part], Reading], parts: Sequence[Part]) -> Iterator[Reading]:
        # What this process reads itself it reads in its main thread, which Ctrl-C and the system can end.
        each = threads.map if count > 1 else map
        yield from shown(each(lambda part: engine.do(Piece(work, part, root, None)), parts), len(parts))

    try:
        yield over
    except BaseException:
        engine.halt()  # else the threads wait for parts that nobody wants
        raise
    finally:
        threads.shutdown(cancel_futures=True)
        engine.close()


def table(path: str, result: Proof) -> str:
    """Return what was read, looked at and found, for people."""
    rows: list[tuple[str, Any, Any]] = [(file_type, count, size) for file_type, (count, size) in result.files.items()]
    rows.append(("all", sum(count for _, count, _ in rows), sum(size for _, _, size in rows)))
    lines = [path, "", f"{'read':<26}{'files':>9}{'bytes':>18}"]
    lines += [f"{file_type:<26}{count:>9,}{size:>18,}" for file_type, count, size in rows]
    lines += ["", f"{'frames decoded':<26}{result.frames:>9,}", f"{'extracted frames compared':<26}{result.compared:>9,}"]
    lines += [f"{'private strings searched':<26}{result.needles:>9,}", ""]
    lines += _pictures(result.pictures)
    lines += [f"NOT checked - {what}" for what in result.unchecked] + [""] * bool(result.unchecked)
    lines += [*_linkable(result.linkable), ""] if result.linkable else []
    of_cause = run.by_cause(result.findings)
    lines += [f"{number}. {line}" for number, line in enumerate(run.lines_of_causes(of_cause), start=1)]
    state = f"{run.count_of_causes(of_cause)}: it may not be released"
    return "\n".join([*lines, state if result.findings else "clean: no finding" + " in what was checked" * bool(result.unchecked), ""])


def _pictures(pictures: Pictures) -> list[str]:
    """Return what was looked at, and the first texts that are no finding."""
    if pictures.sampling == "none":
        return []
    texts = pictures.judge.texts()
    shown = [f"  text read: {text}" for text in texts[:TEXTS_SHOWN]]
    more = [f"  ... and {count_text(len(texts) - TEXTS_SHOWN, 'more text')}, all of them with --json"] if len(texts) > TEXTS_SHOWN else []
    return [f"pictures: {pictures.sentence()}", f"  looked at: {RULES[pictures.sampling]}", *shown, *more, ""]


def _linkable(note: Any) -> list[str]:
    windows = sorted({window for task in note["tasks"].values() for window in task["smallest_group_within_s"]}, key=float)
    head = f"{'re-identification by length':<28}{'recordings':>11}{'unique':>8}" + "".join(
        f"{'+-' + window + ' s':>10}" for window in windows
    )
    lines = [head + f"{'in a log':>10}"]
    for name, task in note["tasks"].items():
        groups = "".join(f"{task['smallest_group_within_s'][window]:>10}" for window in windows)
        lines.append(f"{name:<28}{task['recordings']:>11}{task['unique_to_the_frame']:>8}{groups}{task['smallest_group_in_a_log']:>10}")
    return [*lines, f"(smallest groups; a note, no finding) {linking.sentence(note)}"]
