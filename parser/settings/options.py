"""The options of a training run: a tree of dataclasses, read from YAML and dotted overrides.

Every option has a default, so that an empty file is a valid configuration. Options left at ``None`` depend on the
domain; `TrainConfig.resolved` fills them in, and ``config.yaml`` of the run folder keeps the result.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, cast

import yaml

from ...data.errors import InputError, did_you_mean
from ...data.languages import LANGUAGES
from ...data.packages import needs
from ...data.texts import UnreadableError, yaml_of
from ...grammar import LEVELS
from ..base import SHIPPED
from ..network.network import MOST

with needs("omegaconf", "train"):
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException


@dataclass(frozen=True)
class DataOptions:
    """The training data.

    Attributes:
        domain: the place of the domain, filled in by the run.
        split: ``question`` splits by question, ``query`` by query pattern.
        language: the language of the questions; None for the domain's own.
        sources: digests of domain, database, base and version, filled in by the run; a resumed run must have the same.
    """

    domain: str | None = None
    split: Literal["question", "query"] = "question"
    language: str | None = None
    sources: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class ModelOptions:
    """The network to start from.

    Attributes:
        base: ``shipped`` for the shipped network, ``none`` for a new one, or the folder of a saved network; None for
            the shipped one if it reads the language.
        encoder: the ready-made encoder of a new network: ``e5`` (Chinese and English), or a folder or hub name of a
            model like BERT; None for e5.
        frozen: the number of the encoder's lower layers that a new network does not train; None for all but three.
        width, layers, decoder_layers, heads, dropout: the sizes of a new network, see `NetworkConfig`.
    """

    base: str | None = None
    encoder: str | None = None
    frozen: int | None = None
    width: int = 256
    layers: int = 4
    decoder_layers: int = 3
    heads: int = 8
    dropout: float = 0.1


@dataclass(frozen=True)
class OptimOptions:
    """The optimizer: AdamW, linear warm-up, cosine decay, averaged weights.

    Attributes:
        epochs: the number of passes over the training part.
        batch_size: the number of pairs of a step.
        lr: the peak learning rate of all weights but the encoder's.
        encoder_lr: the peak learning rate of the encoder's upper layers.
        warmup: the share of the steps that warm up.
        weight_decay: the pull towards zero, for a new network.
        anchor: the pull towards the base's weights, which keeps its abilities.
        average: the decay of the averaged weights.
    """

    epochs: int = 12
    batch_size: int = 16
    lr: float = 6e-4
    encoder_lr: float = 1e-4
    warmup: float = 0.06
    weight_decay: float = 0.01
    anchor: float = 0.1
    average: float = 0.99


@dataclass(frozen=True)
class AugmentOptions:
    """The examples besides the domain's pairs.

    Attributes:
        sampled: the number of questions that are composed over the domain's database.
        rehearsed: the number of questions composed over the shipped databases, so that a base still reads others.
        strange: the number of questions that the database cannot answer, for each hundred pairs.
    """

    sampled: int = 200
    rehearsed: int = 100
    strange: int = 10


@dataclass(frozen=True)
class ConstraintOptions:
    """The constraints when the parser is measured; both off is the plain seq2seq baseline.

    Attributes:
        level: the promise of the local constraint: ``scope`` (queries parse, end in time and their names resolve),
            ``types`` (their types fit) or ``runs`` (they execute), each with all before it; or ``off``.
        global_: the mode of the global constraint, see `GlobalConstraint`.
    """

    level: Literal["off", "scope", "types", "runs"] = "runs"
    global_: Literal["hard", "soft", "off"] = "soft"

    @property
    def promised(self) -> str | None:
        """Return the level of the local constraint, None where it is off."""
        return None if self.level == "off" else self.level


@dataclass(frozen=True)
class EvalOptions:
    """The measurements of the parser.

    Attributes:
        every: the number of epochs between two measurements on dev, which choose the best network by the share of
            queries whose every next word is the likeliest, without the constraint.
        dev_examples: the number of dev questions for that, evenly spread.
        beam: the beam width of the final measurement.
        train_examples: the number of training questions of the final measurement, evenly spread.
    """

    every: int = 2
    dev_examples: int = 200
    beam: int = 4
    train_examples: int = 100


@dataclass(frozen=True)
class TrainConfig:
    """All options of a training run.

    Attributes:
        seed: the seed of all random draws.
        threads: the number of torch's threads; None for the number of processors that the process may use. A run that
            is resumed with another number rounds sums differently.
    """

    data: DataOptions = field(default_factory=DataOptions)
    model: ModelOptions = field(default_factory=ModelOptions)
    optim: OptimOptions = field(default_factory=OptimOptions)
    augment: AugmentOptions = field(default_factory=AugmentOptions)
    constraint: ConstraintOptions = field(default_factory=ConstraintOptions)
    eval: EvalOptions = field(default_factory=EvalOptions)
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def load(cls, file: Path | str | None = None, overrides: Iterable[str] = ()) -> TrainConfig:
        """Read a YAML file, if any, then apply dotted overrides such as ``optim.lr=3e-4``; the last of several holds.

        Raises:
            InputError: an option is unknown or of a wrong type or value; says where.
        """
        tree = OmegaConf.structured(cls)
        for part in (tree, *filter(OmegaConf.is_config, tree.values())):
            OmegaConf.set_readonly(part, False)  # as frozen dataclasses are
        given = chain(() if file is None else _of_file(Path(file)), map(_of_override, overrides))
        for name, value, place in given:
            attributes = (f"{part}_" if keyword.iskeyword(part) else part for part in name.split("."))
            try:
                OmegaConf.update(tree, ".".join(attributes), value)
            except OmegaConfBaseException as error:
                problem, _, near = str(error).partition("\n")[0].partition(". Did you mean: ")
                known = re.findall(r"'(\w+)'", problem.partition("expected one of")[2])
                hint = f"did you mean {near}" if near else did_you_mean(str(value), known)
                raise InputError(problem, **place, field=name, hint=hint) from error
        return cast("TrainConfig", OmegaConf.to_object(tree))

    def resolved(self, *, domain: str, language: str) -> TrainConfig:
        """Return a copy with every option that depends on the domain filled in.

        Args:
            domain: the place of the domain.
            language: the language of its questions.
        """
        model = self.model
        if model.base is None:
            model = replace(model, base=SHIPPED if language in LANGUAGES else "none")
        if model.base == "none" and model.encoder is None:
            model = replace(model, encoder="e5")
        return replace(self, data=replace(self.data, domain=domain, language=language), model=model)

    def to_dict(self) -> dict[str, Any]:
        """Return plain nested dicts under the names that files use."""
        sections = asdict(self)
        sections["constraint"]["global"] = sections["constraint"].pop("global_")
        return sections

    def to_yaml(self) -> str:
        """Return the text of a file that `load` reads back to an equal tree."""
        return yaml.safe_dump(self.to_dict(), sort_keys=False, allow_unicode=True)


_Given = tuple[str, str | list[str] | None, dict[str, Any]]
"""The dotted name of an option, its value as text, since YAML reads ``off`` as False, and the place in a file."""


def _of_override(text: str) -> _Given:
    """Read ``section.option=value``."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise InputError(f"not an option: {text!r}", hint="write it as section.option=value")
    return name.strip(), _value(_composed(value, None)), {}


def _of_file(file: Path) -> Iterator[_Given]:
    """Yield the options of a YAML file in order."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the configuration: {error}", file=file) from error
    node = _composed(text, file)
    if isinstance(node, yaml.MappingNode):
        yield from _flat(node, "", file)
    elif node is not None:
        raise InputError("the configuration is not a mapping", file=file, hint="write lines such as «seed: 0»")


def _composed(text: str, file: Path | None) -> yaml.Node | None:
    try:
        return yaml_of(text, lambda stream: yaml.compose(stream, Loader=yaml.SafeLoader))
    except UnreadableError as error:
        raise InputError(error.problem, file=file, line=error.line) from error


def _flat(node: yaml.MappingNode, before: str, file: Path) -> Iterator[_Given]:
    for key, value in node.value:
        if isinstance(value, yaml.MappingNode):
            yield from _flat(value, f"{before}{key.value}.", file)
        else:
            yield f"{before}{key.value}", _value(value), {"file": file, "line": key.start_mark.line + 1}


def _value(node: yaml.Node | None) -> str | list[str] | None:
    if isinstance(node, yaml.ScalarNode):
        return None if node.tag.endswith(":null") else node.value.replace("${", r"\${")  # which is nothing to fill in
    return node and ["…"]


def _check(config: TrainConfig) -> None:
    """Check the bounds of all options."""
    share, count, positive = "a share between 0 and 1", "at least 1", "0 or above"
    optim, model, augment, eval_ = config.optim, config.model, config.augment, config.eval
    width, layers = f"a multiple of model.heads ({model.heads})", f"1 to {MOST['layers']}"
    rules = [
        ("model.dropout", 0 <= model.dropout < 1, share),
        ("model.width", model.width > 0 and model.heads > 0 and model.width % model.heads == 0, width),
        ("model.layers", 1 <= model.layers <= MOST["layers"], layers),
        ("model.decoder_layers", 1 <= model.decoder_layers <= MOST["decoder_layers"], layers),
        ("model.frozen", model.frozen is None or model.frozen >= 0, positive),
        ("optim.epochs", optim.epochs >= 1, count),
        ("optim.batch_size", optim.batch_size >= 1, count),
        ("optim.lr", optim.lr > 0, "above 0"),
        ("optim.encoder_lr", optim.encoder_lr >= 0, positive),
        ("optim.warmup", 0 <= optim.warmup < 1, share),
        ("optim.weight_decay", optim.weight_decay >= 0, positive),
        ("optim.anchor", optim.anchor >= 0, positive),
        ("optim.average", 0 <= optim.average < 1, share),
        *((f"augment.{name}", getattr(augment, name) >= 0, positive) for name in ("sampled", "rehearsed", "strange")),
        *((f"eval.{name}", getattr(eval_, name) >= 1, count) for name in ("every", "dev_examples", "beam")),
        ("eval.train_examples", eval_.train_examples >= 1, count),
        ("constraint.level", config.constraint.level in ("off", *LEVELS), ", ".join(LEVELS)),
        ("seed", config.seed >= 0, positive),
        ("threads", config.threads is None or config.threads >= 1, count),
    ]
    for name, fine, wanted in rules:
        if not fine:
            raise InputError("value out of range", field=name, hint=f"must be {wanted}")
