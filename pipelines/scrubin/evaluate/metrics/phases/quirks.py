"""Known differences of published phase metrics from their definition, by name.

Each entry has a test of the same name in ``tests/metrics/test_phase_quirks.py`` that shows it on a minimal example.
"""

from __future__ import annotations

from scrubin.evaluate.metrics.quirks import Quirk

QUIRKS = (
    Quirk(
        "tail-mask-on-head",
        "bug",
        "The mask of early transitions, found in the last omega frames of a segment, is applied to its first omega frames: early "
        "transitions are never excused, any error at the same place of the head is.",
        "Each window excuses what lies in it.",
        "As published.",
    ),
    Quirk(
        "short-segments",
        "choice",
        "A segment shorter than omega is relaxed throughout, so there the bug has no effect; the printed formula lets its windows reach "
        "into the neighbours.",
        "Windows end with their segment; window='literal' is the printed formula.",
        "As published.",
    ),
    Quirk(
        "x-cells",
        "choice",
        "Four transitions that the workflow of Cholec80 allows are not considered (crosses in Figure 3).",
        "Left out; cholec80('accepted') accepts them.",
        "As published.",
    ),
    Quirk(
        "above-one",
        "definition",
        "Relaxed precision and recall count frames annotated or predicted as the phase, so they may exceed 1 (never Jaccard).",
        "The same; counted='own' is the alternative that the paper proposes.",
        "The same, in percent.",
    ),
    Quirk(
        "infinite-precision",
        "choice",
        "A phase annotated, never predicted, but excused has infinite precision, and not excused an undefined one.",
        "The same; counted='own' leaves it undefined.",
        "The same.",
    ),
    Quirk(
        "clipped-before-averaging",
        "choice",
        "Values above 100, infinity included, are set to 100 per video and phase before they are averaged.",
        "above_one='kept' or 'clipped'.",
        "Clipped.",
    ),
    Quirk(
        "phases-not-annotated",
        "choice",
        "Everything of a phase that is not annotated in a video is left out (Strategy B); in regular metrics papers differ.",
        "undefined='A', 'B', 'zero' or 'one'; the default is A, and B for relaxed metrics.",
        "Strategy B.",
    ),
    Quirk(
        "phase-missing-everywhere",
        "choice",
        "A phase annotated in no video makes overall Jaccard and recall undefined, but is left out of overall precision.",
        "Left out of every mean; n says how many phases there were.",
        "As published.",
    ),
    Quirk(
        "deviation-over-what",
        "choice",
        "The printed deviation is over videos for accuracy, over phases for the rest.",
        "Each deviation names its source.",
        "As published; the variant names the source.",
    ),
    Quirk(
        "deviation-of-one-value",
        "choice",
        "The deviation of a single value is 0.",
        "Undefined with Bessel's correction, 0 without.",
        "0.",
    ),
    Quirk(
        "order-of-averaging",
        "choice",
        "Papers average over phases or videos first without saying so; with undefined values the numbers differ.",
        "All elements at once; macro-first, by-phase and by-video can be chosen.",
        "By video within each phase, then over phases.",
    ),
    Quirk(
        "three-f1-scores",
        "choice",
        "The F1 of a paper may be the mean of F1 scores, the mean of harmonic means of macro precision and recall, or the harmonic mean of "
        "overall precision and recall.",
        "Three metrics with three names.",
        "The script has no F1.",
    ),
    Quirk(
        "unknown-ids",
        "bug",
        "Labels other than the phases' numbers are silently dropped or become 0.",
        "MetricsError.",
        "MetricsError.",
    ),
    Quirk(
        "names-without-order",
        "choice",
        "Phases are numbers; what is excused depends on how many steps ahead or back a number is.",
        "Regular metrics do not depend on the order; relaxed ones name the transitions of Cholec80.",
        "Names are numbered in the order of their vocabulary. Where that is not known it has to be named (order=...): never by alphabet.",
    ),
)
