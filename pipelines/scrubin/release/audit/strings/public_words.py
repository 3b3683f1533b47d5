"""Words that are public by themselves: what declarations, vocabularies and fixed texts say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from scrubin.core import checksum_list
from scrubin.release import dictionary, file_list, outputs, readme
from scrubin.release.metadata import resources
from scrubin.release.params import ReleaseParams
from scrubin.tables.declare import Table
from scrubin.vocabulary import ground_truth, vocabulary
from scrubin.withdrawal import tombstones

FORMATS = """\
ARROW schema parquet cpp version build pandas descr fortran_order shape NUMPY True False null true false nan
matroska Lavf und DURATION V_MPEG4/ISO/AVC V_MPEGH/ISO/HEVC JFIF id rater split duration
"""
"""Words that files of a kind hold by themselves, or that LASANA names columns."""

CALIBRATIONS = """\
YAML opencv matrix matrices rows cols dt data left right camera pixels centre first pixel image_width image_height unit mm cm m
convention X_right R X_left t distortion_model radial tangential rational thin prism tilted date recordings K1 D1 K2 D2 T
"""
"""Words of every calibration of a stereo rig."""


def public_words(tables: Mapping[str, Table], params: ReleaseParams, vocabularies: Iterable[str], others: Iterable[object]) -> list[object]:
    """Return texts whose words are public.

    Parameters
    ----------
    tables
        Public tables: their names, columns, meanings and allowed values are documented in the release.
    params
        Version and licence of the release, and the words that the curator calls harmless.
    vocabularies
        Those that the study's labels use: words of others are not public, they could be names of people.
    others
        More texts, or lists and mappings of texts, such as tasks, aspects, names of errors and of subsets.
    """
    paths = [f"tables/{name}.parquet" for name in tables] + [files for _, files, _, _ in resources.FILE_SETS]
    texts: list[object] = [
        readme.TEXT,
        readme.ARCHIVES,
        readme.CALIBRATION,
        readme.LOOSE,
        readme.SHARDS,
        readme.DROPPED,
        FORMATS,
        checksum_list.NAME,
        file_list.NAME,
        file_list.HEADER,
        list(outputs.NAMES),
        tombstones.NAME,
        dictionary.text(tables, calibrated=True),
        CALIBRATIONS,
    ]
    texts += [paths, [list(item) for item in resources.FILE_SETS], [params.version, params.license], list(params.public_words)]
    texts += [ground_truth.FRAME_CONTRACT, ground_truth.DEFINITIONS, ground_truth.README, ground_truth.KEYS]
    for table in tables.values():
        texts += [table.name, table.description]
        texts += [[column.name, column.unit, column.description, column.null, list(column.values)] for column in table.columns]
    for name in vocabularies:
        loaded = vocabulary.load(name)
        texts += [name, loaded.version, loaded.source, [list(loaded.names(naming)) for naming in vocabulary.NAMINGS]]
    return [*texts, *others]


def vocabularies(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return the names of the vocabularies that tables of labels use."""
    return sorted({str(name) for rows in tables.values() if "vocabulary" in rows for name in rows["vocabulary"].unique()})


def subsets(splits: pd.DataFrame) -> list[str]:
    """Return the names of schemes and subsets, and of the columns in which sheets show them."""
    names = {*splits["scheme"], *splits["subset"]}
    for scheme, rows in splits.groupby("scheme"):
        names |= {f"split_{scheme}", *(f"split_{scheme}_{fold}" for fold in rows["fold"])}
    return sorted(map(str, names))
