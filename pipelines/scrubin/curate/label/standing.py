"""What stands after all lines of the ledger: of every recording and annotator the labels, who is done, who worked how long."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from scrubin.curate.label import events
from scrubin.curate.label.events import About, Assigned, Change, Done, Instant, Labelled, Refused, Settled, Sheet, Span, Value, Worked
from scrubin.curate.label.params import TRACKS, TRIPLETS
from scrubin.curate.label.several import disputes, instant_disputes, track_disputes
from scrubin.curate.label.several.disputes import Answered
from scrubin.labels.keyframes import KeyFrame, Track
from scrubin.stages.review import Line

Items = dict[str, dict[str, Value]]
"""By layer and key."""


@dataclass
class OfPerson:
    """What one annotator said of one source.

    Parameters
    ----------
    items
        What stands.
    vocabularies
        By layer and key, whose names an item has.
    proposals
        By layer and key, what a program had proposed there.
    changed
        Layers and keys of what is no longer as a program had proposed it.
    refused
        What of the proposals is not taken, or which parts of them.
    """

    items: Items = field(default_factory=dict)
    vocabularies: dict[tuple[str, str], str] = field(default_factory=dict)
    proposals: dict[tuple[str, str], str] = field(default_factory=dict)
    changed: set[tuple[str, str]] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)

    @property
    def taken(self) -> set[str]:
        """Proposals, or parts of them, of which a label stands."""
        return {key for (layer, item), key in self.proposals.items() if key and item in self.items.get(layer, {})}

    def spans(self, layer: str) -> list[Span]:
        """Return the spans of a layer, in order of time."""
        of_layer = [value for value in self.items.get(layer, {}).values() if isinstance(value, Span)]
        return sorted(of_layer, key=lambda span: (span.first, span.end, span.names))

    def tracks(self, layer: str) -> list[Track]:
        """Return the tracks of a layer, sorted by their key frames."""
        by_name: dict[str, list[KeyFrame]] = {}
        for key, value in self.items.get(layer, {}).items():
            if isinstance(value, KeyFrame):
                by_name.setdefault(events.name_in(key), []).append(value)
        return sorted(Track(tuple(sorted(keys)), name) for name, keys in by_name.items())

    def instants(self, layer: str) -> list[Instant]:
        """Return the labelled frames of a layer of sampled frames, in order."""
        return sorted(value for value in self.items.get(layer, {}).values() if isinstance(value, Instant))

    def sheet(self) -> Sheet | None:
        """Return the rating; None where there is none."""
        value = self.items.get("ratings", {}).get(events.SHEET)
        return value if isinstance(value, Sheet) else None


@dataclass
class Standing:
    """What stands.

    Parameters
    ----------
    labels
        By source and annotator. Of a recording whose file was changed there are several sources.
    assigned
        Annotators by recording.
    done
        Recordings that an annotator says are complete, by annotator.
    worked_s
        Seconds by annotator and recording.
    answered
        By source and layer, in the order in which adjudicators settled, each answer with the dispute as it was then.
    undoable
        By annotator and recording, the lines that can be taken back, each with what takes it back.
    last_line
        Number of the last line about each recording, but for those of time worked.
    """

    labels: dict[tuple[About, int], OfPerson] = field(default_factory=dict)
    assigned: dict[str, tuple[int, ...]] = field(default_factory=dict)
    done: dict[int, set[str]] = field(default_factory=dict)
    worked_s: dict[tuple[int, str], int] = field(default_factory=dict)
    answered: dict[tuple[About, str], list[Answered]] = field(default_factory=dict)
    undoable: dict[tuple[int, str], list[tuple[int, Labelled | Refused]]] = field(default_factory=dict)
    last_line: dict[str, int] = field(default_factory=dict)
    _tracks: dict[tuple[About, int, str], list[Track]] = field(default_factory=dict, repr=False)
    """Kept until somebody changes them: an adjudicator settles many disputes in a row."""

    def of(self, about: About, annotator: int) -> OfPerson:
        """Return what an annotator said of a source."""
        return self.labels.get((about, annotator), OfPerson())

    def of_or_new(self, about: About, annotator: int) -> OfPerson:
        """Return the same, to be added to."""
        return self.labels.setdefault((about, annotator), OfPerson())

    def annotators(self, about: About) -> list[int]:
        """Return who said anything of a source, sorted."""
        return sorted(person for one, person in self.labels if one == about)

    def apart(self, about: About) -> list[About]:
        """Return the other sources of this recording and camera that labels are of: its file was changed."""
        others = {one for one, _ in self.labels if (one.recording, one.camera) == (about.recording, about.camera)}
        return sorted(others - {about}, key=lambda one: one.source_sha256)

    def last(self, annotator: int, recording: str) -> tuple[int, Labelled | Refused | None]:
        """Return the number of the last line of a person about a recording that is not taken back, and what does so, or (0, None)."""
        lines = self.undoable.get((annotator, recording), [])
        return lines[-1] if lines else (0, None)

    def apply(self, lines: Iterable[Line]) -> None:
        """Take in more lines.

        Raises
        ------
        ReviewError
            For a line that says what no event does.
        """
        for line in lines:
            event, person = events.read(line), int(line.by)
            match event:
                case Labelled():
                    self.last_line[event.about.recording] = line.number
                    self._label(line.number, person, event)
                case Done():
                    self.last_line[event.recording] = line.number
                    (set.add if event.done else set.discard)(self.done.setdefault(person, set()), event.recording)
                case Worked():
                    key = person, event.recording
                    self.worked_s[key] = self.worked_s.get(key, 0) + event.seconds
                case Assigned():
                    self.assigned |= event.recordings
                    self.last_line |= dict.fromkeys(event.recordings, line.number)
                case Refused():
                    self._refuse(line.number, person, event)
                case Settled():
                    self.last_line[event.about.recording] = line.number
                    self.answered.setdefault((event.about, event.layer), []).append(self._answered(event))

    def _answered(self, event: Settled) -> Answered:
        """Return an answer with what those who label the recording say at this line."""
        people, layer = self.assigned.get(event.about.recording, ()), event.layer
        if layer in TRACKS:
            return track_disputes.answered(event, {person: self._tracks_of(event.about, person, layer) for person in people})
        said = {person: self.of(event.about, person) for person in people}
        if layer == TRIPLETS:
            return instant_disputes.answered(event, {person: of.instants(layer) for person, of in said.items()})
        return disputes.answered(event, {person: of.spans(layer) for person, of in said.items()})

    def _tracks_of(self, about: About, person: int, layer: str) -> list[Track]:
        key = about, person, layer
        if key not in self._tracks:
            self._tracks[key] = self.of(about, person).tracks(layer)
        return self._tracks[key]

    def _label(self, number: int, person: int, event: Labelled) -> None:
        mine = self.of_or_new(event.about, person)
        before = inverse(mine, event)
        for change in event.changes:
            self._tracks.pop((event.about, person, change.layer), None)
            at = change.layer, change.key
            of_layer = mine.items.setdefault(change.layer, {})
            was_there = change.key in of_layer
            if change.value is None:
                of_layer.pop(change.key, None)
            else:
                of_layer[change.key] = change.value
                mine.vocabularies[at] = event.vocabulary
                # What was taken and then stretched still comes from a program.
                mine.proposals[at] = change.proposal or (mine.proposals.get(at, "") if was_there else "")
                (set.add if mine.proposals[at] and change.changed else set.discard)(mine.changed, at)
        self._can_undo(number, person, event, before)

    def _refuse(self, number: int, person: int, event: Refused) -> None:
        refused = self.of_or_new(event.about, person).refused
        others = tuple(one for one in event.proposals if (one in refused) != event.refused)
        (refused.update if event.refused else refused.difference_update)(event.proposals)
        self._can_undo(number, person, event, Refused(event.about, others, not event.refused))

    def _can_undo(self, number: int, person: int, event: Labelled | Refused, inverse: Labelled | Refused) -> None:
        stack = self.undoable.setdefault((person, event.about.recording), [])
        if event.undoes:
            stack[:] = [one for one in stack if one[0] != event.undoes]
        else:
            stack.append((number, inverse))


def inverse(mine: OfPerson, event: Labelled) -> Labelled:
    """Return the changes that take an event back, of what stood before it."""
    before = {(one.layer, one.key): mine.items.get(one.layer, {}).get(one.key) for one in event.changes}
    changes = tuple(
        Change(layer, key, value, mine.proposals.get((layer, key), ""), (layer, key) in mine.changed)
        for (layer, key), value in before.items()
    )
    return Labelled(event.about, event.vocabulary, changes)
