"""What the release says of itself, and whether it may follow the last one: datasheet, known errors, version, what would be missing."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from scrubin.core.errors import ReleaseError
from scrubin.preflight.findings import Findings
from scrubin.preflight.listed_study import ListedStudy
from scrubin.release import shrinking
from scrubin.release.metadata import words
from scrubin.release.params import ReleaseParams
from scrubin.versions import errata
from scrubin.versions.released import Released
from scrubin.withdrawal import tombstones

ANY_FRAME = 1 << 40
"""How many frames a recording has is not known yet: any number of one may be right."""
CITED = ("description", "creators", "contact")
"""Without these a catalogue lists nobody and nothing."""


def look(study: ListedStudy, p: ReleaseParams, noted: Findings) -> None:
    """Note what the stage release would refuse when everything else is done."""
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
