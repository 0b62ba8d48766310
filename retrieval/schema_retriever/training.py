"""Trains the schema retriever on questions whose tables are known, in torch: minutes on one core of a CPU.

The loss is HN-SupCon (supervised contrastive with hard negatives, LitE-SQL, Piao et al. 2025): each table that the
query needs is compared with all others of its database, but for those that score better by more than a margin: they
may be right as well.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import Tensor, nn
from torch.nn import functional

from ...data.errors import InputError
from ...encoders.functions import Floats
from .schema_names import SchemaNames
from .table_scorer import FEATURES, SHARP, WEIGHTS, RetrieverQuestion, term_matches

_WARM = 50  # steps until the rate is reached
_FIRST = (0.2, 0.3, 0.3, 0.3, 0.1, 0.1, 0.0, 0.5)
"""The weights of `FEATURES` before training, which rank well already."""


@dataclass(frozen=True)
class RetrieverOptions:
    """How a retriever is trained.

    Attributes:
        steps: how many; each is one batch from one database.
        batch: questions a step.
        rate: the learning rate after 50 steps, from where it falls to 0 in a line.
        width: of the vectors that are compared.
        margin: by which a table may score better than a right one and still count as wrong (m_ij of the paper).
        dropout: of term matches, so that the vectors learn what terms would show.
        seed: of order, dropout and first weights.
    """

    steps: int = 500
    batch: int = 24
    rate: float = 1e-3
    width: int = 128
    margin: float = 0.1
    dropout: float = 0.2
    seed: int = 0


@dataclass(frozen=True)
class RetrieverLesson:
    """A question, with the numbers of the tables that its query needs."""

    question: RetrieverQuestion
    tables: tuple[int, ...]


@dataclass(frozen=True)
class TaughtSchema:
    """A database's names, the encoder's vectors of their texts, (texts, hidden), and questions on it."""

    names: SchemaNames
    vectors: Floats
    lessons: Sequence[RetrieverLesson]


class TrainableScorer(nn.Module):
    """Computes the scores of `TableScorer` for many questions on one schema."""

    def __init__(self, hidden: int, width: int) -> None:
        super().__init__()
        first = torch.randn(width, hidden) / hidden**0.5
        self.question, self.name = nn.Parameter(first.clone()), nn.Parameter(first)
        self.gate, self.gate_bias = nn.Parameter(0.02 * torch.randn(hidden)), nn.Parameter(torch.tensor(0.5))
        self.rarity = nn.Parameter(torch.tensor(0.3))
        self.features = nn.Parameter(torch.tensor(_FIRST))
        self.sharpness = nn.Parameter(torch.tensor(20.0).log())

    def forward(self, schema: TaughtSchema, lessons: Sequence[RetrieverLesson], dropout: float) -> list[Tensor]:
        """Return the scores of all tables for each question, (tables,)."""
        names = schema.names
        weight: dict[str, Tensor] = dict(zip(FEATURES, self.features, strict=True))
        projected = functional.normalize(torch.from_numpy(schema.vectors) @ self.name.T, dim=-1)
        text_of, table_of = torch.from_numpy(names.text_of), torch.from_numpy(names.table_of)
        own = torch.from_numpy(names.own.astype(np.float32))
        sizes = torch.bincount(table_of).sub(1).log1p()
        links = torch.from_numpy(names.links)
        scores: list[Tensor] = []
        for lesson in lessons:
            question, terms = lesson.question, term_matches(lesson.question, names)
            states = functional.normalize(torch.from_numpy(question.states.astype(np.float32)), dim=-1)
            alike = functional.normalize(states @ self.question.T, dim=-1) @ projected.T
            share = torch.from_numpy(terms.share)
            worth = weight["term"] + weight["term share"] * share + weight["all terms"] * (share == 1)
            worth = worth * (torch.rand(len(share)) >= dropout)
            where = (torch.from_numpy(terms.words), torch.from_numpy(terms.texts))
            found = alike.index_put(where, worth, accumulate=True)[:, text_of] + weight["table"] * own
            cells, sure = torch.from_numpy(terms.cells), torch.from_numpy(terms.sure)
            found = found + weight["cell"] * cells + weight["sure cell"] * sure
            tables = found.new_full((len(found), len(sizes)), -9.0)
            tables = tables.scatter_reduce(1, table_of.expand_as(found), found, "amax")
            near = tables
            if len(links):
                into = links[:, 1].expand(len(tables), -1)
                near = tables.scatter_reduce(1, into, tables[:, links[:, 0]], "amax")
            gate = states @ self.gate * SHARP + self.gate_bias + self.rarity * torch.from_numpy(terms.rarity)
            each = functional.softplus(gate)
            each = each / each.sum()
            scores.append(each @ tables + weight["linked"] * (each @ near) + weight["size"] * sizes)
        return scores

    def save(self, file: Path) -> None:
        """Write the weights for `TableScorer.load`, in half precision."""
        kept = {name: getattr(self, name).detach().numpy() for name in WEIGHTS}
        save_file({name: np.atleast_1d(array).astype(np.float16) for name, array in kept.items()}, file)


def train_scorer(
    schemas: Sequence[TaughtSchema],
    out: Path,
    options: RetrieverOptions | None = None,
    *,
    progress: Callable[[float], object] = lambda _: None,
) -> None:
    """Train a retriever and write it to a file, ``.safetensors``.

    Args:
        schemas: batches are drawn from each as often as its share of all questions.
        progress: called with the share of steps that are done.

    Raises:
        InputError: there is no question to learn from.
    """
    options = options or RetrieverOptions()
    taught = [schema for schema in schemas if schema.lessons and len(schema.names.starts) > 1]
    if not taught:
        raise InputError("there is no question on a database of several tables", field="collections")
    torch.manual_seed(options.seed)
    drawn = random.Random(options.seed)
    scorer = TrainableScorer(taught[0].vectors.shape[1], options.width)
    optimizer = torch.optim.AdamW(scorer.parameters(), lr=options.rate, weight_decay=0.0)
    counts = [len(schema.lessons) for schema in taught]
    for step in range(options.steps):
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1.0, (step + 1) / _WARM) * (1 - step / options.steps)
        (schema,) = drawn.choices(taught, counts)
        lessons = drawn.sample(schema.lessons, min(options.batch, len(schema.lessons)))
        scores = scorer(schema, lessons, options.dropout)
        sharp = scorer.sharpness.exp()
        losses = [
            hard_negative_loss(one, lesson.tables, sharp, options.margin)
            for one, lesson in zip(scores, lessons, strict=True)
        ]
        optimizer.zero_grad()
        torch.stack(losses).mean().backward()
        nn.utils.clip_grad_norm_(scorer.parameters(), 1.0)
        optimizer.step()
        progress((step + 1) / options.steps)
    scorer.save(out)


def hard_negative_loss(scores: Tensor, tables: Sequence[int], sharp: Tensor, margin: float) -> Tensor:
    """Return the loss of one question, a number.

    Args:
        scores: of all tables, (tables,).
        tables: those that are right.
        sharp: the inverse of the temperature.
        margin: see `RetrieverOptions`.
    """
    right = torch.zeros(len(scores), dtype=torch.bool)
    right[list(tables)] = True
    losses: list[Tensor] = []
    for table in sorted(set(tables)):
        doubtful = ~right & (scores.detach() > scores[table].detach() + margin)
        others = (scores * sharp)[~right & ~doubtful]
        losses.append(torch.cat([scores[table : table + 1] * sharp, others]).logsumexp(0) - scores[table] * sharp)
    return torch.stack(losses).mean()
