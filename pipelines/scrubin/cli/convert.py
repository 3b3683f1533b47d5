"""`scrubin convert PATH --from FORMAT --to FORMAT --out PATH`."""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.base.errors import AnnotationError, ArgumentsError
from scrubin.base.faults import Faults
from scrubin.base.strangers import existing_video
from scrubin.base.vocabulary import vocabulary
from scrubin.cli.answers import print_json, print_lines
from scrubin.cli.arguments import add_image_size, add_instant, asked, rate_or_none, size_or_none, written
from scrubin.labels import label_map
from scrubin.labels.choices import BOX_TOLERANCE, READ_AS, WRITTEN_AS, known_formats

if TYPE_CHECKING:
    from scrubin.labels.files.conversion import ConversionRequest
    from scrubin.labels.model import Collection


LENGTH_TOLERANCE_S = 1.0
NOTE = """\
What the target cannot hold is counted on stderr, as "not in FORMAT: what: count". Exit code 0: everything
else was written; 1: something is wrong, every faulty file is named and nothing is written.

  scrubin convert labels --from cholect50 --to coco --image-size 854x480 --out coco"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare paths, formats and what files do not say."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("path", metavar="PATH", help="file or folder of labels; it is never changed")
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="format of PATH, see below (default: by what the files look like)")
    parser.add_argument("--to", dest="target", required=True, metavar="FORMAT", help="format to write, see below")
    parser.add_argument(
        "--out",
        type=written,
        required=True,
        metavar="PATH",
        help="folder to write into, or the file where one is written; whole or not at all",
    )
    parser.add_argument(
        "--vocabulary",
        metavar="NAME",
        help=f"names and ids of PATH: {', '.join(vocabulary.known())} (default: that of the format, or the file's own categories)",
    )
    parser.add_argument(
        "--label-map",
        metavar="NAME",
        help=f"merge triplets: {', '.join(label_map.available())}, or a CSV with {', '.join(label_map.COLUMNS)} (default: merge none)",
    )
    parser.add_argument(
        "--fps", metavar="N", help="frames per second by which PATH numbers its labels (default: that of the format, else 1 per second)"
    )
    parser.add_argument(
        "--to-fps",
        metavar="N",
        help="labels per second to write (default: that of the format, else as in PATH; of a format of whole rates, such as tables, 1 per "
        "second of labels by frames of a source or of spans)",
    )
    parser.add_argument(
        "--first-frame",
        type=int,
        default=0,
        metavar="N",
        help="number of the first frame in PATH, such as 1 for Cholec80's PNG files (default: 0); not for formats that say it themselves",
    )
    add_instant(parser, "PATH")
    add_image_size(parser, "where a format needs it and PATH does not say it")
    parser.add_argument(
        "--only-instruments", action="store_true", help="take instances as instruments, without verb and target (default: whole triplets)"
    )
    parser.add_argument(
        "--box-tolerance",
        type=float,
        default=BOX_TOLERANCE,
        metavar="SHARE",
        help="a box may leave the image by this share of its side (default: %(default)s)",
    )
    parser.add_argument(
        "--video",
        metavar="FILE",
        help=f"the video of a single recording: labels longer or shorter by more than "
        f"{LENGTH_TOLERANCE_S:g} s are an error, and so are frames at other times than its own (default: not checked)",
    )
    parser.add_argument("--json", action="store_true", help="print what was read, written and lost as JSON, instead of two lines")
    parser.epilog = _formats()


def run(args: argparse.Namespace) -> int:
    """Convert; what the target cannot hold is said on stderr and counted."""
    from scrubin.labels.files import output
    from scrubin.labels.files.conversion import convert

    # An unknown format is said first.
    with asked():
        output.writer_of(args.target)
    done = convert(_request(args))
    notes = [*done.notes, *(f"merged: {of} -> {to}: {count} instances" for (of, to), count in done.merged.items())]
    notes += [f"not in {args.target}: {what}: {count}" for what, count in done.lost.items()]
    sys.stderr.writelines(f"scrubin convert: {note}\n" for note in notes)
    if args.json:
        print_json(done.document(), sort_keys=True)
    else:
        print_lines([f"{Path(args.path)}: {done.read.line}", f"{Path(args.out)}: {done.summary}"])
    return 0


def _request(args: argparse.Namespace) -> ConversionRequest:
    from scrubin.labels.files.conversion import ConversionRequest
    from scrubin.labels.files.reader import Options
    from scrubin.labels.registry import format_of

    if not 0 <= args.box_tolerance <= 0.2:
        raise ArgumentsError(f"--box-tolerance {args.box_tolerance:g}: give a share in 0..0.2")
    if args.first_frame < 0:
        raise ArgumentsError(f"--first-frame {args.first_frame}: give 0 or more")
    with asked():
        chosen = vocabulary.load(args.vocabulary) if args.vocabulary else None
        if args.source is not None:
            format_of(args.source)
    size = size_or_none(args.image_size)
    merges = label_map.load(args.label_map) if args.label_map else None

    def check(collection: Collection, fps: Fraction | None) -> None:
        if args.video:
            _check_video(collection, fps, Path(args.video), args.first_frame)

    return ConversionRequest(
        Path(args.path),
        args.source,
        Path(args.out),
        args.target,
        Options(chosen, merges, args.box_tolerance, args.first_frame, instant=args.instant, image_size=size),
        rate_or_none("--fps", args.fps),
        rate_or_none("--to-fps", args.to_fps),
        size,
        args.only_instruments,
        check,
    )


def _formats() -> str:
    known = known_formats()
    lines = []
    for name, form in known.items():
        can = " ".join(("read" if form.title or name in READ_AS else "    ", "write" if form.is_written else "     "))
        lines.append(f"  {name:<18} {can}  {form.title or 'our own tables as CSV'}")
    others = ", ".join(f"{name} is {of}" for name, of in sorted({**READ_AS, **WRITTEN_AS}.items()) if name not in known)
    return "formats:\n" + "\n".join(lines) + f"\nother names: {others}\n\n{NOTE}"


def _check_video(collection: Collection, fps: Fraction | None, video: Path, first_frame: int) -> None:
    # Video tools only when asked for.
    from scrubin.media.probe import pixel_aspect_of, probe
    from scrubin.stages.annotations import lengths

    probed = probe(existing_video(str(video)), str(video))
    if len(collection.recordings) != 1:
        raise AnnotationError(f"{video}: one video, but there are {len(collection.recordings)} recordings; convert them one by one")
    (labels,), faults = collection.recordings, Faults()
    lengths.check(
        labels,
        source_frames=probed.frame_count,
        source_s=float(probed.end_s),
        source_size=(probed.width, probed.height),
        tolerance_s=LENGTH_TOLERANCE_S,
        faults=faults,
        first=first_frame,
        pixel_aspect=lambda: pixel_aspect_of(video, str(video), probed.rotation_deg),
    )
    # What the file states of its source counts before what its format says.
    rate = labels.source_fps or (fps if labels.clock.period_s is None else None)
    if rate is not None and not faults.errors():
        lengths.check_times(
            labels, rate, times_s=probed.times_s, fps=probed.fps, varies=probed.variable_rate, faults=faults, first=first_frame
        )
    AnnotationError.raise_any(faults)
    sys.stderr.writelines(f"scrubin convert: {fault.sentence}\n" for fault in faults.all())
