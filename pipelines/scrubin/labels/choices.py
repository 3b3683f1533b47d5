"""What a person can say of label files: their format, the task, the instant of a phase, how far boxes may leave the image."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

READ_AS = {"prostatd": "labelme", "parquet": "tables", "csv": "tables", "tables-csv": "tables"}
"""Other names under which formats are read."""
DECLARATION = "training_data.yaml"
"""The file of a submission that says what its model was trained on: no labels, though some formats have a file of such a name."""
WRITTEN_AS = {"prostatd": "labelme", "parquet": "tables", "csv": "tables-csv"}
"""Other names under which formats are written."""

Instant = Literal["start", "end"]
"""``start``: frame k has the label of k / fps, as everywhere in this library. ``end``: that of the last instant before
(k + 1) / fps, as in MultiBypass140's own files at 1 per second, k x 1000 + 999 ms."""
BOX_TOLERANCE = 0.02
FORMATS = Path(__file__).parent / "formats"
_DECLARATION = re.compile(r"^@(?:label_format|dataset_format|writes)\(.*?(?=^def )", re.MULTILINE | re.DOTALL)
_NAMED_TEXT = re.compile(r'^\w+ = "[^"\n]*"$', re.MULTILINE)


@dataclass(frozen=True)
class KnownFormat:
    """A format, as a help text needs it: what it is, or "" where it is only written; whether it is written."""

    title: str = ""
    is_written: bool = False


@cache
def known_formats() -> dict[str, KnownFormat]:
    """Return every format by name, sorted, as its module declares it.

    The modules are not imported: they need pandas and take long, and a help text is asked for by people who wait. Of their
    sources only the declarations are parsed, because all of them take a tenth of a second.
    """
    found: dict[str, KnownFormat] = {}
    for path in sorted(FORMATS.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        declared = [f"{one}def _(): ..." for one in _DECLARATION.findall(source)]
        tree = ast.parse("\n".join((*_NAMED_TEXT.findall(source), *declared) if declared else ()))
        texts = {
            node.targets[0].id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Constant)
        }
        for decorator, name, title in _declared(tree, texts):
            before = found.get(name, KnownFormat())
            found[name] = KnownFormat(title or before.title, before.is_written or decorator == "writes")
    return dict(sorted(found.items()))


def _declared(tree: ast.Module, texts: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield decorator, name of the format and title, "" where there is none."""
    for call in (call for node in tree.body if isinstance(node, ast.FunctionDef) for call in node.decorator_list):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("label_format", "dataset_format", "writes"):
            of_call = {"name": call.args[0], **{str(one.arg): one.value for one in call.keywords}}
            name, title = (_text(of_call[key], texts) if key in of_call else "" for key in ("name", "title"))
            yield call.func.id, name, title


def _text(node: ast.expr, texts: dict[str, Any]) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else str(texts[ast.unparse(node)])


Task = Literal["recognition", "detection", "phases"]
TASKS: tuple[Task, ...] = get_args(Task)
