"""Which recordings have another calibration of their stereo rig: rigs are known by their numbers, whatever they are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from scrubin.core import strangers
from scrubin.core.errors import ReleaseError
from scrubin.versions.difference import Difference, of_data
from scrubin.versions.released import Released
from scrubin.versions.renaming import Recordings
from scrubin.versions.table_contents import EXAMPLES

FOLDER = "calibration/"
# As Scrub-in writes them: so that no reader of YAML is needed to compare two releases.
_RECORDINGS = re.compile(r"^recordings:\n((?:   - .*\n)*)", re.MULTILINE)
_ID = re.compile(r'   - "(.*)"\n')


def is_one(name: str) -> bool:
    """Whether a file of a release is a calibration.

    >>> is_one("calibration/rig_1.yaml"), is_one("calibration/notes.txt")
    (True, False)
    """
    return name.startswith(FOLDER) and name.endswith(".yaml")


def differences(old: Released, new: Released, recordings: Recordings) -> Iterator[Difference]:
    """Yield whose calibration came, went or has other numbers.

    Raises
    ------
    ReleaseError
        When a calibration cannot be read.
    """
    before, after = ({recordings.renamed.get(id_, id_): said for id_, said in _by_recording(old).items()}, _by_recording(new))
    alone = recordings.added | recordings.removed
    changes = {
        "added": after.keys() - before.keys(),
        "removed": before.keys() - after.keys(),
        "changed": {id_ for id_ in before.keys() & after.keys() if before[id_] != after[id_]},
    }
    for change, ids in changes.items():
        if those := sorted(ids - alone):
            examples = tuple({"id": id_} for id_ in those[:EXAMPLES])
            yield of_data("calibrations", FOLDER, change, len(those), "recordings", recordings=Counter(those), examples=examples)


def _by_recording(released: Released) -> dict[str, str]:
    """Return what the calibration of each recording says, by id, but for the other recordings that have it."""
    said: dict[str, str] = {}
    for name in sorted(released.sha256):
        if is_one(name):
            try:
                text = strangers.read_text(released.path(name))
            except (OSError, ValueError) as error:
                msg = f"{name}: it cannot be read ({error}); run 'scrubin verify {released.folder}'"
                raise ReleaseError(msg) from error
            listed = _RECORDINGS.search(text)
            said |= dict.fromkeys(_ID.findall(listed[1]) if listed else [name], _RECORDINGS.sub("", text))
    return said
