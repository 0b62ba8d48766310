"""The functions that a database's people have defined, as the rules see them: their class and their signature."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from ...data.errors import SchemaError
from ...data.schema.schema import Function
from ..lr.functions import FunctionSpec
from .abstract_values import AbstractValue
from .dialect import DialectTypes
from .signatures import Argument, Signature

__all__ = ["defined_functions", "with_signatures"]

_CLASSES = ("FUNC0", "FUNC1", "FUNC2", "FUNC3")
_NUMBERS = frozenset({"bool", "int", "dec", "float"})
_UNKNOWN = frozenset({"any", "null"})
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")


def defined_functions(
    functions: Iterable[Function], known: Mapping[str, FunctionSpec], reserved: Collection[str]
) -> dict[str, FunctionSpec]:
    """Return the defined functions by name, each with the class of functions that have as many arguments.

    Args:
        functions: of the schema.
        known: those of the dialect itself.
        reserved: words that are names of nothing.

    Raises:
        SchemaError: a name is taken or cannot be written without quotes.
    """
    found: dict[str, FunctionSpec] = {}
    for function in functions:
        name = function.name
        if not _NAME.fullmatch(name):
            hint = "use capital letters, digits and underscores"
            raise SchemaError(f"{name!r} is no name of a function", field="function", hint=hint)
        if name in known or name in reserved or name in found:
            raise SchemaError(f"the name {name} is taken", field="function", hint="call the function otherwise")
        count = len(function.arguments)
        found[name] = FunctionSpec(name, _CLASSES[count] if count < len(_CLASSES) else "FUNC2N")
    return found


def with_signatures(types: DialectTypes, functions: Iterable[Function]) -> DialectTypes:
    """Return a dialect's types with the signatures of defined functions beside its own."""
    own = {function.name: (_signature(function, types),) for function in functions}
    if not own:
        return types
    found = types.copied()
    found.functions = {**types.functions, **own}
    found.like = found.alike_functions()
    return found


def _signature(function: Function, types: DialectTypes) -> Signature:
    """Return the one signature of a function: SQLite and MySQL convert what they are given, PostgreSQL widens it."""
    taken = [_taken(types.column(argument.type), types) for argument in function.arguments]
    result = types.column(function.returns)
    arguments = tuple(Argument(frozenset(several)) for several in taken)
    text = " ".join((function.name, *(a.type for a in function.arguments), "->", function.returns))
    return Signature(text, arguments, result.type, result.magnitude, result.marks)


def _taken(value: AbstractValue, types: DialectTypes) -> frozenset[str]:
    """Return the types that an argument takes which is declared as one of ``value``."""
    group = next((group for group in types.groups if value.type in group), (value.type,))
    if types.strict:
        return frozenset(group[: group.index(value.type) + 1])
    if value.type == "any":
        return frozenset(group) | _UNKNOWN
    return (_NUMBERS if value.type in _NUMBERS else frozenset(group) - _NUMBERS) | _UNKNOWN
