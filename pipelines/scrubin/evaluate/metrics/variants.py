"""Variants in which metrics are published: their names, with the defaults; of words alone, so that help texts need no tables."""

from __future__ import annotations

from typing import Literal, get_args

SEED = 0
RESAMPLES = 1000
LEVEL = 0.95

Strategy = Literal["A", "B", "zero", "one"]
STRATEGIES: tuple[Strategy, ...] = ("A", "B", "zero", "one")

PhaseScope = Literal["video-wise", "frame-wise"]
PHASE_SCOPES: tuple[PhaseScope, ...] = ("video-wise", "frame-wise")

AveragingOrder = Literal["all", "macro-first", "by-phase", "by-video"]
AVERAGING_ORDERS: tuple[AveragingOrder, ...] = ("all", "macro-first", "by-phase", "by-video")

OVERLAPS = (10, 25, 50)

BINS = 15
"""As in Guo's experiments."""

Component = Literal["i", "v", "t", "iv", "it", "ivt"]
COMPONENTS: tuple[Component, ...] = get_args(Component)

Interpolation = Literal["step", "11-point", "101-point", "101-point linear"]
INTERPOLATIONS: tuple[Interpolation, ...] = get_args(Interpolation)

BoxScope = Literal["global", "video-wise"]
BOX_SCOPES: tuple[BoxScope, ...] = get_args(BoxScope)
