"""`querent knowledge`: checks, grounds and imports formulas."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.text import Text

import querent

from .. import rooms
from ..console import errors, output
from .options import Failed


def check(source: str, *, database: str | None = None, formula: str | None = None) -> dict[str, Any]:
    """Show formulas, what is wrong with them, and their grounding on a database; changes nothing.

        querent knowledge check knowledge.toml
        querent knowledge check finance --database shop
        querent knowledge check metrics.yml --database my.sqlite --json   # in any format that import reads
        querent knowledge check all --database my.sqlite --formula "gross margin"

    A name may have several right sides; on a database the best grounded one counts. Grounding links each concept to
    the column or table with the most similar name; the confidence of a formula is that of its least sure concept. A
    concept without a column is no error, since a bank of a field has more concepts than one database; it is shown
    with the nearest column. Name that column in the concepts of your knowledge.toml, or write the column itself
    (table.column). Exit code 1: a formula cannot be read.

    Args:
        source (FILE|BANK): A knowledge.toml or its folder, a file of another format, a shipped bank (finance), or all
            of these.
        database (DB): The database to ground on: a SQLite file, files of tables, a URL, a shipped one. Default: none.
        formula (NAME): Show only this formula. Default: all.
    """
    refused: list[rooms.DomainError] = []
    bank = _read(source, refused)
    chosen = bank.formulas if formula is None else bank.called(formula)
    if formula is not None and not chosen:
        known = [name for one in bank.formulas for name in one.names]
        hint = rooms.did_you_mean(formula, known) or "without --formula all are shown"
        raise querent.InputError(f"no formula {formula!r} in {source}", field="formula", hint=hint)
    data: dict[str, Any] = {"formulas": len(bank)}
    data["twice"] = {several[0].name: [one.expression.text for one in several] for several in bank.ambiguous()}
    data["refused"] = [str(one) for one in refused]
    console = output()
    console.print(Text(f"{source}: {_number(bank)}", style="bold"), soft_wrap=True)
    if formula is None:
        for several in bank.ambiguous():
            console.print(Text(f"{several[0].name}: there {len(several)} times, which is allowed", style="bold"))
            for one in several:
                line = f"    = {one.expression.text}" + (f"  ({one.note})" if one.note else "")
                console.print(Text(line, style="dim"), soft_wrap=True)
        for error in refused:
            console.print(Text.assemble(("cannot be read: ", "red"), str(error)), soft_wrap=True)
    if database is not None:
        dialect = querent.open_schema(database)[1]
        groundings = [found for found in _groundings(bank, database) if found.formula in chosen]
        data["grounded"] = [_grounded(one, dialect, console) for one in groundings]
        written = sum(one["sql"] is not None for one in data["grounded"])
        console.print(Text(f"{written} of {len(groundings)} formulas can be written on this database", style="bold"))
    return Failed(data) if refused else data


def _number(bank: rooms.Bank) -> str:
    return f"{len(bank)} formula{'s' * (len(bank) != 1)}"


def _grounded(found: rooms.Grounding, dialect: str, console: Console) -> dict[str, Any]:
    """Print the grounding of a formula, and return it as JSON."""
    grounded = found.grounded
    sql = None if grounded is None else ", ".join(grounded.sql(dialect))
    if grounded is None:
        label = "missing  " if found.missing else "refused  "
        console.print(Text.assemble((label, "red"), str(found.formula)), soft_wrap=True)
        console.print(Text(f"    {found}"), soft_wrap=True)
    else:
        console.print(Text.assemble((f"{grounded.confidence:.2f}  ", "bold"), str(found.formula)), soft_wrap=True)
        console.print(Text(f"    {sql}", style="cyan"), soft_wrap=True)
    concepts = () if grounded is None else grounded.concepts
    for one in concepts:
        console.print(Text(f"    {one.concept}: {one} {one.confidence:.2f}", style="dim"), soft_wrap=True)
    return {
        "name": found.formula.name,
        "is": found.formula.expression.text,
        "sql": sql,
        "confidence": None if grounded is None else round(grounded.confidence, 4),
        "concepts": {one.concept: [str(one), round(one.confidence, 4)] for one in concepts},
        "missing": {name: near and [str(near[0]), round(near[1], 4)] for name, near in found.missing.items()},
        "problem": found.problem,
    }


def import_(path: Path, *, out: Path) -> None:
    """Convert the formulas of a spreadsheet or a semantic layer into a knowledge.toml.

        querent knowledge import models/semantic.yml --out knowledge.toml
        querent knowledge import formulas.csv --out knowledge.toml   # columns: name, formula, says, unit, note, …

    Formats: metricflow (dbt), spreadsheet (CSV, TSV), querent. Metrics
    bound to columns stay bound (orders.amount). Entries that cannot be read are shown with their line; the rest is
    written.

    Args:
        path (PATH): The file to convert.
        out (FILE): The knowledge.toml to write.
    """
    refused: list[rooms.DomainError] = []
    bank = rooms.read_formulas(path, refused=refused)
    for one in refused:
        errors().print(str(one), markup=False, highlight=False, soft_wrap=True)
    if not len(bank):
        raise querent.InputError("no formula that can be read", file=path)
    rooms.write_bank(bank, out)
    print(f"{out}: {_number(bank)}, {len(refused)} could not be read")


def _read(source: str, refused: list[rooms.DomainError]) -> rooms.Bank:
    """Return the formulas of a file, a folder, or a shipped bank."""
    return rooms.read_formulas(source, refused=refused) if Path(source).is_file() else rooms.open_banks([source])


def _groundings(bank: rooms.Bank, database: str) -> list[rooms.Grounding]:
    """Return the groundings of formulas of any format on a database."""
    with TemporaryDirectory(prefix="querent-") as folder:
        file = Path(folder) / "knowledge.toml"
        rooms.write_bank(bank, file)
        with errors().status("opening the database") as status:
            connection = querent.connect(database, knowledge=file, progress=status.update)
        with connection:
            linker = connection.knowledge
            assert linker is not None  # the connection has formulas
            return [linker.grounding(one) for one in linker.bank.formulas]
