"""Where recordings were put behind each other in a transport stream (ITU-T H.222.0 | ISO/IEC 13818-1, 2.4.3).

Every packet counts on from the one before it of its PID. Where the count breaks, packets were lost, or another recording begins. Only
one thing tells them apart for certain: a recording begins with its tables, and all its PIDs begin to count at 0 with the start of a unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scrubin.media.containers.pieces import Pieces

SYNC, COUNTS = 0x47, 16
PACKET_BYTES = 188
CLOCK_BYTES = 4
"""What cameras (AVCHD, .m2ts) write in front of each packet."""
PACKETS = 8192
TABLE_OF_PROGRAMS, NOTHING = 0, 0x1FFF


def joins(path: Path, pid: int) -> tuple[int, ...] | None:
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
    for place, packet in _packets(path):
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
        if broken and own == pid:
            places.append(begins)
    return tuple(places) if pid in begun else None


def _says_so(packet: bytes) -> bool:
    """Whether a packet announces that its count is a new one (discontinuity_indicator)."""
    return bool(packet[3] & 0x20) and packet[4] > 0 and bool(packet[5] & 0x80)


def _packets(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Yield where a packet of a transport stream begins, and the packet; None where the stream is out of step, or is none."""
    file = Pieces(path)
    head = file.read(CLOCK_BYTES + 1)
    before = 0 if head[:1] == bytes([SYNC]) else CLOCK_BYTES
    size = before + PACKET_BYTES
    file.seek(0)
    for number, chunk in enumerate(file.chunks(PACKETS * size)):
        for start in range(before, len(chunk) - PACKET_BYTES + 1, size):
            place = number * PACKETS * size + start - before
            yield place, chunk[start : start + PACKET_BYTES] if chunk[start] == SYNC else None
