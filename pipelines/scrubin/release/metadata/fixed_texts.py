"""What the documents about every release say, whoever made it, for the audit: see ``audit.permitted``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrubin.release import review_gate
from scrubin.release.certificate import public_form
from scrubin.release.metadata import (
    card,
    croissant,
    datacite,
    datasheet,
    documents,
    facts,
    questions,
    record_sets,
    requirements,
    resources,
    responsible,
    sentences,
    words,
)
from scrubin.release.params import ReleaseParams
from scrubin.tables import io
from scrubin.tables.declare import Table
from scrubin.tables.frames import FRAMES
from scrubin.tables.videos import VIDEOS
from scrubin.versions import previous
from scrubin.versions.difference import KINDS


def of(params: ReleaseParams, tables: Mapping[str, Table]) -> list[object]:
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
    files = [f"tables/{name}.parquet" for name in tables] + [pattern for _, pattern, _, _ in resources.FILE_SETS]
    files += ["archives/Task_left.zip"]
    document = croissant.metadata(nameless, tables, {}, dict.fromkeys(files, ""), dict.fromkeys(files, 0), nothing, words.Words())
    return [
        document,
        nothing,
        public_form.fixed_texts(),
        review_gate.fixed_texts(),
        facts.KEYS,
        [list(item) for item in resources.FILE_SETS],
        [resources.ZIP_SAYS, resources.ARCHIVED_SAYS],
        [record_sets.SUBSETS_SAY, record_sets.NAMES_SAY, record_sets.IMAGES_SAY, record_sets.VIDEOS_SAY, record_sets.SAYS],
        [[one.asks, one.field, one.key] for one in questions.QUESTIONS],
        questions.SECTIONS,
        sentences.FIXED,
        [previous.FIXED, list(KINDS)],
        responsible.SYNTHETIC,
        words.CONDITIONS,
        documents.texts(nameless, nothing, words.Words(), list(tables)),
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
        [datacite.SIZES, datacite.ORCID, "dates Issued date subjects subject creators nameType Personal Organizational nameIdentifiers"],
    ]
