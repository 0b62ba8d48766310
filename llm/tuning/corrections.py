"""Lessons of correction, and asking again in batches: what was wrong with a query goes into the prompt of the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ...data.errors import LlmError
from ..attempted import Attempts
from ..backends.batches import BatchWriter
from ..backends.causal_model import LanguageModel
from ..backends.chat_prompt import prompt_ids
from ..executor import Outcome
from ..messages import Completions
from ..prompts import Prompts
from .collection_questions import TuningQuestion
from .examples import TuningExample, tuning_example
from .samples import CollectionRunner

__all__ = ["ask_in_batches", "correction_examples"]


def correction_examples(
    loaded: LanguageModel,
    asked: Sequence[tuple[TuningQuestion, Sequence[str]]],
    prompts: Prompts,
    runner: CollectionRunner,
    *,
    most: int = 2,
    progress: Callable[[float], object] = lambda _: None,
) -> tuple[list[TuningExample], Counter[str]]:
    """Return the gold answers behind failed ones and what was said of these (LitE-SQL, Piao et al. 2025).

    As many without a failure are among them, lest the model forgets how to answer at once.

    Args:
        asked: questions, each with what the model wrote.
        most: failures of one question that are learnt.
        progress: told the share of questions that are done.

    Returns:
        The lessons, and how many there are of each kind of failure.
    """
    found, counts = list[TuningExample](), Counter[str]()
    for place, (question, texts) in enumerate(asked):
        progress(place / len(asked))
        gold = question.answer(prompts)
        failed = [text for text in dict.fromkeys(texts) if not runner.finds(question, text)]
        outcomes = [runner.outcome(question, text) for text in failed[:most]]
        told = [outcome for outcome in outcomes if outcome.problem is not None and outcome.text != gold]
        for outcome in told:
            found.append(tuning_example(loaded, question.messages(prompts, [outcome]), gold))
            counts[f"lessons: {outcome.failure}"] += 1
    count = len(found)
    step = max(1, len(asked) // count) if count else 1
    plain = [tuning_example(loaded, one.messages(prompts), one.answer(prompts)) for one, _ in asked[::step][:count]]
    counts["lessons: plain"] = len(plain)
    return found + plain, counts


def ask_in_batches(
    writer: BatchWriter,
    questions: Sequence[TuningQuestion],
    prompts: Prompts,
    runner: CollectionRunner,
    *,
    corrections: int = 0,
    masked: bool = False,
    progress: Callable[[float], object] = lambda _: None,
) -> list[list[Outcome]]:
    """Ask as `LlmAnswerer` does, greedily, and again after a query that fails or finds nothing, in batches.

    Args:
        corrections: how often a question is asked again, at most.
        masked: hold each query to its database.
        progress: told the share of questions that were answered, of all rounds.

    Returns:
        What became of the answers to each question, one a round.

    Raises:
        LlmError: a question does not fit in the model's context.
    """
    talks = [Attempts(one.pair.question) for one in questions]
    for round_ in range(corrections + 1):
        left = [place for place, talk in enumerate(talks) if not talk.over]
        asked = [_prompt(writer, questions[place], prompts, talks[place].failures) for place in left]
        schemas = [questions[place].schema for place in left] if masked else None
        for done, (number, texts) in enumerate(writer.write(asked, schemas=schemas)):
            place = left[number]
            outcome = runner.outcome(questions[place], texts[0])
            talks[place].hear("", Completions(texts), [outcome], 0.0)
            progress((round_ + (done + 1) / len(left)) / (corrections + 1))
    return [[outcome for (outcome,) in talk.rounds] for talk in talks]


def _prompt(writer: BatchWriter, question: TuningQuestion, prompts: Prompts, failures: Sequence[Outcome]) -> list[int]:
    """Return a prompt that fits; the oldest failures go first, as in `fitted`."""
    for start in range(len(failures) + 1):
        prompt = prompt_ids(writer.tokenizer, question.messages(prompts, failures[start:]))
        if writer.context is None or len(prompt) + writer.max_tokens <= writer.context:
            return prompt
    hint = "tell it fewer tables, or take a model with a longer context"
    raise LlmError(f"a question and its tables do not fit in {writer.context} tokens", field="context", hint=hint)
