"""Every command: what `--help` says."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from reference.markdown import code, sentence, table
from scrubin import cli
from scrubin.cli import COMMANDS, NEEDS

WIDTH = 100


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield every command and subcommand, by its name without ``scrubin``."""
    for name in COMMANDS:
        parser = _parser(name, COMMANDS[name])
        cli._command(name).add_arguments(parser)
        yield name, parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                yield from ((f"{name} {sub}", of) for sub, of in action.choices.items())


def text() -> str:
    """Return an overview, then a section for each command."""
    rows = ((f"[`scrubin {name}`](#{_anchor(name)})", does, _needs(name)) for name, does in COMMANDS.items())
    overview = table(("command", "what it does", "extra"), rows)
    return "\n".join([overview, *(_section(name, parser) for name, parser in parsers())])


def _needs(name: str) -> str:
    """Return the extras of a command, and those of its words that have others."""
    own = [code(extra) for extra in NEEDS.get(name, ())]
    of_words = [f"{code(words.split()[1])}: {', '.join(map(code, of))}" for words, of in NEEDS.items() if words.startswith(f"{name} ")]
    return ", ".join(own) or "; ".join(of_words)


def _parser(name: str, does: str) -> argparse.ArgumentParser:
    def formatter(prog: str) -> argparse.HelpFormatter:
        return argparse.HelpFormatter(prog, width=WIDTH)

    return argparse.ArgumentParser(prog=f"scrubin {name}", description=sentence(does), formatter_class=formatter)


def _section(name: str, parser: argparse.ArgumentParser) -> str:
    return f"({_anchor(name)})=\n## scrubin {name}\n\n```text\n{parser.format_help()}```\n"


def _anchor(name: str) -> str:
    return f"scrubin-{name.replace(' ', '-')}"
