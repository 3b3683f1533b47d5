"""``datacite.json``: the release for archives that give a DOI, in the JSON of DataCite's schema 4.

Source: DataCite Metadata Schema 4.6, https://schema.datacite.org/meta/kernel-4.6/. What the schema requires and the curator has not
said is left out, so that an archive asks for it; nothing is filled with a placeholder.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrubin.release.metadata import croissant
from scrubin.release.params import Creator, ReleaseParams

NAME = "datacite.json"
SCHEMA = "http://datacite.org/schema/kernel-4"
ORCID, SPDX = "https://orcid.org", "https://spdx.org/licenses/"
SIZES = "{videos} videos, {hours} hours, {frames} extracted frames"
FORMATS = ("video/x-matroska", "application/x-parquet", "text/csv")


def document(params: ReleaseParams, facts: Mapping[str, Any]) -> dict[str, Any]:
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
        "descriptions": [{"description": croissant.description(params, facts), "descriptionType": "Abstract"}],
        "formats": list(FORMATS),
        "sizes": [SIZES.format(videos=size["videos"], hours=size["hours"], frames=size["frames"])],
        "rightsList": [
            {
                "rights": params.license,
                "rightsUri": croissant.license_url(params),
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
