"""One page per package of the library, from its docstrings; whatever modules there are."""

from __future__ import annotations

import ast
import pkgutil
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy.typing as npt

import scrubin
from reference.markdown import table

COMMANDS = "scrubin.cli."
UNDERLINE = re.compile(r"-{3,}")
EXAMPLES = "Examples"


def write_api(folder: Path) -> None:
    """Write a page per package; pages of packages that are gone are removed, and one that stays as it is keeps its time."""
    folder.mkdir(exist_ok=True)
    pages = {folder / f"{package}.md": _page(package, modules) for package, modules in packages()}
    for path in folder.iterdir():
        if path not in pages:
            path.unlink()
    for path, text in pages.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def packages() -> Iterator[tuple[str, list[str]]]:
    """Yield every package with its own modules; commands have a page of their own."""
    root = Path(scrubin.__file__).parent
    names = ["scrubin", *(one.name for one in pkgutil.walk_packages([str(root)], "scrubin.") if one.ispkg)]
    for name in sorted(name for name in names if not f"{name}.".startswith(COMMANDS)):
        folder = root.joinpath(*name.split(".")[1:])
        modules = [f"{name}.{one.name}" for one in pkgutil.iter_modules([str(folder)]) if not one.ispkg and one.name != "__main__"]
        yield name, sorted(modules)


def first_line(module: str) -> str:
    """Return what a person finds in a module: the first line of its docstring."""
    path = Path(scrubin.__file__).parent.joinpath(*module.split(".")[1:])
    # A folder of templates may lie beside the module that fills them.
    file = next(one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file())
    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").split("\n")[0]


def shortened(signature: str) -> str:
    """Return a signature, or a line with types, that names what NumPy takes for an array: written out these are 400 characters each."""
    from sphinx.util.typing import stringify_annotation  # tests are installed without it

    for written_as in ("smart", "fully-qualified-except-typing"):  # of signatures, and of lists of parameters
        signature = signature.replace(stringify_annotation(npt.ArrayLike, written_as), "ArrayLike")
    return signature


def headed(lines: Sequence[str]) -> list[str]:
    """Return the lines of a docstring in which no example stands in a section of something else.

    >>> headed(["Returns", "-------", "int", "    A number.", "", ">>> 1 + 1", "2"])[4:]
    ['', 'Examples', '--------', '>>> 1 + 1', '2']
    """
    done: list[str] = []
    section = ""
    for line in lines:
        if UNDERLINE.fullmatch(line) and done and done[-1].strip():
            section = done[-1].strip()
        elif line.startswith(">>> ") and section not in ("", EXAMPLES):
            done += [EXAMPLES, "-" * len(EXAMPLES)]
            section = EXAMPLES
        done.append(line)
    return done


def _page(package: str, modules: list[str]) -> str:
    overview = table(("module", "what you find there"), ((f"[`{name}`](#{name})", first_line(name)) for name in modules))
    head = f"# {package}\n\n{_automodule(package)}\n"
    return head + (overview if modules else "") + "".join(f"\n## {name}\n\n{_automodule(name)}" for name in modules)


def _automodule(name: str) -> str:
    return f"```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n"
