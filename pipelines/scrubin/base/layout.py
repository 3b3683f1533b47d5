"""Where a project keeps what: the folders that the stages of `dvc.yaml` write, and the tables that many of them read.

`private_paths` says who may enter which.
"""

from __future__ import annotations

from pathlib import Path

DEMO = Path("data/demo")
"""The raw study that the pipeline makes itself: synthetic, nobody is in it."""
INTERIM = Path("data/interim")
"""What one stage leaves for the next."""
PRIVATE = Path("data/private")
"""Who is who, and what people decided."""
TABLES = Path("data/tables")
"""The tables that become a release."""
UNRELEASED = Path("data/unreleased")
"""What will be released, until its audit has passed."""
RELEASE = Path("data/release")
"""It is meant for others: everybody may read it."""
REPORTS = Path("reports")

LINKAGE_PATH = PRIVATE / "linkage.parquet"
RECORDINGS_PATH, PARTS_PATH = INTERIM / "recordings.parquet", INTERIM / "parts.parquet"
CUTS_PATH, HIDDEN_PATH = INTERIM / "cuts.parquet", INTERIM / "hidden.parquet"
REVIEW_PATH, VERDICT_PATH = INTERIM / "review.json", INTERIM / "validation.json"
VIDEOS_PATH = TABLES / "videos.parquet"


def quarantine_path(stage: str) -> Path:
    """Return where a stage says which recordings it set aside."""
    return INTERIM / f"quarantine_{stage}.parquet"
