"""The scheduler, workers and keys that docs/large.md shows for SLURM and Kubernetes: what they say fits together, and works."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import dask
import pytest
import yaml
from distributed.cli import dask_scheduler, dask_worker

import doc_blocks
from pieces import doubled, piece
from scrubin.base.errors import StageError
from scrubin.curate.engine.cluster import Cluster

ROOT = Path(__file__).parents[2]
WRITTEN = {block.reason: block.text for block in doc_blocks.blocks(ROOT / "docs/large.md") if block.mark == "file"}
OBJECTS = [*yaml.safe_load_all(WRITTEN["cluster.yaml"]), yaml.safe_load(WRITTEN["run.yaml"])]
PODS: dict[str, Any] = {one["metadata"]["name"]: one["spec"]["template"] for one in OBJECTS if "template" in one["spec"]}


def container(name: str) -> dict[str, Any]:
    """The container of a pod that works."""
    (one,) = PODS[name]["spec"]["containers"]
    return dict(one)


def dask_lines() -> list[list[str]]:
    """What stands after ``dask`` wherever the page starts it."""
    plain = [shlex.split(line) for line in WRITTEN["job.sh"].replace("\\\n", " ").splitlines() if "/dask " in line]
    of_script = [
        [word for word in words[words.index(".venv/bin/dask") + 1 : words.index("&")] if word not in ("2>", ".cache/scheduler.log")]
        for words in plain
    ]
    return [*of_script, container("scheduler")["command"][1:], container("worker")["command"][1:]]


@pytest.mark.parametrize("words", dask_lines(), ids=lambda words: " ".join(words[:2]))
def test_every_option_of_dask_on_the_page_is_one_of_the_locked_version(words):
    command = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}[words[0]]
    with command.make_context(words[0], words[1:]) as context:
        assert context.params


def test_the_script_for_slurm_waits_for_its_own_scheduler_and_ends_what_it_started():
    lines = WRITTEN["job.sh"].splitlines()
    assert subprocess.run(["bash", "-n"], input=WRITTEN["job.sh"], text=True, check=False).returncode == 0
    order = [
        "trap ",
        "rm -f .cache/scheduler.json",
        ".venv/bin/dask scheduler",
        "until [ -s .cache/scheduler.json ]",
        "srun ",
        "make repro",
    ]
    places = [next(number for number, line in enumerate(lines) if line.startswith(word)) for word in order]
    assert places == sorted(places)


def test_the_pods_see_the_study_are_of_one_image_and_only_they_reach_each_other():
    images = {one["image"] for pod in PODS.values() for one in (*pod["spec"]["containers"], *pod["spec"].get("initContainers", []))}
    assert len(images) == 1
    (rules,) = [one["spec"] for one in OBJECTS if one["kind"] == "NetworkPolicy"]
    (service,) = [one for one in OBJECTS if one["kind"] == "Service"]
    assert service["spec"]["selector"].items() <= PODS["scheduler"]["metadata"]["labels"].items()
    (port,) = service["spec"]["ports"]
    assert f"tcp://{service['metadata']['name']}:{port['port']}" in container("worker")["command"]
    assert str(port["port"]) in container("scheduler")["command"]
    for one in OBJECTS:
        if one["kind"] == "Deployment":
            assert one["spec"]["selector"]["matchLabels"].items() <= one["spec"]["template"]["metadata"]["labels"].items()
    for pod in PODS.values():
        assert rules["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
        volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
        for one in (*pod["spec"]["containers"], *pod["spec"].get("initContainers", [])):
            mounts = {mount["name"]: mount["mountPath"] for mount in one["volumeMounts"]}
            assert mounts.keys() <= volumes
            assert mounts["study"] == "/study"
        assert pod["spec"]["securityContext"]["runAsUser"] == int(re.search(r"USER (\d+)", (ROOT / "Containerfile").read_text())[1])


@pytest.mark.slow
def test_the_commands_for_kubernetes_work_with_the_keys_of_the_page_and_nobody_comes_in_without(tmp_path):
    keys, config, project = tmp_path / "keys", tmp_path / "config", tmp_path / "project"
    for folder in (keys, config, project):
        folder.mkdir()
    names = ["-subj", "/CN=dask", "-keyout", str(keys / "dask.key"), "-out", str(keys / "dask.crt")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *names], check=True, capture_output=True)
    text = WRITTEN["dask/scrubin.yaml"].replace("/shared/keys", str(keys))
    (config / "scrubin.yaml").write_text(text, encoding="utf-8")
    (project / "requirements.lock").write_bytes((ROOT / "requirements.lock").read_bytes())
    path = os.pathsep.join([str(ROOT / "tests/helpers"), str(ROOT / "pipelines")])
    file = tmp_path / "scheduler.json"
    processes = []
    for name, more in (("scheduler", ["--scheduler-file", str(file), "--port", "0"]), ("worker", [])):
        own = {one["name"]: one["value"] for one in container(name)["env"]}
        words = container(name)["command"][1:]
        if name == "worker":
            deadline = time.monotonic() + 180
            while not (file.exists() and file.stat().st_size) and time.monotonic() < deadline:
                time.sleep(0.1)
            address = str(yaml.safe_load(file.read_text(encoding="utf-8"))["address"])
            words[1] = address
        command = [Path(sys.executable).with_name("dask"), *words, *more]
        variables = {**os.environ, **own, "PYTHONPATH": path, "DASK_CONFIG": str(config)}
        processes.append(subprocess.Popen(command, cwd=tmp_path, env=variables, stderr=subprocess.DEVNULL))
    try:
        assert address.startswith("tls://")
        with dask.config.set(dask.config.merge(dask.config.config, yaml.safe_load(text))):
            joined = Cluster(address, project)
            assert joined.do(piece(doubled, 21, project)) == 42
            joined.close()
        with pytest.raises(StageError, match=r"no scheduler answers at tls://.*TLS configuration"):
            Cluster(address, project)
        with pytest.raises(StageError, match=r"no scheduler answers at gateway://.*unknown address scheme"):
            Cluster("gateway://127.0.0.1:1/cluster", project)
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()
