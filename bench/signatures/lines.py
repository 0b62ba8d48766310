"""The lines of a dialect's types/*.toml, held against an engine with the values of the TOML file beside this one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from stored_values import Case, Check, Line, Spec, broken, cases, constants, lines_of, sources, spec, template

from querent.grammar.lr.functions import load_functions
from querent.grammar.types.dialect import load_types

__all__ = ["Lines"]


class Lines:
    """What one engine is asked of a dialect, or of its wide form; an engine is a cursor."""

    def __init__(self, dialect: str, *, wide: bool = False) -> None:
        told = tomllib.loads((Path(__file__).parent / f"{dialect}.toml").read_text("utf-8"))
        texts = " ; ".join(told["texts"])
        self.types, self.functions = load_types(dialect, wide=wide), load_functions(dialect, wide=wide)
        self.wide, self.lines = wide, [*lines_of(dialect, wide=wide)]
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
        found = cases(self.types, line, self.specs)
        missed = {s.text for s in line.held} - {case.signature.text for case in found}
        asked = ((case, form) for case in found for form in self.forms(line, len(case.specs)))
        return [f"no values reach {text}" for text in sorted(missed)] + [
            problem for case, form in asked for problem in self._asked(engine, case, form)
        ]

    def _asked(self, engine: Any, case: Case, form: str) -> Iterator[str]:
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
