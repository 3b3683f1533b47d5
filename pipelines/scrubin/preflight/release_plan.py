"""What the release says of itself, and whether it may follow the last one: datasheet, known errors, version, what would be missing."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from scrubin.core.errors import ReleaseError
from scrubin.preflight.findings import Findings
from scrubin.preflight.listed_study import ListedStudy
from scrubin.release import shrinking
from scrubin.release.audit.findings import Text
from scrubin.release.audit.strings import private_strings, public_words
from scrubin.release.audit.strings.search import Search
from scrubin.release.metadata import words
from scrubin.release.params import ReleaseParams
from scrubin.tables.catalogue import public_tables
from scrubin.versions import errata
from scrubin.versions.released import Released
from scrubin.withdrawal import tombstones

ANY_FRAME = 1 << 40
"""How many frames a recording has is not known yet: any number of one may be right."""
STATED = ("name", "title", "description", "publisher")
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
    """Note words of the release's own texts that also tell a file, a person or a site: the audit would find them at the end."""
    rows = [row for rows in study.recordings.values() for row in rows]
    private = private_strings.of_tables(
        [pd.DataFrame({name: [getattr(row, name) for row in rows] for name in TOLD_BY})],
        study.ids.values(),
        public_words.public_words(public_tables(()), p, [], [[row.task for row in rows]]),
    )
    for name in STATED:
        text = str(getattr(p, name) or "")
        for needle in sorted(Search(private, len(text)).in_text(Text(f"release.{name}", text))):
            what = f"release.{name} holds '{needle.text}', which tells the {needle.discloses} of a recording: the release would be refused"
            noted.remark(what, "write it otherwise, or list the word in release.public_words when it is harmless", "params.yaml")
