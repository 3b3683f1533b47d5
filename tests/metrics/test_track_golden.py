"""Every number of the golden cases of tracks, which TrackEval 1.3 made."""

import numpy as np
import pytest

import track_cases as cases
from scrubin.evaluate.metrics.tracks.combined import counted, results

TOLERANCE = 1e-12


@pytest.mark.parametrize("path", cases.GOLDEN, ids=lambda path: path.stem)
def test_tracks_have_the_numbers_of_trackeval(path):
    case = cases.golden(path)
    every = results(counted(cases.golden_videos(case), case["classes"], 0.5), "all", "compat", {})
    seen = set()
    for result in every:
        name, way = result.variant.metric.removeprefix("tracks "), result.variant.options["classes"]
        assert result.overall.value == pytest.approx(case["expected"][way][name], abs=TOLERANCE)
        for of, values in (("classes", result.classes), ("videos", result.videos if way == "one" else {})):
            assert {key: value.value for key, value in values.items()} == pytest.approx(
                {key: numbers[name] for key, numbers in case["expected"][of].items()} if values else {}, abs=TOLERANCE
            )
        seen.add((way, name))
    assert seen == {(way, name) for way in ("one", "averaged", "pooled") for name in case["expected"]["one"]}


def test_golden_cases_have_what_tells_metrics_apart():
    expected = [cases.golden(path)["expected"] for path in cases.GOLDEN]
    for name in ("IDSW", "Frag", "MT", "PT", "ML", "FP", "FN"):
        assert sum(one["one"][name] > 0 for one in expected) > 10, name
    for name in ("HOTA", "MOTA", "IDF1"):
        assert np.ptp([one["one"][name] for one in expected]) > 0.5
        assert any(len({round(one[way][name], 6) for way in ("one", "averaged", "pooled")}) == 3 for one in expected)


@pytest.mark.parametrize("path", cases.GOLDEN, ids=lambda path: path.stem)
def test_what_is_defined_by_the_papers_is_the_same_as_published(path):
    case = cases.golden(path)
    videos = cases.golden_videos(case)
    paper, compat = (cases.numbers(videos, case["classes"], semantics=semantics) for semantics in ("paper", "compat"))
    for (name, way), value in paper.items():
        if way != "averaged":
            assert value.n == compat[name, way].n
            assert value.defined == (value.n > 0)
            assert not value.defined or name == "Frag" or value == compat[name, way]
