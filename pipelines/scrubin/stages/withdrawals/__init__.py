"""Withdrawal: somebody's recordings leave the study, every trace of them goes, nobody else changes."""
