"""Submissions in any format that `scrubin score` reads, checked by its own reading: a check has the verdict of a score.

The labels may be frames alone, as participants get them: then a check says the same of a submission, and nothing is scored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scrubin.base.errors import MetricsError, ScrubinError
from scrubin.base.faults import Fault, error, summary
from scrubin.evaluate import released_truth
from scrubin.evaluate.computation import Scoring, chosen
from scrubin.evaluate.contest_tasks import CONTESTS, ContestTask
from scrubin.evaluate.metrics.variants import METRICS
from scrubin.evaluate.released_truth import ReleasedTruth
from scrubin.evaluate.series import name_within, refuse_unread
from scrubin.evaluate.side import Source
from scrubin.evaluate.submission import CheckedSubmission
from scrubin.evaluate.tasks.scoring import SIDES, Order, Sides
from scrubin.labels.files.detect import AMBIGUOUS, FROM, PREDICTIONS_FROM, UNKNOWN
from scrubin.labels.formats.ground_truth import MANIFEST, inside_release

FORMAT_FIXES = {UNKNOWN: "hand in {}", AMBIGUOUS: "hand in files of one format alone, such as {}"}
"""What is said of files of no known format, or of several, by rule of the fault; {} is what is handed in for the task."""


@dataclass(frozen=True, eq=False)
class Entries:
    """What submissions to a task are held against; read once.

    Parameters
    ----------
    task
        What is predicted.
    order
        Files of the labels, videos that count; predictions are added.
    choice
        The value of every choice of `scrubin score`.
    truth
        The labels of the videos that count, as the task reads them.
    faults, line
        What of their files stops nothing, and as what they were read.
    videos
        Names of those that count, sorted.
    release
        The one that the labels are of.
    """

    task: ContestTask
    order: Order
    choice: Mapping[str, str]
    truth: Any
    faults: tuple[Fault, ...] = ()
    line: str = ""
    videos: tuple[str, ...] = field(default=())
    release: ReleasedTruth | None = None

    @property
    def vocabulary(self) -> str | None:
        """Name of that whose classes they are; None where they have none, as criteria."""
        known = getattr(self.truth, "vocabulary", None)
        return None if known is None else str(known.name)

    @property
    def annotated(self) -> tuple[bool, ...] | None:
        """Whether the labels have anything in each video; None of a task whose labels are none of instances."""
        rows = getattr(self.truth, "rows", None)
        return None if rows is None else tuple(name in rows and len(rows[name]) > 0 for name in self.videos)

    def as_json(self) -> dict[str, Any]:
        """Return what is to be said of the files of the labels, each as it lies in what was named, as JSON values."""
        truth = self.order.truth.path
        read = _without(self.line, [truth.parent])
        return {"read": read, "problems": [replace(fault, file=name_within(fault.file, truth)).as_json() for fault in self.faults]}

    @property
    def sides(self) -> Sides:
        """How they are read."""
        return SIDES[self.task.metric]

    def scoring(self, submitted: Path) -> tuple[Scoring, str]:
        """Return what is to be computed of a submission, and as what it was read.

        Raises
        ------
        ScrubinError
            With what `scrubin score` would refuse.
        """
        source = replace(self.order.truth, path=submitted, form=None, fps=None, frames_alone=False)
        predicted = self.sides.predictions(source, self.truth, self.order.truth, self.choice)
        counted = self.sides.counted(predicted, self.order)
        refuse_unread(self.truth.series, counted.series, (*self.faults, *predicted.faults))
        by_contract = {name: replace(series, by_contract=True) for name, series in counted.series.items()}
        found = self.sides.computed(self.truth, replace(counted, series=by_contract), self.order.semantics, self.choice)
        return replace(found, faults=tuple(dict.fromkeys((*predicted.faults, *found.faults)))), predicted.line


def labels_at(path: Path, task: str, vocabulary_name: str | None = None) -> Path:
    """Return the labels of a task in a release or ground truth of ours; any other path as it is.

    Raises
    ------
    MetricsError
        When it has several, as of several vocabularies or kinds of tracks.
    """
    inside = inside_release(path)
    if not (inside / MANIFEST).is_file():
        return path
    released = sorted(inside.glob(CONTESTS[task].released))
    found = [one for one in released if vocabulary_name in (None, *one.relative_to(inside).parts)] or released
    if len(found) > 1:
        names = ", ".join(one.relative_to(inside).as_posix() for one in found)
        raise MetricsError([error(str(path), "labels-several", f"there are several labels for {task}: {names}", "name one of them")])
    return found[0] if found else path


def held_against(task: str, truth: Source, videos: Mapping[str, int] | None = None, variant: Sequence[str] = ()) -> Entries:
    """Return what submissions are held against.

    Parameters
    ----------
    task
        One of `CONTESTS` that has no file per video.
    truth
        The labels, or frames alone.
    videos
        Names that count; None: all.
    variant
        Other choices of `scrubin score`.

    Raises
    ------
    ScrubinError
        With everything that is wrong with the labels.
    """
    known = CONTESTS[task]
    order = Order(replace(truth, frames_alone=True), [], videos=videos, variant=known.variant(variant))
    choice = chosen(METRICS[known.metric].choices[order.semantics], order.variant, known.metric)
    sides = SIDES[known.metric]
    read = sides.truth(order.truth, choice)
    counted = sides.counted_truth(read, order)
    release = released_truth.look(truth.path)
    return Entries(known, order, choice, counted, read.faults, read.line, tuple(sorted(counted.series)), release)


def sentences_on(of: Entries) -> list[str]:
    """Return as what the labels were read, what of them is not as it should be, and whether files changed since their release."""
    changed = released_truth.sentence_on_changed(of.order.truth.path, of.release)
    return [line for line in (of.line, *summary(of.faults), changed) if line]


def check(path: Path, of: Entries) -> CheckedSubmission:
    """Check a submission: a file or folder in any format that `scrubin score` reads."""
    try:
        scoring, _ = of.scoring(path)
    except ScrubinError as refused:
        faults = released_truth.rightly_blamed(placed(refused.faults, path, of), of.release)
        return CheckedSubmission(faults, (of.task.name,), 0, 0, ())
    (part,) = scoring.parts
    notes = tuple(note for note in scoring.notes if note)
    faults = released_truth.rightly_blamed(placed(scoring.faults, path, of), of.release)
    return CheckedSubmission(faults, (of.task.name,), len(part.names), sum(part.frames.values()), notes)


def placed(faults: Sequence[Fault], path: Path, of: Entries) -> tuple[Fault, ...]:
    """Return faults as participants can use them.

    Files are named without the folders of the submission and of the labels, which are nobody's business, and as labels where they are none
    of the submission; who hands in files can name no format, only write another one.
    """
    alone, truth = path.name if path.is_file() else "", of.order.truth.path
    own, labels = (one if one.is_dir() else one.parent for one in (path, truth))
    folders = sorted((own, labels), key=lambda one: len(one.parts), reverse=True)

    def named(file: str) -> str:
        if Path(file) == path:
            return alone
        inside = next((folder for folder in folders if Path(file).is_relative_to(folder)), None)
        told = file if inside is None else name_within(file, inside)
        # Where the labels lie in the working folder, every other name seems to be below it.
        is_of_labels = file and (Path(file) == truth or (labels.parts and inside == labels != own))
        return f"labels: {told}" if is_of_labels else told

    def fix_of(fault: Fault) -> str:
        names_format = fault.rule in FORMAT_FIXES and any(option in fault.fix for option in (FROM, PREDICTIONS_FROM))
        return FORMAT_FIXES[fault.rule].format(of.task.layout.replace("`", "")) if names_format else _without(fault.fix, folders)

    return tuple(replace(fault, file=named(fault.file), what=_without(fault.what, folders), fix=fix_of(fault)) for fault in faults)


def _without(text: str, folders: Sequence[Path]) -> str:
    """Return a text that names no folder of this machine, from the inner to the outer one."""
    for folder in sorted({f"{one}/" for one in folders} - {"./", "//"}, key=len, reverse=True):
        text = re.sub(rf"(?<![\w./-]){re.escape(folder)}", "", text)
    return text
