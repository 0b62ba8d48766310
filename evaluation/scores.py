"""One answer judged against its gold query, and many judgements as one table of scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from statistics import fmean
from typing import Any, ClassVar

_WRONG = 20
"""The number of wrong answers that are kept for a person to read."""


@dataclass(frozen=True)
class Judgement:
    """One answer compared with the gold query; its figures have the names of their means in `Scores`.

    Attributes:
        query: the gold query with its slots, the group of `Scores.em_by_query`.
        refused: whether there is no query, or the parser would rather say that there is no answer.
        runs: whether the answer runs; None without a database.
        late: whether it was stopped at the database's time limit; None without a database.
        execution: whether its rows are the gold query's; None where the gold query does not run.
        empty_gold: whether the gold query returns no rows; None where it does not run.
        unheard: whether a language model gave no reply; None for a parser.
        tokens: how many a language model read and wrote; None if they are not counted.
        seconds_each: from question to answer; None if they were not measured one by one.
    """

    id: str
    question: str
    gold: str
    got: str
    query: str
    em: bool
    jaccard: float
    validity: bool
    refused: bool = False
    runs: bool | None = None
    late: bool | None = None
    execution: bool | None = None
    empty_gold: bool | None = None
    unheard: bool | None = None
    tokens: int | None = None
    seconds_each: float | None = None


def _figure(title: str, default: float | None = None) -> Any:
    """Return a field of a figure with its title."""
    return field(default=default, metadata={"title": title})


@dataclass(frozen=True)
class Scores:
    """The scores of a parser on one part of a domain; shares are 0 to 1, None is «cannot be measured».

    Attributes:
        part: ``train``, ``dev`` or ``test``.
        split: ``question`` or ``query``.
        values: whether the gold values were given, or the parser's own finder used.
        beam: hypotheses of the parser's search; None without a parser.
        em: exact match of the words of normal forms, values filled in; em_by_query is averaged over the gold queries.
        validity: share of answers that sqlglot parses under the dialect.
        execution: share with the gold query's rows, among questions whose gold query runs.
        table_f1, column_f1, function_f1: label-wise F1 of the classifiers.
        inside_global: share of questions with every gold word inside the hard global constraint.
        wrong: the first wrong answers, for a person to read: id, question, gold, got.
    """

    TITLES: ClassVar[Mapping[str, str]]
    """The titles of the figures."""

    part: str
    split: str
    values: str
    beam: int | None
    n: int = _figure("questions", 0)
    em: float = _figure("exact match", 0.0)
    em_by_query: float = _figure("exact match by query", 0.0)
    jaccard: float = _figure("Jaccard similarity", 0.0)
    validity: float = _figure("validity", 0.0)
    runs: float | None = _figure("queries that run")
    late: float | None = _figure("stopped at the time limit")
    execution: float | None = _figure("execution accuracy")
    execution_filled: float | None = _figure("… where gold returns rows")
    empty_gold: float | None = _figure("share of gold without rows")
    refused: float = _figure("would rather not answer", 0.0)
    unheard: float | None = _figure("the language model failed")
    table_f1: float | None = _figure("table classifier, F1")
    function_f1: float | None = _figure("function classifier, F1")
    column_f1: float | None = _figure("column classifier, F1")
    all_values_found: float | None = _figure("every value of the query found")
    inside_global: float | None = _figure("gold inside the hard global constraint")
    share_left: float | None = _figure("share of the vocabulary left")
    tokens: float | None = _figure("tokens a question")
    seconds_each: float | None = _figure("seconds a question")
    seconds: float = _figure("seconds", 0.0)
    wrong: tuple[Mapping[str, str], ...] = ()

    @classmethod
    def of(cls, judged: Sequence[Judgement], **others: Any) -> Scores:
        """Average the judgements; ``others`` are the fields that they do not have."""
        by_query: defaultdict[str, list[bool]] = defaultdict(list)
        for one in judged:
            by_query[one.query].append(one.em)
        wrong = [j for j in judged if not j.em][:_WRONG]
        return cls(
            n=len(judged),
            **{name: mean(getattr(j, name) for j in judged) for name in _MEANS},
            em_by_query=mean(map(fmean, by_query.values())) or 0.0,
            execution_filled=mean(j.execution for j in judged if j.empty_gold is False),
            wrong=tuple({name: getattr(j, name) for name in ("id", "question", "gold", "got")} for j in wrong),
            **others,
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain dicts and lists."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Scores:
        """Build the scores that `to_json` wrote; figures of older versions are left out."""
        known: dict[str, Any] = {one.name: data[one.name] for one in fields(cls) if one.name in data}
        known["wrong"] = tuple(data["wrong"])
        return cls(**known)


Scores.TITLES = {one.name: one.metadata["title"] for one in fields(Scores) if one.metadata}
_MEANS = [one.name for one in fields(Judgement) if one.name in Scores.TITLES]
"""The figures that are means of all judgements."""


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of what is not None, None if nothing is left."""
    known = [float(v) for v in values if v is not None]
    return fmean(known) if known else None
