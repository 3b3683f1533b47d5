"""A release in an object store on this machine, moto's S3: requests, bytes and CPU of pushing it and of loading it.

``python benchmarks/object_store.py [RELEASE] [--large-mb 200]`` prints a line per step. Without RELEASE the small one of the tests is
taken, loose and in shards. Requests and bytes are counted by the server. CPU is that of the process that asks, without its start: each
step is a process of its own, and says what it used; the first request of a process costs it about 0.25 s, whatever follows. The last
lines fetch one large file: what a gigabyte costs beside copying and hashing it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HELPERS = Path(__file__).parents[1] / "tests/helpers"
sys.path.insert(0, str(HELPERS))

import downloaded_release  # noqa: E402
import loadable_release  # noqa: E402
import object_store  # noqa: E402

STEPS = {
    "push": "pushing.push(Path(folder), ObjectFolder(address, options))",
    "open": "Release(address, **given)",
    "every frame, folder": "all_frames(Release(folder))",
    "every frame, first time": "all_frames(Release(address, **given))",
    "every frame, again": "all_frames(Release(address, **given))",
    "large file, copied and hashed": "copied(large, cache + '/copy')",
    "large file, fetched": "InStore(ObjectFolder(address, options), Path(cache)).hold('large.bin')",
}
PROGRAM = """
import hashlib, json, shutil, sys, time
from pathlib import Path
sys.path[:0] = [{helpers!r}]
import object_store
import fsspec, s3fs, cv2
from scrubin.base import files
from scrubin.base.object_store import ObjectFolder
from scrubin.curate.project import pushing
from scrubin.data.load.place import InStore
from scrubin.load import Release
def all_frames(release):
    dataset = release.frames(labels=["skill"], include_hidden=True)
    return sum(int(dataset[k]["image"].sum()) for k in range(len(dataset)))
def copied(source, target):
    shutil.copy(source, target)
    files.sha256_of(Path(target))
folder, address, cache, large, url = {told!r}
options = object_store.Store(url).options
given = {{"cache": cache, "storage_options": options, "errata": "ignore"}}
begun = time.process_time()
{step}
print(time.process_time() - begun)
"""


def run(store: object_store.Store, name: str, told: tuple[str, ...], label: str) -> float:
    """Run a step in a process of its own, and print what it cost."""
    store.log()
    code = PROGRAM.format(helpers=str(HELPERS), told=told, step=STEPS[name])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    asked, cpu_s = store.log(), float(done.stdout)
    by_method = ", ".join(f"{count} {method}" for method, count in sorted(Counter(one["method"] for one in asked).items())) or "none"
    moved = sum(one["bytes"] for one in asked)
    print(
        json.dumps({"release": label, "step": name, "requests": by_method, "MB": round(moved / 1e6, 3), "cpu_s": round(cpu_s, 3)}),
        flush=True,
    )
    return cpu_s


def release_steps(store: object_store.Store, folder: Path, label: str, work: Path) -> None:
    """Push a release and load it, in turns with its folder."""
    told = (str(folder), f"s3://{object_store.BUCKET}/{label}", str(work / f"cache {label}"), "", store.url)
    run(store, "push", told, label)
    run(store, "open", (*told[:2], str(work / "other"), *told[3:]), label)
    costs = {name: run(store, name, told, label) for name in STEPS if name.startswith("every")}
    base = costs["every frame, folder"]
    print(json.dumps({"release": label, "CPU beside the folder": {name: round(cpu_s / base, 2) for name, cpu_s in costs.items()}}))


def large_steps(store: object_store.Store, megabytes: int, work: Path) -> None:
    """Fetch one large file."""
    source, cache = work / "large.bin", work / "large"
    cache.mkdir()
    block = hashlib.sha256(b"").digest() * 32768
    with source.open("wb") as file:
        file.writelines(block[number:] + block[:number] for number in range(megabytes))
    store.put("large/large.bin", source.read_bytes())
    with source.open("rb") as file:
        (cache / "SHA256SUMS").write_text(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  large.bin\n")
    told = ("", f"s3://{object_store.BUCKET}/large", str(cache), str(source), store.url)
    costs = [run(store, name, told, f"{megabytes} MiB") for name in STEPS if name.startswith("large")]
    print(
        json.dumps(
            {"CPU s per GB fetched": round(costs[1] / megabytes / 1.048576 * 1000, 2), "beside copying": round(costs[1] / costs[0], 2)}
        )
    )


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", nargs="?", type=Path)
    parser.add_argument("--large-mb", type=int, default=200)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, object_store.running() as store:
        work = Path(temporary)
        if args.release:
            release_steps(store, args.release, "given", work)
        else:
            for label in ("loose", "shards"):
                folder = loadable_release.build(work / label, loadable_release.STORAGES[label])
                (folder / "metadata").mkdir()
                downloaded_release.seal(folder)
                release_steps(store, folder, label, work)
        large_steps(store, args.large_mb, work)


if __name__ == "__main__":
    main()
