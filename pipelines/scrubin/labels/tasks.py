"""What a challenge asks to predict."""

from __future__ import annotations

from typing import Literal, get_args

Task = Literal["recognition", "detection", "phases"]
TASKS: tuple[Task, ...] = get_args(Task)
