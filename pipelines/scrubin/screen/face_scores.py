"""Faces in out-of-body spans raise the spans' scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from scrubin.screen.face_looks import Look
from scrubin.screen.proposals import Proposal


def with_faces(proposals: Sequence[Proposal], looks: Iterable[Look]) -> list[Proposal]:
    """Return the proposals with the faces in their out-of-body spans counted, and the scores of those raised.

    A span of which no picture was looked at stays as it is: its faces are undefined.
    """
    looks = list(looks)
    raised = []
    for proposal in proposals:
        core = proposal.core
        mine = [look for look in looks if core is not None and core[0] <= look.number <= core[1]]
        if not mine:
            raised.append(proposal)
            continue
        # Either of two independent witnesses may be right: 1 - (1 - a)(1 - b).
        score = round(1 - (1 - proposal.score) * (1 - max(look.sure for look in mine)), 6)
        raised.append(replace(proposal, faces=max(look.faces for look in mine), score=score))
    return raised
