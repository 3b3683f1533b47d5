"""Where a fault of a list stands in the library: a definition, a text in it, and the text that takes its place."""

from __future__ import annotations

import ast
import bisect
import itertools
import random
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from house import modules_of

ROOT = Path(__file__).resolve().parents[1]
PACKAGE, LIBRARY = "scrubin", Path("pipelines/scrubin")
TOKEN = re.compile(r"\w+|[^\w\s]")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Fault:
    """One entry of the list: in a definition, another text for one that stands there, and what goes wrong then."""

    number: int
    definition: str
    old: str
    new: str
    says: str


@dataclass(frozen=True)
class Place:
    """Where a fault goes: the module, its file below the root, and the file's whole text afterwards."""

    module: str
    path: Path
    text: str


def faults_of(path: Path) -> list[Fault]:
    """Return the list of faults."""
    return [Fault(**one) for one in yaml.safe_load(path.read_text(encoding="utf-8"))]


def places(faults: Iterable[Fault], root: Path = ROOT) -> dict[int, Place]:
    """Return the place of every fault by its number.

    Raises
    ------
    ValueError
        With all faults that have no place.
    """
    sources = {name: (path.relative_to(root), path.read_text(encoding="utf-8")) for name, path in modules_of(root / LIBRARY).items()}
    found, wrong = {}, []
    for fault in faults:
        try:
            found[fault.number] = place_of(fault, sources)
        except (ValueError, SyntaxError) as error:
            wrong.append(str(error))
    if wrong:
        raise ValueError("\n".join(wrong))
    return found


def place_of(fault: Fault, sources: Mapping[str, tuple[Path, str]]) -> Place:
    """Return the only place that fits: in the definition of that name, or, where it was renamed, in any.

    Raises
    ------
    ValueError
        When no place fits, or several.
    """
    pattern = loosely(fault.old)
    found = []
    for module, (_, text) in sources.items():
        if pattern.search(text):
            starts = [0, *itertools.accumulate(map(len, text.splitlines(keepends=True)))]
            for name, node in definitions(ast.parse(text)):
                matches = pattern.finditer(text, starts[node.lineno - 1], starts[node.end_lineno or node.lineno])
                found += [(name, module, match.start(), match.end()) for match in matches]
    fitting = [one for one in found if one[0] == fault.definition] or found
    if len(fitting) != 1:
        shown = ", ".join(f"{module}:{name}" for name, module, *_ in fitting) or "nowhere"
        msg = f"fault {fault.number}, {fault.definition}: '{fault.old}' must stand in one place, but stands {shown}"
        raise ValueError(msg)
    ((_, module, first, last),) = fitting
    path, text = sources[module]
    changed = text[:first] + fault.new + text[last:]
    if ast.dump(ast.parse(changed)) == ast.dump(ast.parse(text)):
        msg = f"fault {fault.number}, {fault.definition}: it changes nothing"
        raise ValueError(msg)
    return Place(f"{PACKAGE}.{module}".rstrip("."), path, changed)


def definitions(inside: ast.Module | ast.ClassDef, above: str = "") -> Iterator[tuple[str, Function]]:
    """Yield the functions of a module in their order, methods as ``Class.method``."""
    for node in inside.body:
        if isinstance(node, ast.ClassDef):
            yield from definitions(node, f"{above}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield above + node.name, node


def loosely(text: str) -> re.Pattern[str]:
    """Return a pattern of a text that may be broken into lines elsewhere, as a formatter does after a name has changed."""
    tokens = TOKEN.findall(text)
    between = (
        r"\s+" if re.search(r"\w$", a) and re.match(r"\w", b) else r",?\s*" if b in ")]}" else r"\s*" for a, b in itertools.pairwise(tokens)
    )
    return re.compile("".join(re.escape(token) + gap for token, gap in zip(tokens, [*between, ""], strict=True)))


def draw(count: int, seed: int) -> Iterator[str]:
    """Yield functions by lot, in proportion to their lines of code: one from each of so many equal stretches of the library."""
    names, ends = [], [0]
    for module, path in modules_of(ROOT / LIBRARY).items():
        lines = [line.strip() for line in path.read_text(encoding="utf-8").split("\n")]
        for name, node in definitions(ast.parse(path.read_bytes())):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            size = (
                sum(line != "" and line[0] != "#" for line in lines[body[0].lineno - 1 : node.end_lineno])
                if body and isinstance(node, ast.FunctionDef)
                else 0
            )
            names.append(f"{module}:{name}")
            ends.append(ends[-1] + size)
    rng = random.Random(seed)
    for stretch in range(count):
        yield names[bisect.bisect_right(ends, (stretch + rng.random()) * ends[-1] / count) - 1]
