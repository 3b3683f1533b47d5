"""``datasheet.yaml``: the curator's own words, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrubin.core import strangers
from scrubin.core.errors import ReleaseError
from scrubin.core.faults import Fault
from scrubin.core.suggest import hint
from scrubin.release.metadata.questions import QUESTIONS, SECTIONS, Question

NAME = "datasheet.yaml"
CONDITIONS = {
    "DUO_0000004": "no restriction",
    "DUO_0000006": "health or medical or biomedical research",
    "DUO_0000007": "disease specific research",
    "DUO_0000011": "population origins or ancestry research only",
    "DUO_0000012": "research specific restrictions",
    "DUO_0000015": "no general methods research",
    "DUO_0000016": "genetic studies only",
    "DUO_0000018": "not for profit, non commercial use only",
    "DUO_0000019": "publication required",
    "DUO_0000020": "collaboration required",
    "DUO_0000021": "ethics approval required",
    "DUO_0000022": "geographical restriction",
    "DUO_0000024": "publication moratorium",
    "DUO_0000025": "time limit on use",
    "DUO_0000026": "user specific restriction",
    "DUO_0000027": "project specific restriction",
    "DUO_0000028": "institution specific restriction",
    "DUO_0000029": "return to database or resource",
    "DUO_0000042": "general research use",
    "DUO_0000043": "clinical care use",
    "DUO_0000044": "population origins or ancestry research prohibited",
    "DUO_0000045": "not for profit organisation use only",
    "DUO_0000046": "non-commercial use only",
}
"""Codes of the Data Use Ontology (GA4GH), http://purl.obolibrary.org/obo/duo.owl."""

Answer = str | bool | tuple[str, ...]


@dataclass(frozen=True)
class Words:
    """What the curator said: answers by the name of their question; a question without one is not in it."""

    answers: Mapping[str, Answer] = field(default_factory=dict)

    def text(self, name: str) -> str | None:
        """Return an answer as one text, None where there is none."""
        answer = self.answers.get(name)
        return answer if isinstance(answer, str) else None

    def items(self, name: str) -> tuple[str, ...]:
        """Return an answer that is a list; empty where there is none."""
        answer = self.answers.get(name)
        return answer if isinstance(answer, tuple) else ()

    def unsaid(self) -> list[Question]:
        """Return the questions without an answer, in their order."""
        return [one for one in QUESTIONS if one.name not in self.answers]


def load(path: Path) -> Words:
    """Return what the curator says in a file.

    Raises
    ------
    ReleaseError
        For a file that cannot be read, an unknown key with the near miss, or an answer of another kind.
    """
    try:
        document = strangers.read_yaml(path)
    except (OSError, ValueError) as error:
        msg = f"{path}: it cannot be read ({' '.join(str(error).split())}); correct it, or write {{}} to say nothing"
        raise ReleaseError(msg) from error
    return Words(_answers(path, {} if document is None else document))


def _answers(path: Path, document: Any) -> dict[str, Answer]:
    if not isinstance(document, dict):
        msg = f"{path}: it must hold sections with answers, or {{}}, but is {document!r}"
        raise ReleaseError(msg)
    wrong, answers = _unknown(path, "", document, list(SECTIONS)), dict[str, Answer]()
    for section in SECTIONS:
        values = document.get(section)
        if values is None:
            continue
        if not isinstance(values, dict):
            with ReleaseError.noted(wrong):
                msg = f"{path}: '{section}' must be a section with answers, but is {values!r}"
                raise ReleaseError(msg)
            continue
        asked = {one.key: one for one in QUESTIONS if one.section == section}
        wrong += _unknown(path, f"{section}.", values, list(asked))
        for key, question in asked.items():
            if values.get(key) not in (None, "", []):
                with ReleaseError.noted(wrong):
                    answers[question.name] = _answer(path, question, values[key])
    ReleaseError.raise_any(wrong)
    return answers


def _unknown(path: Path, within: str, values: Mapping[Any, Any], known: list[str]) -> list[Fault]:
    """Return a fault for every key that nobody asks for."""
    unknown = [key for key in sorted(map(str, values)) if key not in known]
    return [Fault("", key, f"{path}: nobody asks for '{within}{key}'; {hint(key, known)}", "") for key in unknown]


def _answer(path: Path, question: Question, value: Any) -> Answer:
    if question.kind == "yes or no" and isinstance(value, bool):
        return value
    if question.kind == "text" and isinstance(value, str):
        return " ".join(value.split())
    if question.kind in ("list", "codes"):
        items = [value] if isinstance(value, str) else value
        if isinstance(items, list) and all(isinstance(item, str) and item.strip() for item in items):
            cleaned = tuple(" ".join(item.split()) for item in items)
            return _codes(path, question, cleaned) if question.kind == "codes" else cleaned
    if question.kind == "years" and isinstance(value, list) and _are_years(value):
        return tuple(map(str, value))
    expected = {
        "text": "text",
        "list": "a text or a list of texts",
        "yes or no": "true or false",
        "years": "the first and the last year, such as [2021, 2023]; days do not belong into a release",
        "codes": "a list of codes such as DUO_0000042",
    }[question.kind]
    msg = f"{path}: '{question.name}' must be {expected}, but is {value!r}"
    raise ReleaseError(msg)


def _codes(path: Path, question: Question, codes: tuple[str, ...]) -> tuple[str, ...]:
    for code in codes:
        if code not in CONDITIONS:
            msg = f"{path}: '{question.name}': {code!r} is no condition of DUO; {hint(code, CONDITIONS)}"
            raise ReleaseError(msg)
    return codes


def _are_years(value: list[Any]) -> bool:
    if not (len(value) in (1, 2) and all(type(year) is int and 1900 <= year <= 2999 for year in value)):
        return False
    return bool(value == sorted(value))
