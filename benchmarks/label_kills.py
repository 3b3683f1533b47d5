"""Kill the server of the label page while two people label: the chain must hold, and nothing that was confirmed may be lost.

    python benchmarks/label_kills.py PROJECT [KILLS]

PROJECT is a copy of a study whose videos are rendered, whose `params.yaml` has the section `label`, and which nobody labels yet; people and
labels are added to it.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx

SEED = 33
LONGEST_S = 0.6
NAMES = ("somebody who labels", "somebody else who labels")


def main() -> int:
    """Print how many labels were confirmed, and how many of them the ledger holds."""
    project, kills = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    os.chdir(project)
    from scrubin.curate.label import people, rewriting
    from scrubin.curate.label.workbench import Workbench

    tokens = [people.add(name, "annotator")[1] for name in NAMES]
    Workbench.open().assign()
    chance = random.Random(SEED)
    confirmed: set[str] = set()
    torn = 0
    for kill in range(kills):
        confirmed |= one_server(project, tokens, chance.uniform(0.0, LONGEST_S), f"{kill:08x}")
        ledger = rewriting.ledger_of()
        lines = ledger.lines()
        torn += bool(ledger.torn_bytes)
        lost = confirmed - {line.nonce for line in lines}
        if lost:
            print(f"after kill {kill}: {len(lost)} confirmed labels are not in the ledger: {sorted(lost)[:5]}")
            return 1
    Workbench.open().standing()
    print(f"{kills} kills: {len(confirmed)} labels confirmed, 0 lost; {len(lines)} lines, the chain holds; {torn} unfinished lines seen")
    return 0


def one_server(project: Path, tokens: list[str], after_s: float, name: str) -> set[str]:
    """Start a server, let all label as fast as it answers, kill it after a while, and return what it confirmed."""
    command = [sys.executable, "-m", "scrubin", "label"]
    server = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    text = ""
    while (found := re.search(r"(http://[^/]+)/enter", text)) is None:
        text += server.stdout.readline()
    confirmed: set[str] = set()
    threads = [threading.Thread(target=label, args=(found[1], token, f"{name}{at}", confirmed)) for at, token in enumerate(tokens)]
    for thread in threads:
        thread.start()
    time.sleep(after_s)
    server.send_signal(signal.SIGKILL)
    for thread in threads:
        thread.join()
    server.wait()
    server.stdout.close()
    return confirmed


def label(origin: str, token: str, name: str, confirmed: set[str]) -> None:
    """Label the first recording of somebody until nobody answers."""
    headers = {"Origin": origin, "X-Scrubin": "1", "Content-Type": "application/json"}
    with httpx.Client(base_url=origin, headers=headers, trust_env=False) as client:
        try:
            client.post("/enter", content=json.dumps({"token": token})).raise_for_status()
            work: dict[str, Any] = client.get("/api/work").json()
            layer = next(one for one in work["layers"] if one["name"] == "phases")
            id_ = work["recordings"][0]["id"]
            film = client.get(f"/api/recordings/{id_}").json()["film"]
            for count in range(100_000):
                span = {"first": 0, "end": 2 + count % 40, "label": layer["names"][count % len(layer["names"])]}
                nonce = f"{name}{count:08x}"
                changes = [{"layer": "phases", "key": "first", "value": span}]
                wish = {"id": id_, "film": film, "changes": changes, "nonce": nonce}
                answer = client.post("/api/label", content=json.dumps(wish))
                answer.raise_for_status()
                confirmed.add(nonce)
        except httpx.TransportError:
            pass


if __name__ == "__main__":
    sys.exit(main())
