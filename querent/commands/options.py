"""Arguments that several commands share."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

__all__ = [
    "AccessFile",
    "AsJson",
    "AsJsonLines",
    "AsSummary",
    "Beam",
    "DatabasePlace",
    "DescriptionFile",
    "Dialect",
    "DomainName",
    "FeedbackFile",
    "KnowledgeBanks",
    "Language",
    "Level",
    "LevelOrOff",
    "MaskedDatabase",
    "ParserPath",
    "Part",
    "QuestionLanguage",
    "SchemaPlace",
    "SolvedSource",
    "Split",
    "promised",
]

Part = Literal["train", "dev", "test"]
Split = Literal["question", "query"]

AccessFile = Annotated[
    Path | None,
    typer.Option(
        "--access",
        metavar="FILE",
        help="A TOML file of what may be read: section «tables» lists whole ones, «columns» those of others. No query "
        "reads anything else.",
        show_default="everything",
    ),
]
DescriptionFile = Annotated[
    Path | None,
    typer.Option(
        "--description",
        metavar="FILE",
        help="What people say of the database, TOML: names in words, kinds, keys, what is hidden, the clock. "
        "`querent describe --write` makes one to mend.",
        show_default="as the database tells",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object as the only line on standard output.")]
AsJsonLines = Annotated[bool, typer.Option("--json", help="Print one JSON object for each, on a line.")]
AsSummary = Annotated[
    bool,
    typer.Option(
        "--summary",
        help="As --json, without the domain's own texts and with the command, the machine and the versions: a result "
        "that may be shown where the domain may not.",
    ),
]
Beam = Annotated[int, typer.Option("--beam", min=1, help="Hypotheses kept in the search; 1 is greedy.")]
Dialect = Annotated[
    str | None,
    typer.Option(
        "--dialect",
        metavar="sqlite|mysql|postgres",
        help="What the queries are written in.",
        show_default="the database's; sqlite for a file",
    ),
]
DomainName = Annotated[
    str,
    typer.Argument(
        metavar="DOMAIN",
        help="A domain folder, the name of a shipped domain (plant), or FORMAT:PATH of a public set "
        "(text2sql:…, css:…, spider:…).",
        show_default=False,
    ),
]
FeedbackFile = Annotated[
    Path | None,
    typer.Option(
        "--feedback",
        metavar="FILE",
        help="Where it is kept what people say of answers, choose and correct (.jsonl); it is learnt at once, and by "
        "every later question with this option.",
        show_default="none",
    ),
]
KnowledgeBanks = Annotated[
    list[str] | None,
    typer.Option(
        "--knowledge",
        metavar="FILE|BANK",
        help="Formulas that questions may name (EBIT = revenue - costs): a file, a folder with a knowledge.toml, a "
        "shipped bank (finance), or all of these; may be given several times.",
        show_default="none",
    ),
]
SolvedSource = Annotated[
    str,
    typer.Argument(
        metavar="DOMAIN|FILE",
        help="Solved questions: a domain, or a .jsonl file with question and sql on each line.",
        show_default=False,
    ),
]
Language = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="en|zh",
        help="Language of the questions, where the domain has several.",
        show_default="the domain's own",
    ),
]
_PROMISED = (
    "What the local constraint promises: queries parse and end in time, their names resolve, their types fit, they "
    "execute; each with all before it."
)
_level = partial(typer.Option, "--level", show_default="runs")
QuestionLanguage = Annotated[
    str | None,
    typer.Option("--language", metavar="en|zh", help="Language of the questions.", show_default="each question's own"),
]
Level = Annotated[str | None, _level(metavar="grammar|scope|types|runs", help=_PROMISED)]
LevelOrOff = Annotated[
    str | None,
    _level(metavar="off|grammar|scope|types|runs", help=f"{_PROMISED} Without it (off) nothing is promised."),
]
MaskedDatabase = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="DB",
        help="Whose values are masked: a SQLite file, a URL, or a shipped one.",
        show_default="the domain's own",
    ),
]
ParserPath = Annotated[
    Path | None,
    typer.Option(
        "--parser",
        metavar="RUN",
        help="A run folder (its best parser is used), or a saved parser's.",
        show_default="the shipped one",
    ),
]
DatabasePlace = Annotated[
    str,
    typer.Argument(
        metavar="DATABASE",
        help="A SQLite file; CSV, TSV, Excel or Parquet files (one, a folder, 'exports/*.csv'); the URL of a MySQL, "
        "MariaDB or PostgreSQL server; or a shipped one (plant, shop, library).",
        show_default=False,
    ),
]
SchemaPlace = Annotated[
    str,
    typer.Argument(
        metavar="SCHEMA",
        help="A SQLite file, a script of CREATE TABLEs (.sql), a schema's .json, CSV, Excel or Parquet files, the URL "
        "of a MySQL, MariaDB or PostgreSQL server, or a shipped database (plant, shop, library).",
        show_default=False,
    ),
]


def promised(level: str | None) -> str | None:
    """Return what `LevelOrOff` asks for as `querent.connect` takes it: None is without the local constraint."""
    return None if level == "off" else level or "runs"
