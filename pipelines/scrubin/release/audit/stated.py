"""What the curator states of a release in ``params.yaml``, and where it may stand although it looks private.

Who made a data set, where they work, whom to ask and the day of publication are public because the curator says so. A person
who was recorded may well be among those who made it; the day may be one on which somebody was recorded. So these texts pass,
and only these: each as a whole, exactly as it stands in ``params.yaml``, and only in the files that say who made the release.
The same name anywhere else, or a part of it, is a finding as ever: in a table, a video, a file name, in the curator's own
words for the datasheet. ``release.public_words`` would open it everywhere and is not for names of people.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scrubin.release.audit.findings import Text
from scrubin.release.audit.strings.private_columns import as_json
from scrubin.release.audit.strings.private_strings import Private
from scrubin.release.audit.strings.search import Search
from scrubin.release.metadata import citation
from scrubin.release.params import ReleaseParams

FILES = frozenset(
    {
        "README.md",
        "croissant.json",
        "metadata/citation.bib",
        "metadata/datacite.json",
        "metadata/dataset_card.md",
        "metadata/datasheet.md",
    }
)
"""The files that say who made the release."""


@dataclass(frozen=True)
class Stated:
    """Texts that may stand in ``FILES``, and keys of JSON that may have one value.

    Parameters
    ----------
    texts
        As in ``params.yaml``.
    pairs
        Key and value, as JSON, of what a format calls by a word that identifies, such as ``datePublished``.
    """

    texts: tuple[str, ...] = ()
    pairs: frozenset[tuple[str, str]] = frozenset()

    def without(self, data: bytes) -> bytes:
        """Return a file of ``FILES`` without the texts, for the search; what is no UTF-8 stays as it is."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return data
        for spelled in sorted({form for one in self.texts for form in _spellings(one)}, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(spelled)}(?!\w)", " ", text)
        return text.encode()

    def also_private(self, private: Private) -> list[str]:
        """Return the texts that tell something that must not be anywhere else."""
        search = Search(private, 0)
        return [text for text in self.texts if search.in_text(Text("", text))]

    def warnings(self, private: Private) -> list[str]:
        """Return one line for each of them, for the curator."""
        return [
            f"params.yaml says {text!r}, which is also private in this study: it passes where the release says who made it and when, "
            "and is a finding anywhere else"
            for text in self.also_private(private)
        ]


def of_params(params: ReleaseParams) -> Stated:
    """Return what a curator states."""
    people = [text for one in params.creators for text in (one.name, one.affiliation)]
    texts = [*people, params.publisher, params.contact, params.date_published]
    return Stated(tuple(sorted({text for text in texts if text})), frozenset((key, as_json(value)) for key, value in _pairs(params)))


def _pairs(params: ReleaseParams) -> Iterator[tuple[str, Any]]:
    """Yield keys of Croissant and DataCite that are words for days or people, each with its only value."""
    if params.date_published is not None:
        issued = {"date": params.date_published, "dateType": "Issued"}
        yield from (("datePublished", params.date_published), ("dates", [issued]), *issued.items())
    if params.keywords:
        subjects = [{"subject": keyword} for keyword in params.keywords]
        yield from (("subjects", subjects), *(pair for one in subjects for pair in one.items()))


def _spellings(text: str) -> set[str]:
    """Return a text as it is, in JSON and in BibTeX."""
    return {text, json.dumps(text, ensure_ascii=False)[1:-1], citation.escaped(text)}
