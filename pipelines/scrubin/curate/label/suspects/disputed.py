"""Suspects of people: spans of recordings that several people finished, where they differ and nobody has settled it yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import cast

from scrubin.curate.label.several.disputes import Dispute
from scrubin.curate.label.workbench import Recording, Workbench
from scrubin.labels.suspects.suspect import NOTHING, OfLayer, Suspect, page_of

EVIDENCE = "people"


def suspects(bench: Workbench) -> list[Suspect]:
    """Return what is in dispute in a study, in frames of the sources; who said what is not told."""
    return [
        suspect
        for _, one in sorted(bench.recordings.items())
        for dispute in bench.settlement(one).open
        for suspect in _of_dispute(one, dispute)
    ]


def _of_dispute(one: Recording, dispute: Dispute) -> Iterator[Suspect]:
    names = [{",".join(filter(None, span.names)) for span in spans} for spans in dispute.said.values()]
    names += [{track.label for track in tracks} for tracks in dispute.tracks.values()]
    names += [
        {" and ".join(",".join(filter(None, each)) for each in one.triplets) or "nothing in view" for one in instants} or {"not labelled"}
        for instants in dispute.instants.values()
    ]
    said = Counter(" and ".join(sorted(each)) for each in names)
    ordered = sorted(said, key=lambda label: (-said[label], label))
    # People who say the same of a track have it in different places.
    is_elsewhere = len(said) == 1
    most, people = 1 if is_elsewhere else said[ordered[0]], len(names)
    probable = ordered[0] if 2 * most > people else NOTHING
    label = " or ".join(name or "nothing" for name in sorted(said) if not probable or name != probable)
    shown = max(dispute.first - one.pictures.first, 0)
    yield Suspect(
        one.name,
        cast(OfLayer, dispute.layer),
        dispute.first,
        dispute.end,
        label,
        probable,
        1 - most / people,
        (EVIDENCE,),
        f"{people} people labelled it, " + ("in different places" if is_elsewhere else f"and {most} at most say the same"),
        camera=one.about.camera,
        page=page_of(one.id, shown),
        is_expected=2 * most > people,
    )
