"""Is a split file sound: every video once, nothing empty, folds alike, no group on two sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from scrubin.base.errors import SplitError
from scrubin.base.faults import natural
from scrubin.base.text import naming
from scrubin.public_splits.compare import folder_of, told_apart
from scrubin.public_splits.sheet import (
    SUBSETS,
    TEST,
    TRAIN,
    LineFault,
    People,
    SplitRow,
    SplitSheet,
    from_sheet,
    from_table,
    read_columns,
    videos_of,
)

_HELD_OUT = (TEST, "val")
_FEW = 5


@dataclass(frozen=True)
class Question:
    """A file, and what it is checked against.

    Parameters
    ----------
    sheet
        The file.
    key
        A video as it is told apart from others, by how it is written.
    people
        Groups, pins and the videos that must be placed; None when only the file itself is checked.
    repeats
        How often each video must be tested over the folds; None: as often as most are.
    """

    sheet: SplitSheet
    key: Callable[[SplitRow], str]
    people: People | None = None
    repeats: int | None = None

    @cached_property
    def whole(self) -> tuple[SplitRow, ...]:
        """The rows in which nothing is empty."""
        return tuple(row for row in self.sheet.rows if not row.gap(self.sheet.columns))

    @cached_property
    def parts(self) -> dict[tuple[str, str], list[SplitRow]]:
        """The complete rows by scheme and fold."""
        parts: dict[tuple[str, str], list[SplitRow]] = {}
        for row in sorted(self.whole, key=lambda row: (row.scheme, natural(row.fold))):
            parts.setdefault((row.scheme, row.fold), []).append(row)
        return parts

    @cached_property
    def schemes(self) -> dict[str, dict[str, list[SplitRow]]]:
        """The complete rows by scheme, then by fold."""
        schemes: dict[str, dict[str, list[SplitRow]]] = {}
        for (scheme, fold), rows in self.parts.items():
            schemes.setdefault(scheme, {})[fold] = rows
        return schemes


def question_of(
    sheet: SplitSheet, table: str | None = None, group: str | None = None, pin_train: str | None = None, repeats: int | None = None
) -> Question:
    """Return a file with what it is checked against.

    Parameters
    ----------
    sheet
        The file.
    table
        A CSV that says who is in each video; None: the columns of the file itself do.
    group, pin_train
        Columns with whom to keep together, and with videos that must be in train; None: the usual names, and no pins.
    repeats
        As of `Question`.

    Raises
    ------
    SplitError
        When a table or column is missing.
    """
    if table is not None and "dataset" in sheet.columns:
        by = sheet.columns["dataset"]
        what = f"its videos are told apart by '{by}', which --table cannot say"
        raise SplitError([sheet.fault("table", what, "put the groups into this file")])
    cells = None if table is None else read_columns(Path(table), table)
    listed = [] if cells is None else videos_of(cells, sheet)
    told = told_apart(((sheet.dataset(row), row.video) for row in sheet.rows), listed)

    def key(row: SplitRow) -> str:
        return told.key(sheet.dataset(row), row.video)

    if cells is None:
        return Question(sheet, key, from_sheet(sheet, key, group, pin_train), repeats)
    return Question(sheet, key, from_table(cells, sheet, lambda video: told.key("", video), group, pin_train), repeats)


def faults_of(question: Question, *others: Iterable[LineFault]) -> list[LineFault]:
    """Return every fault of a split file, and others of it, by line; none means that it is sound."""
    noted = dict.fromkeys([*(fault for rule in _RULES for fault in rule(question)), *chain.from_iterable(others)])
    # Stable: faults of one line keep the order of the rules.
    return sorted(noted, key=lambda fault: (fault[0] == 0, fault[0]))


def _complete(question: Question) -> Iterator[LineFault]:
    for row in question.sheet.rows:
        gap = row.gap(question.sheet.columns)
        if gap:
            what = f"{gap}{f' (video {row.video!r})' if row.video else ''}"
            yield _fault(question, row.line, "cell-empty", what, "fill it in or remove the row")


def _once(question: Question) -> Iterator[LineFault]:
    once = "place it once"
    for (scheme, fold), rows in question.parts.items():
        first: dict[str, SplitRow] = {}
        for row in rows:
            before = first.setdefault(question.key(row), row)
            if before is not row:
                same = "" if before.video == row.video else f" as '{before.video}'"
                place = f"{_in(scheme, fold)} in line {before.line}{same}, there '{before.subset}', here '{row.subset}'"
                has_other_folder = folder_of(before.video) != folder_of(row.video)
                fix = f"if they are one, {once}; if not, use names that differ in more than their folder" if has_other_folder else once
                yield _fault(question, row.line, "video-repeated", f"video '{row.video}' stands already{place}", fix)


def _no_video_spelt_alike(question: Question) -> Iterator[LineFault]:
    for (scheme, fold), rows in question.parts.items():
        first: dict[tuple[str, str], SplitRow] = {}
        for row in rows:
            # Apart, because what a spreadsheet does to a number it does to a cell that is one.
            of = question.sheet.dataset(row)
            before = first.setdefault((naming.spelling(of), naming.spelling(row.video)), row)
            if question.key(before) != question.key(row) and before.subset != row.subset:
                there = question.sheet.dataset(before)
                # As ASCII, because two forms of a letter, or two kinds of space, look the same.
                here, other = (f"{one.video!a}{f' of {set_!a}' if of != there else ''}" for one, set_ in ((row, of), (before, there)))
                what = f"video {here} in '{row.subset}' differs from {other} in '{before.subset}' (line {before.line})"
                fix = "if they are one, place it once; if not, use names that differ in more"
                yield _fault(question, row.line, "video-spelt", f"{what} in {naming.SPELT} only{_in(scheme, fold)}", fix)


def _no_empty_subset(question: Question) -> Iterator[LineFault]:
    for scheme, folds in question.schemes.items():
        names = _ordered({row.subset for rows in folds.values() for row in rows})
        if len(names) == 1:
            what = f"all videos are in the subset '{names[0]}'{_in(scheme, '')}"
            yield _fault(question, 0, "subset-single", what, "a split has two subsets or more")
        for fold, rows in folds.items():
            present = {row.subset for row in rows}
            for name in names:
                if name not in present:
                    what = f"the subset '{name}' is empty{_in(scheme, fold)}"
                    yield _fault(question, 0, "subset-empty", what, "every fold needs a video in it")


def _folds_alike(question: Question) -> Iterator[LineFault]:
    for scheme, folds in question.schemes.items():
        everyone = {question.key(row): row for rows in reversed(folds.values()) for row in reversed(rows)}
        for fold, rows in folds.items():
            here = {question.key(row) for row in rows}
            for key, row in everyone.items():
                if key not in here:
                    what = f"video '{row.video}' is not placed{_in(scheme, fold)}, but in fold {row.fold}"
                    yield _fault(question, row.line, "fold-differs", what, "place it in every fold")


def _tested(question: Question) -> Iterator[LineFault]:
    for scheme, folds in question.schemes.items():
        names = {row.subset for rows in folds.values() for row in rows}
        held_out = next((name for name in _HELD_OUT if name in names), None)
        if "fold" not in question.sheet.columns or len(folds) < 2 or held_out is None:
            continue
        pinned = question.people.pinned if question.people else frozenset()
        held: dict[str, dict[str, None]] = {}
        first: dict[str, SplitRow] = {}
        for fold, rows in folds.items():
            for row in rows:
                key = question.key(row)
                first.setdefault(key, row)
                if row.subset == held_out:
                    held.setdefault(key, {})[fold] = None
        times_held_out = Counter(len(held.get(key, {})) for key in first if key not in pinned)
        wanted = question.repeats or max(1, max(times_held_out, key=lambda n: (times_held_out[n], -n), default=1))
        for key, row in first.items():
            where = list(held.get(key, {}))
            # What must be trained on is never held out.
            if key not in pinned and len(where) != wanted:
                listed = f" ({', '.join(where[:_FEW])}{', ...' if len(where) > _FEW else ''})" if where else ""
                what = f"video '{row.video}' is in '{held_out}' of {len(where)} of {len(folds)} folds{listed}, not of {wanted}"
                fix = "in a cross-validation each is held out equally often"
                yield _fault(question, row.line, "held-out", f"{what}{_in(scheme, '')}", fix)


def _subset_names(question: Question) -> Iterator[LineFault]:
    for row in question.whole:
        # Swapped or doubled letters; names such as test2 are somebody's own.
        near = next(
            (name for name in SUBSETS if sorted(set(name)) == sorted(set(row.subset)) and abs(len(name) - len(row.subset)) < 2), None
        )
        if row.subset not in SUBSETS and near:
            what = f"the subset '{row.subset}' of video '{row.video}' is no usual name"
            yield _fault(question, row.line, "subset-name", what, f"did you mean '{near}'?")


def _subset_spelt_alike(question: Question) -> Iterator[LineFault]:
    """Note subsets that are written in several ways: whoever compares text takes them for several."""
    spellings: dict[str, Counter[str]] = {}
    for row in question.whole:
        spellings.setdefault(row.subset, Counter())[row.written] += 1
    usual = {name: max(of, key=lambda written: (of[written], written == name)) for name, of in spellings.items()}
    for row in question.whole:
        if row.written != usual[row.subset]:
            what = f"the subset of video '{row.video}' is written '{row.written}', of others '{usual[row.subset]}'"
            yield _fault(question, row.line, "subset-spelt", what, "write it alike; other programs take it for another subset")


def _no_group_twice(question: Question) -> Iterator[LineFault]:
    people = question.people
    if people is None or people.group is None:
        return
    for (scheme, fold), rows in question.parts.items():
        first: dict[str, SplitRow] = {}
        first_alike: dict[str, SplitRow] = {}
        for row in rows:
            group = people.groups.get(question.key(row), "")
            same, alike = first.setdefault(group, row), first_alike.setdefault(naming.spelling(group), row)
            # Who is surely the same comes before who is only spelt alike.
            before = same if same.subset != row.subset else alike
            if group and before.subset != row.subset:
                there, fix = people.groups[question.key(before)], f"keep a {people.group} in one subset"
                whose = f"the same {people.group}"
                if there != group:
                    # As ASCII, because two forms of a letter, or two kinds of space, look the same.
                    whose = f"{people.group} {there!a}, here {group!a},"
                    fix = "if they are one, keep them in one subset; if not, use names that differ in more"
                where = f"video '{before.video}' (line {before.line}) of {whose} is in '{before.subset}'"
                what = f"video '{row.video}' of {people.group} '{group}' is in '{row.subset}'{_in(scheme, fold)}, but {where}"
                yield _fault(question, row.line, "group-twice", what, fix)


def _everyone_known(question: Question) -> Iterator[LineFault]:
    people = question.people
    if people is None or people.table is None:
        return
    known = set(people.listed)
    for row in question.whole:
        if question.key(row) not in known:
            yield _fault(question, row.line, "video-unknown", f"video '{row.video}' is not in {people.table}", "correct it or add it there")
    # A scheme that is split by task, <scheme>.<task>, places everyone in all its parts together.
    placed_in: dict[str, set[str]] = {}
    for name, folds in question.schemes.items():
        placed_in.setdefault(name.partition(".")[0], set()).update(question.key(row) for rows in folds.values() for row in rows)
    for scheme, placed in placed_in.items():
        for key, (line, written) in people.listed.items():
            if key not in placed:
                what = f"video '{written}' ({people.table}, line {line}) is not placed{_in(scheme, '')}"
                yield _fault(question, 0, "video-missing", what, "add a row for it")


def _pinned_in_train(question: Question) -> Iterator[LineFault]:
    people = question.people
    if people is None:
        return
    for row in question.whole:
        if question.key(row) in people.pinned and row.subset != TRAIN:
            what = f"video '{row.video}' is marked in '{people.pin}' and must be in '{TRAIN}', but is in '{row.subset}'"
            yield _fault(question, row.line, "pin-elsewhere", f"{what}{_in(row.scheme, row.fold)}", "move it")


def _people_complete(question: Question) -> Iterator[LineFault]:
    if question.people is not None:
        for line, fault in question.people.faults:
            yield line if question.people.table is None else 0, fault


def _ordered(names: set[str]) -> list[str]:
    return [name for name in SUBSETS if name in names] + sorted(names - set(SUBSETS))


def _in(scheme: str, fold: str) -> str:
    return (f" in scheme '{scheme}'" if scheme else "") + (f" in fold {fold}" if fold else "")


def _fault(question: Question, line: int, rule: str, what: str, fix: str) -> LineFault:
    return line, question.sheet.fault(rule, what, fix, line)


_RULES: Sequence[Callable[[Question], Iterator[LineFault]]] = (
    _complete,
    _once,
    _no_video_spelt_alike,
    _subset_names,
    _subset_spelt_alike,
    _no_empty_subset,
    _folds_alike,
    _tested,
    _people_complete,
    _no_group_twice,
    _everyone_known,
    _pinned_in_train,
)


def sizes(question: Question) -> Mapping[tuple[str, str], Mapping[str, int]]:
    """Return the number of rows by subset, for each scheme and fold."""
    return {
        part: {name: len([row for row in rows if row.subset == name]) for name in _ordered({row.subset for row in rows})}
        for part, rows in question.parts.items()
    }
