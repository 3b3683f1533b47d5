"""The certificate of a study's release: the public form before the audit, the private one behind it, renewed after a sample."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base.errors import ReleaseError
from scrubin.base.files import sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.io import records
from scrubin.base.tables.private import CUTS, HIDDEN
from scrubin.stages.release import gates
from scrubin.stages.release.certificate import private_form, public_form
from scrubin.stages.release.certificate.public_form import JSON_NAME
from scrubin.stages.release.gates import command_at
from scrubin.stages.release.release_params import ReleaseParams
from scrubin.stages.review import sample
from scrubin.stages.review.ledger import Line

INTERIM = Path("data/interim")
# What was hidden and why: whoever keeps these files can show later that they are those of this release.
COMMITTED = ("hidden", "redactions")


def public(
    params: ReleaseParams, videos: pd.DataFrame, review: Mapping[str, Any], reviewed: str, lines: Sequence[Line], folder: Path = Path()
) -> dict[str, Any]:
    """Return what the public form of a release says.

    Parameters
    ----------
    params
        Title and version.
    videos
        The table ``videos``.
    review, reviewed
        What the stage review says, and who looked, in plain words.
    lines
        Of the ledger.
    folder
        The project.

    Raises
    ------
    ReleaseError
        When somebody saw something in a sample of these very videos.
    TableError
        When a table is missing.
    """
    interim = folder / INTERIM
    cuts = io.read(CUTS, interim / "cuts.parquet")
    require_no_finding(lines, videos, cuts)
    hidden = io.read(HIDDEN, interim / "hidden.parquet")
    evidence = [(f"{name}.parquet", sha256_of(interim / f"{name}.parquet")) for name in COMMITTED]
    released = gates.of_released(review, set(cuts["recording"]))
    return public_form.document(params, videos, hidden, cuts, released, reviewed, lines, evidence)


def private(
    stated: Mapping[str, Any],
    review: Mapping[str, Any],
    released: Mapping[str, Any],
    lines: Sequence[Line],
    release: Path,
    folder: Path = Path(),
    beside: Path | None = None,
) -> None:
    """Write the private form of a release that passed its audit.

    Parameters
    ----------
    stated
        What the public form says.
    review, released, lines
        See ``private_form.document``.
    release, folder
        The release in the project, and the project.
    beside
        Where the release lies until it is moved to its place; None: it is there.
    """
    groups = public_form.header_groups(io.read(CUTS, folder / INTERIM / "cuts.parquet"))
    document = private_form.document(stated, review, released, lines, groups)
    private_form.write(private_form.with_evidence(document, folder, release, beside), folder)


def require_no_finding(lines: Sequence[Line], videos: pd.DataFrame, cuts: pd.DataFrame) -> None:
    """Refuse to release videos again in which somebody saw something.

    Parameters
    ----------
    lines
        Of the ledger.
    videos, cuts
        The tables of these names.

    Raises
    ------
    ReleaseError
        Names every finding, who saw it, and the command that opens the recording there.
    """
    sha256 = sample.videos_sha256(dict(zip(videos["path"], videos["sha256"], strict=True)))
    findings = {one for each in sample.samples(lines) if each.drawn.videos == sha256 for one in each.findings}
    if not findings:
        return
    offset_s = _offsets_s(cuts)
    listed = "\n  ".join(_says(one, offset_s) for one in sorted(findings, key=lambda one: (one.clip, one.by)))
    msg = (
        f"people saw something in {len({one.clip for one in findings})} sampled clips of these very videos; hide it there, or say that the "
        f"clip is clean with 'scrubin review --sample', then make repro:\n  {listed}"
    )
    raise ReleaseError(msg)


def _says(finding: sample.Judgement, offset_s: Mapping[str, float]) -> str:
    recording = finding.clip.recording
    command = command_at(recording, offset_s[recording] + finding.clip.start_s)
    return f"'{recording}': {finding.by} saw '{finding.why}'; open: {command}"


def _offsets_s(cuts: pd.DataFrame) -> Mapping[str, float]:
    return {row["recording"]: float(Fraction(row["offset_s"])) for row in records(cuts)}


def renew(folder: Path, lines: Sequence[Line]) -> str:
    """Write the newest samples into the private certificate, and return what is to say about that.

    The public form lies in the release, under its checksums: it follows when the release is made again.
    """
    path = folder / private_form.FOLDER / JSON_NAME
    try:
        stated = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return f"{path}: there is no certificate yet; make repro writes it.\n"
    sha256 = sample.sha256_of_release(sample.load_released(folder))
    if stated["videos"]["sha256"] != sha256:
        return f"{path}: it is about other videos; make repro writes it anew.\n"
    private_form.write({**stated, **private_form.of_ledger(lines, sha256)}, folder)
    return f"{private_form.FOLDER / 'index.html'} says so as well; make repro puts it into the certificate of the release.\n"
