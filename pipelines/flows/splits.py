"""Splits: released recordings become training, validation and test subsets."""

from pathlib import Path

import plumbing

from prefect import flow

from scrubin.core import files, params
from scrubin.core.unreleased import fresh_part
from scrubin.splits import study
from scrubin.splits.features import Tables
from scrubin.splits.listings import listings
from scrubin.splits.params import SplitsParams
from scrubin.splits.people import people as people_of
from scrubin.splits.schemes.kept import unchanged
from scrubin.splits.schemes.registry import Setting
from scrubin.splits.search.best_split import Effort
from scrubin.tables import io
from scrubin.tables.phases import PHASES
from scrubin.tables.private.lengths import LENGTHS
from scrubin.tables.private.linkage import LINKAGE
from scrubin.tables.private.people import PEOPLE
from scrubin.tables.skill import skill as skill_table
from scrubin.tables.splits import SPLITS
from scrubin.tables.task_errors import ERRORS
from scrubin.tables.triplets import TRIPLETS
from scrubin.withdrawal import memory

TABLES, INTERIM = Path("data/tables"), Path("data/interim")


@flow(name="splits")
def main() -> None:
    """Make every split, write it with its proof."""
    p = params.load("splits", SplitsParams)
    videos = io.read(LENGTHS, INTERIM / "lengths.parquet")
    recordings = io.read(PEOPLE, INTERIM / "people.parquet")
    people = people_of(recordings, io.read(LINKAGE, Path("data/private/linkage.parquet")), videos)
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
    withdrawn = memory.load()
    released = unchanged(withdrawn.splits, params.read()["splits"])
    split_of = study.splits(everyone, p, Setting(p.seed, effort, params.raw_folder(), released=released, withdrawn=withdrawn))
    table = study.table(split_of)
    io.write(SPLITS, table, TABLES / "splits.parquet")
    folder = fresh_part("splits")
    for name, text in listings(table, videos, next(iter(p.schemes))).items():
        files.write_text(folder / name, text)
    files.write_json(Path("data/private/obstacles.json"), study.obstacles(split_of))
    files.write_json(Path("data/interim/splits.json"), study.document(split_of, everyone, tables, p))


if __name__ == "__main__":
    plumbing.run(main)
