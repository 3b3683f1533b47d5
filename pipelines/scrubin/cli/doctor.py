"""`scrubin doctor`: what works here, without private text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from scrubin.base import machine
from scrubin.base.faults import count_text
from scrubin.cli.answers import print_json, print_lines
from scrubin.cli.commands import DECLARED, needed

GIGABYTE = 10**9
YES_NO = {True: "yes", False: "no", None: "not known"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the form of the answer."""
    parser.description = (
        "Tell what works here, what does not, and what to do. It looks at machine, packages and the project in this folder, tries what a "
        "disk can do, and leaves nothing behind. What it prints has no path, no name of a host, a person or a recording, and no value of "
        "a variable: it can be pasted into an issue. Exit code: 1 when something is to be done."
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")


def run(args: argparse.Namespace) -> int:
    """Say what is known; 0 only when nothing is to be done."""
    from scrubin.curate.preflight import health

    known = health.look()
    if args.json:
        print_json(known)
    else:
        print_lines(lines(known))
    return 1 if known["to_do"] else 0


def lines(known: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is known, for reading."""
    of, disk, ours = known["machine"], known["disk"], known["scrubin"]
    memory = "memory not known" if of["memory_bytes"] is None else f"{of['memory_bytes'] / GIGABYTE:.1f} GB of memory free"
    where = "in a virtual environment" if of["virtual_environment"] else "of the system"
    can = ", ".join(f"{name} {YES_NO[disk[key]]}" for key, name in (("writes", "writing"), ("links", "hard links"), ("locks", "locks")))
    room = f"{disk['free_bytes'] / GIGABYTE:.1f} of {disk['total_bytes'] / GIGABYTE:.1f} GB free"
    yield f"Scrub-in    {ours['version']}, {'from a checkout' if ours['checkout'] else 'installed'}; {of['python']} {where}"
    yield f"machine     {of['system']} {of['kernel'] or ''}, {of['processor']}, {count_text(of['cores'], 'core')}, {memory}"
    yield f"disk here   {room}, {disk['file_system'] or 'type not known'}{', shared' if disk['shared'] else ''}; {can}"
    yield f"isolation   {known['isolation']} (for scrubin submission causality)"
    yield f"encoder     {'FFmpeg ' + known['encoder'] if known['encoder'] else 'none'}"
    if known["networks"]:
        yield f"networks    {known['networks']['usable']} of {known['networks']['all']} can be used"
    yield f"variables   {', '.join(known['variables_set']) or 'none'} set, of those that change something"
    yield from ("", "What is installed, and the commands that need it:")
    yield from _extras(known["extras"])
    packages = ", ".join(f"{name} {number}" for name, number in known["packages"].items())
    yield from ("", f"packages    {packages}")
    yield from _project(known["project"])
    yield ""
    yield from (f"to do       {one['what']}: {one['do']}" for one in known["to_do"])
    if not known["to_do"]:
        yield "The installation needs nothing. What the study needs, the last run and `scrubin preflight` say."


def _extras(extras: Mapping[str, Any]) -> Iterator[str]:
    opens = needed()
    free = [name for name in DECLARED if name not in opens]
    yield f"  base      whole: {', '.join(free)}"
    for name, one in extras.items():
        commands = ", ".join(command for command, needs in opens.items() if name in needs) or OTHERWISE[name]
        if one["whole"]:
            yield f"  {name:<9} whole: {commands}"
        else:
            missing = f"{len(one['missing'])} of {one['packages']} packages missing"
            yield f"  {name:<9} closed ({missing}): {commands}; {machine.install_command(name)}"


OTHERWISE = {"cluster": "the flows on a Dask scheduler"}
"""What an extra without commands of its own is for."""


def _project(project: Mapping[str, Any] | None) -> Iterator[str]:
    if project is None:
        yield "project     none in this folder"
        return
    study = {"synthetic": "the synthetic study", "own": "a study of your own", None: "a study that cannot be read"}[project["study"]]
    names = {"dvc_lock": "dvc.lock", "key": "key", "decisions": "decisions", "release": "release", "report": "report", "closed": "closed"}
    yield f"project     {study}; {', '.join(f'{name} {YES_NO[project[key]]}' for key, name in names.items())}"
    others = project["other_packages"]
    if others is None:
        yield "lock        not compared"
    else:
        yield f"lock        {', '.join(others) if others else 'every package as requirements.lock names it'}"
