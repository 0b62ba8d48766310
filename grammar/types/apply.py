"""Operators, functions, casts and literals applied to values, by signatures and by what a database defines."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from ...data.errors import SchemaError
from ...data.schema.schema import Function
from ..lr.tables import AGGREGATES, FunctionSpec
from .abstract_values import NUMBERS, AbstractValue, Mark, Rules, RuleViolation, positions_of
from .dialect import DialectTypes
from .signatures import Argument, Signature

MAX_DIGITS = 38
"""Of decimals, in any type."""


def is_zero(value: AbstractValue) -> bool:
    """Say whether a value is the constant 0."""
    literal = value.marks & (Mark.LITERAL | Mark.NONZERO) == Mark.LITERAL
    return literal and value.type in NUMBERS and value.magnitude == 1


def _at_most_one(scale: AbstractValue) -> bool:
    return is_zero(scale) or bool(scale.marks & Mark.ONE)


def holds(sizes: Sequence[AbstractValue], value: AbstractValue) -> bool:
    """Say whether any value as this fits into any `_sane` sizes as these.

    Where sizes are known, a value that is not whole may be rounded up. Else scale 0 takes a whole number of one digit
    (9.7 becomes 10); 10 digits and more, 1 of them behind the point at most, take any number below 10^8.
    """
    if _known(sizes):
        room = sizes[0].position - sum(scale.position for scale in sizes[1:])
        return value.type == "null" or value.magnitude + (value.type != "int") <= room
    if sizes[0].marks & Mark.SIZE and all(map(_at_most_one, sizes[1:])):
        return value.magnitude <= 8
    return value.magnitude <= 1 and value.type in {"int", "null"} and all(map(is_zero, sizes[1:]))


def _known(sizes: Sequence[AbstractValue]) -> bool:
    """Say whether sizes are distinguished, as positions are."""
    return bool(sizes[0].position) and all(is_zero(scale) or scale.position for scale in sizes[1:])


def _sane(name: str, sizes: Sequence[AbstractValue]) -> bool:
    """Say whether a type may have sizes: texts 1 to 9999, decimals 1 to 38, then no more.

    Where decimals' sizes are not known, 1 to 9, then 0 or 1, or 10 to 38, then 0 to 9.
    """
    first, *rest = sizes
    if not all(v.type == "int" and v.marks & Mark.NONNEGATIVE for v in sizes) or not first.marks & Mark.NONZERO:
        return False
    if name not in {"NUMERIC", "DECIMAL"}:
        return first.magnitude <= 4
    if _known(sizes):
        return first.position <= MAX_DIGITS and all(scale.position <= first.position for scale in rest)
    if first.marks & Mark.SIZE:
        return all(v.magnitude == 1 for v in rest)
    return first.magnitude == 1 and all(map(_at_most_one, rest))


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


_HELD = Mark.AGGREGATE | Mark.PLAIN | Mark.QUERIED | Mark.COLLATED | Mark.WINDOW
"""Marks of a value that what is made of it has, too."""

_REAL = 37
"""Digits that fit into a REAL, whatever its columns are declared as."""

_TYPED = {"DATE": {"date"}, "TIME": {"time"}, "TIMESTAMP": {"date", "stamp"}, "INTERVAL": {"span"}}

_MAGNITUDE: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: max(a, b) + 1,
    "-": lambda a, b: max(a, b) + 1,
    "*": lambda a, b: a + b,
    "/": lambda a, b: a + b,
    "DIV": lambda a, b: a + b,
    "%": lambda a, b: b,
    "MOD": lambda a, b: b,
}


class SignatureMatcher(Rules):
    """Applies signatures under the rules that are on."""

    def __init__(self, types: DialectTypes, on: frozenset[str]) -> None:
        self.types = types
        self.on = on
        self._safe = "promises" in on
        self._able: dict[object, tuple[Signature, ...]] = {}

    def of(self, result: AbstractValue, values: Sequence[AbstractValue]) -> AbstractValue:
        """Return ``result``, holding an aggregate or a column if one of ``values`` does."""
        held = 0
        for value in values:
            held |= value.marks & _HELD
        return result._replace(marks=result.marks | held) if held & ~result.marks else result

    def operator(self, name: str, values: Sequence[AbstractValue]) -> AbstractValue:
        """Apply an operator; NULL stands beside any other operand."""
        signatures = self.types.operators.get(name, ())
        known = next((v for v in values if v.type != "null"), None)
        # NULL takes the other operand's type, and no promise binds it
        given = [v if v.type != "null" or known is None else AbstractValue("null", 0, v.marks) for v in values]
        found = self._match("operators", name, signatures, given, nulls=known is not None)
        if found is None:
            return self.of(AbstractValue("any", max(v.magnitude for v in values)), values)
        return self._finish(found, values, _magnitude(name, values))

    def call(self, parts: Sequence[tuple[str, Any]]) -> AbstractValue:
        """Apply a function to the values in its parentheses."""
        class_, name = parts[0]
        given = dict(parts)
        if "type" in given:
            return self.cast(given["type"], next(v for _, v in parts if isinstance(v, AbstractValue)))
        values = self.arguments(parts)
        ordered: int = given.get("order_by") or 0
        self.check("aggregate place", not ordered & Mark.AGGREGATE, f"{name} may not be ordered by an aggregate")
        self.check("aggregate place", not ordered & Mark.WINDOW, f"{name} may not be ordered by a window function")
        placed = self.types.strict or all(n <= len(values) for n in positions_of(ordered))
        self.check("constant terms", placed, f"{name} has not so many arguments")
        unequal = "DISTINCT" in given and self.types.strict and any(v.type == "other" for v in values)
        self.check("comparisons", not unequal, "values of this type are never equal")
        if class_ == "CONDITIONAL":
            able = values[0].type in self.types.sets["condition"]
            self.check("conditions", able, f"a condition is boolean, not {values[0].type}")
        found = self._match("functions", name, self.types.functions.get(name, ()), values)
        aggregate = class_ in AGGREGATES
        nested = aggregate and any(v.marks & (Mark.AGGREGATE | Mark.WINDOW) for v in values)
        self.check("aggregate place", not nested, f"{name} may not hold another aggregate, nor a window function")
        magnitude = _magnitude(name, values)
        if found and class_ == "CONDITIONAL":
            return self.branches(values[1:], values)
        result = self._finish(found, values, magnitude) if found else self.of(AbstractValue("any", magnitude), values)
        if name == "NULLIF" and is_zero(values[1]):
            result = result._replace(marks=result.marks | Mark.NONZERO)
        marks = result.marks & ~Mark.PLAIN | ordered & Mark.QUERIED | Mark.AGGREGATE
        return result._replace(marks=marks) if aggregate else result

    def arguments(self, parts: Sequence[tuple[str, Any]]) -> list[AbstractValue]:
        """Return what signatures look at of a call, as far as it is written."""
        class_ = parts[0][0]
        if any(part == "*" for part, _ in parts):
            return [AbstractValue("int", 1)]
        found: list[AbstractValue] = []
        for part, value in parts[1:]:
            if part == "expr_list":
                found += value
            elif part == "unit" and class_ == "EXTRACT" and self.types.strict:
                found.append(AbstractValue("text", 0, Mark.LITERAL, self.types.literal_kinds(value)))
            elif isinstance(value, AbstractValue) and (part != "STRING" or class_ == "DATE_FIELD"):
                found.append(value)
        return found

    def cast(self, type_: tuple[str, Any], value: AbstractValue) -> AbstractValue:
        """Cast to ``type_``, which is (word, sizes)."""
        name, sizes = type_
        if sizes and self._safe:
            self.check("promises", _sane(name, sizes), f"{name} has another size")
            fixed = self.types.strict and name in {"NUMERIC", "DECIMAL"}
            self.check("promises", not fixed or holds(sizes, value), "the value may not fit into the size")
        found = self._match("casts", name, self.types.casts.get(name, ()), [value])
        if found is None:
            return self.of(AbstractValue("any", value.magnitude), [value])
        result = self._finish(found, [value], value.magnitude, held=not self.types.strict)
        clipped = bool(sizes) and name == "DECIMAL" and not self.types.strict
        return result._replace(magnitude=min(result.magnitude, self.types.step(MAX_DIGITS))) if clipped else result

    def typed_literal(self, word: str, value: AbstractValue) -> AbstractValue:
        """Return the value of ``DATE '2024-03-01'`` and its like."""
        wanted = _TYPED[word] - ({"date"} if word == "TIMESTAMP" and not self.types.strict else set[str]())
        fits = any(self.types.kinds[k].type in wanted for k in value.kinds if k in self.types.kinds)
        self.check("literals", fits, f"the text is no {word}")
        return self.types.column(word)

    def branches(self, results: Sequence[AbstractValue], values: Sequence[AbstractValue]) -> AbstractValue:
        """Return what a CASE with these results may be; ``values`` are all within it."""
        type_ = self.types.join(results)
        self.check("comparisons", self.types.compare(results), "the branches have no type in common")
        magnitude = max(v.magnitude for v in results)
        if type_ in self.types.alone:
            return self.of(AbstractValue(type_, magnitude), values)
        # CASE, IN and set operators choose a type as COALESCE does, which may not take one value alone
        several = [*results, results[-1]]
        found = self._match("functions", "COALESCE", self.types.functions["COALESCE"], several)
        joined = self._finish(found, several, magnitude) if found else AbstractValue(type_ or "any", magnitude)
        return self.of(joined._replace(marks=0), values)

    def _one_sign(self, result: str, values: Sequence[AbstractValue]) -> None:
        """Refuse what may be an unsigned integer and may be below 0."""
        unsigned = result == "other" and "other" in self.types.limits
        signed = any(v.type not in {"other", "null"} and not v.marks & Mark.NONNEGATIVE for v in values)
        self.check("overflow", not (unsigned and signed), "a signed number where others are unsigned")

    def _match(
        self,
        rule: str,
        name: str,
        signatures: Sequence[Signature],
        values: Sequence[AbstractValue],
        *,
        nulls: bool = False,
    ) -> Signature | None:
        able = self.able(name, signatures, values, nulls=nulls)
        found = next((s for s in able if not self._safe or s.keeps(values)), None)
        if found is not None:
            return found
        if able:
            raise RuleViolation("promises", f"{name} could fail on some rows")
        self.check(rule, False, f"{name} does not take {', '.join(v.type for v in values) or 'nothing'}")
        return None

    def able(
        self, name: str, signatures: Sequence[Signature], values: Sequence[AbstractValue], *, nulls: bool = False
    ) -> tuple[Signature, ...]:
        """Return the signatures that take the types of ``values``."""
        key = (name, nulls, id(signatures), tuple([(v.type, v.marks & Mark.LITERAL, v.kinds) for v in values]))
        found = self._able.get(key)
        if found is None:
            found = self._able[key] = tuple(s for s in signatures if self.types.takes(s, values, nulls=nulls))
        return found

    def _finish(
        self, signature: Signature, values: Sequence[AbstractValue], magnitude: int, *, held: bool = False
    ) -> AbstractValue:
        """Return what a signature makes of values; ``held`` if its type holds all of it, as MySQL's casts see to."""
        result = self.types.result(signature, values)
        if signature.result == "same":
            self._one_sign(result, values)
        if result == "null" and self.types.strict:
            result = "text"
        count = signature.magnitude if signature.magnitude is not None else magnitude
        count = self.types.step(count)
        if count == self.types.real and any(_REAL < v.magnitude != count for v in values):
            count = self.types.step(count + 1)  # a double, which the digits of a REAL would take for one
        limit = self.types.limits.get(result)
        # what is passed on has been held already; where types are strict, larger numbers are of another type
        passed = signature.result == "same" and signature.magnitude is None and not self.types.strict
        fits = limit is None or count <= limit or passed or held
        self.check("overflow", fits, f"the result may have {count} digits, {result} holds {limit}")
        return self.of(AbstractValue(result, count, signature.marks), values)


def _magnitude(name: str, values: Sequence[AbstractValue]) -> int:
    """Return the digits of what an operator or function makes of values, where its line names none."""
    magnitude = [v.magnitude for v in values]
    return _MAGNITUDE[name](*magnitude) if name in _MAGNITUDE and len(magnitude) == 2 else max(magnitude, default=0)
