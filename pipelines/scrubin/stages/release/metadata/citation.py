"""How a release is cited: BibTeX, the JSON of DataCite.

Source: DataCite Metadata Schema 4.6, https://schema.datacite.org/meta/kernel-4.6/. What the schema requires and the curator has not
said is left out, so that an archive asks for it; nothing is filled with a placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scrubin.audit.expected.spelling import escaped_for_bibtex
from scrubin.stages.release.metadata import sentences
from scrubin.stages.release.release_params import Creator, ReleaseParams

BIBTEX_NAME = "citation.bib"


def bibtex(params: ReleaseParams) -> str:
    """Return a BibTeX entry for the release; what the curator has not said is left out.

    Names stand as in ``params.yaml``, family name first; whatever is no name of a person with a comma is kept as one name.
    """
    authors = " and ".join(_name(creator.name) for creator in params.creators)
    doi = params.doi
    fields = {
        "author": authors,
        "title": f"{{{escaped_for_bibtex(params.title)}}}",
        "year": (params.date_published or "")[:4],
        "publisher": _name(params.publisher) if params.publisher else "",
        "version": params.version,
        "doi": doi or "",
        "url": params.url or (f"https://doi.org/{doi}" if doi else ""),
    }
    said = [f"  {key} = {{{value}}}" for key, value in fields.items() if value]
    return f"@misc{{{params.name},\n" + ",\n".join(said) + "\n}"


def _name(name: str) -> str:
    """Return a name that BibTeX does not take apart at spaces or the word "and"."""
    text = escaped_for_bibtex(name)
    return text if "," in name and not re.search(r"\band\b", name) else f"{{{text}}}"


DATACITE_NAME = "datacite.json"
SCHEMA = "http://datacite.org/schema/kernel-4"
ORCID, SPDX = "https://orcid.org", "https://spdx.org/licenses/"
SIZES = "{videos} videos, {hours} hours, {frames} extracted frames"
FORMATS = ("video/x-matroska", "application/x-parquet", "text/csv")


def datacite_document(params: ReleaseParams, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata as a JSON value.

    Parameters
    ----------
    params
        What the curator says in ``params.yaml``.
    facts
        See ``facts.measured``.
    """
    date, size = params.date_published, facts["size"]
    stated: dict[str, Any] = {
        "schemaVersion": SCHEMA,
        "doi": params.doi,
        "url": params.url,
        "creators": [_creator(one) for one in params.creators],
        "titles": [{"title": params.title}],
        "publisher": {"name": params.publisher} if params.publisher else None,
        "publicationYear": date[:4] if date else None,
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Surgical video dataset"},
        "version": params.version,
        "language": "en",
        "subjects": [{"subject": keyword} for keyword in params.keywords],
        "dates": [{"date": date, "dateType": "Issued"}] if date else [],
        "descriptions": [{"description": description(params, facts), "descriptionType": "Abstract"}],
        "formats": list(FORMATS),
        "sizes": [SIZES.format(videos=size["videos"], hours=size["hours"], frames=size["frames"])],
        "rightsList": [
            {
                "rights": params.license,
                "rightsUri": license_url(params),
                "rightsIdentifier": params.license,
                "rightsIdentifierScheme": "SPDX",
                "schemeUri": SPDX,
            }
        ],
    }
    return {key: value for key, value in stated.items() if value}


def _creator(creator: Creator) -> dict[str, Any]:
    """Return a creator with the name as it is cited; its parts would be a name that the curator did not state."""
    found: dict[str, Any] = {"name": creator.name, "nameType": "Personal" if "," in creator.name else "Organizational"}
    if creator.orcid:
        found["nameIdentifiers"] = [{"nameIdentifier": f"{ORCID}/{creator.orcid}", "nameIdentifierScheme": "ORCID", "schemeUri": ORCID}]
    if creator.affiliation:
        found["affiliation"] = [{"name": creator.affiliation}]
    return found


def description(params: ReleaseParams, facts: Mapping[str, Any]) -> str:
    """Return the curator's paragraph, or else what is measured."""
    said = " ".join((params.description or f"{params.title}.").split())
    return sentences.joined([said, sentences.size(facts), CONTENT])


def license_url(params: ReleaseParams) -> str:
    """Return the address of the licence."""
    return f"https://spdx.org/licenses/{params.license}.html"


CONTENT = "Videos, extracted frames, skill scores, errors, annotations, splits and metric-ready ground truth."
