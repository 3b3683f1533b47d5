"""The folder ``metadata`` of a release: what it says of itself beside ``croissant.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrubin.core.files import json_text
from scrubin.release.metadata import citation, facts
from scrubin.release.metadata.words import Words
from scrubin.release.params import ReleaseParams

FOLDER = "metadata"


def texts(params: ReleaseParams, measured: Mapping[str, Any], words: Words) -> dict[str, str]:
    """Return the text of each file, by name.

    Parameters
    ----------
    params
        What the curator says in ``params.yaml``.
    measured
        See ``facts.measured``.
    words
        What the curator says in ``datasheet.yaml``.
    """
    return {
        citation.NAME: citation.bibtex(params) + "\n",
        facts.NAME: json_text(measured),
    }
