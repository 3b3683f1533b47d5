"""What is trained or tested on, by name, subset, fold or video; both sides of a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scrubin.base.errors import SplitError
from scrubin.base.faults import hint
from scrubin.public_splits.catalogue import NO_FOLD, TRAINVAL, Official, available, load, named
from scrubin.public_splits.datasets import ALL, UNLISTED, Dataset, dataset, listed, names
from scrubin.public_splits.leak import Leak, LeakVerdict, SharedSet, UnverifiedVideos, leak, public_operations
from scrubin.public_splits.relations import SOME, Corpus, Video, corpora, corpus, known

PATTERN = re.compile(r"(?P<name>[^@:]+)(?:@(?P<fold>[^:]*))?(?::(?P<part>.*))?")
# not-train is how the videos outside of CholecInstanceSeg's train were named when nobody had published their subsets.
SYNONYMS = {"training": "train", "valid": "val", "validation": "val", "testing": "test", "not-train": "val+test"}


@dataclass(frozen=True)
class Partial:
    """Videos of which ``missing`` are not selected, without anybody saying which; ``corpora.SOME``: nor how many."""

    videos: tuple[Video, ...]
    missing: int
    source: str


@dataclass(frozen=True)
class Selection:
    """Some videos of one dataset, or of all datasets of a corpus.

    Parameters
    ----------
    text
        As it was asked for.
    dataset
        Whose videos they are.
    videos
        The videos, sorted as in the dataset; unlisted ones as one for each part.
    note
        What must be known about the list; "" when nothing.
    partial
        Of a corpus, videos of which some are not in it.
    """

    text: str
    dataset: str
    videos: tuple[Video, ...]
    note: str = ""
    partial: tuple[Partial, ...] = ()


def select(text: str) -> Selection:
    """Return the videos that a text names.

    Raises
    ------
    SplitError
        When a name, fold, subset or video is unknown, with the nearest known one.
    """
    match = PATTERN.fullmatch(text.strip())
    if not match:
        raise SplitError(f"'{text}' names nothing; write NAME:SUBSET or NAME@FOLD:SUBSET, such as cholec80/40-40:train")
    name, fold, part = match["name"].strip(), match["fold"], (match["part"] or "").strip()
    if match["part"] is not None and not part:
        raise SplitError(f"'{text}' names no subset after ':'; write one, such as {name}:train")
    whole = corpus(name)
    if whole is not None and fold is None and (not part or name not in names()):
        return _of_corpus(text, whole, part)
    if name in available():
        split, number = named(name if fold is None else f"{name}@{fold}")
        return Selection(text, split.dataset, _of_split(text, split, number, part), " ".join(split.cautions))
    if name not in names():
        near = hint(name, [*available(), *names(), *corpora()])
        raise SplitError(f"'{text}': '{name}' is neither an official split nor a dataset nor a corpus; {near}")
    if fold is not None:
        raise SplitError(f"'{text}': '{name}' is a dataset without folds; leave out '@{fold}'")
    return Selection(text, name, _of_dataset(text, dataset(name), part))


def _of_corpus(text: str, whole: Corpus, part: str) -> Selection:
    if part:
        raise SplitError(f"'{text}': '{whole.name}' is a corpus and has no subset '{part}'; leave it out")
    chosen = [(member, select(member.selection)) for member in whole.members]
    firm = dict.fromkeys(video for member, one in chosen if not member.missing for video in one.videos)
    partial = tuple(Partial(one.videos, member.missing, member.source) for member, one in chosen if member.missing)
    used = [f"{member.selection.split(':')[0]} also for {member.role}" for member in whole.members if member.role]
    note = "; ".join([f"{whole.about}: {', '.join(dict.fromkeys(one.dataset for _, one in chosen))}", *used, f"source: {whole.source}"])
    return Selection(text, "", tuple(firm), note, partial)


def _of_split(text: str, split: Official, fold: int | None, part: str) -> tuple[Video, ...]:
    number = split.folds[0] if fold is None else fold
    placed = split.placed[number]
    if not part:
        return _videos(split.dataset, split.videos)
    wanted = _subsets(part, tuple(placed))
    if wanted and fold is None and split.folds != (NO_FOLD,):
        raise SplitError(f"'{text}': {split.which_folds}; name one, such as {split.name}@{number}:{part}")
    if wanted:
        return _videos(split.dataset, [video for video in split.videos if any(video in placed[subset] for subset in wanted)])
    return _listed(text, dataset(split.dataset), part, split.videos, tuple(placed))


def _of_dataset(text: str, home: Dataset, part: str) -> tuple[Video, ...]:
    parts = dict(home.parts) if home.parts else {ALL: home.videos}
    wanted = _subsets(part, tuple(parts)) if part else set(parts)
    if wanted:
        return tuple(video for name in parts if name in wanted for video in _part(home, name, parts[name]))
    return _listed(text, home, part, home.videos, tuple(dict(home.parts)))


def _part(home: Dataset, part: str, ids: tuple[str, ...]) -> tuple[Video, ...]:
    return _videos(home.name, ids) + ((Video(home.name, f"{part} {UNLISTED}"),) if part in home.unlisted else ())


def _videos(name: str, ids: Sequence[str]) -> tuple[Video, ...]:
    return tuple(Video(name, video) for video in ids)


def _subsets(part: str, known: Sequence[str]) -> set[str]:
    """Return the subsets that a text such as ``train`` or ``train+val`` names; empty when it names something else."""
    asked = (SYNONYMS.get(name.strip(), name.strip()) for name in part.casefold().split("+"))
    wanted = {name for names in asked for name in names.split("+")}
    if TRAINVAL in wanted and {"train", "val"} <= set(known):
        wanted = (wanted - {TRAINVAL}) | {"train", "val"}
    return wanted if wanted <= set(known) else set()


def _listed(text: str, home: Dataset, part: str, scope: Sequence[str], subsets: Sequence[str]) -> tuple[Video, ...]:
    """Return the videos of an explicit list such as ``1-40,68``, in the order of the dataset.

    Raises
    ------
    SplitError
        When it names something else: a subset that does not exist, or a video that is not of the dataset.
    """
    try:
        items = listed(part)
    except ValueError as error:
        raise SplitError(f"'{text}': {error}") from error
    id_of = {item: home.video(item) for item in items}
    wrong = next((item for item, video in id_of.items() if video not in scope), None)
    if wrong is None and id_of:
        return _videos(home.name, [video for video in scope if video in id_of.values()])
    if any(letter.isdigit() for letter in wrong or ""):
        has = f"{len(scope)} videos from {scope[0]} to {scope[-1]}" if scope else "no videos whose ids are known here"
        fix = "correct it" if scope else "leave the videos out to name the whole dataset, or say that they are unknown"
        msg = f"'{text}': '{wrong}' is no video of '{home.name}', which has {has}; {fix}"
    elif subsets:
        msg = f"'{text}': '{part}' is no subset; {hint(part, [*subsets, *([TRAINVAL] if 'val' in subsets else [])])}"
    else:
        splits = [name for name in available() if load(name).dataset == home.name]
        fix = f"name one of its splits, such as {splits[0]}:{part}" if splits else "leave it out to name the whole dataset"
        msg = f"'{text}': '{home.name}' is a whole dataset and has no subset '{part}'; {fix}"
    raise SplitError(msg)


def leak_of(train: Sequence[Selection], test: Sequence[Selection]) -> Leak:
    """Return what two sides share, over all public datasets.

    A group of which some videos are missing shares at least as many operations as it would share whole, less the missing ones.
    """
    operations, relations = public_operations(), known()
    whole = leak(videos_of(train), videos_of(test), operations, relations)
    sets, unverified = list(whole.sets), list(whole.unverified)
    firm = Partial(videos_of(train), 0, ""), Partial(videos_of(test), 0, "")
    for left in (firm[0], *_partial(train)):
        for right in (firm[1], *_partial(test)):
            if left.source or right.source:
                part = leak(left.videos, right.videos, operations, relations)
                sets += _uncertain(part, left, right)
                unverified += part.unverified
    return replace(whole, verdict=_verdict(whole, sets, unverified), sets=tuple(sets), unverified=tuple(dict.fromkeys(unverified)))


def videos_of(selections: Iterable[Selection]) -> tuple[Video, ...]:
    """Return the videos that are certainly selected, each once."""
    return tuple(dict.fromkeys(video for selection in selections for video in selection.videos))


def _partial(selections: Iterable[Selection]) -> list[Partial]:
    return [one for selection in selections for one in selection.partial]


def _uncertain(part: Leak, left: Partial, right: Partial) -> list[SharedSet]:
    """Return what two groups share, as sets of which some are certainly on both sides."""
    missing = SOME if SOME in (left.missing, right.missing) else left.missing + right.missing
    sets = [replace(one, at_least=_at_least(one.at_least, missing)) for one in part.sets]
    if part.shared:
        ones, others = ([video for one in part.shared for video in getattr(one, side)] for side in ("train", "test"))
        source = "; ".join(dict.fromkeys(group.source for group in (left, right) if group.source))
        sets.append(SharedSet(tuple(ones), tuple(others), _at_least(len(part.shared), missing), source))
    return sets


def _at_least(shared: int, missing: int) -> int:
    return 0 if missing == SOME else max(0, shared - missing)


def _verdict(whole: Leak, sets: Sequence[SharedSet], unverified: Sequence[UnverifiedVideos]) -> LeakVerdict:
    if whole.shared or any(one.at_least for one in sets):
        return "overlap"
    return "unverified" if sets or unverified else "clean"
