"""`querent knowledge`: formulas read, searched, grounded, and taken from spreadsheets and semantic layers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import querent

from .. import rooms
from ..console import errors, finish, json_line, output, speaking
from .options import AsJson, AsJsonLines, ConnectOptions, option_of

__all__ = ["KNOWLEDGE_HELP", "app"]

KNOWLEDGE_HELP = """
[bold]Examples[/]

querent knowledge check knowledge.toml --database my.sqlite   [dim]what there is, and what the database lacks[/]

querent knowledge search "what was the gross margin in May?" --knowledge finance

querent knowledge ground finance shop "gross margin"   [dim]a formula as SQL on a database[/]

querent knowledge import formulas.csv --out knowledge.toml   [dim]from a spreadsheet[/]

[dim]Formulas are what people of a field know beside a database: EBIT = revenue - costs. They stand in a knowledge.toml,
over concepts that any database may have; `querent ask --knowledge` uses them in queries.[/]
"""

CHECK_HELP = """
[bold]Examples[/]

querent knowledge check knowledge.toml

querent knowledge check finance --database shop

querent knowledge check formulas.csv --database my.sqlite --json   [dim]as a spreadsheet saves them[/]

[dim]A name that is there twice with other right sides is allowed: a database takes the one that it can ground best. A
concept that grounds nowhere is told, and is no error, since a bank of a field knows more than one database has. The
exit code is 1 where a formula cannot be read.[/]
"""

SEARCH_HELP = """
[bold]Examples[/]

querent knowledge search "what was the gross margin in May?" --knowledge finance

querent knowledge search "which patients are adults?" --knowledge all --database my.sqlite --json

[dim]Names and aliases are found as values of a database are: whatever their case and ending, and with a letter
mistaken. Several formulas of one name are candidates, of which a database takes the one that it can ground best.[/]
"""

GROUND_HELP = """
[bold]Examples[/]

querent knowledge ground finance shop

querent knowledge ground knowledge.toml my.sqlite "gross margin" --threshold .8

querent knowledge ground all my.sqlite --json   [dim]a line for each: name, sql, confidence, concepts, missing[/]

[dim]Each concept stands for the column or table whose name says it best; the confidence of a formula is that of its
least sure concept. One below the threshold is missing, and its nearest column is told: call it in the concepts of
your knowledge.toml what that column is called, or write the column itself (table.column).[/]
"""

IMPORT_HELP = """
[bold]Examples[/]

querent knowledge import formulas.csv --out knowledge.toml   [dim]columns: name, formula, says, unit, note, …[/]

querent knowledge import models/semantic.yml --out knowledge.toml   [dim]dbt's MetricFlow, YAML or JSON[/]

[dim]A formula is a row of a CSV or TSV file, or a metric. What cannot be read is named with its line, and the rest is
written.[/]
"""


@dataclass
class GroundedFormula:
    """What came of grounding a formula; holds without the database.

    Attributes:
        formula: that is grounded.
        grounding: the likeliest places of its concepts, sure or not.
        missing: the concepts that are not here, each with the nearest place and its confidence.
    """

    formula: rooms.Formula
    grounding: rooms.Grounding
    missing: dict[str, tuple[str, float] | None]

    @classmethod
    def of(cls, found: rooms.FormulaLinker, formula: rooms.Formula, threshold: float | None = None) -> GroundedFormula:
        """Ground a formula; concepts below the threshold are missing, the grounder's own if None."""
        least = found.grounder.threshold if threshold is None else threshold
        grounding = found.grounding(formula)
        nearest = {name: near and (str(near[0]), near[1]) for name, near in grounding.missing.items()}
        if grounding.best is not None:
            weak = [one for one in grounding.best.concepts if one.confidence < least]
            return cls(formula, grounding, {one.concept: (str(one), one.confidence) for one in weak})

        def here(concept: str) -> bool:
            near, parts = nearest[concept], found.bank.parts(formula).get(concept, ())
            return (near is not None and near[1] >= least) or any(not cls.of(found, p, least).missing for p in parts)

        # where one has no place, none is chosen: those that have one are not missing
        return cls(formula, grounding, {name: near for name, near in nearest.items() if not here(name)})

    @property
    def concepts(self) -> tuple[rooms.GroundedConcept, ...]:
        """Return its concepts and what they are here; none where one has no place at all."""
        return () if self.grounding.best is None else self.grounding.best.concepts

    def sql(self, dialect: str) -> str | None:
        """Return it as SQL, None where a concept is missing, or a join would make it wrong."""
        best = self.grounding.best
        return None if best is None or not self.here else ", ".join(best.sql(dialect))

    @property
    def here(self) -> bool:
        """Can it be written on this database?"""
        return not self.missing and self.grounding.problem is None

    def to_json(self, dialect: str) -> dict[str, Any]:
        """Return it for scripts."""
        best, sql = self.grounding.best, self.sql(dialect)
        return {
            "name": self.formula.name,
            "is": self.formula.expression.text,
            "sql": sql,
            "confidence": None if best is None or sql is None else round(best.confidence, 4),
            "concepts": {one.concept: [str(one), round(one.confidence, 4)] for one in self.concepts},
            "missing": {name: near and [near[0], round(near[1], 4)] for name, near in self.missing.items()},
            "problem": self.grounding.problem,
        }


@dataclass
class BankReport:
    """What `querent knowledge check` has found.

    Attributes:
        refused: formulas that cannot be read.
        grounded: each formula on a database; None where there is none.
    """

    source: str
    bank: rooms.Bank
    refused: Sequence[querent.QuerentError]
    grounded: list[GroundedFormula] | None = None

    @property
    def kinds(self) -> Counter[str]:
        """Return how many formulas there are of each kind; a calculation is one of a row or of a group."""
        ways = {True: "calculation of a group", False: "calculation of a row"}
        return Counter(
            ways[one.expression.aggregate] if one.kind == "calculation" else one.kind for one in self.bank.formulas
        )

    @cached_property
    def nowhere(self) -> dict[str, tuple[tuple[str, float] | None, list[str]]]:
        """Return the concepts that are nowhere in the database: the nearest place, and the formulas that need them."""
        found: dict[str, tuple[tuple[str, float] | None, list[str]]] = {}
        grounded = self.grounded or []
        somewhere = {c.concept for one in grounded for c in one.concepts if c.concept not in one.missing}
        for one in grounded:
            for concept, near in one.missing.items():
                # of one that is a formula the concepts are told instead, and what others have taken here is not nowhere
                if not self.bank.called(concept) and concept not in somewhere:
                    found.setdefault(concept, (near, []))[1].append(one.formula.name)
        return found

    def to_json(self) -> dict[str, Any]:
        """Return it for scripts."""
        told: dict[str, Any] = {"formulas": len(self.bank), "kinds": dict(self.kinds)}
        told["twice"] = {several[0].name: [one.expression.text for one in several] for several in self.bank.ambiguous()}
        told["refused"] = [str(one) for one in self.refused]
        if self.grounded is not None:
            told["grounded"] = sum(one.here for one in self.grounded)
            told["nowhere"] = {name: {"nearest": near, "needed_by": by} for name, (near, by) in self.nowhere.items()}
        return told


def number(bank: rooms.Bank) -> str:
    """Return how many formulas there are, in words."""
    return f"{len(bank)} formula{'s' * (len(bank) != 1)}"


def show_report(report: BankReport, console: Console) -> None:
    """Print what a bank holds, and what is to be known of it."""
    console.print(Text(f"{report.source}: {number(report.bank)}", style="bold"), soft_wrap=True)
    table = Table(show_edge=False)
    table.add_column("kind")
    table.add_column("formulas", justify="right")
    for kind, times in sorted(report.kinds.items()):
        table.add_row(kind, str(times))
    console.print(table)
    for several in report.bank.ambiguous():
        console.print(Text(f"{several[0].name}: there {len(several)} times, which is allowed", style="bold"))
        for one in several:
            line = f"    = {one.expression.text}" + (f"  ({one.note})" if one.note else "")
            console.print(Text(line, style="dim"), soft_wrap=True)
    for error in report.refused:
        console.print(Text.assemble(("cannot be read: ", "red"), str(error)), soft_wrap=True)
    if report.grounded is not None:
        here = sum(one.here for one in report.grounded)
        console.print(Text(f"{here} of {len(report.grounded)} formulas can be written on this database", style="bold"))
        for concept, (near, by) in report.nowhere.items():
            line = Text(f"{concept}: {_nowhere(near)}")
            console.print(line.append(f"  (of {', '.join(dict.fromkeys(by))})", style="dim"), soft_wrap=True)


def show_mentions(found: Sequence[rooms.Mention], console: Console) -> None:
    """Print the formulas that a question names."""
    if not found:
        console.print("the question names no formula", style="dim")
    for mention in found:
        for formula in mention.formulas:
            line = Text.assemble((f"{mention.score:.2f}  ", "bold"), str(formula))
            line.append(f"  («{mention.text}»{', ' + formula.domain if formula.domain else ''})", style="dim")
            console.print(line, soft_wrap=True)


def show_grounded(shown: GroundedFormula, dialect: str, console: Console) -> None:
    """Print a formula on a database: its SQL, its concepts with how sure they are, and what is missing."""
    sql, best = shown.sql(dialect), shown.grounding.best
    if sql is None or best is None:
        label = "missing  " if shown.missing else "refused  "
        console.print(Text.assemble((label, "red"), str(shown.formula)), soft_wrap=True)
    else:
        console.print(Text.assemble((f"{best.confidence:.2f}  ", "bold"), str(shown.formula)), soft_wrap=True)
        console.print(Text(f"    {sql}", style="cyan"), soft_wrap=True)
    for one in shown.concepts:
        if one.concept not in shown.missing:
            console.print(Text(f"    {one.concept}: {one} {one.confidence:.2f}", style="dim"), soft_wrap=True)
    for concept, near in shown.missing.items():
        console.print(Text(f"    {concept}: {_nowhere(near)}"), soft_wrap=True)
    if shown.grounding.problem:
        console.print(Text(f"    {shown.grounding.problem}"), soft_wrap=True)


def _nowhere(near: tuple[str, float] | None) -> str:
    return "nothing here" + (f"; nearest {near[0]} {near[1]:.2f}" if near else "")


app = typer.Typer(
    name="knowledge",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Formulas: check, search and ground them, and take them from spreadsheets and dbt.",
    epilog=KNOWLEDGE_HELP,
)

Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE|BANK",
        help="A knowledge.toml or its folder, a spreadsheet, a shipped bank (finance), or all of these.",
        show_default=False,
    ),
]
Language = Annotated[
    str | None,
    typer.Option("--language", metavar="en|zh", help="Whose parser compares names.", show_default="English"),
]
_db = partial(typer.Option, "--database", metavar="DB")


@app.command(epilog=CHECK_HELP)
def check(
    source: Source,
    *,
    database: Annotated[str | None, _db(help="Tell which concepts ground nowhere in it.", show_default="none")] = None,
    language: Language = None,
    as_json: AsJson = False,
) -> None:
    """Tell what formulas there are, and what is wrong with them; changes nothing."""
    refused: list[rooms.DomainError] = []
    with speaking(as_json) as console:
        report = BankReport(source, _read(source, refused), refused)
        if database is not None:
            with _grounding(report.bank, database, language) as found:
                report.grounded = [GroundedFormula.of(found, one) for one in found.bank.formulas]
        show_report(report, console)
    finish(report.to_json(), as_json=as_json)
    if refused:
        raise typer.Exit(1)


@app.command(epilog=SEARCH_HELP)
def search(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="In plain words.", show_default=False)],
    *,
    knowledge: Annotated[list[str] | None, option_of(ConnectOptions, "knowledge")] = None,
    database: Annotated[str | None, _db(help="Whose names are no formulas' values.", show_default="none")] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Show which formulas a question names."""
    question = rooms.asked(question)
    bank = rooms.Bank.joined(_read(one, None) for one in knowledge or ["all"])
    schema = rooms.Schema(()) if database is None else querent.open_schema(database)[0]
    found = rooms.Mentions(bank, schema).find(question)
    if not as_json:
        show_mentions(found, output())
        return
    for mention in found:
        for formula in mention.formulas:
            record: dict[str, Any] = {"said": mention.text, "name": formula.name, "is": formula.expression.text}
            record |= {"kind": formula.kind, "domain": formula.domain, "score": mention.score}
            print(json_line(record))


@app.command(epilog=GROUND_HELP)
def ground(
    source: Source,
    database: Annotated[str, typer.Argument(metavar="DB", help="A SQLite file, a CSV file, a URL, or a shipped one.")],
    formula: Annotated[
        str | None, typer.Argument(metavar="FORMULA", help="One of them.", show_default="all of them")
    ] = None,
    *,
    threshold: Annotated[
        float, typer.Option("--threshold", min=0, max=1, help="Confidence from which a concept is grounded.")
    ] = 0.6,
    language: Language = None,
    as_json: AsJsonLines = False,
) -> None:
    """Show formulas as SQL on a database, how sure each concept is, and what is missing."""
    bank = _read(source, None)
    chosen = bank.formulas if formula is None else bank.called(formula)
    if not chosen:
        known = [name for one in bank.formulas for name in one.names]
        hint = rooms.did_you_mean(formula or "", known) or "`querent knowledge check` tells what there is"
        raise querent.InputError(f"no formula {formula!r} in {source}", field="formula", hint=hint)
    dialect = querent.open_schema(database)[1]
    console = output()
    with _grounding(bank, database, language) as found:
        for one in found.bank.formulas:
            if one in chosen:
                shown = GroundedFormula.of(found, one, threshold)
                if as_json:
                    print(json_line(shown.to_json(dialect)))
                else:
                    show_grounded(shown, dialect, console)


@app.command("import", epilog=IMPORT_HELP)
def import_(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A CSV, TSV, YAML or JSON file.", show_default=False)],
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The knowledge.toml to write.")],
) -> None:
    """Read the formulas of a spreadsheet or a semantic layer into a knowledge.toml."""
    refused: list[rooms.DomainError] = []
    bank = rooms.read_formulas(path, refused=refused)
    for one in refused:
        errors().print(str(one), markup=False, highlight=False, soft_wrap=True)
    if not len(bank):
        raise querent.InputError("no formula that can be read", file=path)
    rooms.write_bank(bank, out)
    print(f"{out}: {number(bank)}, {len(refused)} could not be read")


def _read(source: str, refused: list[rooms.DomainError] | None) -> rooms.Bank:
    """Return the formulas of a file, a folder, or a shipped bank."""
    return rooms.read_formulas(source, refused=refused) if Path(source).is_file() else rooms.open_banks([source])


@contextmanager
def _grounding(bank: rooms.Bank, database: str, language: str | None) -> Generator[rooms.FormulaLinker]:
    """Yield what grounds formulas in a database; they may come from a spreadsheet."""
    with TemporaryDirectory(prefix="querent-") as folder:
        file = Path(folder) / "knowledge.toml"
        rooms.write_bank(bank, file)
        with errors().status("opening the database") as status:
            opened = querent.connect(database, knowledge=file, language=language, progress=status.update)
        with opened as connection:
            assert connection.knowledge is not None  # it was just given
            yield connection.knowledge
