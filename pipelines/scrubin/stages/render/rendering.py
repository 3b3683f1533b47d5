"""One video file from the raw study to the release: plan, encode, check, keep."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from av.error import FFmpegError

from scrubin.base.errors import VideoError
from scrubin.base.store import store
from scrubin.base.store.code_of import code_of
from scrubin.media import ffmpeg
from scrubin.media.decode import decoded
from scrubin.media.opening import left_behind_text
from scrubin.media.probe import Probe
from scrubin.media.source import Source, sources
from scrubin.stages.render import RenderParams, check, smart
from scrubin.stages.render.check import check_video
from scrubin.stages.render.encode import encode
from scrubin.stages.render.parts import SMART, Parts, parts_of_files, reencoded
from scrubin.stages.render.plan import Plan, Redaction, SourceFile, clock_s, files_of, plan, trimmed_end_s

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class FileToRender:
    """A camera's recording that is to be rendered; times are source seconds. Of a pair, ``partner`` is the other camera."""

    recording: str
    camera: str
    source: Source
    task: str
    id: str
    start_s: float
    end_s: float
    fps: str
    variable_rate: bool
    redactions: tuple[Redaction, ...]
    partner: Source | None = None

    @property
    def path(self) -> str:
        """The first file, by which messages name it."""
        return self.source.path


@dataclass(frozen=True)
class Prepared:
    """What is known before a recording is rendered: what its files hold together, and each of them."""

    probe: Probe
    files: tuple[SourceFile, ...]
    plan: Plan
    parts: Parts


def prepare(raw: Path, file: FileToRender, params: RenderParams) -> Prepared:
    """Return the plan of one file.

    Raises
    ------
    VideoError
        When it or its partner cannot be read, no frame of it is kept, or kept frames are less than a millisecond apart.
    """
    probed, partner = file.source.probe(raw), file.partner.probe(raw) if file.partner else None
    partner_s = (*clock_s(partner.pts, partner.time_base), float(partner.end_s)) if partner else ()
    try:
        size_px, interval_s = (probed.width, probed.height), (file.start_s, file.end_s)
        planned = plan(probed.pts, probed.time_base, probed.end_s, interval_s, file.redactions, size_px, partner_s)
    except ValueError as error:
        raise VideoError(file.path, str(error), "correct start_s and end_s in recordings.csv") from error
    check.refuse_close(planned, file.path)
    paths = [(raw / path, path) for path in file.source.paths]
    firsts = [part.first for part in file.source.parts]
    files = files_of(paths, file.source.probes(raw), file.source.structures(raw), firsts, file.source.view)
    return Prepared(probed, files, planned, parts_of_files(planned, files, params.mode))


def execute(files: Sequence[SourceFile], target: Path, probed: Probe, plan: Plan, parts: Parts, params: RenderParams, name: str) -> Parts:
    """Write the released video of the files of one camera, checked; return how it was really made.

    What copying cannot do right after all is encoded again as a whole, and the returned parts say why.

    Raises
    ------
    VideoError
        When the file cannot be rendered, or the result is not what was planned.
    """
    if parts.mode != SMART:
        return _encoded(files, target, plan, params, parts.why, name)
    try:
        witness = smart.render(files, target, probed, plan, parts, params, name)
    except ValueError as error:
        return _encoded(files, target, plan, params, f"copying failed: {error}", name)
    ffmpeg.strip_head(target)
    try:
        check.check_seams(target, plan, parts, witness, name)
    except (VideoError, FFmpegError) as error:
        reason = error.reason if isinstance(error, VideoError) else error.strerror
        return _encoded(files, target, plan, params, f"copying failed: {reason}", name)
    return parts


def _encoded(files: Sequence[SourceFile], target: Path, plan: Plan, params: RenderParams, why: str, name: str) -> Parts:
    try:
        _encode_and_check(files, target, plan, params, name)
    except VideoError:
        for file in files:
            deque(decoded(file.path, file.name), maxlen=0)  # it has the better reason, where the sources are at fault
        # The program reads the sources by itself, and takes a disk that fails for a moment for their end: what fails twice is theirs.
        _encode_and_check(files, target, plan, params, name)
    return reencoded(plan, why)


def _encode_and_check(files: Sequence[SourceFile], target: Path, plan: Plan, params: RenderParams, name: str) -> None:
    target.unlink(missing_ok=True)
    encode(files, target, plan, params, name)
    ffmpeg.strip_head(target)
    check_video(target, plan, name)


FILE_NAME = "video.mkv"
FPS_DIGITS = 1001


@dataclass(frozen=True)
class Released:
    """A rendered file: its plan, where it is kept, and what it holds.

    Parameters
    ----------
    plan
        Without ``ticks``: a study has millions of frames.
    fps
        The source's exact rate; the average of the kept part where the rate varies.
    """

    file: FileToRender
    plan: Plan
    fps: str
    source_px: tuple[int, int]
    entry: store.Entry
    was_kept: bool

    @property
    def mode(self) -> str:
        """``smart`` or ``reencode``."""
        return str(self.entry.value["mode"])

    @property
    def copied_frames(self) -> int:
        """Number of frames that were copied bit for bit."""
        return int(self.entry.value["copied_frames"])

    @property
    def left_behind(self) -> str | None:
        """Elements of the source's DICOM header by group, see `scrubin.media.containers.dicom_header.text`; None when it has none."""
        return self.entry.value["left_behind"] or None

    @property
    def why(self) -> str | None:
        """Why nothing was copied; None when something was."""
        return self.entry.value["why"] or None


def to_render(
    recordings: pd.DataFrame,
    parts: pd.DataFrame,
    linkage: pd.DataFrame,
    redactions: pd.DataFrame,
    quarantined: Iterable[str],
    jitter_s: float,
) -> list[FileToRender]:
    """Return the cameras of the kept recordings, trimmed by ``jitter_s`` at most, with all that is hidden in them."""
    from scrubin.base.tables.io import records

    kept = recordings[(recordings.status == "kept") & ~recordings.recording.isin(set(quarantined))]
    joined = kept.merge(linkage, on="recording", how="left", validate="many_to_one")
    hidden: dict[tuple[str, str], list[Redaction]] = {}
    for row in records(redactions[redactions.accepted]):
        box = None if row["x"] is None else (row["x"], row["y"], row["w"], row["h"])
        hidden.setdefault((row["recording"], row["camera"]), []).append(Redaction(row["start_s"], row["end_s"], box))
    files = sources(parts)
    names = ("recording", "camera", "task", "id", "start_s", "fps", "variable_rate")
    by_recording: dict[str, list[dict[str, Any]]] = {}
    for row in records(joined):
        by_recording.setdefault(row["recording"], []).append(row)
    return [
        FileToRender(
            **{name: row[name] for name in names},
            source=files[recording, row["camera"]],
            # Rates that vary differ on average: a pair is trimmed by one of them.
            end_s=trimmed_end_s((row["start_s"], row["end_s"]), Fraction(rows[0]["fps"]), row["draw"], jitter_s),
            redactions=tuple(hidden.get((recording, row["camera"]), ())),
            partner=next((files[recording, other["camera"]] for other in rows if other is not row), None),
        )
        for recording, rows in by_recording.items()
        for row in rows
    ]


def render(raw: Path, file: FileToRender, params: RenderParams) -> Released:
    """Return the released video of one file, made now or kept from an earlier run.

    Raises
    ------
    VideoError
        When the file cannot be rendered, or the result is not what was planned.
    """
    known = prepare(raw, file, params)
    planned = known.plan

    def work(folder: Path) -> dict[str, Any]:
        with file.source.proven(raw):
            done = execute(known.files, folder / FILE_NAME, known.probe, planned, known.parts, params, file.path)
            left_behind = left_behind_text([raw / path for path in file.source.paths])
        copied = planned.frame_count - done.encoded_count
        return {"mode": done.mode, "copied_frames": copied, "left_behind": left_behind, "why": done.why}

    entry, was_kept = store.make(key_of(file, planned, params), work)
    size_px = (known.probe.width, known.probe.height)
    return Released(file, replace(planned, ticks=()), _fps(file, planned), size_px, entry, was_kept)


def key_of(file: FileToRender, planned: Plan, params: RenderParams) -> store.Key:
    """Return under which key the released video of a file is kept."""
    # The id is no part of the key: another name for the same pictures needs no rendering. Source and
    # first frame determine all times.
    inputs = {
        "sha256": file.source.sha256,
        "frames": [planned.first_source_frame, planned.frame_count],
        "hidden": [asdict(item) for item in planned.hidden],
        "params": {"mode": params.mode, "crf": params.crf, "preset": params.preset},
    }
    return store.key_of("render", code_of(__name__), inputs, kind="render" if len(file.source.parts) == 1 else "render/joined")


def _fps(file: FileToRender, planned: Plan) -> str:
    if not file.variable_rate or planned.frame_count == 1:
        return file.fps
    return str(Fraction((planned.frame_count - 1) / planned.times_s[-1]).limit_denominator(FPS_DIGITS))
