"""What the pipeline will do with a drafted study: what is copied, what is encoded, how long it takes, how much room it needs.

Only heads of files are known. What their packets hold, what is cut and what is hidden decides in the end how much is encoded.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scrubin.curate.draft.draft import DraftRow
from scrubin.stages.render.effort import BESIDE_VIDEOS, ENCODED_GROWTH, MOST_BYTES_PER_PIXEL, frames_s
from scrubin.stages.render.parts import REENCODE
from scrubin.stages.render.render_params import RenderParams

# Films of operations and of rooms on two cores, all detectors on; on another machine as wrong as that machine is faster or slower.
SCREENED_MEGAPIXELS_PER_S, SCREENED_FRAMES_PER_S, SCREENING_START_S = 200.0, 700.0, 0.5
# A released video is decoded when it is held to its plan, when frames are taken, and when the release is audited.
DECODED_MEGAPIXELS_PER_S, DECODINGS = 200.0, 3
# Read to its end three times: for its hash, its packets and its groups of pictures.
READ_BYTES_PER_S, READS = 200e6, 3
# A released video lies in the store, in DVC's cache and in the release.
COPIES = 3


@dataclass(frozen=True)
class Forecast:
    """What a drafted study will cost at most, on two cores.

    Parameters
    ----------
    copied, encoded
        Number of files of which groups of pictures may be copied, and of those that are encoded as a whole.
    copied_s, encoded_s
        How long they play, in seconds.
    whys
        Number of files by the reason for which they are encoded.
    unknown_length
        Number of files that do not say how long they are: they are in no number below.
    reading_s, screening_s, rendering_s, proving_s
        Seconds of work; the last is decoding what was rendered.
    new_bytes
        Size of all released videos.
    needed_bytes
        Room for everything that is made of them.
    """

    copied: int
    encoded: int
    copied_s: float
    encoded_s: float
    whys: dict[str, int]
    unknown_length: int
    reading_s: float
    screening_s: float
    rendering_s: float
    proving_s: float
    new_bytes: int
    needed_bytes: int

    @property
    def work_s(self) -> float:
        """Seconds of all work together."""
        return math.fsum((self.reading_s, self.screening_s, self.rendering_s, self.proving_s))


def why_encoded(row: DraftRow, params: RenderParams) -> str:
    """Return why a file is encoded as a whole, "" when groups of pictures may be copied."""
    return row.header.why_encoded or ("render.mode is reencode" if params.mode == REENCODE else "")


def forecast(rows: Sequence[DraftRow], params: RenderParams) -> Forecast:
    """Return what the rows will cost if all of each recording is kept and nothing is hidden."""
    encoded = [row for row in rows if why_encoded(row, params)]
    copied = [row for row in rows if not why_encoded(row, params)]
    # What stands in brackets differs from file to file.
    whys = Counter(why_encoded(row, params).partition(" (")[0] for row in encoded)
    new_bytes = math.ceil(math.fsum(_new_bytes(row, is_copied=not why_encoded(row, params)) for row in rows))
    return Forecast(
        copied=len(copied),
        encoded=len(encoded),
        copied_s=_length_s(copied),
        encoded_s=_length_s(encoded),
        whys=dict(sorted(whys.items(), key=lambda item: (-item[1], item[0]))),
        unknown_length=len([row for row in rows if row.header.frame_count is None]),
        reading_s=round(READS * math.fsum(row.size_bytes for row in rows) / READ_BYTES_PER_S, 1),
        screening_s=round(math.fsum(map(_screening_s, rows)), 1),
        rendering_s=round(math.fsum(_rendering_s(row, params) for row in rows), 1),
        proving_s=round(DECODINGS * math.fsum(map(_megapixels, rows)) / DECODED_MEGAPIXELS_PER_S, 1),
        new_bytes=new_bytes,
        needed_bytes=math.ceil(COPIES * BESIDE_VIDEOS * new_bytes),
    )


def _length_s(rows: Sequence[DraftRow]) -> float:
    return round(math.fsum(row.header.duration_s or 0.0 for row in rows), 1)


def _megapixels(row: DraftRow) -> float:
    return (row.header.frame_count or 0) * row.header.width * row.header.height / 1e6


def _screening_s(row: DraftRow) -> float:
    return SCREENING_START_S + _megapixels(row) / SCREENED_MEGAPIXELS_PER_S + (row.header.frame_count or 0) / SCREENED_FRAMES_PER_S


def _rendering_s(row: DraftRow, params: RenderParams) -> float:
    frames, size_px = row.header.frame_count or 0, (row.header.width, row.header.height)
    return frames_s(0, frames, size_px, params.preset) if why_encoded(row, params) else frames_s(frames, 0, size_px, params.preset)


def _new_bytes(row: DraftRow, *, is_copied: bool) -> float:
    frames = row.header.frame_count or 0
    if is_copied or not frames:
        return row.size_bytes
    return min(ENCODED_GROWTH * row.size_bytes, MOST_BYTES_PER_PIXEL * row.header.width * row.header.height * frames)
