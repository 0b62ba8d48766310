"""The report of ``querent check`` on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...data.domains.splits import PARTS
from .check import Finding, Report
from .figures import CHESQL
from .review import Remark

__all__ = ["render_check"]


def render_check(report: Report, console: Console, *, most: int = 20) -> None:
    """Print a report: tables of counts and means, then each list of findings, ``most`` of them at a time."""
    console.print(_counts(report))
    if report.pairs:
        console.print(_means(report))
    _list(console, "outside the grammar", report.uncovered, report.source, most)
    _list(console, "warnings: gold queries that the constraint refuses", report.refused, report.source, most)
    _list(console, "gold queries that do not run", report.failing, report.source, most)
    _list(console, "warnings: columns that are not unique, though the schema says so", report.doubled, "schema", most)
    _list(console, "questions with different queries", report.conflicts, report.source, most)
    for split, leaks in (report.leaks or {}).items():
        _list(console, f"shared by parts of the {split} split", leaks, report.source, most)
    if report.review is not None:
        _remarks(console, "prototypes that are wrong", report.review.wrong, most)
        _remarks(console, "prototypes that repeat a query", report.review.repeated, most)
        stale = f"prototypes whose pairs are old: run querent fill {report.source}"
        _remarks(console, stale, report.review.stale, most)
        _remarks(console, "warnings: prototypes without an answer", report.review.empty, most)
        near = "warnings: prototypes nearly alike in different parts of the query split"
        _remarks(console, near, report.review.alike, most)
        _remarks(console, "warnings: wordings that name an entity outside of slots", report.review.naming, most)


def _counts(report: Report) -> Table:
    table = Table(title=f"{report.name} ({report.language}, {report.dialect})", show_header=False, title_justify="left")
    table.add_column(style="bold")
    table.add_column()
    rows = {
        "schema": f"{report.tables} tables, {report.columns} columns, {report.entities} entities",
        "pairs": f"{report.pairs}, {report.prototypes} prototypes, {report.queries} distinct queries",
        "inside the grammar": f"{report.coverage:.2%} of pairs, {report.covered} of {report.queries} queries",
        "admitted token by token": _admitted(report),
        "run": "no database" if report.ran is None else f"{report.ran} of {report.ran + len(report.failing)} queries",
        "repeated": f"{report.repeated} pairs, {len(report.conflicts)} questions with different queries",
        "values unsaid": f"{report.constants} pairs hold a string that the question does not say",
    }
    for split, sizes in report.sizes.items():
        shared = len((report.leaks or {}).get(split, ()))
        rows[f"{split} split"] = ", ".join(f"{part} {sizes[part]}" for part in PARTS) + f"; {shared} shared"
    if report.review is not None:
        unfilled = "" if report.pairs else f"; querent fill {report.source} makes pairs of them"
        rows["prototypes"] = f"{report.review.prototypes} in files{unfilled}"
        rows["verdict"] = f"{report.errors} errors, {report.warnings} warnings"
    for name, text in rows.items():
        table.add_row(name, text)
    return table


def _admitted(report: Report) -> str:
    if report.admitted is None:
        return "not asked"
    how = ", grouping loose" if report.grouping == "loose" else ""
    return f"{report.admitted} of {report.queries} queries ({report.admitted_share:.1%}){how}"


def _means(report: Report) -> Table:
    """The figures beside those that a paper prints of its data set."""
    table = Table("mean of a pair", report.name, "ChESQL", title_justify="left")
    for key, mean in report.statistics.items():
        paper = f"{CHESQL[key]:g}" if key in CHESQL else ""
        table.add_row(key.replace("_", " "), f"{mean:.2f}", paper)
    return table


def _remarks(console: Console, title: str, remarks: Sequence[Remark], most: int) -> None:
    if not remarks:
        return
    console.print(Text(f"\n{len(remarks)} {title}", style="bold"))
    for remark in remarks[:most]:
        place = f"{remark.file}:{remark.line}" if remark.line else remark.file
        console.print(Text(f"{place}: {remark.problem}"), soft_wrap=True)
        if remark.text:
            console.print(Text(f"  {remark.text}", style="dim"), soft_wrap=True)
    if len(remarks) > most:
        console.print(Text(f"  and {len(remarks) - most} more"))


def _list(console: Console, title: str, findings: Sequence[Finding], source: str, most: int) -> None:
    if not findings:
        return
    console.print(Text(f"\n{len(findings)} {title}", style="bold"))
    for finding in findings[:most]:
        engine = f"; on the database it {finding.engine}" if finding.engine else ""
        console.print(Text(f"{_place(finding, source)}: {finding.problem}{engine}"), soft_wrap=True)
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
