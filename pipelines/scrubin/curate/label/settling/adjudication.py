"""What an adjudicator says of frames in dispute, as the ledger keeps it."""

from __future__ import annotations

from collections.abc import Sequence

from scrubin.base.errors import ReviewError
from scrubin.curate.label import allowed
from scrubin.curate.label.events import Answer, Instant, Settled, Span
from scrubin.curate.label.from_page import FromPage
from scrubin.curate.label.params import EXCLUSIVE
from scrubin.curate.label.settling.settled import Settlement
from scrubin.labels.keyframes import Track


def settled(layer: str, frames: tuple[int, int], answer: Sequence[Answer], settlement: Settlement, page: FromPage, seen: str) -> Settled:
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
        allowed.refuse_meeting(layer, spans)
    return Settled(page.pictures.about, page.p.vocabulary, layer, first, end, spans, tracks, instants)
