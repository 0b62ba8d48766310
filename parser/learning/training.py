"""The training loop: AdamW, warm-up and cosine decay, averaged weights, and checkpoints from which a run resumes.

A network is judged by its next words of held-out queries (teacher forcing), which is cheap enough for every epoch.
"""

import json
import math
import pickle
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from ...data.errors import RunError
from ...data.whole_files import write_text
from ..reader.output_vocabulary import UNKNOWN
from ..settings.options import OptimOptions
from ..settings.run_folder import read_curve
from .batches import TrainingBatch
from .network import TrainableNetwork
from .training_set import TrainingSet

CHECKPOINT_SECONDS = 100.0
"""The number of seconds after which a checkpoint is saved within an epoch."""


class Training:
    """One training, which resumes from the checkpoint in its folder.

    Args:
        network: the network to train.
        examples: the training set.
        optim: the options of the optimizer.
        folder: the folder of ``curve.jsonl`` and ``checkpoint.pt``.
        judge: a function that measures the averaged network after some epochs; the curve keeps its results.
        every: the number of epochs between two measurements.
        seed: the seed of the order and of the items left out.
        workers: the number of processes that make batches, which does not change the batches.
        bfloat16: whether to use mixed precision; None uses it except on a CPU.
    """

    def __init__(
        self,
        network: TrainableNetwork,
        examples: TrainingSet,
        optim: OptimOptions,
        folder: Path,
        *,
        judge: Callable[[TrainableNetwork], dict[str, float]] | None = None,
        every: int = 1,
        seed: int = 0,
        workers: int = 0,
        bfloat16: bool | None = None,
    ) -> None:
        self.bfloat16 = bfloat16
        self.network = network.to(examples.device)
        self.examples = examples
        with _mixed_precision(examples.device, bfloat16):
            self._frozen = examples.states  # before an epoch begins, which seeds what drops out
        self.optim = optim
        self.seed = seed
        self.workers = workers
        self.folder = folder
        self.curve = folder / "curve.jsonl"
        self.judge = judge
        self.every = every
        self._of_epoch = math.ceil(len(examples) / optim.batch_size)
        self.steps = optim.epochs * self._of_epoch
        self._warmup = max(1, round(optim.warmup * self.steps))
        self.optimizer = torch.optim.AdamW(_groups(network, optim), betas=(0.9, 0.98), fused=True)
        self.averaged = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(optim.average))
        learnt = [parameter for parameter in network.parameters() if parameter.requires_grad]
        self._anchors = [(p, p.detach().clone()) for p in learnt] if optim.anchor else []
        self.step = 0
        self.epoch = 0
        self.loss = 0.0
        self.seconds = 0.0
        self._losses: list[Tensor] = []  # of the epoch that is under way

    def run(self, progress: Callable[[int], None] = lambda _: None) -> Iterator[dict[str, Any]]:
        """Train to the end, and yield the row of the curve of each epoch; ``progress`` is called with steps done."""
        self._resume()
        progress(self.step)
        noted = {row["epoch"] for row in read_curve(self.curve)}
        if self.epoch and self.epoch not in noted:  # killed while the epoch was judged
            yield self._judged()
        left, done = range(self.epoch, self.optim.epochs), len(self._losses)
        batches = self.examples.batches(self.seed, left, self.optim.batch_size, skip=done, workers=self.workers)
        while self.epoch < self.optim.epochs:
            if not self._losses:
                torch.manual_seed(self.seed * 1000 + self.epoch)
            self._epoch(islice(batches, self._of_epoch - len(self._losses)), progress)
            self.loss = float(torch.stack(self._losses).double().mean())
            self._losses = []
            self.epoch += 1
            self._save()
            yield self._judged()

    def _judged(self) -> dict[str, Any]:
        row: dict[str, Any] = {"epoch": self.epoch, "step": self.step, "loss": round(self.loss, 4)}
        row["seconds"] = round(self.seconds, 1)
        if self.judge and (self.epoch % self.every == 0 or self.epoch == self.optim.epochs):
            row |= self.judge(self.best())
        rows = [one for one in read_curve(self.curve) if one["epoch"] < self.epoch]
        write_text(self.curve, "".join(f"{json.dumps(one)}\n" for one in [*rows, row]))
        return row

    def best(self) -> TrainableNetwork:
        """Return the averaged network, in evaluation mode."""
        return cast(TrainableNetwork, self.averaged.module.eval())

    def _epoch(self, batches: Iterator[TrainingBatch], progress: Callable[[int], None]) -> None:
        self.network.train()
        begun = saved = time.perf_counter()
        before = self.seconds
        for batch in batches:
            for group in self.optimizer.param_groups:
                group["lr"] = group["highest"] * self._rate()
            with _mixed_precision(self.examples.device, self.bfloat16):
                loss = self.network.loss(batch.to(self.examples.device), self._frozen)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimizer.step()
            with torch.no_grad():
                for parameter, first in self._anchors:
                    parameter.lerp_(first, self.optim.lr * self._rate() * self.optim.anchor)
            self.averaged.update_parameters(self.network)
            self._losses.append(loss.detach())  # a GPU would have to be waited for to know it now
            self.step += 1
            progress(1)
            now = time.perf_counter()
            self.seconds = before + now - begun
            if now - saved >= CHECKPOINT_SECONDS:
                self._save()
                saved = time.perf_counter()

    def _rate(self) -> float:
        warm = min(1.0, (self.step + 1) / self._warmup)
        return warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, self.step / self.steps))))

    def _save(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        parts = {"network": self.network, "averaged": self.averaged, "optimizer": self.optimizer}
        state = {name: part.state_dict() for name, part in parts.items()}
        state |= {"epoch": self.epoch, "step": self.step, "loss": self.loss, "seconds": self.seconds}
        if self._losses:  # batches depend on the seed and the epoch alone, dropout on torch's generator
            state |= {"losses": torch.stack(self._losses), "random": self._random()}
        aside = self.folder / "checkpoint.pt.part"
        torch.save(state, aside)
        aside.replace(self.folder / "checkpoint.pt")

    def _random(self) -> list[Tensor]:
        """Return the states of torch's random generators: of the CPU, and of the GPU in use."""
        device = torch.device(self.examples.device)
        return [torch.get_rng_state(), *([torch.cuda.get_rng_state(device)] if device.type == "cuda" else [])]

    def _resume(self) -> None:
        file = self.folder / "checkpoint.pt"
        if not file.exists():
            return
        try:
            state = torch.load(file, weights_only=True, map_location=self.examples.device)
            for name, part in (("network", self.network), ("averaged", self.averaged), ("optimizer", self.optimizer)):
                part.load_state_dict(state[name])
        except (RuntimeError, KeyError, ValueError, EOFError, pickle.UnpicklingError) as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            problem = f"not a checkpoint of this training: {why}"
            raise RunError(problem, file=file, hint="take another folder, or remove the file") from error
        self.epoch, self.step, self.loss, self.seconds = (state[key] for key in ("epoch", "step", "loss", "seconds"))
        if "losses" in state:  # it was saved within an epoch
            self._losses = list(state["losses"])
            torch.set_rng_state(state["random"][0].cpu())
            if len(state["random"]) > 1:
                torch.cuda.set_rng_state(state["random"][1].cpu(), self.examples.device)


def _mixed_precision(device: str, wanted: bool | None = None) -> torch.autocast:
    """Use bfloat16 where it is precise enough; on a CPU only if ``wanted``."""
    kind = torch.device(device).type
    return torch.autocast(kind, torch.bfloat16, enabled=kind != "cpu" if wanted is None else wanted)


def _groups(network: TrainableNetwork, optim: OptimOptions) -> list[dict[str, Any]]:
    """Return the parameters in groups of one rate and weight decay; vectors and biases do not decay."""
    found: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in network.named_parameters():
        if parameter.requires_grad:
            rate = optim.encoder_lr if name.startswith("upper.") else optim.lr
            found.setdefault((rate, optim.weight_decay if parameter.ndim > 1 else 0.0), []).append(parameter)
    return [{"params": some, "highest": rate, "weight_decay": decay} for (rate, decay), some in found.items()]


class TeacherForcedMatch:
    """Measures a network on the held-out examples of a training set, each with its whole schema.

    Args:
        examples: the training set, whose held-out examples all have a query.
        size: the number of examples in a batch.
    """

    def __init__(self, examples: TrainingSet, *, size: int = 32) -> None:
        self.examples = examples
        self.batches = list(examples.judging(size))

    @torch.no_grad()
    def __call__(self, network: TrainableNetwork) -> dict[str, float]:
        """Return the share of queries whose every word is the likeliest after its prefix (``exact``).

        Values that the question does not name count as right.
        """
        right = torch.zeros((), device=self.examples.device)
        for one in self.batches:
            batch = one.to(self.examples.device)
            with _mixed_precision(self.examples.device):
                states = network.encode(batch, self.examples.states)
                likeliest = network.next_words(states, batch.targets).argmax(-1)
            ignored = (batch.targets < 0) | (batch.targets == UNKNOWN)
            right += ((likeliest == batch.targets) | ignored).all(1).sum()
        return {"exact": round(float(right) / max(1, len(self.examples.held_out)), 4)}
