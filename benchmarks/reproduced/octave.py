"""An evaluation program for MATLAB, unchanged, run by GNU Octave with its package `image`; what it left in its variables."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt

NANMEAN = """function m = nanmean(x, d)
  if nargin < 2, d = find([size(x) 2] != 1, 1); end
  n = sum(!isnan(x), d); x(isnan(x)) = 0; m = sum(x, d) ./ n;
end
"""
NANSTD = "function s = nanstd(x)\n  s = std(x(!isnan(x)));\nend\n"
"""Functions that MATLAB has and Octave has not; the programs call the second with vectors only."""
VARIABLE = re.compile(r"# name: (\w+)\n# type: [a-z ]+\n(?:# rows: \d+\n# columns: \d+\n)?((?:[^#\n][^\n]*\n?)+)")


def variables(text: str) -> dict[str, npt.NDArray[np.float64]]:
    """Return numbers and matrices of a text that Octave saved."""
    return {
        name: np.array([[float(cell) for cell in row.split()] for row in rows.splitlines() if row.strip()])
        for name, rows in VARIABLE.findall(text)
    }


def run(folder: Path, program: str, names: tuple[str, ...], at: Path) -> dict[str, npt.NDArray[np.float64]]:
    """Run ``program.m`` of a folder in the folder `at`, and return those of its variables."""
    octave = shutil.which("octave")
    if octave is None:
        msg = "install GNU Octave and its package image (Debian: octave octave-image)"
        raise SystemExit(msg)
    shims = at / ".shims"
    shims.mkdir(exist_ok=True)
    (shims / "nanmean.m").write_text(NANMEAN, encoding="utf-8")
    (shims / "nanstd.m").write_text(NANSTD, encoding="utf-8")
    saved = at / ".variables.txt"
    quoted = ", ".join(f"'{name}'" for name in names)
    code = f"pkg load image; addpath('{folder}'); addpath('{shims}'); {program}; save('-text', '{saved}', {quoted});"
    done = subprocess.run(
        [octave, "--no-gui", "--quiet", "--no-history", "--eval", code], cwd=at, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return variables(saved.read_text(encoding="utf-8"))
