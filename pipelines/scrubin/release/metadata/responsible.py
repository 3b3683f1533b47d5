"""Responsible AI, provenance and conditions of use in ``croissant.json``: measured facts, and the curator's words.

Source: Croissant RAI specification 1.0; Croissant 1.1, Responsible AI and Governance (PROV-O, DUO).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scrubin.release.metadata import sentences
from scrubin.release.metadata.questions import QUESTIONS
from scrubin.release.metadata.words import CONDITIONS, Words

SOFTWARE = "scrub-in"
RAW_LABEL = "raw recordings of the study"
SYNTHETIC = "A program drew all of it; no person and no operation is in it."
ONE = (
    "rai:dataCollection",
    "rai:dataCollectionMissingData",
    "rai:dataCollectionRawData",
    "rai:dataImputationProtocol",
    "rai:dataManipulationProtocol",
    "rai:dataAnnotationProtocol",
    "rai:dataSocialImpact",
    "rai:annotationsPerItem",
)
"""Fields that take one value."""


def fields(facts: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """Return all fields of RAI that somebody said or that are measured.

    Parameters
    ----------
    facts
        See ``facts.measured``.
    words
        What the curator says.
    """
    values: dict[str, list[str]] = {}
    for name, texts in (*_measured(facts).items(), *_said(words)):
        values.setdefault(name, []).extend(texts)
    found: dict[str, Any] = {
        name: sentences.joined(texts) if name in ONE else sorted(set(texts), key=texts.index) for name, texts in values.items() if texts
    }
    said = words.answers.get("composition.synthetic")
    if facts["synthetic"] or said is not None:
        found["rai:hasSyntheticData"] = bool(facts["synthetic"] or said)
    return found


def _measured(facts: Mapping[str, Any]) -> dict[str, list[str]]:
    steps = [sentences.CUT, sentences.HIDING, sentences.PSEUDONYMS, sentences.TABLED]
    each = [f"{one['name']}: {sentences.spread(*one['ratings_each'])}" for one in facts["ratings"]]
    return {
        "rai:dataCollection": [SYNTHETIC] if facts["synthetic"] else [],
        "rai:dataCollectionRawData": [] if facts["synthetic"] else [sentences.RAW],
        "rai:dataCollectionMissingData": [sentences.MISSING, *sentences.hidden(facts), sentences.left_out(facts)],
        "rai:dataImputationProtocol": [sentences.NOT_IMPUTED],
        "rai:dataPreprocessingProtocol": steps,
        "rai:dataManipulationProtocol": [sentences.HIDING, *sentences.hidden(facts)],
        "rai:dataAnnotationAnalysis": sentences.ratings(facts),
        "rai:annotationsPerItem": [f"Ratings per recording: {sentences.listed(each)}."] if each else [],
        "rai:personalSensitiveInformation": [sentences.PSEUDONYMS, sentences.PICTURES_REMAIN, *sentences.seen(facts)],
    }


def _said(words: Words) -> Iterable[tuple[str, list[str]]]:
    for one in QUESTIONS:
        answer = words.answers.get(one.name)
        if one.field.startswith("rai:") and answer is not None and not isinstance(answer, bool):
            yield one.field, [answer] if isinstance(answer, str) else list(answer)


def provenance(facts: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """Return what the data were made from, and by which activities."""
    sources = [_source(text) for text in words.items("composition.derived_from")]
    if not facts["synthetic"]:
        sources.append({"@type": "prov:Entity", "prov:label": RAW_LABEL})
    agent = {"@type": "prov:SoftwareAgent", "prov:label": SOFTWARE}
    activities = [
        {"@type": "prov:Activity", "prov:label": label, "description": says, "prov:wasAssociatedWith": agent}
        for label, says in sentences.STEPS
    ]
    return ({"prov:wasDerivedFrom": sources} if sources else {}) | {"prov:wasGeneratedBy": activities}


def _source(text: str) -> dict[str, Any]:
    return {"@id": text} if text.startswith(("http://", "https://", "urn:")) else {"@type": "prov:Entity", "prov:label": text}


def conditions(words: Words) -> dict[str, Any]:
    """Return the conditions of use as terms of DUO."""
    codes = words.items("distribution.conditions")
    terms = [
        {"@type": "DefinedTerm", "name": CONDITIONS[code], "termCode": code, "url": f"duo:{code.removeprefix('DUO_')}"} for code in codes
    ]
    return {"usageInfo": terms} if terms else {}
