"""Name the editions whose stored results are those of today, so that an update of a study makes nothing again.

    .venv/bin/python benchmarks/earlier_codes.py                 # print the code of each kind of result, as JSON
    .venv/bin/python benchmarks/earlier_codes.py --today         # what is named holds for the code as it is now, too
    .venv/bin/python benchmarks/earlier_codes.py --add v0.5.0 --why "only moved" [--kinds render frames]

Both say that what is stored is the same to the byte, and nobody checks that here: run `benchmarks/update_of_a_study.py` first.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from scrubin.audit.pictures import stored
from scrubin.base import files
from scrubin.base.store.code_of import EARLIER_CODES, LIBRARY, code_of, packages_of
from scrubin.media import crops, raw_file
from scrubin.stages.frames import frame_store
from scrubin.stages.ingest import seam_pictures
from scrubin.stages.release import added_files
from scrubin.stages.render import rendering
from scrubin.stages.screen import (
    all_detectors,
    face_looks,
    features,
    insets,
    onnx_detector,
    pass_over_file,
    reel,
    scene_scores,
    text_detector,
    text_looking,
)
from scrubin.stages.stereo import released_check

ROOT = Path(__file__).resolve().parents[1]
FILE = LIBRARY / EARLIER_CODES
KINDS: dict[str, tuple[ModuleType, ...]] = {
    "archives": (added_files,),
    "crops": (crops,),
    "detectors": (all_detectors,),
    "frames": (frame_store,),
    "frames-kept": (frame_store,),
    "part_pictures": (seam_pictures,),
    "probe": (raw_file,),
    "release": (stored,),
    "render": (rendering,),
    "render/joined": (rendering,),
    f"screen/{face_looks.NAME}": (pass_over_file, face_looks),
    f"screen/{features.NAME}": (pass_over_file, features),
    f"screen/{insets.NAME}": (pass_over_file, insets),
    f"screen/{onnx_detector.NAME}": (pass_over_file, onnx_detector),
    f"screen/{reel.NAME}": (pass_over_file, reel),
    f"screen/{scene_scores.NAME}": (pass_over_file, scene_scores),
    f"screen/{text_detector.NAME}": (pass_over_file, text_looking),
    "sha256": (files,),
    "stereo": (released_check,),
    "structure": (raw_file,),
}
"""By kind of result, the modules whose codes, one behind the other, are in its key."""


def codes() -> dict[str, dict[str, Any]]:
    """Return by kind of result its code in this checkout, and the packages that went into it."""
    names = {kind: [module.__name__ for module in modules] for kind, modules in KINDS.items()}
    return {kind: {"code": "".join(map(code_of, modules)), "packages": packages_of(modules)} for kind, modules in sorted(names.items())}


def codes_of(ref: str) -> dict[str, dict[str, Any]]:
    """Return the same of another commit of this repository."""
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder) / "checkout"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", there, ref], cwd=ROOT, check=True)
        try:
            env = {**os.environ, "PYTHONPATH": str(there / LIBRARY.parent.relative_to(ROOT))}
            program = there / Path(__file__).relative_to(ROOT)
            done = subprocess.run([sys.executable, program], cwd=there, env=env, check=True, capture_output=True, text=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", there], cwd=ROOT, check=True)
    known: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return known


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--today", action="store_true", help="what is named holds for the code as it is now, too")
    parser.add_argument("--add", metavar="REF", help="a tag or commit whose stored results are those of today")
    parser.add_argument("--edition", help="its name; else that of the tag")
    parser.add_argument("--why", help="why its results are those of today")
    parser.add_argument(
        "--kinds", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND", help="of which it is true; all unless told"
    )
    chosen = parser.parse_args()
    if not chosen.today and not chosen.add:
        print(json.dumps(codes(), indent=2))
        return
    if chosen.add and not chosen.why:
        parser.error("--why: say why its results are those of today")
    known = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    now, then = codes(), codes_of(chosen.add) if chosen.add else {}
    edition = chosen.edition or str(chosen.add).removeprefix("v")
    for kind in chosen.kinds:
        earlier = [one for one in known.get(kind, {}).get("earlier", []) if one["edition"] != edition or not then]
        if kind in then:
            earlier.insert(0, {"edition": edition, "why": chosen.why, **then[kind]})
        is_new = known.get(kind, {}).get("code") != now[kind]["code"]
        known[kind] = {"code": now[kind]["code"], "earlier": earlier}
        print(f"{kind}: {len(earlier)} earlier editions{', for a new code' if is_new else ''}")
    known = {kind: known[kind] for kind in sorted(set(known) & set(KINDS)) if known[kind]["earlier"]}
    FILE.write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
