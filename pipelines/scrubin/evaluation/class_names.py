"""Names of the classes that results number."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scrubin.vocabulary.vocabulary import COMPONENTS, Component, Vocabulary


def of_vocabulary(vocabulary: Vocabulary, *, by_position: bool = False) -> dict[str, dict[str, str]]:
    """Return names by component and by the key that results have.

    Parameters
    ----------
    vocabulary
        Names and ids.
    by_position
        Whether keys are positions among the ids that occur, as published programs number them, instead of ids.

    >>> from scrubin.vocabulary.vocabulary import load
    >>> of_vocabulary(load("cholect50"))["iv"]["12"], of_vocabulary(load("cholect50"), by_position=True)["iv"]["7"]
    ('bipolar,dissect', 'bipolar,dissect')
    """
    if not vocabulary.triplets:
        return {"i": {str(id_): name for id_, name in enumerate(vocabulary.instruments)}}
    spelled: Mapping[Component, Callable[[int], str]] = {
        "i": lambda id_: vocabulary.instruments[id_],
        "v": lambda id_: vocabulary.verbs[id_],
        "t": lambda id_: vocabulary.targets[id_],
        "iv": lambda id_: f"{vocabulary.instruments[id_ // len(vocabulary.verbs)]},{vocabulary.verbs[id_ % len(vocabulary.verbs)]}",
        "it": lambda id_: f"{vocabulary.instruments[id_ // len(vocabulary.targets)]},{vocabulary.targets[id_ % len(vocabulary.targets)]}",
        "ivt": vocabulary.triplet_name,
    }
    return {
        name: {str(place if by_position else id_): spelled[name](id_) for place, id_ in enumerate(vocabulary.component_ids(name))}
        for name in COMPONENTS
    }
