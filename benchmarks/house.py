"""The house in figures: files, lines, rooms and imports of the library, beside the goals of its third edition.

    python benchmarks/house.py [CHECKOUT ...]

Lines of code are those without docstrings, comments and blanks. A wing is a folder at the top of the library, a room
a folder inside a wing. An arrow is an import, also one inside a function, from one wing (room) to another. A crumb has
fewer than 40 lines of code and one importer. Several checkouts (work trees of two commits, say) stand side by side.
"""

from __future__ import annotations

import ast
import io
import statistics
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
CRUMB_LINES = 40
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
GOALS = {
    "files": "<= 520",
    "lines of code": "<= 62,000",
    "median lines of code of a file": ">= 100",
    "longest file": "<= 450",
    "wings": "<= 11",
    "rooms": "",
    "folders": "",
    "files in the fullest folder": "<= 18",
    "crumbs": "<= 15",
    "arrows between wings": "<= 90",
    "arrows between rooms": "",
    "circles of wings": "0",
    "circles of rooms": "0",
    "circles of modules": "0",
    "files without code": "",
    "lines of dvc.yaml": "<= 340",
    "lines of code in tests": "<= 37,000",
}

Graph = Mapping[str, set[str]]


def lines_of_code(text: str) -> int:
    """Return the number of lines that hold code."""
    tree = ast.parse(text)
    spoken: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            spoken |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            code |= set(range(token.start[0], token.end[0] + 1))
    return len(code - spoken)


def modules_of(library: Path) -> dict[str, Path]:
    """Return the file of every module, by its name inside the library."""
    return {
        ".".join(path.relative_to(library).with_suffix("").parts).removesuffix("__init__").rstrip("."): path
        for path in sorted(library.rglob("*.py"))
    }


def imports_of(modules: Mapping[str, Path], package: str) -> dict[str, set[str]]:
    """Return the modules that each module imports."""
    graph: dict[str, set[str]] = {name: set() for name in modules}
    for name, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == package:
                inside = (node.module or "").removeprefix(package).lstrip(".")
                targets = (f"{inside}.{alias.name}".lstrip(".") for alias in node.names)
                graph[name] |= {target if target in modules else inside for target in targets}
    return graph


def between(graph: Graph, depth: int, folders: set[str]) -> dict[str, set[str]]:
    """Return the same arrows between wings (depth 1) or rooms (depth 2), without those inside of one."""
    arrows: dict[str, set[str]] = defaultdict(set)
    for name, targets in graph.items():
        for target in targets:
            one, other = _place(name, depth, folders), _place(target, depth, folders)
            if one != other:
                arrows[one].add(other)
    return arrows


def _place(name: str, depth: int, folders: set[str]) -> str:
    parts = name.split(".")
    while len(parts) > 1 and ".".join(parts) not in folders:
        parts.pop()
    return ".".join(parts[:depth])


def circles(graph: Graph) -> list[list[str]]:
    """Return the strongly connected components of more than one node (Tarjan 1972)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in number:
                visit(target)
                lowest[node] = min(lowest[node], lowest[target])
            elif target in stack:
                lowest[node] = min(lowest[node], number[target])
        if lowest[node] == number[node]:
            members = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(members) > 1:
                found.append(sorted(members))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def figures(checkout: Path) -> dict[str, float]:
    """Return what is measured of one checkout, by the names of the goals."""
    library = checkout / "pipelines" / "scrubin"
    modules = modules_of(library)
    size = {name: lines_of_code(path.read_text(encoding="utf-8")) for name, path in modules.items()}
    folders = {name for name, path in modules.items() if path.name == "__init__.py"}
    graph = imports_of(modules, library.name)
    importers = Counter(target for targets in graph.values() for target in targets)
    wings, rooms = between(graph, 1, folders), between(graph, 2, folders)
    real = [name for name in modules if size[name]]
    return {
        "files": len(modules),
        "lines of code": sum(size.values()),
        "median lines of code of a file": statistics.median(size.values()),
        "longest file": max(size.values()),
        "wings": len([path for path in library.iterdir() if path.is_dir() and (path / "__init__.py").exists()]),
        "rooms": len({_place(name, 2, folders) for name in modules}),
        "folders": len(folders),
        "files in the fullest folder": max(Counter(path.parent for path in modules.values()).values()),
        "crumbs": len([name for name in real if size[name] < CRUMB_LINES and importers[name] == 1 and name not in folders]),
        "arrows between wings": sum(len(targets) for targets in wings.values()),
        "arrows between rooms": sum(len(targets) for targets in rooms.values()),
        "circles of wings": len(circles(wings)),
        "circles of rooms": len(circles(rooms)),
        "circles of modules": len(circles(graph)),
        "files without code": len(modules) - len(real),
        "lines of dvc.yaml": len((checkout / "dvc.yaml").read_text(encoding="utf-8").splitlines()),
        "lines of code in tests": sum(
            lines_of_code(path.read_text(encoding="utf-8")) for path in sorted((checkout / "tests").rglob("*.py"))
        ),
    }


def main(checkouts: Iterable[Path]) -> None:
    measured = [figures(checkout) for checkout in checkouts]
    for name, goal in GOALS.items():
        print(
            f"{name:32}" + "".join(f"{one[name]:>12,g}" if one[name] < 1000 else f"{one[name]:>12,.0f}" for one in measured) + f"   {goal}"
        )


if __name__ == "__main__":
    main([Path(text) for text in sys.argv[1:]] or [HERE])
