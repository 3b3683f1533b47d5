"""The code blocks of the documents: read from Markdown, and run as a reader would run them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrubin.cli import main

FENCE = re.compile(r"( *)(`{3,})(\S*)\s*")
MARK = re.compile(r" *<!-- (not run|file|into|exit (\d+)): (\S.*) -->")
PLACE = re.compile(r"(?P<file>\S+) above (?P<line>.+)")
RUN = ("sh", "python")
SHOWN = ("text", "csv", "json")
"""Languages of blocks that are read, not run."""
SHELL_SIGNS = set("|<>$&;*?(){}[]`\\")
ACTIVATE = ". .venv/bin/activate"
ONE_BY_ONE = "import json, sys; from scrubin.cli import main; sys.exit(max(main(one) for one in json.loads(sys.argv[1])))"
"""Commands of one block share a process: most of their time goes into imports."""
SECONDS = 600


@dataclass(frozen=True)
class Block:
    """One block of a page; ``line`` is the first line of its text."""

    page: Path
    line: int
    language: str
    text: str
    mark: str = ""
    reason: str = ""

    @property
    def place(self) -> str:
        return f"{self.page.name}, line {self.line}"

    @property
    def is_run(self) -> bool:
        return self.language in RUN and self.mark != "not run"

    @property
    def is_written(self) -> bool:
        """Whether it is a file, or lines that go into one."""
        return self.mark in ("file", "into")

    @property
    def exit_code(self) -> int:
        return int(self.mark.removeprefix("exit ")) if self.mark.startswith("exit ") else 0


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page; directives of the documents are none."""
    lines = page.read_text(encoding="utf-8").splitlines()
    number = 0
    while number < len(lines):
        fence = FENCE.fullmatch(lines[number])
        if fence is None:
            number += 1
            continue
        indent, ticks, language = fence[1], fence[2], fence[3]
        end = next(i for i in range(number + 1, len(lines)) if lines[i].strip() == ticks)
        if not language.startswith("{"):
            text = "".join(f"{line.removeprefix(indent)}\n" for line in lines[number + 1 : end])
            mark = MARK.fullmatch(lines[number - 1]) if number else None
            yield Block(page, number + 2, language, text, mark[1] if mark else "", mark[3] if mark else "")
        number = end + 1


@dataclass
class Reader:
    """Somebody who types the blocks of one page, one after the other, in a project."""

    project: Path
    names: dict[str, Any] = field(default_factory=dict)
    # A page that changes the library needs a new process for every command.
    own_library: bool = False

    def do(self, block: Block) -> None:
        """Do what a block says; raises ``AssertionError`` with all output when it does not end as the page promises."""
        if block.mark == "file":
            self._write(block)
        elif block.mark == "into":
            self._insert(block)
        elif block.language == "python" and not self.own_library:
            exec(compile("\n" * (block.line - 1) + block.text, str(block.page), "exec"), self.names)
        elif not self.own_library and is_plain(block.text):
            for command in commands(block.text):
                code, output = run_here(command)
                assert code == block.exit_code, f"{block.place}: scrubin {' '.join(command)}\nexit code {code}\n{output}"
        else:
            done = self._new_process(block)
            assert done.returncode == block.exit_code, f"{block.place}\nexit code {done.returncode}\n{done.stdout}{done.stderr}"

    def _write(self, block: Block) -> None:
        path = self.project / block.reason
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        self.own_library |= block.reason.startswith("pipelines/")

    def _insert(self, block: Block) -> None:
        place = PLACE.fullmatch(block.reason)
        assert place is not None, f"{block.place}: write 'FILE above LINE'"
        path = self.project / place["file"]
        text = path.read_text(encoding="utf-8")
        above = re.search(rf"^ *{re.escape(place['line'])}.*$", text, re.MULTILINE)
        assert above is not None, f"{block.place}: {place['file']} has no line that begins with '{place['line']}'"
        path.write_text(text[: above.start()] + block.text + text[above.start() :], encoding="utf-8")
        self.own_library |= place["file"].startswith("pipelines/")

    def _new_process(self, block: Block) -> subprocess.CompletedProcess[str]:
        script = ["bash", "-euo", "pipefail", "-c", block.text]
        if block.language == "python":
            script = [sys.executable, "-c", block.text]
        elif is_plain(block.text):
            script = [sys.executable, "-c", ONE_BY_ONE, json.dumps(commands(block.text))]
        return subprocess.run(
            script, cwd=self.project, env=environment(self.project), capture_output=True, text=True, check=False, timeout=SECONDS
        )


def environment(project: Path) -> Mapping[str, str]:
    """Return the environment of a shell in which the project's own is active, and its library is the one that is imported."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PREFECT"))}
    return kept | {"PATH": f"{Path(sys.prefix) / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(project / "pipelines")}


def is_plain(text: str) -> bool:
    """Return whether every line is a command of ours that needs no shell, but for the environment, which is active here anyway."""
    lines = [line.partition("#")[0] for line in text.splitlines() if line != ACTIVATE]
    return all(line.startswith("scrubin ") and not SHELL_SIGNS & set(line) for line in lines)


def commands(text: str) -> list[list[str]]:
    """Return the arguments of each command of a plain block."""
    return [shlex.split(line, comments=True)[1:] for line in text.splitlines() if line != ACTIVATE]


def run_here(arguments: list[str]) -> tuple[int, str]:
    """Run a command in this process, which has imported everything already; return its exit code and what it printed."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
    return code, output.getvalue()
