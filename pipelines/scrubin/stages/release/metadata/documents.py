"""The documents in the folder ``metadata`` of a release, with what they say of every release, whoever made it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scrubin.base.files import json_text
from scrubin.base.tables import Table, io
from scrubin.base.tables.public import FRAMES, VIDEOS
from scrubin.data.diff import KINDS, previous
from scrubin.stages.release import gates
from scrubin.stages.release.certificate import public_form
from scrubin.stages.release.metadata import card, citation, croissant, curator_words, datasheet, facts, record_sets, requirements, sentences
from scrubin.stages.release.metadata.curator_words import Words
from scrubin.stages.release.release_params import ReleaseParams

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
        citation.BIBTEX_NAME: citation.bibtex(params) + "\n",
        citation.DATACITE_NAME: json_text(citation.datacite_document(params, every)),
        datasheet.NAME: datasheet.text(params, every, words),
        facts.NAME: json_text(every),
    }


def fixed_texts(params: ReleaseParams, tables: Mapping[str, Table]) -> list[object]:
    """Return the texts.

    Parameters
    ----------
    params
        Version and licence. Name, title and all else are the curator's own words: a person or a site in them is a leak as anywhere.
    tables
        Declarations of the public tables.
    """
    nameless = ReleaseParams("study", "study", params.version, params.license, params.archives, params.on_quarantine, params.review)
    nothing: dict[str, Any] = facts.measured({table.name: io.frame_of(table, []) for table in (VIDEOS, FRAMES)}, facts.Study())
    files = [f"tables/{name}.parquet" for name in tables] + [pattern for _, pattern, _, _ in record_sets.FILE_SETS]
    files += ["archives/Task_left.zip"]
    document = croissant.metadata(nameless, tables, {}, dict.fromkeys(files, ""), dict.fromkeys(files, 0), nothing, curator_words.Words())
    return [
        document,
        nothing,
        public_form.fixed_texts(),
        gates.fixed_review_texts(),
        facts.KEYS,
        [list(item) for item in record_sets.FILE_SETS],
        [record_sets.ZIP_SAYS, record_sets.ARCHIVED_SAYS],
        [record_sets.SUBSETS_SAY, record_sets.NAMES_SAY, record_sets.IMAGES_SAY, record_sets.VIDEOS_SAY, record_sets.SAYS],
        [[one.asks, one.field, one.key] for one in curator_words.QUESTIONS],
        curator_words.SECTIONS,
        sentences.FIXED,
        [previous.FIXED, list(KINDS)],
        croissant.SYNTHETIC,
        curator_words.CONDITIONS,
        texts(nameless, nothing, curator_words.Words(), list(tables)),
        [[one.sentence] for one in requirements.REQUIREMENTS],
        [
            datasheet.LABELS,
            datasheet.MEASURED,
            datasheet.ALL_SAID,
            datasheet.NO_LABELS,
            card.NONE,
            card.SIZES,
            card.LARGEST,
            sorted(card.LICENCES),
        ],
        [citation.SIZES, citation.ORCID, "dates Issued date subjects subject creators nameType Personal Organizational nameIdentifiers"],
    ]
