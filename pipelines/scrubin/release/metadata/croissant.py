"""``croissant.json``: the release in MLCommons Croissant 1.1, so that loaders find tables, columns, pictures and files.

Source: Croissant format specification 1.1, https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html, and its extension
RAI 1.0, https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from scrubin.release.metadata import citation, record_sets, resources, responsible, sentences
from scrubin.release.metadata.context import CONFORMS_TO, CONTEXT
from scrubin.release.metadata.words import Words
from scrubin.release.params import Creator, ReleaseParams
from scrubin.tables.declare import Table

NAME = "croissant.json"
CONTENT = "Videos, extracted frames, skill scores, errors, annotations, splits and metric-ready ground truth."


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
    files = [*resources.file_objects(declared, sha256, sizes), *resources.file_sets(sha256)]
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
        **responsible.fields(facts, words),
        **responsible.provenance(facts, words),
        **responsible.conditions(words),
    }


def description(params: ReleaseParams, facts: Mapping[str, Any]) -> str:
    """Return the curator's paragraph, or else what is measured."""
    said = " ".join((params.description or f"{params.title}.").split())
    return sentences.joined([said, sentences.size(facts), CONTENT])


def license_url(params: ReleaseParams) -> str:
    """Return the address of the licence."""
    return f"https://spdx.org/licenses/{params.license}.html"


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
