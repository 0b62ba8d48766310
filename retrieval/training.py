"""Trains a bi-encoder by SoftSimMatch (BibSQL 2025), in torch: its upper layers learn which questions are paraphrases.

Two questions of one query pattern are to have the cosine 1. Where the paths of patterns are known (``author.title``,
``title.author.country``), a composite and one of its paths get 0.5, all others 0. *Rivals* are patterns of 0 that are
easily confused: their paths are as long and have the same beginning or end. Where no paths are known, rivals are the
patterns whose questions look most alike.
"""

import shutil
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save_file
from torch import Tensor, nn

from ..data.errors import InputError
from ..data.hashed_folder import write_json
from ..data.packages import needs
from ..encoders.learning import EncoderLayers
from ..encoders.load import PROMPTS, encoder_folder
from .bi_encoder import MAX_TOKENS, load_bi_encoder

_RIVALS = 5  # of a pattern without paths


@dataclass(frozen=True)
class PatternQuestions:
    """The questions of one query pattern, and its paths: one, two for a composite, none if unknown."""

    name: str
    questions: tuple[str, ...]
    paths: tuple[str, ...] = ()


def patterns_of(rows: Sequence[tuple[str, str, str]]) -> list[PatternQuestions]:
    """Return the patterns of rows (pattern's name, question, paths with spaces between), in order of first use."""
    questions: dict[str, list[str]] = defaultdict(list)
    paths: dict[str, str] = {}
    for name, question, followed in rows:
        questions[name].append(question)
        paths[name] = followed
    return [PatternQuestions(name, tuple(several), tuple(paths[name].split())) for name, several in questions.items()]


def target_cosines(patterns: Sequence[PatternQuestions]) -> NDArray[np.float32]:
    """Return the target cosine of the questions of each two patterns, (patterns, patterns)."""
    found = np.eye(len(patterns), dtype=np.float32)
    single = {p.paths: i for i, p in enumerate(patterns) if len(p.paths) == 1}
    for i, pattern in enumerate(patterns):
        for path in pattern.paths if len(pattern.paths) > 1 else ():
            if (part := single.get((path,))) is not None:
                found[i, part] = found[part, i] = 0.5
    return found


def rivals_of(patterns: Sequence[PatternQuestions]) -> NDArray[np.bool_]:
    """Return which two patterns of 0 are easily confused, (patterns, patterns)."""
    if any(p.paths for p in patterns):
        return np.array([[_confusable(p, other) for other in patterns] for p in patterns])
    return _lookalikes(patterns)


def _confusable(one: PatternQuestions, other: PatternQuestions) -> bool:
    """Return whether the paths of two patterns are as long, with a common beginning or end, and are not the same."""
    if one is other or len(one.paths) != len(other.paths) or not one.paths or set(one.paths) == set(other.paths):
        return False
    lengths = [sorted(path.count(".") for path in p.paths) for p in (one, other)]
    return lengths[0] == lengths[1] and bool(_ends(one) & _ends(other))


def _ends(pattern: PatternQuestions) -> set[tuple[str, str]]:
    parts = [path.split(".") for path in pattern.paths]
    return {("start", part[0]) for part in parts} | {("target", part[-1]) for part in parts}


def _lookalikes(patterns: Sequence[PatternQuestions]) -> NDArray[np.bool_]:
    """Return for each pattern the few others with the most similar questions, by TF-IDF over n-grams of characters."""
    texts = [question for p in patterns for question in p.questions]
    owner = np.repeat(np.arange(len(patterns)), [len(p.questions) for p in patterns])
    with needs("scikit-learn", "train", field="by"):
        from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(analyzer="char", ngram_range=(1, 4), sublinear_tf=True, lowercase=True).fit_transform(
        texts
    )
    scores = (vectors @ vectors.T).toarray()
    firsts = np.flatnonzero(np.diff(owner, prepend=-1))
    best = np.maximum.reduceat(np.maximum.reduceat(scores, firsts, axis=0), firsts, axis=1)
    np.fill_diagonal(best, -1)
    found = np.zeros(best.shape, np.bool_)
    np.put_along_axis(found, np.argsort(-best, axis=1, kind="stable")[:, :_RIVALS], values=True, axis=1)
    return (found | found.T) & ~np.eye(len(patterns), dtype=np.bool_)


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
    patterns: Sequence[PatternQuestions],
    progress: Callable[[float], object] = lambda _: None,
) -> None:
    """Train a bi-encoder, and write it to a folder that `load_bi_encoder` reads.

    Args:
        base: what to begin with: ``e5``, or the folder of an encoder, or of one that was trained.
        questions: the questions to learn.
        labels: the number of each question's pattern.
        out: the folder.
        options: the defaults if None.
        patterns: the patterns, in the order of their numbers.
        progress: called with the share of steps that are done.

    Raises:
        InputError: there is nothing to learn from, or there is no such encoder.
    """
    options = options or BiEncoderOptions()
    if not questions:
        raise InputError("there are no questions to learn from", field="examples")
    encoder = load_bi_encoder(base)
    target, rivals = (torch.from_numpy(made(patterns)) for made in (target_cosines, rivals_of))
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
            soft_sim_match(means, torch.tensor([labels[n] for n in some]), target, rivals).backward()
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


def soft_sim_match(vectors: Tensor, labels: Tensor, target: Tensor, rivals: Tensor) -> Tensor:
    """Return the squared error of the cosines of all pairs of questions in a batch (BibSQL 2025).

    Pairs of 1, of 0 and of 0.5 weigh 4:4:3, however many there are of each; half of the weight of 0 is for rivals. A
    batch of one question has no pair, and its loss is 0.

    Args:
        vectors: of the questions, (batch, width).
        labels: the pattern of each, (batch,).
        target: what `target_cosines` returns for the patterns.
        rivals: what `rivals_of` returns for them.
    """
    vectors = nn.functional.normalize(vectors, dim=-1)
    target, rivals = (one[labels][:, labels] for one in (target, rivals))
    errors, pairs = (vectors @ vectors.T - target) ** 2, ~torch.eye(len(labels), dtype=torch.bool)
    kinds = (target == 1, (target == 0) & rivals, (target == 0) & ~rivals, target == 0.5)
    weights = (_SHARES[0], _SHARES[1] / 2, _SHARES[1] / 2, _SHARES[2])
    there = [(w, errors[kind & pairs].mean()) for w, kind in zip(weights, kinds, strict=True) if (kind & pairs).any()]
    if not there:
        return 0 * vectors.sum()
    return torch.stack([w * error for w, error in there]).sum() / sum(w for w, _ in there)
