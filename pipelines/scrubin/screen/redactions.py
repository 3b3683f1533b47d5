"""What is hidden in a recording: the detectors' proposals after the curator's decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrubin.core.errors import RecordingError
from scrubin.screen.decisions import NAME, Decision
from scrubin.screen.params import Above, ScreenParams
from scrubin.screen.proposals import Box, Interval, Proposal, shared_px

# Rounding of times that the curator read off a player.
TICK_S = 0.001
CURATOR = "curator"


def redactions(
    recording: str,
    camera: str,
    proposals: Sequence[Proposal],
    decided: Sequence[Decision],
    size_px: tuple[int, int],
    last_s: float,
    params: ScreenParams,
) -> list[dict[str, Any]]:
    """Return the rows of the table `redactions` for one video file.

    A decision holds for exactly its interval: what is rejected in the middle of a detected span
    is shown, the rest of the span stays hidden. Only what then remains of the span's own margin
    goes the way of the rest.

    Parameters
    ----------
    proposals
        Of all detectors, the curator among them.
    decided
        The curator's rows for this file.
    size_px
        Width and height of the video as displayed.
    last_s
        End of the last frame in source seconds.

    Raises
    ------
    RecordingError
        When a decision lies outside the video.
    """
    for row in decided:
        _refuse_outside(row, size_px, last_s)
    rows = []
    for proposal in proposals:
        if proposal.source == CURATOR:
            rows.append(_row(recording, camera, proposal, "accepted", hidden=True))
            continue
        for interval_s, decision in _reviewed(proposal, decided, last_s, params.margin_s):
            hidden = decision == "accepted" or (decision == "unreviewed" and _hidden_unless_rejected(proposal, params))
            rows.append(_row(recording, camera, replace(proposal, interval_s=interval_s), decision, hidden=hidden))
    return rows


def without(interval: Interval, removed: Iterable[Interval]) -> list[Interval]:
    """Return what is left of an interval, in order.

    >>> without((0, 10), [(2, 3), (9, 12)])
    [(0, 2), (3, 9)]
    """
    left = [interval]
    for start, end in removed:
        left = [part for a, b in left for part in ((a, min(b, start)), (max(a, end), b)) if part[0] < part[1]]
    return sorted(left)


def unmet(rows: Iterable[Mapping[str, Any]], decided: Iterable[Decision]) -> list[str]:
    """Return one sentence per line of the curator's list that rejects what no detector has proposed.

    Parameters
    ----------
    rows
        Of the table `redactions`, of all recordings that were screened.
    decided
        The curator's decisions about these recordings.
    """
    proposed: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["source"] != CURATOR:
            proposed.setdefault((row["recording"], row["kind"]), []).append(row)
    rejections: dict[int, list[Decision]] = {}
    for decision in decided:
        if decision.decision == "reject":
            rejections.setdefault(decision.line, []).append(decision)
    said = []
    for line, group in sorted(rejections.items()):
        if not any(_meets(one, row) for one in group for row in proposed.get((one.recording, one.kind), [])):
            one = group[0]
            interval = f"from {one.start_s or 0.0:g} s to {'the end' if one.end_s is None else f'{one.end_s:g} s'}"
            said.append(f"{NAME}, line {line}: in '{one.recording}' {interval} no detector has found {one.kind}; nothing to reject")
    return said


def _meets(decision: Decision, row: Mapping[str, Any]) -> bool:
    if (decision.start_s or 0.0) >= row["end_s"] or (decision.end_s is not None and decision.end_s <= row["start_s"]):
        return False
    return row["camera"] == decision.camera and _same_place(decision, None if row["x"] is None else tuple(row[side] for side in "xywh"))


def _same_place(decision: Decision, box_xywh: Box | None) -> bool:
    """Whether a decision is about this rectangle: it overlaps its own, or has none and means all of the kind."""
    if decision.box_xywh is None:
        return True
    return box_xywh is not None and shared_px(decision.box_xywh, box_xywh) > 0


def _reviewed(proposal: Proposal, decided: Sequence[Decision], last_s: float, margin_s: float) -> list[tuple[Interval, str]]:
    """Return the parts of a proposal with what the curator decided about each; a rejection beats an acceptance."""
    mine = [row for row in decided if row.kind == proposal.kind and _same_place(row, proposal.box_xywh)]
    reject, accept = ([row.interval_s(last_s) for row in mine if row.decision == name] for name in ("reject", "accept"))
    proposed = proposal.interval_s

    def left(part: Interval, taken: Sequence[Interval]) -> list[Interval]:
        return [rest for rest in without(part, taken) if not _is_margin(rest, proposed, last_s, margin_s)]

    kept = left(proposed, reject)
    parts = [(part, "rejected") for part in without(proposed, kept)]
    for part in kept:
        rest = left(part, accept) if accept else [part]
        parts += [(one, "unreviewed") for one in rest] + [(one, "accepted") for one in without(part, rest)]
    return sorted(parts)


def _is_margin(part: Interval, proposed: Interval, last_s: float, margin_s: float) -> bool:
    """Whether what a decision left is no more than the margin that was put around the span."""
    if part == proposed or part[1] - part[0] > margin_s + TICK_S:
        return False
    # At the ends of the video the margin is cut off: what touches them may be the span itself.
    return (part[0] == proposed[0] and proposed[0] > 0) or (part[1] == proposed[1] and proposed[1] < last_s)


def _hidden_unless_rejected(proposal: Proposal, params: ScreenParams) -> bool:
    if proposal.kind == "frozen":
        return False  # it identifies nobody
    if isinstance(params.accept, Above):
        return proposal.score is None or proposal.score >= params.accept.above
    return params.accept == "all"


def _refuse_outside(row: Decision, size_px: tuple[int, int], last_s: float) -> None:
    place = f"{NAME}, line {row.line}"
    if (row.start_s or 0.0) >= last_s:
        raise RecordingError(place, f"start_s {row.start_s:g} lies behind the end of the video at {last_s:.3f} s", "correct it")
    if row.box_xywh is not None:
        x, y, w, h = row.box_xywh
        if x + w > size_px[0] or y + h > size_px[1]:
            reason = f"the rectangle {x},{y},{w},{h} reaches beyond the picture of {size_px[0]}x{size_px[1]} pixels"
            raise RecordingError(place, reason, "correct it; x,y is its top left corner")


def _row(recording: str, camera: str, proposal: Proposal, decision: str, *, hidden: bool) -> dict[str, Any]:
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
