"""Words that are public by themselves: what declarations, vocabularies and fixed texts say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scrubin.release import croissant, readme
from scrubin.tables.declare import Table
from scrubin.vocabulary import vocabulary


def public_words(tables: Mapping[str, Table], others: Iterable[object]) -> list[object]:
    """Return texts whose words are public.

    Parameters
    ----------
    tables
        Public tables: their names, columns, meanings and allowed values are documented in the release.
    others
        More texts, or lists and mappings of texts, such as tasks, aspects and names of errors.
    """
    texts: list[object] = [readme.TEXT, readme.ARCHIVES, croissant.CONTEXT, [list(item) for item in croissant.FILE_SETS]]
    for table in tables.values():
        texts += [table.name, table.description]
        texts += [[column.name, column.unit, column.description, column.null, list(column.values)] for column in table.columns]
    for name in vocabulary.available():
        words = vocabulary.load(name)
        texts += [name, [list(words.names(kind)) for kind in vocabulary.KINDS]]
    return [*texts, *others]
