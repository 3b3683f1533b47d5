"""The compat semantics against the published package itself."""

import warnings

import numpy as np
import pytest
import sklearn
from ivtmetrics import recognition as package

import recognition_cases as cases
from scrubin.evaluate.metrics.recognition import TripletVideo, compat
from scrubin.evaluate.metrics.recognition.top_k import top_k
from scrubin.evaluate.metrics.variants import COMPONENTS

TRIPLETS = cases.cholect50()
RELEASE = "<=1.5" if tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 6) else ">=1.6"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_all_numbers_of_random_videos_with_ties_are_the_published_ones(seed):
    rng = np.random.default_rng(seed)
    videos = []
    for number in range(3):
        frames = int(rng.integers(1, 60))
        scores = rng.random((frames, 100)) if seed % 2 else (rng.integers(0, 9, (frames, 100)) / 8).astype(np.float32)
        videos.append(TripletVideo(str(number), (rng.random((frames, 100)) < (0, 0.01, 0.1)[number]).astype(int), scores))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        theirs = package.Recognition(100)
        for video in videos:
            theirs.update(video.targets, video.scores)
            theirs.video_end()
        ours = compat.of_videos(videos, TRIPLETS, scikit_learn=RELEASE)
        for name in COMPONENTS:
            for ignore_null in (False, True):
                for got, expected in (
                    (ours.compute_video_ap(name, ignore_null), theirs.compute_video_AP(name, ignore_null)),
                    (ours.compute_global_ap(name, ignore_null), theirs.compute_global_AP(name, ignore_null)),
                ):
                    np.testing.assert_allclose([value.value for value in got.classes.values()], expected["AP"], rtol=0, atol=1e-12)
                    np.testing.assert_allclose(got.overall.value, expected["mAP"], rtol=0, atol=1e-12)
            np.testing.assert_allclose(
                [value for _, value in ours.top_class(10, name)], list(theirs.topClass(10, name).values()), rtol=0, atol=1e-12
            )
            bounds = top_k(videos, TRIPLETS, 5, name)
            assert bounds.least - 1e-12 <= theirs.topK(5, name) <= bounds.most + 1e-12
