"""What the last release had and this one lacks is named, until somebody says that it may go."""

import dataclasses
import json

import pandas as pd
import pytest

from scrubin.base.errors import ReleaseError
from scrubin.stages.release import gates
from scrubin.stages.release.release_params import ReleaseParams

PARAMS = ReleaseParams("a-study", "A study", "1.1.0", "CC-BY-4.0", True, "continue", "required")
LINKAGE = pd.DataFrame({"recording": ["Anna_T1", "Ben_T1", "Carl_T1", "not released"], "id": ["glim", "snurp", "bliv", "quen"]})
VIDEOS = pd.DataFrame({"id": ["glim", "glim", "snurp", "bliv"], "camera": ["left", "right", "mono", "mono"]})


def now(*ids: str):
    return gates.kept_for_next(PARAMS, LINKAGE, VIDEOS[VIDEOS.id.isin(ids)])


@pytest.fixture
def last(tmp_path):
    path = tmp_path / "released.json"
    path.write_text(json.dumps(now("glim", "snurp", "bliv")))
    return gates.last_release("a-study", path)


def test_what_is_kept_of_a_release_is_its_recordings_with_their_ids():
    assert now("glim", "bliv") == {"name": "a-study", "version": "1.1.0", "recordings": {"Anna_T1": "glim", "Carl_T1": "bliv"}}


def test_a_release_that_lacks_recordings_stops_and_names_each_with_its_reason(last):
    recordings = pd.DataFrame({"recording": ["Ben_T1"], "status": ["excluded"], "reason": ["the curator: consent"]})
    quarantine = pd.DataFrame(
        {"recording": ["Anna_T1"], "path": ["videos/a.mkv"], "reason": ["the file is missing"], "mend": ["put it there"]}
    )
    why = gates.reasons_lost(recordings, quarantine, [])
    missing = gates.lost_recordings(last, now())
    with pytest.raises(ReleaseError) as caught:
        gates.refuse_shrinking(last, missing, why, may_shrink=False)
    text = str(caught.value)
    assert "version 1.1.0 had 3 recordings that this release lacks" in text
    assert "'Anna_T1' (glim): videos/a.mkv: the file is missing; put it there" in text
    assert "'Ben_T1' (snurp): the curator: consent" in text
    assert "'Carl_T1' (bliv): recordings.csv does not list it any more" in text
    assert "release.may_shrink" in text


def test_one_lost_is_noticed_also_when_another_came(last):
    grown = {**now("glim", "snurp"), "recordings": {**now("glim", "snurp")["recordings"], "Dora_T1": "new"}}
    assert gates.lost_recordings(last, grown) == {"Carl_T1": "bliv"}


def test_it_may_shrink_when_somebody_says_so_and_that_is_said_until_it_is_taken_back(last):
    missing = gates.lost_recordings(last, now("glim"))
    gates.refuse_shrinking(last, missing, {}, may_shrink=True)
    assert "gone from the last release: 2 recordings, 'Ben_T1', 'Carl_T1'" in (gates.shrinking_warning(missing, may_shrink=True) or "")
    assert "nothing is gone; set it to false again" in (gates.shrinking_warning({}, may_shrink=True) or "")
    assert gates.shrinking_warning({}, may_shrink=False) is None


def test_the_same_recordings_or_more_are_no_loss(last):
    gates.refuse_shrinking(last, gates.lost_recordings(last, now("glim", "snurp", "bliv")), {}, may_shrink=False)


def test_another_study_and_a_first_release_have_nothing_to_lose(tmp_path):
    path = tmp_path / "released.json"
    assert gates.lost_recordings(gates.last_release("a-study", path), now()) == {}
    path.write_text(json.dumps(dataclasses.asdict(PARAMS) | now("glim")))
    assert gates.lost_recordings(gates.last_release("another-study", path), now()) == {}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": "a-study"}', '{"name": "a-study", "recordings": 3, "version": ""}'])
def test_a_record_that_cannot_be_read_stops_the_release(tmp_path, text):
    path = tmp_path / "released.json"
    path.write_text(text)
    with pytest.raises(ReleaseError, match=r"released\.json: it does not say what the last release held"):
        gates.last_release("a-study", path)


def test_whoever_changed_sides_since_the_last_release_is_counted_by_split_and_nobody_else():
    def kept(version: str, **places: list[list[object]]) -> dict[str, object]:
        return {"version": version, "splits": {"places": places}}

    stays = [[0, "train", "glim"], [0, "test", "snurp"]]
    folds = [[0, "train", "glim"], [0, "test", "snurp"], [1, "test", "glim"], [1, "train", "snurp"]]
    swapped = [[fold, {"train": "test", "test": "train"}[subset], id_] for fold, subset, id_ in folds]
    last = kept("1.0.0", thirds=stays, five_folds=[*folds, [0, "test", "gone"]], dropped=stays)
    lines = gates.moved_lines(last, kept("1.1.0", thirds=[*stays[::-1], [0, "test", "new"]], five_folds=swapped, added=stays))
    assert len(lines) == 1
    assert lines[0].startswith("split 'five_folds': 2 of the 2 recordings that version 1.0.0 had as well moved from one subset to another")
    assert gates.moved_lines({"version": "1.0.0"}, last) == [], "an earlier edition kept no splits"


def test_a_fold_that_comes_or_goes_moves_nobody_in_the_others():
    def left_out_one_by_one(names):
        rows = [[fold, "test" if name == out else "train", name] for fold, out in enumerate(names) for name in names]
        return {"version": "1.0.0", "splits": {"places": {"sites": rows}}}

    for old, new in (("abc", "abcd"), ("abcd", "abc")):
        assert gates.moved_lines(left_out_one_by_one(old), left_out_one_by_one(new)) == []
