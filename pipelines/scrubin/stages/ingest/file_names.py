"""What a file's name says: which camera, which part, when. All of it is a guess until somebody confirms it.

A name is read by what is in it, not by a list of recorders: words for cameras, numbers that count files, and dates with
times of day. What is left of the name is the key of its recording.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

SIDES = {
    "left": ("left", "links", "gauche", "izquierda", "izquierdo", "sinistra", "sinistro", "esquerda", "lewa", "lefteye", "leftcam"),
    "right": ("right", "rechts", "droite", "derecha", "derecho", "destra", "destro", "direita", "prawa", "righteye", "rightcam"),
}
SHORT_SIDES = {"left": ("l", "li", "lft"), "right": ("r", "re", "rgt")}
"""They may be anything: they count only where a file with the other one has the same name."""
_NOT_BEFORE, _NOT_BEHIND = r"(?<![^\W_])", r"(?![^\W_])"
_RIG = r"(?:cam|camera|kamera|eye|stereo|view|ch|channel|endo|scope)"


def _word(words: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(words)})"


_CAMERAS = {
    side: (
        re.compile(rf"{_NOT_BEFORE}(?:{_RIG}[ _.-]?)?{_word(SIDES[side])}(?:[ _.-]?(?:cam|camera|eye|view))?{_NOT_BEHIND}", re.I),
        re.compile(rf"(?<=[a-z0-9]){side.capitalize()}{_NOT_BEHIND}"),
    )
    for side in SIDES
}
_SHORT_CAMERAS = {
    side: (
        re.compile(rf"{_NOT_BEFORE}(?:{_RIG}[ _.-]?)?{_word(SHORT_SIDES[side])}{_NOT_BEHIND}", re.I),
        re.compile(rf"(?<=[0-9]){side[0].upper()}{_NOT_BEHIND}"),
    )
    for side in SIDES
}
_NUMBERED_CAMERA = re.compile(rf"{_NOT_BEFORE}(?:cam|camera|kamera|channel|ch|eye|view|angle)[ _.-]?0?([0-9]){_NOT_BEHIND}", re.I)

# A date with a time of day, as recorders and phones write it.
_STAMP = re.compile(
    r"(?<![0-9])((?:19|20)[0-9]{2})[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12][0-9]|3[01])[-_ T.]{0,3}(?:at |um )?"
    r"([01][0-9]|2[0-3])[-_.:h]?([0-5][0-9])[-_.:m]?([0-5][0-9])(?:[.,][0-9]{1,3})?[sZ]?(?![0-9])"
)
_DATE = re.compile(
    r"(?<![0-9])(?:(?:19|20)[0-9]{2}[-_. ]?[01][0-9][-_. ]?[0-3][0-9]|[0-3]?[0-9][.-][01]?[0-9][.-](?:19|20)?[0-9]{2})(?![0-9])"
)

_PART_WORDS = "part|pt|teil|partie|parte|deel|chapter|chap|segment|seg|disc|disk|dvd|cd|chunk"
_PART = re.compile(
    rf"{_NOT_BEFORE}(?:{_PART_WORDS})[ _.#-]{{0,2}}([0-9]{{1,3}})(?:[ _]?(?:of|von|de)[ _]?([0-9]{{1,3}}))?{_NOT_BEHIND}", re.I
)
_OF = re.compile(rf"{_NOT_BEFORE}([0-9]{{1,3}})[ _]?(?:of|von)[ _]?([0-9]{{1,3}}){_NOT_BEHIND}", re.I)
_GOPRO = re.compile(r"G([HXLS])([0-9]{2})([0-9]{4})", re.I)
_OLD_GOPRO = re.compile(r"G(OPR|P[0-9]{2})([0-9]{4})", re.I)
_DVD = re.compile(r"VTS_([0-9]{2})_([0-9])", re.I)
_LAST_NUMBER = re.compile(r"(?:\(|[ _.#-]{1,3})(?P<number>[0-9]{1,8})\)?$")
_GLUED_NUMBER = re.compile(r"(?P<number>0[0-9]{1,7}|[0-9]{3,8})$")
"""Behind letters, as in `A001`: `case12` may be called so."""
_LETTER = re.compile(r"(?:^|[ _.-]{1,3}|(?<=[0-9]))(?P<word>[a-h])$", re.I)
_ROMAN = re.compile(r"(?:^|[ _.-]{1,3})(?P<word>i{1,3}|iv|v|vi{1,3}|ix|x)$", re.I)
_ORDINAL = re.compile(r"(?:^|[ _.-]{1,3})(?P<word>first|second|third|fourth)(?:[ _.-](?:half|part|video|file))?$", re.I)
_ORDERS = (
    (_LETTER, tuple("abcdefgh")),
    (_ROMAN, ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")),
    (_ORDINAL, ("first", "second", "third", "fourth")),
)
_BARE_NUMBER = re.compile(r"^[a-z]{0,8}(?P<number>[0-9]{1,8})$", re.I)
# What recorders call every file; it names no recording.
_GENERIC = re.compile(
    r"[\W_]*(?:(?:c|m|p|mvi|dji|dsc|dscn|vid|video|img|mov|movie|clip|cap|capture|rec|record|recording|gopr|gx|gh|gp|vts|stream|"
    r"bdmv|dcim|video_ts|[0-9]{3}[a-z_]{5}|"
    r"output|untitled|title|export|file|sdc|part|pt|teil)[\W_]*)?[\d\W_]*",
    re.I,
)
_EDGES = " _.-,;#"
LAST_NUMBERS = frozenset(10**digits for digits in range(2, 7))
"""One more than the last number of a counter."""


@dataclass(frozen=True)
class Camera:
    """Which camera a name speaks of.

    Parameters
    ----------
    side
        ``left``, ``right``, or a number as text: which side that is nobody says.
    word
        As it stands in the name.
    is_short
        Whether the word counts only beside its partner.
    """

    side: str
    word: str
    is_short: bool = False


@dataclass(frozen=True)
class Count:
    """A number that counts files.

    Parameters
    ----------
    word
        As it stands in the name.
    is_part
        Whether the name says that it counts the parts of one recording; otherwise it may count recordings.
    of
        How many there are, where the name says it.
    """

    number: int
    word: str
    is_part: bool
    of: int | None = None

    @property
    def is_word(self) -> bool:
        """Whether it is a letter, a Roman number or a word."""
        return not self.is_part and not any(sign.isdigit() for sign in self.word)


@dataclass(frozen=True)
class Name:
    """What one path says.

    Parameters
    ----------
    key
        What files of one recording have in common: folder and name without camera, number and time, in small letters.
    folder
        Its folder, without those that name a camera or a part.
    title
        The name without its camera.
    stem
        The name without camera, number and time.
    recorded_s
        The date and time in the name, in seconds since 1970 as if it were universal time.
    """

    key: tuple[str, str]
    folder: str
    title: str
    stem: str
    camera: Camera | None
    count: Count | None
    recorded_s: float | None

    @property
    def is_generic(self) -> bool:
        """Whether the name itself says nothing of its recording."""
        return not is_telling(self.title)


def is_telling(text: str) -> bool:
    """Return whether a name has more than a recorder gives to every file.

    >>> is_telling("00003"), is_telling("MVI_0012"), is_telling("case12")
    (False, False, True)
    """
    return _GENERIC.fullmatch(_STAMP.sub("", text)) is None


def follows(number: int, after: int) -> bool:
    """Return whether a number that counts files comes after another one; counters of 2 to 6 digits begin anew at 0 or 1.

    >>> follows(7, 8), follows(999, 1), follows(9999, 0), follows(7, 9)
    (True, True, True, False)
    """
    return after == number + 1 or (after <= 1 and number + 1 in LAST_NUMBERS)


def read(path: PurePosixPath) -> Name:
    """Return what the path of a file says.

    >>> name = read(PurePosixPath("case07/links/peg_002.mp4"))
    >>> name.key, name.camera.side, name.count.number
    (('case07', 'peg'), 'left', 2)
    """
    folders, camera, count = _of_folders(path.parent)
    text = unicodedata.normalize("NFC", path.name.removesuffix(path.suffix) if _is_suffix(path.suffix) else path.name)
    text, own_camera = _camera(text)
    title = tidy(text)
    text, recorded_s = _stamp(text)
    text, own_count = _count(text, in_time=recorded_s is not None)
    folder = "/".join(folders)
    key = (key_of(folder), key_of(text))
    return Name(key, folder, title, tidy(text), own_camera or camera, own_count or count, recorded_s)


def with_letters(read: Mapping[PurePosixPath, Name]) -> dict[PurePosixPath, Name]:
    """Return what paths say where files without a number are counted by letters, Roman numbers or words: a, b, c, all from the first on."""
    series: dict[tuple[int, str, str, float | None], dict[int, PurePosixPath]] = {}
    words: dict[PurePosixPath, dict[int, tuple[str, str]]] = {}
    for path, name in read.items():
        for kind, (pattern, order) in enumerate(_ORDERS):
            match = pattern.search(name.stem) if name.count is None and name.camera is None else None
            if match is not None and (word := match["word"].lower()) in order:
                stem = tidy(name.stem[: match.start()])
                series.setdefault((kind, name.key[0], key_of(stem), name.recorded_s), {})[order.index(word) + 1] = path
                words.setdefault(path, {})[kind] = stem, match["word"]
    done = dict(read)
    for (kind, _, _, _), members in sorted(series.items(), key=str):
        if len(members) > 1 and sorted(members) == list(range(1, len(members) + 1)):
            for number, path in members.items():
                stem, word = words[path][kind]
                name = read[path]
                key = key_of(stem if name.recorded_s is None else f"{stem} {name.recorded_s:.0f}")
                done[path] = replace(name, key=(name.key[0], key), stem=stem, count=Count(number, word, is_part=False))
    return done


def without_short_camera(path: PurePosixPath) -> Name:
    """Return what a path says when its short word for a camera, which has no partner, is none."""
    name = read(path)
    plain = unicodedata.normalize("NFC", path.stem)
    text, recorded_s = _stamp(plain)
    text, count = _count(text, in_time=recorded_s is not None)
    return Name((name.key[0], key_of(text)), name.folder, tidy(plain), tidy(text), None, count, recorded_s)


def _of_folders(folder: PurePosixPath) -> tuple[list[str], Camera | None, Count | None]:
    """Return the folders that name neither a camera nor a part, and what the others say."""
    kept: list[str] = []
    camera: Camera | None = None
    count: Count | None = None
    for part in folder.parts:
        text = unicodedata.normalize("NFC", part)
        rest, here = _camera(text)
        numbered = _PART.fullmatch(text.strip())
        if here is not None and not rest.strip(_EDGES):
            camera = here
        elif numbered is not None:
            count = Count(int(numbered[1]), text, True, int(numbered[2]) if numbered[2] else None)
        else:
            kept.append(text)
    return kept, camera, count


def _camera(text: str) -> tuple[str, Camera | None]:
    """Return a name without its last word for a camera, and that."""
    for table, is_short in ((_CAMERAS, False), (_SHORT_CAMERAS, True)):
        matches = [
            (match.start(), side, match) for side, patterns in table.items() for pattern in patterns for match in pattern.finditer(text)
        ]
        if matches:
            _, side, match = max(matches, key=lambda item: item[0])
            return _without(text, match), Camera(side, match[0], is_short)
        numbered = None if is_short else _last(_NUMBERED_CAMERA, text)
        if numbered is not None:
            return _without(text, numbered), Camera(str(int(numbered[1])), numbered[0])
    return text, None


def _stamp(text: str) -> tuple[str, float | None]:
    match = _last(_STAMP, text)
    if match is None:
        return text, None
    try:
        moment = datetime(*(int(group) for group in match.groups()), tzinfo=UTC)  # type: ignore[misc, arg-type]
    except ValueError:  # 31 February
        return text, None
    return _without(text, match), moment.timestamp()


def _count(text: str, *, in_time: bool) -> tuple[str, Count | None]:
    """Return a name without the number that counts files, and that."""
    bare = text.strip(_EDGES)
    if match := _GOPRO.fullmatch(bare):
        return f"G{match[1]}{match[3]}", Count(int(match[2]), f"G{match[1]}{match[2]}", True)
    if match := _OLD_GOPRO.fullmatch(bare):
        number = 1 if match[1].upper() == "OPR" else int(match[1][1:]) + 1
        return f"GOPR{match[2]}", Count(number, f"G{match[1]}", True)
    if match := _DVD.fullmatch(bare):
        return f"VTS_{match[1]}", Count(int(match[2]), f"_{match[2]}", True)
    for pattern in (_PART, _OF):
        if match := _last(pattern, text):
            return _without(text, match), Count(int(match[1]), match[0], True, int(match[2]) if match[2] else None)
    # The digits of a date count nothing.
    masked = _DATE.sub(lambda date: "x" * len(date[0]), text).rstrip(_EDGES)
    bare_number = _BARE_NUMBER.search(masked) if _GENERIC.fullmatch(text) and not in_time else None
    last = _LAST_NUMBER.search(masked) or bare_number or (None if in_time else _GLUED_NUMBER.search(masked))
    if last is None:
        return text, None
    return text[: last.start("number")].rstrip(_EDGES + "("), Count(int(last["number"]), last[0].strip(" "), False)


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return max(pattern.finditer(text), key=lambda match: match.start(), default=None)


def _without(text: str, match: re.Match[str]) -> str:
    before, behind = text[: match.start()], text[match.end() :]
    # One of the two signs around what is taken out is enough.
    if before[-1:] in _EDGES and behind[:1] in _EDGES and behind:
        before = before[:-1]
    return before + behind


def _is_suffix(suffix: str) -> bool:
    return bool(re.fullmatch(r"\.[A-Za-z][A-Za-z0-9]{0,4}", suffix))


def tidy(text: str) -> str:
    """Return a text without signs at its ends, and with single blanks."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip(_EDGES)


def key_of(text: str) -> str:
    """Return a text as names are compared: in small letters, with one kind of blank."""
    return re.sub(r"[\s_.-]+", " ", unicodedata.normalize("NFKC", text).casefold()).strip(_EDGES)
