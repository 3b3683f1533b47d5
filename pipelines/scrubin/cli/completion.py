"""`scrubin completion SHELL`: what a shell offers at Tab.

The shell asks this program at every Tab, and it asks the parsers: so an update never leaves an old list behind. Only the arguments of
the command that is being typed are declared. Names of files come from the shell itself.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from scrubin import cli

SCRIPTS: Mapping[str, str] = {
    "bash": """\
_scrubin() {
    local kind word rest
    COMPREPLY=()
    {
        read -r kind
        while IFS=$'\\t' read -r word rest; do COMPREPLY+=("$word"); done
    } < <("${COMP_WORDS[0]}" completion bash : "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    case $kind in
        files) compopt -o filenames; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$2") ;;
        folders) compopt -o filenames; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$2") ;;
    esac
}
complete -F _scrubin scrubin
""",
    "zsh": """\
#compdef scrubin
_scrubin() {
    local -a answered offered
    local line
    answered=("${(@f)$("${(Q)words[1]}" completion zsh : "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    for line in "${(@)answered[2,-1]}"; do
        [[ -n $line ]] && offered+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done
    (( $#offered )) && _describe -V scrubin offered
    case ${answered[1]} in
        files) _files ;;
        folders) _files -/ ;;
    esac
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _scrubin scrubin
""",
    "fish": """\
function __scrubin_offered
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    test (count $current) -eq 0; and set current ''
    set -l answered ($before[1] completion fish : $before[2..-1] "$current" 2>/dev/null)
    test (count $answered) -gt 1; and printf '%s\\n' $answered[2..-1]
    switch "$answered[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
    end
end
complete -c scrubin -f -a '(__scrubin_offered)'
""",
}
"""By shell, what defines its completion: the first line of an answer says which files it adds, each other one is a word and its meaning."""
FILES = ("FILE", "PATH", "CSV", "SCORES")
FOLDERS = ("DIR", "FOLDER")
NO_FILES = ("NAME", "VERSION", "recording", "old", "new")
"""Of words without an option; all others name files. Where no placeholder is declared, it is the word's own name."""

Kind = Literal["words", "files", "folders"]


@dataclass(frozen=True)
class Offer:
    """What may stand at a place: words with their meaning, and files or folders as the shell knows them."""

    words: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = "words"

    def lines(self) -> Iterator[str]:
        """Yield the answer to a shell."""
        yield self.kind
        yield from (f"{word}\t{meaning}" for word, meaning in self.words.items())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the shell, and what it passes on at Tab."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("shell", choices=SCRIPTS, help="the shell that is to know the commands")
    # Not required: whoever leaves out the shell would be asked for it, too.
    parser.add_argument("typed", nargs=argparse.REMAINDER, help=argparse.SUPPRESS).required = False
    parser.epilog = (
        "One line in the file that your shell reads when it starts:\n\n"
        "  ~/.bashrc                   source <(scrubin completion bash)\n"
        "  ~/.zshrc                    source <(scrubin completion zsh)\n"
        "  ~/.config/fish/config.fish  scrubin completion fish | source"
    )


def run(args: argparse.Namespace) -> int:
    """Print the script of a shell, or answer it: what was typed comes behind a colon, so that no dash of it is taken for ours."""
    if not args.typed:
        sys.stdout.write(SCRIPTS[args.shell])
        return 0
    sys.stdout.write("".join(f"{line}\n" for line in offered(cli.parser(), args.typed[1:] or [""]).lines()))
    return 0


def offered(parser: argparse.ArgumentParser, typed: Sequence[str]) -> Offer:
    """Return what may stand in the place of the last word.

    Parameters
    ----------
    parser
        Of everything behind the name of the program.
    typed
        The words behind it; the last one is being typed, and may be empty.
    """
    *before, current = typed
    place = _Place(parser)
    for word in before:
        place.step(word)
    return place.offer(current)


class _Place:
    """Where in a command line one is: which parser, which of its words, which option that waits for its value."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._enter(parser)
        self._is_behind_dashes = False

    def _enter(self, parser: argparse.ArgumentParser) -> None:
        if isinstance(parser, cli.LazyParser):
            parser.declare_now()
        self._parser = parser
        self._words = [action for action in parser._actions if not action.option_strings and action.nargs != argparse.REMAINDER]
        self._given: set[argparse.Action] = set()
        self._waits: argparse.Action | None = None
        self._must = False

    def step(self, word: str) -> None:
        """Go on behind a word."""
        name, equals, _ = word.partition("=")
        if word == "=":  # bash takes --option=value for three words
            return
        if word == "--":
            self._is_behind_dashes, self._waits, self._must = True, None, False
        elif self._is_option(word) and (option := self._parser._option_string_actions.get(name)):
            self._given.add(option)
            self._waits = option if option.nargs != 0 and not equals else None
            self._must = self._waits is not None and option.nargs in (None, "+")
        elif self._waits is not None:
            self._must = False
            if self._waits.nargs not in ("+", "*"):
                self._waits = None
        elif self._words:
            action = self._words[0]
            if isinstance(action, argparse._SubParsersAction):
                if word in action.choices:
                    self._enter(action.choices[word])
                else:
                    self._words = []
            elif action.nargs not in ("+", "*"):
                self._words.pop(0)

    def offer(self, current: str) -> Offer:
        """Return what may stand here and begins as the word that is being typed."""
        name, equals, _ = current.partition("=")
        option = self._parser._option_string_actions.get(name)
        if self._is_option(current) and not self._must:
            if equals and option is not None and option.nargs != 0:
                of_option = _values(option)
                return _beginning(Offer({f"{name}={word}": of for word, of in of_option.words.items()}, of_option.kind), current)
            return _beginning(Offer(dict(self._options(long=current.startswith("--")))), current)
        if current == "=":
            current = ""
        if self._waits is not None:
            return _beginning(_values(self._waits), current)
        return _beginning(_values(self._words[0]) if self._words else Offer(dict(self._options(long=True))), current)

    def _is_option(self, word: str) -> bool:
        return word.startswith("-") and not self._is_behind_dashes

    def _options(self, *, long: bool) -> Iterator[tuple[str, str]]:
        for action in self._parser._actions:
            again = isinstance(action, argparse._AppendAction)
            if action.help != argparse.SUPPRESS and (again or action not in self._given):
                names = [name for name in action.option_strings if name.startswith("--")] if long else action.option_strings
                yield from ((name, _meaning(self._parser, action)) for name in names)


def _beginning(of: Offer, current: str) -> Offer:
    return Offer({word: meaning for word, meaning in of.words.items() if word.startswith(current)}, of.kind)


def _meaning(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    return " ".join(parser._get_formatter()._expand_help(action).split()) if action.help else ""


def _values(action: argparse.Action) -> Offer:
    """Return what an argument takes."""
    if isinstance(action, argparse._SubParsersAction):
        return Offer({one.dest: one.help or "" for one in action._choices_actions})
    if action.choices is not None:
        return Offer({str(choice): "" for choice in action.choices})
    placeholder = str(action.metavar or action.dest)
    names = dict.fromkeys(_names(action, placeholder), "")
    if placeholder in FOLDERS:
        return Offer(names, "folders")
    of_word = not action.option_strings and placeholder not in NO_FILES
    is_file = (
        of_word or placeholder in FILES or placeholder.endswith((".csv", ".json", ".parquet")) or "--label-map" in action.option_strings
    )
    return Offer(names, "files" if is_file else "words")


def _names(action: argparse.Action, placeholder: str) -> Iterable[str]:
    """Return the names that we know of what is not chosen from a fixed list; only now, because they lie in files."""
    if placeholder == "FORMAT":
        from scrubin.labels.choices import READ_AS, WRITTEN_AS, known_formats

        is_written = "--to" in action.option_strings
        known = (name for name, one in known_formats().items() if (one.is_written if is_written else one.title))
        return sorted({*known, *(WRITTEN_AS if is_written else READ_AS)})
    if "--vocabulary" in action.option_strings:
        from scrubin.base.vocabulary import vocabulary

        return vocabulary.known()
    if "--label-map" in action.option_strings:
        from scrubin.labels import label_map

        return label_map.available()
    if placeholder == "NAME:SUBSET" or action.dest == "name":
        from scrubin.public_splits import catalogue

        return catalogue.available()
    return ()
