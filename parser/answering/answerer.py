"""Questions on one open database into answers: parse, run, choose, and say how sure that is."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ...answers.answer import Alternative, Answer, Carried
from ...answers.carried import carried
from ...answers.feedback import Judged, asked_as
from ...classifiers.named_features import Calibration
from ...data.databases.database import Database
from ...data.domains.dialogues import Turn
from ...data.errors import ConstraintError, DatabaseError, UnavailableError
from ...data.sql.query import Query
from ...grammar import Constraint
from ...knowledge.linked_formulas import FormulaLinker
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ..decoding.earlier_turns import history_of
from ..decoding.encoded_question import one_thread
from ..decoding.parsing import SchemaParser
from ..decoding.solved import SolvedQuestions
from ..normal_form import ShortConstraint
from ..reader.context import DatabaseContext
from ..reader.history import NO_HISTORY, History
from ..reader.profile import BUDGET, SOURCES, Profile
from .asking import USUAL, AskOptions
from .clarifying import absent_value, clarification
from .ranked_answers import Choice, KnowledgeLinker, LinkedKnowledge, RankedAnswers, choose
from .unlinked import find_unlinked

__all__ = ["SURE", "Answerer"]

SURE = 0.7
"""Confidence from which an answer counts as one."""


class Answerer:
    """Answers questions on one database.

    Args:
        parser: any that reads schemas.
        context: of the database.
        database: open for reading; None where queries are only written.
        level: what the local constraint promises; None is without it.
        calibration: of the parser's confidence.
        profile: the bounds of queries, the usual ones if None.
        solved: questions on the database whose queries are known; needs a level.
        knowledge: finds the formulas that questions need; needs a level.
        like: the constraint on other tables of the same database, at the same level and with the same bounds.

    Attributes:
        judged: what was said of answers, by what was asked (`data.feedback.asked_as`).

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
        profile: Profile | None = None,
        solved: SolvedQuestions | None = None,
        knowledge: FormulaLinker | None = None,
        like: Constraint | None = None,
    ) -> None:
        if level is None and context.grammar.access is not None:
            raise ConstraintError("access without a constraint", hint="give a level")
        if level is None and (solved is not None or knowledge is not None):
            told = "formulas" if solved is None else "solved questions"
            raise ConstraintError(f"{told} without a constraint", hint="give a level")
        self.parser = parser
        self.solved = solved
        self.knowledge = knowledge
        self.judged: Mapping[tuple[str, ...], Judged] = {}
        self.context = context
        self.database = database
        self.calibration = calibration or Calibration()
        self.constraint: ShortConstraint | None = None
        if level is not None:
            words, of = context.vocabulary, profile
            bounds = (BUDGET, SOURCES, ()) if of is None else (of.budget, of.sources, of.without)
            how: dict[str, Any] = dict(zip(("budget", "sources", "without"), bounds, strict=True))
            made = Constraint(words, level=level, **how) if like is None else like.over(words)
            self.constraint = ShortConstraint(made)

    def ask(
        self,
        question: QuestionText,
        turns: Sequence[Turn] = (),
        options: AskOptions = USUAL,
        *,
        values: Sequence[FoundValue] | None = None,
    ) -> Answer:
        """Return the answer to one question.

        Args:
            turns: what was asked and answered before it, the latest last.
            values: what the question names; looked for where it is not told.
        """
        begun = time.perf_counter()
        try:
            history = self.history(turns)
            found = self.consider(question, options, values=values, history=history, until_sure=True)
            judged = self.judged.get(asked_as(question.text, turns if found.leans() else ()))
            found = self._without_wrong(found, judged)
            answer = self._confirmed(found, judged) or self.answer(found)
            answer = replace(answer, unread=found.linked.unread)
            if turns and answer.sql:
                kept = Carried(new_topic=True)
                if found.leans():
                    grammar = self.context.grammar
                    queries = [one.candidate.query for one in found.choices if one.candidate.sql == answer.sql]
                    now = queries[0] if queries else Query(answer.sql, grammar.dialect)
                    kept = carried(Query(turns[-1].sql, grammar.dialect), now, grammar.readable)
                answer = replace(answer, carried=kept)
        except ConstraintError as error:
            answer = Answer(question.text, None, status="error", reason=str(error))
        return replace(answer, seconds=time.perf_counter() - begun)

    def _without_wrong(self, found: RankedAnswers, judged: Judged | None) -> RankedAnswers:
        """Leave out what somebody called a wrong answer to this question, unless nothing else is left."""
        if judged is None or judged.verdict != "wrong":
            return found
        others = [choice for choice in found.choices if choice.candidate.sql != judged.sql]
        return replace(found, choices=others) if others else found

    def _confirmed(self, found: RankedAnswers, judged: Judged | None) -> Answer | None:
        """Return the answer that somebody called right, None where it may be another one by now, or for this role."""
        relative = any(one.found.span is not None and one.found.span.relative for one in found.parse.question.values)
        if judged is None or judged.verdict == "wrong" or relative or self.database is None:
            return None
        if self.context.grammar.access is not None:  # who said so may read more
            return None
        try:
            rows = self.database.query(judged.sql)
        except UnavailableError as error:
            return Answer(found.parse.question.text, judged.sql, status="error", reason=error.unplaced)
        except DatabaseError:  # of a database that has changed since
            return None
        told, shown = (rows.columns, tuple(rows.rows), rows.truncated), self.answer(found)
        sure: dict[str, Any] = {"confidence": 1.0, "notes": (f"said to be right, {judged.time}", *rows.notes)}
        return Answer(shown.question, judged.sql, *told, alternatives=shown.alternatives, **sure)

    def history(self, turns: Sequence[Turn]) -> History:
        """Return what was asked and answered before, the latest last, as the network reads it."""
        last = turns[-1] if turns else Turn("", "")
        said = [turn.utterance for turn in turns]
        return history_of(said, last.sql or None, self.context, sure=last.confidence)

    @one_thread()
    def consider(
        self,
        question: QuestionText,
        options: AskOptions = USUAL,
        *,
        values: Sequence[FoundValue] | None = None,
        history: History = NO_HISTORY,
        until_sure: bool = False,
    ) -> RankedAnswers:
        """Return what could be answered, and what speaks for it.

        Args:
            values: as those of `ask`.
            history: what came before the question in its conversation.
            until_sure: leave queries unrun that could change neither the answer nor its status.

        Raises:
            ConstraintError: no query can be written with the words that the question may use, or there is evidence and
                no level.
        """
        linked, tell, evidence = self._linked(question, values, options.evidence), options.tell, options.evidence
        if tell is not None:
            tell("values", tuple(dict.fromkeys(one.value for one in linked.values)))
        context = self.context.as_called(question)
        formulas = linked.offered(context)
        parse = self.parser.parse(
            context,
            question,
            width=options.beam,
            constraint=self.constraint,
            values=linked.values,
            solved=self.solved,
            formulas=formulas,
            history=history,
        )
        if tell is not None:
            tell("queries", tuple(candidate.sql for candidate in parse.candidates))
        items = context.items if formulas is None else formulas.context.items
        likeliest = parse.candidates[0]
        told: dict[str, Any] = {"said": f"{evidence} {likeliest.like or ''}", "written": "".join(likeliest.words)}
        unlinked = find_unlinked(parse.question, items, self.parser.vectors, **told)
        found = RankedAnswers(parse, (), unlinked, linked, bool(evidence.strip()))

        def is_sure(choices: Sequence[Choice]) -> bool:
            return until_sure and self._doubt(replace(found, choices=choices)) is None

        names_hold = self.constraint is not None
        return replace(found, choices=choose(parse.candidates, self.database, names_hold=names_hold, is_sure=is_sure))

    def _linked(self, question: QuestionText, values: Sequence[FoundValue] | None, evidence: str) -> LinkedKnowledge:
        named = tuple(one for one in self.context.values(question, values) if one.how != "constant")
        if self.constraint is None and evidence.strip():
            raise ConstraintError("evidence without a constraint", hint="give a level")
        return LinkedKnowledge((), named) if self.constraint is None else self._finder.of(question, named, evidence)

    @cached_property
    def _finder(self) -> KnowledgeLinker:
        return KnowledgeLinker(self.context, self.parser.vectors, self.knowledge)

    def answer(self, found: RankedAnswers) -> Answer:
        """Return the best of what could be answered, with how sure it is."""
        question, best = found.parse.question.text, found.choices[0]
        if found.refused:
            unlike = "this does not read like a question about this database"
            reason = found.ungrounded() or (str(found.unlinked.span) if found.unlinked.span else unlike)
            return Answer(question, None, status="no_answer", reason=reason)
        sure = [self.sure(found, place) for place in range(len(found.choices))]
        others = tuple(
            Alternative(choice.candidate.sql, confidence, choice.candidate.score)
            for choice, confidence in zip(found.choices[1:], sure[1:], strict=True)
        )
        sql = best.candidate.sql
        if best.problem is not None:
            return Answer(question, sql, status="error", reason=best.problem, alternatives=others)
        doubt = self._doubt(found)
        status = "ok" if doubt is None else "unsure"
        columns, rows, more = (r.columns, tuple(r.rows), r.truncated) if (r := best.rows) else ((), (), False)
        used = tuple(use for one in best.candidate.formulas if (use := one.use) is not None)
        like = best.candidate.like
        shown = Answer(question, sql, columns, rows, more, sure[0], status, doubt, others, like=like, knowledge=used)
        asked = None
        if status == "unsure" and self.database is not None:
            absent = absent_value(best.candidate, self.context)
            asked = clarification(found.choices, absent, self.context, self.database)
        notes = (*found.notes(self.context.profile), *(best.rows.notes if best.rows else ()))
        return replace(shown, notes=notes, clarification=asked)

    def _doubt(self, found: RankedAnswers) -> str | None:
        """Say in one line why the best of what could be answered is unsure; None where it is not."""
        best = found.choices[0].candidate
        absent, formulas = absent_value(best, self.context), found.ungrounded() or found.left_out()
        against = found.unavailable()
        if absent is not None and not formulas:
            against = against or f"{absent.table}.{absent.column} holds no ‹{absent.value.value}›"
        fine = self.sure(found, 0) >= SURE and not (formulas or against)
        return None if fine else against or found.doubt()

    def sure(self, found: RankedAnswers, place: int) -> float:
        """Return the confidence of one of the choices; none is right about things that the database does not have."""
        return round(self.calibration(found.signs(place)) * found.meant, 4)
