"""Keys that stand twice in a YAML file that people write: a reader takes the last one and says nothing."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

from scrubin.base import machine, strangers
from scrubin.base.errors import FileError
from scrubin.base.faults import Fault, error
from scrubin.base.text.csv_text import shown


def of_file(path: Path, file: str | None = None) -> list[Fault]:
    """Return a fault for each key of a file that stands twice in one place; none for what cannot be read, its reader says so.

    Parameters
    ----------
    file
        Its name for messages; None: the path.
    """
    try:
        return of_text(strangers.read_bytes(path, limit="yaml_mb"), str(path) if file is None else file)
    except OSError:
        return []


def of_text(text: bytes | str, file: str) -> list[Fault]:
    r"""Return the same of a text.

    >>> [fault.sentence for fault in of_text("a: {b: 1}\na:\n  c: 2\n", "p.yaml")]
    ["p.yaml, line 2: the key 'a' stands twice, first in line 1; keep one of them"]
    >>> [fault.place for fault in of_text("yes: 1\ntrue: 2\n1.0: 3\n'1': 4\n", "p.yaml")]
    ['line 2', 'line 3']
    """
    machine.require_package("yaml", f"reading {file}")
    import yaml

    try:
        strangers.refuse_yaml_bomb(text, file)
        root: Any = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (FileError, yaml.YAMLError, *strangers.BROKEN_VALUES):
        return []
    return list(_faults(root, "", file, set()))


def _faults(node: Any, where: str, file: str, seen: set[int]) -> Iterator[Fault]:
    # What an alias names is told once, where it stands.
    if node is None or node.id == "scalar" or id(node) in seen:
        return
    seen.add(id(node))
    if node.id == "sequence":
        for number, one in enumerate(node.value):
            yield from _faults(one, f"{where}[{number}]", file, seen)
        return
    lines: dict[Hashable, int] = {}
    for key, value in node.value:
        name = f"{where}.{key.value}".removeprefix(".") if key.id == "scalar" else where
        line = key.start_mark.line + 1
        if key.id == "scalar" and key.tag == "tag:yaml.org,2002:merge":
            pass  # a reader takes all of them
        elif key.id == "scalar" and (read := _read(key)) in lines:
            what = f"the key '{shown(name)}' stands twice, first in line {lines[read]}"
            yield error(file, "key-repeated", what, "keep one of them", place=f"line {line}")
        elif key.id == "scalar":
            lines[read] = line
        yield from _faults(value, name, file, seen)


def _read(key: Any) -> Hashable:
    """Return what a reader takes a key for: ``yes`` and ``true`` are one."""
    import yaml

    try:
        read: Hashable = yaml.constructor.SafeConstructor().construct_object(key)
    except (yaml.YAMLError, *strangers.BROKEN_VALUES):
        return key.tag, key.value
    return read
