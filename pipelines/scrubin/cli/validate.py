"""`scrubin validate PATH [--from FORMAT] [--all] [--json]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scrubin.cli.arguments import add_instant
from scrubin.core.errors import AnnotationError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the path, its format, and what files do not say."""
    parser.add_argument(
        "path", metavar="PATH", help="label file or folder in any format, folder of our own tables (parquet or CSV), or a released dataset"
    )
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="format of PATH, as in `scrubin convert` (default: by the files)")
    parser.add_argument("--vocabulary", metavar="NAME", help="names and ids of PATH (default: that of the format, or the file's own)")
    parser.add_argument("--first-frame", type=int, default=0, metavar="N", help="number of the first frame in PATH (default: 0)")
    add_instant(parser, "PATH")
    parser.add_argument(
        "--params",
        metavar="FILE",
        help="a params.yaml whose section `validate` has severities, declared totals and limits (default: the library's own)",
    )
    parser.add_argument("--all", action="store_true", help="list every warning, and what is not applicable or not validated")
    parser.add_argument("--json", action="store_true", help="write everything as JSON to stdout (default: sentences)")


def run(args: argparse.Namespace) -> int:
    """Check every rule that applies; 0 only when no error is found: deviations of files and warnings are shown and pass."""
    # Great Expectations takes seconds to import.
    from scrubin.core import extras
    from scrubin.labels.reader import Options
    from scrubin.validate import summary
    from scrubin.validate.validation import JUDGE, validate
    from scrubin.vocabulary import vocabulary

    if args.first_frame < 0:
        msg = f"--first-frame {args.first_frame}: give 0 or more"
        raise AnnotationError(msg)
    chosen = vocabulary.load(args.vocabulary) if args.vocabulary else None
    options = Options(chosen, first=args.first_frame, instant=args.instant)
    validation = validate(args.path, args.source, options, Path(args.params) if args.params else None)
    if not extras.installed(JUDGE):
        how = f"{extras.install('quality')} to have Great Expectations judge, as the pipeline does"
        sys.stderr.write(f"scrubin validate: note: the rules judge by themselves; {how}\n")
    text = summary.as_json(validation) if args.json else summary.as_text(validation, everything=args.all)
    # The name of a file may be no UTF-8.
    sys.stdout.write(text.encode("utf-8", errors="backslashreplace").decode("utf-8"))
    return 0 if validation.passed else 1
