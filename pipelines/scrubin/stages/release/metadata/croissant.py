"""``croissant.json``: the release in MLCommons Croissant 1.1, so that loaders find tables, columns, pictures, files.

Source: Croissant format specification 1.1, appendix 1. Beside it stand the terms of 1.0 that its reference reader
misses otherwise, and the vocabularies of provenance (PROV-O) and of conditions of use (DUO). schema.org is spelled with
https, as in 1.0: the reference reader knows no other spelling.

Source: Croissant RAI specification 1.0; Croissant 1.1, Responsible AI and Governance (PROV-O, DUO).

Source: Croissant format specification 1.1, https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html, and its extension
RAI 1.0, https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from scrubin.base.tables import Table
from scrubin.stages.release.metadata import citation, record_sets, sentences
from scrubin.stages.release.metadata.citation import description, license_url
from scrubin.stages.release.metadata.curator_words import CONDITIONS, QUESTIONS, Words
from scrubin.stages.release.release_params import Creator, ReleaseParams

CONFORMS_TO = ("http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0")
_CROISSANT = """
annotation arrayShape citeAs column containedIn equivalentProperty excludes extract field fileObject fileProperty fileSet format
includes isArray isLiveDataset jsonPath key md5 parentField path readLines recordSet references regex repeated replace samplingRate
sdVersion separator source subField transform unArchive value
"""
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "duo": "http://purl.obolibrary.org/obo/DUO_",
    "prov": "http://www.w3.org/ns/prov#",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
} | {term: f"cr:{term}" for term in _CROISSANT.split()}

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


def metadata(
    params: ReleaseParams,
    declared: Mapping[str, Table],
    tables: Mapping[str, pd.DataFrame],
    sha256: Mapping[str, str],
    sizes: Mapping[str, int],
    facts: Mapping[str, Any],
    words: Words,
) -> dict[str, Any]:
    """Return the metadata as a JSON value; the only date in it is ``release.date_published``.

    Parameters
    ----------
    params
        Name, title, version, licence, and who made and keeps it.
    declared, tables
        Declarations and contents of the public tables, by name; each lies in ``tables/<name>.parquet``.
    sha256, sizes
        Hash and bytes of every released file, by relative name.
    facts
        What is measured; see ``facts.measured``.
    words
        What the curator says.
    """
    files = [*record_sets.file_objects(declared, sha256, sizes), *record_sets.file_sets(sha256)]
    return statement(params, facts, words) | {"distribution": files, "recordSet": record_sets.all_of(declared, tables, sha256)}


def statement(params: ReleaseParams, facts: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """Return what it says of the release as a whole: all but its files and record sets."""
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(CONFORMS_TO),
        "name": params.name,
        "alternateName": params.title,
        "description": description(params, facts),
        "license": license_url(params),
        "version": params.version,
        "citeAs": citation.bibtex(params),
        "isLiveDataset": False,
        "inLanguage": "en",
        "sdLicense": license_url(params),
        "sdVersion": params.version,
        **_who_and_where(params),
        **fields(facts, words),
        **provenance(facts, words),
        **conditions(words),
    }


def address(params: ReleaseParams) -> str | None:
    """Return the page of the release: its own, or else that of its DOI."""
    return params.url or (f"https://doi.org/{params.doi}" if params.doi else None)


def _who_and_where(params: ReleaseParams) -> dict[str, Any]:
    """Return what the curator says of the release in ``params.yaml``; what is not said is left out."""
    doi = f"https://doi.org/{params.doi}" if params.doi else None
    stated = {
        "creator": [_person(one) for one in params.creators],
        "publisher": {"@type": "sc:Organization", "name": params.publisher} if params.publisher else None,
        "url": address(params),
        "identifier": doi,
        "sameAs": doi if params.url else None,
        "datePublished": params.date_published,
        "keywords": list(params.keywords),
        "maintainer": _contact(params),
    }
    return {key: value for key, value in stated.items() if value}


def _person(creator: Creator) -> dict[str, Any]:
    """Return a creator; whoever has no comma in the name is an organisation."""
    person: dict[str, Any] = {"@type": "sc:Person" if "," in creator.name else "sc:Organization", "name": creator.name}
    if creator.orcid:
        person["sameAs"] = f"https://orcid.org/{creator.orcid}"
    if creator.affiliation:
        person["affiliation"] = {"@type": "sc:Organization", "name": creator.affiliation}
    return person


def _contact(params: ReleaseParams) -> dict[str, Any] | None:
    """Return where questions go."""
    if params.contact is None:
        return None
    name = params.publisher or params.title
    return {"@type": "sc:Organization", "name": name, "email" if "@" in params.contact else "url": params.contact}
