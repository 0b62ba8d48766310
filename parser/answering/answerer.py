"""Answers questions on one open database: parses, runs and ranks queries, and computes the confidence."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...answers.answer import Alternative, Answer, Carried
from ...answers.carried import carried
from ...answers.feedback import Judged, question_key
from ...classifiers.named_features import Calibration
from ...data.databases.database import Database
from ...data.domains.dialogues import Turn
from ...data.errors import ConstraintError, DatabaseError, UnavailableError
from ...data.sql.query import Query
from ...grammar import Constraint
from ...knowledge.linked_formulas import FormulaLinker
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ..decoding.encoded_question import one_thread
from ..decoding.history import NO_HISTORY, History, history_of
from ..decoding.parsing import SchemaParser
from ..decoding.solved import SolvedQuestions
from ..normal_form import ShortConstraint
from ..reader.context import DatabaseContext
from ..reader.profile import BUDGET, SOURCES, Profile
from .asking import USUAL, AskOptions
from .clarifying import absent_value, clarification
from .ranked_answers import Choice, KnowledgeLinker, LinkedKnowledge, RankedAnswers, choose
from .unlinked import find_unlinked

SURE = 0.7
"""The least confidence of an answer with the status ``ok``."""


class Answerer:
    """Answers questions on one database.

    Args:
        parser: the parser, of any schema.
        context: the context of the database.
        database: the database, open for reading; None to write queries without running them.
        level: the level of the local constraint; None for no constraint.
        calibration: the calibration of the parser's confidence.
        profile: the bounds of queries; None for the defaults.
        solved: solved questions on the database; they need a level.
        knowledge: the linker of formulas; it needs a level.
        like: the constraint on other tables of the same database, at the same level and with the same bounds.

    Attributes:
        judged: the verdicts on answers, by the key of the question (`answers.feedback.question_key`).

    Raises:
        ConstraintError: the context has an `Access`, and the level does not check names.
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
            purpose = "formulas" if solved is None else "solved questions"
            raise ConstraintError(f"{purpose} without a constraint", hint="give a level")
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
            turns: the earlier turns, the latest last.
            values: the values that the question names; None to look them up.
        """
        begun = time.perf_counter()
        try:
            history = self.history(turns)
            found = self.consider(question, options, values=values, history=history, until_sure=True)
            judged = self.judged.get(question_key(question.text, turns if found.leans() else ()))
            if judged is not None and judged.verdict == "wrong":  # left out, unless it is the only answer
                remaining = [choice for choice in found.choices if choice.candidate.sql != judged.sql]
                found = replace(found, choices=remaining or found.choices)
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

    def _confirmed(self, found: RankedAnswers, judged: Judged | None) -> Answer | None:
        """Return the answer that a user judged right, None where its meaning depends on the clock or the role."""
        relative = any(node.found.span is not None and node.found.span.relative for node in found.parse.question.values)
        if judged is None or judged.verdict == "wrong" or relative or self.database is None:
            return None
        if self.context.grammar.access is not None:  # the user who judged it may have had more rights
            return None
        try:
            rows = self.database.query(judged.sql)
        except UnavailableError as error:
            return Answer(found.parse.question.text, judged.sql, status="error", reason=error.unplaced)
        except DatabaseError:  # the database has changed since
            return None
        table, computed = (rows.columns, tuple(rows.rows), rows.truncated), self.answer(found)
        sure: dict[str, Any] = {"confidence": 1.0, "notes": (f"said to be right, {judged.time}", *rows.notes)}
        return Answer(computed.question, judged.sql, *table, alternatives=computed.alternatives, **sure)

    def history(self, turns: Sequence[Turn]) -> History:
        """Return the earlier turns, the latest last, as input of the network."""
        last = turns[-1] if turns else Turn("", "")
        utterances = [turn.utterance for turn in turns]
        return history_of(utterances, last.sql or None, self.context, sure=last.confidence)

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
        """Return the possible answers of a question, ranked, with the evidence for each.

        Args:
            values: the same as in `ask`.
            history: the earlier turns of the conversation.
            until_sure: whether to skip queries that could change neither the answer nor its status.

        Raises:
            ConstraintError: no query can be written with the words that the question may use, or there is evidence and
                no level.
        """
        named = tuple([value for value in self.context.values(question, values) if value.how != "constant"])
        linked, evidence = LinkedKnowledge((), named), options.evidence
        if self.constraint is not None:
            linked = KnowledgeLinker(self.context, self.parser.vectors, self.knowledge).of(question, named, evidence)
        elif evidence.strip():
            raise ConstraintError("evidence without a constraint", hint="give a level")
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
        items = context.items if formulas is None else formulas.context.items
        likeliest = parse.candidates[0]
        texts: dict[str, Any] = {"said": f"{evidence} {likeliest.like or ''}", "written": "".join(likeliest.words)}
        unlinked = find_unlinked(parse.question, items, self.parser.vectors, **texts)
        found = RankedAnswers(parse, (), unlinked, linked, bool(evidence.strip()))

        def is_sure(choices: Sequence[Choice]) -> bool:
            return until_sure and self._doubt(replace(found, choices=choices)) is None

        names_hold = self.constraint is not None
        return replace(found, choices=choose(parse.candidates, self.database, names_hold=names_hold, is_sure=is_sure))

    def answer(self, found: RankedAnswers) -> Answer:
        """Return the best of the ranked answers, with its confidence."""
        question, best = found.parse.question.text, found.choices[0]
        if found.refused:
            unlike = "this does not read like a question about this database"
            reason = found.ungrounded() or (str(found.unlinked.span) if found.unlinked.span else unlike)
            return Answer(question, None, status="no_answer", reason=reason)
        sure = [self.sure(found, place) for place in range(len(found.choices))]
        rest = tuple(
            Alternative(choice.candidate.sql, confidence, choice.candidate.score)
            for choice, confidence in zip(found.choices[1:], sure[1:], strict=True)
        )
        sql = best.candidate.sql
        if best.problem is not None:
            return Answer(question, sql, status="error", reason=best.problem, alternatives=rest)
        doubt = self._doubt(found)
        status = "ok" if doubt is None else "unsure"
        columns, rows, more = (r.columns, tuple(r.rows), r.truncated) if (r := best.rows) else ((), (), False)
        used = tuple(use for one in best.candidate.formulas if (use := one.use) is not None)
        like = best.candidate.like
        answer = Answer(question, sql, columns, rows, more, sure[0], status, doubt, rest, like=like, knowledge=used)
        clarified = None
        if status == "unsure" and self.database is not None:
            absent = absent_value(best.candidate, self.context)
            clarified = clarification(found.choices, absent, self.context, self.database)
        notes = (*found.notes(self.context.profile), *(best.rows.notes if best.rows else ()))
        return replace(answer, notes=notes, clarification=clarified)

    def _doubt(self, found: RankedAnswers) -> str | None:
        """Say in one line why the best answer is unsure; None if it is sure."""
        best = found.choices[0].candidate
        absent, formulas = absent_value(best, self.context), found.ungrounded() or found.left_out()
        against = found.unavailable()
        if absent is not None and not formulas:
            against = against or f"{absent.table}.{absent.column} holds no ‹{absent.value.value}›"
        fine = self.sure(found, 0) >= SURE and not (formulas or against)
        return None if fine else against or found.doubt()

    def sure(self, found: RankedAnswers, place: int) -> float:
        """Return the confidence of a choice, which is low if the question names things that the database lacks."""
        return round(self.calibration(found.signs(place)) * found.meant, 4)
