"""The weights that a network of given sizes has, by their names, to refuse others before they are used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...encoders.bert import Bert
from ...encoders.weights import shapes_of
from ..reader.inputs import TEXTS
from ..reader.relations import RELATIONS
from ..reader.schema.items import ITEM_KINDS
from ..reader.schema.output_vocabulary import ROLES, fixed_words

__all__ = ["MARKS", "check_shapes", "shapes"]

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
