"""Release: complete the release folder, and refuse it unless the audit proves that nothing private is in it."""

import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import plumbing

import pandas as pd
from prefect import flow

from scrubin.core import files, owners, params, store
from scrubin.core.errors import PrivacyError, StageError
from scrubin.lasana import csv_text
from scrubin.ratings.params import ScoresParams
from scrubin.release import completion, gate, linking, outputs, review_gate, shrinking, summary
from scrubin.release.audit import permitted, project, run
from scrubin.release.audit.pictures.shown import Pictures
from scrubin.release.audit.reading import Part, Reading
from scrubin.release.audit.videos.stored import Stored
from scrubin.release.certificate import issue, public_form
from scrubin.release.metadata import requirements, words
from scrubin.release.metadata import study as known
from scrubin.release.params import refuse_borrowed_name
from scrubin.review.ledger import Ledger
from scrubin.tables import io
from scrubin.tables.private.linkage import LINKAGE
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.versions import errata, previous
from scrubin.withdrawal import kept, tombstones

OUT, INTERIM = Path("data/release"), Path("data/interim")


def annotation(tables: Mapping[str, pd.DataFrame], p: ScoresParams) -> dict[str, str]:
    """Return the files of the folder `Annotation`, as LASANA has them."""
    texts, ratings = {}, tables["ratings"]
    for task in sorted(set(ratings.task)):
        names = p.errors.get(task, ())
        texts[f"{task}.csv"] = csv_text.task_csv(task, tables["skill"], tables["errors"], tables["videos"], p.aspects, names)
        for rater in sorted(set(ratings[ratings.task == task].rater)):
            texts[f"{task}_rater{rater}.csv"] = csv_text.rater_csv(task, rater, ratings, p.aspects)
    return texts | {path.name: path.read_text(encoding="utf-8") for path in sorted((OUT / "splits").glob("*_split.csv"))}


def refuse_shrinking(study: project.Project, now: dict[str, Any]) -> dict[str, str]:
    """Return the recordings that the last release had and this one lacks, if they may go; else refuse.

    Whoever withdrew may go, and goes with a major version; ``now`` gets the tombstones.
    """
    last = shrinking.before(study.params.name)
    lost = shrinking.lost(last, now)
    withdrawn = tombstones.gone(lost, study.private.withdrawn)
    tombstones.refuse_number(last["version"], study.params.version, withdrawn)
    now["withdrawn"] = tombstones.tombstones(shrinking.withdrawn(last), withdrawn, study.params.version)
    missing = {name: id_ for name, id_ in lost.items() if name not in withdrawn}
    recordings, excluded = io.read(RECORDINGS, INTERIM / "recordings.parquet"), (INTERIM / "excluded.json").read_text(encoding="utf-8")
    why = shrinking.reasons(recordings, study.quarantine, json.loads(excluded))
    shrinking.refuse(last, missing, why, may_shrink=study.params.may_shrink)
    return missing


def everywhere(work: Callable[[Part], Reading], parts: Sequence[Part]) -> list[Reading]:
    """Read the parts of a release in all processes."""
    read = plumbing.map_items(work, parts, name="audit")
    if read.quarantined:
        # What was not read is not proven: nothing of the release may be set aside here.
        raise StageError("; ".join(str(error) for _, error in read.quarantined))
    return [reading for _, reading in read.done]


def log_outcome(
    study: project.Project, review: Mapping[str, Any], pictures: Pictures, missing: Mapping[str, str], linkable: Mapping[str, Any]
) -> None:
    """Say what was proven and what the curator should look at: warnings last, what is quarantined at the very end."""
    plumbing.LOG.info("audit: %s", pictures.sentence())
    plumbing.LOG.info("re-identification: %s", linking.sentence(linkable))
    if study.params.previous is not None:
        plumbing.LOG.info("%s", previous.note(OUT))
    plumbing.LOG.info("metadata: %s", requirements.of_release(OUT))
    for line in (*review_gate.warnings(review, study.params), *permitted.warnings(study.plan.stated, study.private)):
        plumbing.LOG.warning("%s", line)
    if warning := shrinking.warning(missing, may_shrink=study.params.may_shrink):
        plumbing.LOG.warning("%s", warning)
    if study.private.withdrawn:
        plumbing.LOG.info("withdrawn: nothing of it is in the release; 'scrubin store --prune' removes it from the store and DVC's cache")
    for line in gate.lines(study.quarantine):
        plumbing.LOG.warning("quarantined, not in the release: %s", line)


@flow(name="release")
def main() -> None:
    """Check, complete, prove, and say at the end what is quarantined."""
    study, scores = project.load(), params.load("scores", ScoresParams)
    refuse_borrowed_name(params.raw_folder(), study.params)
    gate.require_valid(INTERIM / "validation.json")
    review = review_gate.load()
    now = shrinking.released(study.params, io.read(LINKAGE, Path("data/private/linkage.parquet")), study.tables["videos"])
    now["splits"] = kept.placed(study.tables["splits"], params.read()["splits"])
    missing = refuse_shrinking(study, now)
    gate.refuse_quarantined(study.quarantine, study.params.on_quarantine, review_gate.acknowledged(review, "quarantine"))
    # The clock decides only whether there is a release, never what is in it.
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    lines = Ledger().lines()
    review_gate.require_reviewed(review, study.params, lines, today)
    reviewed = review_gate.sentence(review, study.params)
    certificate = issue.public(study.params, study.tables["videos"], review, reviewed, lines)
    # Before anything is written: a network that is missing stops the stage.
    pictures = Pictures(study.private)
    texts, fps = annotation(study.tables, scores), Fraction(params.read()["frames"]["fps"])
    wrong = errata.curated(params.raw_folder() / errata.NAME, study.params.version, study.tables["frames"])
    forms = public_form.texts(certificate) | {errata.RELEASED: errata.text(wrong), tombstones.NAME: tombstones.text(now["withdrawn"])}
    said = words.load(params.raw_folder() / words.NAME)
    facts = known.load(study.quarantine, certificate, synthetic=bool(review["synthetic"]))
    sizes = completion.complete(OUT, study.params, study.declared, study.tables, texts, fps, reviewed, forms, facts, said)
    folder = OUT.absolute()
    try:
        with owners.workspace(store.STORE_PATH.absolute()) as shared:
            run.refuse(run.audit(folder, study.private, study.plan, Stored(folder), pictures, everywhere, shared).findings)
    except PrivacyError:
        outputs.discard(OUT)
        raise
    linkable = linking.note(study.tables["videos"], study.kept_s, study.jitter_s)
    document = summary.summarise(study.params, study.tables, study.quarantine, study.private, sizes, linkable, pictures.counts())
    document["review"] = reviewed
    files.write_json(Path("reports/release.json"), document)
    issue.private(certificate, review, document, lines, OUT)
    files.write_json(shrinking.PATH, now)
    log_outcome(study, review, pictures, missing, linkable)


if __name__ == "__main__":
    plumbing.run(main)
