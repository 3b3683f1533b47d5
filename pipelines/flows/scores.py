"""Scores: rater sheets become ratings, skill and errors."""

from pathlib import Path

import plumbing

from prefect import flow

from scrubin.core import files, params
from scrubin.ratings import aggregation, consensus, normalisation, statistics
from scrubin.ratings.development import development
from scrubin.ratings.entries import read_entries
from scrubin.ratings.params import ScoresParams
from scrubin.ratings.roster import roster_of
from scrubin.ratings.sheets import read_folder, without
from scrubin.tables import io
from scrubin.tables.private.lengths import LENGTHS
from scrubin.tables.private.linkage import LINKAGE
from scrubin.tables.private.people import PEOPLE
from scrubin.tables.private.quarantine import QUARANTINE
from scrubin.tables.ratings import RATINGS
from scrubin.tables.skill import skill as skill_table
from scrubin.tables.task_errors import ERRORS
from scrubin.withdrawal import memory

TABLES, INTERIM = Path("data/tables"), Path("data/interim")


@flow(name="scores")
def main() -> None:
    """Read every sheet, normalise, aggregate, harmonise; write tables and statistics."""
    p = params.load("scores", ScoresParams)
    people = io.read(PEOPLE, INTERIM / "people.parquet")
    linkage = io.read(LINKAGE, Path("data/private/linkage.parquet"))
    set_aside = io.read(QUARANTINE, INTERIM / "quarantine_ingest.parquet").recording
    roster = roster_of(people, linkage, io.read(LENGTHS, INTERIM / "lengths.parquet"), set_aside)
    sheets = without(read_folder(params.raw_folder() / "ratings", roster.tasks), memory.load())
    entries = read_entries(sheets, roster, p)
    for fault in normalisation.without_scale(entries.ratings):
        plumbing.LOG.warning("%s", fault.line())
    normalised = normalisation.normalise(entries.ratings, p.failed_grs)
    skill = aggregation.aggregate(normalised, roster.released, p.aspects, p.min_ratings, p.strong_percentile)
    errors = consensus.harmonise(entries.marks, p.error_rule, p.reviewer)
    io.write(RATINGS, entries.ratings, TABLES / "ratings.parquet")
    io.write(skill_table(p.aspects), skill, TABLES / "skill.parquet")
    io.write(ERRORS, errors, TABLES / "errors.parquet")
    files.write_json(Path("data/private/development.json"), development(skill, people, linkage))
    files.write_json(INTERIM / "scores.json", statistics.summarise(entries, normalised, skill, errors, roster, p))


if __name__ == "__main__":
    plumbing.run(main)
