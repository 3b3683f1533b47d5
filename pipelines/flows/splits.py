"""Splits: released recordings become training, validation and test subsets."""

from functools import partial

import plumbing

from prefect import flow

import progress
from scrubin.audit.expected import withdrawal_memory
from scrubin.base import files, params
from scrubin.base.layout import INTERIM, LINKAGE_PATH, PRIVATE, TABLES
from scrubin.base.private_paths import fresh_part
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import LENGTHS, LINKAGE, PEOPLE
from scrubin.base.tables.public import ERRORS, PHASES, SPLITS, TRIPLETS, skill_table
from scrubin.stages.splits import study
from scrubin.stages.splits.best_split import Effort
from scrubin.stages.splits.cohort import Tables
from scrubin.stages.splits.registry import Setting
from scrubin.stages.splits.released_splits import unchanged
from scrubin.stages.splits.split_params import SplitsParams
from scrubin.stages.splits.study import listings
from scrubin.stages.splits.study import people as people_of


@flow(name="splits")
def main() -> None:
    """Make every split, write it with its proof."""
    p = params.load("splits", SplitsParams)
    videos = io.read(LENGTHS, INTERIM / "lengths.parquet")
    recordings = io.read(PEOPLE, INTERIM / "people.parquet")
    linkage = io.read(LINKAGE, LINKAGE_PATH)
    people, seal = people_of(recordings, linkage, videos), seals.of_draws(linkage)
    tables = Tables(
        skill=io.read(skill_table(tuple(params.read()["scores"]["aspects"])), TABLES / "skill.parquet"),
        errors=io.read(ERRORS, TABLES / "errors.parquet"),
        videos=videos,
        triplets=io.read(TRIPLETS, TABLES / "triplets.parquet"),
        phases=io.read(PHASES, TABLES / "phases.parquet"),
        sites=people[["id", "site"]],
    )
    everyone = study.cohort_of(people, tables)
    effort = Effort(p.gap, p.work_limit)
    withdrawn = withdrawal_memory.load()
    released = unchanged(withdrawn.splits, params.read()["splits"])
    setting = Setting(p.seed, effort, params.raw_folder(), released=released, withdrawn=withdrawn)
    split_of = study.splits(everyone, p, setting, partial(progress.over, "splits", unit="scheme"))
    table = study.table(split_of)
    io.write(SPLITS, table, TABLES / "splits.parquet")
    folder = fresh_part("splits")
    for name, text in listings(table, videos, next(iter(p.schemes))).items():
        files.write_text(folder / name, text)
    seals.write_sealed(PRIVATE / "obstacles.json", {"schemes": study.obstacles(split_of)}, seal)
    said = study.document(split_of, everyone, tables, p)
    for line in study.warnings(said):
        plumbing.LOG.warning("look at: %s", line)
    seals.write_sealed(INTERIM / "splits.json", said, seal)


if __name__ == "__main__":
    plumbing.run(main)
