"""The released ids that were given to recordings, as ``data/private/ids.csv`` keeps them."""

from __future__ import annotations

from pathlib import Path

from scrubin.pseudonymize import ids, ledger

BOOK, KEY = Path("data/private/ids.csv"), Path("data/private/pseudonym.key")


def given_ids() -> dict[str, str]:
    """Return the ids by recording; none before the first run.

    Raises
    ------
    PrivacyError
        When key or list are damaged, or one is missing.
    """
    return ledger.read_ledger(BOOK, ids.fingerprint(ledger.private_key(KEY, BOOK))) if BOOK.is_file() else {}
