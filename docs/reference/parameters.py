"""Every parameter: its value as shipped, what is allowed, and the comment beside it in params.yaml."""

from __future__ import annotations

import dataclasses
import inspect
import re
import types
import typing
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from reference.markdown import code, sentence, table
from scrubin.curate.preflight.preflight import DECLARED

PARAMS = Path(__file__).parents[2] / "params.yaml"
TYPES = {int: "whole number", float: "number", str: "text", bool: "true or false", Fraction: "whole number or exact fraction"}
LONGEST = 60
"""Values with more characters are shown as "see params.yaml"."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One line of params.yaml: its full name, value (None: a section), comment, and the type and limits that are declared for it."""

    name: str
    value: yaml.Node | None
    comment: str
    hint: Any
    limits: Mapping[str, Any]


def text() -> str:
    """Return a section for each section of params.yaml."""
    return "\n".join(_section(name) for name in DECLARED)


def entries(section: str) -> list[Entry]:
    """Return every parameter of a section, in the order of the file."""
    lines, sections = _file()
    return list(_entries(section, sections[section][1], DECLARED[section], lines))


def _file() -> tuple[list[str], Mapping[str, tuple[yaml.Node, yaml.Node]]]:
    """Return the lines of params.yaml, and key and value of each section."""
    written = PARAMS.read_text(encoding="utf-8")
    top = yaml.compose(written)
    assert isinstance(top, yaml.MappingNode)
    return written.splitlines(), {key.value: (key, value) for key, value in top.value}


def _section(name: str) -> str:
    lines, sections = _file()
    shipped = entries(name)
    rows = ((code(one.name), _shown(one.value, lines), _allowed(one.hint, one.limits), sentence(one.comment)) for one in shipped)
    body = table(("parameter", "as shipped", "allowed", "meaning"), rows) if shipped else "It has no parameters.\n"
    known = {DECLARED[name], *(one.hint for one in shipped)}
    more = [_form(of) for of in forms(DECLARED[name]) if of not in known]
    further = ["Sections inside, with all their keys:\n", *more] if more else []
    return "\n".join([f"({name}-parameters)=\n## {name}\n", f"{sentence(_comment(lines, sections[name][0]))}\n", body, *further])


def _entries(name: str, node: yaml.Node, hint: Any, lines: list[str]) -> Iterator[Entry]:
    if not isinstance(node, yaml.MappingNode):
        return
    for key, value in node.value:
        declared, limits = _declared(hint, key.value, value)
        inside = isinstance(value, yaml.MappingNode) and not value.flow_style and value.value
        full = f"{name}.{key.value}"
        if inside:
            if _comment(lines, key):
                yield Entry(full, None, _comment(lines, key), declared, limits)
            yield from _entries(full, value, declared, lines)
        else:
            yield Entry(full, value, _comment(lines, key), declared, limits)


def _declared(hint: Any, key: str, value: yaml.Node) -> tuple[Any, Mapping[str, Any]]:
    """Return type and limits of a key of a section or mapping."""
    if dataclasses.is_dataclass(hint):
        field = {one.name: one for one in dataclasses.fields(hint)}[key]
        return typing.get_type_hints(hint)[key], field.metadata
    inner = typing.get_args(hint)[1]
    return _member(inner, value), {}


def _member(hint: Any, value: yaml.Node) -> Any:
    """Return the member of a union of sections that a mapping's ``kind`` names."""
    if typing.get_origin(hint) not in (typing.Union, types.UnionType) or not isinstance(value, yaml.MappingNode):
        return hint
    named = next((one.value for key, one in value.value if key.value == "kind"), None)
    return next(of for of in typing.get_args(hint) if named in _names(of))


def _names(hint: Any) -> tuple[str, ...]:
    return next((field.metadata["choices"] for field in dataclasses.fields(hint) if field.name == "kind"), ())


def _comment(lines: list[str], node: yaml.Node) -> str:
    comment = re.search(r"\s#\s(.*)$", lines[node.start_mark.line])
    return comment[1].strip() if comment else ""


def _shown(node: yaml.Node | None, lines: list[str]) -> str:
    """Return a value as it is written in the file."""
    if node is None:
        return ""
    start, end = node.start_mark, node.end_mark
    written = lines[start.line][start.column : end.column] if start.line == end.line else ""
    return code(written) if 0 < len(written) <= LONGEST else "see `params.yaml`"


def _allowed(hint: Any, limits: Mapping[str, Any]) -> str:
    choices = limits.get("choices")
    if choices:
        return ", ".join(map(code, map(str, choices))) + _or_null(hint)
    low, high = limits.get("low"), limits.get("high")
    name = _type(hint)
    if low is not None and high is not None:
        return f"{name}, {low:g} to {high:g}{_or_null(hint)}"
    return f"{name}{f', at least {low:g}' if low is not None else ''}{_or_null(hint)}"


def _or_null(hint: Any) -> str:
    return ", or `null`" if type(None) in typing.get_args(hint) else ""


def _type(hint: Any) -> str:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(_type(one) for one in inner if one is not type(None)))
    if origin is tuple:
        return f"list of {_type(inner[0])}" if inner[0] in TYPES else "list"
    if origin is not None:
        return "keys and values"
    return "section" if dataclasses.is_dataclass(hint) else TYPES[hint]


def forms(hint: Any) -> list[Any]:
    """Return every section that can stand inside a section, each once."""
    sections: list[Any] = []
    for one in typing.get_type_hints(hint).values() if dataclasses.is_dataclass(hint) else typing.get_args(hint):
        for inner in ([one] if dataclasses.is_dataclass(one) else []) + forms(one):
            if inner not in sections:
                sections.append(inner)
    return sections


def _form(hint: Any) -> str:
    """Return a table of the keys of a section, with what its docstring says of them."""
    said = _documented(hint)
    hints = typing.get_type_hints(hint)
    rows = [(code(one.name), _allowed(hints[one.name], one.metadata), said.get(one.name, "")) for one in dataclasses.fields(hint)]
    first = (inspect.getdoc(hint) or "").split("\n\n")[0].replace("\n", " ")
    return f"{first}\n\n{table(('key', 'allowed', 'meaning'), rows)}"


def _documented(hint: Any) -> dict[str, str]:
    """Return what the section Parameters of a docstring says, by name."""
    _, _, below = (inspect.getdoc(hint) or "").partition("Parameters\n----------\n")
    meanings: dict[str, list[str]] = {}
    names: list[str] = []
    for line in below.splitlines():
        if line and not line.startswith(" "):
            names = [name.strip() for name in line.split(",")]
        for name in names if line.startswith(" ") else ():
            meanings.setdefault(name, []).append(line.strip())
    return {name: " ".join(of) for name, of in meanings.items()}
