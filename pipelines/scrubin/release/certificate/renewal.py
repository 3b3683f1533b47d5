"""The private certificate after a sample: it always says what the ledger says by now."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from scrubin.release.certificate import private_form
from scrubin.release.certificate.public_form import JSON_NAME
from scrubin.review import released, released_clips
from scrubin.review.ledger import Line


def renew(folder: Path, lines: Sequence[Line]) -> str:
    """Write the newest samples into the private certificate, and return what is to say about that.

    The public form lies in the release, under its checksums: it follows when the release is made again.
    """
    path = folder / private_form.FOLDER / JSON_NAME
    try:
        stated = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return f"{path}: there is no certificate yet; make repro writes it.\n"
    sha256 = released_clips.of_release(released.load(folder))
    if stated["videos"]["sha256"] != sha256:
        return f"{path}: it is about other videos; make repro writes it anew.\n"
    private_form.write({**stated, **private_form.of_ledger(lines, sha256)}, folder)
    return f"{private_form.FOLDER / 'index.html'} says so as well; make repro puts it into the certificate of the release.\n"
