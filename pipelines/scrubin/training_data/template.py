"""The form that participants fill in."""

from __future__ import annotations

NAME = "training_data.yaml"
_TEXT = """\
# What the model saw before it was tested, down to the weights that it started from.
# Check it at home: scrubin submission training {name} --test {test}
version: 1

# Has everything been named below? yes, or no when something is not known.
complete: no

# Day after which nothing was trained any more, as 2027-05-01; or unknown.
trained_until: unknown

# Public data sets, for training, validation or self-supervision. [] when there are none.
# Names are those of `scrubin splits leaks --help`; any other name can be written, too, but nobody can verify it.
#   - name: cholec80
#     videos: 1-40          # all, unknown, a list such as 1-40,68, or a subset of an official split:
#   - name: cholec80/40-40
#     videos: train
datasets: []

# Weights that training started from. [] when it started from nothing.
#   - name: EndoViT_SPR
#   - name: our own encoder
#     trained_on: [cholec80, imagenet-1k]
weights: []

# Recordings that nobody has published. [] when there are none.
#   - description: 120 cholecystectomies of our hospital, 2019-2023
#     shares_operations: no  # with the test set: yes, no or unknown
own_data: []
"""


def text(test: str) -> str:
    """Return the form; ``test`` is what `scrubin splits leaks` calls the test set, "" when it is of no public data set."""
    return _TEXT.format(name=NAME, test=test or "NAME:SUBSET")
