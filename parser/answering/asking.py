"""The options of connections and questions: each is declared once, with its help, default and bounds.

`querent.connect`, `Connection.ask`, the command line, HTTP and the tools of MCP derive their options from these fields.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field, fields
from datetime import datetime
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...data.errors import InputError, did_you_mean
from ...data.languages import LANGUAGES

if TYPE_CHECKING:
    from ...grammar import Access
    from ..network.saved import Loaded


_Call = TypeVar("_Call", bound=Callable[..., Any])


@dataclass(frozen=True)
class Stated:
    """The description of an option, for all interfaces that offer it.

    Attributes:
        help: a sentence that says what the option does.
        flag: its name on the command line; if empty, ``--`` and the field's name.
        metavar: the placeholder of its value on the command line.
        least, most: the bounds of a number; ``most`` bounds the length of a list or text.
        unset: the default, in words.
        kind: its type on the command line, if that is narrower than the field's; a list that is one text there has
            commas.
        only: ``parser`` or ``model``, if the other one ignores the option.
        panel: the heading under which the command line lists it.
    """

    help: str
    flag: str = ""
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    unset: str | None = None
    kind: Any = None
    only: str = ""
    panel: str | None = None


def stated(default: Any, help: str, **more: Any) -> Any:
    """Return a dataclass field that is an option; further arguments are the attributes of `Stated`."""
    return field(default=default, metadata={"stated": Stated(help, **more)})


def statement_of(one: Field[Any]) -> Stated:
    """Return the description of a field that is an option."""
    return one.metadata["stated"]


def stated_fields(kind: Any) -> list[Field[Any]]:
    """Return the fields of a dataclass that are options; only programs can set its other fields."""
    return [option for option in fields(kind) if "stated" in option.metadata]


def check_bounds(options: Any) -> None:
    """Check the numbers of options against the bounds of their fields.

    Raises:
        InputError: a number is out of bounds.
    """
    for option in stated_fields(options):
        value, bounds = getattr(options, option.name), statement_of(option)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            continue
        if bounds.least is not None and value < bounds.least:
            raise InputError(f"{value} is less than {bounds.least}", field=option.name)
        if bounds.most is not None and value > bounds.most:
            raise InputError(f"{value} is more than {bounds.most}", field=option.name)


@dataclass(frozen=True)
class AskOptions:
    """The options of one question."""

    beam: int = stated(
        4, "Width of the beam search; 1 is greedy, without alternatives.", least=1, most=16, only="parser"
    )
    evidence: str = stated(
        "",
        "Formulas for this question alone: long refers to distance > 100; gain = fare - cost.",
        metavar="TEXT",
        unset="none",
        only="parser",
    )
    tables: Sequence[str] = stated(
        (),
        "Read only these tables; a language model sees no others.",
        metavar="A,B",
        kind=str,
        unset="all; of hundreds the likeliest ones",
        most=50,
    )

    def __post_init__(self) -> None:
        if isinstance(self.tables, str):
            problem, hint = "a text where a list of names is due", f"give [{self.tables!r}]"
            raise InputError(problem, field="tables", hint=hint)
        check_bounds(self)


USUAL = AskOptions()
"""The default options of a question."""

_SOLVED = "Solved questions"


@dataclass(frozen=True)
class ConnectOptions:
    """The options of a connection, which also parse the texts of the command line.

    Attributes:
        hidden: questions among the examples that no prompt may contain, such as those of a test.
        wait: whether to wait for the value index of a large database. If not, another process builds it, and until then
            the values of some rows alone are known, as `Answer.notes` then tell.
    """

    parser: str | Path | Loaded | None = stated(
        None,
        "A run folder (its best parser answers), or the folder of a saved parser.",
        metavar="RUN",
        unset="the shipped one",
        kind=Path | None,
        only="parser",
    )
    language: str | None = stated(
        None, "Language of the questions.", metavar="en|zh", unset="each question's own, or that of the domain"
    )
    level: str | None = stated(
        "runs",
        "What the local constraint promises: scope (a query parses, ends in its budget, and its names resolve), types "
        "(also: its types fit), runs (also: it executes), or nothing (off).",
        metavar="off|scope|types|runs",
        only="parser",
    )
    now: datetime | str | None = stated(
        None,
        "The moment that «yesterday» and «the last 8 hours» start from: 2024-03-31T08:00, or clock for the real one.",
        metavar="TIME",
        unset="that of the description, or of the parser's domain",
        kind=str | None,
        only="parser",
    )
    timeout: float = stated(5.0, "Seconds that all queries of an answer may take.", metavar="SECONDS", least=0.01)
    access: Access | str | Path | None = stated(
        None,
        "A TOML file of what may be read: whole tables under «tables», columns of others under «columns». No query "
        "reads anything else, and no answer or explanation names it.",
        metavar="FILE",
        unset="everything",
        kind=Path | None,
    )
    description: str | Path | None = stated(
        None,
        "The data dictionary, a TOML file: names in words, semantic types, keys, hidden columns, the clock. "
        "`querent describe --write` writes one to start from.",
        metavar="FILE",
        unset="as read from the database",
        kind=Path | None,
        only="parser",
    )
    feedback: str | Path | None = stated(
        None,
        "A .jsonl file that keeps verdicts, choices and corrections of answers. Later questions with this option use "
        "them at once.",
        metavar="FILE",
        unset="none",
        kind=Path | None,
        only="parser",
    )
    knowledge: str | Path | Sequence[str | Path] = stated(
        (),
        "Formulas that questions may name (EBIT = revenue - costs): a file, a folder with a knowledge.toml, or a "
        "shipped bank (finance). It may be given several times.",
        metavar="FILE|BANK",
        unset="none",
        kind=list[str] | None,
    )
    examples: str | Path | None = stated(
        None,
        "Solved questions: a domain, or a .jsonl file with question and sql on each line. If one is like the new "
        "question, the parser writes its query with the new values; a language model gets the most similar ones.",
        metavar="DOMAIN|FILE",
        unset="none",
        kind=str | None,
        panel=_SOLVED,
    )
    retriever: str | None = stated(
        None,
        "The bi-encoder that finds similar ones; `querent train-retriever` trains one on your own questions.",
        metavar="e5|FOLDER",
        unset="e5",
        panel=_SOLVED,
    )
    schema_retriever: str | Path | None = stated(
        None,
        "The retriever that finds the tables in a large database, a file of `querent train-retriever --schema`.",
        metavar="FILE",
        unset="the shipped one",
        kind=Path | None,
    )
    hidden: Sequence[str] = ()
    wait: bool = False

    def __post_init__(self) -> None:
        level = None if self.level == "off" else self.level
        read: dict[str, Any] = {"level": level, "knowledge": self.knowledge or (), "now": _moment(self.now)}
        if isinstance(self.access, (str, Path)):
            from ...grammar import Access

            read["access"] = Access.read(Path(self.access))
        for name, value in read.items():
            object.__setattr__(self, name, value)
        check_bounds(self)
        self._check_level()
        if self.language not in (None, *LANGUAGES):
            hint = (
                did_you_mean(self.language, LANGUAGES) or f"use {' or '.join(LANGUAGES)}, or give a parser of your own"
            )
            raise InputError(f"no shipped network for the language {self.language!r}", field="language", hint=hint)
        if self.feedback is not None and Path(self.feedback).suffix != ".jsonl":
            hint = "feedback.jsonl; it need not be there"
            raise InputError(f"{str(self.feedback)!r} is no .jsonl file", field="feedback", hint=hint)

    def _check_level(self) -> None:
        """Refuse an unknown level of the local constraint, and no constraint where queries are held to it."""
        from ...grammar import LEVELS

        if self.level not in (None, *LEVELS):
            hint = did_you_mean(str(self.level), LEVELS) or f"use {', '.join(LEVELS)}"
            raise InputError(f"no level {self.level!r}", field="level", hint=hint)
        held = {"access": self.access, "solved questions": self.examples or self.feedback, "formulas": self.knowledge}
        if self.level is None and (named := [name for name, given in held.items() if given]):
            hint = "names and queries are held to it from scope on"
            raise InputError(f"{named[0]} without a constraint", field="level", hint=hint)

    @property
    def role(self) -> Access | None:
        """Return the access rights, None if all may be read."""
        assert not isinstance(self.access, (str, Path))  # it was read above
        return self.access

    @property
    def clock(self) -> datetime | None:
        """Return the time that «yesterday» is relative to, None to use that of the description or the system."""
        assert not isinstance(self.now, str)  # it was read above
        return self.now


def _moment(now: datetime | str | None) -> datetime | None:
    if not isinstance(now, str):
        return now
    try:
        return datetime.now().replace(microsecond=0) if now == "clock" else datetime.fromisoformat(now)
    except ValueError as error:
        raise InputError(f"{now!r} is no moment", field="now", hint="write 2024-03-31T08:00, or clock") from error


def with_options(kind: type[Any]) -> Callable[[_Call], _Call]:
    """Return a decorator that adds the fields of a dataclass to a function's signature and docstring."""

    def decorate(call: _Call) -> _Call:
        own = [option for option in signature(call).parameters.values() if option.kind is not Parameter.VAR_KEYWORD]
        more = [
            Parameter(option.name, Parameter.KEYWORD_ONLY, default=option.default, annotation=option.type)
            for option in fields(kind)
        ]
        call.__dict__["__signature__"] = signature(call).replace(parameters=[*own, *more])
        lines = [f"{option.name}: {statement_of(option).help}" for option in stated_fields(kind)]
        call.__doc__ = f"{call.__doc__}\nFurther arguments are those of `{kind.__name__}`.\n\n" + "\n".join(lines)
        return call

    return decorate
