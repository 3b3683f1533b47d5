"""Scores: rater sheets become ratings, skill and errors."""

import plumbing

from prefect import flow

from scrubin.audit.expected import withdrawal_memory
from scrubin.base import params
from scrubin.base.layout import INTERIM, LINKAGE_PATH, PRIVATE, TABLES, quarantine_path
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import LENGTHS, LINKAGE, PEOPLE, QUARANTINE
from scrubin.base.tables.public import ERRORS, RATINGS, skill_table
from scrubin.ratings import ScoresParams, marks, score_statistics, scoring
from scrubin.ratings.entries import read_entries
from scrubin.ratings.rater_files import read_folder, unread_tables, without
from scrubin.ratings.rater_sheet import roster_of
from scrubin.stages.scores import development


@flow(name="scores")
def main() -> None:
    """Read every sheet, normalise, aggregate, harmonise; write tables and statistics."""
    p = params.load("scores", ScoresParams)
    people = io.read(PEOPLE, INTERIM / "people.parquet")
    linkage = io.read(LINKAGE, LINKAGE_PATH)
    set_aside = io.read(QUARANTINE, quarantine_path("ingest")).recording
    roster = roster_of(people, linkage, io.read(LENGTHS, INTERIM / "lengths.parquet"), set_aside)
    withdrawn = withdrawal_memory.load()
    folder = params.raw_folder() / "ratings"
    found = read_folder(folder, roster.tasks, withdrawn)
    for unread in unread_tables(folder, found):
        plumbing.LOG.warning("%s", unread.fault.line())
    entries = read_entries(without(found, withdrawn), roster, p)
    for fault in scoring.without_scale(entries.ratings):
        plumbing.LOG.warning("%s", fault.line())
    normalised = scoring.normalise(entries.ratings, p.failed_grs)
    for fault in scoring.without_skill(normalised, p.min_ratings):
        plumbing.LOG.warning("%s", fault.line())
    skill = scoring.aggregate(normalised, roster.released, p.aspects, p.min_ratings, p.strong_percentile)
    errors = marks.harmonise(entries.marks, p.error_rule, p.reviewer)
    io.write(RATINGS, entries.ratings, TABLES / "ratings.parquet")
    io.write(skill_table(p.aspects), skill, TABLES / "skill.parquet")
    io.write(ERRORS, errors, TABLES / "errors.parquet")
    seal = seals.of_draws(linkage)
    seals.write_sealed(PRIVATE / "development.json", development(skill, people, linkage), seal)
    seals.write_sealed(INTERIM / "scores.json", score_statistics.summarise(entries, normalised, skill, errors, roster, p), seal)


if __name__ == "__main__":
    plumbing.run(main)
