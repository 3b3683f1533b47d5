"""What may stand in the documents about a release although it looks private: what its curator states, and their fixed texts.

Who made a data set, where they work, whom to ask and the day of publication are public because ``params.yaml`` says so. A person
who was recorded may well be among those who made it; the day may be one on which somebody was recorded. So these texts pass,
and only these: each as a whole, exactly as it stands in ``params.yaml``, and only in ``FILES``. The same name anywhere else, or a
part of it, is a finding as ever: in a table, a video, a file name, in the curator's own words for the datasheet.

The documents are full of words that are also names (Day, Long, Page, Will). They pass in ``FILES`` and nowhere else:
``release.public_words`` would open them everywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from scrubin.release.audit.findings import Text
from scrubin.release.audit.stated import Stated
from scrubin.release.audit.strings.private_columns import as_json
from scrubin.release.audit.strings.private_strings import Private
from scrubin.release.audit.strings.search import Search
from scrubin.release.audit.strings.spelling import fold, vocabulary
from scrubin.release.metadata import citation
from scrubin.release.params import ReleaseParams

FILES = frozenset(
    {
        "CERTIFICATE.md",
        "README.md",
        "certificate.json",
        "croissant.json",
        "metadata/changes.json",
        "metadata/citation.bib",
        "metadata/datacite.json",
        "metadata/dataset_card.md",
        "metadata/datasheet.md",
        "metadata/facts.json",
    }
)
"""The documents about a release."""
_WORD = re.compile(r"[^\W_]+")


def without(stated: Stated, text: str) -> str:
    """Return what is left for the search of a text in ``FILES``."""
    for spelled in sorted({form for one in stated.texts for form in _spellings(one)}, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(spelled)}(?!\w)", " ", text)
    # Numbers stay: they may be parts of a date.
    return _WORD.sub(lambda word: " " if fold(word[0]) in stated.words and not word[0].isdecimal() else word[0], text)


def also_private(stated: Stated, private: Private) -> list[str]:
    """Return what of it tells something that must not be anywhere else."""
    search = Search(private, 0)
    return [text for text in stated.texts if search.in_text(Text("", text))]


def warnings(stated: Stated, private: Private) -> list[str]:
    """Return one line for each of these, for the curator."""
    return [
        f"params.yaml says {text!r}, which is also private in this study: it passes where the release says who made it and when, "
        "and is a finding anywhere else"
        for text in also_private(stated, private)
    ]


def of_params(params: ReleaseParams, fixed_texts: object = ()) -> Stated:
    """Return what may stand in the documents about a release.

    Parameters
    ----------
    params
        What the curator states.
    fixed_texts
        What these documents say whoever made the release.
    """
    people = [text for one in params.creators for text in (one.name, one.affiliation)]
    texts = [*people, params.publisher, params.contact, params.date_published]
    pairs = frozenset((key, as_json(value)) for key, value in _pairs(params))
    return Stated(tuple(sorted({text for text in texts if text})), vocabulary(fixed_texts), pairs)


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
