"""How a published program is known to differ from the definition of its metric; of errors, all such differences.

Each entry has a test in ``tests/metrics/test_error_metrics.py`` that shows it on a minimal example.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Origin = Literal["definition", "choice", "bug"]


@dataclass(frozen=True)
class Quirk:
    """One difference, or one place where the paper is silent.

    Parameters
    ----------
    name
        For references.
    origin
        ``definition``: the paper or the package's documentation says so. ``choice``: the paper is silent, the package decides.
        ``bug``: contradicts the paper or the package's documentation.
    published
        What the published program does: ivtmetrics 0.1.5 of triplets, matlab-eval of TMRNet of phases,
        scikit-learn of errors, unless another is named.
    paper, compat
        What the semantics ``paper`` and ``compat`` do here.
    """

    name: str
    origin: Origin
    published: str
    paper: str
    compat: str


QUIRKS = (
    Quirk(
        "balanced-accuracy-of-one-class",
        "choice",
        "scikit-learn's balanced_accuracy_score: the mean recall over the classes that occur in the truth. Of an error that never or "
        "always occurs that is the recall of the one class there is (with a warning); adjusted=True gives minus infinity.",
        "Undefined: the average of sensitivity and specificity (LASANA, Video-level error recognition), of which one has no case. "
        "Such an error is left out of the mean over errors, and n says so.",
        "As scikit-learn, not adjusted.",
    ),
)
