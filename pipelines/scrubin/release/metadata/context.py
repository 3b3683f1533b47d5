"""The JSON-LD context of ``croissant.json``.

Source: Croissant format specification 1.1, appendix 1. Beside it stand the terms of 1.0 that its reference reader
misses otherwise, and the vocabularies of provenance (PROV-O) and of conditions of use (DUO). schema.org is spelled with
https, as in 1.0: the reference reader knows no other spelling.
"""

from __future__ import annotations

from typing import Any

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
