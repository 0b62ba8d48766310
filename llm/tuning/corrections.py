"""Lessons of correction: what was wrong with a query goes into the prompt of the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ..backends.causal_model import LanguageModel
from ..prompts import Prompts
from .collection_questions import TuningQuestion
from .examples import TuningExample, tuning_example
from .samples import CollectionRunner

__all__ = ["correction_examples"]


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
