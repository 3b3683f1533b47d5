"""Score predictions that others published, and note what came out in `outcome.json`.

    python benchmarks/reproduced/measure.py tmrnet /path/to/TMRNet

Sources: tmrnet (YuemingJin/TMRNet), m2cai (Cadene/torchnet-m2caiworkflow), tcn (colincsl/TemporalConvolutionalNetworks),
multibypass140 (CAMMA-public/MultiBypass140), logs (csai-arc/cholec-layercam-spc-ssm), tti (Carlo1109/TTI_Detection), pgs (tmward/pgs),
skill_levels (5seoyoung/Surgical-Skill-JIGSAWS), skill_scores (Finspire13/Towards-Unified-Surgical-Skill-Assessment). The path is a
clone with its history; skill_scores needs a second path, a folder with JIGSAWS.
Nothing of it is kept: labels and predictions of others are not ours to give away. `page.py` then writes the tables of
`docs/reproduced.md`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
from pathlib import Path

OUTCOME = Path(__file__).with_name("outcome.json")
SOURCES = ("tmrnet", "m2cai", "tcn", "multibypass140", "logs", "tti", "pgs", "skill_levels", "skill_scores")


def main() -> None:
    """Measure one source."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", choices=SOURCES)
    parser.add_argument("paths", nargs="+", type=Path, metavar="path")
    arguments = parser.parse_args()
    source = importlib.import_module(arguments.source)
    with tempfile.TemporaryDirectory() as folder:
        found = source.measure(*(path.resolve() for path in arguments.paths), Path(folder))
    known = json.loads(OUTCOME.read_text(encoding="utf-8")) if OUTCOME.exists() else {}
    known[arguments.source] = {"commit": source.COMMIT} | found
    OUTCOME.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(json.dumps(known[arguments.source], indent=1))


if __name__ == "__main__":
    main()
