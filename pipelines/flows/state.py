"""Where DVC keeps its notes about files: a database that a shared file system could damage."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from scrubin.base.disks import is_shared
from scrubin.base.errors import StageError

VARIABLE = "DVC_SITE_CACHE_DIR"
REASONS = "SCRUBIN_REASONS"
"""Names the folder in which a stage leaves why it stopped, where a run says that once at its end."""


def local_state() -> dict[str, str]:
    """Return the environment that puts DVC's notes on a disk of this machine when the project lies on a shared one."""
    if VARIABLE in os.environ or not is_shared(Path.cwd()):
        return {}
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    if is_shared(home if home.exists() else Path.home()):
        home = Path("/var/tmp")
    name = hashlib.sha256(str(Path.cwd().resolve()).encode()).hexdigest()[:16]
    ours = home / f"scrubin-dvc-{os.getuid()}"
    home.mkdir(parents=True, exist_ok=True)
    for folder in (ours, ours / name):
        folder.mkdir(exist_ok=True, mode=0o700)
        if folder.stat().st_uid != os.getuid():
            raise StageError(f"{folder}: it belongs to somebody else, who could read there what DVC notes of private files; set {VARIABLE}")
        folder.chmod(0o700)
    return {VARIABLE: str(ours / name)}
