"""What a run makes once, before the parser itself is trained: tokenizer, classifiers, value finder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import Dataset
from transformers import PreTrainedTokenizerFast

from ..data.examples import Example
from ..grammar import Constraint
from ..ner import ValueFinder
from .collate import Featurizer, training_texts
from .config import ParserConfig
from .encoder import scratch_config
from .global_constraint import GlobalConstraint
from .material import Material, Refused
from .model import ParserModel
from .options import TrainConfig
from .runs import RunFolder, write_text
from .tokenizer import load_tokenizer, scripts, train_tokenizer
from .words import EOS, name_texts, word_parts

__all__ = ["Examples", "find_refused", "indicators", "make_finder", "make_global", "make_model", "make_tokenizer"]


def make_global(config: TrainConfig, material: Material, run: RunFolder) -> GlobalConstraint:
    """Return the global constraint, its classifiers trained unless the run has them already."""
    form: Any = {"mode": config.constraint.global_, "weight": config.constraint.weight}

    def fit(folder: Any) -> None:
        options = config.classifiers
        GlobalConstraint.fit(
            material.vocabulary,
            material.train,
            material.dev,
            recall=options.recall,
            epochs=options.epochs,
            seed=config.seed,
        ).save(folder)

    return GlobalConstraint.load(run.stage("classifiers", fit), material.vocabulary, **form)


def make_finder(config: TrainConfig, material: Material, run: RunFolder) -> ValueFinder:
    """Return the value finder, trained unless the run has it already."""

    def fit(folder: Any) -> None:
        finder = ValueFinder.fit(material.train, domain=material.domain, seed=config.seed, epochs=config.ner.epochs)
        finder.save(folder)

    return ValueFinder.load(run.stage("values", fit))


def find_refused(material: Material, constraint: Constraint, run: RunFolder) -> list[Refused]:
    """Return the gold queries that the local constraint refuses, looked for unless the run has them already."""

    def fit(folder: Any) -> None:
        found = material.refused(constraint)
        write_text(folder / "refused.json", json.dumps([vars(r) for r in found], ensure_ascii=False))

    file = run.stage("refused", fit) / "refused.json"
    return [Refused(**r) for r in json.loads(file.read_text(encoding="utf-8"))]


def make_tokenizer(config: TrainConfig, material: Material, run: RunFolder) -> PreTrainedTokenizerFast:
    """Return the tokenizer of the encoder; that of a scratch encoder is trained unless the run has it already."""
    if config.model.encoder != "scratch":
        return load_tokenizer(str(config.model.encoder))

    def fit(folder: Any) -> None:
        texts = training_texts(material.train, values_as=config.model.values_as)
        types = sorted({v.mention.type for e in material.train for v in e.values})
        train_tokenizer(texts, types=types, size=config.model.word_pieces).save_pretrained(folder)

    return load_tokenizer(str(run.stage("tokenizer", fit)))


def make_model(config: TrainConfig, material: Material, tokenizer: PreTrainedTokenizerFast) -> ParserModel:
    """Return a parser's network with fresh weights, which the seed alone decides."""
    torch.manual_seed(config.seed)
    model, loss, budget = config.model, config.loss, config.constraint.budget
    if budget is None:
        raise ValueError("resolve the options first")
    parts, sizes = word_parts(material.vocabulary)
    own = ParserConfig(
        encoder=str(model.encoder),
        encoder_config=scratch_config(
            len(tokenizer), width=model.encoder_width, layers=model.encoder_layers, dropout=model.dropout
        )
        if model.encoder == "scratch"
        else None,
        freeze_layers=model.freeze_layers,
        values_as=model.values_as,
        vocab_size=len(material.vocabulary),
        part_sizes=sizes,
        width=model.width,
        layers=model.layers,
        heads=model.heads,
        dropout=model.dropout,
        word_dropout=model.word_dropout,
        budget=budget,
        sources=config.constraint.sources,
        joins=config.constraint.joins or "any",
        label_smoothing=config.optim.label_smoothing,
        alpha=loss.alpha if loss.constraint else 0.0,
        beta=loss.beta if loss.constraint else 0.0,
        scripts=sorted(set().union(*(scripts(e.question) for e in material.train))),
    )
    names = None
    if model.encoder != "scratch" and model.names:
        texts = name_texts(material.vocabulary)
        read = tokenizer(texts, padding=True, add_special_tokens=False, return_tensors="pt")
        names = {key: read[key] for key in ("input_ids", "attention_mask")}
    return ParserModel.create(own, parts, names)


class Examples(Dataset[dict[str, Any]]):
    """Features of training examples, computed once; indicators of the constraint loss are kept as bits."""

    def __init__(
        self,
        examples: Sequence[Example],
        featurizer: Featurizer,
        found: Sequence[dict[str, NDArray[np.bool_]]] | None = None,
    ) -> None:
        self._features = [featurizer.example(e) for e in examples]
        self._words = len(featurizer.vocabulary)
        self._bits = None if found is None else [{k: np.packbits(v, axis=-1) for k, v in row.items()} for row in found]

    def __len__(self) -> int:
        return len(self._features)

    def __getitem__(self, index: int) -> dict[str, Any]:
        if self._bits is None:
            return self._features[index]
        masks = {k: np.unpackbits(v, axis=-1, count=self._words).astype(bool) for k, v in self._bits[index].items()}
        return {**self._features[index], **masks}


def indicators(
    examples: Sequence[Example], found: GlobalConstraint, constraint: Constraint
) -> list[dict[str, NDArray[np.bool_]]]:
    """Return ``available`` (words,) and ``local`` (length, words) of each example, for the constraint loss.

    The global indicator is that of the hard constraint; the gold words are always inside, whatever
    the classifiers missed: the loss shall never push against the answer. For the same reason a gold query that the
    local constraint refuses has every word inside; `find_refused` tells of it.
    """
    hard = GlobalConstraint(found.vocabulary, found.tables, found.functions, mode="hard")
    accounts = hard([e.question for e in examples], [e.values for e in examples])
    rows: list[dict[str, NDArray[np.bool_]]] = []
    walks: dict[tuple[int, ...], NDArray[np.bool_]] = {}
    for example, account in zip(examples, accounts, strict=True):
        ids = tuple(found.vocabulary.encode(example.slotted))
        available = account.available.copy()
        available[list(ids)] = True
        if ids not in walks:
            walks[ids] = _walk(constraint, ids)
        rows.append({"available": available, "local": walks[ids]})
    return rows


def _walk(constraint: Constraint, ids: Sequence[int]) -> NDArray[np.bool_]:
    """Return what the local constraint allows before each word and before the end, (length + 1, words).

    That is everything where it refuses a word of the query itself.
    """
    state = constraint.start()
    masks: list[NDArray[np.bool_]] = []
    for word in [*ids, EOS]:
        masks.append(state.allowed())
        if not masks[-1][word]:
            return np.ones((len(ids) + 1, len(constraint.vocabulary)), dtype=np.bool_)
        state = state.advance(word)
    return np.stack(masks)
