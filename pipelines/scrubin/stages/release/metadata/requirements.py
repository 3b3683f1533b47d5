"""What catalogues ask of a release, with what nobody has said of it: Croissant 1.1, RAI 1.0, the minimum of NeurIPS 2026.

Sources: Croissant format specification 1.1, dataset-level information; Croissant RAI specification 1.0, property information;
NeurIPS 2026, Evaluations and Datasets, minimal RAI fields. The reference reader of Croissant notices only some of it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from scrubin.base.errors import ReleaseError
from scrubin.stages.release.metadata.curator_words import QUESTIONS, Words
from scrubin.stages.release.release_params import ReleaseParams

Level = Literal["required", "recommended", "optional"]
ONE_DATE = "by choice: a release holds one date only"


@dataclass(frozen=True)
class Requirement:
    """A field that a specification names.

    Parameters
    ----------
    of, level, field
        The specification, how much it asks for the field, and the field.
    say
        Where the curator says it, or why it is never there; "" when it is always there.
    """

    of: str
    level: Level
    field: str
    say: str = ""

    @property
    def sentence(self) -> str:
        """How documents list it as missing."""
        return f"`{self.field}` ({self.of}, {self.level}): {self.say}"


def _said(field: str) -> str:
    """Return where answers to a field stand in ``datasheet.yaml``."""
    return " or ".join(f"{one.name}" for one in QUESTIONS if one.field == field) + " in datasheet.yaml"


CROISSANT, RAI, MINIMUM = "Croissant 1.1", "RAI 1.0", "NeurIPS 2026"
_RAI = """
dataCollection dataCollectionType dataCollectionMissingData dataCollectionRawData dataCollectionTimeframe dataImputationProtocol
dataManipulationProtocol dataPreprocessingProtocol dataAnnotationProtocol dataAnnotationPlatform dataAnnotationAnalysis
dataReleaseMaintenancePlan personalSensitiveInformation dataSocialImpact dataBiases dataLimitations dataUseCases annotationsPerItem
annotatorDemographics machineAnnotationTools
"""
_MINIMUM = """
rai:dataLimitations rai:dataBiases rai:personalSensitiveInformation rai:dataUseCases rai:dataSocialImpact rai:hasSyntheticData
prov:wasDerivedFrom prov:wasGeneratedBy
"""
_MEASURED = {"rai:annotationsPerItem": "it is measured when there are ratings", "prov:wasGeneratedBy": ""}
REQUIREMENTS = (
    Requirement(CROISSANT, "required", "@context"),
    Requirement(CROISSANT, "required", "@type"),
    Requirement(CROISSANT, "required", "conformsTo"),
    Requirement(CROISSANT, "required", "description"),
    Requirement(CROISSANT, "required", "license"),
    Requirement(CROISSANT, "required", "name"),
    Requirement(CROISSANT, "required", "url", "release.url or release.doi in params.yaml"),
    Requirement(CROISSANT, "required", "creator", "release.creators in params.yaml"),
    Requirement(CROISSANT, "required", "datePublished", "release.date_published in params.yaml"),
    Requirement(CROISSANT, "required", "distribution"),
    Requirement(CROISSANT, "recommended", "keywords", "release.keywords in params.yaml"),
    Requirement(CROISSANT, "recommended", "publisher", "release.publisher in params.yaml"),
    Requirement(CROISSANT, "recommended", "version"),
    Requirement(CROISSANT, "recommended", "dateCreated", ONE_DATE),
    Requirement(CROISSANT, "recommended", "dateModified", ONE_DATE),
    Requirement(CROISSANT, "recommended", "sameAs", "release.url together with release.doi in params.yaml"),
    Requirement(CROISSANT, "recommended", "sdLicense"),
    Requirement(CROISSANT, "recommended", "inLanguage"),
    Requirement(CROISSANT, "optional", "isLiveDataset"),
    Requirement(CROISSANT, "optional", "citeAs"),
    Requirement(CROISSANT, "optional", "sdVersion"),
    Requirement(CROISSANT, "optional", "usageInfo", _said("usageInfo")),
    *(Requirement(RAI, "recommended", f"rai:{name}", _MEASURED.get(f"rai:{name}", _said(f"rai:{name}"))) for name in _RAI.split()),
    *(Requirement(MINIMUM, "required", name, _MEASURED.get(name, _said(name))) for name in _MINIMUM.split()),
)
PARAMS = ("description", "creators", "publisher", "contact", "url", "doi", "date_published", "keywords")
"""What ``params.yaml`` asks of the curator, in section ``release``."""


def missing(document: Mapping[str, Any], params: ReleaseParams, words: Words) -> dict[str, Any]:
    """Return as a JSON value what nobody has said: fields of the specifications, parameters, questions of the datasheet.

    Parameters
    ----------
    document
        ``croissant.json``, with or without its files and record sets, which are always there.
    params, words
        What the curator says.
    """
    there = document.keys() | {"distribution", "recordSet"}
    fields = [one for one in REQUIREMENTS if one.field not in there]
    return {
        "fields": [{"of": one.of, "level": one.level, "field": one.field, "say": one.say} for one in fields],
        "params": [f"release.{key}" for key in PARAMS if not getattr(params, key)],
        "questions": [one.name for one in words.unsaid()],
    }


def sentence(unsaid: Mapping[str, Any]) -> str:
    """Return in one line what is missing, for the curator's log."""
    required = sorted({one["field"] for one in unsaid["fields"] if one["level"] == "required"})
    named = f", of them required by Croissant 1.1 or NeurIPS 2026: {', '.join(required)}" if required else ", none of them required"
    return (
        f"{len({one['field'] for one in unsaid['fields']})} fields of catalogues are not said{named}; {len(unsaid['questions'])} of "
        f"{len(QUESTIONS)} questions of datasheet.yaml have no answer. metadata/datasheet.md lists both"
    )


def of_release(folder: Path) -> str:
    """Return what is missing in a finished release, in one line."""
    return sentence(json.loads((folder / "metadata" / "facts.json").read_text(encoding="utf-8"))["missing"])


def refuse(document: Mapping[str, Any]) -> None:
    """Refuse metadata that break the specification.

    Raises
    ------
    ReleaseError
        Names every place.
    """
    found = list(faults(document))
    if found:
        raise ReleaseError("croissant.json breaks Croissant 1.1:\n  " + "\n  ".join(found))


def faults(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield what of a document breaks Croissant 1.1; what the curator has not said does not."""
    for one in REQUIREMENTS:
        if one.level == "required" and not one.say and not document.get(one.field):
            yield f"{one.field}: it is missing"
    if "http://mlcommons.org/croissant/1.1" not in document.get("conformsTo", ()):
        yield "conformsTo: it does not name Croissant 1.1"
    if not re.fullmatch(r"\d+\.\d+\.\d+", str(document.get("version"))):
        yield "version: it is not three numbers"
    for person in document.get("creator", ()):
        if person.get("@type") not in ("sc:Person", "sc:Organization") or not person.get("name"):
            yield f"creator: {person} is neither a person nor an organisation with a name"
    nodes = {node["@id"]: node for node in _nodes(document)}
    yield from (f"{name}: the id stands {n} times" for name, n in Counter(node["@id"] for node in _nodes(document)).items() if n > 1)
    for item in document.get("distribution", ()):
        needed = ("contentUrl", "sha256", "encodingFormat", "name") if item["@type"] == "cr:FileObject" else ("includes", "encodingFormat")
        yield from (f"{item['@id']}: {key} is missing" for key in needed if not item.get(key))
        yield from (f"{item['@id']}: there is no {one['@id']}" for one in item.get("containedIn", ()) if one["@id"] not in nodes)
    for records in document.get("recordSet", ()):
        yield from _of_record_set(records, nodes)


def _of_record_set(records: Mapping[str, Any], nodes: Mapping[str, Any]) -> Iterator[str]:
    fields = {field["@id"]: field for field in records["field"]}
    yield from (f"{records['@id']}: the key {key['@id']} is no field of it" for key in records["key"] if key["@id"] not in fields)
    if records.get("dataType") in ("sc:Enumeration", "cr:Split") and f"{records['@id']}/name" not in fields:
        yield f"{records['@id']}: it has no name"
    for number, row in enumerate(records.get("data", ())):
        if row.keys() != fields.keys():
            yield f"{records['@id']}: row {number} of its data does not have its fields"
    for name, field in fields.items():
        source = field.get("source", {})
        if not field.get("dataType"):
            yield f"{name}: it has no dataType"
        if not source and "data" not in records:
            yield f"{name}: it has no source"
        wanted = [source.get("fileObject"), source.get("fileSet"), field.get("references", {}).get("field")]
        yield from (f"{name}: there is no {one['@id']}" for one in wanted if one and one["@id"] not in nodes)


def _nodes(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from document.get("distribution", ())
    for records in document.get("recordSet", ()):
        yield records
        yield from records["field"]
