"""Splits: released recordings become training, validation and test subsets."""

from pathlib import Path

import plumbing

from prefect import flow

from scrubin.core import files, params
from scrubin.splits import balanced
from scrubin.splits.balance import balance
from scrubin.splits.coverage import coverage
from scrubin.splits.listings import listings
from scrubin.splits.params import SplitsParams
from scrubin.splits.people import people as people_of
from scrubin.tables import io
from scrubin.tables.linkage import LINKAGE
from scrubin.tables.phases import PHASES
from scrubin.tables.recordings import RECORDINGS
from scrubin.tables.skill import skill as skill_table
from scrubin.tables.splits import SPLITS
from scrubin.tables.task_errors import ERRORS
from scrubin.tables.triplets import TRIPLETS
from scrubin.tables.videos import VIDEOS

TABLES = Path("data/tables")


@flow(name="splits")
def main() -> None:
    """Balance the subsets, write the split and its proof."""
    p = params.load("splits", SplitsParams)
    videos = io.read(VIDEOS, TABLES / "videos.parquet")
    recordings = io.read(RECORDINGS, Path("data/interim/recordings.parquet"))
    people = people_of(recordings, io.read(LINKAGE, Path("data/private/linkage.parquet")), videos)
    skill = io.read(skill_table(tuple(params.read()["scores"]["aspects"])), TABLES / "skill.parquet")
    errors = io.read(ERRORS, TABLES / "errors.parquet")
    made = balanced.split(people, skill, errors, p)
    io.write(SPLITS, made.splits, TABLES / "splits.parquet")
    folder = files.fresh_folder(Path("data/release/splits"))
    for name, text in listings(made.splits, videos).items():
        files.write_text(folder / name, text)
    triplets, phases = io.read(TRIPLETS, TABLES / "triplets.parquet"), io.read(PHASES, TABLES / "phases.parquet")
    covered = coverage(made.splits, triplets, phases, errors, list(p.subsets))
    files.write_json(Path("reports/splits.json"), {**balance(made, people, skill, errors, p), "coverage": covered})


if __name__ == "__main__":
    plumbing.run(main)
