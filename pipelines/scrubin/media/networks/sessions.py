"""onnxruntime sessions that give the same numbers on every run: one thread, no telemetry, no log."""

from __future__ import annotations

from typing import Any

import onnxruntime as ort  # type: ignore[import-untyped]

ort.set_default_logger_severity(4)  # fatal only: what matters is raised


def session(model: bytes) -> Any:
    """Return a session for a model's bytes.

    Raises
    ------
    Exception
        onnxruntime's own, of many classes, when the bytes are no model that it can run.
    """
    options = ort.SessionOptions()
    # Two recordings are screened at a time, and sums over threads may differ in their last bits.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.use_deterministic_compute = True
    # The arena keeps the largest picture's memory for ever.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
