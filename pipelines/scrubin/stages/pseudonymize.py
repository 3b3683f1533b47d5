"""Released ids: unguessable without the key, the same with it, never changing."""

from __future__ import annotations

import csv
import hashlib
import hmac
import io
import json
import os
import secrets
import stat
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from gibberish import Gibberish

from scrubin.base import strangers
from scrubin.base.errors import ParamsError, PrivacyError
from scrubin.base.faults import Fault, count_text, error
from scrubin.base.files import whole
from scrubin.base.params import ranged
from scrubin.base.text.csv_rows import csv_of


@dataclass(frozen=True)
class PseudonymizeParams:
    """How long ids are: two syllables give 1.6 billion."""

    syllables: int = ranged(low=2, high=6)


KEY_BYTES = 32
LEDGER_COLUMNS = ("key", "recording", "id")


def read_key(path: Path) -> bytes:
    """Return the key in a file of 64 hex digits.

    Raises
    ------
    PrivacyError
        When the file holds something else.
    """
    try:
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError) as error:
        msg = f"{path}: no key can be read from it ({error}); restore it from your backup, without it all ids change"
        raise PrivacyError(msg) from error
    if len(key) != KEY_BYTES:
        raise PrivacyError(f"{path}: a key has {KEY_BYTES * 2} hex digits, this one {len(key) * 2}; restore it from your backup")
    return key


def private_key(path: Path, ledger: Path) -> bytes:
    """Return the study's key; make a random one, mode 0600, where there is none yet.

    Raises
    ------
    PrivacyError
        When others may read it, or when it is gone although ids were given with it.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        if ledger.exists():
            msg = (
                f"{path}: the key is gone, but {ledger} holds ids that were given with it; "
                "restore the key from your backup, or delete both to give new ids to all"
            )
            raise PrivacyError(msg)
        part = path.with_name(f".part-{path.name}")
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise PrivacyError(f"{path}: others may read the key; run: chmod 600 {path}")
    return read_key(path)


def refuse_other_ids(path: Path, lock: Path, raw: Path) -> None:
    """Refuse to draw a key where the recordings have ids already: git carries what DVC notes, and not the key.

    Parameters
    ----------
    path
        Of the key.
    lock
        What DVC notes of the last run, maybe on another machine.
    raw
        Folder of the raw study, as parameters name it.

    Raises
    ------
    PrivacyError
        When there is no key, but a run that DVC noted has given ids to the recordings of this raw study.
    """
    if path.exists() or not lock.is_file():
        return
    noted = strangers.read_yaml(lock)
    for name in ("stages", "pseudonymize", "params", "params.yaml", "raw"):
        noted = noted.get(name) if isinstance(noted, Mapping) else None
    if isinstance(noted, str) and Path(noted) == raw:
        msg = (
            f"{path}: there is no key, but {lock} says that the recordings of {raw} have ids; bring the folder {path.parent} of that "
            f"project here, or delete {lock} to give new ids to all: who has both releases could join them"
        )
        raise PrivacyError(msg)


def read_ledger(path: Path, fingerprint: str) -> dict[str, str]:
    """Return the ids that were given with this key, by recording.

    Raises
    ------
    PrivacyError
        When the ledger is damaged, gives a recording two ids or an id to two recordings, or holds ids of another key: the key was
        replaced, or rows of a clone with a key of its own were joined.
    """
    if not path.exists():
        return {}
    # Spreadsheets put a mark in front of a file.
    reader = csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8").replace("\ufeff", ""), newline=""))
    # Two files that were joined have two headers; what their rows contradict is told below.
    lines = [(row, reader.line_num) for row in reader if list(row.values()) != list(LEDGER_COLUMNS)]
    rows = [row for row, _ in lines]
    damaged = next((line for row, line in lines if set(row) != set(LEDGER_COLUMNS) or None in row.values()), None)
    if damaged is not None:
        msg = f"{path}, line {damaged}: it is damaged; restore it from your backup, or delete it to draw all ids from the key again"
        raise PrivacyError(msg)
    others = [line for row, line in lines if row["key"] != fingerprint]
    if others and len(others) == len(rows):
        raise PrivacyError(f"{path}: its ids were given with another key; restore that key, or delete this file to give new ids to all")
    if others:
        where = f"line {others[0]}" if len(others) == 1 else f"{count_text(len(others), 'line')} from line {others[0]} to {others[-1]}"
        msg = (
            f"{path}, {where}: ids that were given with another key, as in a clone with a key of its own; one study has one key: restore "
            "the one whose ids were released and remove the rows of the other, whose recordings get new ids then"
        )
        raise PrivacyError(msg)
    PrivacyError.raise_any(_contradictions(path, [(row["recording"], row["id"], line) for row, line in lines]))
    return {row["recording"]: row["id"] for row in rows}


def _contradictions(path: Path, rows: Iterable[tuple[str, str, int]]) -> Iterator[Fault]:
    """Yield where rows contradict each other, as after two files of this kind were joined; a row that is there twice says the same.

    Parameters
    ----------
    path
        Of the ledger.
    rows
        Recording, id and line of each.
    """
    of_recording, of_id = dict[str, tuple[str, int]](), dict[str, tuple[str, int]]()
    for recording, id_, line in rows:
        other, first = of_recording.setdefault(recording, (id_, line))
        if other != id_:
            what = f"'{recording}' has two ids, '{other}' and '{id_}'"
            fix = "keep the row with the id under which it was released, as data/private/released.json says, and remove the other"
            yield error(str(path), "id-twice", what, fix, place=f"lines {first} and {line}")
        other, first = of_id.setdefault(id_, (recording, line))
        if other != recording:
            what = f"'{other}' and '{recording}' have one id, '{id_}'"
            fix = "keep the row of the recording that was released under it, as data/private/released.json says, and remove the other"
            yield error(str(path), "id-shared", what, fix, place=f"lines {first} and {line}")


def write_ledger(path: Path, fingerprint: str, ids: dict[str, str]) -> None:
    """Write all ids that were ever given with this key, mode 0600."""
    rows = [(fingerprint, recording, id_) for recording, id_ in sorted(ids.items())]
    # A bare carriage return in a name would end the row.
    text = csv_of([LEDGER_COLUMNS, *rows], all_quoted=True)
    with whole(path) as part:
        part.touch(mode=0o600)
        part.write_text(text, encoding="utf-8", newline="")


# Shorter entries of the lists ("am", "kk") occur in almost every word.
SHORTEST_OFFENSIVE = 3


@dataclass(frozen=True)
class Parts:
    """What words are made of. Sorted, because gibberish keeps its parts in sets."""

    initials: tuple[str, ...]
    vowels: tuple[str, ...]
    finals: tuple[str, ...]

    def count(self, syllables: int) -> int:
        """Return how many words of this many syllables can be spelled."""
        per_syllable: int = (len(self.vowels) * len(self.finals)) ** syllables
        return len(self.initials) * per_syllable

    def spell(self, number: int, syllables: int) -> str:
        """Return the word with this number, from 0 to ``count(syllables)`` - 1."""
        letters = []
        for choices in (self.initials, *(self.vowels, self.finals) * syllables):
            number, place = divmod(number, len(choices))
            letters.append(choices[place])
        return "".join(letters)


@cache
def parts() -> Parts:
    """Return gibberish's parts in alphabetical order."""
    source = Gibberish()
    return Parts(tuple(sorted(source.initial_consonants)), tuple(sorted(source.vowels)), tuple(sorted(source.final_consonants)))


@cache
def offensive() -> frozenset[str]:
    """Return the words that no id may contain: glin-profanity's lists in all its languages with Latin letters."""
    words = set()
    for file in files("glin_profanity.data.dictionaries").iterdir():
        if file.name.endswith(".json"):
            for entry in json.loads(file.read_text(encoding="utf-8")).get("words", ()):
                word = _plain(str(entry))
                if word.isascii() and word.isalpha() and len(word) >= SHORTEST_OFFENSIVE:
                    words.add(word)
    return frozenset(words)


def is_offensive(word: str) -> bool:
    """Return whether a word contains one of the offensive ones, forwards."""
    lengths = range(SHORTEST_OFFENSIVE, len(word) + 1)
    return any(word[i : i + length] in offensive() for length in lengths for i in range(len(word) - length + 1))


def _plain(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.lower())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


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
    raise ParamsError(f"params.yaml: no free id of {syllables} syllables was found in {ATTEMPTS} attempts; raise 'pseudonymize.syllables'")


def _digest(key: bytes, recording: str, attempt: int) -> bytes:
    return hmac.new(key, f"{attempt}\0{recording}".encode(), hashlib.sha256).digest()
