"""Which DICOM files are one recording: recorders cut a case into several objects of one series."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from scrubin.dicom.header import Header


def parts(headers: Mapping[Path, Header]) -> list[list[Path]]:
    """Return the files of each series that has more than one, in the order of their numbers, then of their beginnings and names."""
    by_series: dict[str, list[Path]] = {}
    for path, header in headers.items():
        if header.series:
            by_series.setdefault(header.series, []).append(path)
    return [sorted(files, key=lambda path: _order(path, headers[path])) for files in by_series.values() if len(files) > 1]


def _order(path: Path, header: Header) -> tuple[bool, int, str, str]:
    return header.number is None, header.number or 0, header.started, path.as_posix()


def mend(files: Iterable[Path]) -> str:
    """Return what a curator does with the files of one series.

    >>> mend([Path("b.dcm"), Path("a.dcm")])
    'if they are one recording, name it in each row of recordings.csv and number them in the column part: b.dcm 1, a.dcm 2'
    """
    numbered = ", ".join(f"{path.name} {number}" for number, path in enumerate(files, start=1))
    return f"if they are one recording, name it in each row of recordings.csv and number them in the column part: {numbered}"
