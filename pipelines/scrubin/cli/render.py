"""`scrubin screen`, `render`: what in a video could identify a person, hidden in its released form."""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubin.base.errors import ScrubinError, VideoError
from scrubin.base.files import FIXED_TIME_S, disk_of
from scrubin.cli.answers import print_json
from scrubin.cli.arguments import existing_video, section_or, steady
from scrubin.stages.render.render_params import MODES, RenderParams

if TYPE_CHECKING:
    from scrubin.media.probe import Probe
    from scrubin.stages.render.parts import Parts
    from scrubin.stages.render.plan import Box, Plan
    from scrubin.stages.render.rendering import Prepared
    from scrubin.stages.screen.proposals import Proposal

HEADER = ("kind", "start_s", "end_s", "x", "y", "w", "h", "score", "faces", "source", "text")


def add_screen_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file and the form of the answer."""
    parser.description = (
        "Find what could identify a person: out-of-body spans (with faces), burned-in text, black and frozen spans. Times are seconds "
        "from the first frame, half open; rectangles are pixels of the picture as displayed, none means the whole frame; scores are "
        "0 to 1. The limits are those of the section 'screen' of the params.yaml in the working folder, or else the shipped ones. "
        "What was read in the picture is printed: it is private."
    )
    parser.add_argument("video", help="the video file; it is decoded once, nothing is written")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run_screen(args: argparse.Namespace) -> int:
    """Print what the detectors propose."""
    from scrubin.stages.screen.detector import DEFAULTS
    from scrubin.stages.screen.screening import proposals

    path = existing_video(args.video)
    rows = [row(proposal) for proposal in proposals(path, section_or("screen", DEFAULTS))]
    if args.json:
        print_json(rows)
    else:
        sys.stdout.write(table(rows))
    return 0


def row(proposal: Proposal) -> dict[str, Any]:
    """Return a proposal as plain values; null is undefined."""
    values: tuple[Any, ...] = (
        proposal.kind,
        *proposal.interval_s,
        *(proposal.box_xywh or (None, None, None, None)),
        proposal.score,
        proposal.faces,
        proposal.source,
        proposal.text,
    )
    return dict(zip(HEADER, values, strict=True))


def table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as lines with columns of equal width."""
    if not rows:
        return "nothing was found\n"
    lines = [list(HEADER), *([_cell(one[name]) for name in HEADER] for one in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


DEFAULT = RenderParams(mode="smart", crf=18, preset="veryfast", duration_jitter_s=0.0)
SUFFIX = ".mkv"
SECONDS = re.compile(r"\d+(?:\.\d*)?|\.\d+")
SPAN = re.compile(rf"({SECONDS.pattern})-({SECONDS.pattern})")
MASK = re.compile(r"(\d+),(\d+),(\d+),(\d+)")


def add_render_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files, the kept interval and what is hidden."""
    parser.add_argument("video", help="the source; it is never changed")
    parser.add_argument("out", nargs="?", help="the released video, Matroska: its name ends with .mkv; not needed with --plan")
    parser.add_argument(
        "--start", type=_seconds, default=0.0, metavar="S", help="first kept instant in seconds from the first frame (default: 0)"
    )
    parser.add_argument("--end", type=_seconds, metavar="S", help="first instant no longer kept, in seconds (default: to the end)")
    parser.add_argument(
        "--redact", type=_spans, default=[], metavar="A-B[,C-D]", help="spans in seconds of the source in which the frame is black"
    )
    parser.add_argument(
        "--mask",
        type=_mask,
        action="append",
        default=[],
        metavar="X,Y,W,H",
        help="rectangle in pixels that is black all the time; repeatable",
    )
    parser.add_argument(
        "--mode",
        choices=MODES,
        help="smart: copy what nothing touches; reencode: encode all (default: render.mode of params.yaml, else smart)",
    )
    parser.add_argument("--plan", action="store_true", help="print the plan as JSON and write nothing")


def _seconds(text: str) -> float:
    """Return a time in seconds."""
    if not SECONDS.fullmatch(text.strip()):
        msg = f"'{text}' is no time in seconds such as 12.5"
        raise argparse.ArgumentTypeError(msg)
    return float(text)


def _spans(text: str) -> list[tuple[float, float]]:
    """Return the spans of ``A-B,C-D`` in seconds."""
    pairs = []
    for item in text.split(","):
        match = SPAN.fullmatch(item.strip())
        if not match or float(match[1]) >= float(match[2]):
            msg = f"'{item}' is no span such as 12.5-14, in seconds, start before end"
            raise argparse.ArgumentTypeError(msg)
        pairs.append((float(match[1]), float(match[2])))
    return pairs


def _mask(text: str) -> Box:
    """Return the rectangle of ``X,Y,W,H`` in pixels."""
    match = MASK.fullmatch(text.strip())
    if not match or not int(match[3]) or not int(match[4]):
        msg = f"'{text}' is no rectangle such as 8,6,172,18: left, top, width and height in pixels"
        raise argparse.ArgumentTypeError(msg)
    return (int(match[1]), int(match[2]), int(match[3]), int(match[4]))


def run_render(args: argparse.Namespace) -> int:
    """Plan, and unless only the plan is wanted render and read again."""
    from scrubin.stages.render.effort import document

    source = existing_video(args.video)
    params = section_or("render", DEFAULT)
    params = replace(params, mode=args.mode or params.mode)
    if args.plan:
        with steady(source):
            known = _prepared(args, source, params)
        print_json(document(known.plan, known.parts, params), ascii_only=True)
        return 0
    target = _target(source, args.out)
    # A folder of its own beside the target: whatever goes wrong, nothing half-made is left.
    with disk_of(target), tempfile.TemporaryDirectory(prefix=".part-", dir=target.parent) as folder:
        part = Path(folder) / target.name
        with steady(source):
            known = _prepared(args, source, params)
            done = _execute(args.video, source, part, known, params)
        os.utime(part, (FIXED_TIME_S, FIXED_TIME_S))
        part.replace(target)
    sys.stdout.write(_summary(args.out, known.plan, done))
    return 0


def _prepared(args: argparse.Namespace, source: Path, params: RenderParams) -> Prepared:
    """Return what is known before anything is written."""
    from scrubin.media.probe import probe
    from scrubin.media.structure import structure
    from scrubin.stages.render.parts import parts_of_files
    from scrubin.stages.render.plan import SourceFile
    from scrubin.stages.render.rendering import Prepared

    probed, groups = probe(source, args.video), structure(source, args.video)
    cut = _planned(args, probed)
    file = SourceFile(source, args.video, probed, groups)
    return Prepared(probed, (file,), cut, parts_of_files(cut, (file,), params.mode))


def _execute(name: str, source: Path, part: Path, known: Prepared, params: RenderParams) -> Parts:
    from scrubin.stages.render.effort import estimate_s
    from scrubin.stages.render.parts import REENCODE
    from scrubin.stages.render.rendering import execute

    _refuse_damaged(source, name, known.probe)
    if known.parts.mode == REENCODE:
        about_s = estimate_s(known.plan, known.parts, params)
        sys.stderr.write(f"{name}: everything is encoded again, {known.parts.why}; about {about_s:.0f} s on two cores\n")
    return execute(known.files, part, known.probe, known.plan, known.parts, params, name)


def _planned(args: argparse.Namespace, probed: Probe) -> Plan:
    """Return the plan for what was asked.

    Raises
    ------
    VideoError
        When an interval or a rectangle lies outside of the video: what was meant to be hidden must not be passed over.
    """
    from scrubin.stages.render.plan import Redaction, plan

    last_s = float(probed.end_s)
    end_s = last_s if args.end is None else args.end
    slack_s = float(1 / probed.fps) / 2
    for option, value_s in (("--end", end_s), *(("--redact", end) for _, end in args.redact)):
        if value_s > last_s + slack_s:
            raise VideoError(args.video, f"{option} {value_s:g} s lies behind its end at {last_s:.3f} s", "correct it")
    for x, y, w, h in args.mask:
        if x + w > probed.width or y + h > probed.height:
            raise VideoError(args.video, f"--mask {x},{y},{w},{h} reaches beyond its {probed.width}x{probed.height} pixels", "correct it")
    redactions = [Redaction(start_s, stop_s, None) for start_s, stop_s in args.redact]
    redactions += [Redaction(0.0, last_s, box) for box in args.mask]
    try:
        return plan(probed.pts, probed.time_base, probed.end_s, (args.start, end_s), redactions, (probed.width, probed.height))
    except ValueError as error:
        raise VideoError(args.video, str(error), "correct --start and --end") from error


def _refuse_damaged(source: Path, name: str, probed: Probe) -> None:
    """Decode the source, as the stage `screen` does: an encoder takes a concealed fault for a picture, and a copy repeats it."""
    from scrubin.media.decode import decoded
    from scrubin.media.opening import FIX_COPY

    count = sum(1 for _ in decoded(source, name))
    if count != probed.frame_count:
        raise VideoError(name, f"only {count} of its {probed.frame_count} frames can be decoded", FIX_COPY)


def _target(source: Path, out: str | None) -> Path:
    if out is None:
        msg = "name the file to write, or ask for --plan"
        raise ScrubinError(msg)
    target = Path(out)
    if not target.parent.is_dir():
        msg = f"{out}: its folder does not exist; make it first"
        raise ScrubinError(msg)
    if target.suffix.lower() != SUFFIX:
        msg = f"{out}: a released video is Matroska; let its name end with {SUFFIX}"
        raise ScrubinError(msg)
    if target.exists() and target.samefile(source):
        msg = f"{out}: this is the source, which is never changed; name another file"
        raise ScrubinError(msg)
    return target


def _summary(out: str, cut: Plan, done: Parts) -> str:
    copied = cut.frame_count - done.encoded_count
    how = f"{copied} copied bit for bit, {done.encoded_count} encoded again" if copied else f"all encoded again, {done.why}"
    return f"{out}: {cut.frame_count} frames, {float(cut.duration_s):.3f} s; {how}\n"
