"""Validate: every public table held to its declaration and to the others; an error stops the release."""

from pathlib import Path

import plumbing

from prefect import flow

from scrubin.core import files, params
from scrubin.tables import io
from scrubin.tables.catalogue import public_tables
from scrubin.tables.private.linkage import LINKAGE
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.validate import checks, counts, outcomes, page, study
from scrubin.validate.duplicates.near import limits
from scrubin.validate.expectations import expected
from scrubin.validate.params import ValidateParams
from scrubin.vocabulary import vocabulary

TABLES = Path("data/tables")
OUT = Path("reports/validation")


@flow(name="validate")
def main() -> None:
    """Ask every rule, write the answers, then refuse what must not be released."""
    p = params.load("validate", ValidateParams)
    declared = public_tables(tuple(params.read()["scores"]["aspects"]))
    linkage = io.read(LINKAGE, Path("data/private/linkage.parquet"))
    vocabularies = {name: vocabulary.load(name) for name in vocabulary.available()}
    found = study.Study(
        tables={table.name: study.read(table, TABLES / f"{table.name}.parquet") for table in declared.values()},
        recordings=io.read(RECORDINGS, Path("data/interim/recordings.parquet")),
        linkage=linkage,
        vocabularies=vocabularies,
        near_duplicate=limits(p.near_duplicate, linkage.id),
        expected=expected(p, vocabularies, declared.values()),
    )
    answers, rows = checks.run(found, p.severity), checks.row_counts(found)
    folder = files.fresh_folder(OUT)
    files.write_json(folder / "validation.json", outcomes.document(answers, rows))
    files.write_json(folder / "class_counts.json", {"tables": counts.class_counts(found)})
    files.write_json(folder / "metrics.json", outcomes.metrics(answers, rows))
    files.write_text(folder / "index.html", page.render(answers, rows))
    outcomes.refuse(answers, f"{OUT}/index.html")


if __name__ == "__main__":
    plumbing.run(main)
