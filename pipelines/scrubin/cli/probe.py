"""`scrubin probe`, `dicom`: what a recorded file holds, a video or a DICOM object."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrubin.base.errors import ScrubinError, VideoError
from scrubin.base.files import FIXED_TIME_S
from scrubin.cli.answers import print_json, print_lines
from scrubin.media.given_video import existing_video, steady


def add_probe_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file and the form of the answer."""
    parser.add_argument("video", help="the video file; every packet is read, none is decoded")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")


def run_probe(args: argparse.Namespace) -> int:
    """Print what the file holds."""
    path = existing_video(args.video)
    with steady(path):
        description = _description(path, args.video)
    if args.json:
        print_json(description)
    else:
        sys.stdout.write("".join(f"{key:<18} {value}\n" for key, value in description.items()))
    return 0


def _description(path: Path, name: str) -> dict[str, Any]:
    """Return what a video file holds as plain values; rates are exact fractions.

    Raises
    ------
    VideoError
        When it cannot be used.
    """
    from scrubin.media.probe import probe
    from scrubin.media.structure import structure

    probed, groups = probe(path, name), structure(path, name)
    lengths = [group.end - group.first for group in groups.groups]
    return {
        "video": name,
        "container": probed.container,
        "codec": probed.codec,
        "pixel_format": probed.pixel_format,
        "full_range": probed.full_range,
        "width": probed.width,
        "height": probed.height,
        "rotation_deg": probed.rotation_deg,
        "fps": str(probed.fps),
        "variable_rate": probed.variable_rate,
        "frame_count": probed.frame_count,
        "duration_s": float(probed.end_s),
        "has_audio": probed.has_audio,
        "groups_of_pictures": len(lengths),
        "longest_group": max(lengths, default=None),
        "copyable": not groups.unsure,
        "why_not_copyable": groups.unsure,
    }


ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def add_dicom_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is to be done."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    show = actions.add_parser("show", help="tell what is in DICOM files, without a single value of their headers")
    show.add_argument("files", nargs="+", metavar="FILE", help="a DICOM file; several: also which are parts of one series")
    write = actions.add_parser("write", help="write a released video as a de-identified DICOM Video Endoscopic Image object")
    write.add_argument("video", help="a released video: H.264 in Matroska, pictures only")
    write.add_argument("out", help="the DICOM file to write")
    write.add_argument("--id", default="", help="the recording's released id, which becomes PatientID (default: made of the video's bytes)")


def run_dicom(args: argparse.Namespace) -> int:
    """Do it."""
    return _show(args.files) if args.action == "show" else _write(args)


def _write(args: argparse.Namespace) -> int:
    from scrubin.media import dicom_objects as objects

    if args.id and not ID.fullmatch(args.id):
        msg = f"--id {args.id}: a released id has letters, digits, - and _, 64 at most"
        raise ScrubinError(msg)
    video, target = existing_video(args.video), Path(args.out)
    if not target.parent.is_dir():
        msg = f"{args.out}: its folder does not exist; make it first"
        raise ScrubinError(msg)
    if target.exists() and target.samefile(video):
        msg = f"{args.out}: this is the video itself; name another file"
        raise ScrubinError(msg)
    with steady(video):
        objects.write(video, target, args.video, args.id)
    os.utime(target, (FIXED_TIME_S, FIXED_TIME_S))
    sys.stdout.write(f"{args.out}: {target.stat().st_size} bytes; coded pictures as in {args.video}, PS3.15 basic profile\n")
    return 0


def _show(names: list[str]) -> int:
    from scrubin.media.containers import dicom_header as header
    from scrubin.media.containers.dicom_recording import stream_of
    from scrubin.media.containers.pieces import UnreadableError
    from scrubin.media.opening import is_dicom

    headers, bad = {}, 0
    for name in names:
        path = existing_video(name)
        try:
            if not is_dicom(path):
                raise VideoError(name, "it is no DICOM file", "ask scrubin probe, which reads videos of every kind")
            with steady(path):
                headers[path] = stream_of(path).header
                print_lines(_lines(path, name))
        except (VideoError, UnreadableError) as error:
            bad += 1
            text = error if isinstance(error, VideoError) else VideoError(name, error.reason, error.fix)
            sys.stderr.write(f"scrubin dicom: {text}\n")
    for files in header.parts(headers):
        sys.stdout.write(f"{len(files)} of these files are objects of one series; {header.mend(files)}\n")
    return 1 if bad else 0


def _lines(path: Path, name: str) -> Iterator[str]:
    """Yield what a file is made of; no value of an element but those that the picture needs."""
    from scrubin.media.containers import dicom_header as dicom_header
    from scrubin.media.containers.dicom_recording import stream_of
    from scrubin.media.probe import probe

    header = stream_of(path).header
    probed = probe(path, name)
    rate = "varying, on average " if probed.variable_rate else ""
    yield name
    count = len(header.fragments)
    yield f"  transfer syntax    {header.syntax.name}, {count} fragment{'' if count == 1 else 's'}"
    yield f"  stream             {probed.codec}, {'raw, timed by the header' if stream_of(path).head else probed.container}"
    yield f"  picture            {probed.width}x{probed.height}, {probed.pixel_format}"
    yield f"  frames             {probed.frame_count}, {rate}{probed.fps} a second, {float(probed.end_s):.3f} s"
    yield f"  sound              {'yes, it stays behind' if probed.has_audio else 'no'}"
    for sentence in stream_of(path).told:
        yield f"  contradiction      {sentence}"
    for hint, value in header.hints:
        yield f"  {hint:<27} {value if value in ('YES', 'NO') else 'neither YES nor NO'}"
    yield f"  header             {dicom_header.sentence(header.counts)}; all stay behind"
    for group, count in header.counts.items():
        kind = "private" if dicom_header.is_private(group) else dicom_header.GROUPS.get(group, "")
        yield f"    {group}  {count:>5}  {kind}".rstrip()
