"""``dataset_card.md``: the card for the Hugging Face Hub, where it is called ``README.md``.

Source: https://huggingface.co/docs/hub/datasets-cards. Its head lists the tables as configurations, so that
``load_dataset(folder, "frames")`` reads them; tags come from what is there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from scrubin.stages.release.metadata import citation, sentences
from scrubin.stages.release.metadata.curator_words import Words
from scrubin.stages.release.release_params import ReleaseParams

NAME = "dataset_card.md"
LICENCES = frozenset(
    """apache-2.0 mit cc0-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0
    cc-by-nd-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cdla-sharing-1.0 cdla-permissive-1.0
    cdla-permissive-2.0 odc-by odbl pddl""".split()  # noqa: SIM905
)
"""Licences that the Hub knows."""
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"), (10_000_000, "1M<n<10M"))
LARGEST = "10M<n<100M"
TAGS = ("surgery", "medical", "video", "croissant")
BODY = """\
# {title}

{description}

Version {version}. `croissant.json` describes every table, column and file for programs, `metadata/datasheet.md` says how the data set
was made, `CERTIFICATE.md` what was done so that nobody is recognised.

## What is in it

{facts}

## How it is split

{splits}

## Labels and ratings

{labels}

## What was done to it

{done}

## For what it is good, and for what not

{uses}

## Cite

```bibtex
{citation}
```
"""
NOT_SAID = "The authors have not stated it."
NONE = "There are none."


def text(params: ReleaseParams, facts: Mapping[str, Any], words: Words, tables: Iterable[str]) -> str:
    """Return the card as Markdown with a head in YAML.

    Parameters
    ----------
    params, words
        What the curator says.
    facts
        See ``facts.measured``.
    tables
        Names of the tables.
    """
    description = " ".join((params.description or "").split()) or NOT_SAID
    uses = [*words.items("uses.intended"), *words.items("uses.unsuitable"), *words.items("uses.limitations"), *words.items("uses.biases")]
    body = BODY.format(
        title=params.title,
        description=description,
        version=params.version,
        facts=_items([sentences.size(facts), sentences.left_out(facts)]),
        splits=_items(sentences.splits(facts)) or NONE,
        labels=_items([*sentences.labels(facts), *sentences.ratings(facts)]) or NONE,
        done=_items([sentences.HIDING, *sentences.hidden(facts), sentences.PSEUDONYMS, *sentences.seen(facts)]),
        uses=_items(uses) or NOT_SAID,
        citation=citation.bibtex(params),
    )
    return f"---\n{_yaml(_head(params, facts, tables))}---\n\n{body}"


def _head(params: ReleaseParams, facts: Mapping[str, Any], tables: Iterable[str]) -> dict[str, Any]:
    licence = params.license.lower()
    known = {"license": licence} if licence in LICENCES else _other_licence(params)
    frames = facts["size"]["frames"]
    return {
        **known,
        "pretty_name": params.title,
        "size_categories": [next((name for limit, name in SIZES if frames < limit), LARGEST)],
        "source_datasets": ["original"],
        "tags": list(dict.fromkeys([*TAGS, *params.keywords])),
        "task_categories": _tasks(facts),
        "configs": [{"config_name": name, "data_files": f"tables/{name}.parquet", "default": name == "frames"} for name in tables],
    }


def _other_licence(params: ReleaseParams) -> dict[str, str]:
    return {"license": "other", "license_name": params.license, "license_link": f"https://spdx.org/licenses/{params.license}.html"}


def _tasks(facts: Mapping[str, Any]) -> list[str]:
    labels = facts["labels"]
    there = {
        "image-classification": bool(labels.get("instances")),
        "object-detection": bool(labels.get("boxes")),
        "video-classification": bool(labels.get("phases") or facts["ratings"]),
    }
    return [name for name, is_there in there.items() if is_there]


def _items(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _yaml(head: Mapping[str, Any]) -> str:
    """Return YAML whose values are JSON, which is YAML: no name is read as a date or a number."""
    return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in head.items() if value != [])
