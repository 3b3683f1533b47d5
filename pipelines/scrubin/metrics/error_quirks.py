"""Known differences between scikit-learn and the definition of error recognition, by name.

Each entry has a test in ``tests/metrics/test_error_metrics.py`` that shows it on a minimal example.
"""

from __future__ import annotations

from scrubin.metrics.quirk import Quirk

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
