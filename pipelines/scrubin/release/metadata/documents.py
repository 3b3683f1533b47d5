"""The folder ``metadata`` of a release: what it says of itself beside ``croissant.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scrubin.core.files import json_text
from scrubin.release.metadata import card, citation, croissant, datacite, datasheet, facts, requirements
from scrubin.release.metadata.words import Words
from scrubin.release.params import ReleaseParams

FOLDER = "metadata"


def texts(params: ReleaseParams, measured: Mapping[str, Any], words: Words, tables: Iterable[str]) -> dict[str, str]:
    """Return the text of each file, by name.

    Parameters
    ----------
    params
        What the curator says in ``params.yaml``.
    measured
        See ``facts.measured``.
    words
        What the curator says in ``datasheet.yaml``.
    tables
        Names of the tables.
    """
    unsaid = requirements.missing(croissant.statement(params, measured, words), params, words)
    every = {**measured, "missing": unsaid}
    return {
        card.NAME: card.text(params, every, words, tables),
        citation.NAME: citation.bibtex(params) + "\n",
        datacite.NAME: json_text(datacite.document(params, every)),
        datasheet.NAME: datasheet.text(params, every, words),
        facts.NAME: json_text(every),
    }
