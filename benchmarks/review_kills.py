"""Kill the server of the review while decisions are made: the chain must hold, and nothing that was confirmed may be lost.

    python benchmarks/review_kills.py PROJECT [KILLS]

PROJECT is a copy of a study of which the stages ingest and screen have run; its ledger grows.
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

import httpx

SEED = 12
LONGEST_S = 0.4


def main() -> int:
    """Print how many decisions were confirmed, and how many of them the ledger holds."""
    project, kills = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    chance = random.Random(SEED)
    confirmed: list[int] = []
    torn = 0
    os.chdir(project)
    from scrubin.stages.review import Ledger

    for kill in range(kills):
        confirmed += one_server(project, chance.uniform(0.0, LONGEST_S), f"{kill:08x}")
        ledger = Ledger()
        lines = ledger.lines()
        torn += bool(ledger.torn_bytes)
        numbers = {line.number for line in lines if line.event == "decided"}
        lost = [number for number in confirmed if number not in numbers]
        if lost:
            print(f"after kill {kill}: {len(lost)} confirmed decisions are not in the ledger: {lost[:5]}")
            return 1
    print(f"{kills} kills: {len(confirmed)} decisions confirmed, 0 lost; {len(lines)} lines, the chain holds; {torn} unfinished lines seen")
    return 0


def one_server(project: Path, after_s: float, name: str) -> list[int]:
    """Start a server, decide as fast as it answers, kill it after a while, and return the lines that it confirmed."""
    command = [sys.executable, "-m", "scrubin", "review", "--no-browser", "--by", "ann"]
    server = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    text = ""
    while (found := re.search(r"(http://[^/]+)/enter#(\S+)", text)) is None:
        text += server.stdout.readline()
    origin, token = found.groups()
    headers = {"Origin": origin, "X-Scrubin": "1", "Content-Type": "application/json"}
    numbers: list[int] = []
    with httpx.Client(base_url=origin, headers=headers, trust_env=False) as client:
        client.post("/enter", content=json.dumps({"token": token}))
        study = client.get("/api/study").json()
        kept = next(one for one in study["recordings"] if one["status"] == "kept")
        wish = {"number": kept["number"], "camera": kept["cameras"][0], "what": "add", "kind": "other", "box_xywh": [0, 0, 8, 8]}
        wish |= {"to_first": None, "to_last": None, "proposal": "", "why": "x" * 200}
        threading.Thread(target=lambda: (time.sleep(after_s), server.send_signal(signal.SIGKILL))).start()
        client.headers["X-Scrubin-Study"] = study["edition"]
        try:
            for count in range(100_000):
                frames = {"first": count % 20, "last": count % 20 + 1, "nonce": f"{name}{count:08x}"}
                answer = client.post("/api/decide", content=json.dumps({**wish, **frames}))
                answer.raise_for_status()
                numbers.append(answer.json()["line"]["number"])
        except httpx.TransportError:
            pass
    server.wait()
    server.stdout.close()
    return numbers


if __name__ == "__main__":
    sys.exit(main())
