"""Checks every line of grammar/types/*.toml against its engine, with values chosen to break it.

A line has the signatures of one name: the types and digits of its arguments and of its result. Its arguments are stored
columns of hostile values, and constants; the engine must answer as the line promises. The values stand in a TOML file
for each dialect, the ways to write calls in forms.toml.
"""

import itertools
import math
import random
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy

from querent.grammar.lr.tables import WINDOWED, load_functions
from querent.grammar.types.abstract_values import AbstractValue, Mark
from querent.grammar.types.dialect import DialectTypes, load_types
from querent.grammar.types.signatures import Argument, Signature

Check = Callable[[Any], Iterable[str]]  # (a cursor) -> the broken promises
_HERE = Path(__file__).parent
_WHOLE = {"TILED": {0}, "SHIFTED": {1}, "NTH": {1}}
"""Arguments that the grammar allows whole numbers alone for, by the class of a function."""

_FORMS: dict[str, dict[str, Any]] = tomllib.loads((_HERE / "forms.toml").read_text("utf-8"))
_NUMBER = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_NUMERIC = {"null", "bool", "int", "dec", "float", "other"}


@dataclass(frozen=True)
class Spec:
    """Values of one kind: their abstract value, the type of a column that holds them, and their literals."""

    value: AbstractValue
    column: str
    cells: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return a name for its table."""
        marks = "".join(
            m
            for bit, m in ((Mark.NONNEGATIVE, "p"), (Mark.NONZERO, "z"), (Mark.LITERAL, "l"))
            if self.value.marks & bit
        )
        kept = re.sub(r"\W.*", "", self.column)
        return f"v_{self.value.type}{kept}_{self.value.magnitude}{marks}_{'_'.join(sorted(self.value.kinds))}"

    @property
    def literal(self) -> bool:
        """Return whether these are constants, which no table holds."""
        return bool(self.value.marks & Mark.LITERAL)


@dataclass(frozen=True)
class Case:
    """Arguments for one signature, and the abstract value of the result."""

    signature: Signature
    specs: tuple[Spec, ...]
    result: AbstractValue

    @property
    def source(self) -> tuple[list[str], str]:
        """Return the texts of the arguments, literals or stored columns, and their FROM."""
        texts = [s.cells[0] if s.literal else f"a{i}.v" for i, s in enumerate(self.specs)]
        tables = [f"{s.name} AS a{i}" for i, s in enumerate(self.specs) if not s.literal]
        return texts, f" FROM {', '.join(tables)}" * bool(tables) + " LIMIT 3000" * (len(tables) > 3)


@dataclass(frozen=True)
class Line:
    """The signatures of one name, and those of them that are checked."""

    table: str
    name: str
    terminal: str
    signatures: tuple[Signature, ...]
    held: tuple[Signature, ...]

    @property
    def operator(self) -> str:
        """Return the operator, empty for a function or a cast."""
        return self.name if self.table == "operators" else ""


class Lines:
    """The lines of a dialect, or of its wide form, with their checks on a cursor.

    Attributes:
        most: the number of cases for one signature.
        data: the content of the dialect's TOML file.
    """

    dialect = ""
    most = 40

    def __init__(self, *, wide: bool = False) -> None:
        data = self.data = tomllib.loads((_HERE / f"{self.dialect}.toml").read_text("utf-8"))
        texts = " ; ".join(data["texts"])
        self.types, self.wide = load_types(self.dialect, wide=wide), wide
        self.lines = [*self._lines()]
        self.specs: tuple[Spec, ...] = tuple(
            _spec(self.types, value, column, cells.replace("{texts}", texts), *kinds)
            for value, column, cells, *kinds in (*data["values"], *(data["wide"] if wide else ()))
        )
        self.hazards: list[tuple[str, str]] = [] if wide else data["hazards"]

    @classmethod
    @contextmanager
    def opened(cls, url: str | None) -> Generator[tuple[dict[str, Check], Any]]:
        """Open a cursor on an empty database, store the values there, and yield the checks by name and the cursor."""
        both = cls(), cls(wide=True)
        with cls.cursor(url) as cursor:
            for each in dict.fromkeys((*both[0].specs, *both[1].specs)):
                if not each.literal:
                    cursor.execute(f"CREATE TABLE {each.name} (v {each.column})")
                    rows = ", ".join(f"({cell})" for cell in (*each.cells, "NULL"))
                    cursor.execute(f"INSERT INTO {each.name} VALUES {rows}")
            yield both[0].checks() | both[1].checks(), cursor

    @classmethod
    @contextmanager
    def cursor(cls, url: str | None) -> Generator[Any]:
        """Open a cursor on an empty database of a server."""
        engine = sqlalchemy.create_engine(url or "", isolation_level="AUTOCOMMIT")
        with closing(engine.raw_connection()) as connection, closing(connection.cursor()) as cursor:
            yield cursor
        engine.dispose()

    def _lines(self) -> Iterator[Line]:
        """Yield the lines without the signatures that promise nothing: results trusted to fit (``#``), ``or error``."""
        functions = load_functions(self.dialect, wide=self.wide)
        for table in ("operators", "functions", "casts"):
            for name, signatures in sorted(getattr(self.types, table).items()):
                first = {s.arguments: s for s in reversed(signatures)}.values()
                held = tuple(s for s in first if not s.fails and not any(a.marks & Mark.NAME for a in s.arguments))
                if held:
                    yield Line(table, name, functions[name].terminal if table == "functions" else "", signatures, held)

    def title(self, line: Line) -> str:
        """Return the title of a line."""
        return f"{'wide ' * self.wide}{line.table.removesuffix('s')} {line.name}"

    def checks(self) -> dict[str, Check]:
        """Return, by name, the checks of an engine."""
        found: dict[str, Check] = {self.title(line): partial(self.held, line=line) for line in self.lines}
        for query, message in self.hazards:
            found[f"left out: {query:.60}"] = partial(_fails, query=query, message=message)
        return found

    def able(self, argument: Argument) -> Sequence[Spec]:
        """Return the values that an argument accepts."""
        return [s for s in self.specs if argument.fits(s.value) and argument.keeps(s.value)]

    def forms(self, line: Line, count: int) -> list[str]:
        """Return the ways to write a call with ``count`` arguments, ``{0}`` and so on."""
        kind = line.terminal or (line.name if line.name in _FORMS["forms"] else line.table)
        keys = (f"{kind} {count}", kind, "windowed" if kind in WINDOWED else "other")
        forms: list[str] = next(_FORMS["forms"][key] for key in keys if key in _FORMS["forms"])
        name: str = _FORMS[self.dialect].get(line.name, line.name)
        listed = "DISTINCT " * (kind == "COUNT" and count > 1) + ", ".join(f"{{{i}}}" for i in range(count))
        return [form.replace("{all}", listed).replace("{name}", name) for form in forms]

    def probes(self, case: Case) -> Iterator[str]:
        """Yield expressions that must run around a result, {} being the result."""
        yield from ()

    def queries(self, line: Line, case: Case, form: str) -> Iterator[tuple[str, bool | None]]:
        """Yield the queries of a case, each with whether its values are stored ones; None if it only has to run."""
        texts, source = case.source
        yield f"SELECT {form.format(*texts)}{source}", True
        yield from ((f"SELECT {form.format(*constant)}", False) for constant in _constants(case))
        yield from ((f"SELECT {probe.format(form.format(*texts))}{source}", None) for probe in self.probes(case))

    def problems(self, case: Case, engine: Any, rows: Sequence[tuple[Any, ...]], *, stored: bool) -> Iterator[str]:
        """Yield the promises that the rows of a query break."""
        yield from (problem for (cell,) in rows if (problem := _broken(cell, case.result)))

    def held(self, engine: Any, line: Line) -> list[str]:
        """Return the promises that the signatures of one name break."""
        found = self.cases(line)
        missed = {s.text for s in line.held} - {s.text for s in found}
        return [f"no values reach {text}" for text in sorted(missed)] + [
            f"{case.signature.text}: {problem}"
            for case in itertools.chain(*found.values())
            for form in self.forms(line, len(case.specs))
            for problem in self.broken(engine, line, case, form)
        ]

    def broken(self, engine: Any, line: Line, case: Case, form: str) -> Iterator[str]:
        """Yield the promises that the queries of a case break."""
        for query, stored in self.queries(line, case, form):
            try:
                engine.execute(query)
                rows = engine.fetchall()
            except Exception as error:
                yield f"{query:.300}: {str(error).splitlines()[0]:.200}"
                continue
            if stored is not None:
                found = dict.fromkeys(self.problems(case, engine, rows, stored=stored))
                yield from (f"{query:.300}: {problem}" for problem in found)

    def cases(self, line: Line) -> dict[Signature, list[Case]]:
        """Return cases for each signature that no earlier signature accepts; none where results always get too long."""
        types, found = self.types, defaultdict[Signature, list[Case]](list)
        rng = random.Random(4)
        for held, count in ((s, n) for s in line.held for n in _counts(s)):
            able = [
                [s for s in self.able(held.at(i)) if s.literal or i not in _WHOLE.get(line.terminal, ())]
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
        return {held: rng.sample(some, min(self.most, len(some))) for held, some in found.items()}


def _spec(types: DialectTypes, value: str, column: str, cells: str, *kinds: str) -> Spec:
    """Read a spec: ``"int:3!0+"``, the type of its column, cells with ``;`` between; with `kinds` (or "") a literal."""
    found = re.fullmatch(r"(\w+)(?::(\d+))?(!0)?(\+)?", value)
    assert found, value
    marks = (Mark.NONZERO if found[3] else 0) | (Mark.NONNEGATIVE if found[4] else 0) | (Mark.LITERAL if kinds else 0)
    literal_kinds = frozenset(kinds) - {""} if kinds else types.column(column).kinds
    return Spec(AbstractValue(found[1], int(found[2] or 0), marks, literal_kinds), column, tuple(cells.split(" ; ")))


def _counts(signature: Signature) -> Iterator[int]:
    """Yield how many arguments a signature takes: without optional ones, and with one repetition."""
    arguments = signature.arguments
    yield from range(sum(not a.optional for a in arguments), len(arguments) + 1)
    if arguments and arguments[-1].many:
        yield len(arguments) + 1


def digits(signature: Signature, values: Sequence[AbstractValue], operator: str) -> int:
    """Return the digits of a result as the constraint counts them; ``operator`` is empty for a function."""
    magnitude = [value.magnitude for value in values]
    if signature.magnitude is not None:
        return signature.magnitude
    if operator in {"+", "-"} and len(values) == 2:
        return max(magnitude) + 1
    if operator in {"*", "/", "DIV"}:
        return sum(magnitude)
    return magnitude[1] if operator in {"%", "MOD"} else max(magnitude, default=0)


def _constants(case: Case, count: int = 6) -> list[tuple[str, ...]]:
    """Return ways to write the arguments as constants."""
    ways = list(itertools.product(*(s.cells for s in case.specs)))
    return random.Random(4).sample(ways, min(count, len(ways)))


def _broken(cell: Any, promised: AbstractValue) -> str | None:
    """Return the promise that an answer breaks, or None."""
    number = _read(cell)
    if number is None:
        return None
    numeric = not isinstance(cell, str | bytes) or promised.type in _NUMERIC
    if abs(number) > Decimal(10) ** promised.magnitude * (1 + Decimal(10) ** -9):
        return f"{cell!r:.60} has more than {promised.magnitude} digits"
    if numeric and promised.marks & Mark.NONNEGATIVE and number < 0:
        return f"{cell!r:.60} is negative"
    return f"{cell!r:.60} is zero" if numeric and promised.marks & Mark.NONZERO and number == 0 else None


def _read(cell: Any) -> Decimal | None:
    """Return the number that an engine reads a value as; an infinite one counts as 10**308."""
    if isinstance(cell, int | float | Decimal):
        return Decimal(max(-1e308, min(cell, 1e308)) if isinstance(cell, float) else cell)
    text = cell.decode("latin-1") if isinstance(cell, bytes) else cell
    if not isinstance(text, str):
        return None
    found = _NUMBER.match(text)
    return _read(float(found[0])) if found else Decimal(0)


def _fails(engine: Any, query: str, message: str) -> list[str]:
    """Return the problem of a query that does not fail as it should."""
    try:
        engine.execute(query)
        engine.fetchall()
    except Exception as error:
        return [] if re.search(message, str(error)) else [str(error)]
    return ["it runs"]
