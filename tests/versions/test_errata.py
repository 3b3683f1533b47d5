"""Known errors are held to the release that they go with, and read without any further package."""

import pandas as pd
import pytest
import yaml

from scrubin.base.errors import ReleaseError
from scrubin.curate.lists import empty_study
from scrubin.data.diff import errata

FRAMES = pd.DataFrame({"id": ["abelo"] * 3 + ["borunga"] * 2, "frame": [0, 1, 2, 0, 1]})
ENTRY = {"id": "E1", "since": "1.0.0", "severity": "warning", "what": "the phase is one frame late", "advice": "take the next version"}


@pytest.fixture
def curated(tmp_path):
    def read(entries, version="1.1.0"):
        path = tmp_path / "errata.yaml"
        path.write_text(entries if isinstance(entries, str) else yaml.safe_dump(entries), encoding="utf-8")
        return errata.curated(path, version, FRAMES)

    return read


def test_a_new_study_has_no_known_error(curated):
    assert curated(empty_study.LISTS[errata.NAME]) == curated("") == ()
    assert errata.NAME == empty_study.ERRATA


def test_what_is_written_is_read_again_and_is_yaml_as_well(curated, tmp_path):
    entries = curated([{**ENTRY, "id": "E2", "recordings": ["borunga", "abelo"], "frames": [[0, 2]], "fixed_in": "2.0.0"}, ENTRY])
    path = tmp_path / "released.yaml"
    path.write_text(errata.text(entries), encoding="utf-8")
    assert [one.id for one in errata.read(path)] == ["E1", "E2"]
    assert set(errata.read(path)) == set(entries)
    assert yaml.safe_load(path.read_text())[1]["recordings"] == ["abelo", "borunga"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"recordings": ["abello"]}, "did you mean 'abelo'?"),
        ({"recordings": ["2023-04-17_Li_Wei"]}, "write released ids"),
        ({"recordings": ["borunga"], "frames": [[1, 3]]}, r"frames 1 to 2 of 'borunga', whose last one is 1"),
        ({"frames": [[0, 1]]}, "must be null, as it names no recordings"),
        ({"recordings": ["abelo"], "frames": [[2, 2]]}, "such as"),
        ({"recordings": "abelo"}, "a list of released ids"),
        ({"since": "1.2.0"}, "since 1.2.0, but this release is 1.1.0"),
        ({"since": "1.0"}, "a version x.y.z"),
        ({"since": 1.0}, "'since' must be text, but is 1.0"),
        ({"fixed_in": "1.0.0"}, "a version after 1.0.0"),
        ({"severity": "bad"}, "one of note, warning, error"),
        ({"what": " "}, "'what' must be text"),
        ({"advise": "x"}, "did you mean 'advice'?"),
    ],
)
def test_what_is_wrong_with_an_entry_is_named(curated, change, message):
    with pytest.raises(ReleaseError, match=message.replace("?", r"\?")) as error:
        curated([{**ENTRY, **change}])
    assert "errata.yaml" in str(error.value)


def test_two_entries_of_one_name_are_refused(curated):
    with pytest.raises(ReleaseError, match="two entries are called 'E1'"):
        curated([ENTRY, ENTRY])


def test_a_key_that_stands_twice_is_refused(curated):
    text = yaml.safe_dump([ENTRY]) + "  severity: note\n"
    with pytest.raises(ReleaseError, match=r"errata\.yaml, line 6: the key '\[0\].severity' stands twice, first in line 3"):
        curated(text)


@pytest.mark.parametrize("text", ["a: [", "{}", "- x", "E1"])
def test_what_is_no_list_of_errors_is_refused(curated, text):
    with pytest.raises(ReleaseError, match=r"errata\.yaml"):
        curated(text)


def test_an_error_that_is_put_right_stays_without_recordings_that_are_gone(curated):
    (one,) = curated([{**ENTRY, "fixed_in": "1.1.0", "recordings": ["abelo", "gone"]}])
    assert one.recordings == ("abelo",)
    assert not one.touches("1.1.0")
    assert one.touches("1.0.10")


def test_a_version_is_a_number_and_no_text(curated):
    (one,) = curated([{**ENTRY, "since": "1.9.0", "fixed_in": "1.11.0"}], "1.10.0")
    assert one.touches("1.10.0")


def test_everything_that_is_wrong_with_any_entry_is_said_at_once(curated):
    with pytest.raises(ReleaseError) as refused:
        curated([ENTRY, {**ENTRY, "severity": "grave"}, {**ENTRY, "id": "E2", "since": "one"}, ENTRY])
    said = str(refused.value)
    for part in ("entry 2: 'severity' must be", "entry 3: 'since' must be", "two entries are called 'E1'"):
        assert part in said
    with pytest.raises(ReleaseError) as refused:
        curated([{**ENTRY, "recordings": ["abela"]}, {**ENTRY, "id": "E2", "since": "2.0.0"}])
    assert "E1: no released recording has the id 'abela'" in str(refused.value)
    assert "E2: it is since 2.0.0" in str(refused.value)
