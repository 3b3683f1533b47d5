"""`scrubin probe`, `dicom`: what a recorded file holds, a video or a DICOM object."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from scrubin.base.errors import ArgumentsError, ScrubinError, VideoError
from scrubin.base.files import FIXED_TIME_S
from scrubin.base.strangers import existing_video, steady
from scrubin.cli.answers import print_json, print_lines
from scrubin.cli.arguments import written
from scrubin.cli.video.given_video import called, given_video


def add_probe_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file and the form of the answer."""
    parser.add_argument("video", help="the video file, or its address in an object store; every packet is read, none is decoded")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")


def run_probe(args: argparse.Namespace) -> int:
    """Print what the file holds."""
    from scrubin.media import described

    with given_video(args.video) as path, steady(path):
        description = described.video(path, called(args.video))
    if args.json:
        print_json(description)
    else:
        sys.stdout.write("".join(f"{key:<18} {value}\n" for key, value in description.items()))
    return 0


ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def add_dicom_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is to be done."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    show = actions.add_parser("show", help="tell what is in DICOM files, without a single value of their headers")
    show.add_argument("files", nargs="+", metavar="FILE", help="a DICOM file; several: also which are parts of one series")
    write = actions.add_parser("write", help="write a released video as a de-identified DICOM Video Endoscopic Image object")
    write.add_argument("video", help="a released video: H.264 in Matroska, pictures only")
    write.add_argument("out", type=written, help="the DICOM file to write")
    write.add_argument("--id", default="", help="the recording's released id, which becomes PatientID (default: made of the video's bytes)")


def run_dicom(args: argparse.Namespace) -> int:
    """Do it."""
    return _show(args.files) if args.action == "show" else _write(args)


def _write(args: argparse.Namespace) -> int:
    from scrubin.media.released import dicom_objects as objects

    if args.id and not ID.fullmatch(args.id):
        raise ArgumentsError(f"--id {args.id}: a released id has letters, digits, - and _, 64 at most")
    video, target = existing_video(args.video), Path(args.out)
    if target.is_dir():
        raise ScrubinError(f"{args.out}: this is a folder; name the DICOM file to write, such as {target / 'video.dcm'}")
    if not target.parent.is_dir():
        raise ScrubinError(f"{args.out}: its folder does not exist; make it first")
    if target.exists() and target.samefile(video):
        raise ScrubinError(f"{args.out}: this is the video itself; name another file")
    objects.write(video, target, args.video, args.id)
    os.utime(target, (FIXED_TIME_S, FIXED_TIME_S))
    sys.stdout.write(f"{args.out}: {target.stat().st_size} bytes; coded pictures as in {args.video}, PS3.15 basic profile\n")
    return 0


def _show(names: list[str]) -> int:
    from scrubin.media.containers import dicom_header as header
    from scrubin.media.containers.dicom_recording import stream_of
    from scrubin.media.containers.pieces import UnreadableError
    from scrubin.media.described import dicom_lines
    from scrubin.media.opening import is_dicom

    headers, bad = {}, 0
    for name in names:
        try:
            path = existing_video(name)
            if not is_dicom(path):
                raise VideoError(name, "it is no DICOM file", "ask scrubin probe, which reads videos of every kind")
            with steady(path):
                headers[path] = stream_of(path).header
                print_lines(dicom_lines(path, name))
        except (VideoError, UnreadableError) as error:
            bad += 1
            text = error if isinstance(error, VideoError) else VideoError(name, error.reason, error.fix)
            sys.stderr.write(f"scrubin dicom: {text}\n")
    for files in header.parts(headers):
        sys.stdout.write(f"{len(files)} of these files are objects of one series; {header.mend(files)}\n")
    return 1 if bad else 0
