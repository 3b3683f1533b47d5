"""A study drafted from a folder: what is new in it, linked in place; everything that a curator is told about it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from scrubin.base import csv_text, strangers
from scrubin.base.errors import ManifestError
from scrubin.base.files import write_text
from scrubin.curate.draft import draft as drafts
from scrubin.curate.draft.draft import Draft
from scrubin.curate.draft.folder import Contents, Progress, look_through, without_doubles
from scrubin.curate.draft.forecast import Forecast, forecast, why_encoded
from scrubin.stages.ingest import manifest
from scrubin.stages.ingest.manifest import TaskParams
from scrubin.stages.render.render_params import RenderParams

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
    taken = [target for target, source in wanted if os.path.lexists(target) and not _leads_to(target, source)]
    if taken:
        msg = f"{taken[0]} is there already and is another file; move it away, or name another folder for the study"
        raise ManifestError(msg)
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


def _leads_to(target: Path, source: Path) -> bool:
    try:
        return target.samefile(source)
    except OSError:
        return False


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

    Raises
    ------
    ManifestError
        When the folder cannot be used, or an earlier draft is still there.
    """
    if strangers.real(folder) == strangers.real(study):
        msg = f"{folder} is the study itself; name the folder with the recordings, such as {study / VIDEOS}"
        raise ManifestError(msg)
    named = _named(study)
    list_name = BESIDE if named else manifest.NAME
    if list_name == BESIDE and (study / BESIDE).exists():
        msg = f"{study / BESIDE} is there already; take its rows over into {manifest.NAME} and remove it, then run again"
        raise ManifestError(msg)
    contents = look_through(folder, study, progress)
    known = {file.path for file in contents.videos if strangers.real(folder / file.path) in named}
    new = [file for file in without_doubles(contents.videos, known) if file.path not in known]
    outcome = drafts.draft(new, tasks)
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
    sheet = csv_text.read_path(study / manifest.NAME, manifest.NAME, ("path",))
    ManifestError.raise_any(sheet.file_faults)
    rows = (*sheet.rows, *(misfit.row for misfit in sheet.misfits))
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
