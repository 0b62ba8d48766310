"""What could be answered to a question: the choice among its n best queries, and what speaks for each answer.

Queries with the same rows are one answer, and their probabilities add up (Li et al. 2022, AlphaCode, cluster programs
so); the reranker orders the answers. All queries have one time limit together. A query that the database does not
answer at present, or not in time, may be the right one: it keeps its place, and no quicker one takes it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...classifiers.heads import unanswerable
from ...classifiers.named_features import Reranker, logit
from ...data.databases.database import Database
from ...data.databases.rows import Rows, comparable
from ...data.errors import DatabaseError, UnavailableError, UnknownNameError
from ...encoders.text_vectors import TextVectors
from ...knowledge.linked_formulas import FormulaLinker, LinkedFormula, read_evidence
from ...meaning.profile import DatabaseProfile
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ..decoding.candidates import Candidate
from ..decoding.expansions.column_meanings import counted
from ..decoding.parsing import Parse
from ..reader.context import DatabaseContext
from ..reader.formula_items import FormulaItems, formula_linker, offered
from ..reader.virtual_columns import VirtualColumn, virtual_columns
from .unlinked import Unlinked

__all__ = ["Choice", "KnowledgeLinker", "LinkedKnowledge", "RankedAnswers", "choose"]


@dataclass(frozen=True)
class Choice:
    """One answer to a question.

    Attributes:
        candidate: the likeliest query of those with these rows.
        rows: what it returns, None where the database refused it or took too long, and where it was not run.
        problem: what the database said then; None where it was not run.
        probability: of all queries with these rows, among all that the network could have written.
        features: those of the reranker.
        weight: what it gives; orders the choices. 0 where the query itself fails, whenever it is run.
        share: of all choices' weights.
    """

    candidate: Candidate
    rows: Rows | None
    problem: str | None
    probability: float
    features: Mapping[str, float]
    weight: float
    share: float = 0.0


def choose(
    candidates: Sequence[Candidate],
    database: Database | None,
    reranker: Reranker | None = None,
    *,
    names_hold: bool = False,
    is_sure: Callable[[list[Choice]], bool] = lambda _: False,
) -> list[Choice]:
    """Run queries, reading only, and return the different answers, the best first.

    Args:
        candidates: the likeliest first.
        database: without it each query is an answer, and none is tried out.
        reranker: None is the one that ships.
        names_hold: were the queries written by a schema that the database had? Then a name that it does not have is
            gone by now, and no fault of the query.
        is_sure: asked of the choices where queries are slow, with those not run yet as answers of their own: does the
            best need no more support? Then these are not run, unless they could put another one first.
    """
    weigher, found = reranker or Reranker.shipped(), list[Choice]()
    tries = [_Tried(candidate) for candidate in candidates]
    with nullcontext() if database is None else database.one_limit():
        for place, candidate in enumerate(candidates):
            tries[place] = _run(candidate, database, names_hold=names_hold)
            found = _ordered(tries, weigher)
            left = sum(math.exp(one.score) for one in candidates[place + 1 :])
            if database is None or not left or not _is_settled(found, left, weigher):
                continue
            if found[0].problem is not None or (database.is_slow and is_sure(found)):
                break
    return found


def _ordered(tries: Sequence[_Tried], reranker: Reranker) -> list[Choice]:
    """Return the different answers, the best first."""
    merged: dict[object, list[_Tried]] = {}
    for one in tries:
        merged.setdefault(one.key, []).append(one)
    found = [_choice(some, reranker) for some in merged.values()]
    total = sum(choice.weight for choice in found) or 1.0
    ordered = sorted(found, key=lambda choice: -choice.weight)
    return [replace(choice, share=choice.weight / total) for choice in ordered]


def _is_settled(found: Sequence[Choice], left: float, reranker: Reranker) -> bool:
    """Say whether the best was run and stays the best, even if all that were not run support the same other answer.

    Args:
        left: the probability of those queries together.
    """
    most = (
        {**one.features, "log probability": math.log(left + one.probability * (one.rows is not None))}
        for one in found[1:]
        if one.rows is not None or one.problem is None
    )
    best, was_run = found[0], found[0].rows is not None or found[0].problem is not None
    return was_run and best.weight > 0 and all(reranker.weight(features) <= best.weight for features in most)


@dataclass(frozen=True)
class _Tried:
    candidate: Candidate
    rows: Rows | None = None
    problem: str | None = None
    fails: bool = False

    @cached_property
    def key(self) -> object:
        """Return what two queries with one answer have in common, whatever the order of its columns."""
        if self.rows is None:
            return self.candidate.sql
        rows = [tuple(map(comparable, row)) for row in self.rows.rows]
        together = Counter(tuple(sorted(row, key=repr)) for row in rows)
        columns = Counter(frozenset(Counter(column).items()) for column in zip(*rows, strict=True))
        return len(self.rows.columns), frozenset(together.items()), frozenset(columns.items())

    @property
    def empty(self) -> bool:
        """Say whether it was run and nothing comes back, or NULLs alone."""
        return self.rows is not None and not any(cell is not None for row in self.rows.rows for cell in row)


def _run(candidate: Candidate, database: Database | None, *, names_hold: bool) -> _Tried:
    if database is None:
        return _Tried(candidate)
    try:
        return _Tried(candidate, database.query(candidate.sql, constrained=candidate.chosen))
    except DatabaseError as error:
        kept = isinstance(error, UnavailableError) or (names_hold and isinstance(error, UnknownNameError))
        problem = error.unplaced.removeprefix(f"{database.name}: ")  # where a server is, is for whoever connects
        return _Tried(candidate, None, problem, fails=not kept)


def _choice(some: Sequence[_Tried], reranker: Reranker) -> Choice:
    """Return the answer of queries with the same rows, the likeliest first."""
    best = some[0]
    probability = sum(math.exp(one.candidate.score) for one in some)
    features = {
        "log probability": math.log(max(probability, 1e-30)),
        "no rows": float(best.empty),
        "values left out": best.candidate.left_out,
        "items left out": best.candidate.unused,
        "query before": float(best.candidate.repeats),
    }
    weight = 0.0 if best.fails else reranker.weight(features)
    return Choice(best.candidate, best.rows, best.problem, probability, features, weight)


_SURE = ("exact", "folded", "stem")


@dataclass(frozen=True)
class LinkedKnowledge:
    """What a question needs.

    Attributes:
        formulas: that it names, grounded or not, in its order.
        values: that it names, without what went into a formula; the constants of the database are none of them.
        unread: pieces of its evidence that are no formulas, each with the reason.
        lost: those of them whose right side could not be read.
        virtual: columns that it gives reason for, and the database has not.
    """

    formulas: tuple[LinkedFormula, ...] = ()
    values: tuple[FoundValue, ...] = ()
    unread: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    virtual: tuple[VirtualColumn, ...] = ()

    def offered(self, context: DatabaseContext) -> FormulaItems | None:
        """Return a database with what of it is grounded there, see `offered`."""
        return offered(context, self.formulas, virtual=self.virtual)


class KnowledgeLinker:
    """Finds out what questions on one database need.

    Args:
        context: of the database.
        vectors: of the encoder that grounds.
        knowledge: finds the formulas of banks; None without any.
    """

    def __init__(self, context: DatabaseContext, vectors: TextVectors, knowledge: FormulaLinker | None) -> None:
        self._context = context
        self._vectors = vectors
        self._knowledge = knowledge

    def of(self, question: QuestionText, values: Sequence[FoundValue], evidence: str) -> LinkedKnowledge:
        """Return what a question needs.

        Args:
            values: that it names.
            evidence: formulas for it alone, which go before others of the same words.
        """
        named = self._knowledge.find(question) if self._knowledge else []
        named = [one for one in named if not _within(one, values)]
        read = read_evidence(evidence)
        if read.bank.formulas:
            own = formula_linker(read.bank, self._context, self._vectors).find(question)
            named = [one for one in named if not any(one.mention.overlaps(other.mention) for other in own)]
            named = sorted([*named, *own], key=lambda one: one.mention.start)
        taken = [(one.mention.start, one.mention.end) for one in named]
        virtual = tuple(virtual_columns(self._context, question, values, taken))
        return LinkedKnowledge(tuple(named), tuple(values), read.unread, read.lost, virtual)


def _within(one: LinkedFormula, values: Sequence[FoundValue]) -> bool:
    """Is the name of a formula only a part of a longer cell of the database? «Winter Games» name no season."""
    start, end = one.mention.start, one.mention.end
    longer = (v for v in values if v.kind == "cell" and v.how in _SURE and v.end - v.start > end - start)
    return any(v.start <= start and end <= v.end for v in longer)


_NEARLY = 0.25
"""What another answer weighs beside the best, at the least, to be nearly as likely."""

_OTHER_WORDS = ("meaning", "typo")


@dataclass(frozen=True)
class RankedAnswers:
    """What could be answered to a question.

    Attributes:
        parse: what the parser made of it.
        choices: the different answers, the best first.
        unlinked: words of the question that nothing in the database accounts for.
        linked: formulas that the question names, and the values that it was parsed with.
        evidence: was there any? Then a query with a formula answers what was asked.
    """

    parse: Parse
    choices: Sequence[Choice]
    unlinked: Unlinked
    linked: LinkedKnowledge = field(default_factory=LinkedKnowledge)
    evidence: bool = False

    @property
    def refused(self) -> bool:
        """Is there likely to be no answer at all?"""
        if self.evidence and self.choices[0].candidate.formulas:
            return False
        return unanswerable(self.parse.answerable, self.unlinked.share)

    @property
    def meant(self) -> float:
        """Return the probability that the words nearest to meaning nothing here mean something, 1 unless `absent`."""
        span = self.unlinked.span
        return span.meant if span is not None and span.absent else 1.0

    def signs(self, place: int = 0) -> dict[str, float]:
        """Return what is known of one of the choices, as the calibration takes it."""
        choice = self.choices[place]
        told = {name: choice.features[name] for name in ("no rows", "query before")}
        return told | {
            "tables": float(choice.candidate.tables),
            "log-odds of the queries": logit(choice.probability),
            "log-odds among the answers": logit(choice.share),
            "log-odds of an answer": logit(self.parse.answerable),
            "unlinked words": 1 - self.unlinked.span.meant if self.unlinked.span else 0.0,
            "formulas left out": float(len(self.left_out(place))),
            "formulas not here": float(self.ungrounded() is not None),
            "leans": float(self.leans(place)),
            "log-odds of the query before": logit(self.parse.history.sure) if self.leans(place) else 0.0,
        }

    def leans(self, place: int = 0) -> bool:
        """Does one of the choices lean on the turns before the question?"""
        return self.choices[place].candidate.leans

    def left_out(self, place: int = 0) -> list[LinkedFormula]:
        """Return the formulas that the question names and one of the choices does without."""
        written = self.choices[place].candidate.formulas
        named = [one for one in self.linked.formulas if one.grounded]
        return [one for one in named if one not in written and one not in self.parse.unwritten]

    def ungrounded(self) -> str | None:
        """Say in one line which formulas of the question or its evidence cannot be written here; None if none."""
        told = [str(one.grounding) for one in self.linked.formulas if one.grounded is None]
        told += [f"{one.grounding}: {reason}" for one, reason in self.parse.unwritten.items()]
        told += [f"of the evidence, {piece}" for piece in self.linked.lost]
        return "; ".join(told) or None

    def notes(self, profile: DatabaseProfile) -> tuple[str, ...]:
        """Say what the best of them takes for granted: which days times are, for which cells other words stand, units.

        And which query would have come first, did it not fail.

        Args:
            profile: of the database, which tells what columns count in.
        """
        written = "".join(self.choices[0].candidate.words)
        used = [n.found for i, n in enumerate(self.parse.question.values) if f"{{text{i}}}" in written]
        spans = (found.span for found in used if found.span is not None and (found.span.relative or found.span.note))
        told = [f"‹{one.text}› is {one}" + (f" ({one.note})" if one.note else "") for one in spans]
        cells = (found for found in used if found.kind == "cell" and found.how in _OTHER_WORDS and found.yes is None)
        taken = (f"‹{one.text}› is taken for '{one.value}'" for one in cells)
        likelier = (one for one in self.choices[1:] if one.candidate is self.parse.candidates[0])
        failed = (f"a likelier query fails: {one.problem}" for one in likelier if one.problem)
        return (*told, *taken, *dict.fromkeys(self._units(profile)), *failed)

    def _units(self, profile: DatabaseProfile) -> Iterator[str]:
        for one in self.choices[0].candidate.compared:
            column = profile.column(one.table, one.column)
            if column is None or not one.value.text:  # what is carried over was told before
                continue
            if (told := counted(one.value, column)) is not None:
                yield f"‹{one.value.text}› is {told} in {one.table}.{one.column}"

    def unavailable(self) -> str | None:
        """Say which likely query the database did not answer, and why; None if there is none."""
        lost = [one for one in self.choices[1:] if one.problem is not None]
        if not lost or sum(one.share for one in lost) <= _NEARLY * self.choices[0].share:
            return None
        return f"another query may be right, but {lost[0].problem}: {lost[0].candidate.sql}"

    def doubt(self) -> str:
        """Say in one line why the best of them may be wrong."""
        left = (f"the query does without {one.grounding}, which ‹{one.mention.text}› names" for one in self.left_out(0))
        told = self.ungrounded() or "; ".join(left)
        if not told and self.linked.unread:
            told = f"of the evidence could not be read {'; '.join(self.linked.unread)}"
        span = self.unlinked.span
        if not told and span and not 0.5 < span.meant < 1:  # in between they likely mean something by another word
            told = str(span)
        if not told and len(self.choices) > 1 and self.choices[1].share > _NEARLY * self.choices[0].share:
            told = "another query is nearly as likely; see the alternatives"
        return told or "the question is unlike those that the parser knows"
