"""The checks of lines on each engine, with the promises of its own."""

import itertools
import re
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from functools import partial
from typing import Any

from querent.data.values.slots import quoted
from querent.grammar.lr.tables import AGGREGATES
from querent.grammar.types.abstract_values import NULL, NUMBERS, AbstractValue, Mark
from querent.grammar.types.signatures import JSON_KINDS, Argument, Signature

from .lines import Case, Check, Line, Lines, Spec, digits


class SqliteLines(Lines):
    """The checks of SQLite; besides, results of the types dec and float must be REAL."""

    dialect = "sqlite"

    @classmethod
    @contextmanager
    def cursor(cls, url: str | None) -> Generator[Any]:
        """Open a cursor on a database in memory."""
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 10_000_000)  # as data/databases/sqlite_session.py has it
            yield connection.cursor()

    def problems(self, case: Case, engine: Any, rows: Sequence[tuple[Any, ...]], *, stored: bool) -> Iterator[str]:
        """Yield the broken promises, and numbers that are not REAL."""
        yield from super().problems(case, engine, rows, stored=stored)
        if case.result.type in ("dec", "float"):
            yield from (f"{cell!r} is no real" for (cell,) in rows if not isinstance(cell, float | None))


class MariaDBLines(Lines):
    """The checks of MariaDB; besides, results must bear further operations, and wide types must not be integers."""

    dialect = "mysql"

    def checks(self) -> dict[str, Check]:
        """Return, by name, the checks of MariaDB, those of typed literals, too."""
        title = "wide literals" if self.wide else "literals"
        literals = {f"{title} {kind}": partial(self._literals, kind=kind) for kind in self.data["literals"]}
        return super().checks() | literals

    def forms(self, line: Line, count: int) -> list[str]:
        """Return the ways to write a call, with each unit of time and each size of a cast."""
        if line.table == "casts":
            kinds = self.data["casts"].get(line.name, [line.name])
            return [*(f"CAST({{0}} AS {kind})" for kind in kinds), f"CONVERT({{0}}, {kinds[0]})"]
        own = self.data["forms"].get(line.terminal)
        if own is None:
            return super().forms(line, count)
        return [f.replace("{name}", line.name).replace("{unit}", unit) for unit in self.data["units"] for f in own]

    def cases(self, line: Line) -> dict[Signature, list[Case]]:
        """Return the cases of a line; REPEAT gets no times, since ten megabytes a row take long."""
        every = self.specs
        self.specs = tuple(s for s in every if line.name != "REPEAT" or s.value.type not in ("date", "time"))
        found = super().cases(line)
        self.specs = every
        return found

    def probes(self, case: Case) -> Iterator[str]:
        """Yield operations that a result must bear: an unsigned number would refuse the first, BIGINT the second."""
        type_, magnitude = case.result.type, case.result.magnitude
        if type_ in ("bool", "int", "date", "time", "stamp") and magnitude <= 17:
            yield "({}) - 900000000000000000"
        if (type_ in ("int", "dec") and magnitude <= 15) or (type_ in ("float", "text") and magnitude <= 17):
            yield "FLOOR({}) - 900000000000000000"
            yield "({}) DIV -1 - 1"
        if (type_ == "dec" and magnitude <= 24) or (type_ in ("float", "text") and magnitude <= 264):
            yield "({}) * 900000000000000000 * 900000000000000000 - 1"

    def problems(self, case: Case, engine: Any, rows: Sequence[tuple[Any, ...]], *, stored: bool) -> Iterator[str]:
        """Yield broken promises, and wide types that are integers: TINY, SHORT, LONG, LONGLONG, INT24 and YEAR."""
        yield from super().problems(case, engine, rows, stored=stored)
        wide = case.result.type in ("dec", "udec", "float", "text", "blob")
        if stored and wide and (code := engine.description[0][1]) in {1, 2, 3, 8, 9, 13}:
            yield f"{case.result.type} is an integer, of type {code}"

    def _literals(self, engine: Any, kind: str) -> list[str]:
        """Return the typed literals that MariaDB does not read."""
        word, *texts = self.data["literals"][kind]
        taken = [text for text in texts if kind in self.types.literal_kinds(text)]
        problems = [] if len(taken) >= 2 else ["none of them is a literal"]
        for text in taken:
            engine.execute(f"SELECT {word} '{text}'")
            if engine.fetchall()[0][0] is None:
                problems.append(f"{text} is NULL")
        return problems


class PostgresLines(Lines):
    """The checks of PostgreSQL; besides, results must have the promised type, alone and beside NULL."""

    dialect = "postgres"
    most = 150

    def __init__(self, *, wide: bool = False) -> None:
        super().__init__(wide=wide)
        arguments = {argument: None for line in self.lines for held in line.held for argument in held.arguments}
        self.specs = tuple(dict.fromkeys(spec for argument in arguments for spec in self.able(argument)))

    @classmethod
    @contextmanager
    def cursor(cls, url: str | None) -> Generator[Any]:
        """Open a cursor on an empty database, with an enumeration."""
        with super().cursor(url) as cursor:
            cursor.execute("CREATE TYPE phase AS ENUM ('new', 'it''s')")
            yield cursor

    def able(self, argument: Argument) -> Sequence[Spec]:
        """Return constants, and columns with values at the ends of an argument's range."""
        if argument.kind in JSON_KINDS:
            return self._items(argument.kind, argument)
        if argument.kind is not None:
            kinds, kind = frozenset({argument.kind}), self.types.kinds[argument.kind]
            texts = [text for text in self.data["literals"][argument.kind] if kind.fits(text.replace("''", "'"))]
            return [Spec(AbstractValue("text", 0, Mark.LITERAL, kinds), "", (f"'{text}'",)) for text in texts]
        return [item for type_ in sorted(argument.types - {"any", "udec"}) for item in self._items(type_, argument)]

    def _items(self, type_: str, argument: Argument) -> list[Spec]:
        """Return the values of a type for an argument, as the items of postgres.toml have them."""
        found: list[Spec] = []
        for item in self.data["items"][type_]:
            for count in _digits_of(item, argument.magnitude):
                texts = [_filled(text, count) for text in item["texts"]]
                if item.get("constant"):
                    marks = Mark.LITERAL | (Mark.NONNEGATIVE | Mark.NONZERO) * (type_ == "int")
                    found += [Spec(NULL if type_ == "null" else AbstractValue(type_, count, marks), "", (texts[0],))]
                    continue
                marks = argument.marks if item.get("signed") else 0
                if item.get("signed"):
                    negative = item.get("negative", [f"-{text}" for text in texts])
                    texts += [
                        *(() if marks & Mark.NONNEGATIVE else negative),
                        *(() if marks & Mark.NONZERO else ("0",)),
                    ]
                value = (
                    AbstractValue(type_, count, marks) if type_ not in JSON_KINDS else self.types.column(item["column"])
                )
                found.append(Spec(value, item["column"], tuple(map(quoted, texts))))
        return found

    def checks(self) -> dict[str, Check]:
        """Return, by name, the checks of PostgreSQL, those beside NULL, too."""
        pairs = (line for line in self.lines if line.operator and len(line.signatures[0].arguments) == 2)
        nulls = {f"NULL beside {self.title(line)}": partial(self._beside_null, line=line) for line in pairs}
        return super().checks() | nulls

    def forms(self, line: Line, count: int) -> list[str]:
        """Return the ways to write a call: with units of time, and sizes that any value fits into once rounded."""
        if line.terminal == "EXTRACT" and count == 1:
            return [f"EXTRACT({unit} FROM {{0}})" for unit in self.data["units"]]
        if line.terminal == "EXTRACT":
            return ["EXTRACT({0} FROM {1})"]
        if (line.table, line.name) == ("casts", "NUMERIC"):
            return [f"CAST({{0}} AS NUMERIC{sizes})" for sizes in ("", "(1000, 0)", "(1000, 1)")]
        return super().forms(line, count)

    def queries(self, line: Line, case: Case, form: str) -> Iterator[tuple[str, bool | None]]:
        """Yield the query for type and text of a result, and of an aggregate that of each group."""
        if line.name == "COLLATE" and case.specs[0].literal:  # a literal stays what it is
            return
        texts, source = case.source
        called = form.format(*texts)
        query = f"SELECT pg_typeof({called})::text, ({called})::text{source}"
        yield query, True
        if source and line.terminal in AGGREGATES:
            yield f"{query} GROUP BY {', '.join(f'{text}::text' for text in texts if text.endswith('.v'))}", True

    def problems(self, case: Case, engine: Any, rows: Sequence[tuple[Any, ...]], *, stored: bool) -> Iterator[str]:
        """Yield the promises that the types and texts of results break."""
        yield from (problem for row in rows if (problem := self._mistyped(case.result, *row)))

    def _beside_null(self, engine: Any, line: Line) -> Iterator[str]:
        """Yield the promises that an operator breaks beside NULL."""
        null, arguments = Spec(NULL, "", ("NULL",)), (a for signature in line.signatures for a in signature.arguments)
        specs = {spec for argument in arguments for spec in self.able(argument) if not spec.value.kinds}
        for spec, swapped in itertools.product(sorted(specs, key=str), (False, True)):
            pair = (null, spec) if swapped else (spec, null)
            values = [one.value for one in pair]
            taking = (s for s in line.signatures if self.types.takes(s, values, nulls=True) and s.keeps(values))
            signature = next(taking, None)
            if spec.value.type == "null" or signature is None:
                continue
            type_, magnitude = self.types.result(signature, values), digits(signature, values, line.name)
            if magnitude > self.types.limits.get(type_, magnitude):
                continue
            # nothing can be made of NULL that overflows, so one type of number is as good as another
            promised = "any" if {type_, spec.value.type} <= {*NUMBERS} else type_
            case = Case(signature, pair, AbstractValue(promised, magnitude))
            yield from self.broken(engine, line, case, self.forms(line, 2)[0])

    def _mistyped(self, promised: AbstractValue, pg_type: str, text: str | None) -> str | None:
        """Return the promise that a result breaks."""
        type_, magnitude = promised.type, promised.magnitude
        expected, pg_type = self.data["result_types"].get(type_), "ARRAY" if pg_type.endswith("[]") else pg_type
        if type_ == "int":
            expected = ["integer"] if magnitude <= 10 else ["bigint"]
            expected = expected if magnitude < 19 else ["integer", "bigint", "numeric"]
        if expected is not None and pg_type not in expected:
            return f"is {pg_type}"
        if text is None or type_ not in {"int", "dec", "float"}:
            return None
        number = Decimal(text)
        size = number.copy_abs() if number.is_finite() else Decimal(10) ** 270  # abs() would round; infinity is any
        least = Decimal(10) ** -magnitude * (1 - Decimal(10) ** -12)  # as doubles are rounded
        # what is not whole may be rounded up to the power of ten itself
        if not (size < Decimal(10) ** magnitude if type_ == "int" else size <= Decimal(10) ** magnitude):
            return f"is {text}"
        if type_ != "int" and 0 < size < least:
            return f"is as small as {text}"
        if (promised.marks & Mark.NONNEGATIVE and number < 0) or (promised.marks & Mark.NONZERO and number == 0):
            return f"is {text}"
        return None


def _filled(text: str, count: int) -> str:
    """Return the text of an item with so many digits."""
    signs = {"9": "9" * count, "0": "0" * (count - 1), "n": str(count), "m": str(count - 1)}
    signs |= {"BC": str(4000 + 100 * count), "AD": str(20999 + 100 * count)}
    return re.sub(r"\{(9|0|n|m|BC|AD)\}", lambda found: signs[found[1]], text)


def _digits_of(item: Mapping[str, Any], magnitude: int | None) -> list[int]:
    """Return the numbers of digits that an item's values get for an argument of so many digits, or of any (None)."""
    digits, when = item.get("digits", [0]), item.get("when", "always")
    low, high = item.get("range", (0, 1000))
    if when == "upto":
        most = min(18, 18 if magnitude is None else magnitude)
        digits = [count for count in {*digits, most} if count <= most]
    elif (when == "any" and magnitude is not None) or (
        when == "least" and magnitude not in (None, *range(digits[0], 1000))
    ):
        digits = []
    elif when == "exactly" and magnitude is not None:
        digits = [magnitude]
    return sorted(count for count in digits if low <= count <= high and count != item.get("but"))
