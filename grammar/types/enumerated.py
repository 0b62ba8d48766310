"""A schema's enumerations, each a type of its own where types are strict."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ...data.schema.enumerations import labels_of
from .dialect import DialectTypes
from .signatures import Kind, Signature

__all__ = ["with_enumerations"]


def with_enumerations(types: DialectTypes, sql_types: Iterable[str]) -> DialectTypes:
    """Return a dialect's types with those among ``sql_types`` that list their values, as far as types are strict.

    Each compares with itself, with NULL and with those literals that are its labels, and is taken where a signature
    takes an ``enum``.
    """
    listed = frozenset(t for t in sql_types if types.strict and labels_of(t))
    if not listed:
        return types

    def widened(members: frozenset[str]) -> frozenset[str]:
        return members | listed if "enum" in members else members

    def taking(signature: Signature) -> Signature:
        return replace(signature, arguments=tuple(replace(a, types=widened(a.types)) for a in signature.arguments))

    found = types.copied()
    found.enumerations = listed
    found.groups = [*types.groups, *((name,) for name in sorted(listed))]
    found.kinds = {**types.kinds, **{name: _labelled(name) for name in sorted(listed)}}
    found.sets = {name: widened(members) for name, members in types.sets.items()}
    found.operators = {name: tuple(map(taking, lines)) for name, lines in types.operators.items()}
    found.functions = {name: tuple(map(taking, lines)) for name, lines in types.functions.items()}
    found.casts = {name: tuple(map(taking, lines)) for name, lines in types.casts.items()}
    found.like = found.alike_functions()
    return found


def _labelled(name: str) -> Kind:
    """Return the kind of the literals that are labels of an enumeration."""
    return Kind(name, re.compile("|".join(map(re.escape, labels_of(name)))), name)
