"""Release: put the release together, and publish it only when the audit proves that nothing private is in it."""

import contextlib
import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import plumbing

import pandas as pd
from prefect import flow

import progress
from scrubin.audit import run
from scrubin.audit.expected import private_strings, withdrawal_memory
from scrubin.audit.pictures.shown import Pictures
from scrubin.audit.pictures.stored import Stored
from scrubin.audit.reading import Part, Reading
from scrubin.base import file_lists, params
from scrubin.base.errors import StageError
from scrubin.base.layout import INTERIM, LINKAGE_PATH, RECORDINGS_PATH, RELEASE, REPORTS, VERDICT_PATH
from scrubin.base.store import store, workspaces
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import LINKAGE, RECORDINGS
from scrubin.data.diff import errata, previous
from scrubin.ratings import ScoresParams
from scrubin.ratings.lasana import annotation_text
from scrubin.stages.release import assembly, audit_questions, audited_project, gates, linking, other_clones, release_folder
from scrubin.stages.release.certificate import issue, public_form
from scrubin.stages.release.metadata import curator_words, requirements
from scrubin.stages.release.metadata import facts as known
from scrubin.stages.release.release_params import ReleaseParams, refuse_borrowed_name
from scrubin.stages.review import Ledger, questions
from scrubin.stages.withdrawals import notice, releases


def annotation(tables: Mapping[str, pd.DataFrame], p: ScoresParams, files: Mapping[str, Path]) -> dict[str, str]:
    """Return the files of the folder `Annotation`, as LASANA has them."""
    texts, ratings = {}, tables["ratings"]
    for task in sorted(set(ratings.task)):
        names = p.errors.get(task, ())
        texts[f"{task}.csv"] = annotation_text.task_csv(task, tables["skill"], tables["errors"], tables["videos"], p.aspects, names)
        for rater in sorted(set(ratings[ratings.task == task].rater)):
            texts[f"{task}_rater{rater}.csv"] = annotation_text.rater_csv(task, rater, ratings, p.aspects)
    of_tasks = {f"splits/{task}_split.csv" for task in set(tables["videos"].task)}
    return texts | {path.name: path.read_text(encoding="utf-8") for name, path in files.items() if name in of_tasks}


def releases_of_others() -> list[other_clones.Earlier]:
    """Return the releases here that note withdrawals and that another clone made; what is to go from its place is kept."""
    p = params.load("release", ReleaseParams)
    withdrawn = withdrawal_memory.load()
    earlier = other_clones.releases_here(p.previous, withdrawn)
    other_clones.keep(earlier, withdrawn)
    return earlier


def refuse_shrinking(study: audited_project.Project, now: dict[str, Any], earlier: Sequence[other_clones.Earlier]) -> dict[str, str]:
    """Return the recordings that the last release had and this one lacks, if they may go; else refuse.

    Whoever withdrew may go, and goes with a major version. Whoever withdrew in another clone may not come.
    ``now`` gets the tombstones.
    """
    last, version = gates.last_release(study.params.name), study.params.version
    other_clones.refuse_return(earlier, now["recordings"], params.raw_folder(), version, study.private.withdrawn)
    lost = gates.lost_recordings(last, now)
    withdrawn = releases.gone(lost, study.private.withdrawn)
    releases.refuse_number(last["version"], version, withdrawn)
    now["withdrawn"] = releases.tombstones(*other_clones.carried(earlier, last, now["recordings"], withdrawn), version)
    missing = {name: id_ for name, id_ in lost.items() if name not in withdrawn}
    recordings, excluded = io.read(RECORDINGS, RECORDINGS_PATH), seals.read_rows(INTERIM / "excluded.json")
    why = gates.reasons_lost(recordings, study.quarantine, excluded)
    gates.refuse_shrinking(last, missing, why, may_shrink=study.params.may_shrink)
    return missing


def everywhere(work: Callable[[Part], Reading], parts: Sequence[Part]) -> list[Reading]:
    """Read the parts of a release in all processes."""
    read = plumbing.map_items(work, parts, name="audit", unit="part")
    if read.quarantined:
        # What was not read is not proven: nothing of the release may be set aside here.
        raise StageError("; ".join(str(error) for _, error in read.quarantined))
    return [reading for _, reading in read.done]


@contextlib.contextmanager
def assembled(waiting: Mapping[str, Path], stated: Mapping[str, str], *, audited: bool) -> Iterator[release_folder.Assembled]:
    """Yield the folder with all that waits, and the hashes of it; it is the release when the block ends well."""
    with contextlib.ExitStack() as copying:
        one_more = copying.enter_context(progress.steps("assemble", len(waiting), "file"))
        with release_folder.of_release(waiting, stated, one_more, audited=audited) as copied:
            copying.close()
            yield copied


def stated(waiting: Mapping[str, Path], videos: pd.DataFrame) -> dict[str, str]:
    """Return the SHA-256 of every video and every file of frames, as the stages stated them that wrote these."""
    of_frames, _ = file_lists.read_checksums((INTERIM / "frames.sha256").read_text(encoding="utf-8"))
    sha256 = dict(zip(videos.path, videos.sha256, strict=True)) | of_frames
    for name, path in waiting.items():
        if name.startswith(("videos/", "frames/")) and name not in sha256:
            raise StageError(f"{path}: no stage states that it has written this, so nothing proves it; remove it, then run again")
    return sha256


def audit(folder: Path, study: audited_project.Project, pictures: Pictures) -> None:
    """Refuse the assembled release when anything in it must not be there; what its pictures show is asked on the page of the review."""
    with workspaces.workspace(store.STORE_PATH.absolute()) as shared:
        findings = run.audit(folder, study.private, study.plan, Stored(folder), pictures, everywhere, shared).findings
    asked = audit_questions.questions(pictures.judge, study.plan, study.sources)
    # The page of the review shows them; nothing that is hidden depends on this file.
    questions.write(asked)
    of_recordings = audit_questions.lines_of_recordings(findings, study.plan, study.sources, asked)
    run.refuse(findings, [*of_recordings, *audit_questions.lines(asked)])


def log_outcome(
    study: audited_project.Project, review: Mapping[str, Any], pictures: Pictures, missing: Mapping[str, str], linkable: Mapping[str, Any]
) -> None:
    """Say what was proven and what the curator should look at: warnings last, what is quarantined at the very end."""
    plumbing.LOG.info("audit: %s", pictures.sentence())
    plumbing.LOG.info("re-identification: %s", linking.sentence(linkable))
    if study.params.previous is not None:
        plumbing.LOG.info("%s", previous.note(RELEASE))
    plumbing.LOG.info("metadata: %s", requirements.of_release(RELEASE))
    audited = (*audited_project.warnings(study.plan.stated, study.private), *private_strings.warnings(study.private))
    for line in (*gates.review_warnings(review, study.params), *audited):
        plumbing.LOG.warning("%s", line)
    if warning := gates.shrinking_warning(missing, may_shrink=study.params.may_shrink):
        plumbing.LOG.warning("%s", warning)
    if study.private.withdrawn:
        plumbing.LOG.info(
            "withdrawn: the release holds no recording of theirs, and the audit found no name and no day that is remembered of them; "
            "'scrubin store --prune' removes them from the store and DVC's cache"
        )
    for line in gates.quarantine_lines(study.quarantine):
        plumbing.LOG.warning("quarantined, not in the release: %s", line)


@flow(name="release")
def main() -> None:
    """Check, complete, prove, and say at the end what is quarantined."""
    # From here on there is no release until this stage has ended well: neither here, nor for `dvc push`.
    releases.withhold()
    earlier = releases_of_others()
    audited = release_folder.set_aside()
    study, scores = audited_project.load(), params.load("scores", ScoresParams)
    refuse_borrowed_name(params.raw_folder(), study.params)
    gates.require_valid(VERDICT_PATH)
    review = gates.load_review()
    linkage = io.read(LINKAGE, LINKAGE_PATH)
    now, seal = gates.kept_for_next(study.params, linkage, study.tables["videos"]), seals.of_draws(linkage)
    now["splits"] = notice.placed(study.tables["splits"], params.read()["splits"])
    missing, moved = refuse_shrinking(study, now, earlier), gates.moved_lines(gates.last_release(study.params.name), now)
    gates.refuse_quarantined(study.quarantine, study.params.on_quarantine, gates.acknowledged(review, "quarantine"))
    # The clock decides only whether there is a release, never what is in it.
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    lines = Ledger().lines()
    there = gates.acknowledgeable(study.quarantine, VERDICT_PATH, now["recordings"])
    gates.require_reviewed(review, study.params, lines, today, there)
    reviewed = gates.review_sentence(review, study.params, now["recordings"])
    certificate = issue.public(study.params, study.tables["videos"], review, reviewed, lines)
    # Before anything is written: a network that is missing stops the stage.
    pictures = Pictures(study.private)
    waiting = release_folder.waiting()
    texts, fps = annotation(study.tables, scores, waiting), Fraction(params.read()["frames"]["fps"])
    wrong = errata.curated(params.raw_folder() / errata.NAME, study.params.version, study.tables["frames"])
    forms = public_form.texts(certificate) | {
        errata.RELEASED: errata.text(wrong),
        releases.TOMBSTONES_NAME: releases.tombstones_text(now["withdrawn"]),
    }
    said = curator_words.load_words(params.raw_folder() / curator_words.WORDS_NAME)
    curator_words.refuse_days(study.params, said, wrong)
    withdrawn = sum(one["recordings"] for one in now["withdrawn"])
    facts = known.load_study(study.quarantine, certificate, synthetic=bool(review["synthetic"]), withdrawn=withdrawn)
    looked = " ".join([reviewed, *certificate["review"]["looked"]])
    linkable = linking.note(study.tables["videos"], study.kept_s, study.jitter_s)
    with assembled(waiting, stated(waiting, study.tables["videos"]), audited=audited) as copied:
        folder, tables, archives = copied.folder, study.tables, partial(progress.over, "archives", unit="archive")
        sizes = assembly.complete(
            folder, study.params, study.declared, tables, texts, fps, looked, forms, facts, said, archives, copied.sha256
        )
        audit(folder.absolute(), study, pictures)
        release_folder.note_archives(copied)
        document = assembly.summarise(study.params, study.tables, study.quarantine, study.private, sizes, linkable, pictures.counts())
        document["review"] = reviewed
        seals.write_sealed(REPORTS / "release.json", document, seal)
        issue.private(certificate, review, document, lines, RELEASE, beside=folder)
        other_clones.note_made(earlier, now, study.private.withdrawn)
    seals.write_sealed(gates.LAST_RELEASE_PATH, now, seal)
    other_clones.note_released()
    for line in moved:
        plumbing.LOG.warning("%s", line)
    log_outcome(study, review, pictures, missing, linkable)


if __name__ == "__main__":
    plumbing.run(main)
