"""Whether an identifier is still around the pictures of an output: in its bytes, tags, streams, sound, path or time."""

from __future__ import annotations

import base64
import mmap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scrubin.base import pixels, strangers
from scrubin.evaluate.deid.key import Item, Key
from scrubin.evaluate.deid.outputs import Output
from scrubin.evaluate.deid.reading import Fingerprints, fingerprint, is_heard, tags

ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")
SAME_PICTURE = 0.7
"""A picture of another stream is the planted one from this likeness of their fingerprints on."""
SAME_WEEK_S = 7 * 24 * 3600
"""A time of the file that is no further from that of the recording still tells the week."""
LONGEST_SPELLED = 2**26
"""Larger files are looked through for strings as they are, not for their other spellings."""
IMAGES = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp")
BY_BYTES = ("container_tag", "stream_tag", "chapter", "sei", "user_data", "attachment", "subtitle", "cover")
BY_TAGS = ("container_tag", "stream_tag", "chapter", "creation_time", "timecode")


@dataclass(frozen=True)
class Evidence:
    """What is known of all files of an output.

    Parameters
    ----------
    in_bytes
        Every needle of the key that is in a file's bytes, to the names of the files.
    tags
        Name of a file to the values of its tags.
    images
        Fingerprints of pictures that are files of their own, by name.
    """

    in_bytes: Mapping[str, tuple[str, ...]]
    tags: Mapping[str, tuple[str, ...]]
    images: Mapping[str, Fingerprints]


def gather(key: Key, folder: Path, paths: Sequence[Path], outputs: Sequence[Output]) -> Evidence:
    """Read every file once."""
    names = {path: path.relative_to(folder).as_posix() for path in paths}
    recordings = {one.name: one.recording for one in outputs}
    in_bytes: dict[str, list[str]] = {}
    images: dict[str, Fingerprints] = {}
    for path, name in names.items():
        for needle in needles_in(path, _needles(key, recordings.get(name, ""))):
            in_bytes.setdefault(needle, []).append(name)
        picture = pixels.read_picture(path) if path.suffix.lower() in IMAGES else None
        if picture is not None:
            images[name] = fingerprint(np.asarray(picture, np.uint8))[None]
    by_file = {one.name: tuple(value for _, value in tags(one.path)) for one in outputs}
    return Evidence({needle: tuple(files) for needle, files in in_bytes.items()}, by_file, images)


def _needles(key: Key, recording: str) -> list[str]:
    """Return what to look for in a file that shows a recording; a file that shows none may hold anything."""
    items = [item for item in key.items if item.kind in BY_BYTES and recording in ("", item.recording)]
    return sorted({needle for item in items for needle in item.needles})


def needles_in(path: Path, needles: Iterable[str]) -> set[str]:
    """Return the strings that are in a file's bytes, in any of their `spellings`."""
    if path.stat().st_size == 0:
        return set()
    with strangers.opened(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        every = path.stat().st_size <= LONGEST_SPELLED
        return {needle for needle in needles if any(content.find(one) >= 0 for one in (spellings(needle) if every else _encoded(needle)))}


def _encoded(text: str) -> list[bytes]:
    return [text.encode(encoding) for encoding in ENCODINGS]


def spellings(text: str) -> list[bytes]:
    """Return the bytes in which a text may stand so that anybody reads it again.

    As it is, in capitals, in small letters, without accents and backwards, each in UTF-8 and UTF-16; in hexadecimal digits; and in
    base64, at each of its three offsets.

    >>> b"nneS" in spellings("Senn"), b"U2Vub" in spellings("Senn")
    (True, True)
    """
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    raw = text.encode()
    # Behind an offset the first letters, and before the end the last ones, depend on what stands beside them.
    base64_ = [base64.b64encode(bytes(offset) + raw)[start : (offset + len(raw)) * 8 // 6] for offset, start in ((0, 0), (1, 2), (2, 3))]
    forms = dict.fromkeys((text, text.upper(), text.lower(), plain, text[::-1]))
    return [*(one for form in forms for one in _encoded(form)), raw.hex().encode(), raw.hex().upper().encode(), *base64_]


def still_there(item: Item, key: Key, outputs: Sequence[Output], every: Sequence[Output], evidence: Evidence) -> str:
    """Return where an identifier still is, as a phrase; empty when it is gone.

    Parameters
    ----------
    outputs
        The files that show the item's recording.
    every
        All files with pictures.
    """
    if item.kind == "speech":
        return next((f"{one.name} has sound" for one in outputs if is_heard(one.path)), "")
    if item.kind == "file_name":
        return _in_names(item, outputs)
    if item.kind == "file_time":
        wanted = float(item.traits["time_s"])
        near = [one.name for one in outputs if abs(one.path.stat().st_mtime - wanted) <= SAME_WEEK_S]
        return f"{near[0]} has a time in the week of the recording" if near else ""
    if item.kind in BY_TAGS:
        for one in outputs:
            if any(_bare(needle) in _bare(value) for needle in item.needles for value in evidence.tags[one.name]):
                return f"a tag of {one.name}"
    if item.kind in BY_BYTES:
        file = next((files[0] for needle in item.needles if (files := evidence.in_bytes.get(needle))), "")
        if file:
            return f"the bytes of {file}"
    return _in_pictures(key, item, every, evidence) if item.picture else ""


def _in_names(item: Item, outputs: Sequence[Output]) -> str:
    for one in outputs:
        needle = next((needle for needle in item.needles if _bare(needle) in _bare(one.name)), "")
        if needle:
            return f"'{needle}' in the path {one.name}"
    return ""


def _bare(text: str) -> str:
    return "".join(letter for letter in folded(text) if letter.isalnum())


def _in_pictures(key: Key, item: Item, every: Sequence[Output], evidence: Evidence) -> str:
    """Return where the planted picture is shown: in a stream that is not the recording's own, or in an image."""
    picture = pixels.read_picture(key.folder / item.picture, inside=key.folder)
    wanted = fingerprint(np.asarray(picture, np.uint8))
    for one in every:
        for further in one.further:
            if len(further.fingerprints) and float((further.fingerprints @ wanted).max()) >= SAME_PICTURE:
                return f"stream {further.stream.index} of {one.name}"
    return next((name for name, image in evidence.images.items() if float((image @ wanted).max()) >= SAME_PICTURE), "")


def folded(text: str) -> str:
    """Return a text for comparing, without case and accents.

    >>> folded("Weißgerber, Ayşegül")
    'weissgerber, aysegul'
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
