"""All suspects of what was read, from the most probable one on, and what could not be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from scrubin.labels.model import ClassesOf, Labels
from scrubin.labels.rows import detected_classes
from scrubin.labels.suspects import of_predictions, other_recordings, rules, suspect
from scrubin.labels.suspects.sequence import LabelSequence, of_labels
from scrubin.labels.suspects.suspect import Suspect


@dataclass(frozen=True)
class Ranking:
    """Suspects, most probable first, and in sentences what was not asked, or not found in the predictions."""

    suspects: tuple[Suspect, ...]
    notes: tuple[str, ...] = ()

    def as_json(self, count: int) -> dict[str, Any]:
        """Return the first ones as a JSON value, with how many there are by evidence."""
        return {
            "found": len(self.suspects),
            "by_evidence": dict(suspect.counts(self.suspects)),
            "notes": list(self.notes),
            "listed": [{"rank": rank, **one.as_json()} for rank, one in enumerate(self.suspects[:count], start=1)],
        }

    def lines(self, count: int) -> list[str]:
        """Return the first ones as lines, below how many there are."""
        listed = self.suspects[:count]
        by_evidence = ", ".join(f"{name} {number}" for name, number in suspect.counts(self.suspects).items())
        found = f"{len(self.suspects)} places that are perhaps wrong" + (f" ({by_evidence})" if by_evidence else "")
        numbered = (f"{number:4d}. {one.sentence}" for number, one in enumerate(listed, start=1))
        return [f"suspects: the first {len(listed)} of {found}", *(f"note: {note}" for note in self.notes), *numbered]


def rank(
    recordings: Sequence[Labels],
    source_fps: Fraction | None = None,
    predictions: Sequence[Labels] | None = None,
    more: Iterable[Suspect] = (),
    first: int = 0,
) -> Ranking:
    """Return what is probably wrong in labels; nothing is changed.

    Parameters
    ----------
    recordings
        Labels by frame.
    source_fps
        Frames per second of the source, where labels are numbered by its frames; None where nobody says it.
    predictions
        Of a model that has not seen the labels of the recording that it predicts; None for none.
    more
        Suspects of other evidence, such as people who differ; their times stay.
    first
        The number of the first frame, at time 0.
    """
    recordings = sorted(recordings, key=lambda one: one.recording)
    found, notes = [one for labels in recordings for one in rules.suspects(labels, source_fps)], []
    by_name = {one.recording: one for one in predictions or ()}
    sequences: dict[str, LabelSequence] = {}
    for of_kind, classes_of in _kinds(recordings):
        names = of_kind[0].vocabulary
        of_them = [of_labels(labels, source_fps, classes_of) for labels in of_kind]
        sequences |= {one.recording: one for one in of_them}
        found += other_recordings.suspects(of_them, names)
        if len(of_kind) < other_recordings.FEWEST:
            like_it = "triplets" if classes_of == "ivt" else "instruments without verbs and targets"
            with_them = f" with {like_it}" if len([one for one in recordings if one.vocabulary.name == names.name]) > 1 else ""
            only = f"{of_kind[0].recording} is the only recording of '{names.name}'{with_them}"
            notes.append(f"{only}: no other one can say what is unusual in it")
        known = {name: one for name, one in by_name.items() if one.vocabulary.name == names.name}
        found += of_predictions.suspects(of_them, known, names)
    if predictions is not None:
        notes += _unused(by_name, recordings)
    timed = (replace(one, time_s=sequences[one.recording].time_s(one.first - first)) for one in found)
    return Ranking(tuple(suspect.ranked([*timed, *more])), tuple(notes))


def _kinds(recordings: Sequence[Labels]) -> Iterator[tuple[list[Labels], ClassesOf]]:
    """Yield the recordings that can be compared: of one vocabulary and kind of classes; those without any go with the most."""
    by_vocabulary: dict[tuple[str, str], list[Labels]] = {}
    for labels in recordings:
        by_vocabulary.setdefault((labels.vocabulary.name, labels.vocabulary.sha256), []).append(labels)
    for _, of_one in sorted(by_vocabulary.items()):
        has_any = [labels.instances is not None and len(labels.instances.rows) > 0 for labels in of_one]
        kinds = Counter(detected_classes(labels) for labels, has in zip(of_one, has_any, strict=True) if has)
        most: ClassesOf = "ivt" if kinds["ivt"] and kinds["ivt"] >= kinds["i"] else "i"
        for kind in sorted(kinds) or [most]:
            yield [one for one, has in zip(of_one, has_any, strict=True) if (detected_classes(one) if has else most) == kind], kind


def _unused(by_name: Mapping[str, Labels], recordings: Sequence[Labels]) -> list[str]:
    """Return which predictions say nothing of any labels, and why."""
    vocabularies = {labels.recording: labels.vocabulary.name for labels in recordings}
    unknown = sorted(set(by_name) - set(vocabularies))
    notes = [f"predictions of recordings without labels are not used: {len(unknown)}, such as {unknown[0]}"] if unknown else []
    without = sorted(set(vocabularies) - set(by_name))
    notes += [f"recordings without predictions: {len(without)}, such as {without[0]}"] if without else []
    for name in sorted(set(by_name) & set(vocabularies)):
        if by_name[name].vocabulary.name != vocabularies[name]:
            theirs = by_name[name].vocabulary.name
            notes.append(f"predictions of {name} are of the vocabulary '{theirs}', its labels of '{vocabularies[name]}': they are not used")
    return notes
