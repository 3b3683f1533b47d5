"""Lists of class names to what the classes are: triplets or instruments, of a known vocabulary or their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import PARTS, Naming, Vocabulary, fold, load, related
from scrubin.labels.label_map import LabelMap
from scrubin.labels.model import Labels
from scrubin.labels.parse.fields import Where

PREFERRED = ("prostatd", "cholect50", "cholec80", "endoscapes")


@dataclass(frozen=True)
class Classes:
    """What a class index means.

    Parameters
    ----------
    vocabulary
        Whose ids these are.
    triplets
        Whether classes are triplets; otherwise they are instruments.
    ids
        The id in the vocabulary of each class, by its place in the list.
    merges
        Names before and after the label map, by place in the list.
    """

    vocabulary: Vocabulary
    triplets: bool
    ids: tuple[int, ...]
    merges: Mapping[int, tuple[str, str]] = field(default_factory=dict)


def classes_of(where: Where, names: Sequence[str], chosen: Vocabulary | None, label_map: LabelMap | None = None) -> Classes | None:
    """Return what a list of class names means; None after noting names that cannot be used.

    Names of triplets are ``instrument,verb,target``, or the same with ``_``. Without a chosen vocabulary, the
    first one that has every name counts; where none has, the names are a vocabulary of their own.

    Parameters
    ----------
    where
        Of the list.
    """
    mapped = [_mapped(name, label_map) for name in names]
    merges = {i: (name, to) for i, (name, to) in enumerate(zip(names, mapped, strict=True)) if name != to}
    classes = _own_or_known(where, mapped) if chosen is None else _known(mapped, chosen) or _strict(where, mapped, chosen)
    return None if classes is None else replace(classes, merges=merges)


def whole_list(vocabulary: Vocabulary) -> Classes:
    """Return the classes of a vocabulary in its own order: its triplets, or else its instruments."""
    n = len(vocabulary.triplets) or len(vocabulary.instruments)
    return Classes(vocabulary, bool(vocabulary.triplets), tuple(range(n)))


def one_vocabulary(recordings: Sequence[Labels]) -> Vocabulary:
    """Return the vocabulary of all recordings, for formats with one list of classes.

    Raises
    ------
    AnnotationError
        When they have different ones.
    """
    by_name = {labels.vocabulary.name: labels.vocabulary for labels in recordings}
    if len(by_name) != 1:
        what = f"the recordings have {len(by_name)} vocabularies ({', '.join(sorted(by_name))}), but one file has one list of classes"
        raise AnnotationError([Fault("", "vocabularies-differ", what, "convert them one by one")])
    (vocabulary,) = by_name.values()
    return vocabulary


def names_of(classes: Classes) -> list[str]:
    """Return the name of each class."""
    vocabulary = classes.vocabulary
    return [vocabulary.triplet_name(i) if classes.triplets else vocabulary.instruments[i] for i in classes.ids]


def _own_or_known(where: Where, names: Sequence[str]) -> Classes | None:
    fits = [classes for name in PREFERRED if (classes := _known(names, load(name))) is not None]
    # "grasper" is a tool of several operations: names that fit unrelated vocabularies say nothing.
    if fits and all(related(fits[0].vocabulary.name, other.vocabulary.name) for other in fits[1:]):
        return fits[0]
    distinct = list(dict.fromkeys(names))
    try:
        if not any("," in name for name in names):
            return Classes(own_categories.of_categories(where.file, {"instrument": names}), False, tuple(range(len(names))))
        split = [[part.strip() for part in name.split(",")] for name in names]
        parts: dict[Naming | str, list[str]] = {
            naming: list(dict.fromkeys(of[i] for of in split if len(of) == len(PARTS))) for i, naming in enumerate(PARTS)
        }
        vocabulary = own_categories.of_categories(where.file, {**parts, "triplet": distinct})
    except AnnotationError as error:
        where.faults.extend(error.faults)
        return None
    return Classes(vocabulary, True, tuple(distinct.index(name) for name in names))


def _mapped(name: str, label_map: LabelMap | None) -> str:
    parts = [part.strip() for part in name.split(",")]
    if label_map is None or len(parts) != len(PARTS):
        return name
    return ",".join(label_map.merged((parts[0], parts[1], parts[2])))


def _known(names: Sequence[str], vocabulary: Vocabulary) -> Classes | None:
    triplets: dict[str, int] = {}
    for i, (instrument, verb, target) in enumerate(vocabulary.triplets):
        # Every spelling of a part is a spelling of the triplet.
        for a in _spelled(vocabulary, "instrument", instrument):
            for b in _spelled(vocabulary, "verb", verb):
                for c in _spelled(vocabulary, "target", target):
                    triplets[a + b + c] = i
    folded = [fold(name) for name in names]
    if names and all(name in triplets for name in folded):
        return Classes(vocabulary, True, tuple(triplets[name] for name in folded))
    instruments = vocabulary.spellings["instrument"]
    if names and all(name in instruments for name in folded):
        return Classes(vocabulary, False, tuple(instruments[name] for name in folded))
    return None


def _spelled(vocabulary: Vocabulary, naming: Naming, id_: int) -> list[str]:
    return [spelling for spelling, of in vocabulary.spellings[naming].items() if of == id_]


def _strict(where: Where, names: Sequence[str], vocabulary: Vocabulary) -> Classes | None:
    triplets = any("," in name for name in names)
    ids = [where.triplet_of(vocabulary, name) if triplets else where.id_of(vocabulary, "instrument", name) for name in names]
    known = tuple(id_ for id_ in ids if id_ is not None)
    return Classes(vocabulary, triplets, known) if len(known) == len(ids) else None
