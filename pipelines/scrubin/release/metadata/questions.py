"""What a datasheet asks the curator: the questions of ``datasheet.yaml``, and where each answer goes.

Source: the topics of Gebru et al., Datasheets for Datasets (Communications of the ACM 64(12), 2021), in our own words and for
recordings of operations; the fields of Croissant RAI 1.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

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
# Names of people, sites and days do not belong here. The audit refuses the release when it finds one.
"""
KINDS: dict[Kind, str] = {
    "text": "",
    "list": " A list, such as [one, two].",
    "yes or no": " true or false.",
    "years": " Such as [2021, 2023].",
    "codes": " A list.",
}


def template() -> str:
    """Return ``datasheet.yaml`` as a study begins with it: every question, no answer."""
    return TEMPLATE_HEAD + "".join(_sections())


def _sections() -> Iterator[str]:
    for section, heading in SECTIONS.items():
        lines = [f"{one.key}: # {one.asks}{KINDS[one.kind]}" for one in QUESTIONS if one.section == section]
        yield f"\n# {heading}\n{section}:\n" + "".join(f"  {line}\n" for line in lines)
