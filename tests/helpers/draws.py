"""Intervals of one metric, and videos drawn from a list."""

from scrubin.evaluate.metrics import bootstrap


def interval(metric, names, **options):
    """The confidence interval of one metric."""
    [one] = bootstrap.intervals(lambda draw: [metric(draw)], names, **options)
    return one


def repeated(videos, draw, renamed):
    """The videos at these positions; `renamed` gives each a name of its own."""
    return [renamed(videos[at], f"#{number}") for number, at in enumerate(draw.tolist())]
