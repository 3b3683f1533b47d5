"""What lies at a path, as tables: whatever can be read, and what is wrong with the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from scrubin.core.faults import Fault
from scrubin.errors import AnnotationError
from scrubin.labels.reader import Options
from scrubin.validate.study import StoredTable
from scrubin.vocabulary.vocabulary import Vocabulary


@dataclass
class Material:
    """What was read.

    Parameters
    ----------
    form
        Name of the format; "tables" for our own.
    files
        How many files were looked at.
    tables
        Tables by name.
    faults
        What is wrong with files.
    warnings
        What the user should know, one sentence each.
    unlabelled
        Label files that label nothing.
    file_of
        File by table and recording, or by table and "" where one file has the whole table.
    vocabularies, period_s
        As in ``scrubin.validate.study.Study``.
    """

    form: str
    files: int
    tables: dict[str, StoredTable] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unlabelled: list[str] = field(default_factory=list)
    file_of: dict[tuple[str, str], str] = field(default_factory=dict)
    vocabularies: Mapping[str, Vocabulary] = field(default_factory=dict)
    period_s: Mapping[str, Fraction] = field(default_factory=dict)


def read(path: Path, form: str | None, options: Options) -> Material:
    """Return what lies at a path.

    Parameters
    ----------
    form
        Name of the format; None: by its signs.
    options
        How label files are read.

    Raises
    ------
    AnnotationError
        When there is nothing to validate, or nobody can tell what it is.
    """
    from scrubin.cli.validate import folder, kind, labels

    if not path.exists():
        msg = f"{path}: there is no such file or folder"
        raise AnnotationError(msg)
    name = form or kind.format_of(path)
    if name in (kind.OWN, "parquet"):
        if options.vocabulary is not None:
            msg = f"tables name their own vocabulary, so '{options.vocabulary}' cannot be given; leave it out"
            raise AnnotationError(msg)
        return folder.read(path)
    return labels.read(path, name, options)
