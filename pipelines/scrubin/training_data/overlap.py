"""Declared training data against a test set: overlap, clean or unverified, for every source by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scrubin.core.errors import AnnotationError, SplitError
from scrubin.core.faults import Faults
from scrubin.core.suggest import near
from scrubin.public_splits.catalogue import available
from scrubin.public_splits.datasets import names
from scrubin.public_splits.overlaps.corpora import corpora, corpus
from scrubin.public_splits.overlaps.leak import Leak, Verdict
from scrubin.public_splits.overlaps.selection import Selection, select
from scrubin.public_splits.overlaps.sides import leak_of
from scrubin.training_data.declaration import ALL, UNKNOWN, Declaration, DeclaredDataset, DeclaredWeights, OwnData

WORST: tuple[Verdict, ...] = ("overlap", "unverified", "clean")


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
    verdict: Verdict
    why: str = ""
    leak: Leak | None = None


@dataclass(frozen=True)
class Assessment:
    """The verdicts on all sources; the verdict on the whole is the worst, and never clean when the list is not complete."""

    sources: tuple[SourceVerdict, ...]
    complete: bool
    trained_until: str

    @property
    def verdict(self) -> Verdict:
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
    if not entry.trained_on:
        known = corpus(entry.name)
        if known is None:
            why = "nobody has published here what these weights were trained on; name the data sets as trained_on"
            return [SourceVerdict(f"weights {entry.name}", entry.line, "unverified", why)]
        found = leak_of([select(known.name)], test)
        return [SourceVerdict(f"weights {entry.name}", entry.line, found.verdict, leak=found)]
    verdicts = []
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
