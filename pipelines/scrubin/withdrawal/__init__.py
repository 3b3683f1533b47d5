"""Withdrawal: somebody's recordings leave the study and every trace of them goes, while nobody else changes."""
