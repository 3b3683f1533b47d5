"""The error of a file that is no usable video, which says why."""

from __future__ import annotations

from av.error import InvalidDataError

INVALID_DATA = 0x41444E49  # AVERROR_INVALIDDATA, without its sign


class UnreadableError(InvalidDataError):
    """A file that is no usable video; says why, and the mend."""

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(INVALID_DATA, reason)
        self.reason = reason
        self.fix = fix

    def __reduce__(self) -> tuple[type[UnreadableError], tuple[str, str]]:
        return type(self), (self.reason, self.fix)
