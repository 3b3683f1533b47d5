"""A study drafted from a folder: what is new in it, linked in place; everything that a curator is told about it, with what it will cost.

Only heads of files are known. What their packets hold, what is cut and what is hidden decides in the end how much is encoded.
"""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from scrubin.base import strangers
from scrubin.base.errors import ManifestError
from scrubin.base.faults import count_text
from scrubin.base.files import write_text
from scrubin.curate.draft import draft as drafts
from scrubin.curate.draft.draft import CONFIRM, Draft, DraftRow
from scrubin.curate.draft.folder import Contents, Progress, is_same, look_through, without_doubles
from scrubin.stages import recordings_list
from scrubin.stages.ingest.manifest import TaskParams
from scrubin.stages.render import RenderParams
from scrubin.stages.render.effort import BESIDE_VIDEOS, ENCODED_GROWTH, MOST_BYTES_PER_PIXEL, frames_s
from scrubin.stages.render.parts import REENCODE

# Films of operations and of rooms on two cores, all detectors on; on another machine as wrong as that machine is faster or slower.
SCREENED_MEGAPIXELS_PER_S, SCREENED_FRAMES_PER_S, SCREENING_START_S = 200.0, 700.0, 0.5
# A released video is decoded when it is held to its plan, when frames are taken, and when the release is audited.
DECODED_MEGAPIXELS_PER_S, DECODINGS = 200.0, 3
# Read to its end three times: for its hash, its packets and its groups of pictures.
READ_BYTES_PER_S, READS = 200e6, 3
# A released video lies in the store, in DVC's cache and in the release.
COPIES = 3


@dataclass(frozen=True)
class Forecast:
    """What a drafted study will cost at most, on two cores.

    Parameters
    ----------
    copied, encoded
        Number of files of which groups of pictures may be copied, and of those that are encoded as a whole.
    copied_s, encoded_s
        How long they play, in seconds.
    whys
        Number of files by the reason for which they are encoded.
    unknown_length
        Number of files that do not say how long they are: they are in no number below.
    reading_s, screening_s, rendering_s, proving_s
        Seconds of work; the last is decoding what was rendered.
    new_bytes
        Size of all released videos.
    needed_bytes
        Room for everything that is made of them.
    """

    copied: int
    encoded: int
    copied_s: float
    encoded_s: float
    whys: dict[str, int]
    unknown_length: int
    reading_s: float
    screening_s: float
    rendering_s: float
    proving_s: float
    new_bytes: int
    needed_bytes: int

    @property
    def work_s(self) -> float:
        """Seconds of all work together."""
        return math.fsum((self.reading_s, self.screening_s, self.rendering_s, self.proving_s))


def why_encoded(row: DraftRow, params: RenderParams) -> str:
    """Return why a file is encoded as a whole, "" when groups of pictures may be copied."""
    return row.header.why_encoded or ("render.mode is reencode" if params.mode == REENCODE else "")


def forecast(rows: Sequence[DraftRow], params: RenderParams) -> Forecast:
    """Return what the rows will cost if all of each recording is kept and nothing is hidden."""
    encoded = [row for row in rows if why_encoded(row, params)]
    copied = [row for row in rows if not why_encoded(row, params)]
    # What stands in brackets differs from file to file.
    whys = Counter(why_encoded(row, params).partition(" (")[0] for row in encoded)
    new_bytes = math.ceil(math.fsum(_new_bytes(row, is_copied=not why_encoded(row, params)) for row in rows))
    return Forecast(
        copied=len(copied),
        encoded=len(encoded),
        copied_s=_length_s(copied),
        encoded_s=_length_s(encoded),
        whys=dict(sorted(whys.items(), key=lambda item: (-item[1], item[0]))),
        unknown_length=len([row for row in rows if row.header.frame_count is None]),
        reading_s=round(READS * math.fsum(row.size_bytes for row in rows) / READ_BYTES_PER_S, 1),
        screening_s=round(math.fsum(map(_screening_s, rows)), 1),
        rendering_s=round(math.fsum(_rendering_s(row, params) for row in rows), 1),
        proving_s=round(DECODINGS * math.fsum(map(_megapixels, rows)) / DECODED_MEGAPIXELS_PER_S, 1),
        new_bytes=new_bytes,
        needed_bytes=math.ceil(COPIES * BESIDE_VIDEOS * new_bytes),
    )


def _length_s(rows: Sequence[DraftRow]) -> float:
    return round(math.fsum(row.header.duration_s or 0.0 for row in rows), 1)


def _megapixels(row: DraftRow) -> float:
    return (row.header.frame_count or 0) * row.header.width * row.header.height / 1e6


def _screening_s(row: DraftRow) -> float:
    return SCREENING_START_S + _megapixels(row) / SCREENED_MEGAPIXELS_PER_S + (row.header.frame_count or 0) / SCREENED_FRAMES_PER_S


def _rendering_s(row: DraftRow, params: RenderParams) -> float:
    frames, size_px = row.header.frame_count or 0, (row.header.width, row.header.height)
    return frames_s(0, frames, size_px, params.preset) if why_encoded(row, params) else frames_s(frames, 0, size_px, params.preset)


def _new_bytes(row: DraftRow, *, is_copied: bool) -> float:
    frames = row.header.frame_count or 0
    if is_copied or not frames:
        return row.size_bytes
    return min(ENCODED_GROWTH * row.size_bytes, MOST_BYTES_PER_PIXEL * row.header.width * row.header.height * frames)


VIDEOS = "videos"


def place_below(study: Path, folder: Path) -> str | None:
    """Return where a folder lies from the raw folder of a study, when it lies in its ``videos``: then nothing has to be linked."""
    videos = strangers.real(study / VIDEOS)
    inside = strangers.real(folder)
    if inside != videos and videos not in inside.parents:
        return None
    return PurePosixPath(VIDEOS, *inside.relative_to(videos).parts).as_posix()


def link(study: Path, folder: Path, paths: Sequence[PurePosixPath]) -> int:
    """Link files below ``videos/`` under the same names; return how many links are new.

    Raises
    ------
    ManifestError
        When another file lies there already, or the disk has no links. Nothing is linked then that was not before.
    """
    wanted = [(study / VIDEOS / path, strangers.real(folder / path)) for path in paths]
    taken = [target for target, source in wanted if os.path.lexists(target) and not is_same(target, source)]
    if taken:
        raise ManifestError(f"{taken[0]} is there already and is another file; move it away, or name another folder for the study")
    new_links: list[Path] = []
    try:
        for target, source in wanted:
            if not os.path.lexists(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(source)
                new_links.append(target)
    except OSError as error:
        for target in new_links:
            target.unlink()
        msg = (
            f"{study / VIDEOS}: no link can be made ({error.strerror}); copy the recordings there yourself and name that folder with --from"
        )
        raise ManifestError(msg) from error
    return len(new_links)


BESIDE = "recordings_draft.csv"
"""The draft's name where `recordings.csv` has rows already: what a person wrote is not touched."""


@dataclass(frozen=True)
class DraftedStudy:
    """A draft and what is known of it.

    Parameters
    ----------
    list_name
        The file that has the draft.
    known
        Number of files that stand in `recordings.csv` already.
    others
        Number of files that are no videos, by suffix.
    folders_not_read
        Folders that could not be opened, with the reason.
    """

    list_name: str
    draft: Draft
    forecast: Forecast
    known: int
    others: dict[str, int]
    folders_not_read: tuple[tuple[str, str], ...]


def drafted(
    study: Path,
    folder: Path,
    tasks: Mapping[str, TaskParams],
    params: RenderParams,
    progress: Progress = lambda files, _: files,
    *,
    stereo_tolerance_s: float = math.inf,
) -> DraftedStudy:
    """Look through a folder, link its usable recordings below ``videos/`` of a study, and write the draft of its list.

    Parameters
    ----------
    study
        The raw folder; its lists exist.
    folder
        Where recordings lie. Nothing in it is changed.
    tasks, params
        Of the study.
    progress
        See `scrubin.curate.draft.folder.look_through`.
    stereo_tolerance_s
        Parameter ``ingest.stereo_tolerance_s`` of the study.

    Raises
    ------
    ManifestError
        When the folder cannot be used, or an earlier draft is still there.
    """
    if strangers.real(folder) == strangers.real(study):
        raise ManifestError(f"{folder} is the study itself; name the folder with the recordings, such as {study / VIDEOS}")
    named = _named(study)
    list_name = BESIDE if named else recordings_list.NAME
    if list_name == BESIDE and (study / BESIDE).exists():
        msg = f"{study / BESIDE} is there already; take its rows over into {recordings_list.NAME} and remove it, then run again"
        raise ManifestError(msg)
    contents = look_through(folder, study, progress)
    known = {file.path for file in contents.videos if strangers.real(folder / file.path) in named}
    new = [file for file in without_doubles(contents.videos, known) if file.path not in known]
    outcome = drafts.draft(new, tasks, stereo_tolerance_s)
    if outcome.rows:
        below = place_below(study, folder)
        if below is None:
            link(study, folder, [row.path for row in outcome.rows])
        write_text(study / list_name, drafts.text(outcome.rows, below or VIDEOS))
    return _result(list_name, outcome, contents, len(known), params)


def _result(list_name: str, outcome: Draft, contents: Contents, known: int, params: RenderParams) -> DraftedStudy:
    return DraftedStudy(list_name, outcome, forecast(outcome.rows, params), known, contents.others, contents.folders_not_read)


def _named(study: Path) -> set[Path]:
    """Return the files that the list names already, wherever links lead."""
    rows = recordings_list.read_rows(study, ("path",))
    return {strangers.real(study / row.as_written("path")) for row in rows if row.cells.get("path")}


def document(result: DraftedStudy, params: RenderParams) -> dict[str, Any]:
    """Return everything as plain values, for programs."""
    cost = asdict(result.forecast)
    return {
        "list": result.list_name,
        "recordings": len({row.recording for row in result.draft.rows}),
        "already_in_list": result.known,
        "files": [
            {
                "recording": row.recording,
                "task": row.task,
                "camera": row.camera,
                "part": row.part,
                "path": row.path.as_posix(),
                "bytes": row.size_bytes,
                "container": row.header.container,
                "codec": row.header.codec,
                "pixel_format": row.header.pixel_format,
                "width": row.header.width,
                "height": row.header.height,
                "fps": str(row.header.fps),
                "duration_s": row.header.duration_s,
                "has_audio": row.header.has_audio,
                "why_encoded": why_encoded(row, params),
                "doubts": list(row.doubts),
                "guesses": list(row.guesses),
            }
            for row in result.draft.rows
        ],
        "left_out": [asdict(left) for left in result.draft.left_out],
        "other_files": result.others,
        "folders_not_read": [{"path": path, "reason": reason} for path, reason in result.folders_not_read],
        "forecast": {**cost, "work_s": result.forecast.work_s},
    }


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
    yield f"{count_text(len(rows), 'video')} of {count_text(len(cameras), 'recording')}: {two} with two cameras, {several} in several parts"
    if result.known:
        yield f"{count_text(result.known, 'video')} stand in recordings.csv already"
    if result.others:
        yield f"{count_text(sum(result.others.values()), 'other file')} passed over: " + ", ".join(
            f"{n} {end}" for end, n in result.others.items()
        )
    for path, reason in result.folders_not_read:
        yield f"folder '{path}' could not be opened ({reason}): nothing in it was looked at"


def _cost(cost: Forecast) -> Iterator[str]:
    yield "what will be done, as far as the heads of the files tell, if all is kept and nothing hidden:"
    yield f"  copied bit for bit: {count_text(cost.copied, 'video')}, {_hours(cost.copied_s)}"
    yield f"  encoded again: {count_text(cost.encoded, 'video')}, {_hours(cost.encoded_s)}"
    for why, count in cost.whys.items():
        yield f"    {count}: {why}"
    if cost.unknown_length:
        yield f"  not counted: {count_text(cost.unknown_length, 'video')} whose head does not say how long it is"
    kinds = {"reading": cost.reading_s, "screening": cost.screening_s, "rendering": cost.rendering_s, "proving": cost.proving_s}
    work = ", ".join(f"{kind} {_hours(seconds)}" for kind, seconds in kinds.items())
    yield f"  about {_hours(cost.work_s)} on two cores ({work}), at best to a factor of two; more cores share it"
    yield f"  about {cost.new_bytes / 1e9:.1f} GB of videos, and {cost.needed_bytes / 1e9:.1f} GB of room with store, cache and frames"


def _left_out(result: DraftedStudy) -> Iterator[str]:
    # What cannot be read is more urgent than what is there twice.
    left = sorted(result.draft.left_out, key=lambda one: one.is_copy)
    if left:
        yield f"left out, {count_text(len(left), 'file')}; write no row for one before its mend is done:"
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
        yield f"in doubt, {count_text(len(doubtful), 'recording')}:"
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


def _hours(seconds: float) -> str:
    if seconds >= HOUR_S:
        return f"{seconds / HOUR_S:.1f} h"
    return f"{seconds / MINUTE_S:.0f} min" if seconds >= MINUTE_S else f"{seconds:.0f} s"
