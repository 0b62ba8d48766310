"""Hostile values for every place of a signature, and whether an engine's answer keeps what the signature promises."""

from __future__ import annotations

import itertools
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from querent.grammar.types.abstract_values import LITERAL, NONNEGATIVE, NONZERO, AbstractValue
from querent.grammar.types.dialect import DialectTypes
from querent.grammar.types.signatures import Signature

Check = Callable[[Any], list[str]]
"""(what an engine is asked with) -> the promises that it breaks."""

COMBINATIONS = 40
"""How many ways to fill the places of one signature are run."""

_NUMBER = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_PROMISED = {"null": 0, "bool": 1, "int": 1, "dec": 1, "float": 1, "other": 1}


@dataclass(frozen=True)
class Spec:
    """Values of one kind: what is known of them, the type of a column that holds them, and literals of them."""

    value: AbstractValue
    column: str
    cells: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return a name for its table."""
        marks = "".join(m for bit, m in ((NONNEGATIVE, "p"), (NONZERO, "z"), (LITERAL, "l")) if self.value.marks & bit)
        kept = re.sub(r"\W.*", "", self.column) if self.value.type == "any" else ""
        return f"v_{self.value.type}{kept}_{self.value.magnitude}{marks}_{'_'.join(sorted(self.value.kinds))}"


@dataclass(frozen=True)
class Case:
    """One way to fill a signature's places, and the value that comes of it."""

    signature: Signature
    specs: tuple[Spec, ...]
    result: AbstractValue


def spec(value: str, column: str, cells: str, *kinds: str) -> Spec:
    """Read a spec: ``"int:3!0+"``, its column's type, literals parted by ``;``; with `kinds` (or ""), a literal."""
    found = re.fullmatch(r"(\w+)(?::(\d+))?(!0)?(\+)?", value)
    assert found, value
    marks = (NONZERO if found[3] else 0) | (NONNEGATIVE if found[4] else 0) | (LITERAL if kinds else 0)
    return Spec(
        AbstractValue(found[1], int(found[2] or 0), marks, frozenset(kinds) - {""}), column, tuple(cells.split(" ; "))
    )


def cases(
    types: DialectTypes, signatures: Sequence[Signature], specs: Sequence[Spec], operator: str = ""
) -> list[Case]:
    """Return ways to fill the places of each signature, each with values that no earlier signature takes."""
    found: dict[Signature, list[Case]] = defaultdict(list)
    rng = random.Random(4)
    for count in sorted({n for s in signatures for n in counts(s)}):
        ways = itertools.product(specs, repeat=count)
        chosen = list(ways) if count < 3 else [tuple(rng.choices(specs, k=count)) for _ in range(3000)]
        for way in chosen:
            values = [s.value for s in way]
            signature = next((s for s in signatures if types.takes(s, values) and s.keeps(values)), None)
            if signature is None:
                continue
            most = digits(signature, values, operator)
            result = AbstractValue(types.result(signature, values), most, signature.marks)
            if not operator or result.magnitude <= types.limits.get(result.type, 10**6):
                found[signature].append(Case(signature, way, result))
    missed = [s.text for s in signatures if s not in found]
    assert missed == [], f"{operator}: no values reach {missed}"
    return [case for some in found.values() for case in rng.sample(some, min(COMBINATIONS, len(some)))]


def counts(signature: Signature) -> Iterator[int]:
    """Yield how many arguments a signature takes: those that may be left out, those that come again once more."""
    arguments = signature.arguments
    least = sum(not a.optional for a in arguments)
    yield from range(least, len(arguments) + 1)
    if arguments and arguments[-1].many:
        yield len(arguments) + 1


def digits(signature: Signature, values: Sequence[AbstractValue], operator: str) -> int:
    """Count digits as the constraint does; `operator` is empty where a function is called."""
    magnitude = [v.magnitude for v in values]
    if signature.magnitude is not None:
        return signature.magnitude
    if operator in {"+", "-"} and len(values) == 2:
        return max(magnitude) + 1
    if operator in {"*", "/", "DIV"}:
        return sum(magnitude)
    return magnitude[1] if operator in {"%", "MOD"} else max(magnitude, default=0)


def broken(cell: Any, promised: AbstractValue) -> str | None:
    """Say which promise an answer breaks, or None."""
    number = _read(cell)
    if number is None:
        return None
    numeric = not isinstance(cell, str | bytes) or promised.type in _PROMISED
    if abs(number) > Decimal(10) ** promised.magnitude * (1 + Decimal(10) ** -9):
        return f"{cell!r:.60} has more than {promised.magnitude} digits"
    if numeric and promised.marks & NONNEGATIVE and number < 0:
        return f"{cell!r:.60} is negative"
    if numeric and promised.marks & NONZERO and number == 0:
        return f"{cell!r:.60} is zero"
    return None


def _read(cell: Any) -> Decimal | None:
    """Return the number that an engine reads a value as; an infinite one counts as 10**308."""
    if isinstance(cell, float):
        return Decimal(max(-1e308, min(cell, 1e308)))
    if isinstance(cell, int | Decimal):
        return Decimal(cell)
    if isinstance(cell, bytes):
        cell = cell.decode("latin-1")
    if not isinstance(cell, str):
        return None
    found = _NUMBER.match(cell)
    return _read(float(found[0])) if found else Decimal(0)


def sources(specs: Sequence[Spec]) -> tuple[list[str], str]:
    """Return the arguments' texts, stored columns where the place wants no literal, and the tables they need."""
    texts = [s.cells[0] if s.value.marks & LITERAL else f"a{i}.v" for i, s in enumerate(specs)]
    tables = [f"{s.name} AS a{i}" for i, s in enumerate(specs) if not s.value.marks & LITERAL]
    return texts, ", ".join(tables)


def tables(specs: Sequence[Spec]) -> Iterator[str]:
    """Yield the statements that store the values."""
    for each in specs:
        if not each.value.marks & LITERAL:
            yield f"CREATE TABLE {each.name} (v {each.column})"
            yield f"INSERT INTO {each.name} VALUES {', '.join(f'({cell})' for cell in (*each.cells, 'NULL'))}"


def constants(case: Case, count: int = 6) -> list[tuple[str, ...]]:
    """Return ways to write the arguments as constants."""
    ways = list(itertools.product(*(s.cells for s in case.specs)))
    return random.Random(4).sample(ways, min(count, len(ways)))
