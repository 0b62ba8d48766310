"""The lines of a dialect's types/*.toml, held against an engine with the values of the TOML file beside this one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from stored_values import Case, Check, Spec, broken, cases, constants, sources, spec

from querent.grammar.lr.functions import load_functions
from querent.grammar.types.dialect import load_types
from querent.grammar.types.signatures import Signature

__all__ = ["Lines"]


class Lines:
    """What one engine is asked; an engine is a cursor."""

    def __init__(self, dialect: str) -> None:
        told = tomllib.loads((Path(__file__).parent / f"{dialect}.toml").read_text("utf-8"))
        texts = " ; ".join(told["texts"])
        self.types, self.functions = load_types(dialect), load_functions(dialect)
        self.specs: tuple[Spec, ...] = tuple(
            spec(value, column, cells.replace("{texts}", texts), *kinds)
            for value, column, cells, *kinds in told["values"]
        )
        self.hazards: list[tuple[str, str]] = told["hazards"]

    def checks(self) -> dict[str, Check]:
        """Return, by name, what tells an engine's breaches of the promise."""
        found: dict[str, Check] = {}
        for table in ("operators", "functions", "casts"):
            for name, signatures in sorted(getattr(self.types, table).items()):
                operator = name if table == "operators" else ""
                held = partial(self.held, signatures=signatures, forms=self.forms(table, name), operator=operator)
                found[f"{table.removesuffix('s')} {name}"] = held
        for query, message in self.hazards:
            found[f"left out: {query:.60}"] = partial(fails, query=query, message=message)
        return found

    def forms(self, table: str, name: str) -> list[str]:
        """Return the ways to write what a line is of: {} is an argument, ARGUMENTS are all."""
        if table == "operators":
            return ["-({})" if name == "neg" else f"({{}}) {name} ({{}})"]
        if table == "casts":
            return [f"CAST({{}} AS {name})"]
        return [name if self.functions[name].terminal == "NILADIC" else f"{name}(ARGUMENTS)"]

    def probes(self, case: Case) -> Iterator[str]:
        """Yield what a result must bear beside it, {} being the result."""
        yield from ()

    def odd(self, case: Case, engine: Any, rows: Sequence[tuple[Any, ...]], *, stored: bool) -> Iterator[str]:
        """Yield what else is wrong with an answer, to stored values or to constants."""
        yield from ()

    def held(
        self, engine: Any, signatures: tuple[Signature, ...], forms: Sequence[str], operator: str = ""
    ) -> list[str]:
        """Return the promises that the signatures of one name break."""
        found = cases(self.types, signatures, self.specs, operator)
        return [problem for case in found for form in forms for problem in self._asked(engine, case, form)]

    def _asked(self, engine: Any, case: Case, form: str) -> Iterator[str]:
        texts, source = sources(case.specs)
        behind = f" FROM {source}" if source else ""
        queries = [f"SELECT {filled(form, texts)}{behind}"]
        queries += [f"SELECT {filled(form, constant)}" for constant in constants(case)]
        plain = len(queries)
        queries += [f"SELECT {probe.format(filled(form, texts))}{behind}" for probe in self.probes(case)]
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


def filled(form: str, texts: Sequence[str]) -> str:
    """Return a form with its arguments."""
    if form.startswith("COUNT(") and len(texts) > 1:
        form = form.replace("(", "(DISTINCT ")
    return form.replace("ARGUMENTS", ", ".join(texts)) if "ARGUMENTS" in form else form.format(*texts)


def fails(engine: Any, query: str, message: str) -> list[str]:
    """Tell whether a query does not fail as it should."""
    try:
        engine.execute(query)
        engine.fetchall()
    except Exception as error:
        return [] if re.search(message, str(error)) else [str(error)]
    return ["it runs"]
