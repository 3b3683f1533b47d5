"""What every platform's bundle has in common: the library itself as plain files, archives, configuration as YAML, pages."""

from __future__ import annotations

import gzip
import html
import importlib.metadata
import io
import shutil
import tarfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import scrubin
from scrubin.base import machine
from scrubin.base.faults import count_text
from scrubin.base.files import whole
from scrubin.evaluate.challenge import FORM, FRAMES, Challenge
from scrubin.evaluate.challenge.evaluation import ScoredSubmission
from scrubin.evaluate.challenge.hidden_truth import HiddenTruth
from scrubin.labels.masks import png
from scrubin.stages.release import added_files


@dataclass(frozen=True)
class Opening:
    """When a challenge is open, and the container image in which it is scored."""

    starts: date
    ends: date
    image: str


@dataclass(frozen=True)
class Layout:
    """What was written.

    Parameters
    ----------
    upload
        What the organiser uploads, or builds from.
    private
        Files and folders that have hidden labels, relative to the bundle; a trailing ``/`` is a folder.
    steps
        What the organiser does next.
    """

    upload: str
    private: tuple[str, ...]
    steps: tuple[str, ...]


class Platform(Protocol):
    """What the module of a platform has."""

    def write(self, challenge: Challenge, truth: HiddenTruth, kit: Path, opening: Opening, folder: Path, /) -> Layout:
        """Write what the platform takes into a folder, and what only its participants need into the starting kit."""


SUFFIXES = (".py", ".json", ".csv")
"""Of what scoring reads; networks, pages and scripts for browsers stay behind."""
NEEDED = ("numpy", "pandas", "pyarrow", "pyyaml")
PYTHON = "3.11"


def copy_library(folder: Path) -> None:
    """Write the library into ``folder/scrubin``."""
    source = Path(scrubin.__file__).resolve().parent
    for path in sorted(source.rglob("*")):
        if path.suffix in SUFFIXES and "__pycache__" not in path.parts and path.is_file():
            target = folder / "scrubin" / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def requirements(*, marker: str = "") -> str:
    """Return what has to be installed beside it: the versions that are installed here."""
    return "".join(f"{name}=={importlib.metadata.version(name)}{marker}\n" for name in NEEDED)


MODE, PROGRAM_MODE = 0o644, 0o755


def zip_folder(path: Path, folder: Path, *, without: Collection[str] = ()) -> None:
    """Write a zip of what a folder holds, named from the folder on; ``without`` are names of members and folders to leave out."""
    members = {one.relative_to(folder).as_posix(): one for one in sorted(folder.rglob("*")) if one.is_file()}
    chosen = {name: file for name, file in members.items() if not any(name == out or name.startswith(f"{out}/") for out in without)}
    added_files.write_archive(path, chosen)


def tar_folder(path: Path, folder: Path) -> None:
    """Write a ``.tar.gz`` of what a folder holds, without times, owners or compression."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for one in sorted(file for file in folder.rglob("*") if file.is_file()):
            entry = tarfile.TarInfo(one.relative_to(folder).as_posix())
            entry.size, entry.mode = one.stat().st_size, MODE
            with one.open("rb") as source:
                archive.addfile(entry, source)
    content.seek(0)
    with whole(path) as part, part.open("wb") as file, gzip.GzipFile("", "wb", compresslevel=0, fileobj=file, mtime=0) as zipped:
        shutil.copyfileobj(content, zipped)


def yaml_text(value: Any) -> str:
    """Return YAML text; the keys keep their order.

    Raises
    ------
    MissingPackageError
        Where PyYAML is not installed.
    """
    machine.require_package("yaml", "a bundle")
    import yaml

    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=140))


DIGITS = 4
SHOWN = {
    "overall": "You see the scores of the whole test set, and everything that is wrong with a submission.",
    "videos": "You see the scores of the whole test set and of every video, and everything that is wrong with a submission.",
    "nothing": "You see whether a submission is accepted, and everything that is wrong with it. Scores are published by the organiser.",
}
STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1a1f24}"
    "table{border-collapse:collapse}td,th{padding:.25rem .75rem;border-bottom:1px solid #d5dade;text-align:left}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}.bad{color:#9c1c1c}"
)


def overview(challenge: Challenge) -> str:
    """Return the page that a participant sees first, as Markdown."""
    frames = [frame for of in (challenge.frames or {}).values() for frame in of]
    return (
        f"# {challenge.title}\n\nPredict {challenge.task} in {count_text(len(frames), 'frame')} of "
        f"{count_text(len(challenge.frames or {}), 'video')}. {_classes(challenge)}{_release(challenge)}\n"
    )


def _release(challenge: Challenge) -> str:
    """Return of which release the labels are: numbers against those of another version are other numbers."""
    return f" The hidden labels are those of {challenge.release}." if challenge.release else ""


def _classes(challenge: Challenge) -> str:
    if challenge.declared.has_file_per_video:
        return f"The classes are those of {challenge.vocabulary}, numbered from 0."
    return f"Classes, criteria and sizes of pictures are those of `{FORM}` in the starting kit, which has no labels."


def data(challenge: Challenge) -> str:
    """Return the page on what is to be handed in, as Markdown."""
    task = f"{challenge.task} --test {challenge.test}" if challenge.test else challenge.task
    shared = "What it shares with the test set is named." if challenge.test else "It goes to the organiser as it is."
    if challenge.declared.has_file_per_video:
        files, numbered = "One file per video, in a zip without folders", " Frames and ids are numbered from 0."
        against = f"{FRAMES} --vocabulary {challenge.vocabulary}"
    else:
        files, numbered, against = "In a zip", f" Pictures with their size, and classes, are in `{FORM}`, as files without a label.", FORM
    return (
        f"# What to hand in\n\n{files}:\n\n- {challenge.declared.layout}\n\n"
        f"The videos and frames to be predicted are listed in `{FRAMES}` of the starting kit, which also has a sample submission."
        f"{numbered}\n\n"
        "Check a submission at home, offline and as often as you like. It is the check that runs here:\n\n"
        f"    scrubin submission check MY_FOLDER --ground-truth {against} --task {task}\n\n"
        f"A file `training_data.yaml` in the submission says what the model was trained on; the starting kit has one to fill in. {shared}"
        f"{_release(challenge)}\n"
    )


def metrics(challenge: Challenge) -> str:
    """Return the page on scores, as Markdown."""
    first, *others = challenge.columns
    choices = challenge.declared.variant(challenge.variant)
    variant = f", {' '.join(choices)}" if choices else ""
    rows = [f"- **{first.title}** (`{first.key}`) ranks.", *(f"- {column.title} (`{column.key}`)" for column in others)]
    rounding = "" if challenge.digits is None else f" Numbers are rounded to {challenge.digits} digits."
    return (
        f"# Scores\n\nComputed by `scrubin score {challenge.declared.metric}`, semantics `{challenge.semantics}`{variant}.{rounding} "
        f"A number that is undefined is left empty; it is never 0.\n\n" + "\n".join(rows) + f"\n\n{SHOWN[challenge.show]}\n"
    )


TERMS = "# Terms\n\nThe organiser has not written terms yet. Replace this page before the challenge opens.\n"


def fragment(markdown: Sequence[str]) -> str:
    """Return the HTML of pages without its frame, as EvalAI puts it into its own."""
    lines: list[str] = []
    for line in "\n".join(markdown).splitlines():
        text = _inline(html.escape(line.strip()))
        if line.startswith("# "):
            lines.append(f"<h2>{text[2:]}</h2>")
        elif line.startswith("- "):
            lines.append(f"<p>&bull; {text[2:]}</p>")
        elif line.startswith("    "):
            lines.append(f"<pre>{text}</pre>")
        elif text:
            lines.append(f"<p>{text}</p>")
    return "\n".join(lines) + "\n"


def result(challenge: Challenge, evaluation: ScoredSubmission) -> str:
    """Return what a participant sees of a submission, as an HTML page that loads nothing."""
    parts = [f"<h1>{html.escape(challenge.title)}</h1>"]
    verdict = "accepted" if evaluation.accepted else "not scored"
    parts.append(f'<p class="{"good" if evaluation.accepted else "bad"}">The submission is <b>{verdict}</b>.</p>')
    if challenge.release:
        parts.append(f"<p>{html.escape(_release(challenge).strip())}</p>")
    if evaluation.messages:
        parts.append("<h2>What to know</h2><ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in evaluation.messages) + "</ul>")
    if evaluation.accepted and challenge.show != "nothing":
        rows = [(column.title, evaluation.scores.get(column.key)) for column in challenge.columns]
        parts.append("<h2>Scores</h2>" + _table(("score", "value"), [(title, _shown(value)) for title, value in rows]))
    if evaluation.videos:
        head = ("video", *(column.title for column in challenge.columns))
        by_video = [(name, *(_shown(of.get(column.key)) for column in challenge.columns)) for name, of in evaluation.videos.items()]
        parts.append("<h2>By video</h2>" + _table(head, by_video))
    title = f"<!DOCTYPE html>\n<meta charset=utf-8>\n<title>{html.escape(challenge.title)}</title>\n<style>{STYLE}</style>\n"
    return title + "\n".join(parts) + "\n"


def logo() -> bytes:
    """Return a plain picture, as platforms demand one: PNG, 128 x 128, uncompressed so that it is the same bytes everywhere."""
    return png.written(np.full((128, 128, 3), (28, 92, 118), np.uint8), level=0)


def _inline(text: str) -> str:
    for mark, tag in (("**", "b"), ("`", "code")):
        pieces = text.split(mark)
        text = "".join(piece if i % 2 == 0 else f"<{tag}>{piece}</{tag}>" for i, piece in enumerate(pieces))
    return text


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = "".join(f"<th>{html.escape(text)}</th>" for text in head)
    lines = [
        "<tr>" + "".join(f'<td class="{"n" if i else ""}">{html.escape(text)}</td>' for i, text in enumerate(row)) + "</tr>" for row in rows
    ]
    return f"<table><tr>{cells}</tr>{''.join(lines)}</table>"


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.{DIGITS}f}"
