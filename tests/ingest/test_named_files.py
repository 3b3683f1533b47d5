"""A row that names a folder or a pattern looks at the files that may be meant, not at every file of the study."""

import pytest

from scrubin.stages.recordings_list import several


class Counted(list):
    """A list that counts how often one of its items is read."""

    reads = 0

    def __getitem__(self, place):
        self.reads += 1
        return super().__getitem__(place)

    def __iter__(self):
        return (self[place] for place in range(len(self)))


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("videos/case_05", ["videos/case_05/9.mp4", "videos/case_05/10.mp4"]),
        ("videos/case_05/*.mp4", ["videos/case_05/9.mp4", "videos/case_05/10.mp4"]),
        ("videos/case_05/9.mp4", None),
        ("videos/missing", None),
        ("videos/missing/*", []),
    ],
)
def test_a_row_reads_as_many_names_in_a_study_a_hundred_times_as_large(path, found):
    reads = []
    for cases in (10, 1000):
        files = Counted(sorted(f"videos/case_{case:02d}/{part}.mp4" for case in range(cases) for part in (9, 10)))
        assert several(path, files) == found
        reads.append(files.reads)
    assert reads[1] <= reads[0] + 30  # three bisections of a list that is longer by 7 halvings


def test_names_are_files_of_any_letters():
    files = sorted(["videos/a\U0010ffff/1.mp4", "videos/a/2.mp4", "videos/a/old/3.mp4", "videos/a-b/4.mp4", "videos/[a/5.mp4"])
    assert several("videos/a/", files) == ["videos/a/2.mp4"]
    assert several("videos/a\U0010ffff", files) == ["videos/a\U0010ffff/1.mp4"]
    assert several("videos/[a/*", files) == ["videos/[a/5.mp4"]
    assert several("./videos//a/2.mp4", files) is None
