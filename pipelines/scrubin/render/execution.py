"""A plan carried out: smartly where that is sure, as a whole otherwise, and always read again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from av.error import FFmpegError

from scrubin.core.errors import VideoError
from scrubin.render import seams, smart
from scrubin.render.check import check
from scrubin.render.encode import encode
from scrubin.render.params import RenderParams
from scrubin.render.parts import SMART, Parts, reencoded
from scrubin.render.plan import Plan
from scrubin.render.source_file import SourceFile
from scrubin.video import matroska
from scrubin.video.probe import Probe


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
    matroska.strip_head(target)
    try:
        seams.check(target, plan, parts, witness, name)
    except (VideoError, FFmpegError) as error:
        reason = error.reason if isinstance(error, VideoError) else error.strerror
        return _encoded(files, target, plan, params, f"copying failed: {reason}", name)
    return parts


def _encoded(files: Sequence[SourceFile], target: Path, plan: Plan, params: RenderParams, why: str, name: str) -> Parts:
    try:
        _encode_and_check(files, target, plan, params, name)
    except VideoError:
        # The program reads the sources by itself, and takes a disk that fails for a moment for their end: what fails twice is theirs.
        _encode_and_check(files, target, plan, params, name)
    return reencoded(plan, why)


def _encode_and_check(files: Sequence[SourceFile], target: Path, plan: Plan, params: RenderParams, name: str) -> None:
    target.unlink(missing_ok=True)
    encode(files, target, plan, params, name)
    matroska.strip_head(target)
    check(target, plan, name)
