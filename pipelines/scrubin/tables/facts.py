"""The table ``facts``: what a data set says of whole recordings beside scores; of converted labels only, no release has it."""

from scrubin.tables.declare import Column, Table

FACTS = Table(
    "facts",
    "what a data set says of a recording beside its scores, such as level of skill, duration or subset",
    private=False,
    key=("task", "id", "rater", "fact"),
    columns=(
        Column("id", "str", "", "recording"),
        Column("task", "str", "", "training task or kind of procedure"),
        Column("rater", "str", "", "which rater says so", null="it is said of the recording, by no single rater"),
        Column("fact", "str", "", "what is said, such as skill_level"),
        Column("value", "str", "", "value as text"),
    ),
)
