"""The section ``withdrawals`` of ``params.yaml``: it has no parameters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WithdrawalsParams:
    """Who withdrew stands in ``withdrawn.csv`` of the raw study."""
