"""Released ids: unguessable without the key, the same with it, never changing."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Container, Iterable, Mapping

from scrubin.core.errors import ParamsError
from scrubin.pseudonymize.words import is_offensive, parts

ATTEMPTS = 10_000


def assign(
    recordings: Iterable[str], key: bytes, previous: Mapping[str, str], syllables: int, withdrawn: Container[str] = ()
) -> dict[str, str]:
    """Return an id for each recording, unique over all of them.

    Parameters
    ----------
    recordings
        The curator's names. Their order does not matter.
    key
        The study's secret; each id is drawn by HMAC-SHA-256 over the recording's name.
    previous
        Ids given earlier, by recording. They are kept, and no new recording gets one of them.
    syllables
        Length of a new id.
    withdrawn
        Ids that are never given again, because somebody had them who withdrew.

    Raises
    ------
    ParamsError
        When there are too few words of this length.

    >>> sorted(assign(["b", "a"], b"k" * 32, {}, 3)) == ["a", "b"]
    True
    """
    wanted = set(recordings)
    id_of = {recording: id_ for recording, id_ in previous.items() if recording in wanted}
    taken = set(previous.values())
    # By digest, not by name: who gives way in the rare case of a collision must not tell the order of names.
    for recording in sorted(wanted - set(id_of), key=lambda name: _digest(key, name, 0)):
        id_of[recording] = _free_id(recording, key, taken, syllables, withdrawn)
        taken.add(id_of[recording])
    return dict(sorted(id_of.items()))


def draw(recording: str, key: bytes) -> int:
    """Return a uniform number from 0 to 2^63 - 1 of a recording: the same on every run, and unguessable without the key.

    HMAC-SHA-256 over the recording's name, under a label of its own: it tells nothing about the id.
    """
    digest = hmac.new(key, f"scrubin draw\0{recording}".encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:8]) >> 1


def fingerprint(key: bytes) -> str:
    """Return a name for a key that does not give it away."""
    return hmac.new(key, b"scrubin key fingerprint", hashlib.sha256).hexdigest()[:16]


def _free_id(recording: str, key: bytes, taken: set[str], syllables: int, withdrawn: Container[str]) -> str:
    for attempt in range(ATTEMPTS):
        number = int.from_bytes(_digest(key, recording, attempt)) % parts().count(syllables)
        word = parts().spell(number, syllables)
        if word not in taken and word not in withdrawn and not is_offensive(word):
            return word
    msg = f"params.yaml: no free id of {syllables} syllables was found in {ATTEMPTS} attempts; raise 'pseudonymize.syllables'"
    raise ParamsError(msg)


def _digest(key: bytes, recording: str, attempt: int) -> bytes:
    return hmac.new(key, f"{attempt}\0{recording}".encode(), hashlib.sha256).digest()
