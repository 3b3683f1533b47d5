"""Files that somebody else made: opened only when they are plain files inside their folder, read only up to a limit.

A name that looks like a file may be a pipe that never ends, a device, or a link to something private; a file of some bytes may
unpack to terabytes. So whoever reads what we did not write ourselves reads it by this module, or by ``scrubin.base.unpacking``
for what is packed. What is refused is a `FileError` of one line, which is an ``OSError`` and a ``ValueError`` too.

Limits are far above what such files need. To raise one for once, name it in the environment: ``SCRUBIN_LIMITS="file_gb=8"``.

Whatever is doubtful is left to the slow reader, which names what is wrong: invalid text, keys that stand twice, long whole numbers.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from scrubin.base import machine
from scrubin.base.errors import FileError, VideoError
from scrubin.base.faults import hint, printable

if TYPE_CHECKING:
    import av.container


VARIABLE = "SCRUBIN_LIMITS"
GB, MB = 10**9, 10**6
LONGEST_DIGITS = 300
"""A whole number of so many digits still fits into a float."""
YAML_NODES, YAML_DEPTH = 1_000_000, 100
"""Of a YAML file with all its aliases written out: parameters have hundreds of nodes, and are nested five deep."""
BROKEN_VALUES = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What Python's own types raise for values such as ``2001-99-99`` or ``!!int x``."""
OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
CONTAINERS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,asf,mxf,flv,ogg,nut,dv,gxf,ivf,rm,wtv,dhav,yuv4mpegpipe,"
    "h261,h263,h264,hevc,vvc,av1,obu,m4v,mjpeg,mjpeg_2000,vc1,gif,apng"
)
"""What a video may be, by FFmpeg's names: not HLS, DASH, concat, SDP, IMF and their like, which open other files or addresses."""
KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True)
class Limits:
    """The most that one file of somebody else may need.

    Parameters
    ----------
    file_gb
        Size of a file that is read as a whole, in 10^9 bytes.
    streamed_gb
        Size of a file that is read piece by piece, such as a video, a shard or an archive, in 10^9 bytes.
    unpacked_gb
        What a packed file (npz, parquet, xlsx, zip) may unpack to, in 10^9 bytes, a number counted as 8 at least. A file that is
        larger itself may unpack to its own size.
    yaml_mb
        Size of a YAML file, in 10^6 bytes.
    picture_megapixels
        Width by height of a picture, in 10^6 pixels.
    table_columns
        Columns of a table.
    """

    file_gb: float = 1
    streamed_gb: float = 500
    unpacked_gb: float = 1
    yaml_mb: float = 16
    picture_megapixels: float = 100
    table_columns: float = 20_000


def limits() -> Limits:
    """Return the limits that hold, with those that the environment raises.

    Raises
    ------
    FileError
        When the variable names a limit that there is not, or no number.
    """
    return _limits(os.environ.get(VARIABLE, ""))


@lru_cache(maxsize=8)
def _limits(text: str) -> Limits:
    known = [one.name for one in fields(Limits)]
    raised = {}
    for word in text.replace(",", " ").split():
        name, _, value = word.partition("=")
        if name not in known:
            raise FileError(VARIABLE, f"there is no limit '{printable(name)}'; {hint(name, known)}")
        try:
            raised[name] = float(value)
        except ValueError:
            raise FileError(VARIABLE, f"'{printable(word)}' is no number; write for example {name}={getattr(Limits, name):g}") from None
        if not raised[name] > 0:
            raise FileError(VARIABLE, f"{name} must be above 0")
    return Limits(**raised)


def refuse_above(path: Path | str, what: str, value: float, limit: str) -> None:
    """Raise a `FileError` when a value is above the limit of this name, which it names with the way to raise it."""
    most = getattr(limits(), limit)
    if value > most:
        raise FileError(path, f"{what}, above the limit of {most:g}; if that is right, raise it: {VARIABLE}={limit}={_rounded_up(value)}")


def refuse_unless_plain(path: Path, *, inside: Path | None = None) -> Path:
    """Return where a file really is, for programs that open it by its name.

    Parameters
    ----------
    inside
        The folder that it has to be in. A link inside of it may lead to another place inside.

    Raises
    ------
    FileError
        When it is a pipe, a device or a socket, outside of its folder, or larger than any video.
    OSError
        When it is not there, a folder, or links that lead round in a circle.
    """
    try:
        real = os.path.realpath(path) if inside is not None else os.fspath(path)
        if inside is not None and not Path(real).is_relative_to(os.path.realpath(inside)):
            raise FileError(path, f"it is outside of {printable(str(inside))}; put the file itself there, no link")
        status = os.stat(path)  # noqa: PTH116 - names may be no UTF-8
        _refuse_mode(path, status.st_mode)
        # A file of holes has any size, and costs its maker nothing.
        refuse_above(path, f"it has {status.st_size / GB:.3g} GB", status.st_size / GB, "streamed_gb")
    except FileError:
        raise
    except ValueError as error:  # a name with a NUL, or half a character
        raise FileError(path, "there can be no file of this name; correct it") from error
    return Path(real)


def real(path: Path) -> Path:
    """Return the path without links, as ``Path.resolve``, which knows no other answer to links in a circle than an error."""
    return Path(os.path.realpath(path))


def opened(path: Path, *, inside: Path | None = None) -> BinaryIO:
    """Open a plain file for reading; parameters and errors as of `refuse_unless_plain`."""
    real = refuse_unless_plain(path, inside=inside)
    # Without blocking: a pipe may have come in its place meanwhile.
    file = os.open(real, OPEN)
    try:
        _refuse_mode(path, os.fstat(file).st_mode)
        return cast("BinaryIO", os.fdopen(file, "rb"))
    except BaseException:
        os.close(file)
        raise


def opened_video(path: Path, options: Mapping[str, str] | None = None, *, inside: Path | None = None) -> av.container.InputContainer:
    """Open a plain file as a video, by a container that holds its pictures itself: no list of other files or of addresses.

    Parameters
    ----------
    options
        Of the container.

    Raises
    ------
    av.error.FFmpegError
        When it cannot be read, or is no such container.
    FileError, OSError
        As of `refuse_unless_plain`.
    """
    import av

    real = refuse_unless_plain(path, inside=inside)
    # `file:` keeps names such as "pipe:0", "-" or "concat:a" from being taken for a protocol.
    return av.open(f"file:{real}", options={"format_whitelist": CONTAINERS, **(options or {})}, metadata_errors="replace")


def read_bytes(path: Path, *, inside: Path | None = None, limit: str = "file_gb") -> bytes:
    """Return the content of a plain file; parameters and errors as of `refuse_unless_plain`.

    Parameters
    ----------
    limit
        The one for its size: ``file_gb`` or ``yaml_mb``.

    Raises
    ------
    FileError
        Also when it is larger.
    """
    unit = MB if limit.endswith("_mb") else GB
    with opened(path, inside=inside) as file:
        size = os.fstat(file.fileno()).st_size
        refuse_above(path, f"it has {size / unit:.3g} {limit[-2:].upper()}", size / unit, limit)
        # Not beyond what was looked at: it may grow. A file of /proc says 0, and is small.
        return file.read(size or 1 << 20)


def read_text(path: Path, *, inside: Path | None = None, limit: str = "file_gb") -> str:
    """Return the UTF-8 text of a plain file, with line feeds as line ends; parameters and errors as of `read_bytes`."""
    data = read_bytes(path, inside=inside, limit=limit)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise FileError(path, f"byte 0x{data[error.start]:02x} at position {error.start} is not UTF-8; save it as UTF-8") from error


def read_json(path: Path, *, inside: Path | None = None) -> Any:
    """Return what a JSON file says; parameters and errors as of `read_bytes`, and of `json_value`."""
    return json_value(read_bytes(path, inside=inside), path)


def json_value(data: bytes | str, path: Path | str = "", object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return what a JSON text says.

    Parameters
    ----------
    path
        Names the file in the error.
    object_pairs_hook
        As of ``json.loads``.

    Raises
    ------
    FileError
        When it is not JSON, nested too deeply, or has a number that no float holds.
    """
    try:
        return json.loads(data, object_pairs_hook=object_pairs_hook, parse_int=_integer)
    except RecursionError:
        raise FileError(path, "it is nested too deeply; write it again") from None
    except FileError:
        raise
    except ValueError as error:
        raise FileError(path, f"it is not JSON ({printable(str(error))}); get or write it again") from error


def read_yaml(path: Path, *, inside: Path | None = None) -> Any:
    """Return what a YAML file says; parameters and errors as of `read_bytes`, and of `yaml_value`."""
    return yaml_value(read_bytes(path, inside=inside, limit="yaml_mb"), path)


def yaml_value(text: bytes | str, path: Path | str = "") -> Any:
    """Return what a YAML text says: plain values only.

    Raises
    ------
    FileError
        When it is not YAML, or nested, or repeated by aliases, beyond what a file of settings is.
    """
    machine.require_package("yaml", f"reading {path or 'YAML'}")  # what reads no YAML works without
    import yaml

    try:
        refuse_yaml_bomb(text, path)
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except FileError:
        raise
    except (yaml.YAMLError, *BROKEN_VALUES) as error:
        raise FileError(path, f"it is not YAML that can be read: {printable(' '.join(str(error).split()))}; correct it") from error


def refuse_yaml_bomb(text: bytes | str, path: Path | str) -> None:
    """Raise a `FileError` for YAML that is nested too deeply, or too large once every alias is written out, as others go through it.

    Raises
    ------
    yaml.YAMLError
        When it is not YAML.
    """
    import yaml

    sizes: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    count = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.AliasEvent):
            # Of what is still open, the values would never end.
            count += sizes.get(event.anchor or "", YAML_NODES + 1)
        elif isinstance(event, yaml.ScalarEvent):
            count += 1
            if event.anchor:
                sizes[event.anchor] = 1
        elif isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, count))
            count += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            if anchor:
                sizes[anchor] = count - before
        if count > YAML_NODES or len(open_nodes) > YAML_DEPTH:
            msg = f"it is nested deeper than {YAML_DEPTH}, or its aliases make more than {YAML_NODES} values of it; write it plainly"
            raise FileError(path, msg)


def _refuse_mode(path: Path, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(21, os.strerror(21), os.fspath(path))
    kind = next((name for fits, name in KINDS if fits(mode)), "no file")
    raise FileError(path, f"it is {kind}, no plain file; put the file itself there")


def _integer(digits: str) -> int:
    if len(digits) > LONGEST_DIGITS:
        raise ValueError(f"the number {digits[:20]}... has {len(digits)} digits")
    return int(digits)


def _rounded_up(value: float) -> str:
    return f"{value * 1.05:.2g}" if value < 100 else str(int(value * 1.05) + 1)


def existing_video(name: str) -> Path:
    """Return a video file as a path.

    Raises
    ------
    VideoError
        When it is missing, empty or no file.
    """
    path = Path(name)
    if not path.is_file():
        raise VideoError(name, "the file is missing" if not path.exists() else "it is not a file", "name a video file")
    if path.stat().st_size == 0:
        raise VideoError(name, "the file is empty (0 bytes)", "copy it again from the recorder")
    return path


@contextmanager
def steady(path: Path) -> Iterator[None]:
    """Refuse what was made of a file that changed in the meantime.

    Raises
    ------
    VideoError
        When the file was still being copied, or was replaced.
    """
    before = path.stat()
    yield
    after = path.stat()
    # The time of change as well: a file may have been moved away and back.
    if any(getattr(before, name) != getattr(after, name) for name in ("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")):
        raise VideoError(str(path), "it changed while it was read", "wait until it is copied completely, then run again")
