"""What the release says of itself, and whether it may follow the last one: datasheet, known errors, version, what would be missing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from scrubin.core.errors import ReleaseError
from scrubin.core.faults import error
from scrubin.preflight.findings import Findings
from scrubin.preflight.listed_study import ListedStudy
from scrubin.release import shrinking
from scrubin.release.audit import permitted
from scrubin.release.audit.findings import Text
from scrubin.release.audit.strings import private_strings, public_words
from scrubin.release.audit.strings.search import Search
from scrubin.release.metadata import fixed_texts, words
from scrubin.release.params import ReleaseParams
from scrubin.tables.catalogue import public_tables
from scrubin.versions import errata
from scrubin.versions.released import Released
from scrubin.withdrawal import tombstones

ANY_FRAME = 1 << 40
"""How many frames a recording has is not known yet: any number of one may be right."""
STATED = ("name", "title", "description")
TOLD_BY = ("recording", "participant", "trial", "site", "path")
CITED = ("description", "creators", "contact")
"""Without these a catalogue lists nobody and nothing."""


def look(study: ListedStudy, p: ReleaseParams, noted: Findings) -> None:
    """Note what the stage release would refuse when everything else is done."""
    _look_at_words(study, p, noted)
    if (study.raw / words.NAME).exists():
        with noted.noting():
            words.load(study.raw / words.NAME)
    if (study.raw / errata.NAME).exists():
        with noted.noting():
            frames = pd.DataFrame({"id": sorted(study.ids.values())}).assign(frame=ANY_FRAME)
            errata.curated(study.raw / errata.NAME, p.version, frames)
    with noted.noting():
        last = shrinking.before(p.name)
        missing = {name: id_ for name, id_ in last["recordings"].items() if name not in set(study.kept)}
        withdrawn = tombstones.gone(missing, study.withdrawn)
        why = {name: f"recordings.csv: {rows[0].exclude.strip()}" for name, rows in study.recordings.items() if rows[0].exclude.strip()}
        why |= dict.fromkeys(study.set_aside, "it is set aside, see above")
        with noted.noting():
            tombstones.refuse_number(last["version"], p.version, withdrawn)
        shrinking.refuse(last, {name: id_ for name, id_ in missing.items() if name not in withdrawn}, why, may_shrink=p.may_shrink)
    if p.previous is not None:
        with noted.noting():
            try:
                Released.open(Path(p.previous.path))
            except ReleaseError as error:
                msg = f"params.yaml: 'release.previous': {error}"
                raise ReleaseError(msg) from error
    unsaid = [name for name in CITED if not getattr(p, name)]
    if unsaid:
        noted.remark(f"release.{', release.'.join(unsaid)}: nothing is said", "the release names it as missing", "params.yaml")


def _look_at_words(study: ListedStudy, p: ReleaseParams, noted: Findings) -> None:
    """Note words of the release's own texts that also tell a file, a person or a site: the audit would refuse them at the end."""
    rows = [row for rows in study.recordings.values() for row in rows]
    declared = public_tables(())
    private = private_strings.of_tables(
        [pd.DataFrame({name: [getattr(row, name) for row in rows] for name in TOLD_BY})],
        study.ids.values(),
        public_words.public_words(declared, p, [], [[row.task for row in rows]]),
    )
    stated = permitted.of_params(p, fixed_texts.of(p, declared))
    for place, file, text, in_documents in _own_texts(study, p):
        # What the documents about a release say whoever made it passes in them, and nowhere else.
        searched = permitted.without(stated, text) if in_documents else text
        for needle in sorted(Search(private, len(searched)).in_text(Text(place, searched))):
            what = f"{place} holds '{needle.text}', which tells the {needle.discloses} of a recording: the release would be refused"
            fix = "write it otherwise, or list the word in release.public_words when it is harmless"
            noted.errors.append(error(file, "private-word", what, fix))
    for line in permitted.warnings(stated, private):
        noted.remark(line.removeprefix("params.yaml says "), "leave it if it should be public", "params.yaml")


def _own_texts(study: ListedStudy, p: ReleaseParams) -> Iterator[tuple[str, str, str, bool]]:
    """Yield each text that the curator writes for the release: its place, its file, itself, and whether only documents hold it."""
    for name in STATED:
        yield f"release.{name}", "params.yaml", str(getattr(p, name) or ""), name != "name"
    for keyword in p.keywords:
        yield "release.keywords", "params.yaml", keyword, True
    with contextlib.suppress(ReleaseError):  # noted where they are read
        if (study.raw / words.NAME).exists():
            for question, answer in words.load(study.raw / words.NAME).answers.items():
                texts = answer if isinstance(answer, tuple) else (str(answer),)
                yield from ((f"'{question}'", words.NAME, text, True) for text in texts)
    with contextlib.suppress(ReleaseError):
        if (study.raw / errata.NAME).exists():
            frames = pd.DataFrame({"id": sorted(study.ids.values())}).assign(frame=ANY_FRAME)
            for one in errata.curated(study.raw / errata.NAME, p.version, frames):
                yield from ((f"entry {one.id}, '{name}'", errata.NAME, getattr(one, name), False) for name in ("what", "advice"))
