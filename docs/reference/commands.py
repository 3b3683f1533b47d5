"""Every command: what `--help` says."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from reference.markdown import code, sentence, table
from scrubin import cli
from scrubin.cli.commands import DECLARED, DOORS, Door, behind

WIDTH = 100


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield every command and subcommand, by its name without ``scrubin``."""
    for name, one in DECLARED.items():
        parser = _parser(name, one.does)
        cli._command(name).add_arguments(parser)
        yield name, parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for sub, of in action.choices.items():
                    if isinstance(of, cli.LazyParser):
                        of.declare_now()
                    yield f"{name} {sub}", of


def text() -> str:
    """Return an overview by door, then a section for each command."""
    return "\n".join([*map(_overview, DOORS), *(_section(name, parser) for name, parser in parsers())])


def _overview(door: Door) -> str:
    rows = ((f"[`scrubin {name}`](#{_anchor(name)})", DECLARED[name].does, _needs(name)) for name in behind(door))
    title = sentence(DOORS[door]) if door == "terminal" else f"**{door}**: {DOORS[door]}."
    return f"{title}\n\n{table(('command', 'what it does', 'extra'), rows)}"


def _needs(name: str) -> str:
    """Return the extras of a command, and those of its words that have others."""
    one = DECLARED[name]
    of_words = [f"{code(word)}: {', '.join(map(code, extras))}" for word, extras in one.words_need.items()]
    return ", ".join(map(code, one.needs)) or "; ".join(of_words)


def _parser(name: str, does: str) -> argparse.ArgumentParser:
    def formatter(prog: str) -> argparse.HelpFormatter:
        return argparse.HelpFormatter(prog, width=WIDTH)

    return argparse.ArgumentParser(prog=f"scrubin {name}", description=sentence(does), formatter_class=formatter)


def _section(name: str, parser: argparse.ArgumentParser) -> str:
    return f"({_anchor(name)})=\n## scrubin {name}\n\n```text\n{parser.format_help()}```\n"


def _anchor(name: str) -> str:
    return f"scrubin-{name.replace(' ', '-')}"
