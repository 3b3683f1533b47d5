"""What a shell offers at Tab is what the parsers take: asked of the parsers, and of the shells themselves."""

from __future__ import annotations

import argparse
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scrubin import cli
from scrubin.base.vocabulary import vocabulary
from scrubin.cli import splits
from scrubin.cli.completion import SCRIPTS, offered
from scrubin.labels.registry import WRITERS, readable
from scrubin.public_splits import catalogue

OURS = Path(sys.executable).parent
PROMPT = "@@"
LONGEST_S = 60.0


def parsers(parser: argparse.ArgumentParser, *words: str) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Every parser with the words that lead to it."""
    if isinstance(parser, cli.LazyParser):
        parser.declare_now()
    yield words, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, of in action.choices.items():
                yield from parsers(of, *words, name)


@cache
def whole() -> argparse.ArgumentParser:
    return cli.parser()


@cache
def every() -> dict[tuple[str, ...], argparse.ArgumentParser]:
    return dict(parsers(whole()))


def at(*typed: str) -> set[str]:
    return set(offered(whole(), typed).words)


def test_every_command_and_every_option_is_offered_and_nothing_else():
    assert at("") == set(cli.COMMANDS)
    for words, parser in every().items():
        options = {name for action in parser._actions for name in action.option_strings if name.startswith("--")}
        assert at(*words, "--") == options, words
        below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        assert all(at(*words, "") == set(action.choices) for action in below)
    assert len(every()) > len(cli.COMMANDS) + 15


def test_every_choice_is_offered_and_every_option_of_a_format():
    for words, parser in every().items():
        for action in parser._actions:
            for option in action.option_strings:
                if action.choices is not None:
                    assert at(*words, option, "") == {str(choice) for choice in action.choices}, (words, option)
                elif action.metavar == "FORMAT":
                    wanted = WRITERS if option == "--to" else [name for name, one in readable().items() if one.title]
                    assert at(*words, option, "") >= set(wanted), (words, option)
                elif option == "--vocabulary":
                    assert at(*words, option, "") == set(vocabulary.known()), words
    assert at("splits", "diff", "cholec80") == {name for name in catalogue.available() if name.startswith("cholec80")}


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ("score phases --ground-truth ", "files"),
        ("score phases --predictions a b ", "files"),
        ("score phases --bootstrap ", "words"),
        ("export ", "files"),
        ("new-study raw --from ", "folders"),
        ("splits make ", "files"),
        ("splits make t.csv --out ", "files"),
        ("remove ", "words"),
        ("rename ", "words"),
        ("diff ", "files"),
        ("submission causality videos -- python --", "files"),
        ("nothing-of-ours ", "words"),
    ],
)
def test_files_are_offered_where_a_file_is_named(typed, kind):
    assert offered(whole(), typed.split(" ")).kind == kind


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        (["score", "phases", "--semantics=p"], {"--semantics=paper"}),
        (["score", "phases", "--semantics", "=", "p"], {"paper"}),
        (["score", "phases", "--json", "--js"], set()),
        (["audit", "x", "--needle", "a", "--ne"], {"--needle"}),
        (["score", "--help", "ph"], {"phases"}),
        (["--"], {"--help"}),
    ],
)
def test_an_option_is_offered_once_and_its_value_behind_an_equals_sign(typed, wanted):
    assert at(*typed) == wanted


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_command_answers_what_its_script_asks(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    assert f"completion {shell} : " in capsys.readouterr().out
    assert cli.main(["completion", shell, ":", "splits", "l"]) == 0
    assert capsys.readouterr().out == f"words\nleaks\t{splits.SUBCOMMANDS['leaks']}\n"


class Terminal:
    """An interactive shell of ours, with a clean home."""

    def __init__(self, shell: str, home: Path) -> None:
        how = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"]}[shell]
        environment = {"PATH": f"{OURS}:{os.environ['PATH']}", "HOME": str(home), "PS1": PROMPT, "TERM": "dumb", "LANG": "C"}
        self._end, inside = pty.openpty()
        command = [str(shutil.which(shell)), *how]
        self._process = subprocess.Popen(
            command, stdin=inside, stdout=inside, stderr=inside, env=environment, cwd=home, start_new_session=True
        )
        os.close(inside)
        self.said = ""

    def type(self, keys: str, until: str) -> str:
        """Type, and return what was said, when that holds what is waited for."""
        before = len(self.said)
        os.write(self._end, keys.encode())
        last = time.monotonic() + LONGEST_S
        while until not in self.said[before:] and time.monotonic() < last:
            if select.select([self._end], [], [], 0.1)[0]:
                self.said += os.read(self._end, 1 << 16).decode(errors="replace")
        assert until in self.said[before:], self.said
        return self.said[before:]

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._end)


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_completes_commands_options_formats_and_files(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    (tmp_path / "my labels.csv").touch()
    terminal = Terminal(shell, tmp_path)
    try:
        terminal.type(f"source <(scrubin completion {shell}) && echo rea''dy\n", "ready")
        terminal.type("scrubin ground\t", "ground-truth-check ")
        terminal.type("\x15scrubin convert my\t", "my\\ labels.csv ")
        terminal.type("--from mult\t", "ibypass")
        terminal.type("\x15scrubin score phases --ground-tr\t", "--ground-truth ")
        terminal.type("\x15scrubin score phases --semantics=c\t", "compat")
    finally:
        terminal.close()


@pytest.mark.slow
def test_fish_completes_commands_options_formats_and_files(tmp_path):
    if shutil.which("fish") is None:
        pytest.skip("there is no fish here")
    (tmp_path / "labels.csv").touch()
    asked = ("ground", "convert lab", "convert x --from mult", "score phases --ground-tr", "splits ")
    script = "scrubin completion fish | source\n" + "".join(f"complete -C 'scrubin {line}'; echo {PROMPT}\n" for line in asked)
    environment = {"PATH": f"{OURS}:{os.environ['PATH']}", "HOME": str(tmp_path), "LANG": "C"}
    done = subprocess.run(["fish", "-c", script], capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
    said = [{line.split("\t")[0] for line in part.splitlines() if line} for part in done.stdout.split(PROMPT)]
    assert said[:3] == [{"ground-truth-check"}, {"labels.csv"}, {"multibypass140", "multibypasst40"}]
    assert said[3:5] == [{"--ground-truth"}, {"show", "diff", "check", "make", "extend", "leaks"}]


def test_a_shell_that_is_left_out_is_all_that_is_asked_for(capsys):
    with pytest.raises(SystemExit):
        cli.main(["completion"])
    assert capsys.readouterr().err.endswith("the following arguments are required: shell\n")
