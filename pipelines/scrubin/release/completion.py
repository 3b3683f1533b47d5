"""The release folder completed: tables, annotations, archives, documents, metadata, checksums."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pandas as pd

from scrubin.core import checksum_list, files
from scrubin.core.errors import ReleaseError
from scrubin.release import archives, checksums, dictionary, file_list, outputs, readme
from scrubin.release.metadata import croissant, documents, requirements
from scrubin.release.metadata.facts import Study, measured
from scrubin.release.metadata.words import Words
from scrubin.release.params import ReleaseParams
from scrubin.tables import io
from scrubin.tables.declare import Table
from scrubin.versions import previous
from scrubin.versions.released import Released

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

    Raises
    ------
    ReleaseError
        When the version does not fit what changed; nothing that looks finished is left.
    """
    facts, said = measured(tables, study or Study()), words or Words()
    outputs.discard(folder)
    for name, table in declared.items():
        io.write(table, tables[name], folder / "tables" / f"{name}.parquet")
    for name, text in annotation.items():
        files.write_text(folder / archives.ANNOTATION / name, text)
    for name, members in archives.contents(folder).items() if params.archives else ():
        archives.write(folder / "archives" / name, members)
    calibrated = any((folder / CALIBRATION).glob("*.yaml"))
    document = readme.text(params, tables["videos"], tables["frames"], fps, reviewed, calibrated=calibrated)
    files.write_text(folder / "README.md", document)
    files.write_text(folder / "data_dictionary.md", dictionary.text(declared, calibrated=calibrated))
    for name, text in documents.texts(params, facts, said, declared).items():
        files.write_text(folder / documents.FOLDER / name, text)
    for name, text in certificate.items():
        files.write_text(folder / name, text)
    # What the render stage states; the audit reads each file again and holds it to this list.
    sha256 = checksums.hashes(folder, dict(zip(tables["videos"].path, tables["videos"].sha256, strict=True)))
    described = croissant.metadata(params, declared, tables, sha256, outputs.sizes(folder, sha256), facts, said)
    requirements.refuse(described)
    if params.previous is not None:
        _write_changes(params.previous.path, Released(folder, described, sha256))
        sha256[previous.NAME] = files.sha256_of(folder / previous.NAME)
    files.write_text(folder / file_list.NAME, file_list.text(sha256, outputs.sizes(folder, sha256)))
    sha256[file_list.NAME] = files.sha256_of(folder / file_list.NAME)
    files.write_json(folder / croissant.NAME, described)
    sha256[croissant.NAME] = files.sha256_of(folder / croissant.NAME)
    files.write_text(folder / checksum_list.NAME, checksums.text(sha256))
    sha256[checksum_list.NAME] = files.sha256_of(folder / checksum_list.NAME)
    outputs.fix_times(folder, sha256)
    return outputs.sizes(folder, sha256)


def _write_changes(before: str, now: Released) -> None:
    try:
        files.write_json(now.folder / previous.NAME, previous.changes(before, now))
    except ReleaseError:
        outputs.discard(now.folder)
        raise
