"""What stops a release before anything is written, and the parameters of the stage."""

import pandas as pd
import pytest
import yaml

from scrubin.audit.expected import Fault, plan
from scrubin.audit.pictures import decoding
from scrubin.audit.pictures.decoding import Examination
from scrubin.audit.pictures.looks import Counts, Looked, Sighting
from scrubin.audit.pictures.stored import Fresh, Stored, examine_stored
from scrubin.base import params
from scrubin.base.errors import ParamsError, ReleaseError
from scrubin.base.files import sha256_of
from scrubin.stages.release import gates
from scrubin.stages.release.release_params import ReleaseParams

QUARANTINE = pd.DataFrame(
    [
        {"recording": "r2", "camera": "left", "stage": "render", "path": "videos/b.mkv", "reason": "it is cut", "mend": "copy it again"},
        {
            "recording": "r1",
            "camera": "left",
            "stage": "ingest",
            "path": "videos/a.mkv",
            "reason": "it is empty",
            "mend": "export it again",
        },
    ]
)
SECTION = {
    "name": "a-study",
    "title": "A study",
    "version": "1.0.0",
    "license": "CC-BY-4.0",
    "archives": True,
    "on_quarantine": "continue",
    "review": "required",
    "may_shrink": False,
    "description": None,
    "creators": [],
    "publisher": None,
    "contact": None,
    "url": None,
    "doi": None,
    "date_published": None,
    "keywords": [],
    "previous": None,
    "public_words": [],
}


def load(tmp_path, **changes) -> ReleaseParams:
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump({"release": SECTION | changes}))
    return params.load("release", ReleaseParams, path)


@pytest.mark.parametrize("text", ['{"verdict": "failed"}', "{}", "not json", '{"verdict": 1}', "[]"])
def test_a_study_that_did_not_pass_validation_is_not_released(tmp_path, text):
    path = tmp_path / "validation.json"
    path.write_text(text)
    with pytest.raises(ReleaseError, match=r"validation\.json"):
        gates.require_valid(path)


def test_a_study_that_passed_goes_on_and_one_that_was_not_validated_does_not(tmp_path):
    with pytest.raises(ReleaseError, match="run 'dvc repro validate'"):
        gates.require_valid(tmp_path / "validation.json")
    (tmp_path / "validation.json").write_text('{"verdict": "passed"}')
    gates.require_valid(tmp_path / "validation.json")


def test_stop_lists_every_quarantined_file():
    with pytest.raises(
        ReleaseError,
        match=r"2 files are quarantined .*\n  '.*': videos/a.mkv: it is empty; export it again\n  '.*': videos/b.mkv: it is cut",
    ):
        gates.refuse_quarantined(gates.joined_quarantine([QUARANTINE, QUARANTINE.head(0)]), "stop")


def test_each_quarantined_file_takes_one_line_whatever_its_name():
    named = QUARANTINE.assign(path="videos/a\nb.mkv")
    found = [line.partition(": ") for line in gates.quarantine_lines(named)]
    assert [rest for _, _, rest in found] == ["videos/a b.mkv: it is cut; copy it again", "videos/a b.mkv: it is empty; export it again"]
    assert {name.strip("'") for name, _, _ in found} == set(QUARANTINE.recording)


def test_continue_and_an_empty_quarantine_go_on():
    gates.refuse_quarantined(QUARANTINE, "continue")
    gates.refuse_quarantined(gates.joined_quarantine([QUARANTINE.head(0)]), "stop")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": "1.0"}, "'release.version' must be three numbers x.y.z, such as 1.0.0, but is '1.0'"),
        ({"version": "01.0.0"}, "'release.version' must be three numbers"),
        ({"name": "My Study"}, "'release.name' must be lower-case words"),
        ({"title": " x"}, "'release.title' must be one line of text"),
        ({"license": "CC BY"}, "'release.license' must be an SPDX identifier"),
        ({"on_quarantine": "stopp"}, "did you mean 'stop'?"),
        ({"date_published": "2026-02-30"}, "no date of the calendar"),
        ({"doi": "zenodo.1"}, "'release.doi' must be a DOI"),
        ({"url": "example.org"}, "'release.url' must be the address of a page"),
        ({"creators": [{"name": "Doe, Jane", "orcid": "1", "affiliation": None}]}, "is no ORCID"),
        ({"archive": True}, "did you mean 'archives'?"),
    ],
)
def test_a_wrong_parameter_names_key_and_mend(tmp_path, change, message):
    with pytest.raises(ParamsError) as caught:
        load(tmp_path, **change)
    assert message in str(caught.value)


def test_videos_and_cuts_must_name_the_same_files():
    videos = pd.DataFrame({"id": ["a"], "camera": ["left"]})
    cuts = pd.DataFrame({"id": ["b"], "camera": ["left"], "frame_count": [1]})
    with pytest.raises(ReleaseError, match="do not name the same videos: a left, b left"):
        plan.of_tables(videos, videos, cuts, videos.head(0), {})


def test_the_same_video_is_decoded_once(release, tmp_path, monkeypatch):
    calls = []
    still = release.plan.videos[0].stills[0].path
    looked = Looked((Sighting(still, 0, 0.0, (1, 2, 3, 4), 0.9, "Mechthild"), Sighting("", 7, 0.35, (1, 2, 3, 4), 0.8)), Counts(9, 2, 1))
    seen = Examination([Fault("not-black", "frame 1", "x")], {}, 20, 2, looked)
    monkeypatch.setattr(decoding, "examine", lambda path, *_: calls.append(path) or seen)
    first, second = release.plan.videos[:2]  # other names of the same bytes
    assert examine_stored(release.folder, first, tmp_path / "store") == seen
    assert examine_stored(release.folder, second, tmp_path / "store").looked.sightings[0].still == second.stills[0].path
    assert len(calls) == 1
    examine_stored(release.folder, first, tmp_path / "store", "every")
    assert len(calls) == 2
    release.path(first.path).write_bytes(b"other bytes")
    examine_stored(release.folder, first, tmp_path / "store")
    assert len(calls) == 3


def test_a_planned_video_is_looked_up_and_any_other_is_decoded(release, tmp_path, monkeypatch):
    calls, watch = [], decoding.examine
    monkeypatch.setattr(decoding, "examine", lambda path, *rest: calls.append(path) or watch(path, *rest))
    kept, video = Stored(release.folder, tmp_path / "store", "none"), release.plan.videos[0]
    sha256 = {video.path: sha256_of(release.video)}
    assert kept(release.video, video, sha256) == kept(release.video, video, {}) == Examination([], {}, 20, 2)
    assert len(calls) == 1
    assert kept(release.video, None, sha256) == Examination([], {}, 20, 0)
    assert Fresh(release.folder, "none")(release.video, video, sha256) == Examination([], {}, 20, 2)
    assert len(calls) == 3


def test_a_quarantined_recording_that_somebody_acknowledged_stops_nothing():
    known = set(QUARANTINE.recording)
    gates.refuse_quarantined(QUARANTINE, "stop", known)
    with pytest.raises(ReleaseError, match="files are quarantined"):
        gates.refuse_quarantined(QUARANTINE, "stop", set(sorted(known)[1:]))
