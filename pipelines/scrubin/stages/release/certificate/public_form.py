"""The public form: ``certificate.json`` with ``CERTIFICATE.md`` of a release, without a name; written before the audit.

It holds what only a decision, a new video or a finished sample changes: whoever merely looks at the recordings once
more changes no byte of a release.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import pandas as pd

from scrubin.base import pages
from scrubin.base.files import json_text
from scrubin.base.tables.io import records
from scrubin.stages.release.certificate import attention
from scrubin.stages.release.certificate.rules import AUDITED, NOT_PROVEN, RULES, SAFE_HARBOR
from scrubin.stages.release.release_params import ReleaseParams
from scrubin.stages.review import Line, events, sample

JSON_NAME, TEXT_NAME = "certificate.json", "CERTIFICATE.md"
TEMPLATES = Path(__file__).with_name("templates")
_CODE = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
SAMPLE_RULE = (
    f"A clip is {events.CLIP_S} s of a recording in all its cameras, or what is left at its end; what is black is no clip. Clips are drawn "
    "in the order of the SHA-256 of `seed:videos:id:start`, where `videos` is the SHA-256 below and `start` is in seconds: whoever has "
    f"the release can draw them again. They are looked at in single pictures, one or more in every {sample.STILLS_EVERY_S:g} s."
)
COUNTS = ("proposed", "hidden", "undecided", "shown", "drawn", "kept")
KINDS_SAY = (
    "Proposed: by programs, by a list that was not imported, or because the other camera hides it. A proposal of which a part is "
    "hidden and a part shown counts as both. Rectangles of which nobody was asked, as they lie in pictures that are hidden as a whole, "
    "are not counted. Kept: people accepted it, also in a list, and no program proposes it."
)
KINDS = ("out of body", "black", "frozen", "text", "other")
# The keys of the JSON; its own numbers and names stand beside them.
KEYS = """\
title version letters_of rules name action says serves audited videos files ids frames sha256 hidden kinds proposed
undecided shown black_frames partly_black_frames drawn kept review people_required required_s seen_s proposals
seen_ends disputed attention looked looked_s sheets median_sheet_s still_height_px least_still_s least_height_px
checks person shown noticed low high sample rule of_these_videos seed clips drawn checked findings people clip_s
share_up_to clips_up_to earlier samples evidence file not_proven left_behind headers elements private_elements stops
seen_stops folded_s folds
"""
_SAMPLE = {"seed": 0, "clips": 2, "drawn": 2, "checked": 2, "findings": 2, "share_up_to": 0.5, "clips_up_to": 1}


def document(
    params: ReleaseParams,
    videos: pd.DataFrame,
    hidden: pd.DataFrame,
    cuts: pd.DataFrame,
    review: Mapping[str, Any],
    reviewed: str,
    lines: Sequence[Line],
    evidence: Sequence[tuple[str, str]],
) -> dict[str, Any]:
    """Return what the public form says, as a JSON value.

    Parameters
    ----------
    params
        Title and version.
    videos, hidden, cuts
        The tables of these names.
    review
        What the stage review says of the released recordings.
    reviewed
        Who looked before the release, in plain words.
    lines
        Of the ledger.
    evidence
        Private files and their SHA-256.
    """
    sha256, looked = sample.videos_sha256(dict(zip(videos["path"], videos["sha256"], strict=True))), attention.measured(review)
    return {
        "title": params.title,
        "version": params.version,
        "letters_of": SAFE_HARBOR,
        "rules": [asdict(rule) for rule in RULES],
        "audited": AUDITED,
        "videos": {
            "files": len(videos),
            "ids": int(videos["id"].nunique()),
            "frames": int(videos["frame_count"].sum()),
            "sha256": sha256,
        },
        "hidden": {"kinds": kinds(review), **black_frames(videos, hidden)},
        "left_behind": counted_headers(cuts),
        "review": {"says": reviewed, **coverage(review), "attention": looked, "looked": attention.sentences(looked)},
        "sample": sampled(lines, sha256),
        "evidence": [{"file": file, "sha256": value} for file, value in evidence],
        "not_proven": list(NOT_PROVEN),
    }


def texts(stated: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of each file, by name."""
    return {JSON_NAME: json_text(stated), TEXT_NAME: _template().render(stated, kinds_say=KINDS_SAY)}


def fixed_texts() -> list[object]:
    """Return what every public form says, for the audit: the vocabulary of it is public."""
    template = _CODE.sub("", (TEMPLATES / "certificate.md.j2").read_text(encoding="utf-8"))
    rules = [[rule.name, rule.action, rule.says, list(rule.serves)] for rule in RULES]
    fixed = [list(attention.FIXED), KINDS_SAY, list(KINDS)]
    return [template, SAFE_HARBOR, AUDITED, SAMPLE_RULE, list(NOT_PROVEN), rules, KEYS, sample.sentence(_SAMPLE), fixed]


def sampled(lines: Sequence[Line], videos_sha256: str) -> dict[str, Any]:
    """Return what the samples of these videos prove, and how many there were of other videos."""
    every = sample.samples(lines)
    of_these = sample.latest_per_seed([one for one in every if one.drawn.videos == videos_sha256])
    # Of what changes with each clip that somebody looks at only the private form tells.
    done = [one for one in of_these if one.is_complete]
    earlier = [one for one in every if one.drawn.videos != videos_sha256 and one.checked]
    findings = {(one.drawn.videos, judgement.clip) for one in earlier for judgement in one.findings}
    return {
        "rule": SAMPLE_RULE,
        "of_these_videos": [sample.proof(one) for one in done],
        "earlier": {"samples": len(earlier), "findings": len(findings)},
    }


def coverage(review: Mapping[str, Any]) -> dict[str, Any]:
    """Return in numbers how much of what is released was seen by as many people as must have; ``folded_s`` only where something was."""
    files = [file for one in review["recordings"] if one["excluded"] is None for file in one["files"]]
    required_s, proposed = sum(file["required_s"] for file in files), [row for file in files for row in file["proposed"]]
    folded_s = sum(file.get("folded_s", 0) for file in files)
    return {
        "people_required": review["reviewers"],
        "required_s": required_s,
        "seen_s": required_s - sum(file["unseen_s"] for file in files) - folded_s,
        **({"folded_s": folded_s, "folds": review["folds"]} if folded_s else {}),
        "proposals": sum(row["proposed"] for row in proposed),
        "seen_ends": sum(row["seen_ends"] for row in proposed),
        "stops": sum(file.get("stops", 0) for file in files),
        "seen_stops": sum(file.get("stops", 0) - len(file.get("unseen_stops", ())) for file in files),
        "undecided": sum(file["undecided"] for file in files),
        "disputed": sum(file["disputed"] for file in files),
    }


def kinds(review: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return per kind of what could identify somebody what was proposed, what became of it, and what people hide by themselves.

    A proposal counts once, and in ``hidden`` and ``shown`` when its parts were decided differently.
    """
    counted: dict[str, dict[str, int]] = {}
    for one in review["recordings"]:
        for file in one["files"] if one["excluded"] is None else ():
            for row in (*file["proposed"], *file["by_people"]):
                of_kind = counted.setdefault(row["kind"], dict.fromkeys(COUNTS, 0))
                for name in COUNTS:
                    of_kind[name] += row.get(name, 0)
    return {kind: counted[kind] for kind in sorted(counted)}


def black_frames(videos: pd.DataFrame, hidden: pd.DataFrame) -> dict[str, int]:
    """Return how many frames are black as a whole, and how many others have black rectangles; each frame counts once."""
    spans: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in records(hidden):
        spans.setdefault((row["id"], row["camera"]), []).append(row)
    black = partly = 0
    for video in records(videos):
        whole, some = np.zeros((2, video["frame_count"]), dtype=np.bool_)
        for row in spans.get((video["id"], video["camera"]), ()):
            (whole if row["x"] is None else some)[row["first_frame"] : row["last_frame"] + 1] = True
        black += int(whole.sum())
        partly += int((some & ~whole).sum())
    return {"black_frames": black, "partly_black_frames": partly}


@functools.cache
def _template() -> jinja2.Template:
    filters = {"serves": serves, "sample": sample.sentence, "further": attention.further}
    return pages.environment(TEMPLATES, filters, is_markdown=True).get_template("certificate.md.j2")


def serves(references: Sequence[str]) -> str:
    """Return clauses for reading, runs of letters as such.

    >>> serves(("A", "B", "C", "R", "GDPR 32"))
    'A to C, R, GDPR 32'
    """
    parts: list[list[str]] = []
    for reference in references:
        follows = parts and len(reference) == len(parts[-1][-1]) == 1 and ord(reference) == ord(parts[-1][-1]) + 1
        parts = [*parts[:-1], [*parts[-1], reference]] if follows else [*parts, [reference]]
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(run) for run in parts)


def counted_headers(cuts: pd.DataFrame) -> dict[str, int]:
    """Return how many sources had a header, how many elements these had, and how many of them were private."""
    of_groups = headers_by_group(cuts)
    private = [count for group, count in of_groups.items() if _is_private(group)]
    return {"headers": int(cuts["left_behind"].notna().sum()), "elements": of_groups.total(), "private_elements": sum(private)}


def header_groups(cuts: pd.DataFrame) -> list[dict[str, Any]]:
    """Return per group of elements how many there were."""
    return [{"group": group, "elements": count, "private": _is_private(group)} for group, count in sorted(headers_by_group(cuts).items())]


def headers_by_group(cuts: pd.DataFrame) -> Counter[str]:
    """Return the number of elements of all sources by group, such as ``0010``."""
    found: Counter[str] = Counter()
    for text in cuts["left_behind"].dropna():
        found.update(_of_text(text))
    return found


def _of_text(text: str) -> Mapping[str, int]:
    """Return counts from the words in which the table `cuts` has them."""
    return {group: int(count) for group, count in (word.split(":") for word in text.split())}


def _is_private(group: str) -> bool:
    return int(group, 16) % 2 == 1
