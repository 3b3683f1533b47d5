"""Every sentence that a release, its certificate, the report and a run say of themselves has a check that fails when it is untrue.

A new sentence in one of the templates is not in the table, and fails here, until its check stands beside it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from scrubin.curate.project import closing
from scrubin.stages.release import gates
from scrubin.stages.release.certificate import attention, issue, public_form, rules
from scrubin.stages.release.metadata import readme, sentences
from scrubin.stages.report import privacy

TESTS = Path(__file__).parents[1]
REPORT = Path(privacy.__file__).with_name("templates")
CHECKS: dict[str, list[str]] = yaml.safe_load((TESTS / "data/stated_sentences.yaml").read_text(encoding="utf-8"))
EXPLAINS = "explains"


def units(text: str) -> Iterator[str]:
    """Yield the sentences of a template, its code replaced by an ellipsis; headings of up to four words say nothing."""
    text = re.sub(r"<style>.*?</style>|\{%.*?%\}|\{#.*?#\}", " ", text, flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}|\{\w+\}", "…", text, flags=re.DOTALL)
    text = re.sub(r"</?(?:code|strong|i|b|a)\b[^>]*>", "", text)
    for paragraph in re.split(r"\n\s*\n|\n(?=[|#-])|</?[a-z]\w*(?: [^>]*)?>(?=\s|\S)|\n(?= {4})", text):
        for sentence in re.split(r"(?<=[.!?])\s+(?=\S)", " ".join(paragraph.split())):
            said = sentence.strip("|-# ")
            if len(re.findall(r"[A-Za-z]{2,}", said)) >= 4:
                yield said


def said() -> dict[str, str]:
    """Return every text whose sentences must be known, by where it stands."""
    forms = Path(issue.__file__).with_name("templates")
    templates = [forms / "certificate.md.j2", forms / "certificate.html.j2", REPORT / "overview.html.j2", REPORT / "privacy.html.j2"]
    ruled = [*(rule.says for rule in rules.RULES), *(clause.here for clause in rules.ARTICLES), *rules.NOT_PROVEN, rules.AUDITED]
    looked = [gates.NOBODY, gates.SAMPLE, gates.FOLDED_SAMPLE, gates.SYNTHETIC, gates.EVERYTHING, gates.FOLDED, *attention.FIXED]
    facts = [
        sentences.HIDING,
        sentences.PSEUDONYMS,
        sentences.PICTURES_REMAIN,
        *(says for name, says in sentences.STEPS if name != "Scoring"),
    ]
    files = [readme.README_TEXT, readme.ARCHIVES, readme.README_CALIBRATION, readme.LOOSE, readme.SHARDS, readme.DROPPED]
    return {path.name: path.read_text(encoding="utf-8") for path in templates} | {
        "rules": "\n\n".join(ruled),
        "kinds": f"{public_form.KINDS_SAY}\n\n{public_form.SAMPLE_RULE}",
        "review": "\n\n".join(looked),
        "facts": "\n\n".join(facts),
        "README.md": "\n\n".join(files).replace("<", "‹").replace(">", "›"),
        "closing": "\n\n".join(of_code(Path(closing.__file__))),
    }


def of_code(path: Path) -> Iterator[str]:
    """Yield the texts with values in them that a module makes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)


def test_every_sentence_has_its_check_and_every_check_its_sentence():
    there = {sentence for text in said().values() for sentence in units(text)}
    known = [sentence for checked in CHECKS.values() for sentence in checked]
    assert sorted(there - set(known)) == []
    assert sorted(set(known) - there) == []
    assert len(known) == len(set(known))


def test_every_check_is_a_test():
    """Found by its line: to parse all tests takes many seconds."""
    texts = (path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    tests = {name for text in texts for name in re.findall(r"^def (test_\w+)\(", text, re.MULTILINE)}
    assert sorted(set(CHECKS) - tests - {EXPLAINS}) == []
