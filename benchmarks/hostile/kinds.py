"""The list of kinds of hostile files, and those that suit any file: no file at all, or other bytes."""

from __future__ import annotations

import os
import random
import shutil
import socket
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """Where a hostile file is written, and what it may use."""

    path: Path
    family: str
    sound: bytes
    outside: Path
    plain: Path
    """A sound file of every type."""
    port: int
    """Where somebody would answer."""
    rng: random.Random
    case: Path

    @property
    def secret(self) -> Path:
        """The file outside that looks like this one."""
        suffix = {"text": "txt"}.get(self.family, self.path.suffix.lstrip(".") if self.family in ("video", "jpg") else self.family)
        wanted = self.outside / f"secret.{suffix}"
        return wanted if wanted.exists() else self.outside / "secret.jpg"


SOUND = "sound"
"""Not a kind: the file as it was, through every command, to see that these commands work here."""
Kind = Callable[[Place], bytes | None]
"""Return the bytes of the hostile file, or make it and return None."""
ANY = ("json", "csv", "text", "yaml", "npz", "npy", "parquet", "zip", "tar", "xlsx", "jpg", "video", "sums", "dcm")
TEXTS = ("json", "csv", "text", "yaml", "sums")
KINDS: dict[str, tuple[tuple[str, ...], Kind]] = {}


def kind(name: str, *families: str) -> Callable[[Kind], Kind]:
    """Take a maker into the list."""

    def take(maker: Kind) -> Kind:
        KINDS[name] = families or ANY, maker
        return maker

    return take


@kind("FIFO")
def _(at: Place) -> None:
    os.mkfifo(at.path)


@kind("socket")
def _(at: Place) -> None:
    short = Path(tempfile.mkdtemp(prefix="hs")) / "s"  # an address of a socket has 107 bytes
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(short))
    shutil.move(short, at.path)
    short.parent.rmdir()


@kind("link to a device")
def _(at: Place) -> None:
    at.path.symlink_to(at.rng.choice(["/dev/zero", "/dev/full", "/dev/urandom", "/dev/stdin", "/proc/self/mem"]))


@kind("link out of the folder")
def _(at: Place) -> None:
    parent = at.path.parent
    away = at.outside / f"moved_{parent.name}"
    if at.rng.random() < 0.3 and len(parent.relative_to(at.case).parts) >= 2:  # the folder itself lies elsewhere
        at.path.write_bytes(at.secret.read_bytes())
        shutil.move(parent, away)
        parent.symlink_to(away)
        return
    at.path.symlink_to(at.rng.choice([at.secret, os.path.relpath(at.secret, at.path.parent)]))


@kind("link loop")
def _(at: Place) -> None:
    way = at.rng.randrange(3)
    if way == 0:
        at.path.symlink_to(at.path.name)
    elif way == 1:
        at.path.symlink_to("other")
        (at.path.parent / "other").symlink_to(at.path.name)
    else:
        at.path.write_bytes(at.sound)
        (at.path.parent / "again").symlink_to(".")
        (at.path.parent / f"again{at.path.suffix}").symlink_to("..")


@kind("folder in place of a file")
def _(at: Place) -> None:
    at.path.mkdir()
    if at.rng.random() < 0.5:
        (at.path / at.path.name).write_bytes(at.sound)


@kind("empty or NULs")
def _(at: Place) -> bytes:
    return b"\0" * at.rng.choice([0, 1, 512, 65536, 8 << 20])


@kind("random bytes")
def _(at: Place) -> bytes:
    head = at.sound[: at.rng.choice([0, 0, 4, 16, 64])]
    return head + at.rng.randbytes(at.rng.choice([1, 100, 10_000, 2_000_000]))


@kind("cut off")
def _(at: Place) -> bytes:
    return at.sound[: at.rng.randrange(1, max(2, len(at.sound)))]


@kind("bits flipped")
def _(at: Place) -> bytes:
    data = bytearray(at.sound)
    for _ in range(at.rng.choice([1, 3, 30])):
        data[at.rng.randrange(len(data))] ^= 1 << at.rng.randrange(8)
    return bytes(data)


@kind("content of another type")
def _(at: Place) -> bytes:
    others = sorted(path for path in at.plain.iterdir() if path.suffix != at.path.suffix)
    return at.rng.choice(others).read_bytes()
