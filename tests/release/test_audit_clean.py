"""A clean release has no findings, whatever its numbers happen to be."""

from scrubin.audit.expected.private_strings import Private
from scrubin.audit.run import audit


def test_a_clean_release_has_no_findings(release):
    assert release.findings() == []


def test_the_audit_changes_nothing(release):
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in release.folder.rglob("*")}
    release.findings()
    assert before == {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in release.folder.rglob("*")}


def test_numbers_that_look_like_a_short_date_are_no_leak_in_a_table(release):
    """170423 is 17 April 2023, but also a frame number; 0.170423 stands in the clean release already."""
    text = "id;frames\n" + "".join(f"{id_};170423\n" for id_ in sorted(release.plan.ids))
    assert release.rules_after(lambda: release.path("tables/counts.csv").write_text(text)) == set()


def test_a_release_can_be_audited_without_a_plan(release):
    assert audit(release.folder, release.private).findings == []
    assert audit(release.folder, Private()).findings == []
