"""`scrubin verify`, `validate`, `ground-truth-check`, `preflight`, `check-params`: whether files are sound."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin import cli
from scrubin.base import strangers
from scrubin.base.errors import AnnotationError, ArgumentsError, ReleaseError
from scrubin.base.params import PARAMS_PATH
from scrubin.cli.answers import json_of, print_lines, shown
from scrubin.cli.arguments import add_image_size, add_instant, asked, size_or_none, whole_number, written_or_shown
from scrubin.data import verify

if TYPE_CHECKING:
    from scrubin.data.verify.verification import Progress
    from scrubin.labels.files.reader import Options
    from scrubin.labels.suspects.ranking import Ranking
    from scrubin.labels.suspects.suspect import Suspect

MOST_SUSPECTS, MOST_LISTED = 100, 10**6


def add_verify_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder, and what is asked of it."""
    parser.add_argument(
        "project", nargs="?", default=".", metavar="FOLDER", help="a downloaded release, or a project (default: this folder)"
    )
    parser.add_argument(
        "--fix", action="store_true", help="project: restore every damaged copy from a sound one; remove what no sound copy is left of"
    )
    parser.add_argument("--quick", action="store_true", help="release: names, sizes and counts only; the bytes are not read")
    parser.add_argument("--partial", action="store_true", help="release: whole top folders, such as videos, may be absent")
    parser.add_argument(
        "--json",
        type=written_or_shown,
        metavar="FILE",
        help="release: write everything that is said as JSON as well; - writes only that, to the terminal",
    )
    parser.add_argument(
        "--state", metavar="FILE", help="release: where it is noted what has been read, to go on there (default: in your folder of caches)"
    )


def run_verify(args: argparse.Namespace) -> int:
    """Say what is sound; 1 when something is not, and was not restored."""
    from scrubin.base.object_store import is_address, plain

    if is_address(args.project):
        address = plain(args.project)
        msg = (
            f"{address}: this is an address, and verify reads a folder: get the release into one first, then name that; "
            f"in Python Release('{address}') loads it from there, and proves every file by its SHA256SUMS"
        )
        raise ArgumentsError(msg)
    folder = Path(args.project)
    is_project = folder.is_dir() and not verify.is_release(folder) and any((folder / name).exists() for name in verify.PROJECT)
    if not is_project:
        if args.fix:
            msg = f"{folder}: --fix restores a project from its own copies; a release is mended by getting the files again that are named"
            raise ReleaseError(msg)
        return _verify_copy(folder, args)
    for option in ("quick", "partial", "json", "state"):
        if getattr(args, option):
            msg = f"{folder}: --{option} is for a release, but this is a project; name the folder of the release, such as data/release"
            raise ReleaseError(msg)
    return _verify_project(folder, fix=args.fix)


def _verify_copy(folder: Path, args: argparse.Namespace) -> int:
    """Say what is wrong with a copy; 0 only when nothing is."""
    from scrubin.data.verify import digests, verification

    verification.refuse_no_release(folder)
    state = Path(args.state) if args.state else digests.default_path(folder)
    try:
        result = verification.verify(folder, quick=args.quick, partial=args.partial, journal=state, begin=_progress)
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped; what has been read is noted: run the same command again to go on\n")
        return cli.INTERRUPTED
    text = json_of(result.as_json(), sort_keys=True, ascii_only=True)
    if args.json == "-":
        sys.stdout.write(text)
        return 0 if result.sound else 1
    if args.json:
        Path(args.json).write_text(text, encoding="utf-8", newline="\n")
    print_lines(verification.lines(result))
    return 0 if result.sound else 1


def _progress(files: int, size: int) -> Progress:
    """Show on a terminal how far the reading is, where tqdm is installed."""
    if not sys.stderr.isatty() or not files:
        return _silent
    try:
        from tqdm import tqdm
    except ImportError:
        sys.stderr.write(f"reading {files:,} files, {size:,} bytes\n")
        return _silent
    bar = tqdm(total=size, unit="B", unit_scale=True, desc="read")

    def hear(_: int, read: int) -> None:
        bar.update(read)
        if bar.n >= size:
            bar.close()

    return hear


def _silent(_: int, __: int) -> None:
    """Say nothing of how far it is."""


def _verify_project(project: Path, *, fix: bool) -> int:
    """Say what is sound; 1 when something is not, and was not restored."""
    from scrubin.curate.engine.run import only_run
    from scrubin.curate.project import verification

    with only_run(project):
        result = verification.verify(project, lambda paths: shown(paths, "read", "file"))
        print_lines(verification.lines(result))
        if result.sound or not fix:
            print_lines(["every copy is sound" if result.sound else "nothing was changed; 'scrubin verify --fix' restores what it can"])
            return 0 if result.sound else 1
        for line in verification.restore(project, result):
            sys.stdout.write(f"{line}\n")
    again = verification.verify(project)
    return 0 if again.sound else 1


def add_validate_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the path, its format, and what files do not say."""
    parser.add_argument(
        "path", metavar="PATH", help="label file or folder in any format, folder of our own tables (parquet or CSV), or a released dataset"
    )
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="format of PATH, as in `scrubin convert` (default: by the files)")
    parser.add_argument("--vocabulary", metavar="NAME", help="names and ids of PATH (default: that of the format, or the file's own)")
    parser.add_argument("--first-frame", type=int, default=0, metavar="N", help="number of the first frame in PATH (default: 0)")
    add_image_size(parser, "where boxes are in px and PATH does not say it")
    add_instant(parser, "PATH")
    parser.add_argument(
        "--params",
        metavar="FILE",
        help="a params.yaml whose section `validate` has severities, declared totals and limits (default: the library's own)",
    )
    parser.add_argument("--all", action="store_true", help="list every warning, and what is not applicable or not validated")
    parser.add_argument(
        "--suspects",
        nargs="?",
        const=MOST_SUSPECTS,
        type=whole_number(1, MOST_LISTED),
        metavar="N",
        help="also rank what is probably wrong in labels of frames, and list the first N (default: %(const)s); nothing is changed",
    )
    parser.add_argument(
        "--predictions",
        type=Path,
        action="append",
        metavar="PATH",
        help="with --suspects: predictions of models that have not seen the recording they predict; may be given again",
    )
    parser.add_argument(
        "--disputes", action="store_true", help="with --suspects: also where people of `scrubin label` differ, in the study of this folder"
    )
    parser.add_argument("--predictions-from", metavar="FORMAT", help="format of the predictions (default: by the files)")
    parser.add_argument(
        "--videos",
        type=Path,
        metavar="DIR",
        help="with --suspects: folder of videos called as the recordings; each suspect links into its own",
    )
    parser.add_argument("--json", action="store_true", help="write everything as JSON to stdout (default: sentences)")


def run_validate(args: argparse.Namespace) -> int:
    """Check every rule that applies; 0 only when no error is found: deviations of files and warnings are shown and pass."""
    # Great Expectations takes seconds to import.
    from scrubin.base import machine
    from scrubin.base.vocabulary import vocabulary
    from scrubin.labels.files.reader import Options
    from scrubin.labels.registry import format_of
    from scrubin.stages.validate import validated_path
    from scrubin.stages.validate.validated_path import JUDGE, validate

    if args.first_frame < 0:
        raise ArgumentsError(f"--first-frame {args.first_frame}: give 0 or more")
    for option in ("predictions", "predictions_from", "videos", "disputes"):
        if getattr(args, option) and args.suspects is None:
            raise ArgumentsError(f"--{option.replace('_', '-')} is only for --suspects; add it")
    with asked():
        chosen = vocabulary.load(args.vocabulary) if args.vocabulary else None
        for name in filter(None, (args.source, args.predictions_from)):
            format_of(name)
    options = Options(chosen, first=args.first_frame, instant=args.instant, image_size=size_or_none(args.image_size))
    validation = validate(args.path, args.source, options, Path(args.params) if args.params else None)
    if not machine.is_installed(JUDGE):
        how = f"{machine.install_command('curate')} to have Great Expectations judge, as the pipeline does"
        sys.stderr.write(f"scrubin validate: note: the rules judge by themselves; {how}\n")
    found = None if args.suspects is None else _suspects(args, options)
    if args.json:
        document = validated_path.as_json(validation)
        text = json_of(document if found is None else {**document, "suspects": found.as_json(args.suspects)})
    else:
        lines = [] if found is None else found.lines(args.suspects)
        text = validated_path.as_text(validation, everything=args.all) + "".join(f"{line}\n" for line in lines)
    # The name of a file may be no UTF-8.
    sys.stdout.write(text.encode("utf-8", errors="backslashreplace").decode("utf-8"))
    return 0 if validation.passed else 1


def _suspects(args: argparse.Namespace, options: Options) -> Ranking:
    """Return what is probably wrong in the labels."""
    from scrubin.base import machine
    from scrubin.curate.label.suspects import places
    from scrubin.labels.registry import format_of
    from scrubin.labels.suspects import ranking

    if args.videos is not None and not args.videos.is_dir():
        raise AnnotationError(f"--videos {args.videos}: there is no such folder")
    more: list[Suspect] = []
    if args.disputes:
        machine.require_package("av", "--disputes")
        from scrubin.curate.label.suspects import disputed
        from scrubin.curate.label.workbench import Workbench

        bench = Workbench.open()
        more = disputed.suspects(bench)
        sys.stderr.write("".join(f"scrubin validate: note: --disputes leaves out {id_}: {why}\n" for id_, why in bench.closed().items()))
    form, of_predictions = (None if name is None else format_of(name) for name in (args.source, args.predictions_from))
    path = Path(args.path)
    return ranking.at_path(path, form, options, args.predictions or (), of_predictions, args.videos, more, places.of_study(path))


def add_ground_truth_check_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder and its tables."""
    parser.add_argument("folder", help="folder of a ground truth, with its manifest.json")
    parser.add_argument(
        "--tables",
        metavar="DIR",
        help="folder of the parquet tables that it must be made of (default: the folder 'tables' beside it, as in a release)",
    )


def run_ground_truth_check(args: argparse.Namespace) -> int:
    """Hash everything again and print what is wrong; 0 only when nothing is."""
    from scrubin.stages.groundtruth import RELEASED, verification

    folder = Path(args.folder)
    tables = Path(args.tables) if args.tables else strangers.real(folder).parent / "tables"
    faults = verification.check(folder, {name: tables / f"{name}.parquet" for name in sorted(RELEASED)})
    sys.stdout.write("".join(f"{fault}\n" for fault in faults) or "every file, table and vocabulary is the one that the stamps name\n")
    return 1 if faults else 0


def add_preflight_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare nothing: it looks at the project in this folder."""


def run_preflight(args: argparse.Namespace) -> int:
    """Say all that would stop a run, and return 1 when there is any."""
    from scrubin.curate.preflight.preflight import look

    found = look()
    print_lines((*found.lines(), found.sentence()))
    return 1 if found.errors else 0


def add_check_params_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file."""
    parser.add_argument("path", nargs="?", default=str(PARAMS_PATH), help="the file (default: %(default)s)")


def run_check_params(args: argparse.Namespace) -> int:
    """Check every section."""
    from scrubin.curate.preflight import preflight

    checked = preflight.check_all(Path(args.path))
    sys.stdout.write(f"{args.path}: {len(checked)} sections, all as declared\n")
    return 0
