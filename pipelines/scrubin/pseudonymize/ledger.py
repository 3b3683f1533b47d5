"""The secret of a study, and the ids that were given with it: ``data/private/``."""

from __future__ import annotations

import csv
import io
import os
import secrets
import stat
from pathlib import Path

from scrubin.core.errors import PrivacyError
from scrubin.core.files import whole

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
        msg = f"{path}: a key has {KEY_BYTES * 2} hex digits, this one {len(key) * 2}; restore it from your backup"
        raise PrivacyError(msg)
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
        msg = f"{path}: others may read the key; run: chmod 600 {path}"
        raise PrivacyError(msg)
    return read_key(path)


def read_ledger(path: Path, fingerprint: str) -> dict[str, str]:
    """Return the ids that were given with this key, by recording.

    Raises
    ------
    PrivacyError
        When the ledger is damaged, or holds ids of another key only: the key was replaced.
    """
    if not path.exists():
        return {}
    rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))
    if any(set(row) != set(LEDGER_COLUMNS) or None in row.values() for row in rows):
        msg = f"{path}: it is damaged; restore it from your backup, or delete it to draw all ids from the key again"
        raise PrivacyError(msg)
    mine = {row["recording"]: row["id"] for row in rows if row["key"] == fingerprint}
    if rows and not mine:
        msg = f"{path}: its ids were given with another key; restore that key, or delete this file to give new ids to all"
        raise PrivacyError(msg)
    return mine


def write_ledger(path: Path, fingerprint: str, ids: dict[str, str]) -> None:
    """Write all ids that were ever given with this key, mode 0600."""
    text = io.StringIO(newline="")
    # Everything in quotes: a bare carriage return in a name would end the row.
    rows = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    rows.writerow(LEDGER_COLUMNS)
    rows.writerows((fingerprint, recording, id_) for recording, id_ in sorted(ids.items()))
    with whole(path) as part:
        part.touch(mode=0o600)
        part.write_text(text.getvalue(), encoding="utf-8", newline="")
