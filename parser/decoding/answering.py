"""Questions on one open database into answers: parse, run, choose, and say how sure that is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...classifiers.answerable import unanswerable
from ...classifiers.calibration import Calibration, Signs
from ...data.answer import Alternative, Answer
from ...data.databases.database import Database
from ...data.errors import ConstraintError
from ...grammar import Constraint
from ...knowledge.needed import Needed, NeededFormulas
from ...ner.index import FoundValue
from ..normal_form import ShortConstraint
from ..reader.context import DatabaseContext
from ..reader.formula_items import offered
from ..reader.profile import BUDGET, SOURCES
from .choice import Choice, choose
from .doubts import Doubts, find_doubts
from .needs import Needs, NeedsFinder
from .parsing import Parse, SchemaParser, one_thread
from .sense import Sense
from .solved import SolvedQuestions
from .unsaid import lost_rate

__all__ = ["Answerer", "Considered"]

SURE = 0.5
"""Confidence from which an answer counts as one."""


@dataclass(frozen=True)
class Considered:
    """What could be answered to a question.

    Attributes:
        parse: what the parser made of it.
        choices: the different answers, the best first.
        doubts: words of the question that nothing accounts for.
        needs: formulas that the question names, and the values that it was parsed with.
        evidence: was there any? Then a query with a formula answers what was asked.
    """

    parse: Parse
    choices: Sequence[Choice]
    doubts: Doubts
    needs: Needs = field(default_factory=Needs)
    evidence: bool = False

    @property
    def refused(self) -> bool:
        """Is there likely to be no answer at all?"""
        if self.evidence and self.choices[0].candidate.formulas:
            return False
        return unanswerable(self.parse.answerable, self.doubts.share)

    def signs(self, place: int = 0) -> Signs:
        """Return what speaks for one of the choices."""
        others = [choice.weight for i, choice in enumerate(self.choices) if i != place]
        weight = self.choices[place].weight
        return Signs(weight, max(others, default=0.0), self.parse.answerable, self.doubts.gap is not None)

    @property
    def _named(self) -> list[Needed]:
        """Return the formulas that words of the question name; evidence may bring others."""
        return [one for one in self.needs.formulas if one.mention.end > one.mention.start]

    def ungrounded(self) -> str | None:
        """Say in one line which formulas of the question or its evidence cannot be written here; None if none."""
        told = [str(one.grounding) for one in self._named if one.grounded is None]
        told += [f"{one.grounding}: {reason}" for one, reason in self.parse.unwritten.items()]
        told += [f"of the evidence, {piece}" for piece in self.needs.lost]
        return "; ".join(told) or None

    def unused(self, place: int = 0) -> str | None:
        """Say in one line which formulas the question names that one of the choices does without; None if none."""
        written = self.choices[place].candidate.formulas
        left = [one for one in self._named if one.grounded and one not in written and one not in self.parse.unwritten]
        told = [f"the query does without {one.grounding}, which ‹{one.mention.text}› names" for one in left]
        return "; ".join(told) or None

    def left_out(self, place: int = 0) -> str | None:
        """Say in one line what the question asks for that one of the choices does without; None if nothing."""
        candidate = self.choices[place].candidate
        rate = lost_rate(self.parse.question, candidate.sql)
        lost = rate and not any(rate in one.mention.text.lower() for one in candidate.formulas)
        return self.unused(place) or (f"‹{rate}› is asked for, and the query reckons none" if lost else None)

    def lacking(self, place: int = 0) -> str | None:
        """Say in one line what was asked for and one of the choices cannot be, or is not; None if nothing."""
        return self.ungrounded() or self.left_out(place)

    def doubt(self) -> str:
        """Say in one line why the best of them may be wrong."""
        unread = f"of the evidence could not be read {'; '.join(self.needs.unread)}" if self.needs.unread else None
        for told in (self.ungrounded(), unread, self.left_out()):
            if told:
                return told
        if self.doubts.gap:
            return str(self.doubts.gap)
        if len(self.choices) > 1 and self.choices[1].weight > self.choices[0].weight / 4:
            return "another query is nearly as likely; see the alternatives"
        return "the question is unlike those that the parser knows"


class Answerer:
    """Answers questions on one database.

    Args:
        parser: any that reads schemas.
        context: of the database.
        database: open for reading; None where queries are only written.
        level: what the local constraint promises; None is without it.
        calibration: of the parser's confidence.
        budget: words of a query, its joins' conditions counted.
        sources: tables that one FROM may join.
        without: rules of the constraint that the server does not need.
        solved: questions on the database whose queries are known; needs a level.
        knowledge: finds the formulas that questions need; needs a level.

    Raises:
        ConstraintError: the context has an `Access`, and the level holds names to nothing.
    """

    def __init__(
        self,
        parser: SchemaParser,
        context: DatabaseContext,
        database: Database | None,
        *,
        level: str | None = "runs",
        calibration: Calibration | None = None,
        budget: int = BUDGET,
        sources: int = SOURCES,
        without: tuple[str, ...] = (),
        solved: SolvedQuestions | None = None,
        knowledge: NeededFormulas | None = None,
    ) -> None:
        if level is None and context.grammar.access is not None:
            raise ConstraintError("access without a constraint", hint="give a level")
        if level is None and (solved is not None or knowledge is not None):
            told = "formulas" if solved is None else "solved questions"
            raise ConstraintError(f"{told} without a constraint", hint="give a level")
        self.parser = parser
        self.solved = solved
        self.knowledge = knowledge
        self.context = context
        self.database = database
        self.sense = Sense(context.grammar, database)
        self.calibration = calibration or Calibration()
        self.constraint: ShortConstraint | None = None
        if level is not None:
            bounds: dict[str, Any] = {"budget": budget, "sources": sources, "without": without}
            self.constraint = ShortConstraint(Constraint(context.vocabulary, level=level, **bounds))

    def ask(
        self, question: str, *, beam: int = 4, values: Sequence[FoundValue] | None = None, evidence: str = ""
    ) -> Answer:
        """Return the answer to one question.

        Args:
            beam: hypotheses that the search follows; 1 is greedy, and knows no alternatives.
            values: what the question names; looked for where it is not told.
            evidence: formulas for this question alone, as `read_evidence` reads them; needs a level.
        """
        begun = time.perf_counter()
        try:
            found = self.consider(question, beam=beam, values=values, evidence=evidence)
            answer = replace(self.answer(found), unread=found.needs.unread)
        except ConstraintError as error:
            answer = Answer(question, None, status="error", reason=str(error))
        return replace(answer, seconds=time.perf_counter() - begun)

    def consider(
        self, question: str, *, beam: int = 4, values: Sequence[FoundValue] | None = None, evidence: str = ""
    ) -> Considered:
        """Return what could be answered, and what speaks for it.

        Raises:
            ConstraintError: no query can be written with the words that the question may use, or there is evidence and
                no level.
        """
        needs = self._needs(question, values, evidence)
        formulas = offered(self.context, needs.formulas, needs.each)
        parse = self.parser.parse(
            self.context,
            question,
            width=beam,
            constraint=self.constraint,
            values=needs.values,
            solved=self.solved,
            formulas=formulas,
        )
        choices = choose(parse.candidates, self.database, self.sense, question)
        items = self.context.items if formulas is None else formulas.context.items
        with one_thread():
            doubts = find_doubts(parse.question, items, self.parser.vectors, said=evidence)
        return Considered(parse, choices, doubts, needs, bool(evidence.strip()))

    def _needs(self, question: str, values: Sequence[FoundValue] | None, evidence: str) -> Needs:
        named = tuple(one for one in self.context.values(question, values) if one.how != "constant")
        if self.constraint is None and evidence.strip():
            raise ConstraintError("evidence without a constraint", hint="give a level")
        with one_thread():
            return Needs((), named) if self.constraint is None else self._finder.of(question, named, evidence)

    @cached_property
    def _finder(self) -> NeedsFinder:
        return NeedsFinder(self.context, self.parser.vectors, self.knowledge)

    def answer(self, found: Considered) -> Answer:
        """Return the best of what could be answered, with how sure it is."""
        question, best = found.parse.question.text, found.choices[0]
        if found.refused:
            unlike = "this does not read like a question about this database"
            reason = found.ungrounded() or (str(found.doubts.gap) if found.doubts.gap else unlike)
            return Answer(question, None, status="no_answer", reason=reason)
        sure = [self.sure(found, place) for place in range(len(found.choices))]
        others = tuple(
            Alternative(choice.candidate.sql, confidence, choice.candidate.score)
            for choice, confidence in zip(found.choices[1:], sure[1:], strict=True)
        )
        sql = best.candidate.sql
        if best.problem is not None:
            return Answer(question, sql, status="error", reason=best.problem, alternatives=others)
        status, doubt = ("ok", None) if sure[0] >= SURE and not found.lacking() else ("unsure", found.doubt())
        columns, rows, more = (r.columns, tuple(r.rows), r.truncated) if (r := best.rows) else ((), (), False)
        used = tuple(use for one in best.candidate.formulas if (use := one.use) is not None)
        like = best.candidate.like
        return Answer(question, sql, columns, rows, more, sure[0], status, doubt, others, like=like, knowledge=used)

    def sure(self, found: Considered, place: int) -> float:
        """Return the confidence of one of the choices; half of it where it does without what was asked for."""
        confidence = self.calibration(found.signs(place))
        return round(confidence / 2 if found.lacking(place) else confidence, 4)
