"""Names of the classes that results number."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scrubin.vocabulary.vocabulary import COMPONENTS, Component, Vocabulary


def of_vocabulary(words: Vocabulary, *, by_position: bool = False) -> dict[str, dict[str, str]]:
    """Return names by component and by the key that results have.

    Parameters
    ----------
    words
        The vocabulary.
    by_position
        Whether keys are positions among the ids that occur, as published programs number them, instead of ids.

    >>> from scrubin.vocabulary import vocabulary
    >>> names = of_vocabulary(vocabulary.load("cholect50"))
    >>> names["iv"]["12"], of_vocabulary(vocabulary.load("cholect50"), by_position=True)["iv"]["7"]
    ('bipolar,dissect', 'bipolar,dissect')
    """
    if not words.triplets:
        return {"i": {str(id_): name for id_, name in enumerate(words.instruments)}}
    spelled: Mapping[Component, Callable[[int], str]] = {
        "i": lambda id_: words.instruments[id_],
        "v": lambda id_: words.verbs[id_],
        "t": lambda id_: words.targets[id_],
        "iv": lambda id_: f"{words.instruments[id_ // len(words.verbs)]},{words.verbs[id_ % len(words.verbs)]}",
        "it": lambda id_: f"{words.instruments[id_ // len(words.targets)]},{words.targets[id_ % len(words.targets)]}",
        "ivt": words.triplet_name,
    }
    return {
        name: {str(place if by_position else id_): spelled[name](id_) for place, id_ in enumerate(words.component_ids(name))}
        for name in COMPONENTS
    }
