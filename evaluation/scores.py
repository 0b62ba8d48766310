"""One answer judged against its gold query, and many judgements as one table of scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from statistics import fmean
from typing import Any, ClassVar

__all__ = ["LENGTHS", "Judgement", "Scores", "Wrong", "length_bin", "mean"]

LENGTHS = (10, 20, 30, 40, 60, 80, 120)
"""Upper ends of the bins of query length, in words."""

WRONG = 20
"""Wrong answers that are kept for a person to read."""


@dataclass(frozen=True)
class Judgement:
    """How one answer compares with the gold query.

    Attributes:
        query: the gold query with its slots, the group of `Scores.em_by_query`.
        length: words of the gold query.
        features: what SQL the gold query uses.
        refused: whether there is no query, or the parser would rather say that there is no answer.
        runs: whether the answer runs; None without a database.
        late: whether it was stopped at the database's time limit; None without a database.
        execution: whether its rows are the gold query's; None where the gold query does not run.
        empty: whether the gold query returns no rows; None where it does not run.
        unheard: whether a language model gave no answer at all; None where none can be asked.
        tokens: that a language model read and wrote; None where nobody counts.
        seconds: from question to answer; None where they were not taken one by one.
    """

    id: str
    question: str
    gold: str
    got: str
    query: str
    length: int
    features: frozenset[str]
    exact: bool
    jaccard: float
    valid: bool
    refused: bool = False
    runs: bool | None = None
    late: bool | None = None
    execution: bool | None = None
    empty: bool | None = None
    unheard: bool | None = None
    tokens: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Wrong:
    """A wrong answer, kept for a person to read."""

    id: str
    question: str
    gold: str
    got: str


@dataclass(frozen=True)
class Scores:
    """What a parser reaches on one part of a domain; shares are 0 to 1, None is «cannot be measured».

    Attributes:
        part: ``train``, ``dev`` or ``test``.
        split: ``question`` or ``query``.
        values: whether the gold values were given, or the parser's own finder used.
        beam: hypotheses of the parser's search; None without a parser.
        em: exact match of the words of normal forms, values filled in.
        em_by_query: exact match averaged over the distinct gold queries.
        jaccard: mean Jaccard similarity of the token sets.
        validity: share of answers that sqlglot parses under the dialect.
        runs: share of answers that run.
        late: share of answers that were stopped at the time limit, which do not count as running.
        execution: share with the gold query's rows, among questions whose gold query runs.
        execution_filled: the same where the gold query returns at least one row.
        empty_gold: share of gold queries that return no row, among those that run.
        refused: share without a query, or that the parser would rather not answer.
        unheard: share that a language model gave no answer to.
        tokens: that a language model read and wrote, a question.
        seconds_each: from question to answer.
        seconds: of all questions.
        all_values_found: share of questions with every value of the gold query among those found.
        table_f1, column_f1, function_f1: label-wise F1 of the classifiers.
        inside_global: share of questions with every gold word inside the hard global constraint.
        share_left: share of the vocabulary that it leaves, on average.
        by_feature: exact match and execution for each feature of the gold SQL.
        by_length: the same for each bin of gold length.
    """

    TITLES: ClassVar[Mapping[str, str]] = {
        "n": "questions",
        "em": "exact match",
        "em_by_query": "exact match by query",
        "jaccard": "Jaccard similarity",
        "validity": "validity",
        "runs": "queries that run",
        "late": "stopped at the time limit",
        "execution": "execution accuracy",
        "execution_filled": "… where gold returns rows",
        "empty_gold": "share of gold without rows",
        "refused": "would rather not answer",
        "unheard": "the language model failed",
        "table_f1": "table classifier, F1",
        "function_f1": "function classifier, F1",
        "column_f1": "column classifier, F1",
        "all_values_found": "every value of the query found",
        "inside_global": "gold inside the hard global constraint",
        "share_left": "share of the vocabulary left",
        "tokens": "tokens a question",
        "seconds_each": "seconds a question",
        "seconds": "seconds",
    }
    """What people call the figures."""

    part: str
    split: str
    values: str
    beam: int | None
    n: int
    em: float
    em_by_query: float
    jaccard: float
    validity: float
    runs: float | None = None
    late: float | None = None
    execution: float | None = None
    execution_filled: float | None = None
    empty_gold: float | None = None
    refused: float = 0.0
    unheard: float | None = None
    tokens: float | None = None
    seconds_each: float | None = None
    all_values_found: float | None = None
    table_f1: float | None = None
    column_f1: float | None = None
    function_f1: float | None = None
    inside_global: float | None = None
    share_left: float | None = None
    seconds: float = 0.0
    by_feature: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    by_length: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    wrong: tuple[Wrong, ...] = ()

    @classmethod
    def of(cls, judged: Sequence[Judgement], **others: Any) -> Scores:
        """Average the judgements; ``others`` are the fields that they do not tell."""
        return cls(
            n=len(judged),
            em=mean(j.exact for j in judged) or 0.0,
            em_by_query=_by_query(judged),
            jaccard=mean(j.jaccard for j in judged) or 0.0,
            validity=mean(j.valid for j in judged) or 0.0,
            runs=mean(j.runs for j in judged),
            late=mean(j.late for j in judged),
            execution=mean(j.execution for j in judged),
            execution_filled=mean(j.execution for j in judged if j.empty is False),
            empty_gold=mean(j.empty for j in judged),
            refused=mean(j.refused for j in judged) or 0.0,
            unheard=mean(j.unheard for j in judged),
            tokens=mean(j.tokens for j in judged),
            seconds_each=mean(j.seconds for j in judged),
            by_feature=_groups(judged, lambda j: sorted(j.features) or ["plain"]),
            by_length=_groups(judged, lambda j: [length_bin(j.length)]),
            wrong=tuple(Wrong(j.id, j.question, j.gold, j.got) for j in judged if not j.exact)[:WRONG],
            **others,
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain dicts and lists."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Scores:
        """Build the scores that `to_json` wrote; a figure of an older version that is taken no more is left out."""
        known: dict[str, Any] = {one.name: data[one.name] for one in fields(cls) if one.name in data}
        known["wrong"] = tuple(Wrong(**w) for w in data["wrong"])
        return cls(**known)


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of what is not None, None if nothing is left."""
    known = [float(v) for v in values if v is not None]
    return fmean(known) if known else None


def length_bin(words: int) -> str:
    """Return the name of the bin that a query of ``words`` words falls in."""
    low = 1
    for high in LENGTHS:
        if words <= high:
            return f"{low}-{high}"
        low = high + 1
    return f"{low}+"


def _by_query(judged: Sequence[Judgement]) -> float:
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for j in judged:
        groups[j.query].append(j.exact)
    return mean(fmean(group) for group in groups.values()) or 0.0


def _groups(judged: Sequence[Judgement], names: Callable[[Judgement], list[str]]) -> dict[str, dict[str, Any]]:
    groups: defaultdict[str, list[Judgement]] = defaultdict(list)
    for j in judged:
        for name in names(j):
            groups[name].append(j)
    order = sorted(groups, key=lambda name: (int(name.rstrip("+").split("-")[0]) if name[0].isdigit() else 0, name))
    return {
        name: {
            "n": len(groups[name]),
            "em": mean(j.exact for j in groups[name]),
            "execution": mean(j.execution for j in groups[name]),
        }
        for name in order
    }
