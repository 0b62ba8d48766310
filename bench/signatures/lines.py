"""The lines of a dialect's types/*.toml, held against an engine with the values of the TOML file beside this one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from stored_values import Case, Check, Line, Spec, broken, cases, constants, lines_of, sources, spec, template

from querent.grammar.types.dialect import load_types
from querent.grammar.types.signatures import Argument

__all__ = ["Lines"]


class Lines:
    """What one engine is asked of a dialect, or of its wide form; an engine is a cursor.

    Attributes:
        most: how many ways to fill the places of one signature are run.
    """

    most = 40

    def __init__(self, dialect: str, *, wide: bool = False) -> None:
        told = tomllib.loads((Path(__file__).parent / f"{dialect}.toml").read_text("utf-8"))
        texts = " ; ".join(told["texts"])
        self.types, self.wide, self.lines = load_types(dialect, wide=wide), wide, [*lines_of(dialect, wide=wide)]
        self.specs: tuple[Spec, ...] = tuple(
            spec(self.types, value, column, cells.replace("{texts}", texts), *kinds)
            for value, column, cells, *kinds in (*told["values"], *(told["wide"] if wide else ()))
        )
        self.hazards: list[tuple[str, str]] = [] if wide else told["hazards"]

    def checks(self) -> dict[str, Check]:
        """Return, by name, what tells an engine's breaches of the promise."""
        found: dict[str, Check] = {}
        for line in self.lines:
            found[line.title] = partial(self.held, line=line)
        for query, message in self.hazards:
            found[f"left out: {query:.60}"] = partial(fails, query=query, message=message)
        return found

    def able(self, argument: Argument) -> Sequence[Spec]:
        """Return the values that may stand in the place of an argument."""
        return [s for s in self.specs if argument.fits(s.value) and argument.keeps(s.value)]

    def forms(self, line: Line, count: int) -> list[str]:
        """Return the ways to write what a line is of with so many arguments, {0} and its like."""
        return template(line, count)

    def probes(self, case: Case) -> Iterator[str]:
        """Yield what a result must bear beside it, {} being the result."""
        yield from ()

    def odd(self, case: Case, engine: Any, rows: Sequence[tuple[Any, ...]], *, stored: bool) -> Iterator[str]:
        """Yield what else is wrong with an answer, to stored values or to constants."""
        yield from ()

    def held(self, engine: Any, line: Line) -> list[str]:
        """Return the promises that the signatures of one name break."""
        found = cases(self.types, line, self.able, self.most)
        missed = {s.text for s in line.held} - {s.text for s in found}
        asked = ((case, form) for some in found.values() for case in some for form in self.forms(line, len(case.specs)))
        return [f"no values reach {text}" for text in sorted(missed)] + [
            problem for case, form in asked for problem in self.asked(engine, line, case, form)
        ]

    def asked(self, engine: Any, line: Line, case: Case, form: str) -> Iterator[str]:
        """Yield which promises of a line are broken where its places are filled in one way."""
        texts, source = sources(case.specs)
        behind = f" FROM {source}" if source else ""
        queries = [f"SELECT {form.format(*texts)}{behind}"]
        queries += [f"SELECT {form.format(*constant)}" for constant in constants(case)]
        plain = len(queries)
        queries += [f"SELECT {probe.format(form.format(*texts))}{behind}" for probe in self.probes(case)]
        for number, query in enumerate(queries):
            try:
                engine.execute(query)
                rows = engine.fetchall()
            except Exception as error:
                yield f"{case.signature.text}: {query:.300}: {error}"
                continue
            if number < plain:
                problems = [problem for (cell,) in rows if (problem := broken(cell, case.result))]
                problems += self.odd(case, engine, rows, stored=number == 0)
                yield from (f"{case.signature.text}: {query:.300}: {problem}" for problem in problems)


def fails(engine: Any, query: str, message: str) -> list[str]:
    """Tell whether a query does not fail as it should."""
    try:
        engine.execute(query)
        engine.fetchall()
    except Exception as error:
        return [] if re.search(message, str(error)) else [str(error)]
    return ["it runs"]
