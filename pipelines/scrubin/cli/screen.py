"""`scrubin screen VIDEO`: what in a video could identify a person."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from scrubin.cli.arguments import existing_video, section_or
from scrubin.screen.params import DEFAULTS
from scrubin.screen.proposals import Proposal
from scrubin.screen.screening import proposals

HEADER = ("kind", "start_s", "end_s", "x", "y", "w", "h", "score", "faces", "source", "text")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file and the form of the answer."""
    parser.description = (
        "Find what could identify a person: out-of-body spans (with faces), burned-in text, black and frozen spans. Times are seconds "
        "from the first frame, half open; rectangles are pixels of the picture as displayed, none means the whole frame; scores are "
        "0 to 1. The limits are those of the section 'screen' of the params.yaml in the working folder, or else the shipped ones. "
        "What was read in the picture is printed: it is private."
    )
    parser.add_argument("video", help="the video file; it is decoded once, nothing is written")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(args: argparse.Namespace) -> int:
    """Print what the detectors propose."""
    path = existing_video(args.video)
    rows = [row(proposal) for proposal in proposals(path, section_or("screen", DEFAULTS))]
    sys.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n" if args.json else table(rows))
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
