"""`querent knowledge`: formulas read, searched, grounded, and taken from what others use."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

import querent

from ..console import errors, finish, output, speaking
from ..terminal import json_line
from .knowledge_help import CHECK, EPILOG, GROUND, IMPORT, SEARCH
from .knowledge_shown import BankReport, GroundedFormula, number, show_grounded, show_mentions, show_report
from .options import AsJson, AsJsonLines, ConnectOptions, option_of

__all__ = ["EPILOG", "app"]

app = typer.Typer(
    name="knowledge",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Formulas: check, search and ground them, and take them from files of others.",
    epilog=EPILOG,
)

Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE|BANK",
        help="A knowledge.toml or its folder, a file of another format, a shipped bank (finance), or all of these.",
        show_default=False,
    ),
]
Language = Annotated[
    str | None,
    typer.Option("--language", metavar="en|zh", help="Whose parser compares names.", show_default="English"),
]
_db = partial(typer.Option, "--database", metavar="DB")
_FORMATS = "querent|metricflow|spreadsheet"


@app.command(epilog=CHECK)
def check(
    source: Source,
    *,
    database: Annotated[str | None, _db(help="Tell which concepts ground nowhere in it.", show_default="none")] = None,
    language: Language = None,
    as_json: AsJson = False,
) -> None:
    """Tell what formulas there are, and what is wrong with them; changes nothing."""
    refused: list[querent.DomainError] = []
    with speaking(as_json) as console:
        report = BankReport(source, _read(source, refused), refused)
        if database is not None:
            with _grounding(report.bank, database, language) as found:
                report.grounded = [GroundedFormula.of(found, one) for one in found.bank.formulas]
        show_report(report, console)
    finish(report.to_json(), as_json=as_json)
    if refused:
        raise typer.Exit(1)


@app.command(epilog=SEARCH)
def search(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="In plain words.", show_default=False)],
    *,
    knowledge: Annotated[list[str] | None, option_of(ConnectOptions, "knowledge")] = None,
    database: Annotated[str | None, _db(help="Whose names are no formulas' values.", show_default="none")] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Show which formulas a question names."""
    question = querent.asked(question)
    bank = querent.Bank.joined(_read(one, None) for one in knowledge or ["all"])
    schema = querent.Schema(()) if database is None else querent.open_schema(database)[0]
    found = querent.Mentions(bank, schema).find(question)
    if not as_json:
        show_mentions(found, output())
        return
    for mention in found:
        for formula in mention.formulas:
            record: dict[str, Any] = {"said": mention.text, "name": formula.name, "is": formula.expression.text}
            record |= {"kind": formula.kind, "domain": formula.domain, "score": mention.score}
            print(json_line(record))


@app.command(epilog=GROUND)
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
        hint = querent.did_you_mean(formula or "", known) or "`querent knowledge check` tells what there is"
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


@app.command("import", epilog=IMPORT)
def import_(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file of others.", show_default=False)],
    *,
    format: Annotated[
        str | None,
        typer.Option("--format", metavar=_FORMATS, help="What it is.", show_default="told by what it holds"),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The knowledge.toml to write.")],
) -> None:
    """Read formulas of a spreadsheet or a semantic layer into a knowledge.toml."""
    refused: list[querent.DomainError] = []
    bank = querent.read_formulas(path, format, refused=refused)
    for one in refused:
        errors().print(str(one), markup=False, highlight=False, soft_wrap=True)
    if not len(bank):
        raise querent.InputError("no formula that can be read", file=path)
    querent.write_bank(bank, out)
    print(f"{out}: {number(bank)}, {len(refused)} could not be read")


def _read(source: str, refused: list[querent.DomainError] | None) -> querent.Bank:
    """Return the formulas of a file of any format, a folder, or a shipped bank."""
    return querent.read_formulas(source, refused=refused) if Path(source).is_file() else querent.open_banks([source])


@contextmanager
def _grounding(bank: querent.Bank, database: str, language: str | None) -> Generator[querent.FormulaLinker]:
    """Yield what grounds formulas in a database; they may come from a file of any format."""
    with TemporaryDirectory(prefix="querent-") as folder:
        file = Path(folder) / "knowledge.toml"
        querent.write_bank(bank, file)
        with errors().status("opening the database") as status:
            opened = querent.connect(database, knowledge=file, language=language, progress=status.update)
        with opened as connection:
            assert connection.knowledge is not None  # it was just given
            yield connection.knowledge
