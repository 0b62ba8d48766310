"""What comes back for a question from a language model: an answer, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..data.answer import Answer

__all__ = ["Attempt", "LlmAnswer"]


@dataclass(frozen=True)
class Attempt:
    """One text that a model wrote for a question.

    Attributes:
        messages: digest of what it was asked by, `messages.digest_of`.
        text: what it wrote; empty where the back end failed.
        program: what stands before the query.
        sql: the query, or what was refused in its place; empty if there was none.
        problem: why it does not do, in one line; None where it does.
        prompt_tokens: of the messages, None where nobody counts them; of several texts for one prompt the first has it.
        completion_tokens: likewise, of all these texts.
        seconds: likewise, until they were there.
    """

    messages: str
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
        attempts: all texts that were written for the question, in order.
        prompt_tokens: of all prompts, None where nobody counts them.
        completion_tokens: of all texts, None where nobody counts them.
    """

    attempts: tuple[Attempt, ...] = ()
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0

    @property
    def tried(self) -> tuple[str, ...]:
        """Return the queries of all attempts."""
        return tuple(one.sql for one in self.attempts if one.sql)

    def refused(self, reason: str) -> LlmAnswer:
        """Return that there is no answer, with what the attempts took."""
        spent = {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens}
        made = LlmAnswer(self.question, None, status="no_answer", reason=reason, seconds=self.seconds)
        return replace(made, attempts=self.attempts, **spent)

    @property
    def tokens(self) -> int | None:
        """Return how many tokens the model read and wrote for it; None where nobody counts."""
        counts = self.prompt_tokens, self.completion_tokens
        return None if counts[0] is None or counts[1] is None else counts[0] + counts[1]

    @property
    def unheard(self) -> bool:
        """Did the model give no answer at all? `parser.records.is_unheard` asks the same of a record."""
        return self.status == "error" and bool(self.attempts) and not self.attempts[-1].text
