"""The public part of a release: everything but what tells a label of the hidden recordings.

What is kept is named here, and all else stays behind: a file that nobody thought of cannot tell a label. What counts, hashes or
normalises over all recordings is made anew of the public ones, by what the stages write it with, or left out.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base import file_lists, files, strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import count_text
from scrubin.base.ground_truth import FRAMES_PER_SECOND
from scrubin.base.tables import Table, io
from scrubin.base.tables.public import (
    FOLDS,
    FRAMES,
    GAPS,
    LASANA,
    SCHEME,
    SPLIT_COLUMNS,
    SPLIT_DELIMITERS,
    SPLITS,
    VIDEOS,
    of_reference_camera,
    public_tables,
    skill_table,
)
from scrubin.data.diff import errata
from scrubin.data.load import instances
from scrubin.data.verify import verification
from scrubin.evaluate import released_truth, selection
from scrubin.evaluate.challenge import hidden_truth
from scrubin.labels import truth
from scrubin.labels.formats.ground_truth import MANIFEST, RELEASED
from scrubin.labels.masks.blackened import Black
from scrubin.labels.truth import judgements, objects
from scrubin.labels.truth.objects import Details
from scrubin.stages import groundtruth
from scrubin.stages.groundtruth import writing
from scrubin.stages.release import added_files
from scrubin.stages.release.metadata import citation, croissant, facts, record_sets, requirements, sentences
from scrubin.stages.release.metadata.curator_words import Words

Each = Callable[[Sequence[str]], Iterable[str]]
"""Passes on the names of files one by one, in their order; a caller may count them."""

WITHOUT_LABELS = (VIDEOS.name, GAPS.name, FRAMES.name, SPLITS.name)
"""Tables that nobody labelled."""
WITHOUT_LABELS_FOLDERS = re.compile(r"videos/.*\.mkv|frames/.*\.(jpg|png|tar)|calibration/[^/]*\.yaml")
CERTIFICATE = "certificate.json"
WITHOUT_LABELS_FILES = (
    "CERTIFICATE.md",
    CERTIFICATE,
    "data_dictionary.md",
    f"metadata/{citation.BIBTEX_NAME}",
    "metadata/withdrawn.json",
    *(f"tables/{name}.parquet" for name in WITHOUT_LABELS),
)
SAID_OF_RELEASE = (
    "@context",
    "@type",
    "conformsTo",
    "license",
    "version",
    "citeAs",
    "isLiveDataset",
    "inLanguage",
    "sdLicense",
    "sdVersion",
    "creator",
    "publisher",
    "datePublished",
    "keywords",
    "maintainer",
    "usageInfo",
    "prov:wasDerivedFrom",
    "prov:wasGeneratedBy",
)
"""What the description for machines says whatever the labels are; DOI and address stay behind, as they are those of the whole release."""
OF_RATINGS = ("rai:dataAnnotationAnalysis", "rai:annotationsPerItem")
"""What is measured of ratings: if all are hidden, the facts of the part have nothing to put in its place."""
FACTS = f"metadata/{facts.NAME}"
UNSTAMPED = (".csv", ".ini", ".txt")
"""Endings of files of a ground truth that name no table they were made of: the same labels give the same bytes."""
SHEETS = ("skill/", "errors/", "splits/")
LISTS = ("/coco.json", "/masks.json")


@dataclass(frozen=True)
class PublicPart:
    """What was written.

    Parameters
    ----------
    name, version
        As its own description says them.
    hidden
        Recordings whose labels are left out.
    recordings
        How many there are in all.
    without_skill
        Rated tasks whose skill scores are left out of all recordings.
    left_out
        Files of the release that have no counterpart, by folder or name with their number.
    """

    name: str
    version: str
    hidden: tuple[str, ...]
    recordings: int
    without_skill: tuple[str, ...]
    left_out: Mapping[str, int]


def write(release: Path, split: str, subsets: Sequence[str], folder: Path, each: Each = iter) -> PublicPart:
    """Write the public part of a release into an empty folder; it is a release again.

    Parameters
    ----------
    release
        A whole release; it is only read.
    split, subsets
        Name of a split of it, or a file, and the subsets whose labels are hidden.

    Raises
    ------
    ReleaseError
        When the release is not whole, is such a part already, or has not the hidden recordings.
    MetricsError
        When there is no such split or subset.
    """
    ReleaseError.raise_any(verification.verify(release, quick=True).errors)
    stated = strangers.read_json(release / file_lists.CROISSANT)
    if released_truth.PART_OF in stated:
        raise ReleaseError(f"{release}: it is the public part of a release already; name the whole release, and all hidden subsets at once")
    sheet = hidden_truth.split_file(release, split)
    hidden = frozenset(name for subset in subsets for name in selection.read(sheet, subset))
    tables = _tables(release, hidden, str(sheet))
    sha256, _ = file_lists.read_checksums(strangers.read_text(release / file_lists.CHECKSUMS))
    videos = tables[VIDEOS.name]
    tasks = sorted(map(str, videos["task"].unique()))
    closed = sorted(map(str, videos.loc[videos["id"].isin(hidden), "task"].unique()))
    without_skill = tuple(task for task in closed if task in set(tables["ratings"]["task"]))
    tables["skill"] = tables["skill"][~tables["skill"]["task"].isin(closed)]
    declared = public_tables(_aspects(tables["skill"]))
    kept = [name for name in sha256 if _is_kept(name, tasks, closed) or _is_split(release, name, tasks, tables[SPLITS.name])]
    _copy(release, folder, {name: sha256[name] for name in kept}, each)
    for name in declared.keys() - WITHOUT_LABELS:
        io.write(declared[name], tables[name], folder / f"tables/{name}.parquet")
    if (release / RELEASED / MANIFEST).is_file():
        _write_ground_truth(release, folder, tables, sha256)
    if (release / errata.RELEASED).is_file():
        known = (_without(one, hidden) for one in errata.read(release / errata.RELEASED))
        files.write_text(folder / errata.RELEASED, errata.text(one for one in known if one is not None))
    named = (f"{stated['name']}-public", str(stated["version"]))
    part = PublicPart(*named, tuple(sorted(hidden)), videos["id"].nunique(), without_skill, {})
    of = f"{', '.join(f'`{subset}`' for subset in subsets)} of the split `{sheet.stem}`"
    _write_documents(release, folder, part, of, stated, declared, tables, {name: sha256[name] for name in kept})
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return replace(part, left_out=_counted(sha256.keys() - written))


def _tables(release: Path, hidden: Collection[str], sheet: str) -> dict[str, pd.DataFrame]:
    """Return every public table without the labels of hidden recordings; one that the release has not is empty."""
    aspects: tuple[str, ...] = ()
    if (skill := release / "tables/skill.parquet").is_file():
        aspects = _aspects(writing.read_skill(skill))
    tables = {}
    for name, table in public_tables(aspects).items():
        path = release / f"tables/{name}.parquet"
        rows = io.read(table, path) if path.is_file() else io.frame_of(table, [])
        tables[name] = rows if name in WITHOUT_LABELS else rows[~rows["id"].isin(hidden)].reset_index(drop=True)
    # A misspelt name would leave the labels of somebody in.
    if unknown := sorted(set(hidden) - set(tables[VIDEOS.name]["id"])):
        raise ReleaseError(f"{sheet}: the release has no recording '{unknown[0]}'; name its recordings by their released ids")
    return tables


def _aspects(skill: pd.DataFrame) -> tuple[str, ...]:
    return tuple(str(name) for name in skill.columns if name not in skill_table(()).column_names)


def _is_kept(name: str, tasks: Sequence[str], closed: Collection[str]) -> bool:
    """Return whether a file of the release tells no label that is hidden, whatever the labels are."""
    if WITHOUT_LABELS_FOLDERS.fullmatch(name) or name in WITHOUT_LABELS_FILES:
        return True
    # Scores are normalised per rater and task: those of a task with a hidden recording would tell of its scores.
    own = [
        task for task in tasks if re.fullmatch(rf"{added_files.ANNOTATION}/{re.escape(task)}(_rater[^/]*|_split)?\.csv", name) is not None
    ]
    return bool(own) and not set(own) & set(closed)


def _is_split(release: Path, name: str, tasks: Sequence[str], splits: pd.DataFrame) -> bool:
    """Return whether a file is a split as Scrub-in lists it: the columns of another one may say more."""
    listed = {f"splits/{scheme}.csv": (SCHEME, FOLDS) for scheme in splits["scheme"]} | {
        f"splits/{task}_split.csv": (LASANA,) for task in tasks
    }
    if name not in listed:
        return False
    first = strangers.read_text(release / name).partition("\n")[0].rstrip("\r")
    return first in {SPLIT_DELIMITERS[kind].join(SPLIT_COLUMNS[kind]) for kind in listed[name]}


def _copy(release: Path, folder: Path, sha256: Mapping[str, str], each: Each) -> None:
    for name in each(sorted(sha256)):
        target = folder / name
        with files.disk_of(folder):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(release / name, target)
        _refuse_damaged(release, name, target, sha256)


def _refuse_damaged(release: Path, name: str, path: Path, sha256: Mapping[str, str]) -> None:
    if files.sha256_of(path) != sha256[name]:
        raise ReleaseError(
            f"{release / name}: its bytes are not those of {file_lists.CHECKSUMS}; 'scrubin verify {release}' says what else"
        )


def _without(one: errata.Erratum, hidden: Collection[str]) -> errata.Erratum | None:
    """Return a known error as far as it touches public recordings; None when it touches hidden ones alone."""
    if one.recordings is None:
        return one
    public = tuple(id_ for id_ in one.recordings if id_ not in hidden)
    return replace(one, recordings=public) if public else None


def _write_ground_truth(release: Path, folder: Path, tables: Mapping[str, pd.DataFrame], sha256: Mapping[str, str]) -> None:
    """Write the ground truth of the public recordings as the stage does, and hold it to that of the release."""
    # No other check has read these whole, and what they say is carried over.
    for name in sha256:
        if name == f"{RELEASED}/{MANIFEST}" or (name.startswith(f"{RELEASED}/") and name.endswith(LISTS)):
            _refuse_damaged(release, name, release / name, sha256)
    before, home, fps = strangers.read_json(release / RELEASED / MANIFEST), folder / RELEASED, released_truth.stated_rate(release)
    if fps is None:
        what = f"{MANIFEST} does not say {FRAMES_PER_SECOND}, so another edition of Scrub-in has written it"
        raise ReleaseError(f"{release / RELEASED}: {what}; release the study again with this one")
    inputs = {name: files.sha256_of(folder / f"tables/{name}.parquet") for name in tables}
    stamps = groundtruth.Stamps(
        # The hash of the labels before they were tables is one of the hidden labels, too: here they were taken from tables.
        {name: inputs[name] for name in sorted(groundtruth.RELEASED - {"labelled"})}
        | {"annotations": hashlib.sha256(file_lists.checksums_text(inputs).encode()).hexdigest()}
        | {"hidden": before["inputs"].get("hidden", "")}
    )
    labelled = truth.with_files(truth.of_tables(tables["labelled"], tables["triplets"], tables["phases"]), tables["frames"])
    pictures = writing.Pictures(writing.images(tables["frames"]))
    written = [writing.write_recording(home, stamps, pictures, one) for one in labelled]
    wholes = writing.write_vocabularies(home, stamps, written, pictures)
    details = Details.of_tables(tables["masks"], tables["points"], tables["tracks"])
    every_object = objects.of_recordings(labelled, details, _black(release, [whole.vocabulary.name for whole in wholes], tables))
    judged = judgements.of_tables(tables["labelled"], tables["marks"], tables["frames"])
    beyond = writing.write_objects(home, stamps, every_object, judged, pictures.table)
    writing.write_sheets(home, stamps, tables["skill"], tables["errors"], tables["splits"])
    every = writing.WholeGroundTruth(written, wholes, tables["skill"], tables["errors"], tables["splits"], beyond)
    for subset, ids in writing.of_splits(tables["splits"]):
        writing.write(home, stamps, every, subset, ids)
    files.write_text(home / groundtruth.README_NAME, groundtruth.readme())
    counts, vocabularies = writing.counts_of(written, beyond), [whole.vocabulary for whole in wholes]
    manifest = groundtruth.manifest(home, stamps.inputs, vocabularies, counts, fps)
    files.write_json(home / groundtruth.MANIFEST, manifest)
    _refuse_other_labels(release / RELEASED, home, before, manifest, sha256)


def _black(release: Path, vocabularies: Iterable[str], tables: Mapping[str, pd.DataFrame]) -> dict[tuple[str, int], Black]:
    """Return what is black in public frames, as the ground truth of the release says it: no public table does."""
    seen = of_reference_camera(tables["frames"])
    known = set(zip(seen["id"], seen["frame"], strict=True))
    named = [name for name in vocabularies if (release / instances.list_of_masks(name)).is_file()]
    return {key: black for name in named for key, black in instances.ignored_pixels(release, name).items() if key in known}


def _refuse_other_labels(released: Path, home: Path, before: Mapping[str, Any], now: Mapping[str, Any], sha256: Mapping[str, str]) -> None:
    """Refuse labels that are not those of the release, such as where another edition of Scrub-in has written it.

    Raises
    ------
    ReleaseError
        Names the file.
    """
    changed = [name for name in ("frame_contract", FRAMES_PER_SECOND) if before[name] != now[name]]
    changed += [name for name, of in now["vocabularies"].items() if of["sha256"] != before["vocabularies"].get(name, {}).get("sha256")]
    for name, own in now["files"].items():
        if name.endswith(UNSTAMPED) and not name.startswith(SHEETS) and own != sha256.get(f"{RELEASED}/{name}"):
            changed.append(name)
        if name.endswith(LISTS) and not name.startswith(SHEETS):
            old, new = (strangers.read_json(folder / name) for folder in (released, home))
            changed += [name] if _drawn(new) != {key: of for key, of in _drawn(old).items() if key in _drawn(new)} else []
    changed += [name for name, own in now["folders"].items() if own != before["folders"].get(name)]
    if changed:
        what = f"{changed[0]} would say something else than in the release, so another edition of Scrub-in has written it"
        raise ReleaseError(f"{released}: {what}; run that edition, or release the study again with this one")


def _drawn(coco: Mapping[str, Any]) -> dict[tuple[str, int], Any]:
    """Return what is drawn in each picture, whatever numbers pictures and instances have."""
    pictures = {image["id"]: (image["recording"], image["frame"]) for image in coco["images"]}
    found = {pictures[image["id"]]: [{**image, "id": 0}] for image in coco["images"]}
    for one in coco["annotations"]:
        found[pictures[one["image_id"]]].append({**one, "id": 0, "image_id": 0})
    return found


def _write_documents(
    release: Path,
    folder: Path,
    part: PublicPart,
    of: str,
    stated: Mapping[str, Any],
    declared: Mapping[str, Table],
    tables: Mapping[str, pd.DataFrame],
    copied: Mapping[str, str],
) -> None:
    """Write facts, README, description for machines and both lists of files."""
    before = strangers.read_json(release / FACTS) if (release / FACTS).is_file() else {}
    certificate = folder / CERTIFICATE
    study = facts.Study(
        certificate=strangers.read_json(certificate) if certificate.is_file() else {},
        left_out=before.get("left_out", {}),
        people=before.get("size", {}).get("people"),
        synthetic=bool(before.get("synthetic")),
    )
    measured = facts.measured(tables, study)
    files.write_json(folder / FACTS, measured)
    says = _says(part, of, f"{stated['name']} {part.version}")
    files.write_text(folder / "README.md", _readme(part, says, stated, measured))
    sha256 = added_files.hashes(folder, copied)
    sizes = added_files.sizes_of_files(folder, sha256)
    described = {key: stated[key] for key in SAID_OF_RELEASE if key in stated}
    # Fields of which a part was measured are measured again; the others are the words of the curator.
    recounted = {*croissant.fields({**measured, **before}, Words()), *OF_RATINGS}
    described |= {key: value for key, value in stated.items() if key.startswith("rai:") and key not in recounted}
    described |= croissant.fields(measured, Words())
    described |= {
        "name": part.name,
        "alternateName": f"{stated.get('alternateName', stated['name'])}: public part",
        "description": sentences.joined([says, sentences.size(measured)]),
        released_truth.PART_OF: {"@type": "sc:Dataset", "name": stated["name"], "version": part.version},
        "distribution": [*record_sets.file_objects(declared, sha256, sizes), *record_sets.file_sets(sha256)],
        "recordSet": record_sets.all_of(declared, tables, sha256),
    }
    requirements.refuse(described)
    files.write_text(folder / file_lists.FILE_LIST, file_lists.file_list_text(sha256, sizes))
    files.write_json(folder / file_lists.CROISSANT, described)
    sha256 = added_files.hashes(folder, sha256)
    files.write_text(folder / file_lists.CHECKSUMS, file_lists.checksums_text(sha256))
    added_files.fix_times(folder, sha256 | {file_lists.CHECKSUMS: files.sha256_of(folder / file_lists.CHECKSUMS)})


def _says(part: PublicPart, of: str, whole: str) -> str:
    return (
        f"The public part of {whole}: videos and frames of all recordings, labels, scores and annotations of all but "
        f"{count_text(len(part.hidden), 'recording')}, those of {of}."
    )


README = """\
# {title}: public part

Version {version}, licence {license}.

{says}

| task | recordings | videos | hours |
| --- | --- | --- | --- |
{counts}

{without}{hidden}.

{skill}Tables, `groundtruth/` and `metadata/facts.json` are those of the other recordings alone: numbers and hashes over all of them would
tell of those without labels. For that reason there is no `archives/`, no `metadata/datasheet.md`, no `metadata/dataset_card.md` and no
`metadata/datacite.json`. `splits/` is that of the whole release. So are `CERTIFICATE.md` and `certificate.json`: videos and frames are
the same bytes, and the audit that they tell of was that of the whole release.

Every column is explained in `data_dictionary.md`. In this folder, `sha256sum --check --quiet SHA256SUMS` says whether your copy is whole.

## Cite

{citation}
"""
SKILL = (
    "Skill is normalised over all recordings of a task, so there is none of {tasks}; the raw scores are in `tables/ratings.parquet`.\n\n"
)


def _readme(part: PublicPart, says: str, stated: Mapping[str, Any], measured: Mapping[str, Any]) -> str:
    rows = [f"| {one['name']} | {one['released']} | {one['videos']} | {one['hours']:.2f} |" for one in measured["size"]["tasks"]]
    return README.format(
        title=stated.get("alternateName", stated["name"]),
        version=part.version,
        license=str(stated.get("license", "")).removeprefix("https://spdx.org/licenses/").removesuffix(".html"),
        says=says,
        without=released_truth.HIDDEN,
        counts="\n".join(rows),
        hidden=", ".join(f"`{name}`" for name in part.hidden),
        skill=SKILL.format(tasks=sentences.listed(part.without_skill)) if part.without_skill else "",
        citation="".join(f"    {line}\n" for line in str(stated.get("citeAs", "")).splitlines()).rstrip(),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    """Return how many files there are of each top folder, and single files by their names."""
    counts: dict[str, int] = {}
    for name in sorted(names):
        top, _, below = name.partition("/")
        key = name if not below or top == "metadata" else f"{top}/"
        counts[key] = counts.get(key, 0) + 1
    return counts
