"""Data sets in worker processes, as loaders use them."""

from __future__ import annotations

import multiprocessing

import numpy as np
import pytest

from scrubin.data.load import sources


def sums(dataset, key, indices):
    """What a worker sees of some items."""
    return [(item["id"], item["camera"], int(item[key].sum())) for item in (dataset[k] for k in indices)]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_that_are_forked_or_spawned_see_what_one_process_sees(release, method):
    frames = release.frames(labels=["triplets", "skill"])
    clips = release.clips(1, 1, 4, labels=["phases"])
    # The parent has decoders open, with threads that no fork takes along.
    expected = [sums(frames, "image", range(len(frames))), sums(clips, "images", range(len(clips)))]
    with multiprocessing.get_context(method).Pool(2) as pool:
        for dataset, key, alone in ((frames, "image", expected[0]), (clips, "images", expected[1])):
            parts = [range(worker, len(dataset), 2) for worker in range(2)]
            seen = pool.starmap_async(sums, [(dataset, key, part) for part in parts]).get(timeout=300)
            together = [None] * len(dataset)
            for part, of_worker in zip(parts, seen, strict=True):
                together[part.start :: 2] = of_worker
            assert together == alone


def test_few_decoders_stay_open(release):
    for item in release.clips(1, 1, 4, camera="all"):
        assert np.ndim(item["images"]) == 4
    assert 0 < len(sources._DECODERS._open) <= sources.KEPT_OPEN
