"""Pseudonymize: one pseudo-English id per recording, kept for ever; with its key, who is who for scores and splits."""

from __future__ import annotations

from pathlib import Path

import plumbing

from prefect import flow

from scrubin.audit.expected import withdrawal_memory
from scrubin.base import params
from scrubin.base.layout import DEMO, INTERIM, LINKAGE_PATH, PRIVATE, RECORDINGS_PATH
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import LINKAGE, PEOPLE, RECORDINGS
from scrubin.stages import pseudonymize
from scrubin.stages.pseudonymize import PseudonymizeParams


@flow(name="pseudonymize")
def main() -> None:
    """Write the tables `linkage` and `people`; make the study's key where there is none yet."""
    p = params.load("pseudonymize", PseudonymizeParams)
    files = io.read(RECORDINGS, RECORDINGS_PATH)
    recordings = files.recording.unique().tolist()
    book = PRIVATE / "ids.csv"
    if params.raw_folder() == DEMO:
        # Only the synthetic study brings a key, so that its release is the same everywhere.
        key = pseudonymize.read_key(DEMO / "pseudonym.key")
        id_of = pseudonymize.assign(recordings, key, {}, p.syllables)
    else:
        if not book.exists():
            pseudonymize.refuse_other_ids(PRIVATE / "pseudonym.key", Path("dvc.lock"), params.raw_folder())
        key = pseudonymize.private_key(PRIVATE / "pseudonym.key", book)
        previous = pseudonymize.read_ledger(book, pseudonymize.fingerprint(key))
        withdrawn = withdrawal_memory.load()
        id_of = pseudonymize.assign(recordings, key, previous, p.syllables, withdrawn)
        previous = {recording: id_ for recording, id_ in previous.items() if recording not in withdrawn}
        pseudonymize.write_ledger(book, pseudonymize.fingerprint(key), {**previous, **id_of})
    rows = ({"recording": recording, "id": id_, "draw": pseudonymize.draw(recording, key)} for recording, id_ in id_of.items())
    linkage = io.frame_of(LINKAGE, rows)
    io.write(LINKAGE, linkage, LINKAGE_PATH)
    # Not in `ingest`: a seal that follows from the files would let scores and splits run again with every new one.
    io.write(PEOPLE, files[PEOPLE.column_names], INTERIM / "people.parquet", seals.of_draws(linkage))


if __name__ == "__main__":
    plumbing.run(main)
