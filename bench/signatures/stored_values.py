"""Hostile values for every place of a signature, and whether an engine's answer keeps what the signature promises."""

from __future__ import annotations

import itertools
import math
import random
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from querent.grammar.lr.functions import WINDOWED, load_functions
from querent.grammar.types.abstract_values import LITERAL, NAME, NONNEGATIVE, NONZERO, AbstractValue
from querent.grammar.types.dialect import DialectTypes, load_types
from querent.grammar.types.signatures import Argument, Signature

Check = Callable[[Any], Iterable[str]]
"""(what an engine is asked with) -> the promises that it breaks."""

Able = Callable[[Argument], Sequence["Spec"]]
"""(a place of a signature) -> the values that may stand there."""

_WHOLE = {"TILED": {0}, "SHIFTED": {1}, "NTH": {1}}
"""Places where the grammar has nothing but a whole number, by the class of a function."""

_FORMS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("forms.toml").read_text("utf-8"))

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
        kept = re.sub(r"\W.*", "", self.column)
        return f"v_{self.value.type}{kept}_{self.value.magnitude}{marks}_{'_'.join(sorted(self.value.kinds))}"


@dataclass(frozen=True)
class Case:
    """One way to fill a signature's places, and the value that comes of it."""

    signature: Signature
    specs: tuple[Spec, ...]
    result: AbstractValue


@dataclass(frozen=True)
class Line:
    """The signatures of one name, and those of them that are to be held."""

    dialect: str
    table: str
    name: str
    terminal: str
    signatures: tuple[Signature, ...]
    held: tuple[Signature, ...]
    wide: bool

    @property
    def title(self) -> str:
        """Return what the line is called."""
        return f"{'wide ' * self.wide}{self.table.removesuffix('s')} {self.name}"

    @property
    def operator(self) -> str:
        """Return the operator, empty for what is none."""
        return self.name if self.table == "operators" else ""

    def takes_constant(self, place: int) -> bool:
        """Say whether a whole number that is written out must stand at a place."""
        return place in _WHOLE.get(self.terminal, ())


def lines_of(dialect: str, *, wide: bool) -> Iterator[Line]:
    """Yield the lines of a dialect, or of its wide form.

    Lines whose result is trusted to fit (``#``), and those that say ``or error``, promise nothing that is held here.
    """
    types, functions = load_types(dialect, wide=wide), load_functions(dialect, wide=wide)
    for table in ("operators", "functions", "casts"):
        for name, signatures in sorted(getattr(types, table).items()):
            first = {s.arguments: s for s in reversed(signatures)}.values()
            held = tuple(s for s in first if not s.fails and not any(a.marks & NAME for a in s.arguments))
            terminal = functions[name].terminal if table == "functions" else ""
            line = Line(dialect, table, name, terminal, signatures, held, wide)
            if line.held:
                yield line


def template(line: Line, count: int) -> list[str]:
    """Return the ways to write what a line is of with so many arguments, ``{0}`` and its like."""
    kind = line.terminal or (line.name if line.name in _FORMS["forms"] else line.table)
    keys = (f"{kind} {count}", kind, "windowed" if kind in WINDOWED else "other")
    forms: list[str] = next(_FORMS["forms"][key] for key in keys if key in _FORMS["forms"])
    name: str = _FORMS[line.dialect].get(line.name, line.name)
    listed = "DISTINCT " * (kind == "COUNT" and count > 1) + ", ".join(f"{{{i}}}" for i in range(count))
    return [form.replace("{all}", listed).replace("{name}", name) for form in forms]


def spec(types: DialectTypes, value: str, column: str, cells: str, *kinds: str) -> Spec:
    """Read a spec: ``"int:3!0+"``, its column's type, literals parted by ``;``; with `kinds` (or ""), a literal."""
    found = re.fullmatch(r"(\w+)(?::(\d+))?(!0)?(\+)?", value)
    assert found, value
    marks = (NONZERO if found[3] else 0) | (NONNEGATIVE if found[4] else 0) | (LITERAL if kinds else 0)
    told = frozenset(kinds) - {""} if kinds else types.column(column).kinds
    return Spec(AbstractValue(found[1], int(found[2] or 0), marks, told), column, tuple(cells.split(" ; ")))


def cases(types: DialectTypes, line: Line, able_at: Able, most: int) -> dict[Signature, list[Case]]:
    """Return up to ``most`` ways to fill the places of each signature with values that no earlier signature takes.

    It has none of a signature whose results may always have too many digits.

    Args:
        able_at: returns what may stand in an argument's place.
    """
    found: dict[Signature, list[Case]] = defaultdict(list)
    rng = random.Random(4)
    for held, count in ((s, n) for s in line.held for n in counts(s)):
        able = [
            [s for s in able_at(held.at(i)) if s.value.marks & LITERAL or not line.takes_constant(i)]
            for i in range(count)
        ]
        few = math.prod(map(len, able)) < 5000
        for way in itertools.product(*able) if few else (tuple(map(rng.choice, able)) for _ in range(1000)):
            values = [s.value for s in way]
            if next((s for s in line.signatures if types.takes(s, values) and s.keeps(values)), None) != held:
                continue
            result = AbstractValue(types.result(held, values), digits(held, values, line.operator), held.marks)
            several, limited = found[held], types.strict or line.operator
            if not limited or result.magnitude <= types.limits.get(result.type, 10**6):
                several.append(Case(held, way, result))
    return {held: rng.sample(some, min(most, len(some))) for held, some in found.items()}


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
    return texts, ", ".join(tables) + " LIMIT 3000" * (len(tables) > 3)


def tables(specs: Iterable[Spec]) -> Iterator[str]:
    """Yield the statements that store the values."""
    for each in specs:
        if not each.value.marks & LITERAL:
            yield f"CREATE TABLE {each.name} (v {each.column})"
            yield f"INSERT INTO {each.name} VALUES {', '.join(f'({cell})' for cell in (*each.cells, 'NULL'))}"


def constants(case: Case, count: int = 6) -> list[tuple[str, ...]]:
    """Return ways to write the arguments as constants."""
    ways = list(itertools.product(*(s.cells for s in case.specs)))
    return random.Random(4).sample(ways, min(count, len(ways)))
