"""A multi-label classifier of questions: trained, calibrated, saved."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from ..data.errors import InputError, RunError
from .textrnn import TextRNN

__all__ = ["ClassifierConfig", "LabelClassifier"]

_PADDING, _UNKNOWN = "<pad>", "<unk>"


@dataclass(frozen=True)
class ClassifierConfig:
    """How a classifier is built and trained.

    Attributes:
        width: embedding size, and GRU states each way.
        dropout: share of embedding and pooled values dropped.
        unknown: share of training words replaced by <unk>, so that its embedding is trained.
        rate: AdamW's learning rate.
        batch: questions a step at least.
        steps: steps an epoch at most; with many questions a step takes more of them.
        at_least: labels that `LabelClassifier.select` returns at least (the most probable ones).
        ceiling: calibration never sets a threshold above this. A dev set of 50 questions that are all
            answered right would allow one half, yet cannot show a recall of 0.99; at 0.02 a
            question gets half a table more than it needs.
    """

    width: int = 96
    dropout: float = 0.3
    unknown: float = 0.05
    rate: float = 3e-3
    batch: int = 16
    steps: int = 40
    at_least: int = 0
    ceiling: float = 0.02


class LabelClassifier:
    """Which of ``labels`` a question needs; questions are lists of words, as `words` cuts them."""

    def __init__(self, labels: Sequence[str], config: ClassifierConfig | None = None) -> None:
        self.labels = tuple(labels)
        self.config = config or ClassifierConfig()
        self.threshold = 0.5
        self.words: dict[str, int] = {_PADDING: 0, _UNKNOWN: 1}
        self._model = self._build()

    def fit(
        self,
        questions: Sequence[Sequence[str]],
        label_sets: Sequence[Collection[str]],
        *,
        dev: tuple[Sequence[Sequence[str]], Sequence[Collection[str]]] | None = None,
        epochs: int = 20,
        seed: int = 0,
    ) -> Self:
        """Train on questions and their label sets by binary cross-entropy; the same seed gives the same weights.

        With ``dev`` the weights of the epoch with the lowest loss on it are kept, else the last ones.

        Raises:
            InputError: no questions, or a label that is not among ``labels``.
        """
        if not questions:
            raise InputError("no questions to train a classifier on")
        counts = Counter(word for question in questions for word in question)
        self.words = {word: n for n, word in enumerate([_PADDING, _UNKNOWN, *sorted(counts)])}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._model = self._build()
            if self.labels:
                self._train(questions, self._targets(label_sets), dev, epochs)
        self._model.eval()
        return self

    def probabilities(self, questions: Sequence[Sequence[str]], *, batch: int = 256) -> NDArray[np.float32]:
        """Return the probability of each label, (questions, labels)."""
        if not self.labels or not questions:
            return np.zeros((len(questions), len(self.labels)), dtype=np.float32)
        self._model.eval()
        with torch.inference_mode():
            parts = [
                torch.sigmoid(self._model(self._ids(questions[n : n + batch]))) for n in range(0, len(questions), batch)
            ]
        return torch.cat(parts).numpy()

    def calibrate(
        self, questions: Sequence[Sequence[str]], label_sets: Sequence[Collection[str]], *, recall: float = 0.99
    ) -> float:
        """Set and return the largest threshold that keeps whole gold sets inside for a share ``recall`` of questions.

        One threshold for all labels: dev sets of 50 questions hold a rare label once or never, too
        little to choose one for each. It never exceeds the config's ``ceiling``. Gold labels that the
        classifier does not know are out of any threshold's reach and do not count.
        """
        if not 0 < recall <= 1:
            raise InputError(f"recall {recall} is not between 0 and 1", field="recall")
        targets = self._targets(label_sets, strict=False).numpy().astype(bool)
        weakest = np.where(targets, self.probabilities(questions), 1.0).min(axis=1, initial=1.0)
        weakest.sort()
        # the slack keeps 100 questions at recall 0.99 from losing their one miss to rounding
        misses = int(len(weakest) * (1 - recall) + 1e-9)
        reached = float(weakest[misses]) if misses < len(weakest) else 1.0
        self.threshold = min(reached, self.config.ceiling)
        return self.threshold

    def select(self, questions: Sequence[Sequence[str]]) -> list[set[str]]:
        """Return the labels each question may need: those at or over the threshold, the best ``at_least`` always."""
        return [self.chosen(row) for row in self.probabilities(questions)]

    def chosen(self, probabilities: NDArray[np.float32]) -> set[str]:
        """Return the labels that one row of `probabilities` selects."""
        best = np.argsort(-probabilities, kind="stable")[: self.config.at_least]
        kept = np.flatnonzero(probabilities >= np.float32(self.threshold))
        return {self.labels[n] for n in {*best.tolist(), *kept.tolist()}}

    def save(self, folder: Path, name: str) -> None:
        """Write ``name.safetensors`` and ``name.json`` into ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        save_file(self._model.state_dict(), folder / f"{name}.safetensors")
        about = {
            "labels": self.labels,
            "threshold": self.threshold,
            "config": asdict(self.config),
            "words": list(self.words),
        }
        (folder / f"{name}.json").write_text(json.dumps(about, ensure_ascii=False, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path, name: str) -> Self:
        """Read what `save` wrote.

        Raises:
            RunError: a file is missing or does not fit the other.
        """
        path = folder / f"{name}.json"
        try:
            about = json.loads(path.read_text(encoding="utf-8"))
            classifier = cls(about["labels"], ClassifierConfig(**about["config"]))
            classifier.threshold = float(about["threshold"])
            classifier.words = {word: n for n, word in enumerate(about["words"])}
            classifier._model = classifier._build()
            classifier._model.load_state_dict(load_file(folder / f"{name}.safetensors"))
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            hint = "train again, or copy the whole folder"
            raise RunError(f"not a saved classifier: {error}", file=path, hint=hint) from error
        classifier._model.eval()
        return classifier

    def _build(self) -> TextRNN:
        config = self.config
        # one output at least: torch warns of layers without; and the caller's random state is left as it is
        labels = max(1, len(self.labels))
        with torch.random.fork_rng(devices=[]):
            return TextRNN(words=len(self.words), labels=labels, width=config.width, dropout=config.dropout)

    def _train(
        self,
        questions: Sequence[Sequence[str]],
        targets: Tensor,
        dev: tuple[Sequence[Sequence[str]], Sequence[Collection[str]]] | None,
        epochs: int,
    ) -> None:
        loss_of = nn.BCEWithLogitsLoss()
        optimizer = torch.optim.AdamW(self._model.parameters(), lr=self.config.rate)
        schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, total_iters=epochs)
        best: tuple[float, dict[str, Tensor]] | None = None
        ids = self._ids(questions)
        batch = max(self.config.batch, math.ceil(len(questions) / self.config.steps))
        for _ in range(epochs):
            self._model.train()
            # questions of like length share a step, since a step takes as long as its longest one
            order = torch.argsort((ids != 0).sum(dim=1) + 4 * torch.rand(len(questions)))
            steps = order.split(batch)
            for chosen in (steps[n] for n in torch.randperm(len(steps)).tolist()):
                rows = ids[chosen]
                hidden = (torch.rand(rows.shape) < self.config.unknown) & (rows != self.words[_PADDING])
                rows = rows.masked_fill(hidden, self.words[_UNKNOWN])
                rows = rows[:, : max(1, int((rows != 0).sum(dim=1).max()))]
                loss = loss_of(self._model(rows), targets[chosen])
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
                optimizer.step()
            schedule.step()
            if dev is not None and dev[0]:
                self._model.eval()
                with torch.inference_mode():
                    error = float(loss_of(self._model(self._ids(dev[0])), self._targets(dev[1], strict=False)))
                if best is None or error < best[0]:
                    best = error, {name: value.clone() for name, value in self._model.state_dict().items()}
        if best is not None:
            self._model.load_state_dict(best[1])

    def _ids(self, questions: Sequence[Sequence[str]]) -> Tensor:
        rows = [torch.tensor([self.words.get(w, 1) for w in question] or [0]) for question in questions]
        return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=self.words[_PADDING])

    def _targets(self, label_sets: Sequence[Collection[str]], *, strict: bool = True) -> Tensor:
        position = {label: n for n, label in enumerate(self.labels)}
        targets = torch.zeros(len(label_sets), len(self.labels))
        for row, labels in enumerate(label_sets):
            unknown = set(labels) - position.keys()
            if unknown and strict:
                raise InputError(f"labels {sorted(unknown)} are not among the classifier's {len(self.labels)}")
            targets[row, [position[label] for label in labels if label in position]] = 1.0
        return targets
