"""What of a recording is settled, by agreement or by an adjudicator: only that is exported, with the labels that one person made alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from scrubin.base.errors import ReviewError
from scrubin.base.faults import count_text
from scrubin.curate.label import from_page
from scrubin.curate.label.events import About, Answer, Instant, Settled, Sheet, Span
from scrubin.curate.label.from_page import FromPage
from scrubin.curate.label.params import EXCLUSIVE, TRACKS, TRIPLETS, LabelParams
from scrubin.curate.label.pictures import NEAR_S, Pictures
from scrubin.curate.label.proposed.taking import pick_of
from scrubin.curate.label.several import disputes, instant_disputes, track_disputes
from scrubin.curate.label.several.disputes import Dispute, Outcome, SettledAnswer
from scrubin.curate.label.standing import OfPerson, Standing
from scrubin.labels.formats.plain.label_files import Provenance
from scrubin.labels.keyframes import Track

SPAN_LAYERS = ("phases", "steps", "actions", "quality")


@dataclass(frozen=True)
class Settlement:
    """How far a recording is.

    Parameters
    ----------
    missing
        Annotators who have not finished it.
    outcomes
        By layer of spans, tracks or sampled frames, what stands and what is still to be settled; empty while somebody has not finished,
        or where it is closed.
    sheets
        Ratings by who gave them, also by adjudicators.
    differ
        Aspects and errors in which ratings differ and nobody has settled it.
    closed
        Why nobody can tell what stands: its film is another one by now, and when its frames are shown is not known; "" where it is.
    """

    pictures: Pictures
    annotators: tuple[int, ...]
    missing: tuple[int, ...]
    outcomes: Mapping[str, Outcome]
    sheets: Mapping[int, Sheet]
    differ: tuple[str, ...]
    closed: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether all of it can be exported."""
        return not self.closed and not self.missing and not any(one.open for one in self.outcomes.values()) and not self.differ

    @property
    def waits_for(self) -> str:
        """What is missing before it can be exported; "" for nothing."""
        if not self.annotators:
            return "nobody labels it"
        if self.missing:
            one = len(self.missing) == 1
            return f"{'annotator' if one else 'annotators'} {', '.join(map(str, self.missing))} {'is' if one else 'are'} not done"
        places = f"an adjudicator settles {count_text(len(self.open), 'place')}" if self.open else ""
        ratings = f"an adjudicator rates it, as ratings differ: {', '.join(self.differ)}" if self.differ else ""
        return "; ".join(filter(None, (self.closed, places, ratings)))

    @property
    def open(self) -> list[Dispute]:
        """What is to be settled, in order of time."""
        return sorted((one for of in self.outcomes.values() for one in of.open), key=lambda one: (one.first, one.layer))

    @cached_property
    def settled(self) -> list[tuple[Dispute, SettledAnswer]]:
        """What is settled, in order of time, each with what stands there."""
        both = [(one, disputes.settled_answer(of, one)) for of in self.outcomes.values() for one in of.settled]
        return sorted(both, key=lambda one: (one[0].first, one[0].layer))


def of_recording(pictures: Pictures, standing: Standing, adjudicators: Sequence[int], p: LabelParams) -> Settlement:
    """Return how far a recording is."""
    about = pictures.about
    annotators = standing.assigned.get(about.recording, ())
    waiting = missing(about, standing)
    said = {one: standing.of(about, one) for one in annotators}
    sheets = {one: sheet for one in (*annotators, *adjudicators) if (sheet := standing.of(about, one).sheet()) is not None}
    outcomes, closed = dict[str, Outcome](), ""
    if annotators and not waiting:
        try:
            outcomes = _outcomes(pictures, said, standing, p)
        except ReviewError as error:
            closed = str(error)
    by_annotators = {one: sheets[one] for one in annotators if one in sheets}
    is_settled = any(one in sheets for one in adjudicators)
    differ = () if waiting or is_settled else tuple(disputes.of_sheets(by_annotators, p.score_points))
    return Settlement(pictures, annotators, waiting, outcomes, sheets, differ if p.settle == "third" else (), closed)


def missing(about: About, standing: Standing) -> tuple[int, ...]:
    """Return the annotators who have not finished a recording."""
    annotators = standing.assigned.get(about.recording, ())
    return tuple(one for one in annotators if about.recording not in standing.done.get(one, set()))


def settled_dispute(
    layer: str, frames: tuple[int, int], answer: Sequence[Answer], settlement: Settlement, page: FromPage, seen: str
) -> Settled:
    """Return what settles a dispute.

    Parameters
    ----------
    frames
        First and end of the dispute, as the page counts them.
    answer
        What stands there from now on, as the page says it: spans, of a layer of tracks or of sampled frames these.
    settlement
        How far the recording is.
    seen
        The digest of the dispute as the page showed it.

    Raises
    ------
    ReviewError
        When nobody disputes these frames, people say something else there than the page showed, or the answer is none that could be
        labelled there.
    """
    first, end = (frame + page.pictures.first for frame in frames)
    outcome = settlement.outcomes.get(layer)
    every = () if outcome is None else (*outcome.open, *outcome.settled)
    dispute = next((of for of in every if (of.first, of.end) == (first, end)), None)
    if dispute is None:
        raise ReviewError("nobody disputes these frames any more; open the recording again")
    if seen != dispute.digest:
        raise ReviewError("what they say has changed since your page was opened: nothing was settled; open the recording again")
    spans = tuple(page.span(layer, one) for one in answer if isinstance(one, Span))
    tracks = tuple(page.track(layer, one) for one in answer if isinstance(one, Track))
    instants = tuple(page.instant(layer, one) for one in answer if isinstance(one, Instant))
    if not all(first <= instant.frame < end for instant in instants) or len({of.frame for of in instants}) < len(instants):
        raise ReviewError("a frame is none of those that are in dispute, or is there twice")
    if any(span.first < first or span.end > end for span in spans):
        raise ReviewError("a span leaves the frames that are in dispute")
    if any(track.keys[0].frame < first or track.keys[-1].frame >= end for track in tracks):
        raise ReviewError("a track leaves the frames that are in dispute")
    if layer in EXCLUSIVE:
        from_page.refuse_meeting(layer, spans)
    return Settled(page.pictures.about, page.p.vocabulary, layer, first, end, spans, tracks, instants)


def provenance(pictures: Pictures, standing: Standing, annotators: Sequence[int], settled: int) -> Provenance:
    """Return who labelled a recording, how many labels it has of all of them, and how much of it a program had proposed.

    Parameters
    ----------
    settled
        Places that somebody else decided.
    """
    of_all = [standing.of(pictures.about, one) for one in annotators]
    every = [(of, (layer, key)) for of in of_all for layer, items in of.items.items() for key in items]
    proposed = [(of, at) for of, at in every if of.proposals.get(at)]
    changed = sum(at in of.changed for of, at in proposed)
    refused = sum(len(_refused(of)) for of in of_all)
    numbers = tuple(sorted(annotators))
    return Provenance(numbers, blind=True, settled=settled, labels=len(every), proposed=len(proposed), changed=changed, refused=refused)


def as_spans(spans: Sequence[Span]) -> list[dict[str, object]]:
    """Return spans as a file of labels has them."""
    return [
        {"first": one.first, "end": one.end, "label": one.label, **({"verb": one.verb, "target": one.target} if one.verb else {})}
        for one in spans
    ]


def _outcomes(pictures: Pictures, said: Mapping[int, OfPerson], standing: Standing, p: LabelParams) -> dict[str, Outcome]:
    """Return by layer what stands of what people say.

    Raises
    ------
    ReviewError
        When the times of the frames are asked of a film that is another one by now.
    """
    about, majority = pictures.about, p.settle == "majority"
    outcomes = {}
    for layer in SPAN_LAYERS:
        if layer in p.layers:
            outcomes[layer] = disputes.of_layer(
                layer,
                {one: of.spans(layer) for one, of in said.items()},
                pictures.frame_count,
                standing.answered.get((about, layer), ()),
                edge=round(p.edge_s * pictures.per_second) if pictures.boundaries_s is None else p.edge_s + NEAR_S,
                clock=pictures.boundaries_s,
                majority=majority,
            )
    for track_layer in [one for one in TRACKS if one in p.layers]:
        outcomes[track_layer] = track_disputes.of_layer(
            track_layer,
            {one: of.tracks(track_layer) for one, of in said.items()},
            pictures.frame_count,
            standing.answered.get((about, track_layer), ()),
            majority=majority,
        )
    if TRIPLETS in p.layers:
        outcomes[TRIPLETS] = instant_disputes.of_layer(
            TRIPLETS,
            {one: of.instants(TRIPLETS) for one, of in said.items()},
            standing.answered.get((about, TRIPLETS), ()),
            majority=majority,
            sampled=pictures.sampled,
        )
    return outcomes


def _refused(of: OfPerson) -> set[str]:
    """Return the proposals that a person did not take, or not all of, each once; what is taken as a whole after all is not refused."""
    stands = {at: key for at, key in of.proposals.items() if at[1] in of.items.get(at[0], {})}
    # Of a set a part, too, is kept under the key of all of it: then it is not what was proposed.
    whole = {key for at, key in stands.items() if at[0] != TRIPLETS or at not in of.changed}
    return {pick_of(key).proposal for key in of.refused} - whole
