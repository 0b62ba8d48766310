"""What the rows of a network's tables stand for: words, roles, kinds of nodes, relations.

A network folder names them, so that weights outlive a new word: its row is zero until it is learnt, and never written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..reader.relations import RELATIONS
from ..reader.schema.items import ITEM_KINDS
from ..reader.schema.output_vocabulary import Role, fixed_words

__all__ = ["numbering", "renumbered"]

Numbering: TypeAlias = Mapping[str, list[Any]]
"""The names of the rows of each group of tables, in order."""

_TABLES = {
    "words": ("fixed.weight", "fixed_key.weight", "fixed_key.bias", "fixed_used.weight", "fixed_used.bias", "seen"),
    "roles": ("role.weight", "role_key.weight", "role_key.bias"),
    "kinds": ("kind.weight",),
    "relations": ("relation_keys", "relation_values"),
}
"""Ends of the names of the tables that are numbered so."""


def numbering() -> Numbering:
    """Return what the rows stand for in this version, as JSON says it; relations, which have no names, by number."""
    return {
        "words": [list(word) for word in fixed_words()],
        "roles": [role.name for role in Role],
        "kinds": list(ITEM_KINDS),
        "relations": list(range(RELATIONS)),
    }


def renumbered(weights: Mapping[str, NDArray[Any]], told: Numbering) -> dict[str, NDArray[Any]]:
    """Return weights as this version numbers their rows; rows of what they do not know are zeros.

    Args:
        weights: by name.
        told: what their rows stand for.

    Raises:
        ValueError: they have a row of what this version does not know, or tell another number of rows than they have.
    """
    found = dict(weights)
    for group, names in numbering().items():
        if (own := told.get(group)) == names:
            continue
        places = {str(name): place for place, name in enumerate(names)}
        unknown = [name for name in own or () if str(name) not in places]
        if not own or unknown:
            raise ValueError(f"this version has no {group} {unknown[0]!r}" if unknown else f"tells no {group}")
        rows = np.array([places[str(name)] for name in own])
        for name in weights:
            if name.split(".", 2)[-1] in _TABLES[group] or name in _TABLES[group]:
                found[name] = _placed(name, weights[name], rows, len(names))
    return found


def _placed(name: str, table: NDArray[Any], rows: NDArray[np.int64], count: int) -> NDArray[Any]:
    if len(table) != len(rows):
        raise ValueError(f"{name} has {len(table)} rows, and {len(rows)} are told")
    placed = np.zeros((count, *table.shape[1:]), table.dtype)
    placed[rows] = table
    return placed
