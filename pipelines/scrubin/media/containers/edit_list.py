"""The edit list of an MP4 or MOV: what it hides from players, and where FFmpeg shows something else (ISO/IEC 14496-12, 8.6.6).

FFmpeg passes over a pause that is not at the beginning, and over the rate of an edit: 0 (a still), or faster, slower, backwards. Where
pictures are decoded in another order than they are shown, it gives those of a second edit wrong times. In a file of fragments it hides
nothing at all, takes of the list only by how much times are shifted, and shows all of them later by their most negative composition offset
(8.8.8), what the index itself has of the film by less: by what its own tables lack of that. Behind a table that lists fragments up to the
end of the file (8.16.3: sidx), it reads them one by one, and shows each later by the most negative offset that it has met.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, takewhile

import numpy as np

from scrubin.base.errors import VideoError
from scrubin.media.containers.pieces import Pieces, UnreadableError

_LARGE, _TO_THE_END = 1, 0
_MOST_BOXES = 10_000
"""In a row of which none is a fragment: a long film may lie in any number of these."""
_MOST_INDEX_BYTES = 1 << 28
"""Of an index: of a film of a day at 60 a second it has some 100 MB, and a few bytes may state any number, of which 0 is no limit."""
_MOST_PIECES = 8
"""A message names no more of them."""


def boxes(file: Pieces) -> Iterator[tuple[bytes, int]]:
    """Yield name and first byte of the outermost boxes of an MP4 or MOV (4.2); of another file a few that mean nothing, or none."""
    position = in_row = 0
    while in_row < _MOST_BOXES:
        file.seek(position)
        head = file.read(8)
        length, kind = int.from_bytes(head[:4], "big"), head[4:]
        if len(head) < 8:
            return
        yield kind, position
        in_row = 0 if kind == b"moof" else in_row + 1
        if length == _LARGE:
            length = int.from_bytes(file.read(8), "big")
        if length == _TO_THE_END or length < 8:
            return
        position += length


_PAUSE, _USUAL_RATE = -1, 1 << 16
FIX_EDITS = "export it anew as one film without edits, with the program in which it was edited"
FIX_CUT = (
    "; or let FFmpeg make a film of {edits}: "
    "ffmpeg -copyts -ignore_editlist 1 -i FILE -map 0:v:0 -vf trim={place} -fps_mode passthrough -c:v libx264 -crf 15 1.mkv"
)
FIX_ORDER = (
    "copy it again from the recorder; if it is the same there and its rate is constant, let FFmpeg count the frames anew, as of 25 a "
    "second: ffmpeg -i FILE -map 0:v:0 -vf setpts=N/25/TB -fps_mode passthrough -c:v libx264 -crf 15 a.mkv"
)
FIX_BOXES = "copy it again from the recorder; if it is the same there, export it anew with the program of the recorder"
FIX_EMPTY = (
    "export it again from the recorder; where all of it may be seen, put it into a file without the list: "
    "ffmpeg -ignore_editlist 1 -i FILE -map 0:v:0 -c copy a.mkv"
)


@dataclass(frozen=True)
class Edit:
    """One row: for how long it lasts, in ticks of the movie, and where it begins in the film (-1: a pause), in ticks of the film."""

    lasts: int
    begins: int
    rate: int

    @property
    def is_pause(self) -> bool:
        """Whether it shows nothing."""
        return self.begins == _PAUSE


@dataclass(frozen=True)
class EditList:
    """The edit list of a film.

    Parameters
    ----------
    movie_scale, scale
        Ticks of a second of the movie and of the film.
    reorders
        Whether pictures are shown in another order than they are decoded.
    in_fragments
        Whether the index of the film, or a part of it, stands in fragments (8.8).
    delays
        By how many ticks of the film FFmpeg shows frames of fragments later than they lie in it: each number once, in the order of them.
    """

    edits: tuple[Edit, ...]
    movie_scale: int
    scale: int
    reorders: bool
    in_fragments: bool
    delays: tuple[int, ...] = ()

    @cached_property
    def shown(self) -> tuple[Edit, ...]:
        """The edits that show the film; of fragments the first one goes on to the end where it states no length (8.8.1)."""
        film = [edit for edit in self.edits if not edit.is_pause]
        return tuple(edit for place, edit in enumerate(film) if edit.lasts or (self.in_fragments and not place))

    def refuse_unread(self, name: str) -> None:
        """Refuse a list of which is known, without a look at the film, that FFmpeg shows something else than players that follow it.

        Raises
        ------
        VideoError
            When it does.
        """
        if len(self.delays) > 1:
            late_s = (self.delays[-1] - self.delays[0]) / self.scale
            reason = f"its fragments have negative composition offsets, by which FFmpeg delays the later ones up to {late_s:.3f} s"
            raise VideoError(name, reason, FIX_EDITS if any(edit.lasts or edit.begins for edit in self.shown) else FIX_ORDER)
        shown = False
        for place, edit in enumerate(self.edits, start=1):
            if shown and not edit.lasts:
                continue  # it lasts no time
            if shown and edit.is_pause:
                raise VideoError(name, f"its edit list has a pause, as edit {place}, which FFmpeg passes over", FIX_EDITS)
            if not edit.is_pause and edit.rate != _USUAL_RATE:
                reason = f"its edit list plays edit {place} at the rate {edit.rate / _USUAL_RATE:g}, which FFmpeg passes over"
                raise VideoError(name, reason, FIX_EDITS)
            shown = shown or not edit.is_pause
        if self.edits and not self.shown:
            raise VideoError(name, "its edit list shows nothing: none of its edits lasts any time", FIX_EMPTY)
        if len(self.shown) > 1 and self.in_fragments:
            reason = f"its edit list shows {len(self.shown)} pieces of a film in fragments, of which FFmpeg shows all"
            raise VideoError(name, reason, self._fix_cut())
        if len(self.shown) > 1 and self.reorders:
            reason = (
                f"its edit list shows {len(self.shown)} pieces of a film whose pictures are decoded in another order than they are shown: "
                "FFmpeg takes wrong times for them"
            )
            raise VideoError(name, reason, self._fix_cut())

    def refuse_hiding(self, pts: Sequence[int], name: str) -> None:
        """Refuse a film in fragments of which the list hides frames: FFmpeg shows them.

        Parameters
        ----------
        pts
            When FFmpeg shows each frame, in ticks of the film, in any order.

        Raises
        ------
        VideoError
            When a frame is not shown by a player that follows the list.
        """
        if not self.in_fragments or not self.shown or not pts:
            return
        edit = self.shown[0]
        begins = np.sort(np.array(pts, dtype=np.int64)) + self._shift - self._delay
        hidden = int((begins[1:] <= edit.begins).sum())
        if edit.lasts:
            # Exact: the movie has other ticks.
            hidden += sum((int(tick) - edit.begins) * self.movie_scale >= edit.lasts * self.scale for tick in begins)
        if hidden:
            reason = f"its edit list hides {hidden} of its {len(pts)} frames, which FFmpeg shows, as the film lies in fragments"
            raise VideoError(name, reason, self._fix_cut())

    @property
    def _shift(self) -> int:
        """By how much FFmpeg shows frames of fragments earlier than they lie in the film, but for `_delay`."""
        pause = self.edits[0].lasts if self.edits[0].is_pause else 0
        first = self.edits[1] if self.edits[0].is_pause else self.edits[0]
        return max(0, first.begins) - (2 * pause * self.scale + self.movie_scale) // (2 * self.movie_scale)

    @property
    def _delay(self) -> int:
        return max(self.delays, default=0)

    def _fix_cut(self) -> str:
        places = []
        for edit in self.shown[:_MOST_PIECES]:
            begins = edit.begins + self._delay
            end = f":end_pts={begins + -(-edit.lasts * self.scale // self.movie_scale)}" if edit.lasts else ""
            places.append(f"start_pts={begins}{end}")
        if len(places) == 1:
            return FIX_EDITS + FIX_CUT.format(edits="what it shows", place=places[0])
        rest = ", ".join([*places[1:], *(["and so on"] if len(self.shown) > _MOST_PIECES else [])])
        return f"{FIX_EDITS}{FIX_CUT.format(edits='each piece, each with its own row and part', place=places[0])}; then with trim={rest}"


def edit_lists(file: Pieces) -> list[EditList]:
    """Return the edit lists of the pictures of an MP4 or MOV; of a film in fragments one without edits where there is none.

    Raises
    ------
    UnreadableError
        When its index is compressed and damaged, too large, or not found among its first boxes.
    """
    outermost = list(boxes(file))
    if len(list(takewhile(lambda box: box[0] != b"moof", reversed(outermost)))) == _MOST_BOXES:
        reason = (
            f"it has {_MOST_BOXES:,} boxes or more around its index (moov) or behind a fragment (moof), and no more of them are looked at"
        )
        raise UnreadableError(reason, FIX_BOXES)
    for kind, position in outermost:
        if kind == b"moov":
            fragments = [place for kind, place in outermost if kind == b"moof"]
            movie = _inflated(_read(file, position))
            return list(_of_movie(movie, file, fragments, _end_of_opening(outermost, file)))  # FFmpeg passes over a second one
    return []


def _end_of_opening(outermost: Iterable[tuple[bytes, int]], file: Pieces) -> int:
    """Return the byte up to which FFmpeg reads all fragments before it shows any; it reads those behind it one by one."""
    seen: set[bytes] = set()
    for kind, position in outermost:
        if kind != b"sidx" or (b"moov" in seen and _lists_the_rest(_read(file, position), position, file)):
            seen.add(kind)
        if seen >= {b"moov", b"mdat", b"sidx"}:
            return position
    return file.size


def _lists_the_rest(table: bytes, position: int, file: Pieces) -> bool:
    """Return whether a table of fragments (8.16.3) goes on to the end of the file, or to the index of fragments there (8.8.9: mfra)."""
    file.seek(max(0, file.size - 4))
    ends = file.size, file.size - int.from_bytes(file.read(4), "big")
    rest = table[8:] if table[:4] == b"\0\0\0\1" else table
    wide = 8 if rest[8:9] == b"\1" else 4
    begins = position + len(table) + int.from_bytes(rest[20 + wide : 20 + 2 * wide], "big")
    return begins + sum(length for (length,) in _rows(bytes(14) + rest[22 + 2 * wide :], ">I8x")) in ends


def _read(file: Pieces, position: int) -> bytes:
    """Return a box of the index."""
    file.seek(position)
    head = file.read(16)
    file.seek(position)
    length = int.from_bytes(head[8:] if head[:4] == b"\0\0\0\1" else head[:4], "big") or file.size
    if min(length, file.size - position) > _MOST_INDEX_BYTES:
        raise UnreadableError(f"its index (moov or moof) states that it has {length:,} bytes", FIX_BOXES)
    return file.read(length)


def _inflated(movie: bytes) -> bytes:
    """Return an index as it is when it is not compressed (Apple, QuickTime File Format: cmov)."""
    for data in (data for around in _inside(movie, b"cmov") for data in _inside(around, b"cmvd")):
        stated = int.from_bytes(data[8:12], "big")
        if not 0 < stated <= _MOST_INDEX_BYTES:
            raise UnreadableError(f"its index (moov) is compressed, and states that it has {stated:,} bytes", FIX_BOXES)
        try:
            return zlib.decompressobj().decompress(data[12:], stated)
        except zlib.error as error:
            raise UnreadableError("its index (moov) is compressed and damaged", "copy it again from the recorder") from error
    return movie


def _of_movie(movie: bytes, file: Pieces, fragments: Sequence[int], opened: int) -> Iterator[EditList]:
    movie_scale = _stated(movie, b"mvhd")
    for track in _inside(movie, b"trak"):
        media = b"".join(_inside(track, b"mdia"))
        if not any(handler[8 + 8 : 8 + 12] == b"vide" for handler in _inside(media, b"hdlr")):
            continue
        delays = _delays(track, media, ((place < opened, _read(file, place)) for place in fragments)) if fragments else ()
        for table in list(_reached(track, b"edts", b"elst")) or [b""] * bool(fragments):
            edits = tuple(Edit(*row) for row in _rows(table, ">Qqi" if table[8:9] == b"\1" else ">Iii"))
            yield EditList(edits, movie_scale, _stated(media, b"mdhd"), len(_offsets(media)) > 1, bool(fragments), delays)


def _offsets(media: bytes) -> set[int]:
    """Return by how much pictures are shown later than they are decoded (8.6.1.3), as the index itself has it."""
    return {offset for table in _reached(media, b"minf", b"stbl", b"ctts") for _, offset in _rows(table, ">Ii")}


def _delays(track: bytes, media: bytes, fragments: Iterable[tuple[bool, bytes]]) -> tuple[int, ...]:
    """Return by how much FFmpeg shows frames later than they lie in the film, from fragments and whether it reads each at opening."""
    # FFmpeg leaves out the last two rows of the table of an index here.
    tables = [list(_rows(table, ">Ii"))[:-2] for table in _reached(media, b"minf", b"stbl", b"ctts")]
    number, own = _stated(track, b"tkhd"), max([0, *(-offset for rows in tables for _, offset in rows)])
    at_opening: list[int] = []
    later: list[int] = []
    for is_first, fragment in fragments:
        for part in _inside(fragment, b"traf"):
            if any(int.from_bytes(head[12:16], "big") == number for head in _inside(part, b"tfhd")):
                least = min((_least_offset(run) for run in _inside(part, b"trun")), default=0)
                (at_opening if is_first else later).append(-least)
    opened = max(own, *at_opening, 0)
    in_index = any(count for table in _reached(media, b"minf", b"stbl", b"stts") for count, _ in _rows(table, ">II"))
    one_by_one = list(accumulate(later, max, initial=opened))[1:]
    return tuple(dict.fromkeys([*[opened - own] * in_index, *[opened] * bool(at_opening), *one_by_one]))


def _least_offset(run: bytes) -> int:
    """Return the least composition offset of a run of samples (8.8.8), which may be negative in any version for FFmpeg; 0 without one."""
    flags = int.from_bytes(run[9:12], "big")
    columns = (flags & 0xF00).bit_count()  # how long, how many bytes, how it depends on others, and last the offset, where it has them
    rows = _rows(run[:16] + run[16 + 4 * (flags & 5).bit_count() :], f">{4 * columns - 4}xi") if flags & 0x800 else iter(())
    return min((offset for (offset,) in rows), default=0)


def _stated(around: bytes, name: bytes) -> int:
    """Return the ticks of a second that a movie or a track states (8.2.2, 8.4.2), or the number of a track (8.3.2)."""
    head = next(_inside(around, name), b"")
    at = 28 if head[8:9] == b"\1" else 20
    return int.from_bytes(head[at : at + 4], "big") or 1


def _rows(table: bytes, form: str) -> Iterator[tuple[int, ...]]:
    size = struct.calcsize(form)
    content = table[16:]
    whole = content[: len(content) - len(content) % size]
    return islice(struct.iter_unpack(form, whole), int.from_bytes(table[12:16], "big"))


def _reached(box: bytes, *names: bytes) -> Iterator[bytes]:
    """Yield the boxes that are reached by names, each inside the one before."""
    for inner in _inside(box, names[0]):
        if names[1:]:
            yield from _reached(inner, *names[1:])
        else:
            yield inner


def _inside(box: bytes, wanted: bytes) -> Iterator[bytes]:
    """Yield the boxes of a name that stand in another one, each with its head."""
    position = 16 if box[:4] == b"\0\0\0\1" else 8
    while position + 8 <= len(box):
        length, kind = int.from_bytes(box[position : position + 4], "big"), box[position + 4 : position + 8]
        length = int.from_bytes(box[position + 8 : position + 16], "big") if length == _LARGE else length or len(box) - position
        if length < 8:
            return
        if kind == wanted:
            yield box[position : position + length]
        position += length
