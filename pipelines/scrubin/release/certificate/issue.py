"""The certificate of a study's release: the public form before the audit, the private one behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.core.files import sha256_of
from scrubin.release import review_gate
from scrubin.release.certificate import headers, open_findings, private_form, public_form
from scrubin.release.params import ReleaseParams
from scrubin.review.ledger import Line
from scrubin.tables import io
from scrubin.tables.private.cuts import CUTS
from scrubin.tables.private.hidden import HIDDEN

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
    open_findings.require_no_finding(lines, videos, cuts)
    hidden = io.read(HIDDEN, interim / "hidden.parquet")
    evidence = [(f"{name}.parquet", sha256_of(interim / f"{name}.parquet")) for name in COMMITTED]
    released = review_gate.of_released(review, set(cuts["recording"]))
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
    groups = headers.groups(io.read(CUTS, folder / INTERIM / "cuts.parquet"))
    document = private_form.document(stated, review, released, lines, groups)
    private_form.write(private_form.with_evidence(document, folder, release, beside), folder)
