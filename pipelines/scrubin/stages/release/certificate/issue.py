"""The certificate of a study's release: the public form before the audit, the private one behind it, renewed after a sample."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from scrubin.base import files, pages
from scrubin.base.errors import ReleaseError
from scrubin.base.files import sha256_of
from scrubin.base.layout import CUTS_PATH, HIDDEN_PATH, INTERIM, LINKAGE_PATH, RECORDINGS_PATH, REPORTS, REVIEW_PATH, VERDICT_PATH
from scrubin.base.tables import io
from scrubin.base.tables.io import records
from scrubin.base.tables.private import CUTS, HIDDEN
from scrubin.stages.release import gates, linking, released_clips
from scrubin.stages.release.certificate import public_form
from scrubin.stages.release.certificate.attention import further
from scrubin.stages.release.certificate.public_form import JSON_NAME, KINDS_SAY, TEXT_NAME, serves
from scrubin.stages.release.certificate.rules import ARTICLES, CLAUSES
from scrubin.stages.release.gates import command_at
from scrubin.stages.release.release_params import ReleaseParams
from scrubin.stages.review import FIRST, Line, sample

FOLDER = REPORTS / "certificate"
PRIVATE_EVIDENCE = tuple(
    path.as_posix()
    for path in (
        RECORDINGS_PATH,
        REVIEW_PATH,
        INTERIM / "redactions.parquet",
        HIDDEN_PATH,
        CUTS_PATH,
        VERDICT_PATH,
        LINKAGE_PATH,
        REPORTS / "release.json",
    )
)
RELEASED_EVIDENCE = ("SHA256SUMS", JSON_NAME, TEXT_NAME, "tables/videos.parquet", "tables/frames.parquet")


def private_document(
    public: Mapping[str, Any],
    review: Mapping[str, Any],
    released: Mapping[str, Any],
    lines: Sequence[Line],
    header_groups: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return what the private form says, as a JSON value.

    Parameters
    ----------
    public
        What the public form says.
    review
        What the stage review says.
    released
        What ``reports/release.json`` says; all that stands there about the audit is repeated, whatever it counts.
    lines
        Of the ledger.
    header_groups
        What stood in the DICOM headers, see `headers.groups`.
    """
    left_out = [{"recording": one["recording"], **one["excluded"]} for one in review["recordings"] if one["excluded"] is not None]
    return {
        **public,
        **of_ledger(lines, public["videos"]["sha256"]),
        "clauses": [asdict(clause) for clause in CLAUSES],
        "articles": [asdict(clause) for clause in ARTICLES],
        "header_groups": list(header_groups),
        "people": review["people"],
        "agreement": review["agreement"],
        "acknowledged": review["acknowledged"],
        "excluded": left_out,
        "quarantined": released["quarantined"],
        "warnings": review["warnings"],
        "audit": flat(released["audit"]),
        "released": {name: released[name] for name in ("files", "bytes")},
        "lengths": linking.sentence(released["reidentification"]),
        "samples_in_release": len(public["sample"]["of_these_videos"]),
    }


def of_ledger(lines: Sequence[Line], videos_sha256: str) -> dict[str, Any]:
    """Return what the ledger says by now: how long it is, and all samples with who said what about which clip."""
    return {
        "ledger": {"lines": len(lines), "head": lines[-1].sha256 if lines else FIRST},
        "samples": [_sample(one, videos_sha256) for one in sample.samples(lines)],
    }


def with_evidence(stated: Mapping[str, Any], folder: Path, release: Path, beside: Path | None = None) -> dict[str, Any]:
    """Return the document with the SHA-256 of every file that shows what it says; see `issue.private`."""
    paths = {name: folder / name for name in PRIVATE_EVIDENCE}
    paths |= {f"{release}/{name}": folder / (beside or release) / name for name in RELEASED_EVIDENCE}
    return {**stated, "evidence": [{"file": name, "sha256": sha256_of(paths[name])} for name in sorted(paths)]}


def write(stated: Mapping[str, Any], folder: Path = Path()) -> None:
    """Write the private form as a page and as JSON."""
    files.write_json(folder / FOLDER / JSON_NAME, stated)
    files.write_text(folder / FOLDER / "index.html", render_page(stated))


def flat(value: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return all values of a document by the names that lead to them; lists count.

    >>> flat({"passed": True, "pictures": {"read": 30, "rule": "by change"}, "places": [1, 2]})
    {'passed': True, 'pictures: read': 30, 'pictures: rule': 'by change', 'places': 2}
    """
    done: dict[str, Any] = {}
    for key, one in value.items():
        name = f"{before}{key.replace('_', ' ')}"
        if isinstance(one, Mapping):
            done |= flat(one, f"{name}: ")
        else:
            done[name] = len(one) if isinstance(one, list | tuple) else one
    return done


def _sample(one: sample.Sample, videos_sha256: str) -> dict[str, Any]:
    stated, is_of_these = sample.proof(one), one.drawn.videos == videos_sha256
    return {
        **stated,
        "line": one.line.number,
        "at": one.line.at,
        "by": one.line.by,
        "videos": one.drawn.videos,
        "of_these_videos": is_of_these,
        "says": sample.sentence(stated),
        # A recording that was withdrawn since is named in the ledger alone.
        "judgements": [asdict(judgement) for judgement in one.judgements] if is_of_these else [],
    }


TEMPLATES = Path(__file__).with_name("templates")


def render_page(stated: Mapping[str, Any]) -> str:
    """Return the page of what `private_form.document` says."""
    return _template().render(stated, kinds_say=KINDS_SAY)


@functools.cache
def _template() -> jinja2.Template:
    filters = {"serves": serves, "number": "{:,}".format, "says": _says, "further": further}
    return pages.environment(TEMPLATES, filters).get_template("certificate.html.j2")


def _says(value: object) -> str:
    """Return a value of the audit for reading.

    >>> _says(True), _says(1200), _says("by change")
    ('yes', '1,200', 'by change')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


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
    groups = public_form.header_groups(io.read(CUTS, folder / CUTS_PATH))
    document = private_document(stated, review, released, lines, groups)
    write(with_evidence(document, folder, release, beside), folder)


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
    listed = "\n  ".join(_finding_says(one, offset_s) for one in sorted(findings, key=lambda one: (one.clip, one.by)))
    msg = (
        f"people saw something in {len({one.clip for one in findings})} sampled clips of these very videos; hide it there; or who saw it "
        f"says that the clip is clean, with 'scrubin review --sample' and the same numbers as before; then make repro:\n  {listed}"
    )
    raise ReleaseError(msg)


def _finding_says(finding: sample.Judgement, offset_s: Mapping[str, float]) -> str:
    recording = finding.clip.recording
    command = command_at(recording, offset_s[recording] + finding.clip.start_s)
    return f"'{recording}': {finding.by} saw '{finding.why}'; open: {command}"


def _offsets_s(cuts: pd.DataFrame) -> Mapping[str, float]:
    return {row["recording"]: float(Fraction(row["offset_s"])) for row in records(cuts)}


def renew(folder: Path, lines: Sequence[Line]) -> str:
    """Write the newest samples into the private certificate, and return what is to say about that.

    The public form lies in the release, under its checksums: it follows when the release is made again.
    """
    path = folder / FOLDER / JSON_NAME
    try:
        stated = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return f"{path}: there is no certificate yet; make repro writes it.\n"
    sha256 = released_clips.sha256_of_release(released_clips.load_released(folder))
    if stated["videos"]["sha256"] != sha256:
        return f"{path}: it is about other videos; make repro writes it anew.\n"
    write({**stated, **of_ledger(lines, sha256)}, folder)
    return f"{FOLDER / 'index.html'} says so as well; make repro puts it into the certificate of the release.\n"
