"""A ``dvc.lock`` that was written with other withdrawals in memory than those of this clone."""

from __future__ import annotations

import contextlib
from pathlib import Path

from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.withdrawal_memory import PATH
from scrubin.base import file_lists
from scrubin.base.errors import PrivacyError
from scrubin.base.faults import Fault
from scrubin.base.layout import DEMO, RELEASE
from scrubin.curate.project import copies, outputs
from scrubin.stages import withdrawals
from scrubin.stages.withdrawals import releases

WITHDRAWALS = "withdrawals"
"""The stage that writes the memory of those who withdrew."""


def told(raw: Path) -> list[Fault]:
    """Return what is to be looked at where the release that such a lock names is not here to compare with.

    Parameters
    ----------
    raw
        Folder of the raw study.
    """
    what = look(raw)
    return [fault(what, raw)] if what else []


def look(raw: Path) -> str:
    """Return what is strange about the lock, "" where nothing is, or nobody can tell: then it keeps nobody from withholding its release.

    Git brings it from another clone, or back from an older commit: which of the two it is, nobody can tell here. The lock of the synthetic
    study comes with every clone, and tells nothing of a study of one's own. When it names no release any more it tells nothing at all.
    """
    try:
        if raw == DEMO or not releases.PIPELINE.is_file() or not releases.names_release() or studies() == {DEMO} or _has_this_memory():
            return ""
        there = _other_release()
        memory = f"remembers other withdrawals than {PATH}" if PATH.is_file() else f"has {PATH}, which is missing here"
    except Exception:  # DVC itself says what it cannot read
        return ""
    return there and f"it is of another clone or another commit, which {memory}, and the release that it names {there}"


def fault(what: str, raw: Path) -> Fault:
    """Return the same with what is to be done by now, after what `look` has found: the lock may name its release no more.

    Parameters
    ----------
    what
        As `look` returned it.
    raw
        Folder of the raw study; that of the project where nobody knows it.
    """
    listed = raw / withdrawals.NAME if raw.parts else f"{withdrawals.NAME} of the raw study"
    holds_somebody = True
    with contextlib.suppress(PrivacyError):  # what is there is to be restored
        holds_somebody = bool(withdrawal_memory.load())
    # One that remembers others stays: the next run adds to it whom the rows name.
    memory = "" if holds_somebody else f" and {PATH}"
    fix = (
        f"of another clone: bring the rows of {listed}{memory} from there{_pulled() if copies.remotes(Path()) else ''}; "
        f"of an own older commit: nothing, as long as {PATH} is the newest"
    )
    return Fault(str(releases.LOCK), "remark", what, fix, severity="warning")


def _pulled() -> str:
    if releases.names_release():
        return f", or its release: dvc pull --allow-missing --force {RELEASE}"
    # Not by the entry of the lock: put back, it would let a push send who withdrew.
    remove = f"remove {RELEASE}, then " if RELEASE.exists() else ""
    get = f"{remove}dvc get . {RELEASE} --rev COMMIT --out {RELEASE}"
    return f", or its release, which {releases.LOCK} names no more: {get}, from the COMMIT that brought it"


def studies() -> set[Path | None]:
    """Return the folders of the raw studies of which the lock is: of the withdrawals that were noted, and of the release.

    Raises
    ------
    ReleaseError
        When there is no lock that can be read.
    """
    return {outputs.stated_raw(Path(), stage) for stage in (WITHDRAWALS, releases.STAGE)}


def _has_this_memory() -> bool:
    """Return whether the lock states the memory that is here, or none."""
    return outputs.stated_md5(Path(), PATH) in (None, outputs.md5_of(PATH) if PATH.is_file() else "")


def _other_release() -> str:
    """Return what the release that the lock names is beside the one that is here; "" where it is that one."""
    if not RELEASE.exists():
        return "is not here to compare with"
    try:
        return "" if outputs.is_in_place(Path(), RELEASE, file_lists.CHECKSUMS) else f"is another one than {RELEASE}"
    except OSError as error:
        return f"cannot be compared with {RELEASE} ({error.strerror})"
