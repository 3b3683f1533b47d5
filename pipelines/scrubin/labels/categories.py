"""Lists of class names to what the classes are: triplets or instruments, of a known vocabulary or their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from scrubin.errors import AnnotationError
from scrubin.labels.label_map import LabelMap
from scrubin.vocabulary import own, vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary, fold

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


def classes_of(file: str, names: Sequence[str], given: Vocabulary | None, label_map: LabelMap | None = None) -> Classes:
    """Return what a list of class names means.

    Names of triplets are ``instrument,verb,target``, or the same with ``_``. Without a vocabulary, the
    first one that has every name counts; where none has, the names are a vocabulary of their own.

    Raises
    ------
    AnnotationError
        When a given vocabulary does not have a name, or names of triplets are broken.
    """
    mapped = [_mapped(name, label_map) for name in names]
    merges = {i: (name, to) for i, (name, to) in enumerate(zip(names, mapped, strict=True)) if name != to}
    return replace(_classes_of(file, mapped, given), merges=merges)


def whole_list(words: Vocabulary) -> Classes:
    """Return the classes of a vocabulary in its own order: its triplets, or else its instruments."""
    n = len(words.triplets) or len(words.instruments)
    return Classes(words, bool(words.triplets), tuple(range(n)))


def names_of(classes: Classes) -> list[str]:
    """Return the name of each class."""
    words = classes.vocabulary
    return [words.triplet_name(i) if classes.triplets else words.instruments[i] for i in classes.ids]


def _classes_of(file: str, mapped: Sequence[str], given: Vocabulary | None) -> Classes:
    if given is not None:
        return _known(mapped, given) or _strict(file, mapped, given)
    fits = [found for name in PREFERRED if (found := _known(mapped, vocabulary.load(name))) is not None]
    # "grasper" is a tool of several operations: names that fit unrelated vocabularies say nothing.
    if fits and all(vocabulary.related(fits[0].vocabulary.name, other.vocabulary.name) for other in fits[1:]):
        return fits[0]
    distinct = list(dict.fromkeys(mapped))
    if any("," in name for name in mapped):
        lists: dict[str, list[str]] = {"triplet": distinct}
        for place, kind in enumerate(("instrument", "verb", "target")):
            parts = [name.split(",") for name in mapped]
            lists[kind] = list(dict.fromkeys(part[place].strip() for part in parts if len(part) == 3))
        words = own.of_categories(file, lists)
        return Classes(words, True, tuple(distinct.index(name) for name in mapped))
    return Classes(own.of_categories(file, {"instrument": mapped}), False, tuple(range(len(mapped))))


def _mapped(name: str, label_map: LabelMap | None) -> str:
    parts = [part.strip() for part in name.split(",")]
    if label_map is None or len(parts) != 3:
        return name
    return ",".join(label_map.merged((parts[0], parts[1], parts[2])))


def _known(names: Sequence[str], words: Vocabulary) -> Classes | None:
    triplets: dict[str, int] = {}
    for i, (instrument, verb, target) in enumerate(words.triplets):
        # Every spelling of a part is a spelling of the triplet.
        for a in _spelled(words, "instrument", instrument):
            for b in _spelled(words, "verb", verb):
                for c in _spelled(words, "target", target):
                    triplets[a + b + c] = i
    folded = [fold(name) for name in names]
    if names and all(name in triplets for name in folded):
        return Classes(words, True, tuple(triplets[name] for name in folded))
    instruments = words.spellings["instrument"]
    if names and all(name in instruments for name in folded):
        return Classes(words, False, tuple(instruments[name] for name in folded))
    return None


def _spelled(words: Vocabulary, kind: str, id_: int) -> list[str]:
    spellings = words.spellings[kind]  # type: ignore[index]
    return [spelling for spelling, of in spellings.items() if of == id_]


def _strict(file: str, names: Sequence[str], words: Vocabulary) -> Classes:
    ids = []
    triplets = any("," in name for name in names)
    for name in names:
        try:
            ids.append(words.triplet_of(name) if triplets else words.id_of("instrument", name))
        except AnnotationError as error:
            msg = f"{file}: categories: {error}"
            raise AnnotationError(msg) from error
    return Classes(words, triplets, tuple(ids))
