"""`scrubin convert PATH --from FORMAT --to FORMAT --out PATH`."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, count_text, summary
from scrubin.base.vocabulary import vocabulary
from scrubin.cli.answers import print_json
from scrubin.cli.arguments import add_instant, existing_video, rate_or_none
from scrubin.labels import label_map, policy
from scrubin.labels.choices import BOX_TOLERANCE, READ_AS, WRITTEN_AS, known_formats
from scrubin.labels.label_map import LabelMap

if TYPE_CHECKING:
    from scrubin.labels.model import Collection, Labels
    from scrubin.labels.registry import DatasetFormat, Format

LENGTH_TOLERANCE_S = 1.0
NOTE = """\
What the target cannot hold is counted on stderr, as "not in FORMAT: what: count". Exit code 0: everything
else was written; 1: something is wrong, every faulty file is named and nothing is written.

  scrubin convert labels --from cholect50 --to coco --image-size 854x480 --out coco"""
NAMED = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare paths, formats and what files do not say."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("path", metavar="PATH", help="file or folder of labels; it is never changed")
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="format of PATH, see below (default: by what the files look like)")
    parser.add_argument("--to", dest="target", required=True, metavar="FORMAT", help="format to write, see below")
    parser.add_argument(
        "--out", required=True, metavar="PATH", help="folder to write into, or the file where one is written; whole or not at all"
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
    parser.add_argument("--to-fps", metavar="N", help="labels per second to write (default: that of the format, else as in PATH)")
    parser.add_argument(
        "--first-frame",
        type=int,
        default=0,
        metavar="N",
        help="number of the first frame in PATH, such as 1 for Cholec80's PNG files (default: 0)",
    )
    add_instant(parser, "PATH")
    parser.add_argument("--image-size", metavar="WxH", help="size of the images in px, where a format needs it and PATH does not say it")
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
        f"{LENGTH_TOLERANCE_S:g} s are an error (default: not checked)",
    )
    parser.add_argument("--json", action="store_true", help="print what was read, written and lost as JSON, instead of two lines")
    parser.epilog = _formats()


def run(args: argparse.Namespace) -> int:
    """Read, fit, write; what the target cannot hold is said on stderr and counted."""
    from scrubin.labels.files import loss, output, reader
    from scrubin.labels.files.loss import Fit
    from scrubin.labels.files.reader import Options
    from scrubin.labels.files.verdict import verdict_of
    from scrubin.labels.registry import format_of, readable

    writer = output.writer_of(args.target)
    path, out = Path(args.path), Path(args.out)
    _refuse_source(path, out)
    if not 0 <= args.box_tolerance <= 0.2:
        msg = f"--box-tolerance {args.box_tolerance:g}: give a share in 0..0.2"
        raise AnnotationError(msg)
    if args.first_frame < 0:
        msg = f"--first-frame {args.first_frame}: give 0 or more"
        raise AnnotationError(msg)
    chosen = vocabulary.load(args.vocabulary) if args.vocabulary else None
    merges = label_map.load(args.label_map) if args.label_map else None
    options = Options(chosen, merges, args.box_tolerance, args.first_frame, instant=args.instant)
    form = None if args.source is None else format_of(args.source)
    reading = reader.read_path(path, form, options)
    policy.enforce("convert", reading.faults)
    form = reading.form
    collection = _at_rate(reading.collection, form, rate_or_none("--fps", args.fps))
    source_fps = rate_or_none("--fps", args.fps) or form.by_hand.fps
    if args.video:
        _check_length(collection, Path(args.video), args.first_frame)
    size = _size(args.image_size)
    fit = Fit(form.name, source_fps, rate_or_none("--to-fps", args.to_fps), size, args.only_instruments, args.first_frame)
    kept, losses = loss.fitted(collection, writer, fit)
    written = output.render(kept, writer)
    form_of_out = readable().get(READ_AS.get(writer.name, writer.name))
    paths = output.save(written.files, out, form_of_out, reading.paths)
    _note(_others(path, reading.others))
    if form.by_hand.fps_unstated and not args.fps and any(_by_frame(labels) for labels in collection.recordings):
        _note(f"{form.name}: no file states the rate; frames are read as {form.by_hand.fps} per second (change it by --fps)")
    _note(_unstated_rate(kept, form_of_out))
    _note_all(summary(reading.faults))
    merged = sorted(_merged(collection, merges).items())
    lost = sorted((losses + written.losses).items())
    for (of, to), count in merged:
        _note(f"merged: {of} -> {to}: {count} instances")
    for what, count in lost:
        _note(f"not in {args.target}: {what}: {count}")
    if args.json:
        document = {
            "read": verdict_of(reading).as_json(),
            "written": {
                "format": writer.name,
                "files": sorted(path.relative_to(out).as_posix() if out.is_dir() else path.name for path in paths),
                "rows": _counts(kept),
            },
            "merged": [{"from": of, "to": to, "instances": count} for (of, to), count in merged],
            "not_written": dict(lost),
        }
        print_json(document, sort_keys=True)
    else:
        sys.stdout.write(f"{path}: {verdict_of(reading).line}\n{out}: {count_text(len(paths), 'file')}, {_summary(kept)}\n")
    return 0


def _by_frame(labels: Labels) -> bool:
    """Return whether frames are numbered, so that a rate matters; spans may have seconds."""
    return not labels.counts_time and (labels.spans is None or labels.clock.period_s is None)


def _formats() -> str:
    known = known_formats()
    lines = []
    for name, form in known.items():
        can = " ".join(("read" if form.title or name in READ_AS else "    ", "write" if form.is_written else "     "))
        lines.append(f"  {name:<18} {can}  {form.title or 'our own tables as CSV'}")
    others = ", ".join(f"{name} is {of}" for name, of in sorted({**READ_AS, **WRITTEN_AS}.items()) if name not in known)
    return "formats:\n" + "\n".join(lines) + f"\nother names: {others}\n\n{NOTE}"


def _note(sentence: str) -> None:
    if sentence:
        sys.stderr.write(f"scrubin convert: {sentence}\n")


def _note_all(warnings: Sequence[str]) -> None:
    for warning in warnings:
        _note(warning)


def _others(path: Path, others: Sequence[Path]) -> str:
    names = ", ".join(str(other.relative_to(path)) for other in others[:NAMED]) + (", ..." if len(others) > NAMED else "")
    return f"{len(others)} other files in {path} are not of this format: {names}" if others else ""


def _unstated_rate(kept: Collection, form: Format | DatasetFormat | None) -> str:
    """Return at which rate frames are numbered in files that do not say it, where that is not what they are read as."""
    if form is None or not form.by_hand.fps_unstated:
        return ""
    rates = {1 / labels.clock.period_s for labels in kept.recordings if labels.clock.period_s is not None}
    stated = " and ".join(map(str, sorted(rates - {form.by_hand.fps})))
    return (
        f"{form.name}: frames are numbered at {stated} per second, which no file of it states; read it with --fps {stated}"
        if stated
        else ""
    )


def _refuse_source(path: Path, out: Path) -> None:
    try:
        strangers.real(out).exists()
    except (OSError, ValueError) as error:
        msg = f"{str(out)[:80]}: there can be no such path; name another one"
        raise AnnotationError(msg) from error
    if out.exists() and path.exists() and out.samefile(path):
        msg = f"{out}: this is what is read, which is never overwritten; name another path"
        raise AnnotationError(msg)


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"([1-9][0-9]{0,5})[x×]([1-9][0-9]{0,5})", text)
    if match is None:
        msg = f"--image-size {text}: give width and height in px, such as 854x480"
        raise AnnotationError(msg)
    return int(match[1]), int(match[2])


def _at_rate(collection: Collection, form: Format | DatasetFormat, fps: Fraction | None) -> Collection:
    """Return the collection at a stated rate, where no file states another one."""
    from scrubin.labels.model import Clock

    if fps is None:
        return collection
    if form.by_hand.fps is None:
        msg = f"--fps {fps}: {form.name} states the rate of its labels; leave --fps out"
        raise AnnotationError(msg)
    if not form.by_hand.fps_unstated:
        return collection
    # Spans in seconds or milliseconds have no rate, and rows that are numbered by time say their own.
    timed = [None if _by_frame(labels) else labels for labels in collection.recordings]
    recordings = zip(timed, collection.recordings, strict=True)
    return replace(collection, recordings=tuple(kept or replace(labels, clock=Clock(1 / fps)) for kept, labels in recordings))


def _check_length(collection: Collection, video: Path, first_frame: int) -> None:
    # Video tools only when asked for.
    from scrubin.media.probe import probe
    from scrubin.stages.annotations import lengths

    probed = probe(existing_video(str(video)), str(video))
    if len(collection.recordings) != 1:
        msg = f"{video}: one video, but there are {len(collection.recordings)} recordings; convert them one by one"
        raise AnnotationError(msg)
    faults = Faults()
    lengths.check(
        collection.recordings[0],
        source_frames=probed.frame_count,
        source_s=float(probed.end_s),
        source_size=(probed.width, probed.height),
        tolerance_s=LENGTH_TOLERANCE_S,
        faults=faults,
        first=first_frame,
    )
    AnnotationError.raise_any(faults)


def _merged(collection: Collection, merges: LabelMap | None) -> Mapping[tuple[str, str], int]:
    counts: Counter[tuple[str, str]] = Counter()
    for labels in collection.recordings:
        counts.update(labels.merged)
    if merges is not None and not counts:
        _note(f"label map {merges.name}: no instance was merged")
    return counts


def _summary(kept: Collection) -> str:
    return ", ".join(count_text(count, what) for what, count in _counts(kept).items() if count) or "no rows"


def _counts(kept: Collection) -> dict[str, int]:
    counts = {"recording": len(kept.recordings)}
    counts["instance"] = sum(len(labels.instances.rows) for labels in kept.recordings if labels.instances is not None)
    counts["phase"] = sum(len(labels.phases.rows) for labels in kept.recordings if labels.phases is not None)
    counts["span"] = sum(len(rows) for labels in kept.recordings for rows in (labels.segments, labels.spans) if rows is not None)
    counts["rating"] = 0 if kept.scores is None else len(kept.scores.ratings)
    return counts
