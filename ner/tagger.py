"""A BiLSTM-CRF that finds values by their form and their context."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import nn

from ..data.errors import InputError, RunError
from .gazetteer import Gazetteer
from .inputs import TaggerInputs
from .labelled import Labelled
from .network import TaggerNetwork
from .units import units

__all__ = ["Tagged", "Tagger", "TaggerConfig"]


@dataclass(frozen=True)
class TaggerConfig:
    """How a tagger is built and trained.

    Attributes:
        width: LSTM states each way.
        words: size of a unit's embedding.
        letters: size of a letter's embedding, and of the convolution over a unit's letters.
        dropout: share of unit representations and states dropped.
        swap: share of training values replaced by another of their type, so that contexts count.
        unknown: share of the units inside values read as unknown, since test values are.
        unknown_outside: the same for units outside.
        rate: AdamW's learning rate.
        batch: questions a step.
    """

    width: int = 96
    words: int = 64
    letters: int = 32
    dropout: float = 0.35
    swap: float = 0.5
    unknown: float = 0.25
    unknown_outside: float = 0.05
    rate: float = 4e-3
    batch: int = 16


@dataclass(frozen=True)
class Tagged:
    """What the tagger read in one question of ``n`` units.

    Attributes:
        spans: (first unit, one past the last, type) of each value on the best path.
        inside: probability of each tag at each unit, (n, tags): «O», then «B-» and «I-» of each type.
    """

    spans: tuple[tuple[int, int, str], ...]
    inside: NDArray[np.float32]


class Tagger:
    """Units to BIO tags of ``types``.

    Where units say a known value the network is told of which types, see `TaggerInputs`.
    """

    def __init__(self, types: Sequence[str], gazetteer: Gazetteer, config: TaggerConfig | None = None) -> None:
        self.gazetteer = gazetteer
        self.types = tuple(types)
        self.tags = ("O", *(f"{mark}-{name}" for name in self.types for mark in "BI"))
        self.config = config or TaggerConfig()
        self._inputs = TaggerInputs.of((), types=self.types, gazetteer=gazetteer)
        self._network = self._build()

    def fit(
        self,
        questions: Sequence[Labelled],
        *,
        epochs: int = 20,
        seed: int = 0,
    ) -> Self:
        """Train on labelled questions; the same seed gives the same weights on one machine.

        Args:
            questions: the pieces of each question.
            epochs: passes over the questions.
            seed: of weights, order, dropout and swaps.
        """
        if not questions:
            raise InputError("no questions to train a tagger on")
        others: dict[str, list[str]] = defaultdict(list)
        for entry in self.gazetteer.entries:
            others[entry.type].append(entry.surface)
        for question in questions:
            for text, name in question.pieces:
                if name is not None:
                    others[name].append(text)
        read = [unit.text for question in questions for text, _ in question.pieces for unit in units(text)]
        self._inputs = TaggerInputs.of(read, types=self.types, gazetteer=self.gazetteer)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._network = self._build()
            self._train(questions, others, epochs, random.Random(seed))
        self._network.eval()
        return self

    def tag(self, questions: Sequence[str], *, batch: int = 64) -> list[Tagged]:
        """Return what the tagger reads in each question."""
        found = [Tagged((), np.zeros((0, len(self.tags)), dtype=np.float32))] * len(questions)
        read = [[unit.text for unit in units(question)] for question in questions]
        # questions of like length share a batch: less padding
        order = sorted((n for n in range(len(questions)) if read[n]), key=lambda n: len(read[n]))
        self._network.eval()
        for first in range(0, len(order), batch):
            rows = order[first : first + batch]
            paths, inside = self._network.read(*self._inputs.encode([read[n] for n in rows]))
            for n, path, chances in zip(rows, paths, inside, strict=True):
                found[n] = Tagged(self._spans(path), chances[: len(path)].numpy())
        return found

    def chance(self, tagged: Tagged, start: int, end: int) -> dict[str, float]:
        """Return for each type how probable it is that units ``start`` to ``end`` are one value of it."""
        inside = tagged.inside[start:end]
        chances = {}
        for n, name in enumerate(self.types):
            begin, within = 1 + 2 * n, 2 + 2 * n
            chances[name] = float(min(inside[0, begin], inside[1:, within].min(initial=1.0)))
        return chances

    def save(self, folder: Path, name: str = "tagger") -> None:
        """Write ``name.safetensors`` and ``name.json`` into ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        save_file(self._network.state_dict(), folder / f"{name}.safetensors")
        about = {
            "types": self.types,
            "config": asdict(self.config),
            "words": self._inputs.words,
            "letters": self._inputs.letters,
        }
        (folder / f"{name}.json").write_text(json.dumps(about, ensure_ascii=False, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path, gazetteer: Gazetteer, name: str = "tagger") -> Self:
        """Read what `save` wrote; the gazetteer is kept elsewhere.

        Raises:
            RunError: a file is missing or does not fit the other.
        """
        path = folder / f"{name}.json"
        try:
            about = json.loads(path.read_text(encoding="utf-8"))
            tagger = cls(about["types"], gazetteer, TaggerConfig(**about["config"]))
            tagger._inputs = TaggerInputs(
                about["words"], about["letters"], types=tagger.types, gazetteer=tagger.gazetteer
            )
            tagger._network = tagger._build()
            tagger._network.load_state_dict(load_file(folder / f"{name}.safetensors"))
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            hint = "train again, or copy the whole folder"
            raise RunError(f"not a saved tagger: {error}", file=path, hint=hint) from error
        tagger._network.eval()
        return tagger

    def _build(self) -> TaggerNetwork:
        config = self.config
        # the caller's random state is left as it is
        with torch.random.fork_rng(devices=[]):
            return TaggerNetwork(
                words=len(self._inputs.words) + 2,
                letters=len(self._inputs.letters) + 2,
                hints=2 * len(self.types),
                tags=len(self.tags),
                word_width=config.words,
                letter_width=config.letters,
                width=config.width,
                dropout=config.dropout,
            )

    def _train(
        self, questions: Sequence[Labelled], others: Mapping[str, Sequence[str]], epochs: int, rng: random.Random
    ) -> None:
        optimizer = torch.optim.AdamW(self._network.parameters(), lr=self.config.rate)
        schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, total_iters=epochs)
        for _ in range(epochs):
            self._network.train()
            rows = [self._vary(question, others, rng) for question in questions]
            rows = [row for row in rows if row[0]]
            # sorted by length with some noise, then batches in random order
            rows.sort(key=lambda row: len(row[0]) + rng.random() * 4)
            batches = [rows[n : n + self.config.batch] for n in range(0, len(rows), self.config.batch)]
            rng.shuffle(batches)
            for batch in batches:
                tags = nn.utils.rnn.pad_sequence([torch.tensor(tags) for _, tags, _ in batch], batch_first=True)
                inputs = self._inputs.encode([row for row, _, _ in batch], [hidden for _, _, hidden in batch])
                loss = self._network.loss(*inputs, tags)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self._network.parameters(), 1.0)
                optimizer.step()
            schedule.step()

    def _vary(
        self, question: Labelled, others: Mapping[str, Sequence[str]], rng: random.Random
    ) -> tuple[list[str], list[int], list[bool]]:
        """Return a question's units, tags and which units to hide, some of its values swapped."""
        read: list[str] = []
        tags: list[int] = []
        hidden: list[bool] = []
        for text, name in question.pieces:
            swapped = rng.choice(others[name]) if name is not None and rng.random() < self.config.swap else text
            new = [unit.text for unit in units(swapped)]
            read += new
            if name is None:
                tags += [0] * len(new)
                hidden += [rng.random() < self.config.unknown_outside for _ in new]
                continue
            begin = self.tags.index(f"B-{name}")
            tags += [begin, *[begin + 1] * (len(new) - 1)] if new else []
            hidden += [rng.random() < self.config.unknown for _ in new]
        return read, tags, hidden

    def _spans(self, path: Sequence[int]) -> tuple[tuple[int, int, str], ...]:
        spans: list[tuple[int, int, str]] = []
        for n, tag in enumerate(path):
            mark, _, name = self.tags[tag].partition("-")
            if mark == "I" and spans and spans[-1][1] == n and spans[-1][2] == name:
                spans[-1] = (spans[-1][0], n + 1, name)
            elif mark != "O":
                spans.append((n, n + 1, name))
        return tuple(spans)
