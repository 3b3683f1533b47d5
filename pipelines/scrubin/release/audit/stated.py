"""What a release may say of itself, for the plan; ``permitted`` says where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stated:
    """Texts and words that may stand in some files, and keys of JSON that may have one value.

    Parameters
    ----------
    texts
        What the curator states, as in ``params.yaml``.
    words
        Folded words of the fixed texts in the documents about a release.
    pairs
        Key and value, as JSON, of what a format calls by a word that identifies, such as ``datePublished``.
    """

    texts: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()
