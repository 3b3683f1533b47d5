"""What the page shows, as JSON values: frames are those of the released video, nobody has a name."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from scrubin.curate.label import events
from scrubin.curate.label.checks import Finding
from scrubin.curate.label.events import Instant, Span
from scrubin.curate.label.params import EXCLUSIVE, NAMING, TRACKS, TRIPLETS, LabelParams
from scrubin.curate.label.proposed.reading import Proposal
from scrubin.curate.label.settling import Settlement
from scrubin.curate.label.several.disputes import Dispute, Outcome, SettledAnswer
from scrubin.curate.label.standing import OfPerson
from scrubin.labels.keyframes import KeyFrame, Track
from scrubin.ratings import ScoresParams

Plain = dict[str, Any]


def layer(name: str, p: LabelParams, scores: ScoresParams | None) -> Plain:
    """Return what can be said of a layer."""
    classes = p.classes
    if name == "ratings" and scores is not None:
        points = [round(scores.lowest + at * scores.step, 6) for at in range(scores.points)]
        return {"name": name, "aspects": list(scores.aspects), "points": points, "anchors": p.anchors}
    if name in ("actions", TRIPLETS):
        triplets = [classes.triplet_name(at).split(",") for at in range(len(classes.triplets))]
        return {"name": name, "names": list(classes.instruments), "triplets": triplets, "instants": name == TRIPLETS}
    if name in TRACKS:
        return {"name": name, "names": list(classes.instruments), "tracks": True}
    names = list(p.quality if name == "quality" else classes.names(NAMING[name]))
    return {"name": name, "names": names, "exclusive": name in EXCLUSIVE}


def items(mine: OfPerson, shift: int) -> dict[str, dict[str, Plain]]:
    """Return what a person said, by layer and key."""
    shown: dict[str, dict[str, Plain]] = {}
    for of_layer, values in mine.items.items():
        shown[of_layer] = {}
        for key, value in values.items():
            if isinstance(value, Span):
                shown[of_layer][key] = _span(value, shift)
            elif isinstance(value, KeyFrame):
                shown[of_layer][events.key_of(events.name_in(key), value.frame - shift)] = _keyframe(value, shift)
            elif isinstance(value, Instant):
                shown[of_layer][str(value.frame - shift)] = _instant(value, shift)
            elif value is not None:
                shown[of_layer][key] = dataclasses.asdict(value)
    return shown


def finding(one: Finding, shift: int) -> Plain:
    """Return what looks wrong."""
    return {**dataclasses.asdict(one), "first": one.first - shift, "end": one.end - shift}


def proposal(of: Proposal) -> Plain:
    """Return what is proposed; its frames are those of the released video already."""
    said = of.said
    if isinstance(said, Track):
        return {"key": of.key, "layer": of.layer, "label": said.label, **_track(said, 0)}
    return {"key": of.key, "layer": of.layer, **(_instant(said, 0) if isinstance(said, Instant) else _span(said, 0))}


def decided(mine: OfPerson) -> Plain:
    """Return which proposals, or parts of them, a person took or did not take, by key."""
    return {"taken": sorted(mine.taken), "refused": sorted(mine.refused)}


def disputed(settlement: Settlement, letters: Mapping[int, str], shift: int) -> Plain:
    """Return what is in dispute, who says what under letters whose order says nothing."""
    listed: list[tuple[Dispute, SettledAnswer | None]] = [(one, None) for one in settlement.open]
    listed += settlement.settled
    sheets = {letters[person]: sheet for person, sheet in settlement.sheets.items() if person in letters}
    ordered = sorted(listed, key=lambda one: (one[0].first, one[0].layer))
    return {
        "disputes": [_dispute(of, letters, shift, answer) for of, answer in ordered],
        "agreed": {of_layer: _said(of, shift) for of_layer, of in settlement.outcomes.items()},
        "sheets": {letter: dataclasses.asdict(sheet) for letter, sheet in sorted(sheets.items())},
        "differ": list(settlement.differ),
    }


def _dispute(dispute: Dispute, letters: Mapping[int, str], shift: int, answer: SettledAnswer | None) -> Plain:
    said = {letters[person]: [_span(span, shift) for span in spans] for person, spans in dispute.said.items()}
    said |= {letters[person]: [_track(track, shift) for track in tracks] for person, tracks in dispute.tracks.items()}
    said |= {letters[person]: [_instant(one, shift) for one in instants] for person, instants in dispute.instants.items()}
    frames = {"first": dispute.first - shift, "end": dispute.end - shift}
    shown: Plain = {"layer": dispute.layer, **frames, "said": dict(sorted(said.items())), "seen": dispute.digest}
    if answer is None:
        return {**shown, "open": True}
    taken = {"by": sorted(letters[person] for person in answer.people), "stands": _said(answer, shift)}
    return {**shown, "open": False, "taken": taken}


def _said(of: Outcome | SettledAnswer, shift: int) -> list[Plain]:
    return [
        *(_span(span, shift) for span in of.spans),
        *(_track(track, shift) for track in of.tracks),
        *(_instant(one, shift) for one in of.instants),
    ]


def _span(span: Span, shift: int) -> Plain:
    return {**dataclasses.asdict(span), "first": span.first - shift, "end": span.end - shift}


def _instant(instant: Instant, shift: int) -> Plain:
    return {"frame": instant.frame - shift, "triplets": [list(one) for one in instant.triplets]}


def _keyframe(key: KeyFrame, shift: int) -> Plain:
    return {**dataclasses.asdict(key), "frame": key.frame - shift}


def _track(track: Track, shift: int) -> Plain:
    return {"name": track.name, "keys": [_keyframe(key, shift) for key in track.keys]}
