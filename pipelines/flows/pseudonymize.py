"""Pseudonymize: one pseudo-English id per recording, kept for ever."""

from __future__ import annotations

from pathlib import Path

import plumbing

from prefect import flow

from scrubin.core import params
from scrubin.pseudonymize import ids, ledger
from scrubin.pseudonymize.params import PseudonymizeParams
from scrubin.tables import io
from scrubin.tables.private.linkage import LINKAGE
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.withdrawal import memory

PRIVATE = Path("data/private")
# Only the synthetic study brings a key, so that its release is the same everywhere.
DEMO = Path("data/demo")


@flow(name="pseudonymize")
def main() -> None:
    """Write the table `linkage`; make the study's key where there is none yet."""
    p = params.load("pseudonymize", PseudonymizeParams)
    recordings = io.read(RECORDINGS, Path("data/interim/recordings.parquet")).recording.unique().tolist()
    book = PRIVATE / "ids.csv"
    if params.raw_folder() == DEMO:
        key = ledger.read_key(DEMO / "pseudonym.key")
        id_of = ids.assign(recordings, key, {}, p.syllables)
    else:
        key = ledger.private_key(PRIVATE / "pseudonym.key", book)
        previous = ledger.read_ledger(book, ids.fingerprint(key))
        withdrawn = memory.load()
        id_of = ids.assign(recordings, key, previous, p.syllables, withdrawn)
        previous = {recording: id_ for recording, id_ in previous.items() if recording not in withdrawn}
        ledger.write_ledger(book, ids.fingerprint(key), {**previous, **id_of})
    rows = ({"recording": recording, "id": id_, "draw": ids.draw(recording, key)} for recording, id_ in id_of.items())
    io.write(LINKAGE, io.frame_of(LINKAGE, rows), PRIVATE / "linkage.parquet")


if __name__ == "__main__":
    plumbing.run(main)
