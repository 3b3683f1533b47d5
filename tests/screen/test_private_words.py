from __future__ import annotations

import pandas as pd

from scrubin.stages.screen.private_words import private_words

RECORDINGS = pd.DataFrame(
    [
        {
            "recording": "2023-03-09_Krämerhoff_Friedrich_SutureAndKnot_T1",
            "participant": "Krämerhoff_Friedrich",
            "site": "St. Willehadus",
            "task": "SutureAndKnot",
            "path": "videos/St. Willehadus/Krämerhoff, Friedrich - SutureAndKnot Versuch 1 (09.03.2023) links.mkv",
        },
        {"recording": "P12345", "participant": "P12345", "site": None, "task": "SutureAndKnot", "path": "raw/P12345_left.mp4"},
    ]
)


def test_people_sites_ids_and_dates_are_private_words_in_text():
    finder = private_words(RECORDINGS)
    for read, word in [
        ("KRAMERH0FF, F.", "Krämerhoff"),
        ("Friedrich Kramerhoff", "Friedrich Krämerhoff"),
        ("St.Willehadus", "Willehadus"),
        ("Pl2345", "P12345"),
        ("09.03.2023 10:20", "09032023"),
        ("2023-03-09", "20230309"),
    ]:
        assert word in finder.hits(read), read


def test_tasks_and_words_by_which_files_are_named_everywhere_are_none():
    finder = private_words(RECORDINGS)
    for read in ("Suture And Knot", "SutureAndKnot", "Video left", "Versuch 1", "09.04.2023", "mkv"):
        assert finder.hits(read) == [], read


def test_a_study_without_recordings_has_no_private_words():
    assert private_words(RECORDINGS.iloc[:0]).hits("Brenner") == []
