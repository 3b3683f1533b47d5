"""``datasheet.md``: the questions of Gebru et al., answered by what is measured or by the curator's own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scrubin.stages.release.metadata import sentences
from scrubin.stages.release.metadata.curator_words import CONDITIONS, QUESTIONS, SECTIONS, Answer, Words
from scrubin.stages.release.release_params import ReleaseParams

NAME = "datasheet.md"
HEAD = """\
# Datasheet: {title}

Version {version}. The topics are those of Gebru et al., Datasheets for Datasets (2021). What the pipeline did and counted stands under
*Measured*; each of these numbers is in `facts.json`. Everything else is what those say who made the data set.
"""
MEASURED = "*Measured*"
VERSIONS = (
    "Versions have three numbers. The first changes when data change, go or move between subsets, the second when something is added, the "
    "last when only documents change. Known errors of a release stand in `metadata/errata.yaml`."
)
UNSAID = "What the authors have not stated"
UNSAID_TEXT = "Nothing is made up in its place. Behind each: where the authors would state it."
ALL_SAID = "Everything is stated."
NO_LABELS = "There are no ratings and no labels."
ASKED = "Questions"
FIELDS = "Fields of catalogues"
LABELS = {
    "creators": "Who made it",
    "publisher": "Who keeps it",
    "contact": "Where questions go",
    "url": "Its page",
    "doi": "DOI",
    "date_published": "Published",
    "license": "Licence",
}


def text(params: ReleaseParams, facts: Mapping[str, Any], words: Words) -> str:
    """Return the datasheet as Markdown.

    Parameters
    ----------
    params
        What the curator says in ``params.yaml``.
    facts
        See ``facts.measured``, with what is missing.
    words
        What the curator says in ``datasheet.yaml``.
    """
    stated, measured = _stated(params), _measured(facts)
    parts = [HEAD.format(title=params.title, version=params.version)]
    for section, heading in SECTIONS.items():
        lines = list(stated.get(section, ()))
        lines += [f"**{one.asks}**{_answer(words.answers[one.name])}" for one in QUESTIONS if _in(one.name, section, words)]
        if section in measured:
            lines += [MEASURED, "\n".join(f"- {one}" for one in measured[section])]
        if lines:
            parts.append(f"## {heading}\n\n" + "\n\n".join(lines) + "\n")
    return "\n".join([*parts, _unsaid(facts["missing"])])


def _in(name: str, section: str, words: Words) -> bool:
    return name.startswith(f"{section}.") and name in words.answers


def _answer(answer: Answer) -> str:
    if isinstance(answer, bool):
        return " Yes." if answer else " No."
    if isinstance(answer, str):
        return f" {answer}"
    items = [f"{CONDITIONS[item]} ({item})" if item in CONDITIONS else item for item in answer]
    return f" {items[0]}" if len(items) == 1 else "\n\n" + "\n".join(f"- {item}" for item in items)


def _stated(params: ReleaseParams) -> dict[str, list[str]]:
    makers = "; ".join(creator.name + (f", {creator.affiliation}" if creator.affiliation else "") for creator in params.creators)
    licence = f"[{params.license}](https://spdx.org/licenses/{params.license}.html)"
    by_section: dict[str, dict[str, str | None]] = {
        "motivation": {"creators": makers},
        "distribution": {"license": licence, "url": params.url, "doi": params.doi, "date_published": params.date_published},
        "maintenance": {"publisher": params.publisher, "contact": params.contact},
    }
    found = {section: [f"**{LABELS[key]}:** {value}" for key, value in lines.items() if value] for section, lines in by_section.items()}
    description = [" ".join(params.description.split())] if params.description else []
    return found | {"motivation": [*description, *found["motivation"]], "maintenance": [*found["maintenance"], VERSIONS]}


def _measured(facts: Mapping[str, Any]) -> dict[str, list[str]]:
    rules = sentences.validation(facts)
    return {
        "composition": [
            sentences.size(facts),
            sentences.left_out(facts),
            *sentences.errors(facts),
            *sentences.splits(facts),
            sentences.MISSING,
            *([rules] if rules else []),
            sentences.PSEUDONYMS,
            sentences.PICTURES_REMAIN,
        ],
        "labelling": [*sentences.ratings(facts), *sentences.labels(facts)] or [NO_LABELS],
        "preprocessing": [
            *(f"{name}. {says}" for name, says in sentences.STEPS),
            *sentences.hidden(facts),
            *sentences.seen(facts),
            sentences.NOT_IMPUTED,
        ],
    }


def _unsaid(missing: Mapping[str, Any]) -> str:
    return "\n".join(_unsaid_lines(missing)) + "\n"


def _unsaid_lines(missing: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {UNSAID}\n"
    asked = {one.name: one.asks for one in QUESTIONS}
    by_field: dict[str, list[str]] = {}
    for one in missing["fields"]:
        by_field.setdefault(f"`{one['field']}`: {one['say']}", []).append(f"{one['of']}, {one['level']}")
    if not (by_field or missing["questions"]):
        yield ALL_SAID
        return
    yield UNSAID_TEXT
    if by_field:
        yield f"\n### {FIELDS}\n"
        yield from (f"- {field} ({'; '.join(of)})" for field, of in by_field.items())
    if missing["questions"]:
        yield f"\n### {ASKED}\n"
        yield from (f"- {asked[name]} (`{name}`)" for name in missing["questions"])
