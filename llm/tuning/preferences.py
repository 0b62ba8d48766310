"""Pairs of answers, of which one is to be preferred since it was seen to be better on the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..backends.causal_model import LanguageModel
from ..backends.chat_prompt import prompt_ids
from ..prompts import Prompts
from .collection_questions import TuningQuestion
from .examples import answer_ids
from .samples import CollectionRunner, SameRows, Verdict

__all__ = ["Preference", "preferences", "preferred"]


@dataclass(frozen=True)
class Preference:
    """One answer before another.

    Attributes:
        prompt: tokens of all that stands before both.
        chosen: tokens of the better answer, the end included.
        rejected: those of the other.
    """

    prompt: list[int]
    chosen: list[int]
    rejected: list[int]

    @property
    def row(self) -> dict[str, list[int]]:
        """Return it as trl's `DPOTrainer` takes what is in tokens already."""
        return {"prompt_ids": self.prompt, "chosen_ids": self.chosen, "rejected_ids": self.rejected}


def preferences(
    loaded: LanguageModel,
    asked: Sequence[tuple[TuningQuestion, Sequence[str]]],
    prompts: Prompts,
    runner: CollectionRunner,
    same: SameRows,
    *,
    progress: Callable[[float], object] = lambda _: None,
) -> tuple[list[Preference], Counter[str]]:
    """Return pairs made by execution (LitE-SQL, Piao et al. 2025), and how many there are of each kind.

    Args:
        asked: questions, each with what the model wrote.
        runner: runs what it wrote.
        same: says whether it is right.
        progress: told the share of questions that are done.
    """
    found, counts = list[Preference](), Counter[str]()
    for place, (question, texts) in enumerate(asked):
        progress(place / len(asked))
        if (gold := runner.gold(question)) is None:
            counts["questions whose rows tell nothing"] += 1
            continue
        verdicts: dict[str, Verdict] = {
            text: runner.verdict(question, text, gold, same) for text in dict.fromkeys(texts)
        }
        counts.update(f"answers: {verdicts[text]}" for text in texts)
        prompt = prompt_ids(loaded.tokenizer, question.messages(prompts))
        for chosen, rejected, kind in preferred(verdicts, question.answer(prompts)):
            found.append(Preference(prompt, answer_ids(loaded, chosen), answer_ids(loaded, rejected)))
            counts[f"pairs: {kind}"] += 1
    return found, counts


def preferred(verdicts: Mapping[str, Verdict], gold: str) -> Iterator[tuple[str, str, str]]:
    """Yield (chosen, rejected, kind) of one question, at most one of each kind.

    Right before wrong and before failing; where nothing is right the gold answer before what runs, if that does, and
    what runs before what fails, else before what fails.

    Args:
        verdicts: of the model's different answers, in the order in which it wrote them.
        gold: the gold answer.
    """
    first: dict[Verdict, str] = {}
    for text, verdict in verdicts.items():
        first.setdefault(verdict, text)
    right, wrong, failing = first.get("right"), first.get("wrong"), first.get("failing")
    best, name = (gold, "gold") if right is None else (right, "right")
    if wrong is not None:
        yield best, wrong, f"{name} before wrong"
    if failing is not None and right is None and wrong is not None:
        yield wrong, failing, "running before failing"
    elif failing is not None:
        yield best, failing, f"{name} before failing"
