"""The bodies of requests."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..ner.language.question import MAX_CHARACTERS
from ..parser.answering.asking import AskOptions, stated_fields, statement_of

_TURNS = 200
_PLACES = 1000

Text = Annotated[str, Field(max_length=2 * MAX_CHARACTERS)]  # `validated_question` decides, with a better message

Name = Annotated[str, Field(max_length=200)]

Sql = Annotated[str, Field(max_length=20_000)]  # people write no longer queries


class Turned(BaseModel):
    """A turn of a conversation, with further fields for `Conversation.from_json`."""

    model_config = ConfigDict(extra="allow")

    question: Text
    sql: Sql


class Talk(BaseModel):
    """A conversation, as `Conversation.to_json` writes it."""

    version: int
    turns: Annotated[list[Turned], Field(max_length=_TURNS)]


class OnDatabase(BaseModel):
    """A request about one of the databases."""

    model_config = ConfigDict(extra="forbid")

    database: str | None = Field(default=None, description="Its name; needed where several are served.")


def field_of(kind: Any, name: str) -> Any:
    """Return the bounds and the help of an option for pydantic."""
    (stated,) = (statement_of(one) for one in stated_fields(kind) if one.name == name)
    number = kind.__dataclass_fields__[name].type in ("int", "float")
    bounds: dict[str, Any] = {"ge": stated.least, "le": stated.most} if number else {"max_length": stated.most}
    return Field(description=stated.help, **bounds)


_TYPES: Any = {"int": int, "float": float, "bool": bool, "str": Text, "Sequence[str]": list[Name]}
_FIELDS: Any = {
    one.name: (Annotated[_TYPES[str(one.type)], field_of(AskOptions, one.name)], one.default)
    for one in stated_fields(AskOptions)
}
_WithOptions: type[OnDatabase] = create_model("_WithOptions", __base__=OnDatabase, **_FIELDS)


class Asking(_WithOptions):
    """A question, and the options of `AskOptions`."""

    question: Text
    conversation: Talk | None = Field(default=None, description="What was asked before, as an answer came with it.")
    rows: Annotated[int | None, Field(ge=1)] = Field(default=None, description="The most rows that are wanted.")
    explain: bool = Field(default=False, description="Tell how the query came about; takes as long again.")

    @property
    def options(self) -> AskOptions:
        """Return the options of the question."""
        return AskOptions(**{name: getattr(self, name) for name in _FIELDS})


class Begun(OnDatabase):
    """A request about the last turn of a conversation."""

    conversation: Talk
    rows: Annotated[int | None, Field(ge=1)] = None


class Choosing(Begun):
    """Another reading of the last question."""

    place: Annotated[int, Field(ge=0, le=_PLACES, description="From 0.")]
    of: Literal["alternatives", "options"] = "alternatives"


class Correcting(Begun):
    """A user's own query in place of the last answer's."""

    sql: Sql


class Judging(Begun):
    """A verdict on the last answer."""

    verdict: Literal["right", "wrong", "taken back"]


class Validating(OnDatabase):
    """A query to be judged, which is not run."""

    sql: Sql


class Completing(OnDatabase):
    """The beginning of a value that somebody types."""

    text: Annotated[str, Field(max_length=200)]
