"""A drafted study in sentences: what there is, what is in doubt, what it will cost, what to do next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from scrubin.curate.draft.draft import CONFIRM, DraftRow
from scrubin.curate.draft.drafted_study import BESIDE, DraftedStudy
from scrubin.curate.draft.forecast import Forecast

SHOWN = 20
MINUTE_S, HOUR_S = 60, 3600


def lines(result: DraftedStudy, study: str, room: str = "") -> Iterator[str]:
    """Yield what a curator has to know.

    Parameters
    ----------
    study
        The raw folder as it was named.
    room
        What it will need and what is free, in a sentence; "" where nobody can say it.
    """
    rows = result.draft.rows
    yield from _counts(result)
    if rows:
        yield from _cost(result.forecast)
        yield from [f"  {room}"] if room else []
    yield from _left_out(result)
    yield from _doubts(rows)
    yield from _next(result, study)


def _counts(result: DraftedStudy) -> Iterator[str]:
    rows = result.draft.rows
    cameras: dict[str, set[str]] = defaultdict(set)
    parts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        cameras[row.recording].add(row.camera)
        parts[row.recording, row.camera] += 1
    two = len([recording for recording, of in cameras.items() if len(of) > 1])
    several = len({recording for (recording, _), count in parts.items() if count > 1})
    yield f"{_many(len(rows), 'video')} of {_many(len(cameras), 'recording')}: {two} with two cameras, {several} in several parts"
    if result.known:
        yield f"{_many(result.known, 'video')} stand in recordings.csv already"
    if result.others:
        yield f"{_many(sum(result.others.values()), 'other file')} passed over: " + ", ".join(
            f"{n} {end}" for end, n in result.others.items()
        )
    for path, reason in result.folders_not_read:
        yield f"folder '{path}' could not be opened ({reason}): nothing in it was looked at"


def _cost(cost: Forecast) -> Iterator[str]:
    yield "what will be done, as far as the heads of the files tell, if all is kept and nothing hidden:"
    yield f"  copied bit for bit: {_many(cost.copied, 'video')}, {_hours(cost.copied_s)}"
    yield f"  encoded again: {_many(cost.encoded, 'video')}, {_hours(cost.encoded_s)}"
    for why, count in cost.whys.items():
        yield f"    {count}: {why}"
    if cost.unknown_length:
        yield f"  not counted: {_many(cost.unknown_length, 'video')} whose head does not say how long it is"
    kinds = {"reading": cost.reading_s, "screening": cost.screening_s, "rendering": cost.rendering_s, "proving": cost.proving_s}
    work = ", ".join(f"{kind} {_hours(seconds)}" for kind, seconds in kinds.items())
    yield f"  about {_hours(cost.work_s)} on two cores ({work}), at best to a factor of two; more cores share it"
    yield f"  about {cost.new_bytes / 1e9:.1f} GB of videos, and {cost.needed_bytes / 1e9:.1f} GB of room with store, cache and frames"


def _left_out(result: DraftedStudy) -> Iterator[str]:
    # What cannot be read is more urgent than what is there twice.
    left = sorted(result.draft.left_out, key=lambda one: one.is_copy)
    if left:
        yield f"left out, {_many(len(left), 'file')}:"
    for one in left[:SHOWN]:
        yield f"  {one.path}: {one.reason}; {one.fix}"
    if len(left) > SHOWN:
        yield f"  and {len(left) - SHOWN} more; --json lists all"


def _doubts(rows: Sequence[DraftRow]) -> Iterator[str]:
    doubts: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        doubts[row.recording].update(dict.fromkeys(row.doubts))
    doubtful = [(recording, list(of)) for recording, of in doubts.items() if of]
    if doubtful:
        yield f"in doubt, {_many(len(doubtful), 'recording')}:"
    for recording, of in doubtful[:SHOWN]:
        yield f"  {recording}: {'; '.join(of)}"
    if len(doubtful) > SHOWN:
        yield f"  and {len(doubtful) - SHOWN} more; they stand in the column '{CONFIRM}'"


def _next(result: DraftedStudy, study: str) -> Iterator[str]:
    if not result.draft.rows:
        yield "no new recording; nothing was written"
        return
    yield f"next, in {study}/{result.list_name}:"
    yield "  1. fill in participant: no file says who it is; and task, where it is empty"
    yield f"  2. check each row against its cell in '{CONFIRM}', doubts first, and correct it"
    yield f"  3. remove the column '{CONFIRM}': the pipeline takes no list that has it"
    if result.list_name == BESIDE:
        yield "  4. add its rows to recordings.csv, and remove it"
    else:
        yield f"  4. in params.yaml, say raw: {study}, a name and a title of the release, and what tasks there are (ingest.tasks)"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _hours(seconds: float) -> str:
    if seconds >= HOUR_S:
        return f"{seconds / HOUR_S:.1f} h"
    return f"{seconds / MINUTE_S:.0f} min" if seconds >= MINUTE_S else f"{seconds:.0f} s"
