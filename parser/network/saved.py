"""A network as a folder: weights, sizes and card, tied together by hashes; no pickle.

config.json        sizes, encoder, languages
numbering.json     what the rows of its tables stand for
model.safetensors  what was trained, matrices in 8 bits; the encoder's lower layers come from its own package
reader.onnx, writer.onnx   what is computed with these weights
README.md          the model card
domain.json, values.sqlite   of a network that was trained on one domain, see `Profile`
hashes.json        SHA-256 of every other file
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import save_file

from ...classifiers.named_features import Calibration
from ...data.errors import RunError
from ...data.hashed_folder import AGAIN, check_hashes, read_json, write_hashes, write_json
from ...data.whole_files import replace_folder
from ...encoders import load_encoder
from ...encoders.bert import Bert
from ...encoders.weights import StoredWeights, quantized, selected, shapes_of
from ..base import SHIPPED, parser_folder
from ..reader.inputs import TEXTS
from ..reader.items import ITEM_KINDS
from ..reader.output_vocabulary import ROLES, fixed_words
from ..reader.profile import Profile
from ..reader.relations import RELATIONS
from .network import READER, WRITER, Network, NetworkConfig, numbering, renumbered

__all__ = ["MARKS", "Loaded", "load_network", "network_of", "save_network", "shapes"]

MARKS = 4
"""Marks of a column: none, key, foreign key, both."""

Shape = tuple[int, ...]


def check_shapes(found: Mapping[str, Shape], wanted: Mapping[str, Shape]) -> None:
    """Compare the shapes of weights with what a network needs.

    Raises:
        ValueError: one is missing, is of another shape, or belongs to no part.
    """
    for name in (*wanted, *found):
        if name not in wanted or name not in found:
            raise ValueError(f"{name} is {'missing' if name in wanted else 'of no part of this network'}")
        if found[name] != wanted[name]:
            raise ValueError(f"{name} has the shape {found[name]}, and not {wanted[name]}")


def shapes(
    bert: Bert, frozen: int, *, width: int, layers: int, decoder_layers: int, heads: int, turns: int
) -> dict[str, Shape]:
    """Return the shape of each weight of a network on an encoder of which ``frozen`` layers are not its own."""
    words, hidden = len(fixed_words()), bert.hidden
    found: dict[str, Shape] = {"kind.weight": (len(ITEM_KINDS), width), "mark.weight": (MARKS, width), "seen": (words,)}
    found |= {"fixed.weight": (words, width), "role.weight": (ROLES, width)}
    for name, shape in shapes_of(bert.weights).items():
        if match := re.match(r"encoder\.layer\.(\d+)\.", name):
            layer, own = int(match[1]) - frozen, name[match.end() :]
            found |= {f"upper.layers.{layer}.{own}": shape} if 0 <= layer < bert.layers - frozen else {}
    found |= {f"texts.{n}.weight": (width, hidden) for n in range(TEXTS)} | {"texts.0.bias": (width,)}
    found |= dict(_linear("word", hidden, width))
    for layer in range(layers):
        found |= dict(_relation_layer(f"layers.{layer}", width, heads))
    for layer in range(decoder_layers):
        found |= dict(_block(f"decoder.blocks.{layer}", width))
    for name in ("norm", "read", "written", "decoder.norm"):
        found |= dict(_norm(name, width))
    outputs = {"pointed": width, "query": width, "key": width, "used": 1, "fixed_key": words, "role_key": ROLES}
    for name, out in outputs.items():
        found |= dict(_linear(name, width, out))
    for name, inner, out in (("fixed_used", 2 * width, words), ("fits.0", 2 * width, width), ("fits.2", width, 1)):
        found |= dict(_linear(name, inner, out))
    if turns:
        found |= {"turn.weight": (turns + 1, width)} | dict(_linear("before", width, width))
        found |= dict(_linear("carries", width, 1))
    return found


def _relation_layer(name: str, width: int, heads: int) -> Iterator[tuple[str, Shape]]:
    yield from ((f"{name}.relation_{part}", (RELATIONS, width // heads)) for part in ("keys", "values"))
    yield from _linear(f"{name}.projection", width, 3 * width)
    yield from _linear(f"{name}.out", width, width)
    yield from _tail(name, width, norms=2)


def _block(name: str, width: int) -> Iterator[tuple[str, Shape]]:
    for part in ("own", "cross"):
        for layer, out in (("query", width), ("key_value", 2 * width), ("out", width)):
            yield from _linear(f"{name}.{part}.{layer}", width, out)
    yield from _tail(name, width, norms=3)


def _tail(name: str, width: int, *, norms: int) -> Iterator[tuple[str, Shape]]:
    """Yield the norms and the MLP of a layer."""
    for n in range(norms):
        yield from _norm(f"{name}.norms.{n}", width)
    yield from _linear(f"{name}.mlp.0", width, 4 * width)
    yield from _linear(f"{name}.mlp.2", 4 * width, width)


def _linear(name: str, inner: int, out: int) -> Iterator[tuple[str, Shape]]:
    yield from ((f"{name}.weight", (out, inner)), (f"{name}.bias", (out,)))


def _norm(name: str, width: int) -> Iterator[tuple[str, Shape]]:
    yield from ((f"{name}.{part}", (width,)) for part in ("weight", "bias"))


@dataclass(frozen=True)
class Loaded:
    """A network, and what is known of it.

    Attributes:
        network: with its encoder.
        languages: of the questions it was trained on.
        calibration: how sure its answers are, None where that was not fitted.
        profile: of the domain that it was trained on, None where it was not one.
    """

    network: Network
    languages: tuple[str, ...]
    calibration: Calibration | None = None
    profile: Profile | None = None


def save_network(
    network: Network,
    folder: Path,
    *,
    languages: Sequence[str],
    card: str,
    calibration: Calibration | None = None,
    profile: Profile | None = None,
) -> None:
    """Write a network into ``folder``, replacing what is there only once everything is written."""

    def fill(draft: Path) -> None:
        save_file(quantized(selected(network.weights)), draft / "model.safetensors", metadata={"format": "pt"})
        for name, graph in network.graphs.items():
            (draft / name).write_bytes(graph)
        write_json(draft / "numbering.json", numbering())
        about: dict[str, Any] = {
            "network": network.config.to_json(),
            "frozen": network.frozen,
            "languages": list(languages),
        }
        about["calibration"] = None if calibration is None else calibration.to_json()
        write_json(draft / "config.json", about)
        (draft / "README.md").write_text(card, encoding="utf-8")
        if profile is not None:
            profile.save(draft)
        write_hashes(draft)

    replace_folder(folder, fill)


def network_of(parser: str | Path | Loaded | None) -> Loaded:
    """Return a network that is read already, or that of a run or folder; the shipped one if None.

    Raises:
        RunError, InputError: as from `parser_folder` and `load_network`.
    """
    return parser if isinstance(parser, Loaded) else load_network(parser_folder(SHIPPED if parser is None else parser))


def load_network(folder: Path) -> Loaded:
    """Read what `save_network` wrote, and the encoder that it needs.

    Raises:
        RunError: a file is missing, is not what was written, or is of another version.
        InputError: the encoder is not installed.
    """
    check_hashes(folder)
    about: dict[str, Any] = read_json(folder / "config.json")
    try:
        config, frozen = NetworkConfig(**about["network"]), int(about["frozen"])
        languages = tuple(map(str, about["languages"]))
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(f"not a saved network: {error}", file=folder / "config.json", hint=AGAIN) from error
    try:
        fitted = about.get("calibration")
        calibration = None if fitted is None else Calibration.from_json(fitted)
    except ValueError as error:
        problem = f"the confidence is of another version of Querent: {error}"
        raise RunError(problem, file=folder / "config.json", field="calibration", hint="train again with it") from error
    encoder, file = load_encoder(config.encoder), folder / "model.safetensors"
    if not 0 <= frozen <= encoder.model.layers:
        problem = f"{frozen} layers of an encoder of {encoder.model.layers} stay as they are"
        raise RunError(problem, file=folder / "config.json", field="frozen", hint=AGAIN)
    try:
        weights = StoredWeights(file)
    except (SafetensorError, ValueError, OSError) as error:
        raise RunError(f"the weights do not fit: {str(error).splitlines()[0]}", file=file, hint=AGAIN) from error
    told = read_json(folder / "numbering.json")
    known = told == numbering()
    try:
        weights = weights if known else renumbered(selected(weights), told)
    except ValueError as error:
        problem = f"the weights are of another version of Querent: {error}"
        hint = "train again with this version"
        raise RunError(problem, file=folder / "numbering.json", hint=hint) from error
    try:
        check_shapes(shapes_of(weights), shapes(encoder.model, frozen, **config.sizes()))
    except ValueError as error:
        raise RunError(f"the weights do not fit: {error}", file=file, hint=AGAIN) from error
    graphs = {name: (folder / name).read_bytes() for name in (READER, WRITER) if known and (folder / name).is_file()}
    network = Network(config, weights, encoder, frozen, graphs)
    return Loaded(network.open() if graphs else network, languages, calibration, Profile.load(folder))
