"""Declared training data against a test set: overlap, clean or unverified, for every source by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scrubin.base.errors import AnnotationError, SplitError
from scrubin.base.faults import Fault, Faults, count_text, natural, near
from scrubin.evaluate import training_data
from scrubin.evaluate.submission import CheckedSubmission
from scrubin.evaluate.training_data import ALL, NAME, UNKNOWN, Declaration, DeclaredDataset, DeclaredWeights, OwnData
from scrubin.public_splits.catalogue import available
from scrubin.public_splits.datasets import names
from scrubin.public_splits.leak import Leak, LeakVerdict, no_source
from scrubin.public_splits.relations import Video, corpora, corpus
from scrubin.public_splits.selection import Selection, leak_of, select

WORST: tuple[LeakVerdict, ...] = ("overlap", "unverified", "clean")


@dataclass(frozen=True)
class SourceVerdict:
    """What is known of one source.

    Parameters
    ----------
    source
        As it was declared.
    line
        Where.
    verdict
        As of `leak`.
    why
        The reason, where the verdict does not come from lists of videos.
    leak
        The evidence, where it does; None else.
    """

    source: str
    line: int
    verdict: LeakVerdict
    why: str = ""
    leak: Leak | None = None


@dataclass(frozen=True)
class Assessment:
    """The verdicts on all sources; the verdict on the whole is the worst, and never clean when the list is not complete."""

    sources: tuple[SourceVerdict, ...]
    complete: bool
    trained_until: str

    @property
    def verdict(self) -> LeakVerdict:
        """The verdict on the whole."""
        every = [one.verdict for one in self.sources] + ([] if self.complete else ["unverified"])
        return next((one for one in WORST if one in every), "clean")


def assess(declaration: Declaration, test: Sequence[Selection], file: str) -> Assessment:
    """Return what every declared source shares with a test set.

    Raises
    ------
    AnnotationError
        For videos and subsets that a known data set does not have, each with its line.
    """
    faults = Faults()
    sources: list[SourceVerdict] = []
    entries: tuple[DeclaredDataset | DeclaredWeights, ...] = (*declaration.datasets, *declaration.weights)
    for entry in entries:
        try:
            sources += [_dataset(entry, test)] if isinstance(entry, DeclaredDataset) else _weights(entry, test)
        except SplitError as problem:
            what, _, fix = str(problem).partition("; ")
            faults.error(file, "training-data", what, fix or "correct it", place=f"line {entry.line}")
    AnnotationError.raise_any(faults)
    return Assessment((*sources, *map(_own, declaration.own_data)), declaration.complete, declaration.trained_until)


def _dataset(entry: DeclaredDataset, test: Sequence[Selection]) -> SourceVerdict:
    shown = entry.name if entry.videos == ALL else f"{entry.name}: {entry.videos}"
    name = _known(entry.name)
    if name is None:
        return SourceVerdict(shown, entry.line, "unverified", _nobody_knows(entry.name))
    if entry.videos == UNKNOWN:
        # If not even the whole of it shares anything, no part does.
        whole = leak_of([select(name)], test)
        if whole.verdict == "clean":
            return SourceVerdict(shown, entry.line, "clean", leak=whole)
        return SourceVerdict(shown, entry.line, "unverified", "which of its videos were used is not known")
    found = leak_of([select(name if entry.videos == ALL else f"{name}:{entry.videos}")], test)
    return SourceVerdict(shown, entry.line, found.verdict, leak=found)


def _weights(entry: DeclaredWeights, test: Sequence[Selection]) -> list[SourceVerdict]:
    """Return the verdict on what is known of weights of this name, and on what they are said to be trained on beside it."""
    known, verdicts = corpus(entry.name), []
    if known is not None:
        found = leak_of([select(known.name)], test)
        verdicts.append(SourceVerdict(f"weights {entry.name}", entry.line, found.verdict, leak=found))
    elif not entry.trained_on:
        why = "nobody has published here what these weights were trained on; name the data sets as trained_on"
        return [SourceVerdict(f"weights {entry.name}", entry.line, "unverified", why)]
    for text in entry.trained_on:
        source, name = f"weights {entry.name}, trained on {text}", _known(text.partition(":")[0])
        if name is None:
            verdicts.append(SourceVerdict(source, entry.line, "unverified", _nobody_knows(text)))
            continue
        found = leak_of([select(name + text[len(text.partition(":")[0]) :])], test)
        verdicts.append(SourceVerdict(source, entry.line, found.verdict, leak=found))
    return verdicts


def _own(entry: OwnData) -> SourceVerdict:
    if entry.shares_operations == "yes":
        return SourceVerdict(f"own data: {entry.description}", entry.line, "overlap", "its owner says that it shares operations")
    says = "its owner says that it shares none; nobody else can tell" if entry.shares_operations == "no" else "its owner does not know"
    return SourceVerdict(f"own data: {entry.description}", entry.line, "unverified", says)


def _known(name: str) -> str | None:
    """Return the name by which a data set, split or corpus is known; None when it is not."""
    folded = name.strip().casefold()
    if folded.split("@")[0] in (*names(), *available(), *corpora()):
        return folded
    known = corpus(name)
    return None if known is None else known.name


def _nobody_knows(name: str) -> str:
    known = (*names(), *available(), *corpora())
    closest = near(name.casefold(), known)
    return f"no such data set is known here{f'; did you mean {closest}?' if closest else ''}"


SHOWN = 20
LEAVE_OUT = "train without them, or tell the organiser"


def lines(found: Assessment, test: str) -> Iterator[str]:
    """Yield a line per source, then the verdict on the whole."""
    for one in found.sources:
        yield f"line {one.line}: {sentence(one)}"
    if not found.complete:
        yield "the file says that not everything is named"
    yield f"trained until: {found.trained_until}"
    yield f"verdict against {test}: {found.verdict}"


def sentence(one: SourceVerdict) -> str:
    """Return the verdict on one source with its reason."""
    why = one.why or ("" if one.leak is None else evidence(one.leak))
    return f"{one.source}: {one.verdict}" + (f" ({why})" if why else "")


def evidence(leak: Leak) -> str:
    """Return what is shared, and what is not known."""
    parts = []
    if leak.shared:
        tested = [video for one in leak.shared for video in one.test]
        parts.append(f"{count_text(len(leak.shared), 'shared operation')}: {_videos(tested)}")
    for block in leak.sets:
        how_many = f"at least {block.at_least}" if block.at_least else "perhaps some"
        parts.append(f"{how_many} of {_videos(block.test)}, which ones is not published")
    unrelated = sorted({one.train[0].dataset for one in leak.unverified if one.why == no_source(one.train[0].dataset, one.test[0].dataset)})
    if unrelated:
        parts.append(f"no source relates {', '.join(unrelated)} to it")
    told = dict.fromkeys(one.why for one in leak.unverified if one.why != no_source(one.train[0].dataset, one.test[0].dataset))
    return "; ".join([*parts, *told])


def document(found: Assessment, test: str) -> dict[str, Any]:
    """Return everything as JSON values."""
    sources = [{"source": one.source, "line": one.line, "verdict": one.verdict, "why": sentence(one)} for one in found.sources]
    head = {"test": test, "verdict": found.verdict, "complete": found.complete, "trained_until": found.trained_until}
    return {**head, "sources": sources}


def _videos(videos: Iterable[Video]) -> str:
    named = sorted(set(videos), key=lambda video: (video.dataset, natural(video.id)))
    shown = ", ".join(str(video) for video in named[:SHOWN])
    return shown + (f" and {len(named) - SHOWN} more" if len(named) > SHOWN else "")


def with_training_data(outcome: CheckedSubmission, folder: Path, test: str) -> CheckedSubmission:
    """Return the outcome of a check with what a submission's ``training_data.yaml`` says; without such a file as it is.

    An overlap is a deviation: the submission can be scored, and its organiser has to decide. What cannot be verified is a warning.
    A file that cannot be read is an error.

    Parameters
    ----------
    test
        What `scrubin splits leaks` calls the test set; "" when it is of no public data set: then only the form is checked.
    """
    path = folder / NAME
    if not path.is_file():
        return outcome
    notes = tuple(note for note in outcome.notes if not note.startswith(f"{NAME} "))
    try:
        declared = training_data.read(path)
        if not test:
            return replace(outcome, notes=(*notes, f"{NAME} is well formed; what it shares with the test set was not asked"))
        found = assess(declared, [select(test)], NAME)
    except AnnotationError as problem:
        return replace(outcome, faults=_sorted(outcome, problem.faults), notes=notes)
    return replace(outcome, faults=_sorted(outcome, _faults(found)), notes=notes)


def _faults(found: Assessment) -> tuple[Fault, ...]:
    faults = Faults()
    for one in found.sources:
        note = {"overlap": faults.deviation, "unverified": faults.warning}.get(one.verdict)
        if note is not None:
            fix = LEAVE_OUT if one.verdict == "overlap" else "say what is known of it"
            note(NAME, f"training-{one.verdict}", sentence(one), fix, place=f"line {one.line}")
    if not found.complete:
        faults.warning(NAME, "training-incomplete", "says that not everything is named", "name the rest, if you can")
    return faults.all()


def _sorted(outcome: CheckedSubmission, more: tuple[Fault, ...]) -> tuple[Fault, ...]:
    return tuple(sorted((*outcome.faults, *more), key=lambda fault: fault.file))
