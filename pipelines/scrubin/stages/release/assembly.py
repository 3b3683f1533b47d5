"""What only the stage release writes: tables, documents, archives and lists of a release, and its summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.audit.expected.private_strings import Private
from scrubin.base import file_lists, files
from scrubin.base.errors import ReleaseError
from scrubin.base.tables import Table, io
from scrubin.data.diff import previous
from scrubin.data.diff.snapshot import Released
from scrubin.stages.release import added_files, gates
from scrubin.stages.release.metadata import croissant, documents, readme, requirements
from scrubin.stages.release.metadata.curator_words import Words
from scrubin.stages.release.metadata.facts import Study, measured
from scrubin.stages.release.release_params import ReleaseParams

CALIBRATION = "calibration"
"""The folder of the rigs' calibrations, as the stage stereo writes it."""


def complete(
    folder: Path,
    params: ReleaseParams,
    declared: Mapping[str, Table],
    tables: Mapping[str, pd.DataFrame],
    annotation: Mapping[str, str],
    fps: Fraction,
    reviewed: str,
    certificate: Mapping[str, str],
    study: Study | None = None,
    words: Words | None = None,
    shown: Callable[[Sequence[str]], Iterable[str]] = iter,
    copied: Mapping[str, str] | None = None,
) -> dict[str, int]:
    """Write everything that only the release stage writes; return the bytes of every released file.

    Where `params` name the release before, what changed since is compared last.

    Parameters
    ----------
    folder
        The release, in which media, splits and ground truth lie already.
    params
        What the release is called.
    declared, tables
        Declarations and contents of the public tables, by name.
    annotation
        Text of each file in ``Annotation``, by name.
    fps
        Rate of the extracted frames, for the documentation.
    reviewed
        Who looked before the release, in plain words.
    certificate
        Text of each file of the certificate's public form, and of other documents, by name.
    study
        What is known of the study beside its tables, for the facts; None: nothing.
    words
        What the curator says of it; None: nothing.
    shown
        Passes on the names of the archives, and may show how far their writing is.
    copied
        SHA-256 of the files that lie in the folder, by name, see `release_folder.Assembled`; they are not read again, and archives among
        them are not written again. None: all are read.

    Raises
    ------
    ReleaseError
        When the version does not fit what changed; nothing that looks finished is left.
    """
    facts, said = measured(tables, study or Study()), words or Words()
    known = dict(copied or {})
    added_files.discard(folder, known if params.archives else ())
    for name, table in declared.items():
        io.write(table, tables[name], folder / "tables" / f"{name}.parquet")
    for name, text in annotation.items():
        files.write_text(folder / added_files.ANNOTATION / name, text)
    archives = added_files.archive_contents(folder) if params.archives else {}
    for name in shown(tuple(name for name in archives if f"{added_files.ARCHIVES}/{name}" not in known)):
        added_files.write_archive(folder / added_files.ARCHIVES / name, archives[name])
    calibrated = any((folder / CALIBRATION).glob("*.yaml"))
    document = readme.readme_text(params, tables["videos"], tables["frames"], fps, reviewed, calibrated=calibrated)
    files.write_text(folder / "README.md", document)
    files.write_text(folder / "data_dictionary.md", readme.dictionary_text(declared, calibrated=calibrated))
    for name, text in documents.texts(params, facts, said, declared).items():
        files.write_text(folder / documents.FOLDER / name, text)
    for name, text in certificate.items():
        files.write_text(folder / name, text)
    # What the render stage and the copying state; the audit reads each file again and holds it to this list.
    stated = {**known, **dict(zip(tables["videos"].path, tables["videos"].sha256, strict=True))}
    sha256 = added_files.hashes(folder, stated)
    described = croissant.metadata(params, declared, tables, sha256, added_files.sizes_of_files(folder, sha256), facts, said)
    requirements.refuse(described)
    if params.previous is not None:
        _write_changes(params.previous.path, Released(folder, described, sha256))
        sha256[previous.NAME] = files.sha256_of(folder / previous.NAME)
    files.write_text(folder / file_lists.FILE_LIST, file_lists.file_list_text(sha256, added_files.sizes_of_files(folder, sha256)))
    sha256[file_lists.FILE_LIST] = files.sha256_of(folder / file_lists.FILE_LIST)
    files.write_json(folder / file_lists.CROISSANT, described)
    sha256[file_lists.CROISSANT] = files.sha256_of(folder / file_lists.CROISSANT)
    files.write_text(folder / file_lists.CHECKSUMS, file_lists.checksums_text(sha256))
    sha256[file_lists.CHECKSUMS] = files.sha256_of(folder / file_lists.CHECKSUMS)
    added_files.fix_times(folder, sha256)
    return added_files.sizes_of_files(folder, sha256)


def _write_changes(before: str, now: Released) -> None:
    try:
        files.write_json(now.folder / previous.NAME, previous.changes(before, now))
    except ReleaseError:
        added_files.discard(now.folder)
        raise


def summarise(
    params: ReleaseParams,
    tables: Mapping[str, pd.DataFrame],
    quarantine: pd.DataFrame,
    private: Private,
    sizes: Mapping[str, int],
    reidentification: Mapping[str, Any],
    pictures: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the summary of a release that passed its audit, as a JSON value.

    Parameters
    ----------
    params
        Name and version.
    tables
        The public tables by name.
    quarantine
        Of all stages; only its counts get into the summary.
    private
        What was searched.
    sizes
        Bytes of every released file, by relative name.
    reidentification
        See ``linking.note``.
    pictures
        How many pictures the audit looked at, see ``Pictures.counts``.
    """
    videos = tables["videos"]
    return {
        "name": params.name,
        "version": params.version,
        "files": len(sizes),
        "bytes": sum(sizes.values()),
        "recordings": int(videos["id"].nunique()),
        "videos": {str(task): len(rows) for task, rows in videos.groupby("task", sort=True)},
        "frames": len(tables["frames"]),
        "rows": {name: len(table) for name, table in sorted(tables.items())},
        "quarantined": {"files": len(quarantine), "by_stage": gates.quarantine_counts(quarantine)},
        "audit": {
            "passed": True,
            "findings": 0,
            "private_strings": len(private.needles),
            "skipped_as_public": private.skipped,
            "pictures": dict(pictures),
        },
        "reidentification": dict(reidentification),
    }
