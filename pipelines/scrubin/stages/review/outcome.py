"""What is hidden in a recording: proposals after people's decisions.

One rule: what a detector proposes is hidden until a person rejects it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from scrubin.stages.review.events import ACCEPT, ADD, REJECT, Box, Decided

Interval = tuple[float, float]
# Rounding of times that somebody read off a player.
TICK_S = 0.001
CURATOR, PAIR, SHEET, AUDIT, GAP = "curator", "pair", "sheet", "audit", "gap"
ACCEPTED, REJECTED, UNREVIEWED = "accepted", "rejected", "unreviewed"
STILLS_STEP_S = 1.0
"""Of the sheet: between two of its stills lies a second of which a person sees nothing."""
GAP_KIND = "out_of_body"
MIRRORED_KINDS = frozenset({"out_of_body", "other"})
"""What one camera of a pair sees, the other sees as well; text that a detector finds stands where its own recorder wrote it."""
ROWS_SHARE = 10
"""In the other camera a rectangle is taken a tenth of the picture's height above and below: before it is rectified, rows do not fit."""


@dataclass(frozen=True)
class Proposed:
    """A span, or a rectangle during a span, that is to be hidden unless a person rejects it.

    Parameters
    ----------
    kind, source
        As in the table `redactions`.
    interval_s
        Half open, in source seconds from the first frame.
    box_xywh
        In pixels of the picture as displayed; None: the whole frame.
    score, faces, text
        What the detector says about it.
    earlier
        Decisions of before somebody drew that for which it is proposed: what they reject was something else. They are told apart as
        objects, because the same may be decided again.
    """

    kind: str
    source: str
    interval_s: Interval
    box_xywh: Box | None = None
    score: float | None = None
    faces: int | None = None
    text: str | None = None
    earlier: tuple[Decided, ...] = field(default=(), compare=False, repr=False, kw_only=True)

    @property
    def key(self) -> str:
        """A name that stays as long as the span does."""
        box = "" if self.box_xywh is None else ":" + ",".join(map(str, self.box_xywh))
        return f"{self.source}:{self.kind}:{self.interval_s[0]:.6f}-{self.interval_s[1]:.6f}{box}"

    def hides(self, other: Proposed) -> bool:
        """Whether all of another one is hidden with this one."""
        start_s, end_s = other.interval_s
        around = self.box_xywh is None or covers(self.box_xywh, other.box_xywh)
        return around and self.interval_s[0] <= start_s and end_s <= self.interval_s[1]


def covers(decided: Box | None, proposed: Box | None) -> bool:
    """Whether a rectangle holds all of another one: what it leaves over was not rejected."""
    if decided is None or proposed is None:
        return decided is None
    x, y, w, h = proposed
    return decided[0] <= x and decided[1] <= y and x + w <= decided[0] + decided[2] and y + h <= decided[1] + decided[3]


@dataclass(frozen=True)
class Asked(Proposed):
    """A question of the audit, under its own key; by itself it hides nothing."""

    asked: str = ""

    @property
    def key(self) -> str:
        """The key of the question."""
        return self.asked


@dataclass(frozen=True)
class Part:
    """A part of a proposal and what was decided about it; ``disputed``: two people decided differently."""

    interval_s: Interval
    decision: str
    disputed: bool = False


def answer_of(one: Decided) -> str:
    """Return how somebody decided about a proposal: accepted, rejected, or mixed where a part of it is to be shown."""
    whats = {span.what == REJECT for span in one.spans}
    return "mixed" if len(whats) > 1 else REJECTED if True in whats else ACCEPTED


def rows(
    recording: str, camera: str, proposals: Sequence[Proposed], decided: Sequence[tuple[str, Decided]], reviewers: int
) -> list[dict[str, Any]]:
    """Return the rows of the table `redactions` for one video file.

    Parameters
    ----------
    proposals
        Of all detectors.
    decided
        Person and decision, in the order in which they were made.
    reviewers
        How many people must agree to show what was proposed.
    """
    done = []
    for proposal in proposals:
        for part in parts(proposal, decided, reviewers):
            hidden = part.decision != REJECTED
            done.append(_row(recording, camera, replace(proposal, interval_s=part.interval_s), part.decision, hidden=hidden))
    return done + [_row(recording, camera, one, ACCEPTED, hidden=True) for one in added(decided, reviewers)]


def parts(proposal: Proposed, decided: Sequence[tuple[str, Decided]], reviewers: int) -> list[Part]:
    """Return the parts of a proposal with what was decided about each, in order.

    A decision holds for exactly its interval, also where it was read off a player: what a rejection leaves stays hidden.
    With one reviewer the latest decision counts, whoever made it. With more, each person's latest one does: any
    acceptance hides, and only so many rejections show.
    """
    painted = [_painted(proposal, says) for says in _by_person(proposal, decided, reviewers)]
    edges = sorted({edge for pieces in painted for piece, _ in pieces for edge in piece} | set(proposal.interval_s))
    done: list[Part] = []
    for start, end in pairwise(edges):
        decisions = [decision for pieces in painted for (a, b), decision in pieces if a <= start and end <= b]
        part = Part((start, end), _agreed(decisions, reviewers), disputed={ACCEPTED, REJECTED} <= set(decisions))
        if done and (done[-1].decision, done[-1].disputed) == (part.decision, part.disputed):
            done[-1] = replace(part, interval_s=(done[-1].interval_s[0], end))
        else:
            done.append(part)
    return done


def added(decided: Sequence[tuple[str, Decided]], reviewers: int) -> list[Proposed]:
    """Return what people want hidden whatever the detectors say: what they added, and what they accepted.

    What was accepted and later rejected is not among it; what was added can only be withdrawn.
    """
    return list(dict.fromkeys(one for _, _, one in _wanted(decided, reviewers)))


def answers(decided: Sequence[tuple[str, Decided]], reviewers: int) -> list[Proposed]:
    """Return what of `added` people accepted of the other camera, of a gap or of a sheet that lies there: it is asked no more."""
    said = ((decided[place][1].proposal, what, one) for place, what, one in _wanted(decided, reviewers))
    return [one for key, what, one in said if what == ACCEPT and key.partition(":")[0] in (PAIR, GAP, SHEET)]


def accepted(decided: Sequence[tuple[str, Decided]], reviewers: int) -> list[Proposed]:
    """Return what people were asked and accepted, from where it or the new edges begin to where they end, if any of it still counts."""
    places = sorted({place for place, what, _ in _wanted(decided, reviewers) if what == ACCEPT})
    return [
        Proposed(one.kind, CURATOR, (min(span.start_s for span in one.spans), max(span.end_s for span in one.spans)), one.box_xywh)
        for _, one in (decided[place] for place in places)
    ]


def drawings(decided: Sequence[tuple[str, Decided]], reviewers: int, detected: Sequence[Proposed]) -> Iterator[tuple[Proposed, int, bool]]:
    """Yield what of `added` people drew, in ``decided`` the place of the decision that did, and whether it added that.

    What they accept counts as well where no detector proposes that very place, as in a sheet, but for what the other camera proposed.
    """
    for place, what, one in _wanted(decided, reviewers):
        answered = decided[place][1].proposal
        if what == ACCEPT and answered.startswith(f"{PAIR}:"):
            continue
        found = [other.interval_s for other in detected if what == ACCEPT and _is_of(one, other.kind, other.box_xywh)]
        left = without(one.interval_s, found)
        if answered and not answered.startswith(f"{SHEET}:") and left != [one.interval_s]:
            # Who accepts what a detector proposes says no more than it, also where by now it proposes some frames more or less.
            continue
        wanted = [part for part in left if part == one.interval_s or part[1] - part[0] > TICK_S]
        yield from ((replace(one, interval_s=part), place, what == ADD) for part in wanted)


def _wanted(decided: Sequence[tuple[str, Decided]], reviewers: int) -> Iterator[tuple[int, str, Proposed]]:
    """Yield what people want hidden: the place of the decision, what it was, and what is left of it."""
    for place, (by, one) in enumerate(decided):
        later = [other for who, other in decided[place + 1 :] if reviewers == 1 or who == by]
        for span in one.spans:
            if span.what not in (ADD, ACCEPT):
                continue
            taken = [] if span.what == ADD else _rejected(one, later)
            for interval_s in without((span.start_s, span.end_s), taken):
                yield place, span.what, Proposed(one.kind, CURATOR, interval_s, one.box_xywh)


@dataclass(frozen=True)
class Eye:
    """A camera in which is proposed what the other one of its pair hides.

    Parameters
    ----------
    own
        What is proposed or added in it: what the other camera's detectors find needs no second proposal.
    hidden
        What of that is hidden: what a person draws in the other camera is proposed beside all else.
    decided
        What people decided about it, in order.
    last_s
        End of the last frame of its file, in source seconds.
    size_px
        Width and height of its picture as displayed.
    """

    own: Sequence[Proposed]
    hidden: Sequence[Proposed]
    decided: Sequence[Decided]
    last_s: float
    size_px: tuple[int, int]


@dataclass(frozen=True)
class Drawing:
    """Of what people want hidden in a camera by themselves: how many decisions about the other one came before, and whether it was added.

    What was only accepted, as in a sheet, may be what the other camera proposed where the sheet was written.
    """

    before: int
    is_added: bool


NO_DRAWING = Drawing(0, is_added=False)


def mirrored(hidden: Iterable[Proposed], drawn: Mapping[Proposed, Drawing], eye: Eye) -> list[Proposed]:
    """Return what is proposed in a camera because the other camera of the pair hides it.

    A rectangle that a person drew is proposed as `wide` as its rows: the same thing stands elsewhere in the other picture. Only for the
    time in which somebody answered, before it was proposed so wide, what was proposed for that drawing, the answer goes on to count.
    Several in the same rows are one proposal, as young as the youngest of them: who rejected the rows before did not mean that one. What
    a sheet wants that was not imported is younger than every answer, as it will be after its import: nobody knows since when it lies there.

    Parameters
    ----------
    hidden
        What is hidden in the other camera, by whomever.
    drawn
        What of it people want hidden by themselves: it is proposed whatever its kind. Who accepts a text that a detector found says no
        more than the detector, which looked at both cameras.
    eye
        This camera.
    """
    # What is proposed, each with the rectangle for which it is.
    done: list[tuple[Box | None, Proposed]] = []
    every = {one: drawn.get(one, Drawing(len(eye.decided), is_added=False) if one.source == SHEET else NO_DRAWING) for one in hidden}
    every |= drawn
    for one, drawing in sorted(every.items(), key=lambda item: (item[1].before, item[0] in drawn), reverse=True):
        # Of texts, detectors propose rectangles only: a whole picture is a person's.
        is_person = one in drawn or one.source == SHEET or (one.kind == "text" and one.box_xywh is None)
        clipped = one.interval_s[0], min(one.interval_s[1], eye.last_s)
        if one.source == PAIR or not (is_person or one.kind in MIRRORED_KINDS) or clipped[0] >= clipped[1]:
            continue
        here, before, size_px = eye.hidden if is_person else eye.own, drawing.before, None if drawing.is_added else eye.size_px
        missing = without(clipped, [other.interval_s for other in here if _is_there(one, other, size_px)])
        for box, times in _places(one, missing, eye, before) if is_person else [(one.box_xywh, missing)]:
            same = [
                other.interval_s
                for of, other in done
                if other.kind == one.kind and (other.box_xywh == box or (of == box and not is_person))
            ]
            for left in (part for time_s in times for part in without(time_s, same)):
                done.append((one.box_xywh, replace(one, source=PAIR, interval_s=left, box_xywh=box, earlier=tuple(eye.decided[:before]))))
    return [one for _, one in done]


def _places(one: Proposed, missing: Sequence[Interval], eye: Eye, before: int) -> list[tuple[Box | None, list[Interval]]]:
    """Return where a camera is asked about what a person drew in the other one, and when: as wide as its rows where nobody answered."""
    answers = [said for said in eye.decided[before:] if said.proposal.startswith(f"{PAIR}:") and _is_of(one, said.kind, said.box_xywh)]
    answered = [(span.start_s, span.end_s) for said in answers for span in said.spans if span.what != ADD]
    band = wide(one.box_xywh, eye.size_px)
    if one.box_xywh is None or one.box_xywh[2] == eye.size_px[0]:
        # What is as wide as the picture may be the rows of something else: who answered these did not mean it.
        return [(band, list(missing))]
    open_s = [part for left in missing for part in without(left, answered)]
    return [(band, open_s), (one.box_xywh, [part for left in missing for part in without(left, open_s)])]


def wide(box_xywh: Box | None, size_px: tuple[int, int]) -> Box | None:
    """Return where what stands in a rectangle of one camera may stand in the other one: its rows and some more, in all their width.

    Between the cameras of an endoscope it moves along the rows by ``f * b / z``: with a baseline of 6 mm, 30 mm away, by a fifth of the
    focal length. That is up to a quarter of the width, and turned cameras move it further, to either side. So no number is guessed.

    >>> wide((90, 40, 20, 10), (320, 180))
    (0, 22, 320, 46)
    """
    if box_xywh is None:
        return None
    width, height = size_px
    further = -(-height // ROWS_SHARE)
    top, bottom = max(0, box_xywh[1] - further), min(height, box_xywh[1] + box_xywh[3] + further)
    return 0, top, width, bottom - top


def _is_there(one: Proposed, other: Proposed, size_px: tuple[int, int] | None) -> bool:
    """Whether a camera has what the other one hides; with a size also whether that was accepted because this one hides it."""
    is_origin = size_px is not None and wide(other.box_xywh, size_px) == one.box_xywh
    return other.kind == one.kind and (other.box_xywh in (None, one.box_xywh) or is_origin)


def _is_of(one: Proposed, kind: str, box_xywh: Box | None) -> bool:
    return (kind, box_xywh) == (one.kind, one.box_xywh)


def gaps(hidden: Iterable[Proposed], shown: Iterable[Interval]) -> list[Proposed]:
    """Return what is proposed because it lies between two hidden stretches of whole frames, less than a still's step apart.

    The sheet may show nothing of it. What a person said is to be shown stays shown.

    Parameters
    ----------
    hidden
        What is hidden, by whomever.
    shown
        What people rejected.
    """
    spans = sorted((one for one in hidden if one.box_xywh is None), key=lambda one: one.interval_s)
    kept_open = sorted(shown)
    done: list[Proposed] = []
    before: Proposed | None = None
    for one in spans:
        if before is not None and TICK_S < one.interval_s[0] - before.interval_s[1] < STILLS_STEP_S:
            gap = before.interval_s[1], one.interval_s[0]
            kind = one.kind if one.kind == before.kind else GAP_KIND
            if not any(start < gap[1] and gap[0] < end for start, end in kept_open):
                done.append(Proposed(kind, GAP, gap))
        if before is None or one.interval_s[1] > before.interval_s[1]:
            before = one
    return done


def without(interval: Interval, removed: Iterable[Interval]) -> list[Interval]:
    """Return what is left of an interval, in order.

    >>> without((0, 10), [(2, 3), (9, 12)])
    [(0, 2), (3, 9)]
    """
    left = [interval]
    for start, end in removed:
        left = [part for a, b in left for part in ((a, min(b, start)), (max(a, end), b)) if part[0] < part[1]]
    return sorted(left)


def _by_person(proposal: Proposed, decided: Sequence[tuple[str, Decided]], reviewers: int) -> list[list[tuple[Interval, str]]]:
    said: dict[str, list[tuple[Interval, str]]] = {}
    for by, one in decided:
        for span in one.spans if one.kind == proposal.kind and not one.lets_through else ():
            # Who hides something in the rows does not say where in them the other camera's thing stands.
            is_shared = covers if proposal.source == PAIR else overlaps
            is_about = {ACCEPT: is_shared(one.box_xywh, proposal.box_xywh), REJECT: _answers(one, proposal)}
            if is_about.get(span.what):
                # What somebody accepted and rejected of something earlier is not accepted again.
                is_earlier = span.what == REJECT and any(one is other for other in proposal.earlier)
                decision = UNREVIEWED if is_earlier else ACCEPTED if span.what == ACCEPT else REJECTED
                said.setdefault("" if reviewers == 1 else by, []).append(((span.start_s, span.end_s), decision))
    return list(said.values())


def _painted(proposal: Proposed, says: Sequence[tuple[Interval, str]]) -> list[tuple[Interval, str]]:
    """Return the proposal's parts as one person decided: the latest decision counts."""
    pieces = [(proposal.interval_s, UNREVIEWED)]
    for said_s, decision in says:
        covered = [(max(a, said_s[0]), min(b, said_s[1])) for (a, b), _ in pieces]
        pieces = [(left, name) for part, name in pieces for left in without(part, [said_s])]
        pieces += [(part, decision) for part in covered if part[0] < part[1]]
    return sorted(pieces)


def _agreed(decisions: Sequence[str], reviewers: int) -> str:
    if ACCEPTED in decisions:
        return ACCEPTED
    return REJECTED if decisions.count(REJECTED) >= reviewers else UNREVIEWED


def _rejected(one: Decided, later: Iterable[Decided]) -> list[Interval]:
    return [
        (span.start_s, span.end_s)
        for other in later
        if other.kind == one.kind and not other.lets_through and rejects(other, one.box_xywh)
        for span in other.spans
        if span.what == REJECT
    ]


def rejects(said: Decided, hidden: Box | None) -> bool:
    """Whether a rejection is about a rectangle.

    Who was asked about a whole picture, or about the rows in which the other camera's thing may stand, did not say what else may be
    shown in them.
    """
    if said.proposal.startswith(f"{PAIR}:") and said.box_xywh is not None:
        return said.box_xywh == hidden
    is_asked_whole = said.box_xywh is None and bool(said.proposal)
    return covers(said.box_xywh, hidden) and not (is_asked_whole and hidden is not None)


def _answers(said: Decided, proposal: Proposed) -> bool:
    """Whether a rejection is about a proposal, or about what was proposed there before."""
    # The row of a sheet that shows all of a kind was written of what is in this camera, not of what the other one hides.
    is_of_all = proposal.source == PAIR and proposal.box_xywh is not None and said.box_xywh is None
    return rejects(said, proposal.box_xywh) and not is_of_all


def holds(hidden: Proposed, proposed: Proposed) -> bool:
    """Whether what is hidden is of the same kind and place as what is proposed, and lasts as long."""
    (start_s, end_s), (first_s, last_s) = proposed.interval_s, hidden.interval_s
    is_same = (hidden.kind, hidden.box_xywh) == (proposed.kind, proposed.box_xywh)
    return is_same and first_s <= start_s + TICK_S and end_s <= last_s + TICK_S


def overlaps(decided: Box | None, proposed: Box | None) -> bool:
    """Whether two rectangles share a pixel."""
    if decided is None or proposed is None:
        return decided is None
    ends = [(decided[side] + decided[side + 2], proposed[side] + proposed[side + 2]) for side in (0, 1)]
    return all(decided[side] < ends[side][1] and proposed[side] < ends[side][0] for side in (0, 1))


def _row(recording: str, camera: str, proposal: Proposed, decision: str, *, hidden: bool) -> dict[str, Any]:
    x, y, w, h = proposal.box_xywh or (None, None, None, None)
    return {
        "recording": recording,
        "camera": camera,
        "kind": proposal.kind,
        "start_s": proposal.interval_s[0],
        "end_s": proposal.interval_s[1],
        "x": x,
        "y": y,
        "w": w,
        "h": h,
        "score": proposal.score,
        "faces": proposal.faces,
        "text": proposal.text,
        "source": proposal.source,
        "decision": decision,
        "accepted": hidden,
    }
