"""Which bytes of an MP4 file are pictures: what no sample uses can hide something.

Source: ISO/IEC 14496-12, sections 8.7.3 (stsz), 8.7.4 (stsc) and 8.7.5 (stco).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

Range = tuple[int, int]


@dataclass
class Samples:
    """The sample tables of one track and the media of its file.

    Parameters
    ----------
    media
        First and end byte of every media box.
    sizes
        Bytes of each sample.
    runs
        First chunk (from 1) of each run of chunks, and how many samples each of its chunks holds.
    chunks
        First byte of each chunk.
    """

    media: list[Range] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    runs: list[tuple[int, int]] = field(default_factory=list)
    chunks: list[int] = field(default_factory=list)

    def faults(self) -> Iterator[str]:
        """Yield what the samples leave out of the media, use twice, or seek outside of them."""
        used = sorted(self._ranges())
        if self._held() != len(self.sizes):
            yield f"its chunks hold {self._held()} pictures, its table of sizes {len(self.sizes)}; write the file again"
        position = 0
        twice = sum(max(0, min(before[1], after[1]) - after[0]) for before, after in pairwise(used))
        if twice:
            yield f"{twice} bytes belong to two pictures; write the file again"
        inside = 0
        for start, end in sorted(self.media):
            position = start
            for first, last in used:
                if start <= first and last <= end:
                    inside += 1
                    if first > position:
                        yield f"{first - position} bytes at byte {position} belong to no picture; write the file again"
                    position = max(position, last)
            if end > position:
                yield f"{end - position} bytes at byte {position} belong to no picture; write the file again"
        if inside != len(used):
            yield f"{len(used) - inside} chunks lie outside the media; write the file again"

    def _per_chunk(self) -> list[int]:
        counts: list[int] = []
        ends = [*(first for first, _ in self.runs[1:]), len(self.chunks) + 1][: len(self.runs)]
        for (first, held), following in zip(self.runs, ends, strict=True):
            counts += [held] * min(max(0, following - first), len(self.chunks) - len(counts))
        return counts

    def _held(self) -> int:
        return sum(self._per_chunk())

    def _ranges(self) -> list[Range]:
        """Return first and end byte of the samples of each chunk, which lie one behind the other."""
        ranges, sample = [], 0
        for start, held in zip(self.chunks, self._per_chunk(), strict=False):
            size = sum(self.sizes[sample : sample + held])
            sample += held
            if size:
                ranges.append((start, start + size))
        return ranges
