"""What near-duplicates cost as a study grows, and which copies are found: every pair compared, and by the index of frames.

    python benchmarks/near_duplicate_growth.py            # 160 to 2,540 recordings both ways, 25,000 by the index alone
    python benchmarks/near_duplicate_growth.py 160 320

Recordings are drawn as hashes of frames, no video is needed: of one room, in which 40 of 64 bits never change and all begin and end with
the same still picture of 20 s; of rooms of their own; and short ones of 8 frames. Copies of ten recordings each are added per disturbance.
"Lost" are pairs that are accepted when every pair is compared and that the index does not name. Each row is a process of its own.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np

from scrubin.stages.validate.hashed_videos import HashedVideo
from scrubin.stages.validate.near_duplicates import Limits, pairs

LIMITS = Limits(evidence_bits=20, min_frames=20)
SIZES = (160, 320, 640, 2540, 25_000)
EVERY_PAIR_UP_TO = 2540
COPIES = 10
STILL = np.uint64(0x0123456789ABCDEF)
STUDIES = {
    # name: frames, bits that never change, still frames at both ends
    "one room, still ends": (150, 40, 20),
    "rooms of their own": (150, 0, 0),
    "short": (8, 0, 0),
}
HOWS = ("encoded again", "badly encoded", "cut", "half a frame later", "in another film")
MOVING = 0.04
NOISE = {"badly encoded": 0.1}

Pair = tuple[str, str]
Row = tuple[float, int, set[Pair]]


def packed(bits: np.ndarray) -> np.ndarray:
    """Return hashes of bits, shape (..., 64)."""
    return np.packbits(bits.astype(np.uint8), axis=-1).view(np.uint64)[..., 0]


def films(count: int, frames: int, fixed: int, still: int) -> np.ndarray:
    """Return hashes, shape (count, frames): every bit that can change flips now and then."""
    room = np.random.default_rng(99).integers(0, 2, fixed)
    parts = []
    for first in range(0, count, 250):
        rng = np.random.default_rng([first, frames, fixed])
        flips = rng.random((min(250, count - first), frames, 64), dtype=np.float32) < MOVING
        bits = (rng.integers(0, 2, (len(flips), 1, 64), dtype=np.uint8) + np.cumsum(flips, axis=1, dtype=np.uint8)) % 2
        bits[:, :, :fixed] = room
        parts.append(packed(bits))
    hashes = np.concatenate(parts)
    hashes[:, :still] = hashes[:, frames - still :] = STILL
    return hashes


def copy(how: str, hashes: np.ndarray, other: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a disturbed copy of a film."""
    third = len(hashes) // 3
    if how == "cut":
        hashes = hashes[third : 2 * third + 2]
    if how == "half a frame later":
        flipped = packed(rng.random((len(hashes) - 1, 64)) < 0.5)
        hashes = (hashes[:-1] & ~flipped) | (hashes[1:] & flipped)
    if how == "in another film":
        hashes = np.concatenate([other[:third], hashes[third : 2 * third], other[third:]])
    return hashes ^ packed(rng.random((len(hashes), 64)) < NOISE.get(how, 0.02))


def study(kind: str, count: int) -> list[HashedVideo]:
    """Return the films of a study and copies of some of them, named after these."""
    hashes, rng = films(count, *STUDIES[kind]), np.random.default_rng(7)
    named = {f"{k}": one for k, one in enumerate(hashes)}
    # Nothing of 8 frames can be a part of another.
    for how in HOWS[: 2 if kind == "short" else None]:
        for k in rng.choice(count // 2, COPIES, replace=False):
            named[f"copy of {k}, {how}"] = copy(how, hashes[k], hashes[-1 - k][::-1], rng)
    return [HashedVideo(name, "mono", one, np.ones(len(one), dtype=bool)) for name, one in named.items()]


def run(kind: str, count: int, every_pair: int) -> Row:
    """Return CPU seconds, peak memory in MB and the pairs of one study, in a process of its own."""
    videos = study(kind, count)
    begin = time.process_time()
    rows = pairs(videos, LIMITS, every_pair=every_pair)
    spent = time.process_time() - begin
    return spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, set(zip(rows["one"], rows["other"], strict=True))


def planted(rows: set[Pair]) -> int:
    """Return how many copies are named with their source."""
    return sum(sorted(pair)[1].startswith(f"copy of {sorted(pair)[0]},") for pair in rows)


def measured(kind: str, count: int, every_pair: int) -> Row:
    """Return what ``run`` returns in a new process, whose memory is its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(run, kind, count, every_pair).result()


def main() -> None:
    """Print the table."""
    sizes = [int(one) for one in sys.argv[1:]] or SIZES
    print(f"{'study':22}{'films':>7} | {'every pair: CPU s':>18}{'MB':>6}{'copies':>10}{'others':>8} | ", end="")
    print(f"{'index: CPU s':>13}{'MB':>6}{'copies':>10}{'others':>8}{'lost':>6}")
    for kind, count in product(STUDIES, sizes):
        copies = COPIES * (2 if kind == "short" else len(HOWS))
        before = measured(kind, count, count + copies) if count <= EVERY_PAIR_UP_TO else None
        spent, peak, found = measured(kind, count, 0)
        print(f"{kind:22}{count:>7} | ", end="")
        if before:
            print(f"{before[0]:>18.1f}{before[1]:>6}{planted(before[2]):>5} of {copies}{len(before[2]) - planted(before[2]):>7} | ", end="")
        else:
            print(f"{'-':>18}{'-':>6}{'-':>10}{'-':>8} | ", end="")
        print(f"{spent:>13.1f}{peak:>6}{planted(found):>4} of {copies}{len(found) - planted(found):>8}", end="")
        print(f"{len(before[2] - found) if before else '-':>6}", flush=True)


if __name__ == "__main__":
    main()
