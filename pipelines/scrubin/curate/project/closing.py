"""The end of a run in a few lines: what is released, hidden, set aside, to be looked at, to be done next."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from scrubin.base import params
from scrubin.base.faults import count_text
from scrubin.base.layout import HIDDEN_PATH, INTERIM, RECORDINGS_PATH, VIDEOS_PATH, quarantine_path
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import HIDDEN, QUARANTINE, RECORDINGS, of_recordings
from scrubin.base.tables.public import VIDEOS
from scrubin.stages.release import gates
from scrubin.stages.release.certificate import public_form
from scrubin.stages.release.release_params import REQUIRED, ReleaseParams
from scrubin.stages.review import FIRST, Ledger, result, study
from scrubin.stages.review.state import ReviewParams

QUARANTINING = ("ingest", "screen", "render")
REPORT = "reports/index.html"
GO_ON = "run `make repro` again to go on; what was finished is kept"


def stopped(failed: Mapping[str, str], waiting: Sequence[str], stages: int) -> list[str]:
    """Return what stopped and why, and what is done all the same.

    Parameters
    ----------
    failed
        Stages that failed, each with its reason; "" where it has said it above.
    waiting
        Stages that were not run because they need those.
    stages
        How many there are.
    """
    said = [_reason(stage, why) for stage, why in failed.items()]
    said += [f"not run, because they need that: {', '.join(waiting)}"] if waiting else []
    return [*said, f"done: {stages - len(failed) - len(waiting)} of {count_text(stages, 'stage')}"]


def _reason(stage: str, why: str) -> str:
    rows = why.splitlines() or ["see above what is wrong"]
    return "\n  ".join([f"stopped in stage {stage}: {rows[0]}", *(row.strip() for row in rows[1:])])


def lines(failed: Collection[str], release: ReleaseParams, *, is_named: bool, waiting: Collection[str] = ()) -> list[str]:
    """Return what to say at the end.

    Parameters
    ----------
    failed
        Stages that failed; before the release there is nothing sound to count.
    release
        Its section of ``params.yaml``.
    is_named
        Whether ``dvc.lock`` names a release: after a run of single stages it may name none.
    waiting
        Stages that were not run because they need those that failed.

    Raises
    ------
    ScrubinError, OSError, ValueError
        When what the stages wrote cannot be read.
    """
    if failed and set(failed) != {"release"}:
        return [*_every_set_aside({*failed, *waiting}), f"next: put that right, then {GO_ON}"]
    videos = io.read(VIDEOS, VIDEOS_PATH)
    is_released = is_named and not failed
    if is_released:
        go_on = f"next: look at {REPORT}, then: make release VERSION=..."
    elif failed:
        go_on = f"next: put right what stopped the release, then {GO_ON}"
    else:
        go_on = "next: run `make repro`, so that there is a release of this"
    every = _every_set_aside(failed) if failed else []  # else the stage `release` has said it
    said = [*_released(videos, release, is_released=is_released), *_hidden(videos), *every, *_set_aside(), *_next(release)]
    return [*said, go_on]


def _released(videos: pd.DataFrame, release: ReleaseParams, *, is_released: bool) -> Iterator[str]:
    counts = (videos.id.nunique(), "recording"), (videos.task.nunique(), "task"), (len(videos), "video")
    recordings, tasks, files = (count_text(number, noun) for number, noun in counts)
    what = f"{recordings} of {tasks}, {files}"
    yield f"released: {what}, as {release.name} {release.version}" if is_released else f"released: nothing yet; ready: {what}"


def _hidden(videos: pd.DataFrame) -> Iterator[str]:
    hidden = io.read(HIDDEN, HIDDEN_PATH)
    frames = public_form.black_frames(videos, hidden)["black_frames"]
    touched = len(hidden[["id", "camera"]].drop_duplicates())
    share = 100 * frames / max(int(videos.frame_count.sum()), 1)
    yield f"hidden: {share:.1f} % of the frames as a whole; something in {touched:,} of {count_text(len(videos), 'video')}"


def _every_set_aside(undone: Collection[str]) -> list[str]:
    """Return what each stage that is done has set aside, a line each: the report that lists it is not there yet."""
    paths = [quarantine_path(stage) for stage in QUARANTINING if stage not in undone]
    quarantine = gates.joined_quarantine(io.read(QUARANTINE, path) for path in paths if path.exists())
    return [f"set aside: {line}" for line in gates.quarantine_lines(quarantine)]


def _set_aside() -> Iterator[str]:
    quarantine = gates.joined_quarantine(io.read(QUARANTINE, quarantine_path(stage)) for stage in QUARANTINING)
    recordings = io.read(RECORDINGS, RECORDINGS_PATH)
    unusable, strays = of_recordings(quarantine).recording.nunique(), len(quarantine) - len(of_recordings(quarantine))
    excluded = recordings.recording[recordings.status == "excluded"].nunique() + len(seals.read_rows(INTERIM / "excluded.json"))
    said = [f"{count_text(unusable, 'recording')} that cannot be used"] if unusable else []
    said += [f"{excluded:,} excluded"] if excluded else []
    said += [f"{count_text(strays, 'file')} that no row names"] if strays else []
    yield f"set aside: {', '.join(said) or 'nothing'}" + (f"; why, and the mend: {REPORT}" if unusable or strays else "")


def _next(release: ReleaseParams) -> Iterator[str]:
    review, is_newer = _reviewed()
    kept = [one for one in review["recordings"] if one["excluded"] is None]
    unseen = len(gates.missing_reviews(review, replace(release, review=REQUIRED)))
    undecided = sum(file["undecided"] for one in kept for file in one["files"])
    said = [f"{unseen:,} of {count_text(len(kept), 'recording')} that too few people saw"] if unseen else []
    unlooked = sum(file["unlooked"] for one in kept for file in one["files"])
    said += [f"{count_text(unlooked, 'line')} of the ledger from an earlier edition, no longer counted as seen"] if unlooked else []
    said += [f"{count_text(undecided, 'proposal')} that nobody decided, so hidden"] if undecided else []
    folded_s = sum(file.get("folded_s", 0) for one in kept for file in one["files"])
    if folded_s:
        yield f"folded: {folded_s:,} s that fewer people looked at than must, because a still like them stood for them (review.folds)"
    yield f"to be looked at: {', '.join(said) or 'nothing'}" + (f"; open: {gates.REVIEW_COMMAND}" if said else "")
    if is_newer:
        yield f"since this run began, people looked or decided: {gates.GO_ON}, so that release and report follow"


def _reviewed() -> tuple[Any, bool]:
    """Return what the review says by now, and whether that is more than the stage of that name knew when it ran."""
    stated, ledger = _read("review.json"), Ledger()
    lines = ledger.lines()
    if (lines[-1].sha256 if lines else FIRST) == stated["head"]:
        return stated, False
    raw = params.raw_folder()
    p = params.load("review", ReviewParams)
    of = study.load(p.reviewers, float(params.read()["screen"]["margin_s"]), raw, folds=p.folds)
    standing = of.standing()
    standing.apply(lines)
    return result.document(of, standing, lines, raw), True


def _read(name: str) -> Any:
    return json.loads((INTERIM / name).read_text(encoding="utf-8"))
