"""Validate: every public table held to its declaration and to the others; an error stops the release."""

import plumbing

from prefect import flow

from scrubin.base import files, params
from scrubin.base.layout import HIDDEN_PATH, INTERIM, LINKAGE_PATH, PARTS_PATH, RECORDINGS_PATH, REPORTS, TABLES, VERDICT_PATH
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import HIDDEN, LINKAGE, PARTS, RECORDINGS, STEREO, every_file
from scrubin.base.tables.public import public_tables
from scrubin.base.vocabulary import vocabulary
from scrubin.stages.validate import outcomes, study_tables, suite
from scrubin.stages.validate.expected import ValidateParams, expected
from scrubin.stages.validate.near_duplicates import limits
from scrubin.stages.validate.rules import counts

OUT = REPORTS / "validation"


def acknowledged_pairs() -> list[tuple[str, ...]]:
    """Return the near-duplicates that a reviewer looked at, as pairs of released ids."""
    entries = seals.read_rows(INTERIM / "acknowledged.json")
    return [tuple(one["key"].split(",")) for one in entries if one["subject"] == "near-duplicate"]


@flow(name="validate")
def main() -> None:
    """Run every check, write the outcomes, then refuse what must not be released."""
    p = params.load("validate", ValidateParams)
    declared = public_tables(tuple(params.read()["scores"]["aspects"]))
    linkage = io.read(LINKAGE, LINKAGE_PATH)
    vocabularies = {name: vocabulary.load(name) for name in vocabulary.known()}
    stored = study_tables.Study(
        tables={table.name: study_tables.read(table, TABLES / f"{table.name}.parquet") for table in declared.values()}
        | {STEREO.name: study_tables.read(STEREO, INTERIM / "stereo.parquet")},
        recordings=every_file(io.read(RECORDINGS, RECORDINGS_PATH), io.read(PARTS, PARTS_PATH)),
        linkage=linkage,
        vocabularies=vocabularies,
        near_duplicate=limits(p.near_duplicate, linkage.id, acknowledged_pairs()),
        expected=expected(p, vocabularies, declared.values()),
        hidden=io.read(HIDDEN, HIDDEN_PATH),
    )
    checked, rows = suite.run(stored, p.severity), stored.row_counts
    seal = seals.of_draws(linkage)
    seals.write_sealed(VERDICT_PATH, outcomes.document(checked, rows), seal)
    folder = files.fresh_folder(OUT)
    files.write_json(folder / "class_counts.json", {"tables": counts.class_counts(stored)})
    files.write_json(folder / "metrics.json", outcomes.metrics(checked, rows))
    seals.write_page(folder / "index.html", outcomes.page(checked, rows), seal)
    outcomes.refuse(checked, f"{OUT}/index.html", dict(zip(linkage["id"], linkage["recording"], strict=True)))


if __name__ == "__main__":
    plumbing.run(main)
