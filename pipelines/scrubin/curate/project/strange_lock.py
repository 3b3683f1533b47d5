"""A ``dvc.lock`` that was written with other withdrawals in memory than those of this clone."""

from __future__ import annotations

from pathlib import Path

from scrubin.audit.expected.withdrawal_memory import PATH
from scrubin.base import file_lists
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import Fault
from scrubin.base.layout import DEMO, RELEASE
from scrubin.curate.project import outputs
from scrubin.stages import withdrawals
from scrubin.stages.withdrawals import releases

WITHDRAWALS = "withdrawals"
"""The stage that writes the memory of those who withdrew."""


def told(raw: Path) -> list[Fault]:
    """Return what is to be looked at where the release that such a lock names is not here to compare with.

    Git brings it from another clone, or back from an older commit: which of the two it is, nobody can tell here. The lock of the synthetic
    study comes with every clone, and tells nothing of a study of one's own.

    Parameters
    ----------
    raw
        Folder of the raw study; that of the project where nobody knows it.
    """
    try:
        if raw == DEMO or not releases.PIPELINE.is_file() or not releases.names_release() or _is_known():
            return []
    except ReleaseError:  # DVC itself says what it cannot read
        return []
    memory = f"remembers other withdrawals than {PATH}" if PATH.is_file() else f"has {PATH}, which is missing here"
    there = f"is another one than {RELEASE}" if RELEASE.exists() else "is not here to compare with"
    pulled = f", or its release: dvc pull --allow-missing --force {RELEASE}" if releases.remotes(Path()) else ""
    what = f"it is of another clone or another commit, which {memory}, and the release that it names {there}"
    listed = raw / withdrawals.NAME if raw.parts else f"{withdrawals.NAME} of the raw study"
    fix = (
        f"of another clone: bring the rows of {listed} and {PATH} from there{pulled}; "
        f"of an own older commit: nothing, as long as {PATH} is the newest"
    )
    return [Fault(str(releases.LOCK), "remark", what, fix, severity="warning")]


def _is_known() -> bool:
    """Return whether the lock is of the synthetic study, states the memory that is here or none, or names the release that is here."""
    is_of_demo = {outputs.stated_raw(Path(), stage) for stage in (WITHDRAWALS, releases.STAGE)} == {DEMO}
    memory = outputs.stated_md5(Path(), PATH) in (None, outputs.md5_of(PATH) if PATH.is_file() else "")
    return is_of_demo or memory or outputs.is_in_place(Path(), RELEASE, file_lists.CHECKSUMS)
