"""Where recordings were put behind each other in a transport stream (ITU-T H.222.0 | ISO/IEC 13818-1, 2.4.3).

Every packet counts on from the one before it of its PID. Where the count breaks, packets were lost, or another recording begins. Only
one thing tells them apart for certain: a recording begins with its tables, and all its PIDs begin to count at 0 with the start of a unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from scrubin.media.containers.pieces import Pieces

SYNC, COUNTS = 0x47, 16
PACKET_BYTES = 188
LAYOUTS = {PACKET_BYTES: 0, 4 + PACKET_BYTES: 4, PACKET_BYTES + 16: 0}
"""How far one packet is from the next, and how much stands in front of it: a clock of cameras (AVCHD, .m2ts). Receivers write behind it."""
LOOKED_BYTES = 1 << 14
PACKETS = 8192
HEAD_BYTES = 6
TABLE_OF_PROGRAMS, NOTHING = 0, 0x1FFF


def joins(file: Pieces, pid: int) -> tuple[int, ...] | None:
    """Return the bytes at which another recording begins whose pictures do not count on; None where something may be lost.

    Parameters
    ----------
    pid
        That of the pictures.

    Raises
    ------
    OSError
        When the file cannot be read.
    """
    last: dict[int, int] = {}
    begun: set[int] = set(range(NOTHING))  # PIDs of the recording that is under way; at first, nobody knows how they began
    begins, places = 0, []
    for place, packet in _packets(file):
        if packet is None or packet[1] & 0x80:
            return None  # out of step, or marked as damaged by the receiver
        own = (packet[1] & 0x1F) << 8 | packet[2]
        if own == NOTHING or not packet[3] & 0x10:
            continue  # without content it does not count
        count, starts = packet[3] & 0x0F, bool(packet[1] & 0x40)
        broken = own in last and count != (last[own] + 1) % COUNTS and not _says_so(packet)
        last[own] = count
        if broken and own in begun:
            begun, begins = set(), place
        if own in begun:
            continue
        if count != 0 or not starts or (own == pid and TABLE_OF_PROGRAMS not in begun):
            return None
        begun.add(own)
        if own == pid:
            places.append(begins)  # also where its count happens to go on: all others begin again
    return tuple(places) if pid in begun else None


def first_breaks(file: Pieces, pids: Sequence[int]) -> dict[int, int]:
    """Return for those of these PIDs whose count breaks without a word the byte of the first packet that does not count on.

    FFmpeg says nothing of a break in the first picture, and nothing of one in the tables. What is in front of the first start of a unit
    does not count, nor what is behind the place at which the stream is out of step.

    Raises
    ------
    OSError
        When the file cannot be read.
    """
    found: dict[int, int] = {}
    last: dict[int, int] = {}
    before, size = _layout(file)
    for number, chunk in enumerate(file.chunks(PACKETS * size)):
        packets = np.frombuffer(chunk, np.uint8, len(chunk) // size * size).reshape(-1, size)
        heads = packets[:, before : before + HEAD_BYTES].astype(np.int64)
        in_step = np.logical_and.accumulate(heads[:, 0] == SYNC)
        heads = heads[in_step]
        own = (heads[:, 1] & 0x1F) << 8 | heads[:, 2]
        for pid in set(pids) - set(found):
            rows = np.flatnonzero((own == pid) & (heads[:, 3] & 0x30 > 0))  # others are reserved: receivers drop them
            if pid not in last:
                rows = rows[np.maximum.accumulate(heads[rows, 1] & 0x40 > 0)]
            if not rows.size:
                continue
            controls, counts = heads[rows, 3], heads[rows, 3] & 0x0F
            holds = controls & 0x10 > 0  # without content it does not count
            steps = np.diff(counts, prepend=last.get(pid, counts[0] - holds[0])) % COUNTS
            says_so = (controls & 0x20 > 0) & (heads[rows, 4] > 0) & (heads[rows, 5] & 0x80 > 0)
            broken = rows[(steps > holds) & ~says_so]  # with content it may be sent twice
            if broken.size:
                found[pid] = (number * PACKETS + int(broken[0])) * size
            last[pid] = int(counts[-1])
        if not in_step.all():
            break
    return found


def _says_so(packet: bytes) -> bool:
    """Whether a packet announces that its count is a new one (discontinuity_indicator)."""
    return bool(packet[3] & 0x20) and packet[4] > 0 and bool(packet[5] & 0x80)


def _packets(file: Pieces) -> Iterator[tuple[int, bytes | None]]:
    """Yield where a packet of a transport stream begins, and the packet; None where the stream is out of step, or is none."""
    before, size = _layout(file)
    for number, chunk in enumerate(file.chunks(PACKETS * size)):
        for start in range(before, len(chunk) - PACKET_BYTES + 1, size):
            place = number * PACKETS * size + start - before
            yield place, chunk[start : start + PACKET_BYTES] if chunk[start] == SYNC else None


def _layout(file: Pieces) -> tuple[int, int]:
    """Return how many bytes stand in front of each packet, and how far one is from the next; the file is wound to its start."""
    file.seek(0)
    head = np.frombuffer(file.read(LOOKED_BYTES), np.uint8)
    file.seek(0)
    size = max(LAYOUTS, key=lambda size: float(np.mean(head[LAYOUTS[size] :: size] == SYNC)))
    return LAYOUTS[size], size
