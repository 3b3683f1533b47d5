"""One video rendered by hand: its plan from what is kept or hidden, carried out, read again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrubin.base.errors import ArgumentsError, ScrubinError, VideoError
from scrubin.base.files import FIXED_TIME_S, disk_of
from scrubin.base.pixels import Box
from scrubin.base.strangers import steady
from scrubin.media.crops import refuse_cropped
from scrubin.media.decode import FIX_LEFT_OUT, decoded
from scrubin.media.probe import Probe, probe
from scrubin.media.structure import structure
from scrubin.stages.render import RenderParams
from scrubin.stages.render.check import refuse_close
from scrubin.stages.render.effort import estimate_s
from scrubin.stages.render.parts import REENCODE, Parts, parts_of_files
from scrubin.stages.render.plan import Plan, Redaction, SourceFile, plan
from scrubin.stages.render.rendering import Prepared, execute

SUFFIX = ".mkv"
DEFAULT = RenderParams(mode="smart", crf=18, preset="veryfast", duration_jitter_s=0.0)
"""What counts where there is no params.yaml."""


@dataclass(frozen=True)
class RenderRequest:
    """What is asked of one video.

    Parameters
    ----------
    source, name
        The video, and how it is called in messages.
    start_s, end_s
        The kept interval, half open, in seconds from the first frame; without an end it is kept to its own.
    redacted
        Spans in seconds of the source in which the frame is black.
    masks
        Rectangles in pixels that are black all the time.
    """

    source: Path
    name: str
    start_s: float
    end_s: float | None
    redacted: Sequence[tuple[float, float]]
    masks: Sequence[Box]

    def prepared(self, params: RenderParams) -> Prepared:
        """Return what is known before anything is written.

        Raises
        ------
        VideoError
            When the video cannot be read or changes meanwhile, or an interval or a rectangle lies outside of it.
        """
        with steady(self.source):
            probed, groups = probe(self.source, self.name), structure(self.source, self.name)
            refuse_cropped(self.source, self.name, probed)
            cut = self._planned(probed)
            refuse_close(cut, self.name)
            file = SourceFile(self.source, self.name, probed, groups)
            return Prepared(probed, (file,), cut, parts_of_files(cut, (file,), params.mode))

    def _planned(self, probed: Probe) -> Plan:
        """Return the plan; what was meant to be hidden must not be passed over."""
        last_s = float(probed.end_s)
        end_s = last_s if self.end_s is None else self.end_s
        slack_s = float(1 / probed.fps) / 2
        for option, value_s in (("--end", end_s), *(("--redact", end) for _, end in self.redacted)):
            if value_s > last_s + slack_s:
                raise VideoError(self.name, f"{option} {value_s:g} s lies behind its end at {last_s:.3f} s", "correct it")
        for x, y, w, h in self.masks:
            if x + w > probed.width or y + h > probed.height:
                raise VideoError(
                    self.name, f"--mask {x},{y},{w},{h} reaches beyond its {probed.width}x{probed.height} pixels", "correct it"
                )
        redactions = [Redaction(start_s, stop_s, None) for start_s, stop_s in self.redacted]
        redactions += [Redaction(0.0, last_s, box) for box in self.masks]
        try:
            return plan(probed.pts, probed.time_base, probed.end_s, (self.start_s, end_s), redactions, (probed.width, probed.height))
        except ValueError as error:
            raise VideoError(self.name, str(error), "correct --start and --end") from error


def render_into(target: Path, asked: RenderRequest, params: RenderParams, tell: Callable[[str], None]) -> str:
    """Render a video into a file that appears whole or not at all, and return what was done in a sentence.

    Parameters
    ----------
    target
        The released video, as `target_of` returns it.
    asked, params
        What is kept and hidden, and how it is rendered.
    tell
        Is told when everything has to be encoded again, which takes long.

    Raises
    ------
    VideoError
        When the source is damaged, changes meanwhile, or cannot be rendered as asked.
    """
    # A folder of its own beside the target: whatever goes wrong, nothing half-made is left.
    with disk_of(target), tempfile.TemporaryDirectory(prefix=".part-", dir=target.parent) as folder:
        part = Path(folder) / target.name
        with steady(asked.source):
            known = asked.prepared(params)
            done = _execute(asked, part, known, params, tell)
        os.utime(part, (FIXED_TIME_S, FIXED_TIME_S))
        part.replace(target)
    copied = known.plan.frame_count - done.encoded_count
    how = f"{copied} copied bit for bit, {done.encoded_count} encoded again" if copied else f"all encoded again, {done.why}"
    return f"{known.plan.frame_count} frames, {float(known.plan.duration_s):.3f} s; {how}"


def _execute(asked: RenderRequest, part: Path, known: Prepared, params: RenderParams, tell: Callable[[str], None]) -> Parts:
    _refuse_damaged(asked.source, asked.name, known.probe)
    if known.parts.mode == REENCODE:
        about_s = estimate_s(known.plan, known.parts, params)
        tell(f"{asked.name}: everything is encoded again, {known.parts.why}; about {about_s:.0f} s on two cores")
    return execute(known.files, part, known.probe, known.plan, known.parts, params, asked.name)


def _refuse_damaged(source: Path, name: str, probed: Probe) -> None:
    """Decode the source, as the stage `screen` does: an encoder takes a concealed fault for a picture, and a copy repeats it."""
    count = sum(1 for _ in decoded(source, name, looked_at=False))
    if count != probed.frame_count:
        raise VideoError(name, f"only {count} of its {probed.frame_count} frames can be decoded", FIX_LEFT_OUT)


def target_of(source: Path | None, out: str | None) -> Path:
    """Return where a released video is written.

    Parameters
    ----------
    source
        What is rendered; None: it is not here yet.
    out
        The name that was given, if one was.

    Raises
    ------
    ScrubinError
        When it is none, no Matroska, in no folder, or the source itself.
    """
    if out is None:
        raise ArgumentsError("name the file to write, or ask for --plan")
    target = Path(out)
    if not target.parent.is_dir():
        raise ScrubinError(f"{out}: its folder does not exist; make it first")
    if target.suffix.lower() != SUFFIX:
        raise ArgumentsError(f"{out}: a released video is Matroska; let its name end with {SUFFIX}")
    if source is not None and target.exists() and target.samefile(source):
        raise ScrubinError(f"{out}: this is the source, which is never changed; name another file")
    return target
