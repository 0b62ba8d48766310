"""Greedy and beam search over a batch of questions, under both constraints.

Words outside a constraint get -inf before the choice (the paper multiplies their weights by 0; the choices are the
same, and -inf cannot be undone by a negative logit). A hypothesis scores the sum of its words' log-probabilities,
over the whole vocabulary and not only over the words allowed: a query that the constraint had to force out of the
model scores low. Ties go to the lower index. Finished rows leave the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..grammar import Batch
from .steps import Step, record
from .words import BOS, EOS, PAD

if TYPE_CHECKING:
    from ..grammar import Constraint
    from .global_constraint import Account
    from .model import Memory, ParserModel

__all__ = ["Found", "beam", "greedy", "search"]


_READ = ("input_ids", "attention_mask", "slot_words", "slot_starts", "slot_ends")


@dataclass(frozen=True)
class Found:
    """A query that a search found.

    Attributes:
        words: ids, without <bos> and <eos>.
        score: sum of log-probabilities divided by length ** alpha, <eos> counted.
        complete: False if it was cut off at the budget, which only happens without the local constraint.
        steps: what each step allowed and refused, where that was asked for.
    """

    words: tuple[int, ...]
    score: float
    complete: bool
    steps: tuple[Step, ...] = ()


@dataclass
class _Row:
    """A hypothesis; ``question`` is its place in the batch."""

    question: int
    words: list[int] = field(default_factory=list[int])
    total: float = 0.0
    steps: list[Step] = field(default_factory=list[Step])

    def then(self, word: int, total: float, step: Step | None) -> _Row:
        return _Row(self.question, [*self.words, word], total, [*self.steps, step] if step else self.steps)

    def found(self, alpha: float, *, complete: bool) -> Found:
        words = tuple(self.words[:-1] if complete else self.words)
        return Found(words, self.score(alpha), complete, tuple(self.steps))

    def score(self, alpha: float) -> float:
        return self.total / len(self.words) ** alpha


@dataclass(frozen=True)
class _Rules:
    """Both constraints of a batch; ``available`` and ``bias`` are (questions, words), ``values`` one a question."""

    budget: int
    constraint: Constraint | None
    available: np.ndarray[Any, np.dtype[np.bool_]] | None
    bias: Tensor | None
    values: Sequence[Mapping[str, str]] = ()

    @classmethod
    def of(cls, constraint: Constraint | None, accounts: Sequence[Account] | None, budget: int, device: Any) -> _Rules:
        if accounts is None:
            return cls(budget, constraint, None, None)
        available = np.stack([account.available for account in accounts])
        available[:, EOS] = True
        bias = torch.from_numpy(np.stack([account.bias for account in accounts])).to(device)
        values = [{value.slot: value.mention.sql for value in account.values} for account in accounts]
        return cls(budget, constraint, available, bias if bias.any() else None, values)

    def start(self, questions: int) -> Batch | None:
        """Return the beginnings of so many questions' queries, None without the local constraint."""
        start = None if self.constraint is None else self.constraint.start
        if start is None:
            return None
        if self.available is None:
            return Batch.of([start(budget=self.budget)] * questions)
        pairs = zip(self.available, self.values, strict=True)
        return Batch.of([start(available, self.budget, values) for available, values in pairs])

    def allowed(self, rows: Sequence[_Row], prefixes: Batch | None, words: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return the words (rows, words) that may come next."""
        if prefixes is not None:
            return prefixes.allowed()
        if self.available is None:
            mask = np.ones((len(rows), words), dtype=np.bool_)
        else:
            mask = self.available[[row.question for row in rows]]
        mask[:, [PAD, BOS]] = False
        return mask


@torch.inference_mode()
def search(
    model: ParserModel,
    batch: Mapping[str, Tensor],
    *,
    width: int = 1,
    constraint: Constraint | None = None,
    accounts: Sequence[Account] | None = None,
    budget: int | None = None,
    alpha: float = 1.0,
    explain: bool = False,
) -> list[Found]:
    """Return the best query for each question of ``batch``.

    Args:
        model: set to eval mode by the caller.
        batch: of `collate.collate`; labels are not looked at.
        width: hypotheses kept for a question; 1 is greedy.
        constraint: the local constraint, or None for none.
        accounts: the global constraint's word on each question, or None for none.
        budget: most words of a query; the model's by default.
        alpha: strength of the length normalisation; 0 is none.
        explain: also record every step.

    Raises:
        ConstraintError: no query fits the words available to a question.
    """
    memory = model.remember(**{key: batch[key].to(model.device) for key in _READ})
    rules = _Rules.of(constraint, accounts, budget or model.config.budget, model.device)
    rows = [_Row(question) for question in range(len(batch["input_ids"]))]
    prefixes = rules.start(len(rows))
    finished: list[list[Found]] = [[] for _ in rows]
    read = [BOS] * len(rows)
    while rows:
        scores = _scores(model, memory, rows, read, rules)
        allowed = rules.allowed(rows, prefixes, scores.shape[1])
        totals = scores + torch.tensor([row.total for row in rows], device=scores.device)[:, None]
        totals = totals.masked_fill(torch.from_numpy(~allowed).to(scores.device), -torch.inf)
        step = _Stepper(prefixes, scores, allowed) if explain else None
        kept = _expand(rows, totals, width=width, rules=rules, finished=finished, alpha=alpha, step=step)
        if not kept:
            break
        sources, rows = [source for source, _ in kept], [row for _, row in kept]
        read = [row.words[-1] for row in rows]
        prefixes = None if prefixes is None else prefixes.advance(sources, read)
        if sources != list(range(len(allowed))):
            memory = memory.select(torch.tensor(sources, device=scores.device))
    return [max(found, key=lambda f: f.score) for found in finished]


greedy = partial(search, width=1)
"""`search` that takes the best word at each step."""

beam = partial(search, width=5)
"""`search` that keeps the five best hypotheses of each question, or ``width`` of them."""


def _scores(model: ParserModel, memory: Memory, rows: Sequence[_Row], read: Sequence[int], rules: _Rules) -> Tensor:
    """Return log-probabilities (rows, words)."""
    logits = model.score(torch.tensor(read, device=model.device)[:, None], memory)[:, 0].float()
    if rules.bias is not None:
        logits = logits + rules.bias[[row.question for row in rows]]
    return torch.log_softmax(logits, dim=-1)


def _expand(
    rows: Sequence[_Row],
    totals: Tensor,
    *,
    width: int,
    rules: _Rules,
    finished: list[list[Found]],
    alpha: float,
    step: Callable[[int, int], Step] | None,
) -> list[tuple[int, _Row]]:
    """Return the hypotheses to go on with, as (row they come from, row); put the finished ones away.

    Among a question's best ``2 * width`` continuations, ends among the first ``width`` are finished, and the first
    ``width`` others go on. A question is done when it has ``width`` finished queries and none of those that go on
    scores better so far than the best of them.
    """
    ranked: dict[int, list[tuple[float, int, int]]] = {}
    for source, (values, words) in enumerate(_best(totals, 2 * width if width > 1 else 1)):
        found = [(-value, source, word) for value, word in zip(values, words, strict=True) if value > -np.inf]
        ranked.setdefault(rows[source].question, []).extend(found)
    kept: list[tuple[int, _Row]] = []
    for question, candidates in ranked.items():
        alive: list[tuple[int, _Row]] = []
        for rank, (cost, source, word) in enumerate(sorted(candidates)[: 2 * width]):
            if len(alive) == width or (word == EOS and rank >= width):
                continue
            row = rows[source].then(word, -cost, step and step(source, word))
            if word == EOS:
                finished[question].append(row.found(alpha, complete=True))
            elif rules.constraint is None and len(row.words) >= rules.budget:
                finished[question].append(row.found(alpha, complete=False))
            else:
                alive.append((source, row))
        done = finished[question]
        if len(done) < width or any(row.score(alpha) > max(f.score for f in done) for _, row in alive):
            kept.extend(alive)
    return kept


def _best(totals: Tensor, count: int) -> list[tuple[list[float], list[int]]]:
    """Return each row's best values and their words; of equal ones the lower index first."""
    if count == 1:
        values, words = totals.max(dim=-1, keepdim=True)
    else:
        values, words = totals.topk(min(count, totals.shape[1]), dim=-1)
    return list(zip(values.tolist(), words.tolist(), strict=True))


@dataclass(frozen=True)
class _Stepper:
    """Records one step of all rows, for `Found.steps`."""

    prefixes: Batch | None
    scores: Tensor
    allowed: np.ndarray[Any, np.dtype[np.bool_]]

    def __call__(self, source: int, word: int) -> Step:
        probabilities = self.scores[source].exp().cpu().numpy()
        state = None if self.prefixes is None else self.prefixes.state(source)
        return record(word, probabilities=probabilities, allowed=self.allowed[source], state=state)
