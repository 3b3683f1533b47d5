"""``params.yaml``, section by section, as frozen dataclasses.

Each stage declares its section in its own ``params.py``; every key must be present, so that
the file shows every number a curator may change. Only one that older files cannot have, ``added_later``,
has its default without a word. An unknown key is an error that names the
near miss, because a typo that is silently ignored gives wrong numbers.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import os
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from scrubin.base import layout, strangers
from scrubin.base.errors import FileError, ParamsError
from scrubin.base.faults import Fault, hint, near

SECTIONS = (
    "demo",
    "withdrawals",
    "ingest",
    "pseudonymize",
    "screen",
    "decisions",
    "review",
    "render",
    "frames",
    "stereo",
    "scores",
    "annotations",
    "splits",
    "validate",
    "groundtruth",
    "report",
    "release",
)
"""The sections of ``params.yaml``: one per stage, each named like it. ``raw``, ``flows`` and ``label`` stand above them."""

KEYS = ("raw", "flows", "label", *SECTIONS)
T = TypeVar("T")
PARAMS_PATH = Path("params.yaml")


def ranged(*, low: float | None = None, high: float | None = None, choices: tuple[Any, ...] | None = None) -> Any:
    """Declare a parameter with its allowed values; both ends are included.

    For a list or a mapping the limits hold for each of its values.
    """
    return dataclasses.field(metadata={"low": low, "high": high, "choices": choices})


def refuse_elsewhere(project: Path = Path()) -> None:
    """Refuse a folder that is no project, before anything is looked up or made in it.

    Raises
    ------
    ParamsError
        When it has no ``params.yaml``.
    """
    if not (project / PARAMS_PATH).is_file():
        raise _no_project(project / PARAMS_PATH)


def read(path: Path = PARAMS_PATH) -> dict[str, Any]:
    """Return the whole file as plain values, after checking its top level."""
    values = _document(path)
    _refuse_unknown(path, "", values, KEYS)
    return values


def raw_folder(path: Path = PARAMS_PATH) -> Path:
    """Return the folder of the raw study, the parameter ``raw``."""
    return _raw(path, read(path))


def raw_of(path: Path = PARAMS_PATH) -> Path:
    """Return the same, whatever is wrong with other parameters."""
    return _raw(path, _document(path))


def _raw(path: Path, values: Mapping[Any, Any]) -> Path:
    raw = values.get("raw")
    if not isinstance(raw, str) or not raw.strip():
        raise ParamsError(f"{path}: 'raw' must name the folder of the raw study, such as data/raw, but is {raw!r}")
    why = _no_place_of_raw(path.parent, raw)
    if why:
        raise ParamsError(f"{path}: 'raw' must name the folder of the raw study, such as data/raw, but {raw!r} {why}")
    return Path(raw)


def _no_place_of_raw(project: Path, raw: str) -> str:
    """Return why a folder cannot hold the raw study: it is changed by nobody, and what the pipeline writes would be read as part of it."""
    if "\\" in raw and os.sep == "/":
        return "has a backslash; write / between the names of folders"
    if "\0" in raw:
        return "has a character that no folder has"
    if (project / raw).is_file():
        return "is a file"
    for ours in (layout.INTERIM, layout.PRIVATE, layout.TABLES, layout.UNRELEASED, layout.RELEASE, layout.REPORTS):
        # By their names, and where links lead: the raw study may lie on another disk.
        for place in (os.path.abspath, os.path.realpath):
            folder, written = Path(place(project / raw)), place(project / ours)
            if folder.is_relative_to(written) or Path(written).is_relative_to(folder):
                return f"is not apart from {ours}, which the pipeline writes"
    return ""


def load(section: str, declared: type[T], path: Path = PARAMS_PATH) -> T:
    """Return one section as an instance of the dataclass that declares it.

    Raises
    ------
    ParamsError
        For an unknown or missing key, a wrong type or a value out of range, by its full name.
    """
    return _section(path, section, read(path), declared)


def load_each(declared: Mapping[str, type[Any]], path: Path = PARAMS_PATH) -> tuple[dict[str, Any], list[Fault]]:
    """Return all sections that can be used, by name, and everything that is wrong in any.

    Parameters
    ----------
    declared
        By section, the dataclass that declares it.

    Raises
    ------
    ParamsError
        When the file cannot be read as sections.
    """
    values, wrong, loaded = _document(path), list[Fault](), {}
    with ParamsError.noted(wrong):
        _refuse_unknown(path, "", values, KEYS)
    for section, one in declared.items():
        with ParamsError.noted(wrong):
            loaded[section] = _section(path, section, values, one)
    return loaded, wrong


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let errors name the file that was read: whoever judges values says ``params.yaml`` of any."""
    try:
        yield
    except ParamsError as error:
        said = f"{PARAMS_PATH}: "
        whats = [one.what.replace(said, f"{path}: ", 1) if one.what.startswith(said) else one.what for one in error.faults]
        raise ParamsError(dataclasses.replace(one, what=what) for one, what in zip(error.faults, whats, strict=True)) from error


def _document(path: Path) -> dict[Any, Any]:
    try:
        values = strangers.read_yaml(path)
    except FileNotFoundError as error:
        raise _no_project(path) from error
    except OSError as error:
        msg = f"{path}: cannot be read as YAML: {error if isinstance(error, FileError) else error.strerror}"
        with contextlib.suppress(OSError):
            if line := conflict_line(strangers.read_bytes(path, limit="yaml_mb")):
                msg = f"{path}: git left a merge conflict at line {line}; keep one side of each, and take out the lines of <, = and >"
        raise ParamsError(msg) from error
    if not isinstance(values, dict):
        raise ParamsError(f"{path}: expected sections such as 'ingest:', but got {type(values).__name__}")
    return values


def conflict_line(text: bytes) -> int:
    r"""Return the line at which git left its first merge conflict in a text; 0 where it left none.

    >>> conflict_line(b"a: 1\n<<<<<<< HEAD\nb: 1\n"), conflict_line(b"a: '<<<<<<< '\n")
    (2, 0)
    """
    return next((number for number, line in enumerate(text.split(b"\n"), start=1) if line.startswith(b"<<<<<<< ")), 0)


def _no_project(path: Path) -> ParamsError:
    if path.is_dir():
        return ParamsError(
            f"{path}: it is a folder, and a study has its parameters in a file of this name; move it away, and restore the file"
        )
    return ParamsError(f"{path}: there is no such file here; go into the folder of a study, or begin one by scrubin new-study")


def _section(path: Path, section: str, values: Mapping[Any, Any], declared: type[T]) -> T:
    if section not in values:
        raise ParamsError(f"{path}: section '{section}' is missing")
    return _build(path, section, values[section], declared)


def _build(path: Path, where: str, values: Any, declared: type[T]) -> T:
    if not isinstance(values, dict):
        raise ParamsError(f"{path}: '{where}' must be a section with keys, but is {values!r}")
    fields = {field.name: field for field in dataclasses.fields(declared)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(declared)
    replaced = getattr(declared, "REPLACED", {})
    wrong, built = list[Fault](), {}
    with ParamsError.noted(wrong):
        _refuse_replaced(path, where, values, replaced)
    with ParamsError.noted(wrong):
        _refuse_unknown(path, where, values, (*fields, *(set(replaced) & set(values))), known=tuple(fields))
    unknown = set(values) - set(fields)
    for name, field in fields.items():
        with ParamsError.noted(wrong):
            if name in values:
                built[name] = _value(path, f"{where}.{name}", values[name], hints[name], field)
            elif near(name, map(str, unknown)) is None and not field.metadata.get("added_later"):  # else the unknown one is it, misspelt
                raise ParamsError(f"{path}: '{where}.{name}' is missing")
    ParamsError.raise_any(wrong)
    with naming(path):
        return declared(**built)


def _value(path: Path, where: str, value: Any, hint: Any, field: dataclasses.Field[Any]) -> Any:
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        return _value(path, where, value, _alternative(path, where, arguments, value), field)
    if origin is tuple:
        _expect(path, where, value, list, "a list")
        return tuple(_values(path, {f"{where}[{i}]": item for i, item in enumerate(value)}, arguments[0], field).values())
    if origin in (dict, Mapping):
        _expect(path, where, value, dict, "a mapping")
        by_name = _values(path, {f"{where}.{key}": item for key, item in value.items()}, arguments[1], field)
        return dict(zip(map(str, value), by_name.values(), strict=True))
    if dataclasses.is_dataclass(hint):
        return _build(path, where, value, typing.cast("type[Any]", hint))
    return _scalar(path, where, value, hint, field)


def _values(path: Path, values: Mapping[str, Any], hint: Any, field: dataclasses.Field[Any]) -> dict[str, Any]:
    """Return values by their full names; everything that is wrong with any of them is said at once."""
    wrong, built = list[Fault](), {}
    for where, value in values.items():
        with ParamsError.noted(wrong):
            built[where] = _value(path, where, value, hint, field)
    ParamsError.raise_any(wrong)
    return built


def _alternative(path: Path, where: str, arguments: tuple[Any, ...], value: Any) -> Any:
    """Return the member of a union that a value is meant for: a section for a mapping, else the first that is none.

    Of several sections, the one that its ``kind`` names.
    """
    known = [argument for argument in arguments if argument is not type(None)]
    sections = [argument for argument in known if dataclasses.is_dataclass(argument)]
    others = [argument for argument in known if argument not in sections]
    if isinstance(value, dict) and len(sections) > 1:
        return _section_named(path, where, sections, value)
    mappings = [argument for argument in others if typing.get_origin(argument) in (dict, Mapping)]
    others = [argument for argument in others if argument not in mappings]
    return (sections or mappings or others)[0] if isinstance(value, dict) else (others or sections or mappings)[0]


def _section_named(path: Path, where: str, sections: list[Any], value: Mapping[Any, Any]) -> Any:
    by_name = {field.metadata["choices"][0]: of for of in sections for field in dataclasses.fields(of) if field.name == "kind"}
    name = value.get("kind")
    if name not in by_name:
        raise ParamsError(f"{path}: '{where}.kind' must be one of {', '.join(by_name)}, but is {name!r}{_did_you_mean(name, by_name)}")
    return by_name[name]


def _scalar(path: Path, where: str, value: Any, hint: Any, field: dataclasses.Field[Any]) -> Any:
    if hint is Fraction:
        value = _fraction(path, where, value)
    elif hint is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    elif type(value) is not hint:
        quotes = hint is str and isinstance(value, int | float | datetime.date)
        shown = f"{value}, which YAML takes for something else; put it into quotes" if quotes else repr(value)
        raise ParamsError(f"{path}: '{where}' must be {_NAMES[hint]}, but is {shown}")
    choices = field.metadata.get("choices")
    if choices is not None and value not in choices:
        msg = f"{path}: '{where}' must be one of {', '.join(map(str, choices))}, but is {value!r}{_did_you_mean(value, choices)}"
        raise ParamsError(msg)
    low, high = field.metadata.get("low"), field.metadata.get("high")
    # Written as "not (inside)", so that NaN is refused as well.
    if isinstance(value, (int, float, Fraction)) and not ((low is None or value >= low) and (high is None or value <= high)):
        raise ParamsError(f"{path}: '{where}' must lie in [{_end(low, '-inf')}, {_end(high, 'inf')}], but is {value}")
    return value


def _did_you_mean(value: Any, choices: Iterable[Any]) -> str:
    close = near(str(value), map(str, choices))
    return f"; did you mean '{close}'?" if close else ""


def _fraction(path: Path, where: str, value: Any) -> Fraction:
    # A float such as 29.97 is not 30000/1001: only exact spellings are taken.
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, str):
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            pass
    raise ParamsError(f"{path}: '{where}' must be a whole number or a fraction in quotes such as '30000/1001', but is {value!r}")


def _end(value: float | None, unbounded: str) -> str:
    return unbounded if value is None else str(value)


def _expect(path: Path, where: str, value: Any, expected: type, name: str) -> None:
    if not isinstance(value, expected):
        raise ParamsError(f"{path}: '{where}' must be {name}, but is {value!r}")


def _refuse_unknown(
    path: Path, where: str, values: Mapping[Any, Any], allowed: tuple[str, ...], known: tuple[str, ...] | None = None
) -> None:
    """Refuse all keys but the allowed ones; ``known`` are those that could have been meant, None: the same."""
    wrong: list[Fault] = []
    for key in sorted(map(str, values)):
        with ParamsError.noted(wrong):
            if key not in allowed:
                name = f"{where}.{key}" if where else key
                raise ParamsError(f"{path}: '{name}' is not a parameter; {hint(key, known or allowed)}")
    ParamsError.raise_any(wrong)


def _refuse_replaced(path: Path, where: str, values: Mapping[Any, Any], replaced: Mapping[str, str]) -> None:
    """Refuse a parameter that there is no more, with what a section's ``REPLACED`` says to write instead."""
    for key in sorted(set(map(str, values)) & set(replaced)):
        raise ParamsError(f"{path}: '{where}.{key}' is no parameter any more; {replaced[key]}")


_NAMES = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
