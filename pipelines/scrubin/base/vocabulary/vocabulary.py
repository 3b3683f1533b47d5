"""One vocabulary: names with ids of instruments, verbs, targets, triplets, phases, steps, gestures, marks; which phase may follow which.

Ids are 0-based; what a format numbers from 1 is converted where it is read. A vocabulary is one or
two data files in ``lists``, ``<name>.json`` and, where there are triplets, ``<name>_triplets.csv``,
each with its source. Where a data set's names are not known, a file's own categories are the
vocabulary (module ``own``).

A workflow is a CSV in ``workflows`` with the columns ``from`` and ``to``; its head names the source and the
vocabularies of the same operation. Of other operations no order is published, so none is assumed.
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, hint, near
from scrubin.base.text.naming import seen

Kind = Literal["instrument", "verb", "target", "phase"]
Naming = Literal["instrument", "verb", "target", "phase", "step", "gesture", "mark"]
Component = Literal["i", "v", "t", "iv", "it", "ivt"]
KINDS: tuple[Kind, ...] = get_args(Kind)
NAMINGS: tuple[Naming, ...] = get_args(Naming)
PARTS: tuple[Naming, Naming, Naming] = ("instrument", "verb", "target")
"""Of a triplet, in order."""
COMPONENTS: tuple[Component, ...] = get_args(Component)
FOLDER = Path(__file__).resolve().parent
LISTS = FOLDER / "lists"
TRIPLETS_SUFFIX = "_triplets.csv"
SAME_LISTS = {"cholect45": "cholect50"}
"""Data sets whose lists are those of another one."""
RELATED = ({"cholec80", "cholect50", "cholectrack20", "m2cai"},)
"""Vocabularies of the same operations: elsewhere the same word is another thing."""
_BLANK = re.compile("[ _]+")
_HYPHENS = re.compile("-+")
_COUNTED = frozenset("<>\u2264\u2265\u2266\u2267=\u2260\u00b1+\u00d7\u00f7~\u2248")
"""Signs that compare or calculate. Of the minus, which many write as a hyphen, see `bare`."""
_QUOTES = "'`\"\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a"
_HARMLESS = f" _#*\u2116{_QUOTES}"
"""What may stand around a number and changes nothing: blanks, quotation marks, marks of lists."""
_LAST = ".):;"
"""What may stand behind the number of a list."""
_FRAMED = re.compile(rf"\[[^\[\]]*\]|<[^<>]*>|\|[^|]*\||[{_QUOTES}].*[{_QUOTES}]")
_NUMBER_OF_LIST = re.compile(r"^(\d[\d.]*)\)")
_TWO_PRIMES = re.compile("['\u2032]{2}")
_INCH = re.compile(r"(?<=\d)\"(?!\w)")
_PRIME = re.compile(r"(?<=\d)['`](?!\w)|(?<=\b[^\W\d_])['`](?!\w)")
"""Of a minute, or of what is not the same as what is called so without it, such as A and A'."""
_POINT = re.compile(r"[.:](?=\d)|(?<=\d)[.:](?=[^\W\d_]\b)")
_AROUND_WORDS = re.compile(r"\(([^\W\d_][^()\[\]]*)\)|\[([^\W\d_][^()\[\]]*)\]")
_ROMAN = re.compile(r"(?<![^\W_])([ivx]+)[ _.:;-]+(?=[ivx]+(?![^\W_]))")
_MINUS = re.compile(r"(?<![^\W_])-(?=[.,]?\d)|-(?=\W*$)")
"""A hyphen that may be a minus: directly before a digit and behind no word, or with no word behind it."""
_TELLS_NOTHING = re.compile(f"[ _.:;\u00ae\u00a9\u2122\u2120{_QUOTES}-]")


@dataclass(frozen=True)
class Vocabulary:
    """Names by id, ids by any known spelling.

    Parameters
    ----------
    name, version, source, sha256
        What it is, where it comes from, and the SHA-256 of its data files.
    instruments, verbs, targets, phases
        Names; the position is the id.
    triplets
        ``(instrument id, verb id, target id)``; the position is the triplet id.
    null_triplets
        Ids of the triplets without an action.
    spellings
        Per kind: id by folded spelling, synonyms and known typos included.
    steps, gestures
        Names of finer activities, where the data set has them.
    marks
        Names of what is marked beside the phases.
    """

    name: str
    version: str
    source: str
    sha256: str
    instruments: tuple[str, ...]
    verbs: tuple[str, ...]
    targets: tuple[str, ...]
    phases: tuple[str, ...]
    triplets: tuple[tuple[int, int, int], ...]
    null_triplets: tuple[int, ...]
    spellings: Mapping[Naming, Mapping[str, int]] = field(repr=False)
    steps: tuple[str, ...] = ()
    gestures: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()

    def names(self, kind: Naming) -> tuple[str, ...]:
        """Return the names of one kind, by id."""
        names: dict[Naming, tuple[str, ...]] = {
            "instrument": self.instruments,
            "verb": self.verbs,
            "target": self.targets,
            "phase": self.phases,
            "step": self.steps,
            "gesture": self.gestures,
            "mark": self.marks,
        }
        return names[kind]

    def find(self, naming: Naming, name: str) -> int | None:
        """Return the id of a name in any known spelling, or None.

        As `fold` compares names: case, spaces, hyphens and underscores do not count, but for signs that change a number: -1 is not 1.

        >>> load("cholect50").find("phase", "CalotTriangleDissection")
        1
        """
        return self.spellings[naming].get(fold(name))

    def unknown(self, naming: Naming, name: str) -> Fault:
        """Return the fault of a name that there is not, with the nearest one that there is."""
        names, close = self.names(naming), near(fold(name), self.spellings[naming])
        known = f"known are {', '.join(names)}" if names else f"it has no {naming}s"
        fix = f"did you mean '{names[self.spellings[naming][close]]}'?" if close else known
        return Fault("", "name-unknown", f"'{name}' is no {naming} of the vocabulary '{self.name}'", fix)

    def id_of(self, naming: Naming, name: str) -> int:
        """Return the id of a name as `find` does.

        Raises
        ------
        AnnotationError
            For an unknown name, with the nearest known one.
        """
        id_ = self.find(naming, name)
        if id_ is None:
            raise AnnotationError([self.unknown(naming, name)])
        return id_

    def triplet_id(self, instrument: int, verb: int, target: int) -> int | None:
        """Return the id of a combination, or None when the vocabulary does not have it."""
        try:
            return self.triplets.index((instrument, verb, target))
        except ValueError:
            return None

    def triplet_name(self, triplet: int) -> str:
        """Return ``instrument,verb,target``, the published way to write a triplet.

        >>> load("cholect50").triplet_name(94)
        'grasper,null_verb,null_target'
        """
        instrument, verb, target = self.triplets[triplet]
        return f"{self.instruments[instrument]},{self.verbs[verb]},{self.targets[target]}"

    def find_triplet(self, name: str) -> int | None:
        """Return the id of ``instrument,verb,target``, each in any known spelling, or None."""
        parts = name.split(",")
        if len(parts) != len(PARTS):
            return None
        instrument, verb, target = (self.find(naming, part) for naming, part in zip(PARTS, parts, strict=True))
        return None if instrument is None or verb is None or target is None else self.triplet_id(instrument, verb, target)

    def unknown_triplet(self, name: str) -> Fault:
        """Return the fault of a triplet that there is not: of the first part that there is not, or of all three together."""
        parts = name.split(",")
        if len(parts) == len(PARTS):
            for naming, part in zip(PARTS, parts, strict=True):
                if self.find(naming, part) is None:
                    return self.unknown(naming, part)
        return Fault("", "triplet-unknown", f"'{name}' is no triplet of the vocabulary '{self.name}'", "correct one of its parts")

    def triplet_of(self, name: str) -> int:
        """Return the id of ``instrument,verb,target`` as `find_triplet` does.

        Raises
        ------
        AnnotationError
            For an unknown name, or a combination that the vocabulary does not have.
        """
        id_ = self.find_triplet(name)
        if id_ is None:
            raise AnnotationError([self.unknown_triplet(name)])
        return id_

    def component(self, component: Component) -> tuple[int, ...]:
        """Return the component id of each triplet, in order of triplet ids.

        ``iv = n_verbs * i + v`` and ``it = n_targets * i + t`` (Nwoye & Padoy 2022, section 3, equation 3).
        """
        n_verbs, n_targets = len(self.verbs), len(self.targets)
        columns: dict[Component, tuple[int, ...]] = {
            "i": tuple(i for i, _, _ in self.triplets),
            "v": tuple(v for _, v, _ in self.triplets),
            "t": tuple(t for _, _, t in self.triplets),
            "iv": tuple(n_verbs * i + v for i, v, _ in self.triplets),
            "it": tuple(n_targets * i + t for i, _, t in self.triplets),
            "ivt": tuple(range(len(self.triplets))),
        }
        return columns[component]

    def component_ids(self, component: Component) -> tuple[int, ...]:
        """Return the ids that occur, increasing: position k of a component vector has the k-th of them.

        >>> len(load("cholect50").component_ids("iv")), len(load("cholect50").component_ids("it"))
        (26, 59)
        """
        return tuple(sorted(set(self.component(component))))


def related(one: str, other: str) -> bool:
    """Return whether labels of one vocabulary can be named in another.

    >>> related("cholec80", "cholect50"), related("multibypass140", "cholect50")
    (True, False)
    """
    return one == other or any({one, other} <= family for family in RELATED)


def known() -> tuple[str, ...]:
    """Return the names of all vocabularies that can be loaded."""
    listed = (path.stem for path in LISTS.glob("*.json") if "counts" not in facts(path.stem))
    return tuple(sorted({*listed, *SAME_LISTS}))


def named_by_folder(file: str) -> str | None:
    """Return the vocabulary that the folder of a file is named after, or one of the two folders above it; None when none is.

    >>> named_by_folder("groundtruth/prostatd/recognition/a.npz"), named_by_folder("a.npz")
    ('prostatd', None)
    """
    return next((folder.name for folder in list(PurePosixPath(file).parents)[:3] if folder.name in known()), None)


@lru_cache
def facts(name: str) -> Mapping[str, Any]:
    """Return everything in the data file of a data set, such as the number of its classes."""
    value: Mapping[str, Any] = json.loads((LISTS / f"{name}.json").read_text(encoding="utf-8"))
    return value


@lru_cache
def load(name: str) -> Vocabulary:
    """Return a vocabulary by name.

    Raises
    ------
    AnnotationError
        For an unknown name, with the known ones.
    """
    if name not in known():
        raise AnnotationError([Fault("", "vocabulary-unknown", f"'{name}' is no vocabulary", hint(name, known()))])
    name = SAME_LISTS.get(name, name)
    lists_bytes = (LISTS / f"{name}.json").read_bytes()
    lists = json.loads(lists_bytes)
    listed = LISTS / f"{lists.get('triplets_of', name)}{TRIPLETS_SUFFIX}"
    triplets_bytes = listed.read_bytes() if listed.is_file() else b""
    spellings = {kind: _spellings(lists, kind) for kind in NAMINGS}
    triplets = _triplets(triplets_bytes.decode("utf-8"), spellings)
    null_verb = lists["verbs"].index(lists["null"]["verb"]) if "null" in lists else None
    return Vocabulary(
        name=lists["name"],
        version=lists["version"],
        source=lists["source"],
        sha256=hashlib.sha256(lists_bytes + b"\0" + triplets_bytes).hexdigest(),
        instruments=tuple(lists["instruments"]),
        verbs=tuple(lists["verbs"]),
        targets=tuple(lists["targets"]),
        phases=tuple(lists["phases"]),
        triplets=triplets,
        null_triplets=tuple(i for i, triplet in enumerate(triplets) if triplet[1] == null_verb),
        spellings=spellings,
        steps=tuple(lists.get("steps", ())),
        gestures=tuple(lists.get("gestures", ())),
        marks=tuple(lists.get("marks", ())),
    )


@lru_cache(maxsize=2**14)
def fold(name: str) -> str:
    """Return what counts of a name: CalotTriangleDissection, calot-triangle-dissection and "Calot triangle dissection" are one.

    Letters with their accents and digits count, however Unicode writes them, and what stands between two digits: P1.1 is not P11.
    Hyphens, underscores and spaces between digits are one sign; elsewhere they do not count. Of other signs those count that compare or
    calculate, unless they stand between letters: "trocar < 5 mm" is not "trocar > 5 mm". A frame around the whole name does not count. Of a
    name without letters every sign counts but for what is known to change nothing around a number: "#1" is 1, and -1, <1 and 1- are not.

    >>> fold("Calot_triangle-dissection"), fold("Step 1.1 (a)"), fold("trocar < 5 mm"), fold("neck + suture")
    ('calottriangledissection', 'step1.1a', 'trocar<5mm', 'necksuture')
    >>> fold("'1.'"), fold("- 1"), fold("(1)"), fold("1_0")
    ('1', '-1', '(1', '1-0')
    """
    folded = _folded_once(name)
    # Where a sign is gone, a letter and an accent may meet that are one character.
    return folded if folded == name else fold(folded)


def _folded_once(name: str) -> str:
    text = _one_form(name)
    is_named = any(map(str.isalpha, text))
    runs = [(of_word, "".join(run)) for of_word, run in itertools.groupby(_unframed(text), _is_of_word)]
    # Of a sign at an end nothing stands on one side.
    edges = ["", *(run for _, run in runs), ""]
    return "".join(run if of_word else _sign(*edges[at : at + 3], is_named=is_named) for at, (of_word, run) in enumerate(runs))


def _sign(before: str, signs: str, after: str, *, is_named: bool) -> str:
    """Return what counts of the signs between two parts of a name."""
    sign = _HYPHENS.sub("-", _BLANK.sub("", signs))
    if before[-1:].isdigit() and after[:1].isdigit():
        return sign or "-"
    if not is_named:
        return sign
    between_letters = before and after and not before[-1].isdigit() and not after[0].isdigit()
    return "" if between_letters else "".join(one for one in sign if one in _COUNTED)


def alphabetical(name: str) -> tuple[str, str]:
    """Return by what names are sorted: letters and digits alone, then what else counts, so that a sign moves no ids of others.

    >>> sorted(["Phase 1-1", "Phase 10", "Phase 1-2"], key=alphabetical)
    ['Phase 10', 'Phase 1-1', 'Phase 1-2']
    """
    folded = fold(name)
    return ("".join(filter(str.isalnum, folded)) if any(map(str.isalpha, folded)) else folded), folded


def bare(name: str) -> str:
    """Return what may tell a name from another that is the same by `fold`: two that differ in it must not become one unseen.

    What never tells is gone: case, forms of characters, spaces, hyphens, underscores, quotation marks, points, colons, signs of trade
    marks, brackets around words. A hyphen stays where it may be a minus, and what parts Roman numbers.

    >>> bare("Clip/Cut "), bare("clip-cut"), bare("1) Calot's triangle."), bare("Tilt -5"), bare("Step I-II")
    ('clip/cut', 'clipcut', '1calotstriangle', 'tilt\u22125', 'stepi\u2212ii')
    """
    text = _HYPHENS.sub("-", _one_form(name))
    if not any(map(str.isalpha, text)):
        return fold(name)
    text = _AROUND_WORDS.sub(r" \1\2 ", _NUMBER_OF_LIST.sub(r"\1 ", _TWO_PRIMES.sub('"', _without_frame(text.strip()))))
    # What is to stay gets a character that no name has any more at this point.
    for telling, kept in ((_MINUS, "\u2212"), (_ROMAN, "\\1\u2212"), (_POINT, "\u2024"), (_INCH, "\u2033"), (_PRIME, "\u2032")):
        text = telling.sub(kept, text)
    return _TELLS_NOTHING.sub("", text)


def _one_form(name: str) -> str:
    """Return a name in small letters and in one form of each character, without what does not show."""
    if name.isascii() and name.isprintable():
        return name.casefold()
    text = "".join(one if _is_digit_within(one) or _is_sign_of_letters(one) else unicodedata.normalize("NFKC", one) for one in seen(name))
    # The capital I with a dot of Turkish leaves the dot behind.
    return unicodedata.normalize("NFC", text.casefold()).replace("i\u0307", "i")


def _is_digit_within(one: str) -> bool:
    """Return whether a character holds a digit and is none, such as a power, a fraction or a unit: written out, 10\u00b2 would be 102."""
    return not one.isdecimal() and any(map(str.isdecimal, unicodedata.normalize("NFKC", one)))


def _is_sign_of_letters(one: str) -> bool:
    """Return whether a character is a sign that is made of letters, such as that of a trade mark; units such as \u339c are words."""
    if unicodedata.category(one) != "So" or unicodedata.decomposition(one).startswith("<square>"):
        return False
    return unicodedata.normalize("NFKC", one).isalpha()


def _is_of_word(one: str) -> bool:
    """Return whether a character is a letter, a digit or a mark of a letter, as vowels of Thai and Hindi are."""
    return one.isalnum() or unicodedata.category(one).startswith("M")


def _unframed(text: str) -> str:
    """Return a name without what changes nothing around it."""
    return _without_frame(text.strip(_HARMLESS).rstrip(_LAST))


def _without_frame(text: str) -> str:
    return text[1:-1] if _FRAMED.fullmatch(text) else text


def _spellings(lists: Mapping[str, Any], kind: Naming) -> dict[str, int]:
    names = lists.get(f"{kind}s", [])
    spellings = {fold(name): i for i, name in enumerate(names)}
    for synonym in lists["synonyms"].get(kind, []):
        spellings[fold(synonym["spelling"])] = names.index(synonym["name"])
    return spellings


def _triplets(text: str, spellings: Mapping[Naming, Mapping[str, int]]) -> tuple[tuple[int, int, int], ...]:
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    by_id = {
        int(row["triplet"]): (
            spellings["instrument"][fold(row["instrument"])],
            spellings["verb"][fold(row["verb"])],
            spellings["target"][fold(row["target"])],
        )
        for row in rows
    }
    return tuple(by_id[i] for i in range(len(by_id)))


WORKFLOWS = FOLDER / "workflows"
Transitions = frozenset[tuple[str, str]]


def transitions(vocabulary: Vocabulary) -> Transitions | None:
    """Return the pairs (phase, next phase) that a vocabulary's workflow allows, by name; None when none is known.

    >>> from scrubin.base.vocabulary.vocabulary import load
    >>> ("preparation", "calot-triangle-dissection") in transitions(load("cholect50"))
    True
    """
    pairs = _workflows().get(vocabulary.name)
    return None if pairs is None else named(vocabulary, pairs)


def named(vocabulary: Vocabulary, pairs: Iterable[tuple[str, str]]) -> Transitions:
    """Return pairs of phases in the vocabulary's own spelling.

    Raises
    ------
    AnnotationError
        For a name that is no phase of the vocabulary.
    """
    own = vocabulary.phases
    return frozenset((own[vocabulary.id_of("phase", of)], own[vocabulary.id_of("phase", to)]) for of, to in pairs)


@lru_cache
def _workflows() -> dict[str, tuple[tuple[str, str], ...]]:
    pairs_of: dict[str, tuple[tuple[str, str], ...]] = {}
    for path in sorted(WORKFLOWS.glob("*.csv")):
        lines = path.read_text(encoding="utf-8").splitlines()
        head = dict(line[1:].split(":", 1) for line in lines if line.startswith("#"))
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        pairs = tuple((row["from"], row["to"]) for row in rows)
        pairs_of |= {name.strip(): pairs for name in head[" vocabularies"].split(",")}
    return pairs_of
