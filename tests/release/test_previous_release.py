"""A release that names the one before says what changed since, and is refused when its number does not."""

import json
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import toy_release
from scrubin.audit.expected import plan
from scrubin.base.errors import ReleaseError
from scrubin.base.tables.public import public_tables
from scrubin.data.diff import errata, previous
from scrubin.data.diff.comparison import compare
from scrubin.stages.release import added_files, assembly, audited_project
from scrubin.stages.release.metadata import documents
from scrubin.stages.release.release_params import Previous


@pytest.fixture
def complete(release, clean):
    """Complete the copy again: with another version, other tables, and the first one as the release before."""

    def completed(version: str, before: Path | str = clean.folder, **changed):
        release.tables |= changed
        declared = {name: table for name, table in public_tables(()).items() if name in ("videos", "frames", "splits")}
        params = replace(toy_release.PARAMS, version=version, previous=Previous(str(before)))
        forms = {errata.RELEASED: errata.text(())}
        rows = {name: release.tables[name] for name in declared}
        sheet = {f"{toy_release.TASK}.csv": (clean.folder / f"Annotation/{toy_release.TASK}.csv").read_text()}
        assembly.complete(release.folder, params, declared, rows, sheet, Fraction(1), "Nobody looked.", forms)
        return release

    return completed


def moved(release):
    return release.tables["splits"].assign(subset=lambda rows: rows.subset.where(rows.id != "abelo", "val"))


def test_a_number_that_fits_is_released_with_what_changed_and_stands_the_audit(complete):
    release = complete("1.2.4")
    document = json.loads(release.path(previous.NAME).read_text())
    assert (document["previous"], document["version"], document["step"]) == ("1.2.3", "1.2.4", "patch")
    assert "1.2.4 fits" in previous.note(release.folder)
    assert f"  {previous.NAME}\n" in release.path("SHA256SUMS").read_text()
    assert f"\n{previous.NAME}," in release.path("metadata/files.csv").read_text()
    assert release.findings() == []


def test_what_changed_is_what_the_finished_releases_say(complete, clean):
    released = complete("1.2.4")
    first = released.folder.with_name("first")
    shutil.copytree(released.folder, first)
    for before in (clean.folder, first):
        release = complete("1.2.4" if before is clean.folder else "1.2.5", before)
        said = {(one["what"], one["change"]): one["count"] for one in json.loads(release.path(previous.NAME).read_text())["changes"]}
        found = {(one.what, one.change): one.count for one in compare(before, release.folder).differences}
        assert said == found
        assert ("documents", "removed") not in said
        assert ("documents", "added") in said if before is clean.folder else said["documents", "changed"] > 1


def test_a_person_who_is_called_like_a_step_is_no_finding_in_what_changed(complete):
    text = complete("1.2.4").path(previous.NAME).read_text()
    stated = audited_project.of_params(toy_release.PARAMS, documents.fixed_texts(toy_release.PARAMS, public_tables(())))
    left = plan.without(stated, text + " Minor Major Mechthild")
    assert "Mechthild" in left
    assert not {"Minor", "Major", "patch", "step"} & set(left.split())
    assert previous.NAME in plan.FILES


def test_a_number_that_is_too_low_is_refused_with_the_lowest_that_fits(complete, release):
    with pytest.raises(
        ReleaseError, match=r"'release\.version': after 1\.2\.3 it is called 1\.3\.0.* set it to 2\.0\.0 or higher"
    ) as refused:
        complete("1.3.0", splits=moved(release))
    assert "balanced: 1 placement moved" in str(refused.value)
    assert not [name for name in added_files.ADDED_NAMES if release.path(name).exists()]


def test_who_was_moved_is_named_in_the_release(complete, release, clean):
    complete("2.0.0", splits=moved(release))
    document = json.loads(release.path(previous.NAME).read_text())
    (one,) = [one for one in document["changes"] if one["change"] == "moved"]
    assert one["moved"] == [{"id": "abelo", "fold": 0, "changed": {"subset": ["test", "val"]}}]
    assert compare(clean.folder, release.folder).verdict.fits


def test_a_higher_number_than_needed_is_said_and_passes(complete):
    assert "higher than needed (1.2.4)" in previous.note(complete("3.0.0").folder)


def test_who_is_gone_is_counted_and_never_named(complete, release):
    kept = {name: release.tables[name][lambda rows: rows.id != "dovanu"] for name in ("videos", "frames", "splits")}
    for path in [*release.folder.rglob("dovanu.mkv"), *release.folder.rglob("dovanu/*.jpg")]:
        path.unlink()
    complete("2.0.0", **kept)
    text = release.path(previous.NAME).read_text()
    assert "dovanu" not in text
    (gone,) = [one for one in json.loads(text)["changes"] if (one["kind"], one["change"]) == ("recordings", "removed")]
    assert (gone["count"], gone["recordings"]) == (1, {})


@pytest.mark.parametrize(
    ("before", "message"),
    [("nowhere", "'release.previous': nowhere: it is no release"), ("itself", "copy the release before to another folder")],
)
def test_what_is_no_release_before_is_named(complete, release, before, message):
    with pytest.raises(ReleaseError, match=message):
        complete("1.2.4", release.folder if before == "itself" else before)


def test_the_same_release_again_gives_the_same_bytes(complete):
    first = complete("1.2.4").path(previous.NAME).read_bytes()
    assert complete("1.2.4").path(previous.NAME).read_bytes() == first
