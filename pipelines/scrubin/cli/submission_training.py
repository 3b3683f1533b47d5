"""`scrubin submission training FILE --test NAME:SUBSET`: what declared training data share with a test set."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

NAMES = """a test set is NAME, NAME:SUBSET, NAME@FOLD:SUBSET or NAME:1-40, as of 'scrubin splits leaks'
overlap: some operation is certainly in both; clean: none is; unverified: everything else, also what only its owner says
exit code: 0 only when every source is clean and the file says that nothing else was used"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file and the test set."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = NAMES
    parser.add_argument("file", metavar="FILE", nargs="?", help="training_data.yaml, or the folder of a submission that has it")
    parser.add_argument("--test", action="append", default=[], metavar="NAME:SUBSET", help="such as cholect50/rdv:test; repeatable")
    parser.add_argument("--form", action="store_true", help="print an empty form to fill in, and do nothing else")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")


def run(args: argparse.Namespace) -> int:
    """Print the verdict on every source; 0 only when all are clean."""
    from scrubin.core.errors import SplitError
    from scrubin.public_splits.overlaps.selection import select
    from scrubin.training_data import declaration, overlap, template, words

    if args.form:
        sys.stdout.write(template.text(args.test[0] if args.test else ""))
        return 0
    if not args.file or not args.test:
        msg = "name the file and the test set: scrubin submission training training_data.yaml --test cholect50/rdv:test"
        raise SplitError(msg)
    path = Path(args.file)
    path = path / template.NAME if path.is_dir() else path
    test = [select(text) for text in args.test]
    found = overlap.assess(declaration.read(path), test, str(path))
    named = ", ".join(args.test)
    if args.json:
        sys.stdout.write(json.dumps(words.document(found, named), indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in words.lines(found, named)))
    return 0 if found.verdict == "clean" else 1
