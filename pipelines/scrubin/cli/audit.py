"""`scrubin audit PATH`: prove that nothing private is in a finished release, or in one video."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubin.base import strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import count_text
from scrubin.base.files import sha256_of
from scrubin.base.store import store
from scrubin.cli.answers import print_json
from scrubin.stages.flow_params import AUTO, FlowsParams

if TYPE_CHECKING:
    from scrubin.audit.expected.plan import VideoPlan
    from scrubin.audit.pictures.shown import Pictures
    from scrubin.audit.proof import Proof
    from scrubin.audit.reading import Examine, Over, Part, Reading
    from scrubin.curate.engine.engines import Engine
    from scrubin.stages.release.audited_project import Project

TEXTS_SHOWN = 10
SMALL_BYTES = 1 << 25
"""A smaller release is read before other processes have started."""


def add_audit_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is read, against what, and the form of the answer."""
    parser.add_argument("path", help="a finished release folder, or one file of it; it is only read")
    parser.add_argument(
        "--project",
        metavar="DIR",
        help="the study's project, whose private tables say what must be black and what must not occur (default: the working folder, "
        "when it is one)",
    )
    parser.add_argument("--plan", metavar="PLAN.json", help="for one video: what it must be, as 'scrubin render --plan' prints it")
    parser.add_argument(
        "--needle", metavar="TEXT", action="append", default=[], help="a text that must not occur, beside those of the project; repeatable"
    )
    looks = parser.add_mutually_exclusive_group()
    looks.add_argument(
        "--every-frame",
        action="store_true",
        help="look for text and faces in every picture, which takes hours; without, where it is worth it",
    )
    looks.add_argument("--no-pictures", action="store_true", help="look at no picture for text and faces; the proof says so")
    parser.add_argument("--fresh", action="store_true", help="decode again what an earlier run has decoded and found the same bytes of")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table: every finding at every place")


def run_audit(args: argparse.Namespace) -> int:
    """Read everything again and tell what was found; 0 only when nothing was."""
    result = _proof(args)
    if args.json:
        print_json(result.as_json())
    else:
        sys.stdout.write(_table(args.path, result))
    return 0 if result.clean else 1


def _proof(args: argparse.Namespace) -> Proof:
    from scrubin.audit import proof
    from scrubin.audit.expected import private_strings
    from scrubin.audit.expected.plan import of_document
    from scrubin.audit.expected.private_strings import Private
    from scrubin.audit.expected.spelling import folded_words
    from scrubin.audit.pictures.shown import Pictures
    from scrubin.audit.pictures.stored import Fresh, Stored
    from scrubin.stages.release import audited_project

    path, study = Path(args.path), _study(args.project)
    if not path.exists():
        msg = f"{path}: there is no such file or folder"
        raise ReleaseError(msg)
    if args.plan and not path.is_file():
        msg = f"{path}: --plan is for one video; a release is held to the tables of its project"
        raise ReleaseError(msg)
    base = study.private if study else Private(public=folded_words([audited_project.FORMATS, private_strings.GENERIC]))
    private = private_strings.with_requested(base, args.needle)
    pictures = Pictures(private, "every" if args.every_frame else "none" if args.no_pictures else "sampled")
    if path.is_file():
        strangers.refuse_unless_plain(path)
        return proof.of_file(path, private, pictures, of_document(Path(args.plan), path.name) if args.plan else _known(path, study))
    folder, root = path.absolute(), Path(args.project or "").absolute() / store.STORE_PATH
    with _everywhere(folder, root) as over, tempfile.TemporaryDirectory() as shared:
        if study is None:
            return proof.of_folder(folder, private, pictures, over, Path(shared))
        examine: Examine = Fresh(folder, pictures.sampling) if args.fresh else Stored(folder, root, pictures.sampling)
        return audited_project.proof_of_release(folder, study, private, pictures, examine, over, Path(shared))


def _study(folder: str | None) -> Project | None:
    """Return the project that is named, or that the working folder is."""
    from scrubin.stages.release import audited_project

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
def _everywhere(folder: Path, root: Path) -> Iterator[Over]:
    """Read parts of a release in as many processes as cores and memory allow; Python's own search would hold threads up."""
    from tqdm import tqdm

    from scrubin.curate.engine.engines import Here, Processes
    from scrubin.curate.engine.piece import Piece

    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    count = FlowsParams(AUTO, None, None).worker_count() if size > SMALL_BYTES else 1
    engine: Engine = Processes(count) if count > 1 else Here()

    def over(work: Callable[[Part], Reading], parts: Sequence[Part]) -> Iterator[Reading]:
        with ThreadPoolExecutor(engine.lanes) as threads:
            readings = threads.map(lambda part: engine.do(Piece(work, part, root, None)), parts)
            # On a terminal only.
            yield from tqdm(readings, desc="read", unit="part", total=len(parts), disable=not sys.stderr.isatty())

    try:
        yield over
    finally:
        engine.close()


def _table(path: str, result: Proof) -> str:
    from scrubin.audit import run

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
    from scrubin.audit.pictures.shown import RULES

    if pictures.sampling == "none":
        return []
    texts = pictures.judge.texts()
    shown = [f"  text read: {text}" for text in texts[:TEXTS_SHOWN]]
    more = [f"  ... and {count_text(len(texts) - TEXTS_SHOWN, 'more text')}, all of them with --json"] if len(texts) > TEXTS_SHOWN else []
    return [f"pictures: {pictures.sentence()}", f"  looked at: {RULES[pictures.sampling]}", *shown, *more, ""]


def _linkable(note: Any) -> list[str]:
    from scrubin.stages.release import linking

    windows = sorted({window for task in note["tasks"].values() for window in task["smallest_group_within_s"]}, key=float)
    head = f"{'re-identification by length':<28}{'recordings':>11}{'unique':>8}" + "".join(
        f"{'+-' + window + ' s':>10}" for window in windows
    )
    lines = [head + f"{'in a log':>10}"]
    for name, task in note["tasks"].items():
        groups = "".join(f"{task['smallest_group_within_s'][window]:>10}" for window in windows)
        lines.append(f"{name:<28}{task['recordings']:>11}{task['unique_to_the_frame']:>8}{groups}{task['smallest_group_in_a_log']:>10}")
    return [*lines, f"(smallest groups; a note, no finding) {linking.sentence(note)}"]
