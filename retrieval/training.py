"""Trains a bi-encoder by SoftSimMatch, in torch: its upper layers learn which questions are paraphrases."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import Tensor, nn

from ..data.errors import InputError
from ..data.hashed_folder import write_json
from ..encoders.learning import EncoderLayers
from ..encoders.load import PROMPTS, encoder_folder
from .bi_encoder import MAX_TOKENS, load_bi_encoder
from .likeness import Likeness

_SHARES = (4, 4, 3)  # of pairs of 1, of 0 and of 0.5 (BibSQL 2025)
_WARM = 0.1  # of all steps, until the rate is reached


@dataclass(frozen=True)
class BiEncoderOptions:
    """How a bi-encoder is trained.

    Attributes:
        epochs: how often each question is seen.
        batch: questions a step; each two of them are a pair.
        rate: the learning rate after a tenth of all steps, from where it falls to 0 in a line.
        frozen: how many lower layers of the encoder are not trained, which saves half the time and more.
        seed: of order and dropout.
    """

    epochs: int = 15
    batch: int = 96
    rate: float = 1e-4
    frozen: int = 0
    seed: int = 0


def train_bi_encoder(
    base: str | Path,
    questions: Sequence[str],
    labels: Sequence[int],
    out: Path,
    options: BiEncoderOptions | None = None,
    *,
    likeness: Likeness,
    progress: Callable[[float], object] = lambda _: None,
) -> None:
    """Train a bi-encoder, and write it to a folder that `load_bi_encoder` reads.

    Args:
        base: what to begin with: ``e5``, or the folder of an encoder, or of one that was trained.
        questions: the questions to learn.
        labels: the number of each question's pattern.
        out: the folder.
        options: the defaults if None.
        likeness: the similarity of the patterns.
        progress: called with the share of steps that are done.

    Raises:
        InputError: there is nothing to learn from, or there is no such encoder.
    """
    options = options or BiEncoderOptions()
    if not questions:
        raise InputError("there are no questions to learn from", field="examples")
    encoder = load_bi_encoder(base)
    cut = [encoder.cut(encoder.prefix + question, MAX_TOKENS)[0] for question in questions]
    torch.manual_seed(options.seed)
    drawn = np.random.default_rng(options.seed)
    layers = EncoderLayers(encoder.model, options.frozen)
    optimizer = torch.optim.AdamW(layers.parameters(), lr=options.rate, weight_decay=0.0)
    starts = range(0, len(cut), options.batch)
    total, done = options.epochs * len(starts), 0
    for _ in range(options.epochs):
        order = drawn.permutation(len(cut))
        for start in starts:
            some = order[start : start + options.batch]
            for group in optimizer.param_groups:
                group["lr"] = options.rate * min((done + 1) / (_WARM * total), 1.0, 1 - done / total)
            lower = [torch.from_numpy(one) for one in encoder.model.padded([cut[n] for n in some], options.frozen)]
            there = nn.utils.rnn.pad_sequence([torch.ones(len(one), dtype=torch.bool) for one in lower], True)
            states = layers(nn.utils.rnn.pad_sequence(lower, True), there)
            means = (states * there[..., None]).sum(1) / there.sum(1, keepdim=True)
            optimizer.zero_grad()
            soft_sim_match(means, torch.tensor([labels[n] for n in some]), likeness).backward()
            nn.utils.clip_grad_norm_(layers.parameters(), 1.0)
            optimizer.step()
            done += 1
            progress(done / total)
    shutil.copytree(encoder_folder(str(base)), out, ignore=shutil.ignore_patterns("*.safetensors"), dirs_exist_ok=True)
    weights = dict(encoder.model.weights)
    for name, value in layers.layers.state_dict().items():
        number, _, rest = name.partition(".")
        weights[f"encoder.layer.{options.frozen + int(number)}.{rest}"] = value.numpy()
    arrays = {name: np.ascontiguousarray(array.astype(np.float16)) for name, array in weights.items()}
    save_file(arrays, out / "model.safetensors", metadata={"format": "pt"})
    if encoder.prefix:
        write_json(out / PROMPTS, {"prompts": {"query": encoder.prefix}, "default_prompt_name": "query"})


def soft_sim_match(vectors: Tensor, labels: Tensor, likeness: Likeness) -> Tensor:
    """Return the squared error of the cosines of all pairs of questions in a batch (BibSQL 2025).

    Pairs of 1, of 0 and of 0.5 weigh 4:4:3, however many there are of each; half of the weight of 0 is for rivals. A
    batch of one question has no pair, and its loss is 0.

    Args:
        vectors: of the questions, (batch, width).
        labels: the pattern of each, (batch,).
        likeness: the similarity of the patterns.
    """
    vectors = nn.functional.normalize(vectors, dim=-1)
    target, rivals = (torch.from_numpy(one)[labels][:, labels] for one in (likeness.target, likeness.rivals))
    errors, pairs = (vectors @ vectors.T - target) ** 2, ~torch.eye(len(labels), dtype=torch.bool)
    kinds = (target == 1, (target == 0) & rivals, (target == 0) & ~rivals, target == 0.5)
    weights = (_SHARES[0], _SHARES[1] / 2, _SHARES[1] / 2, _SHARES[2])
    there = [(w, errors[kind & pairs].mean()) for w, kind in zip(weights, kinds, strict=True) if (kind & pairs).any()]
    if not there:
        return 0 * vectors.sum()
    return torch.stack([w * error for w, error in there]).sum() / sum(w for w, _ in there)
