"""The log of a language model's attempts at one question, and the answer that follows from them."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..answers.answer import Alternative, Answer, FormulaUse
from .executor import Outcome
from .messages import Completions


@dataclass(frozen=True)
class Attempt:
    """One text that a model wrote for a question.

    Attributes:
        text: the text; empty where the back end failed.
        program: the program of thoughts before the query.
        sql: the query, or the text that was refused in its place; empty if there was none.
        problem: the reason to refuse it, in one line; None where there is no problem.
        prompt_tokens: of the messages, None if they are not counted; the first of several texts for a prompt has it.
        completion_tokens: likewise, of all texts for the prompt.
        seconds: likewise, of the call to the back end.
    """

    text: str
    program: str = ""
    sql: str = ""
    problem: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class LlmAnswer(Answer):
    """An `Answer` of a language model.

    Attributes:
        attempts: all texts that the model wrote for the question, in order.
        prompt_tokens: of all prompts, None if they are not counted.
        completion_tokens: of all texts, None if they are not counted.
    """

    attempts: tuple[Attempt, ...] = ()
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0

    @property
    def tried(self) -> tuple[str, ...]:
        """Return the queries of all attempts."""
        return tuple(one.sql for one in self.attempts if one.sql)

    def refused(self, reason: str) -> LlmAnswer:
        """Return a copy without an answer, and with a reason and the attempts."""
        spent = {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens}
        made = LlmAnswer(self.question, None, status="no_answer", reason=reason, seconds=self.seconds)
        return replace(made, attempts=self.attempts, **spent)

    @property
    def tokens(self) -> int | None:
        """Return the number of tokens that the model read and wrote for it; None if they are not counted."""
        counts = self.prompt_tokens, self.completion_tokens
        return None if counts[0] is None or counts[1] is None else counts[0] + counts[1]

    @property
    def unheard(self) -> bool:
        """Did the model fail to give any reply? `dialogue.predict` has the same rule for records."""
        return self.status == "error" and bool(self.attempts) and not self.attempts[-1].text


AT_ONCE, CORRECTED, EMPTY = 0.6, 0.5, 0.1
"""The confidence in a single query that found rows at once, after a correction, and in one that finds none. They are
not calibrated: only the model's text is known, and that a query runs says little. With several samples the confidence
is the share that agrees."""

_SURE = 0.5
"""The share of samples from which an answer is called ok."""


@dataclass
class CorrectionLog:
    """The prompts and replies for one question so far.

    Attributes:
        knowledge: the formulas in its prompt.
        rounds: the outcomes of the replies to each prompt.
        attempts: all texts.
    """

    question: str
    knowledge: tuple[FormulaUse, ...] = ()
    rounds: list[list[Outcome]] = field(default_factory=list[list[Outcome]])
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    begun: float = field(default_factory=time.perf_counter)

    @property
    def failures(self) -> list[Outcome]:
        """Return the outcomes that the next prompt reports: the first one of each round."""
        return [first for first, *_ in self.rounds]

    @property
    def over(self) -> bool:
        """Did a query find rows, was the database unavailable, or does the model repeat itself?"""
        if self.rounds and any(outcome.problem is None or outcome.unavailable for outcome in self.rounds[-1]):
            return True
        return len(self.rounds) > 1 and all(map(_same, self.rounds[-1], self.rounds[-2]))

    def add(self, found: Completions, outcomes: Sequence[Outcome], seconds: float) -> None:
        """Keep the replies to a prompt; the first one has the tokens and seconds of all."""
        self.rounds.append(list(outcomes))
        for i, o in enumerate(outcomes):
            spent = (found.prompt_tokens, found.completion_tokens, seconds) if i == 0 else (0, 0, 0.0)
            self.attempts.append(Attempt(o.text, o.program, o.sql, o.problem, *spent))

    def fail(self, problem: str, seconds: float) -> LlmAnswer:
        """Return the answer after a failure of the back end."""
        self.attempts.append(Attempt("", problem=problem, seconds=seconds))
        return self._finished(LlmAnswer(self.question, None, status="error", reason=problem))

    def answer(self) -> LlmAnswer:
        """Return the answer."""
        groups: dict[Hashable, list[Outcome]] = defaultdict(list)
        for outcome in self.rounds[-1]:
            if outcome.problem is None:
                groups[outcome.key].append(outcome)
        ranked = sorted(groups.values(), key=len, reverse=True)
        lost = [outcome for outcome in self.rounds[-1] if outcome.unavailable]
        if lost and (not ranked or len(lost) >= len(ranked[0])):
            return self._finished(LlmAnswer(self.question, lost[0].sql, status="error", reason=lost[0].problem))
        if ranked:
            return self._finished(self._best(ranked))
        ran = [outcome for tried in self.rounds for outcome in tried if outcome.rows is not None]
        if ran:
            return self._finished(self._ran(ran[-1], EMPTY, ran[-1].problem))
        last = self.rounds[-1][0]
        status = "error" if last.sql else "no_answer"
        return self._finished(LlmAnswer(self.question, None, status=status, reason=last.problem))

    def _best(self, ranked: Sequence[Sequence[Outcome]]) -> LlmAnswer:
        """Return the answer with the rows that most samples have, by outcomes grouped by rows; the first in a tie."""
        samples = len(self.rounds[-1])
        alone = AT_ONCE if len(self.rounds) == 1 else CORRECTED
        shares = [len(group) / samples if samples > 1 else alone for group in ranked]
        others = [
            Alternative(group[0].sql, share, math.log(share))
            for group, share in zip(ranked[1:], shares[1:], strict=True)
        ]
        doubt = None if shares[0] >= _SURE else f"{len(ranked[0])} of {samples} samples agree on these rows"
        return self._ran(ranked[0][0], shares[0], doubt, others)

    def _ran(
        self, outcome: Outcome, confidence: float, doubt: str | None, others: Iterable[Alternative] = ()
    ) -> LlmAnswer:
        """Return the answer of a query that ran."""
        rows = outcome.rows
        assert rows is not None
        return LlmAnswer(
            self.question,
            outcome.sql,
            rows.columns,
            tuple(rows.rows),
            rows.truncated,
            round(confidence, 4),
            "ok" if doubt is None else "unsure",
            doubt,
            tuple(others),
            notes=rows.notes,
        )

    def _finished(self, answer: LlmAnswer) -> LlmAnswer:
        """Return an answer with its attempts, tokens and seconds."""
        return replace(
            answer,
            seconds=time.perf_counter() - self.begun,
            knowledge=self.knowledge,
            attempts=tuple(self.attempts),
            prompt_tokens=_total(attempt.prompt_tokens for attempt in self.attempts),
            completion_tokens=_total(attempt.completion_tokens for attempt in self.attempts),
        )


def _same(one: Outcome, other: Outcome) -> bool:
    return one.text == other.text or (one.sql != "" and one.sql == other.sql)


def _total(counts: Iterable[int | None]) -> int | None:
    every = list(counts)
    return None if None in every else sum(count for count in every if count is not None)
