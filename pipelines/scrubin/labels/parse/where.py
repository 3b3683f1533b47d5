"""One place in a label file: what is wrong there is noted under its file, place and frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scrubin.core.faults import Faults
from scrubin.vocabulary.vocabulary import Naming, Vocabulary


@dataclass(frozen=True)
class Where:
    """A file, a place in it or a frame.

    Parameters
    ----------
    faults
        What is wrong so far; what is noted here is added.
    file, place, frames
        As of ``Fault``.
    """

    faults: Faults
    file: str
    place: str = ""
    frames: tuple[int, ...] = ()

    def at(self, place: str) -> Where:
        """Return a place of this file, or of this frame."""
        return replace(self, place=place)

    def at_frame(self, frame: int, place: str = "") -> Where:
        """Return a frame of this file, and a place in it."""
        return replace(self, frames=(frame,), place=place)

    def error(self, rule: str, what: str, fix: str) -> None:
        """Note what cannot be used here."""
        self.faults.error(self.file, rule, what, fix, place=self.place, frames=self.frames)

    def deviation(self, rule: str, what: str, fix: str) -> None:
        """Note what is not as the format says here, but clear."""
        self.faults.deviation(self.file, rule, what, fix, place=self.place, frames=self.frames)

    def warning(self, rule: str, what: str, fix: str = "") -> None:
        """Note what is possible here, but looks wrong or is not kept."""
        self.faults.warning(self.file, rule, what, fix, place=self.place, frames=self.frames)

    def id_of(self, vocabulary: Vocabulary, naming: Naming, name: str, otherwise: str = "") -> int | None:
        """Return the id of a name in any known spelling; None after noting a name that the vocabulary does not have.

        Parameters
        ----------
        otherwise
            What can be done when the name is meant as it stands, such as naming another vocabulary.
        """
        id_ = vocabulary.find(naming, name)
        if id_ is None:
            unknown = vocabulary.unknown(naming, name)
            self.error(unknown.rule, unknown.what, f"{unknown.fix} (or {otherwise})" if otherwise else unknown.fix)
        return id_

    def triplet_of(self, vocabulary: Vocabulary, name: str, otherwise: str = "") -> int | None:
        """Return the id of ``instrument,verb,target``; None after noting what is unknown."""
        triplet = vocabulary.find_triplet(name)
        if triplet is None:
            unknown = vocabulary.unknown_triplet(name)
            self.error(unknown.rule, unknown.what, f"{unknown.fix} (or {otherwise})" if otherwise else unknown.fix)
        return triplet

    def instance_ids(self, vocabulary: Vocabulary, names: Sequence[str], ids: Sequence[int]) -> dict[str, int] | None:
        """Return the columns of an instance; None after noting three names that are no triplet.

        Parameters
        ----------
        names, ids
            Of the instrument alone, or of instrument, verb and target.
        """
        if len(ids) == 1:
            return {"instrument_id": ids[0]}
        instrument, verb, target = ids
        triplet = vocabulary.triplet_id(instrument, verb, target)
        if triplet is None:
            self.error("triplet-unknown", f"'{','.join(names)}' is no triplet of '{vocabulary.name}'", "correct one of the three")
            return None
        return {"instrument_id": instrument, "verb_id": verb, "target_id": target, "triplet_id": triplet}
