"""The private form in ``reports/certificate``: what the public one says, with by whom, when, by which files it is shown."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jinja2

from scrubin.base import files, pages
from scrubin.base.files import sha256_of
from scrubin.stages.release import linking
from scrubin.stages.release.certificate.attention import full_size
from scrubin.stages.release.certificate.public_form import JSON_NAME, KINDS_SAY, TEXT_NAME, serves
from scrubin.stages.release.certificate.rules import ARTICLES, CLAUSES
from scrubin.stages.review import sample
from scrubin.stages.review.ledger import FIRST, Line

FOLDER = Path("reports/certificate")
PRIVATE_EVIDENCE = (
    "data/interim/recordings.parquet",
    "data/interim/review.json",
    "data/interim/redactions.parquet",
    "data/interim/hidden.parquet",
    "data/interim/cuts.parquet",
    "data/interim/validation.json",
    "data/private/linkage.parquet",
    "reports/release.json",
)
RELEASED_EVIDENCE = ("SHA256SUMS", JSON_NAME, TEXT_NAME, "tables/videos.parquet", "tables/frames.parquet")


def document(
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
    filters = {"serves": serves, "number": "{:,}".format, "says": _says, "full_size": full_size}
    return pages.environment(TEMPLATES, filters).get_template("certificate.html.j2")


def _says(value: object) -> str:
    """Return a value of the audit for reading.

    >>> _says(True), _says(1200), _says("by change")
    ('yes', '1,200', 'by change')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
