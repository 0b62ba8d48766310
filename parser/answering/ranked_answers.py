"""The ranked answers of a question: the choice among its n best queries, and the signs for each answer.

Queries with the same rows are merged into one answer, and their probabilities add up (as Li et al. 2022, AlphaCode,
cluster programs); the reranker orders the answers. The queries share one time limit. A query that the database does not
answer now, or not in time, may still be right: it keeps its place, and no faster query takes it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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
from ..decoding.expansions.column_meanings import in_unit_of
from ..decoding.parsing import Parse
from ..reader.context import DatabaseContext
from ..reader.formula_items import FormulaItems, formula_linker, offered
from ..reader.virtual_columns import VirtualColumn, virtual_columns
from .unlinked import Unlinked


@dataclass(frozen=True)
class Choice:
    """One answer to a question.

    Attributes:
        candidate: the likeliest query of those with these rows.
        rows: the rows it returns, None where the database refused it or took too long, and where it was not run.
        problem: the error of the database; None if there was none, and where it was not run.
        probability: the summed probability of all queries with these rows, among all that the network could write.
        features: the features of the reranker.
        weight: the weight by which the reranker orders the choices; 0 where the query itself always fails.
        share: its share of all choices' weights.
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
        candidates: the queries, the likeliest first.
        database: the database; without it each query is an answer, and none is run.
        reranker: the reranker; None for the one that ships.
        names_hold: whether the queries come from a schema that the database had. Then an unknown name is one that was
            dropped since, and no fault of the query.
        is_sure: a test of the choices, called where queries are slow, with each query not run yet as its own answer.
            If it says that the best needs no more support, the rest is run only where it could change the best.
    """
    weigher, choices = reranker or Reranker.shipped(), list[Choice]()
    tries = [_Tried(candidate) for candidate in candidates]
    with nullcontext() if database is None else database.one_limit():
        for place, candidate in enumerate(candidates):
            tries[place] = _run(candidate, database, names_hold=names_hold)
            choices = _ordered(tries, weigher)
            left = sum(math.exp(one.score) for one in candidates[place + 1 :])
            if database is None or not left or not _is_settled(choices, left, weigher):
                continue
            if choices[0].problem is not None or (database.is_slow and is_sure(choices)):
                break
    return choices


def _ordered(tries: Sequence[_Tried], reranker: Reranker) -> list[Choice]:
    """Return the different answers, each of the queries with the same rows, the best first."""
    merged: dict[object, list[_Tried]] = {}
    for tried in tries:
        merged.setdefault(tried.key, []).append(tried)
    choices = list[Choice]()
    for best, *others in merged.values():
        probability = sum(math.exp(tried.candidate.score) for tried in (best, *others))
        cells = None if best.rows is None else [cell for row in best.rows.rows for cell in row]
        features = {
            "log probability": math.log(max(probability, 1e-30)),
            "no rows": float(cells is not None and all(cell is None for cell in cells)),
            "values left out": best.candidate.left_out,
            "items left out": best.candidate.unused,
            "query before": float(best.candidate.repeats),
        }
        weight = 0.0 if best.fails else reranker.weight(features)
        choices.append(Choice(best.candidate, best.rows, best.problem, probability, features, weight))
    total = sum(choice.weight for choice in choices) or 1.0
    ordered = sorted(choices, key=lambda choice: -choice.weight)
    return [replace(choice, share=choice.weight / total) for choice in ordered]


def _is_settled(choices: Sequence[Choice], left: float, reranker: Reranker) -> bool:
    """Say whether the best was run and stays the best even if all queries not run yet support the same other answer.

    Args:
        left: the summed probability of the queries not run yet.
    """
    most = (
        {**choice.features, "log probability": math.log(left + choice.probability * (choice.rows is not None))}
        for choice in choices[1:]
        if choice.rows is not None or choice.problem is None
    )
    best, was_run = choices[0], choices[0].rows is not None or choices[0].problem is not None
    return was_run and best.weight > 0 and all(reranker.weight(features) <= best.weight for features in most)


@dataclass(frozen=True)
class _Tried:
    candidate: Candidate
    rows: Rows | None = None
    problem: str | None = None
    fails: bool = False

    @cached_property
    def key(self) -> object:
        """Return a key that is equal for queries with the same rows, whatever the order of the columns."""
        if self.rows is None:
            return self.candidate.sql
        rows = [tuple(map(comparable, row)) for row in self.rows.rows]
        together = Counter(tuple(sorted(row, key=repr)) for row in rows)
        columns = Counter(frozenset(Counter(column).items()) for column in zip(*rows, strict=True))
        return len(self.rows.columns), frozenset(together.items()), frozenset(columns.items())


def _run(candidate: Candidate, database: Database | None, *, names_hold: bool) -> _Tried:
    if database is None:
        return _Tried(candidate)
    try:
        return _Tried(candidate, database.query(candidate.sql, constrained=candidate.chosen))
    except DatabaseError as error:
        kept = isinstance(error, UnavailableError) or (names_hold and isinstance(error, UnknownNameError))
        problem = error.unplaced.removeprefix(f"{database.name}: ")  # the server address is private
        return _Tried(candidate, None, problem, fails=not kept)


_CLOSE_MATCHES = ("exact", "folded", "stem")


@dataclass(frozen=True)
class LinkedKnowledge:
    """The formulas, values and virtual columns that a question was linked to.

    Attributes:
        formulas: the formulas that it names, grounded or not, in the order of the question.
        values: the values that it names, without those in the names of formulas and without constants.
        unread: the pieces of its evidence that are no formulas, each with the reason.
        lost: the unread pieces whose right side could not be parsed.
        virtual: the virtual columns that it adds to the database.
    """

    formulas: tuple[LinkedFormula, ...] = ()
    values: tuple[FoundValue, ...] = ()
    unread: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    virtual: tuple[VirtualColumn, ...] = ()

    def offered(self, context: DatabaseContext) -> FormulaItems | None:
        """Return a database with the grounded formulas and the virtual columns, see `offered`."""
        return offered(context, self.formulas, virtual=self.virtual)


class KnowledgeLinker:
    """Links questions on one database to formulas, values and virtual columns.

    Args:
        context: the context of the database.
        vectors: the vectors of the encoder that grounds formulas.
        knowledge: the linker of the banks' formulas; None if there are no banks.
    """

    def __init__(self, context: DatabaseContext, vectors: TextVectors, knowledge: FormulaLinker | None) -> None:
        self._context = context
        self._vectors = vectors
        self._knowledge = knowledge

    def of(self, question: QuestionText, values: Sequence[FoundValue], evidence: str) -> LinkedKnowledge:
        """Link a question.

        Args:
            values: the values that it names.
            evidence: formulas for this question alone, which have priority over others of the same words.
        """
        named = self._knowledge.find(question) if self._knowledge else []
        named = [formula for formula in named if not _within(formula, values)]
        read = read_evidence(evidence)
        if read.bank.formulas:
            own = formula_linker(read.bank, self._context, self._vectors).find(question)
            named = [formula for formula in named if not any(formula.mention.overlaps(given.mention) for given in own)]
            named = sorted([*named, *own], key=lambda formula: formula.mention.start)
        taken = [(formula.mention.start, formula.mention.end) for formula in named]
        virtual = tuple(virtual_columns(self._context, question, values, taken))
        return LinkedKnowledge(tuple(named), tuple(values), read.unread, read.lost, virtual)


def _within(formula: LinkedFormula, values: Sequence[FoundValue]) -> bool:
    """Is the name of a formula only a part of a longer cell? The cell «Winter Games» names no season."""
    start, end = formula.mention.start, formula.mention.end
    longer = (v for v in values if v.kind == "cell" and v.how in _CLOSE_MATCHES and v.end - v.start > end - start)
    return any(v.start <= start and end <= v.end for v in longer)


_NEARLY = 0.25
"""The least weight of an answer, relative to the best, that counts as nearly as likely."""

_OTHER_WORDS = ("meaning", "typo")


@dataclass(frozen=True)
class RankedAnswers:
    """The ranked answers of a question.

    Attributes:
        parse: the n-best list of the parser.
        choices: the different answers, the best first.
        unlinked: the words of the question that were linked to nothing in the database.
        linked: the formulas that the question names, and the values that it was parsed with.
        evidence: whether there was evidence; if so, a query with a formula counts as an answer.
    """

    parse: Parse
    choices: Sequence[Choice]
    unlinked: Unlinked
    linked: LinkedKnowledge = field(default_factory=LinkedKnowledge)
    evidence: bool = False

    @property
    def refused(self) -> bool:
        """Does the question likely have no answer in this database?"""
        if self.evidence and self.choices[0].candidate.formulas:
            return False
        return unanswerable(self.parse.answerable, self.unlinked.share)

    @property
    def meant(self) -> float:
        """Return the probability that the least likely unlinked words have a meaning here, 1 unless `absent`."""
        span = self.unlinked.span
        return span.meant if span is not None and span.absent else 1.0

    def signs(self, place: int = 0) -> dict[str, float]:
        """Return the signs of a choice that the calibration uses."""
        choice = self.choices[place]
        signs = {name: choice.features[name] for name in ("no rows", "query before")}
        return signs | {
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
        """Was a choice read together with the earlier turns?"""
        return self.choices[place].candidate.leans

    def left_out(self, place: int = 0) -> list[LinkedFormula]:
        """Return the formulas that the question names and a choice does not use."""
        written = self.choices[place].candidate.formulas
        named = [formula for formula in self.linked.formulas if formula.grounded]
        return [formula for formula in named if formula not in written and formula not in self.parse.unwritten]

    def ungrounded(self) -> str | None:
        """Say in one line which formulas of the question or its evidence cannot be written here; None if none."""
        reasons = [str(formula.grounding) for formula in self.linked.formulas if formula.grounded is None]
        reasons += [f"{formula.grounding}: {reason}" for formula, reason in self.parse.unwritten.items()]
        reasons += [f"of the evidence, {piece}" for piece in self.linked.lost]
        return "; ".join(reasons) or None

    def notes(self, profile: DatabaseProfile) -> tuple[str, ...]:
        """Return the assumptions of the best answer: the days of periods, the cells of synonyms, the units of columns.

        A note also names a likelier query if that query fails.

        Args:
            profile: the profile of the database, which has the units of columns.
        """
        written = "".join(self.choices[0].candidate.words)
        used = [n.found for i, n in enumerate(self.parse.question.values) if f"{{text{i}}}" in written]
        spans = (found.span for found in used if found.span is not None and (found.span.relative or found.span.note))
        told = [f"‹{one.text}› is {one}" + (f" ({one.note})" if one.note else "") for one in spans]
        cells = (found for found in used if found.kind == "cell" and found.how in _OTHER_WORDS and found.yes is None)
        taken = (f"‹{one.text}› is taken for '{one.value}'" for one in cells)
        likelier = (one for one in self.choices[1:] if one.candidate is self.parse.candidates[0])
        failed = (f"a likelier query fails: {one.problem}" for one in likelier if one.problem)
        units = list[str]()
        for one in self.choices[0].candidate.compared:
            column = profile.column(one.table, one.column)
            # the turn before had the note on a carried value, which has no text
            if column is not None and one.value.text and (amount := in_unit_of(one.value, column)) is not None:
                units.append(f"‹{one.value.text}› is {amount} in {one.table}.{one.column}")
        return (*told, *taken, *dict.fromkeys(units), *failed)

    def unavailable(self) -> str | None:
        """Say which likely query the database did not answer, and why; None if there is none."""
        lost = [choice for choice in self.choices[1:] if choice.problem is not None]
        if not lost or sum(choice.share for choice in lost) <= _NEARLY * self.choices[0].share:
            return None
        return f"another query may be right, but {lost[0].problem}: {lost[0].candidate.sql}"

    def doubt(self) -> str:
        """Say in one line why the best answer may be wrong."""
        left = (f"the query does without {use.grounding}, which ‹{use.mention.text}› names" for use in self.left_out(0))
        reason = self.ungrounded() or "; ".join(left)
        if not reason and self.linked.unread:
            reason = f"of the evidence could not be read {'; '.join(self.linked.unread)}"
        span = self.unlinked.span
        if not reason and span and not 0.5 < span.meant < 1:  # in between the words are likely synonyms
            reason = str(span)
        if not reason and len(self.choices) > 1 and self.choices[1].share > _NEARLY * self.choices[0].share:
            reason = "another query is nearly as likely; see the alternatives"
        return reason or "the question is unlike those that the parser knows"
