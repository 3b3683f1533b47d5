"""Arguments that several commands have, or what counts where they are not given."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TypeVar, get_args

from scrubin.base import params
from scrubin.base.errors import ArgumentsError, ReleaseError, ScrubinError
from scrubin.labels.choices import Instant

HIGHEST_FPS = 1000
T = TypeVar("T")


STDOUT = "-"


@contextmanager
def asked() -> Iterator[None]:
    """Say of whatever is wrong in here that it is the command line, not a file: names of formats, vocabularies, variants."""
    try:
        yield
    except ScrubinError as error:
        raise ArgumentsError(error.faults) from error


def written(text: str) -> str:
    """Return the name of what a command writes, a file or a folder.

    Raises
    ------
    argparse.ArgumentTypeError
        When it stands for the standard output.
    ReleaseError
        When it lies in a finished release, which nobody changes.
    """
    if text == STDOUT:
        raise argparse.ArgumentTypeError("it is not written to the standard output; name a file or folder")
    from scrubin.data import verify

    release = None if "\0" in text else verify.finished_around(Path(text))
    if release is not None:
        raise ReleaseError(f"{text}: it lies in the release {release}, which is never changed; write elsewhere")
    return text


def written_or_shown(text: str) -> str:
    """Return the same, or ``-`` for the standard output."""
    return text if text == STDOUT else written(text)


def whole_number(lowest: int, highest: int | None = None) -> Callable[[str], int]:
    """Return the type of an option that is a whole number, both ends included."""
    means = f"whole number of {lowest} or more" if highest is None else f"whole number from {lowest} to {highest}"

    def parsed(text: str) -> int:
        if not text.isdecimal() or int(text) < lowest or (highest is not None and int(text) > highest):
            raise argparse.ArgumentTypeError(f"'{text}' is no {means}")
        return int(text)

    return parsed


def exact_number(means: str, lowest: Fraction | None = None, highest: Fraction | None = None) -> Callable[[str], Fraction]:
    """Return the type of an option that is an exact number above 0, such as a rate; ``means`` says what it is, with an example."""

    def parsed(text: str) -> Fraction:
        try:
            value = Fraction(text)
        except (ValueError, ZeroDivisionError):
            value = Fraction(0)
        if value <= 0 or (lowest is not None and value < lowest) or (highest is not None and value > highest):
            raise argparse.ArgumentTypeError(f"'{text}' is no {means}")
        return value

    return parsed


def rate_or_none(option: str, text: str | None) -> Fraction | None:
    """Return a rate per second; None when the option is not given.

    Raises
    ------
    ArgumentsError
        When it is no rate of frames; names the option.
    """
    if text is None:
        return None
    try:
        rate = Fraction(text)
    except (ValueError, ZeroDivisionError):
        rate = Fraction(0)
    if not 0 < rate <= HIGHEST_FPS:
        raise ArgumentsError(f"{option} {text}: give a rate above 0 and up to {HIGHEST_FPS}, such as 25, 1 or 30000/1001")
    return rate


def add_image_size(parser: argparse.ArgumentParser, when: str) -> None:
    """Declare the size of images; ``when`` says where it is needed."""
    parser.add_argument("--image-size", metavar="WxH", help=f"size of the images in px, {when}")


def size_or_none(text: str | None) -> tuple[int, int] | None:
    """Return width and height in px; None when the option is not given.

    Raises
    ------
    ArgumentsError
        When it is no size.
    """
    if text is None:
        return None
    match = re.fullmatch(r"([1-9][0-9]{0,5})[x×]([1-9][0-9]{0,5})", text)
    if match is None:
        raise ArgumentsError(f"--image-size {text}: give width and height in px, such as 854x480")
    return int(match[1]), int(match[2])


def add_instant(parser: argparse.ArgumentParser, of: str) -> None:
    """Declare which instant of a frame decides its phase; ``of`` says of which files."""
    parser.add_argument(
        "--instant",
        choices=get_args(Instant),
        default="start",
        help=f"where {of} has phases as spans of time: a frame has the phase at the start of its period, or at the end "
        "(at 1 per second: k x 1000 + 999 ms, as in the authors' own labels of MultiBypass140; default: %(default)s)",
    )


def section_or(section: str, default: T) -> T:
    """Return a section of the params.yaml in the working folder, or the default where there is none."""
    return params.load(section, type(default)) if params.PARAMS_PATH.is_file() else default
