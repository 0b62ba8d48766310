"""The report of ``querent check`` on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .check import PARTS, Finding, Report

__all__ = ["render"]


def render(report: Report, console: Console, *, most: int = 20) -> None:
    """Print a report: one table of counts, then each list of findings, ``most`` of them at a time."""
    console.print(_counts(report))
    _list(console, "outside the grammar", report.uncovered, report.source, most)
    _list(console, "gold queries that do not run", report.failing, report.source, most)
    _list(console, "questions with different queries", report.conflicts, report.source, most)
    for split, leaks in (report.leaks or {}).items():
        _list(console, f"shared by parts of the {split} split", leaks, report.source, most)


def _counts(report: Report) -> Table:
    table = Table(title=f"{report.name} ({report.language}, {report.dialect})", show_header=False, title_justify="left")
    table.add_column(style="bold")
    table.add_column()
    rows = {
        "schema": f"{report.tables} tables, {report.columns} columns, {report.entities} entities",
        "pairs": f"{report.pairs}, {report.prototypes} prototypes, {report.queries} distinct queries",
        "inside the grammar": f"{report.coverage:.2%} of pairs, {report.covered} of {report.queries} queries",
        "run": "no database" if report.ran is None else f"{report.ran} of {report.ran + len(report.failing)} queries",
        "repeated": f"{report.repeated} pairs, {len(report.conflicts)} questions with different queries",
        "values unsaid": f"{report.constants} pairs hold a string that the question does not say",
    }
    for split, sizes in report.sizes.items():
        shared = len((report.leaks or {}).get(split, ()))
        rows[f"{split} split"] = ", ".join(f"{part} {sizes[part]}" for part in PARTS) + f"; {shared} shared"
    for key, mean in report.statistics.items():
        rows[f"mean {key.replace('_', ' ')}"] = f"{mean:.2f}"
    for name, text in rows.items():
        table.add_row(name, text)
    return table


def _list(console: Console, title: str, findings: Sequence[Finding], source: str, most: int) -> None:
    if not findings:
        return
    console.print(Text(f"\n{len(findings)} {title}", style="bold"))
    for finding in findings[:most]:
        console.print(Text(f"{_place(finding, source)}: {finding.problem}"), soft_wrap=True)
        console.print(_marked(finding), soft_wrap=True)
    if len(findings) > most:
        console.print(Text(f"  and {len(findings) - most} more"))


def _place(finding: Finding, source: str) -> str:
    lines = [str(line) for line in finding.lines if line]
    shown = ",".join(lines[:3]) + (",…" if len(lines) > 3 else "")
    return f"{source}:{shown}" if shown else source


def _marked(finding: Finding) -> Text:
    """Set off the part of the text that was not read."""
    text = Text("  " + finding.text, style="dim")
    if 0 <= finding.position < len(finding.text):
        text.stylize("not dim red", 2 + finding.position)
    return text
