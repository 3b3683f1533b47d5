"""What a result depends on: the code of a module, with all that it imports.

Imports are parsed, not run; those inside functions count. So nobody writes by hand which files a stored result
depends on, and nobody forgets one. What counts is what the code says, not where it stands: a module that is moved
to another folder, with its importers, is the same code.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from sys import stdlib_module_names
from threading import Lock

from scrubin.base.files import sha256_of

PACKAGE = "scrubin"
LIBRARY = Path(__file__).resolve().parents[2]
NOT_REGISTERED = "NOT_REGISTERED"
BYTECODE = {"__pycache__"}
EARLIER_CODES = "earlier_codes.json"
"""Says which codes came to the same, see `scrubin.base.store.store`; so nothing depends on it."""
DISTRIBUTIONS = {
    "cv2": "opencv-python-headless",
    "dateutil": "python-dateutil",
    "ffmpeg": "ffmpeg-python",
    "imageio_ffmpeg": "imageio-ffmpeg",
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
"""By the name under which a package is imported, its name on a package index, where they differ."""
_PARSER = Lock()
"""CPython 3.11 counts the depth of a tree for all threads together: one of two that parse at once can fail with SystemError."""


@dataclass(frozen=True)
class _Module:
    """What one module says.

    Parameters
    ----------
    content
        SHA-256 of its source without the lines that import from the library, and of the data files beside it.
    imports
        Of each line that imports from the library: the module, the name in it ("" is the module itself), the name here.
    packages
        Names of the packages of others that it imports.
    is_silent
        Whether it does nothing, as most files ``__init__.py``: it holds a sentence at most.
    """

    content: str
    imports: frozenset[tuple[str, str, str]]
    packages: frozenset[str]
    is_silent: bool

    @property
    def modules(self) -> set[str]:
        return {module for module, _, _ in self.imports}


@dataclass
class _Seen:
    """What the walk over a source has found."""

    imports: set[tuple[str, str, str]] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)
    is_silent: bool = False


@cache
def code_of(module: str) -> str:
    """Return a hash of all code that a module of the library can run, and of the versions of the packages it imports.

    The sources are read once in a process.

    Parameters
    ----------
    module
        Its full name, mostly ``__name__`` of the module that stores a result.

    Raises
    ------
    ValueError
        When the library has no such module.
    """
    known = {name: _module(name) for name in sorted(closure(module))}
    # An import line stands for the content of what it imports: the same name from another module is another code.
    says = [
        (one.content, sorted((known[target].content, name, here) for target, name, here in one.imports))
        for one in known.values()
        if not one.is_silent
    ]
    digest = hashlib.sha256(repr(sorted(says)).encode())
    for package in sorted({package for one in known.values() for package in one.packages}):
        digest.update(f"{package}=={version_of(package)}\n".encode())
    return digest.hexdigest()


@cache
def code_of_library() -> str:
    """Return a hash of every file of the library, data files included, and of where it stands."""
    digest = hashlib.sha256()
    for path in sorted(LIBRARY.rglob("*")):
        if path.is_file() and not BYTECODE & set(path.parts):
            digest.update(f"{path.relative_to(LIBRARY).as_posix()}\0{sha256_of(path)}\n".encode())
    return digest.hexdigest()


def closure(module: str) -> frozenset[str]:
    """Return the full names of a module and of all modules of the library that it imports, directly or not, at once or later.

    Raises
    ------
    ValueError
        When the library has no such module.
    """
    if _file(module) is None:
        raise ValueError(f"the library has no module '{module}'")
    return _reached({module})


def imported_by(script: Path) -> frozenset[str]:
    """Return the full names of all modules of the library that a script outside of it imports, directly or not."""
    return _reached({module for module, _, _ in _parsed(script, "").imports})


def packages_of(modules: Iterable[str]) -> dict[str, str]:
    """Return the versions of all packages of others that modules of the library import, directly or not, by name."""
    imported = {package for module in modules for one in closure(module) for package in _module(one).packages}
    return {package: version_of(package) for package in sorted(imported)}


def files_of(modules: Iterable[str]) -> list[Path]:
    """Return the sources of modules, but for those that do nothing, and the data beside them: lists, networks, pages."""
    found: set[Path] = set()
    for name in modules:
        source, *data = _files(name)
        found |= {*data} if _module(name).is_silent else {source, *data}
    return sorted(found)


@cache
def library_files() -> tuple[Path, ...]:
    """Return every file of the library that says anything: sources, but for those that do nothing, and data."""
    return tuple(files_of(_below(PACKAGE)))


def _reached(first: set[str]) -> frozenset[str]:
    reached: set[str] = set()
    waiting = set(first)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        # Whoever imports a module runs the folders above it as well.
        above = name.rpartition(".")[0]
        waiting |= (_module(name).modules | ({above} if above else set())) - reached
    return frozenset(reached)


def _files(name: str) -> tuple[Path, ...]:
    source = _file(name)
    assert source is not None
    return source, *_data_beside(source.parent)


@cache
def _module(name: str) -> _Module:
    source, *data = _files(name)
    seen = _parsed(source, name)
    lines = source.read_text(encoding="utf-8").split("\n")
    digest = hashlib.sha256("\n".join(line for number, line in enumerate(lines, 1) if number not in seen.lines).encode())
    for path in data:
        digest.update(f"\0{path.relative_to(source.parent).as_posix()}\0{sha256_of(path)}".encode())
    packages = {DISTRIBUTIONS.get(package, package) for package in seen.packages}
    return _Module(digest.hexdigest(), frozenset(seen.imports), frozenset(packages), seen.is_silent)


def _parsed(source: Path, name: str) -> _Seen:
    with _PARSER:
        tree = ast.parse(source.read_bytes(), source)
    seen = _Seen(is_silent=all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in tree.body))
    own = name if source.stem == "__init__" else name.rpartition(".")[0]
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import):
            pairs = [(alias.name, "", alias.asname or alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            pairs = [_imported(node.module or "", alias) for alias in node.names]
        else:
            continue
        ours = {pair for pair in pairs if pair[0].split(".")[0] == PACKAGE}
        seen.imports |= ours
        if ours:
            seen.lines |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        others = {pair[0].split(".")[0] for pair in pairs} - {PACKAGE}
        seen.packages |= others - stdlib_module_names
    seen.imports |= {(module, "", "") for module in _imported_by_name(nodes, own)}
    return seen


def _imported(module: str, alias: ast.alias) -> tuple[str, str, str]:
    """Return the module, the name in it, and the name here, of one name of ``from module import name``."""
    inner = f"{module}.{alias.name}"
    here = alias.asname or alias.name
    if module.split(".")[0] == PACKAGE and _file(inner) is not None:
        return inner, "", here
    return module, alias.name, here


def _imported_by_name(nodes: list[ast.AST], own: str) -> Iterator[str]:
    """Yield the modules that may be imported by a name that is text: registries, and folders that import all their modules.

    Parameters
    ----------
    nodes
        All of a module.
    own
        The full name of its folder.
    """
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    if "iter_modules" in names:
        left_out = _left_out(nodes)
        yield from (name for name in _below(own) if not left_out & set(name.split(".")))
    if "import_module" not in names:
        return
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(f"{PACKAGE}."):
            if node.value.endswith("."):  # the beginning of a name, as in f"scrubin.cli.{name}"
                yield from _below(node.value.rstrip("."))
            elif _file(node.value) is not None:
                yield node.value


def version_of(package: str) -> str:
    """Return the version of a package that is installed here, or that there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _left_out(nodes: list[ast.AST]) -> set[str]:
    """Return the names of modules that a folder which imports all others leaves out: its tuple ``NOT_REGISTERED``."""
    return {
        one.value
        for node in nodes
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [NOT_REGISTERED]
        for one in ast.walk(node.value)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }


def _below(package: str) -> Iterator[str]:
    folder = LIBRARY.parent.joinpath(*package.split("."))
    for path in sorted(folder.rglob("*.py")):
        yield ".".join((package, *path.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__")


@cache
def _file(name: str) -> Path | None:
    first, *inside = name.split(".")
    if first != PACKAGE:
        return None
    path = LIBRARY.joinpath(*inside)
    return next((one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file()), None)


@cache
def _data_beside(folder: Path) -> tuple[Path, ...]:
    """Return what is no Python in a folder, and in the folders inside it that hold no Python."""
    found: list[Path] = []
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            # A folder whose modules have moved away keeps their bytecode: that is no data.
            if not any(path.rglob("*.py")):
                found += [one for one in sorted(path.rglob("*")) if one.is_file() and not BYTECODE & set(one.parts)]
        elif path.suffix != ".py" and path.name != EARLIER_CODES:
            found.append(path)
    return tuple(found)
