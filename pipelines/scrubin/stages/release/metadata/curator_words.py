"""``datasheet.yaml``: what it asks the curator; the curator's own words, checked.

Source: the topics of Gebru et al., Datasheets for Datasets (Communications of the ACM 64(12), 2021), in our own words and for
recordings of operations; the fields of Croissant RAI 1.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from scrubin.audit.expected import dates, private_strings
from scrubin.base import strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import Fault, error, hint
from scrubin.base.params import PARAMS_PATH
from scrubin.base.text import repeated_keys
from scrubin.data.diff import errata
from scrubin.data.diff.errata import Erratum
from scrubin.stages.release.release_params import ReleaseParams

Kind = Literal["text", "list", "yes or no", "years", "codes"]


@dataclass(frozen=True)
class Question:
    """One question.

    Parameters
    ----------
    section, key
        Where the answer stands in ``datasheet.yaml``.
    asks
        The question.
    kind
        What the answer is: text; a list of texts; true or false; first and last year; codes of DUO.
    field
        The field of ``croissant.json`` that takes the answer; "" where only the datasheet does.
    """

    section: str
    key: str
    asks: str
    kind: Kind = "text"
    field: str = ""

    @property
    def name(self) -> str:
        """How messages call it."""
        return f"{self.section}.{self.key}"


SECTIONS = {
    "motivation": "Why it was made",
    "composition": "What is in it",
    "collection": "How it was recorded",
    "labelling": "How it was labelled",
    "preprocessing": "What was done to it",
    "uses": "What it is for",
    "distribution": "How it is given away",
    "maintenance": "How it is kept",
}
"""Headings, by section."""

QUESTIONS = (
    Question("motivation", "purpose", "For what was it made, and what was missing before?"),
    Question("motivation", "behalf", "On whose behalf was it made?"),
    Question("motivation", "funding", "Who paid for it, under which grants?"),
    Question("composition", "instances", "What does one recording show: which operation or exercise, done by whom?"),
    Question("composition", "population", "Of what larger set is it a part, how was it chosen, and how well does it stand for the rest?"),
    Question("composition", "groups", "Which groups of people are in it (age, sex, experience, hand), and how many of each?"),
    Question("composition", "sensitive", "What of it could be sensitive or hard to look at?", "list", "rai:personalSensitiveInformation"),
    Question("composition", "noise", "Which errors, repetitions or weak spots do you know of?"),
    Question("composition", "elsewhere", "Does it need anything that lies elsewhere, and will that stay there?"),
    Question("composition", "derived_from", "Which data sets was it made from, each by name or address?", "list", "prov:wasDerivedFrom"),
    Question("composition", "synthetic", "Is any of it synthetic?", "yes or no", "rai:hasSyntheticData"),
    Question("collection", "process", "How were the recordings made?", field="rai:dataCollection"),
    Question("collection", "types", "Of which kind was that, such as Direct measurement or Experiments?", "list", "rai:dataCollectionType"),
    Question("collection", "raw", "What was there before anything was done to it?", field="rai:dataCollectionRawData"),
    Question("collection", "devices", "With which endoscopes, cameras and recorders?"),
    Question("collection", "people", "Who collected it, and what did they get for it?"),
    Question("collection", "years", "In which years: the first and the last?", "years", "rai:dataCollectionTimeframe"),
    Question("collection", "ethics", "Which board reviewed it, with which result?"),
    Question("collection", "consent", "Who consented to what, and how were they told?"),
    Question("collection", "revocation", "How can somebody take the consent back?"),
    Question("collection", "effects", "Has anybody studied what it can do to those who were recorded?"),
    Question(
        "labelling", "protocol", "Who labelled and rated what, by which rules, with which training?", field="rai:dataAnnotationProtocol"
    ),
    Question("labelling", "platforms", "In which programs or services?", "list", "rai:dataAnnotationPlatform"),
    Question("labelling", "people", "Who were they: profession, experience, country?", "list", "rai:annotatorDemographics"),
    Question("labelling", "tools", "Which programs labelled by themselves, or proposed labels?", "list", "rai:machineAnnotationTools"),
    Question(
        "labelling",
        "analysis",
        "How did labels of several people become one, and what do differences mean?",
        "list",
        "rai:dataAnnotationAnalysis",
    ),
    Question("preprocessing", "before", "What was done to the recordings before they came here?", "list", "rai:dataPreprocessingProtocol"),
    Question("preprocessing", "raw_kept", "Are the raw recordings kept, and who can get them?"),
    Question("uses", "intended", "For which tasks is it good?", "list", "rai:dataUseCases"),
    Question("uses", "unsuitable", "For what should nobody use it?", "list", "rai:dataLimitations"),
    Question("uses", "limitations", "What does it not show, and where will results not hold?", "list", "rai:dataLimitations"),
    Question("uses", "biases", "Who or what occurs more, or less, than in the real world?", "list", "rai:dataBiases"),
    Question(
        "uses", "social_impact", "What good and what harm can come of it, and what was done about the harm?", field="rai:dataSocialImpact"
    ),
    Question("uses", "so_far", "Who has used it, and where are their papers listed?"),
    Question("distribution", "access", "Who gets it: everybody, or whom, after which steps?"),
    Question("distribution", "conditions", "Which conditions of use apply, as codes of DUO such as DUO_0000042?", "codes", "usageInfo"),
    Question("distribution", "rights", "Do others have rights in it, or do export rules apply?"),
    Question(
        "maintenance", "plan", "Who keeps it, how often does it change, and how are changes told?", "list", "rai:dataReleaseMaintenancePlan"
    ),
    Question("maintenance", "older", "What becomes of older versions?"),
    Question("maintenance", "limits", "Is there a day after which it must not be kept?"),
    Question("maintenance", "additions", "How can others report errors or add to it?"),
)

TEMPLATE_HEAD = """\
# What you say of the data set, in your own words, for its datasheet and for catalogues. Everything may stay empty: what is
# empty is listed as not said. Counts, agreement, what was hidden and how it was split need no words: they are measured.
# Names of people and sites, and days, do not belong here. A day is refused, and so is a name that a list of the study holds. Nobody can
# know names that no list holds: leave them out. The last two sections are about the data set, and may say days.
"""
KINDS: dict[Kind, str] = {
    "text": "",
    "list": " A list, such as [one, two].",
    "yes or no": " true or false.",
    "years": " Such as [2021, 2023].",
    "codes": " A list.",
}


def datasheet_template() -> str:
    """Return ``datasheet.yaml`` as a study begins with it: every question, no answer."""
    return TEMPLATE_HEAD + "".join(_sections())


def _sections() -> Iterator[str]:
    for section, heading in SECTIONS.items():
        lines = [f"{one.key}: # {one.asks}{KINDS[one.kind]}" for one in QUESTIONS if one.section == section]
        yield f"\n# {heading}\n{section}:\n" + "".join(f"  {line}\n" for line in lines)


WORDS_NAME = "datasheet.yaml"
CONDITIONS = {
    "DUO_0000004": "no restriction",
    "DUO_0000006": "health or medical or biomedical research",
    "DUO_0000007": "disease specific research",
    "DUO_0000011": "population origins or ancestry research only",
    "DUO_0000012": "research specific restrictions",
    "DUO_0000015": "no general methods research",
    "DUO_0000016": "genetic studies only",
    "DUO_0000018": "not for profit, non commercial use only",
    "DUO_0000019": "publication required",
    "DUO_0000020": "collaboration required",
    "DUO_0000021": "ethics approval required",
    "DUO_0000022": "geographical restriction",
    "DUO_0000024": "publication moratorium",
    "DUO_0000025": "time limit on use",
    "DUO_0000026": "user specific restriction",
    "DUO_0000027": "project specific restriction",
    "DUO_0000028": "institution specific restriction",
    "DUO_0000029": "return to database or resource",
    "DUO_0000042": "general research use",
    "DUO_0000043": "clinical care use",
    "DUO_0000044": "population origins or ancestry research prohibited",
    "DUO_0000045": "not for profit organisation use only",
    "DUO_0000046": "non-commercial use only",
}
"""Codes of the Data Use Ontology (GA4GH), http://purl.obolibrary.org/obo/duo.owl."""

Answer = str | bool | tuple[str, ...]


@dataclass(frozen=True)
class Words:
    """What the curator said: answers by the name of their question; a question without one is not in it."""

    answers: Mapping[str, Answer] = field(default_factory=dict)

    def text(self, name: str) -> str | None:
        """Return an answer as one text, None where there is none."""
        answer = self.answers.get(name)
        return answer if isinstance(answer, str) else None

    def items(self, name: str) -> tuple[str, ...]:
        """Return an answer that is a list; empty where there is none."""
        answer = self.answers.get(name)
        return answer if isinstance(answer, tuple) else ()

    def unsaid(self) -> list[Question]:
        """Return the questions without an answer, in their order."""
        return [one for one in QUESTIONS if one.name not in self.answers]


def load_words(path: Path) -> Words:
    """Return what the curator says in a file.

    Raises
    ------
    ReleaseError
        For a file that cannot be read, a key that stands twice, an unknown key with the near miss, or an answer of another kind.
    """
    try:
        document = strangers.read_yaml(path)
    except (OSError, ValueError) as error:
        msg = f"{path}: it cannot be read ({' '.join(str(error).split())}); correct it, or write {{}} to say nothing"
        raise ReleaseError(msg) from error
    ReleaseError.raise_any(repeated_keys.of_file(path))
    return Words(_answers(path, {} if document is None else document))


def _answers(path: Path, document: Any) -> dict[str, Answer]:
    if not isinstance(document, dict):
        raise ReleaseError(f"{path}: it must hold sections with answers, or {{}}, but is {document!r}")
    wrong, answers = _unknown(path, "", document, list(SECTIONS)), dict[str, Answer]()
    for section in SECTIONS:
        values = document.get(section)
        if values is None:
            continue
        if not isinstance(values, dict):
            with ReleaseError.noted(wrong):
                raise ReleaseError(f"{path}: '{section}' must be a section with answers, but is {values!r}")
            continue
        asked = {one.key: one for one in QUESTIONS if one.section == section}
        wrong += _unknown(path, f"{section}.", values, list(asked))
        for key, question in asked.items():
            if values.get(key) not in (None, "", []):
                with ReleaseError.noted(wrong):
                    answers[question.name] = _answer(path, question, values[key])
    ReleaseError.raise_any(wrong)
    return answers


def _unknown(path: Path, within: str, values: Mapping[Any, Any], known: list[str]) -> list[Fault]:
    """Return a fault for every key that nobody asks for."""
    unknown = [key for key in sorted(map(str, values)) if key not in known]
    return [Fault("", key, f"{path}: nobody asks for '{within}{key}'; {hint(key, known)}", "") for key in unknown]


def _answer(path: Path, question: Question, value: Any) -> Answer:
    if question.kind == "yes or no" and isinstance(value, bool):
        return value
    if question.kind == "text" and isinstance(value, str):
        return " ".join(value.split())
    if question.kind in ("list", "codes"):
        items = [value] if isinstance(value, str) else value
        if isinstance(items, list) and all(isinstance(item, str) and item.strip() for item in items):
            cleaned = tuple(" ".join(item.split()) for item in items)
            return _codes(path, question, cleaned) if question.kind == "codes" else cleaned
    if question.kind == "years" and isinstance(value, list) and _are_years(value):
        return tuple(map(str, value))
    expected = {
        "text": "text",
        "list": "a text or a list of texts",
        "yes or no": "true or false",
        "years": "the first and the last year, such as [2021, 2023]; days do not belong into a release",
        "codes": "a list of codes such as DUO_0000042",
    }[question.kind]
    raise ReleaseError(f"{path}: '{question.name}' must be {expected}, but is {value!r}")


def _codes(path: Path, question: Question, codes: tuple[str, ...]) -> tuple[str, ...]:
    for code in codes:
        if code not in CONDITIONS:
            raise ReleaseError(f"{path}: '{question.name}': {code!r} is no condition of DUO; {hint(code, CONDITIONS)}")
    return codes


def _are_years(value: list[Any]) -> bool:
    if not (len(value) in (1, 2) and all(type(year) is int and 1900 <= year <= 2999 for year in value)):
        return False
    return bool(value == sorted(value))


STATED = ("name", "title", "description")
ERRATUM_SAYS = ("id", "what", "advice")
OF_THE_DATA_SET = ("distribution.", "maintenance.")
"""Sections in which a day is one of the data set, as the one after which it must not be kept."""


@dataclass(frozen=True)
class OwnText:
    """One text that the curator writes for the release.

    Parameters
    ----------
    place, file
        Where it stands.
    text
        Itself.
    in_documents
        Whether only the documents about the release hold it.
    may_say_days
        Whether a day in it is one of the data set, and not of a recording.
    """

    place: str
    file: str
    text: str
    in_documents: bool = True
    may_say_days: bool = False


def own_texts(release: ReleaseParams, words: Words, known: Iterable[Erratum]) -> Iterator[OwnText]:
    """Yield each text that the curator writes for the release.

    Parameters
    ----------
    release
        The section of ``params.yaml``.
    words
        What ``datasheet.yaml`` says.
    known
        The known errors.
    """
    for name in STATED:
        yield OwnText(f"release.{name}", PARAMS_PATH.name, str(getattr(release, name) or ""), in_documents=name != "name")
    if not isinstance(release.review, str):
        yield OwnText("release.review.reason", PARAMS_PATH.name, release.review.reason)
    for keyword in release.keywords:
        yield OwnText("release.keywords", PARAMS_PATH.name, keyword)
    for question, answer in words.answers.items():
        texts = answer if isinstance(answer, tuple) else (str(answer),)
        yield from (OwnText(f"'{question}'", WORDS_NAME, text, may_say_days=question.startswith(OF_THE_DATA_SET)) for text in texts)
    for one in known:
        yield from (OwnText(f"entry {one.id}, '{name}'", errata.NAME, getattr(one, name), in_documents=False) for name in ERRATUM_SAYS)


def days_said(texts: Iterable[OwnText], public_words: Iterable[str] = ()) -> list[Fault]:
    """Return a fault for each of these texts that says a day: no list holds all days on which somebody was recorded or born.

    Parameters
    ----------
    texts
        What the curator writes.
    public_words
        Days among them are harmless.
    """
    faults, public = [], private_strings.days_of(public_words)
    for one in texts:
        said = dates.stated_in(one.text)
        # Where one reading is harmless, so is the day as it is written.
        known = {spelled for _, spelled in said - dates.unlisted(said, public)}
        if not one.may_say_days and (said := frozenset(day for day in said if day[1] not in known)):
            days = " or ".join(sorted({str(day) for day, _ in said}))
            written = sorted({spelled for _, spelled in said})
            what = f"{one.place} says a day ({days}): it may tell of somebody who was recorded"
            fix = (
                f"write the month and the year, or the year alone; list {' and '.join(map(repr, written))} in release.public_words "
                "where it is nobody's day; the day of publication belongs into release.date_published"
            )
            faults.append(error(one.file, "day", what, fix))
    return faults


def refuse_days(release: ReleaseParams, words: Words, known: Iterable[Erratum]) -> None:
    """Refuse days in the curator's own words.

    Raises
    ------
    ReleaseError
        Names each of them.
    """
    ReleaseError.raise_any(days_said(own_texts(release, words, known), release.public_words))
