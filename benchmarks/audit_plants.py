"""Faults of every kind, planted in copies of a finished release: the audit must name each of them.

From the repository root, after `make repro`:  .venv/bin/python benchmarks/audit_plants.py [PROJECT]

The clean release is audited first and must have no finding. Then the faults are planted in copies of
it, many in one copy because each sits in a file of its own; checksums, planned hashes and file times
are put right again afterwards, so that nothing but the fault itself is wrong. A fault counts as found
only when a finding of its rule names its file. The names, sites and dates are the study's own.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from planted_faults import FAULTS, Copy, Plant

from scrubin.audit.expected import Finding
from scrubin.audit.expected.plan import Plan
from scrubin.audit.pictures.shown import Pictures
from scrubin.audit.pictures.stored import Stored
from scrubin.audit.run import audit
from scrubin.base.store import store
from scrubin.stages.release import audited_project
from scrubin.stages.release.audited_project import Project

COPIES = 3


def findings(folder: Path, study: Project, plan: Plan, root: Path) -> list[Finding]:
    """Audit a folder; videos whose bytes were examined before are not decoded again."""
    return audit(folder, study.private, plan, Stored(folder, root), Pictures(study.private)).findings


def batches() -> Iterator[dict[str, tuple[str, Plant]]]:
    names = list(FAULTS)
    for number in range(COPIES):
        yield {name: FAULTS[name] for name in names[number::COPIES]}


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    study, release, kept = audited_project.load(root), root / "data/release", root / store.STORE_PATH
    recordings = pd.read_parquet(root / "data/interim/recordings.parquet")
    last, first = next(one for one in sorted(recordings.participant.dropna().unique()) if not one.isascii()).split("_")
    site, day = str(recordings.site.dropna().iloc[0]), str(min(study.private.dates))
    clean = findings(release, study, study.plan, kept)
    print(f"the clean release: {len(clean)} findings", *clean[:5], sep="\n  ", flush=True)
    found = 0
    for number, batch in enumerate(batches()):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(release, Path(folder) / "release", copy_function=shutil.copy2)
            for path in (Path(folder) / "release").rglob("*"):
                path.chmod(0o755 if path.is_dir() else 0o644)
            copy = Copy(Path(folder) / "release", study.plan, first, last, site, day)
            where = {name: plant(copy) for name, (_, plant) in batch.items()}
            copy.seal()
            listed = findings(copy.folder, study, copy.plan, kept)
        for name, (rule, _) in batch.items():
            rules = sorted({finding.rule for finding in listed if finding.file == where[name]})
            found += rule in rules
            if rule not in rules:
                print(f"  MISSED {name} in {where[name]}: expected [{rule}], but got {rules}")
        others = {finding.file for finding in listed} - set(where.values())
        print(f"copy {number}: {len(batch)} faults, {len(listed)} findings, {len(others)} other files that show it too", flush=True)
    print(f"found {found} of {len(FAULTS)}")


if __name__ == "__main__":
    main()
