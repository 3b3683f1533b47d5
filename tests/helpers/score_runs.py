"""Runs of `scrubin score` that must be good, or must fail with one message."""

from scrubin.cli import main


def fault(capsys, *arguments):
    """The one message of a run that must fail."""
    assert main(["score", *map(str, arguments)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def good(capsys, *arguments):
    """What a run that must be good printed."""
    assert main(["score", *map(str, arguments)]) == 0
    return capsys.readouterr()


def sides(folder, metric, *more):
    """The arguments of a run of `truth` against `found` in a folder."""
    return (metric, "--ground-truth", folder / "truth", "--predictions", folder / "found", *more)
