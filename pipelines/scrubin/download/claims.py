"""Who says which bytes a file should have; where two say otherwise, the files that are there show who is right."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from scrubin.core.faults import Fault, error
from scrubin.download.marks import SUMS

FEW = 5
"""So many contradictions, and not more than a tenth of a list, are single lines that somebody changed; more are another version."""


@dataclass
class Claims:
    """What is said of the files.

    Parameters
    ----------
    sha256
        By source, then by name; the source that counts most comes first.
    sizes
        Bytes by name.
    lines
        Of ``SHA256SUMS``: number of the line of a name.
    complete
        Sources that list all files: a name that such a one lacks is no file of its version.
    later
        Names that no complete list but the first has to have.
    """

    sha256: Mapping[str, Mapping[str, str]]
    sizes: Mapping[str, int]
    lines: Mapping[str, int]
    complete: tuple[str, ...]
    later: frozenset[str]


@dataclass
class Verdict:
    """What the files should be.

    Parameters
    ----------
    sha256
        By name; "" where nobody says it.
    faults
        Sources that are of another version, or were changed.
    """

    sha256: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def judge(claims: Claims, actual: Mapping[str, str], there: Collection[str]) -> Verdict:
    """Return what the files should be.

    Parameters
    ----------
    claims
        What is said.
    actual
        SHA-256 of the files that were read.
    there
        Names of the files that are there.
    """
    verdict = Verdict()
    said: dict[str, dict[str, str]] = defaultdict(dict)
    for source, of_source in claims.sha256.items():
        for name, sha256 in of_source.items():
            said[name][source] = sha256
    disputed = {name: of_name for name, of_name in said.items() if len(set(of_name.values())) > 1}
    trust, wrong = _trust(disputed, actual)
    for name, of_name in sorted(said.items()):
        verdict.sha256[name] = next(iter(of_name.values()))
        if name not in disputed:
            continue
        right = [source for source, sha256 in of_name.items() if sha256 == actual.get(name)]
        best = right[0] if right else max(of_name, key=lambda source: trust[source])
        verdict.sha256[name] = of_name[best]
        if not right:  # nobody is right, or nobody has read the file: whoever was wrong elsewhere is
            for source, sha256 in of_name.items():
                if sha256 != of_name[best] and trust[source] < trust[best]:
                    wrong[source].append(name)
    for source in claims.sha256:
        _judge_names(source, claims, trust, there, verdict)
    for source, names in sorted(wrong.items()):
        verdict.faults += _contradictions(source, sorted(names), claims)
    return verdict


def _trust(disputed: Mapping[str, Mapping[str, str]], actual: Mapping[str, str]) -> tuple[Counter[str], dict[str, list[str]]]:
    """Return how often each source was right rather than wrong about a file that was read, and where it was wrong."""
    trust, wrong = Counter[str](), defaultdict(list)
    for name, of_name in disputed.items():
        right = {source for source, sha256 in of_name.items() if sha256 == actual.get(name)}
        trust.update(right)
        if right:
            trust.subtract(of_name.keys() - right)
            for source in of_name.keys() - right:
                wrong[source].append(name)
    return trust, wrong


def _judge_names(source: str, claims: Claims, trust: Mapping[str, int], there: Collection[str], verdict: Verdict) -> None:
    """Leave out what only a list of another version says; note the names that a list lacks."""
    others = [one for one in claims.complete if one != source and claims.sha256.get(one)]
    if source not in claims.complete or not others:
        return
    own = claims.sha256[source]
    if trust[source] < 0:
        for name in own:
            if not any(name in of_other for other, of_other in claims.sha256.items() if other != source):
                if name in there or name in claims.later:
                    verdict.sha256[name] = ""
                else:
                    del verdict.sha256[name]
    lacking = sorted({name for other in others for name in claims.sha256[other] if name not in own and name in there})
    lacking = [name for name in lacking if name not in claims.later or source == next(iter(claims.sha256))]
    if lacking:
        more = f" and {len(lacking) - 1:,} more" if len(lacking) > 1 else ""
        what = f"it lacks {lacking[0]}{more}, which {others[0]} has: it was cut off or changed, or is of another version"
        verdict.faults.append(error(source, "lacking", what, "get this list again, of the same version"))


def _contradictions(source: str, names: list[str], claims: Claims) -> Iterator[Fault]:
    others = sorted(one for one, of_source in claims.sha256.items() if one != source and any(name in of_source for name in names))
    by = f"{' and '.join(others)} and the file itself say otherwise" if others else "the file itself says otherwise"
    if len(names) > FEW or 10 * len(names) > len(claims.sha256[source]) + 9:
        what = (
            f"its SHA-256 of {len(names):,} files, such as {names[0]}, is not that of {' and '.join(others)}: it belongs to another version"
        )
        yield error(source, "version", what, "get this file again, of the version that the others have")
        return
    for name in names:
        place = f"line {claims.lines[name]}" if source == SUMS and name in claims.lines else ""
        yield error(source, "line", f"the SHA-256 of {name} is not the released one: {by}", "get this file again", place=place)
