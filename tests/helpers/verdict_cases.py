"""Label files, whole and damaged, and what each command says of them: for the test that all commands agree."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from challenge_cases import document, scores, write, write_labels
from challenge_cases import labels as challenge_labels
from label_examples import EXAMPLES
from scrubin import cli
from scrubin.base.errors import ScrubinError
from scrubin.base.faults import Fault
from scrubin.labels.files import reader
from scrubin.labels.files.verdict import Verdict, verdict_of

DAMAGED = 300
SEED = 11
FIELDS = re.compile(rb"[A-Za-z_]{3,}")
NUMBERS = re.compile(rb"\d+")
Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Said:
    """What one command says of one path.

    Parameters
    ----------
    verdict
        Of every reading of the path; None when the path could not be read at all.
    faults
        Those of the error that ended the command, if any.
    code, text
        Exit code, and all that was printed.
    """

    verdict: Verdict | None
    faults: tuple[Fault, ...]
    code: int
    text: str


def damaged_files() -> Iterator[tuple[str, str, Files]]:
    """Yield name, format and files: an example with one file damaged; those of a format stay the same when another one is added."""
    forms = sorted(EXAMPLES)
    for number in range(DAMAGED):
        form = forms[number % len(forms)]
        rng = random.Random(f"{SEED} {form} {number // len(forms)}")
        files = dict(EXAMPLES[form])
        file = rng.choice(sorted(files))
        files[file] = damaged(rng, files[file])
        yield f"{number:03d}-{form}", form, files


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Return a file with one fault of those that real files have."""
    how = rng.choice(("cut off", "byte", "number", "large number", "doubled", "lines mixed", "field renamed", "line lost", "emptied"))
    at = rng.randrange(max(1, len(data)))
    lines = data.split(b"\n")
    if how == "cut off":
        return data[:at]
    if how == "byte":
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    if how in ("number", "large number") and (found := list(NUMBERS.finditer(data))):
        number = rng.choice(found)
        new = str(rng.randrange(10) if how == "number" else 10 ** rng.randrange(3, 25)).encode()
        return data[: number.start()] + new + data[number.end() :]
    if how == "doubled":
        return data[:at] + data[at : at + rng.randrange(1, 60)] + data[at:]
    if how == "lines mixed":
        rng.shuffle(lines)
        return b"\n".join(lines)
    if how == "field renamed" and (fields := FIELDS.findall(data)):
        field = rng.choice(fields)
        return data.replace(field, field[::-1], 1)
    if how == "line lost":
        lines.pop(rng.randrange(len(lines)))
        return b"\n".join(lines)
    return b"" if how == "emptied" else data


def write_files(folder: Path, files: Files) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def challenge_files(folder: Path) -> tuple[Path, Path]:
    """Labels of two videos and a submission without a fault."""
    videos = {"VID01": challenge_labels(1, 12), "VID02": challenge_labels(2, 12)}
    truth = write_labels(folder / "truth", videos)
    return truth, write(folder / "team", {name: document(scores(3, of, 1)) for name, of in videos.items()})


def say(arguments: list[str], path: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    """Run a command, and note every reading of a path."""
    verdicts: list[Verdict] = []
    ended: list[tuple[Fault, ...]] = []
    read_path = reader.read_path

    def noted(where: Path, *more: object, **options: object) -> reader.Reading:
        reading = read_path(where, *more, **options)  # type: ignore[arg-type]
        if Path(where) == path:
            verdicts.append(verdict_of(reading))
        return reading

    init = ScrubinError.__init__

    def noting(self: ScrubinError, says: object) -> None:
        init(self, says)  # type: ignore[arg-type]
        ended.append(self.faults)

    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "read_path", noted)
        patch.setattr(ScrubinError, "__init__", noting)
        code = cli.main(arguments)
    out, err = capsys.readouterr()
    assert all(one == verdicts[0] for one in verdicts), "one command read the same path in two ways"
    return Said(verdicts[0] if verdicts else None, ended[-1] if ended and code else (), code, out + err)
