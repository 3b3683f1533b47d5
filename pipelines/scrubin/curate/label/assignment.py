"""Who labels which recording: balanced by how long they last, seeded, and never taken back once it is said."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from scrubin.base.errors import ReviewError
from scrubin.curate.label.params import LabelParams


def draw(
    durations_s: Mapping[str, float], annotators: Sequence[int], assigned: Mapping[str, Sequence[int]], p: LabelParams
) -> dict[str, tuple[int, ...]]:
    """Return who labels each recording that nobody labels yet, by name.

    The recordings that several label are drawn first, as many as ``overlap`` says of all, with those that several label already. Then
    each recording, the longest first, goes to those who have the fewest seconds so far, within that of the longest recording; of these
    to the ones who met least often, and among equals the seed decides.

    Parameters
    ----------
    durations_s
        Of all recordings that are labelled, by name.
    annotators
        Numbers of those who label.
    assigned
        What was drawn before; it stays.

    Raises
    ------
    ReviewError
        When there is nobody.
    """
    if not annotators:
        raise ReviewError("nobody labels yet; add annotators by: scrubin label --add NAME")
    several = p.count(len(annotators))
    wanted = round(p.overlap * len(durations_s)) if several > 1 else 0
    new = sorted((name for name in durations_s if name not in assigned), key=lambda name: rank(p.seed, "overlap", name))
    shared = sum(len(assigned[name]) > 1 for name in durations_s if name in assigned)
    counts = {name: several if place < wanted - shared else 1 for place, name in enumerate(new)}
    load_s = dict.fromkeys(annotators, 0.0)
    met: dict[tuple[int, int], int] = {}
    for name, before in assigned.items():
        _note(load_s, met, before, durations_s.get(name, 0.0))
    drawn: dict[str, tuple[int, ...]] = {}
    longest_s = max(durations_s.values(), default=0.0) or 1.0
    for name in sorted(new, key=lambda name: (-counts[name], -durations_s[name], rank(p.seed, "order", name))):
        people: list[int] = []
        while len(people) < counts[name]:
            left = [one for one in annotators if one not in people]
            met_so_far = {one: _meetings(met, one, people) for one in left}
            order = {one: (load_s[one] // longest_s, met_so_far[one], load_s[one], rank(p.seed, name, str(one))) for one in left}
            people.append(min(left, key=order.__getitem__))
        drawn[name] = tuple(sorted(people))
        _note(load_s, met, drawn[name], durations_s[name])
    return dict(sorted(drawn.items()))


def in_order(names: Sequence[str], annotator: int, p: LabelParams) -> list[str]:
    """Return recordings in the order in which an annotator sees them.

    Parameters
    ----------
    names
        Sorted as they are listed.
    """
    if p.order == "listed":
        return list(names)
    return sorted(names, key=lambda name: rank(p.seed, f"annotator {annotator}", name))


def rank(seed: int, of: str, name: str) -> str:
    """Return a place that nobody can foresee without the seed, the same on every machine."""
    return hashlib.sha256(f"{seed}\0{of}\0{name}".encode()).hexdigest()


def _meetings(met: Mapping[tuple[int, int], int], one: int, people: Sequence[int]) -> int:
    return sum(met.get((min(one, other), max(one, other)), 0) for other in people)


def _note(load_s: dict[int, float], met: dict[tuple[int, int], int], people: Sequence[int], duration_s: float) -> None:
    for at, one in enumerate(people):
        load_s[one] = load_s.get(one, 0.0) + duration_s
        for other in people[at + 1 :]:
            pair = min(one, other), max(one, other)
            met[pair] = met.get(pair, 0) + 1


def letters(annotators: Sequence[int], name: str, p: LabelParams) -> dict[int, str]:
    """Return a letter for each annotator of a recording, in an order that is another one in each recording."""
    ordered = sorted(annotators, key=lambda one: rank(p.seed, f"letter {name}", str(one)))
    return {one: chr(ord("A") + at) for at, one in enumerate(ordered)}
