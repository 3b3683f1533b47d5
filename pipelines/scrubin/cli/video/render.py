"""`scrubin screen`, `render`: what in a video could identify a person, hidden in its released form."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrubin.cli.answers import print_json
from scrubin.cli.arguments import section_or, written
from scrubin.cli.video.given_video import called, given_video
from scrubin.stages.render import MODES

if TYPE_CHECKING:
    from scrubin.base.pixels import Box
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
    parser.add_argument("video", help="the video file, or its address in an object store; it is decoded once, nothing is written")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run_screen(args: argparse.Namespace) -> int:
    """Print what the detectors propose."""
    from scrubin.stages.screen.detector import DEFAULTS
    from scrubin.stages.screen.screening import proposals

    with given_video(args.video) as path:
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


SECONDS = re.compile(r"\d+(?:\.\d*)?|\.\d+")
SPAN = re.compile(rf"({SECONDS.pattern})-({SECONDS.pattern})")
MASK = re.compile(r"(\d+),(\d+),(\d+),(\d+)")


def add_render_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files, the kept interval and what is hidden."""
    parser.add_argument("video", help="the source, or its address in an object store; it is never changed")
    parser.add_argument(
        "out", nargs="?", type=written, help="the released video, Matroska: its name ends with .mkv; not needed with --plan"
    )
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
        raise argparse.ArgumentTypeError(f"'{text}' is no time in seconds such as 12.5")
    return float(text)


def _spans(text: str) -> list[tuple[float, float]]:
    """Return the spans of ``A-B,C-D`` in seconds."""
    pairs = []
    for item in text.split(","):
        match = SPAN.fullmatch(item.strip())
        if not match or float(match[1]) >= float(match[2]):
            raise argparse.ArgumentTypeError(f"'{item}' is no span such as 12.5-14, in seconds, start before end")
        pairs.append((float(match[1]), float(match[2])))
    return pairs


def _mask(text: str) -> Box:
    """Return the rectangle of ``X,Y,W,H`` in pixels."""
    match = MASK.fullmatch(text.strip())
    if not match or not int(match[3]) or not int(match[4]):
        raise argparse.ArgumentTypeError(f"'{text}' is no rectangle such as 8,6,172,18: left, top, width and height in pixels")
    return (int(match[1]), int(match[2]), int(match[3]), int(match[4]))


def run_render(args: argparse.Namespace) -> int:
    """Plan, and unless only the plan is wanted render and read again."""
    from scrubin.curate.by_hand.one_render import DEFAULT, RenderRequest, render_into, target_of
    from scrubin.stages.render.effort import document

    def tell(sentence: str) -> None:
        sys.stderr.write(f"{sentence}\n")

    params = section_or("render", DEFAULT)
    params = replace(params, mode=args.mode or params.mode)
    if not args.plan:
        target_of(None, args.out)  # before a video is fetched, which may take long
    with given_video(args.video) as source:
        asked = RenderRequest(source, called(args.video), args.start, args.end, args.redact, args.mask)
        if args.plan:
            known = asked.prepared(params)
            print_json(document(known.plan, known.parts, params), ascii_only=True)
            return 0
        did = render_into(target_of(source, args.out), asked, params, tell)
    sys.stdout.write(f"{args.out}: {did}\n")
    return 0
