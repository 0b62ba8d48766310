"""Answers questions on one open database: ranks the queries of the parser, and weighs what speaks against the best."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...answers.answer import Alternative, Answer, Carried
from ...answers.carried import carried
from ...answers.feedback import Judged, question_key
from ...classifiers.named_features import Calibration, logit
from ...data.databases.database import Database
from ...data.domains.dialogues import Turn
from ...data.errors import ConstraintError, DatabaseError, UnavailableError
from ...data.sql.query import Query
from ...encoders.functions import one_thread
from ...grammar import Constraint
from ...knowledge.linked_formulas import FormulaLinker, LinkedFormula
from ...meaning.profile import DatabaseProfile
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ..decoding.expansions.column_meanings import in_unit_of
from ..decoding.history import NO_HISTORY, History, history_of
from ..decoding.parsing import Parse, SchemaParser
from ..decoding.solved import SolvedQuestions
from ..normal_form import ShortConstraint
from ..reader.context import DatabaseContext
from ..reader.formula_items import LinkedKnowledge, linked_knowledge, offered
from ..reader.profile import BUDGET, SOURCES, Profile
from .asking import USUAL, AskOptions
from .choice import Choice, choose
from .clarifying import absent_value, clarification
from .unlinked import Unlinked, find_unlinked

SURE = 0.7
"""The least confidence of an answer with the status ``ok``."""

ANSWERABLE, UNLINKED = 0.3, 0.1
"""The probability of an answer below which a question is refused, if at least this share of its words is unlinked. They
were chosen on held-out databases: .7 % of a database's own questions and 92 % of those about others are refused."""

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
        return self.parse.answerable < ANSWERABLE and self.unlinked.share >= UNLINKED

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
        periods = [f"‹{one.text}› is {one}" + (f" ({one.note})" if one.note else "") for one in spans]
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
        return (*periods, *taken, *dict.fromkeys(units), *failed)

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
        self.parser = parser
        self.solved = solved
        self.knowledge = knowledge
        self.judged: Mapping[tuple[str, ...], Judged] = {}
        self.context = context
        self.database = database
        self.calibration = calibration or Calibration()
        self.constraint: ShortConstraint | None = None
        if level is not None:
            words = context.vocabulary
            bounds: dict[str, Any] = {"budget": BUDGET, "sources": SOURCES} if profile is None else profile.bounds
            self.constraint = ShortConstraint(like.over(words) if like else Constraint(words, level=level, **bounds))

    def answer(self, question: QuestionText, turns: Sequence[Turn] = (), options: AskOptions = USUAL) -> Answer:
        """Return the answer to one question.

        Args:
            turns: the earlier turns, the latest last.
        """
        begun = time.perf_counter()
        try:
            ranked = self.rank(question, options, history=self.history(turns), until_sure=True)
            turns_read = turns if ranked.leans() else ()
            judged = self.judged.get(question_key(question.text, turns_read)) if self.judged else None
            if judged is not None and judged.verdict == "wrong":  # left out, unless it is the only answer
                remaining = [choice for choice in ranked.choices if choice.candidate.sql != judged.sql]
                ranked = replace(ranked, choices=remaining or ranked.choices)
            answer = self._confirmed(ranked, judged) or self.best_answer(ranked)
            answer = replace(answer, unread=ranked.linked.unread)
            if turns and answer.sql:
                kept = Carried(new_topic=True)
                if ranked.leans():
                    grammar = self.context.grammar
                    queries = [one.candidate.query for one in ranked.choices if one.candidate.sql == answer.sql]
                    now = queries[0] if queries else Query(answer.sql, grammar.dialect)
                    kept = carried(Query(turns[-1].sql, grammar.dialect), now, grammar.readable)
                answer = replace(answer, carried=kept)
        except ConstraintError as error:
            answer = Answer(question.text, None, status="error", reason=str(error))
        return replace(answer, seconds=time.perf_counter() - begun)

    def _confirmed(self, ranked: RankedAnswers, judged: Judged | None) -> Answer | None:
        """Return the answer that a user judged right, None where its meaning depends on the clock or the role."""
        spans = (node.found.span for node in ranked.parse.question.values)
        relative = any(span is not None and span.relative for span in spans)
        if judged is None or judged.verdict == "wrong" or relative or self.database is None:
            return None
        if self.context.grammar.access is not None:  # the user who judged it may have had more rights
            return None
        try:
            rows = self.database.query(judged.sql)
        except UnavailableError as error:
            return Answer(ranked.parse.question.text, judged.sql, status="error", reason=error.unplaced)
        except DatabaseError:  # the database has changed since
            return None
        table, computed = (rows.columns, tuple(rows.rows), rows.truncated), self.best_answer(ranked)
        sure: dict[str, Any] = {"confidence": 1.0, "notes": (f"said to be right, {judged.time}", *rows.notes)}
        return Answer(computed.question, judged.sql, *table, alternatives=computed.alternatives, **sure)

    def history(self, turns: Sequence[Turn]) -> History:
        """Return the earlier turns, the latest last, as input of the network."""
        last = turns[-1] if turns else Turn("", "")
        utterances = [turn.utterance for turn in turns]
        return history_of(utterances, last.sql or None, self.context, sure=last.confidence)

    @one_thread()
    def rank(
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
            values: the values that the question names; None to look them up.
            history: the earlier turns of the conversation.
            until_sure: whether to skip queries that could change neither the answer nor its status.

        Raises:
            ConstraintError: no query can be written with the words that the question may use, or there is evidence and
                no level.
        """
        named = [value for value in self.context.values(question, values) if value.how != "constant"]
        linked, evidence, vectors = LinkedKnowledge((), tuple(named)), options.evidence.strip(), self.parser.vectors
        if self.constraint is not None:
            linked = linked_knowledge(self.context, question, named, vectors, linker=self.knowledge, evidence=evidence)
        elif evidence:
            raise ConstraintError("evidence without a constraint", hint="give a level")
        context = self.context.as_called(question)
        extended = offered(context, linked.formulas, virtual=linked.virtual)
        parse = self.parser.parse(
            context,
            question,
            width=options.beam,
            constraint=self.constraint,
            values=linked.values,
            solved=self.solved,
            extended=extended,
            history=history,
        )
        items = context.items if extended is None else extended.context.items
        likeliest, written = parse.candidates[0], "".join(parse.candidates[0].words)
        explained = f"{evidence} {likeliest.like or ''}"
        unlinked = find_unlinked(parse.question, items, vectors, explained=explained, written=written)
        ranked = RankedAnswers(parse, (), unlinked, linked, bool(evidence))

        def is_sure(choices: Sequence[Choice]) -> bool:
            return until_sure and self._doubt(replace(ranked, choices=choices)) is None

        names_hold = self.constraint is not None
        return replace(ranked, choices=choose(parse.candidates, self.database, names_hold=names_hold, is_sure=is_sure))

    def best_answer(self, ranked: RankedAnswers) -> Answer:
        """Return the best of the ranked answers, with its confidence."""
        question, best = ranked.parse.question.text, ranked.choices[0]
        if ranked.refused:
            unlike = "this does not read like a question about this database"
            reason = ranked.ungrounded() or (str(ranked.unlinked.span) if ranked.unlinked.span else unlike)
            return Answer(question, None, status="no_answer", reason=reason)
        confidences = [self.confidence(ranked, place) for place in range(len(ranked.choices))]
        rest = tuple(
            Alternative(choice.candidate.sql, confidence, choice.candidate.score)
            for choice, confidence in zip(ranked.choices[1:], confidences[1:], strict=True)
        )
        if best.problem is not None:
            return Answer(question, best.candidate.sql, status="error", reason=best.problem, alternatives=rest)
        doubt = self._doubt(ranked)
        status = "ok" if doubt is None else "unsure"
        columns, rows, more = (r.columns, tuple(r.rows), r.truncated) if (r := best.rows) else ((), (), False)
        used = tuple(use for one in best.candidate.formulas if (use := one.use) is not None)
        found = columns, rows, more, confidences[0], status, doubt, rest
        clarified = None
        if status == "unsure" and self.database is not None:
            absent = absent_value(best.candidate, self.context)
            clarified = clarification(ranked.choices, absent, self.context, self.database)
        notes = (*ranked.notes(self.context.profile), *(best.rows.notes if best.rows else ()))
        rest_of: dict[str, Any] = {"notes": notes, "clarification": clarified, "knowledge": used}
        return Answer(question, best.candidate.sql, *found, like=best.candidate.like, **rest_of)

    def _doubt(self, ranked: RankedAnswers) -> str | None:
        """Say in one line why the best answer is unsure; None if it is sure."""
        best = ranked.choices[0].candidate
        absent, formulas = absent_value(best, self.context), ranked.ungrounded() or ranked.left_out()
        against = ranked.unavailable()
        if absent is not None and not formulas:
            against = against or f"{absent.table}.{absent.column} holds no ‹{absent.value.value}›"
        fine = self.confidence(ranked, 0) >= SURE and not (formulas or against)
        return None if fine else against or ranked.doubt()

    def confidence(self, ranked: RankedAnswers, place: int) -> float:
        """Return the confidence of a choice, which is low if the question names things that the database lacks."""
        span = ranked.unlinked.span
        named = span.meant if span is not None and span.absent else 1.0
        return round(self.calibration(ranked.signs(place)) * named, 4)
