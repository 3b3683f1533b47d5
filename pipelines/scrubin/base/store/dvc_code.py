"""The code that each stage of ``dvc.yaml`` depends on, written by the program.

DVC cannot see imports: it hashes what a stage names. So behind what a stage reads stands its flow, then all that the flow
imports (see `scrubin.base.store.code_of`), and ``make deps`` writes these lines anew. A folder stands for its files where a
stage imports them all.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from scrubin.base.files import write_text
from scrubin.base.store import code_of

PIPELINE = Path("dvc.yaml")
INDENT = " " * 6
WIDTH = 158
"""Columns of a line."""
SHORT = "${lib}"
"""What ``dvc.yaml`` calls the library's folder."""
_BLOCK = re.compile(rf"^{INDENT}(?P<flow>[\w/]+/(?P<stage>\w+)\.py),.*?(?=^    \]$)", re.MULTILINE | re.DOTALL)


def written(text: str, root: Path) -> str:
    """Return the text of ``dvc.yaml`` with the code that each stage depends on as it is now.

    Parameters
    ----------
    text
        Its list of dependencies names the stage's flow at the beginning of a line; the lines from there on are the program's.
    root
        The folder in which it lies.
    """
    library = code_of.LIBRARY.relative_to(root.resolve()).as_posix()

    def block(found: re.Match[str]) -> str:
        deps = code_deps(root / found["flow"], root)
        names = [f'"{SHORT}{dep.removeprefix(library)}"' if dep.startswith(f"{library}/") else dep for dep in deps]
        return _lines([found["flow"], *names])

    return _BLOCK.sub(block, text)


def code_deps(flow: Path, root: Path) -> list[str]:
    """Return the files and folders that a flow depends on, relative to ``root``, in order."""
    needed = {*code_of.files_of(code_of.imported_by(flow))}
    return [path.relative_to(root.resolve()).as_posix() for path in _covering(needed, code_of.LIBRARY)]


def _covering(needed: set[Path], folder: Path) -> Iterable[Path]:
    """Yield what stands for the needed files of a folder, and for no other that says anything."""
    if needed.issuperset(_inside(folder)):
        yield folder
        return
    for path in _entries()[folder]:
        if path in needed:
            yield path
        elif path in _entries():
            yield from _covering(needed, path)


def _inside(folder: Path) -> Iterator[Path]:
    for path in _entries()[folder]:
        if path in _entries():
            yield from _inside(path)
        else:
            yield path


@cache
def _entries() -> dict[Path, list[Path]]:
    """Return what each folder of the library holds that says anything: files, and folders of them, in order."""
    entries: dict[Path, set[Path]] = {}
    for file in code_of.library_files():
        path = file
        while path != code_of.LIBRARY:
            entries.setdefault(path.parent, set()).add(path)
            path = path.parent
    return {folder: sorted(inside) for folder, inside in entries.items()}


def _lines(names: Sequence[str]) -> str:
    wrapped = textwrap.wrap(", ".join(names) + ",", WIDTH - len(INDENT), break_long_words=False, break_on_hyphens=False)
    return "".join(f"{INDENT}{line}\n" for line in wrapped)


def main() -> None:
    """Write ``dvc.yaml`` of the working folder."""
    text = PIPELINE.read_text(encoding="utf-8")
    new = written(text, Path())
    if new != text:
        write_text(PIPELINE, new)
    sys.stdout.write(f"{PIPELINE}: {'its code is as it was' if new == text else 'what its stages import is written'}\n")


if __name__ == "__main__":
    main()
