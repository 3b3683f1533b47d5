"""``training_data.yaml``: what a model was trained on, read strictly, each entry with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubin.base import machine, strangers
from scrubin.base.errors import AnnotationError, FileError
from scrubin.base.faults import Faults, error, hint
from scrubin.labels.choices import DECLARATION

NAME = DECLARATION
_TEXT = """\
# What the model saw before it was tested, down to the weights that it started from.
# Check it at home: scrubin submission training {name} --test {test}
version: 1

# Has everything been named below? yes, or no when something is not known.
complete: no

# Day after which nothing was trained any more, as 2027-05-01; or unknown.
trained_until: unknown

# Public data sets, for training, validation or self-supervision. [] when there are none.
# Names are those of `scrubin splits leaks --help`; any other name can be written, too, but nobody can verify it.
#   - name: cholec80
#     videos: 1-40          # all, unknown, a list such as 1-40,68, or a subset of an official split:
#   - name: cholec80/40-40
#     videos: train
datasets: []

# Weights that training started from. [] when it started from nothing.
#   - name: EndoViT_SPR
#   - name: our own encoder
#     trained_on: [cholec80, imagenet-1k]
weights: []

# Recordings that nobody has published. [] when there are none.
#   - description: 120 cholecystectomies of our hospital, 2019-2023
#     shares_operations: no  # with the test set: yes, no or unknown
own_data: []
"""


def text(test: str) -> str:
    """Return the form; ``test`` is what `scrubin splits leaks` calls the test set, "" when it is of no public data set."""
    return _TEXT.format(name=NAME, test=test or "NAME:SUBSET")


VERSION = 1
KEYS = ("version", "complete", "trained_until", "datasets", "weights", "own_data")
UNKNOWN, ALL = "unknown", "all"
ANSWERS = ("yes", "no", UNKNOWN)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class DeclaredDataset:
    """A data set: its name, which videos (``all``, ``unknown``, a list or a subset), and where that stands."""

    name: str
    videos: str
    line: int


@dataclass(frozen=True)
class DeclaredWeights:
    """Weights that training started from, and on what these were trained, where it is said; empty: by their name."""

    name: str
    trained_on: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class OwnData:
    """Recordings that nobody has published, and whether their owner says that they share operations with the test set."""

    description: str
    shares_operations: str
    line: int


@dataclass(frozen=True)
class Declaration:
    """Everything that a submission says of its training data.

    Parameters
    ----------
    complete
        Whether its authors say that nothing else was used.
    trained_until
        Last day of training; "unknown".
    datasets, weights, own_data
        Entries, in the order of the file.
    """

    complete: bool
    trained_until: str
    datasets: tuple[DeclaredDataset, ...]
    weights: tuple[DeclaredWeights, ...]
    own_data: tuple[OwnData, ...]


def read(path: Path) -> Declaration:
    """Return the declaration of a file.

    Raises
    ------
    AnnotationError
        With every fault, each with its line and mend.
    """
    try:
        # A team hands it in, and messages quote it: it must not lead to a file of whoever checks it.
        with strangers.opened(path, inside=path.parent) as opened:
            data = opened.read(_MOST_BYTES + 1)
        text = data.decode("utf-8")
    except OSError as problem:
        raise AnnotationError([error(str(path), "file-unreadable", f"cannot be read: {problem.strerror}", "name the file")]) from problem
    except UnicodeDecodeError as problem:
        raise AnnotationError([error(str(path), "file-encoding", "is no UTF-8 text", "save it as UTF-8")]) from problem
    if len(data) > _MOST_BYTES:
        raise AnnotationError([error(str(path), "file-size", "is more than 1 MiB", "write a list of data sets, not of frames")])
    return _Reader(str(path) if path.name != NAME else path.name).declaration(text)


class _Reader:
    """Reads YAML nodes, because only these know their lines."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.faults = Faults()

    def declaration(self, text: str) -> Declaration:
        root = self._root(text)
        fields = self._fields(root, KEYS, "the file", required=KEYS)
        self._version(fields)
        complete = self._one_of(fields, "complete", ("yes", "no"))
        until = self._scalar(fields, "trained_until")
        if until is not None and until != UNKNOWN and not _is_day(until):
            self._fault(fields["trained_until"], f"'{until}' is no day", "write it as 2027-05-01, or unknown")
        datasets = self._entries(fields, "datasets", self._dataset)
        weights = self._entries(fields, "weights", self._weights)
        own = self._entries(fields, "own_data", self._own)
        AnnotationError.raise_any(self.faults)
        return Declaration(complete == "yes", until or UNKNOWN, tuple(datasets), tuple(weights), tuple(own))

    def _root(self, text: str) -> Any:
        machine.require_package("yaml", self.file)
        import yaml

        try:
            strangers.refuse_yaml_bomb(text, self.file)
            root: Any = yaml.compose(text, Loader=yaml.SafeLoader)
        except FileError as problem:
            raise AnnotationError([error(self.file, "yaml", problem.strerror, "")]) from problem
        except yaml.YAMLError as problem:
            mark = getattr(problem, "problem_mark", None)
            place = "" if mark is None else f"line {mark.line + 1}"
            what = f"cannot be read as YAML ({getattr(problem, 'problem', None) or 'syntax'})"
            raise AnnotationError([error(self.file, "yaml", what, "compare with the form of the starting kit", place=place)]) from problem
        except RecursionError as problem:
            raise AnnotationError([error(self.file, "yaml", "is nested too deeply", "compare with the form")]) from problem
        if root is None or root.id != "mapping":
            raise AnnotationError([error(self.file, "layout", "has no fields", f"give {', '.join(KEYS)}")])
        return root

    def _fields(self, node: Any, known: Collection[str], where: str, required: Collection[str] = ()) -> dict[str, Any]:
        """Return the values of an object by key; unknown and repeated keys are faults."""
        fields: dict[str, Any] = {}
        for key, value in node.value:
            name = str(key.value)
            if name not in known:
                self._fault(key, f"'{name}' is no field of {where}", hint(name, sorted(known)))
            elif name in fields:
                self._fault(key, f"'{name}' stands twice", "keep one")
            fields[name] = value
        for name in required:
            if name not in fields:
                self._fault(node, f"{where} has no '{name}'", f"add it; {_EXPECTED[name]}")
        return fields

    def _version(self, fields: Mapping[str, Any]) -> None:
        version = self._scalar(fields, "version")
        if version is not None and version != str(VERSION):
            self._fault(fields["version"], f"is of version {version}", f"write version: {VERSION}")

    def _entries(self, fields: Mapping[str, Any], name: str, read_one: Callable[[Any], Any]) -> list[Any]:
        node = fields.get(name)
        if node is None:
            return []
        if node.id != "sequence":
            self._fault(node, f"'{name}' is no list", f"write [] when there is none; {_EXPECTED[name]}")
            return []
        read = []
        for entry in node.value:
            if entry.id != "mapping":
                self._fault(entry, f"an entry of '{name}' has no fields", _EXPECTED[name])
            elif (one := read_one(entry)) is not None:
                read.append(one)
        return read

    def _dataset(self, node: Any) -> DeclaredDataset | None:
        fields = self._fields(node, ("name", "videos"), "a data set", ("name", "videos"))
        name, videos = self._scalar(fields, "name"), self._scalar(fields, "videos", listed=True)
        return None if not name or not videos else DeclaredDataset(name, videos, _line(node))

    def _weights(self, node: Any) -> DeclaredWeights | None:
        fields = self._fields(node, ("name", "trained_on"), "weights", ("name",))
        name = self._scalar(fields, "name")
        listed = fields.get("trained_on")
        if listed is not None and (listed.id != "sequence" or any(one.id != "scalar" for one in listed.value)):
            self._fault(listed, "'trained_on' is no list of names", "write [cholec80, imagenet-1k]")
            return None
        trained_on = () if listed is None else tuple(str(one.value) for one in listed.value)
        return None if not name else DeclaredWeights(name, trained_on, _line(node))

    def _own(self, node: Any) -> OwnData | None:
        fields = self._fields(node, ("description", "shares_operations"), "own data", ("description", "shares_operations"))
        description, shares = self._scalar(fields, "description"), self._one_of(fields, "shares_operations", ANSWERS)
        return None if not description or shares is None else OwnData(description, shares, _line(node))

    def _one_of(self, fields: Mapping[str, Any], name: str, allowed: Collection[str]) -> str | None:
        value = self._scalar(fields, name)
        if value is None:
            return None
        folded = {"true": "yes", "false": "no"}.get(value.casefold(), value.casefold())
        if folded not in allowed:
            self._fault(fields[name], f"'{name}' is '{value}'", f"write {', '.join(allowed)}")
            return None
        return folded

    def _scalar(self, fields: Mapping[str, Any], name: str, *, listed: bool = False) -> str | None:
        """Return the text of a field; a list of numbers is a text, too, where that is meant."""
        node = fields.get(name)
        if node is None:
            return None
        if listed and node.id == "sequence" and all(one.id == "scalar" for one in node.value):
            text = ",".join(str(one.value) for one in node.value)
        elif node.id == "scalar":
            text = str(node.value).strip()
        else:
            text = ""
        if not text or text in ("~", "null"):
            self._fault(node, f"'{name}' says nothing", _EXPECTED.get(name, "write a text"))
            return None
        return text

    def _fault(self, node: Any, what: str, fix: str) -> None:
        self.faults.error(self.file, "training-data", what, fix, place=f"line {_line(node)}")


_EXPECTED = {
    "version": f"write version: {VERSION}",
    "complete": "write yes or no",
    "trained_until": "write a day, or unknown",
    "datasets": "an entry has name and videos",
    "weights": "an entry has name, and trained_on where the name alone does not tell",
    "own_data": "an entry has description and shares_operations",
    "name": "write the name",
    "videos": "write all, unknown, a list such as 1-40,68, or the subset of a split",
    "description": "write what it is",
    "shares_operations": "write yes, no or unknown",
}


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _is_day(text: str) -> bool:
    from datetime import date

    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return bool(_DAY.fullmatch(text))
