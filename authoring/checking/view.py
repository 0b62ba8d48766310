"""The report of ``querent check`` on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...data.records import PARTS
from .check import Finding, Report
from .review import Remark, Review

__all__ = ["render_check"]


def render_check(report: Report, console: Console, *, most: int = 20) -> None:
    """Print a report: a table of counts, then each list of findings, ``most`` of them at a time."""
    console.print(_counts(report))
    findings = {
        "outside the grammar": report.uncovered,
        "warnings: gold queries that the constraint refuses": report.refused,
        "gold queries that do not run": report.failing,
        "questions with different queries": report.conflicts,
        **{f"shared by parts of the {split} split": leaks for split, leaks in (report.leaks or {}).items()},
    }
    for title, found in findings.items():
        _list(console, title, [(_finding(one, report.source), _marked(one)) for one in found], most)
    for title, remarks in _remarks(report.review, report.source).items() if report.review else ():
        _list(console, title, [(_remark(one), Text(f"  {one.text}", style="dim")) for one in remarks], most)


def _remarks(review: Review, source: str) -> dict[str, tuple[Remark, ...]]:
    return {
        "prototypes that are wrong": review.wrong,
        "prototypes that repeat a query": review.repeated,
        f"prototypes whose pairs are old: run querent fill {source}": review.stale,
        "warnings: prototypes without an answer": review.empty,
        "warnings: wordings that name an entity outside of slots": review.naming,
    }


def _counts(report: Report) -> Table:
    table = Table(title=f"{report.name} ({report.language}, {report.dialect})", show_header=False, title_justify="left")
    table.add_column(style="bold")
    table.add_column()
    how = ", grouping loose" if report.grouping == "loose" else ""
    rows = {
        "schema": f"{report.tables} tables, {report.columns} columns, {report.entities} entities",
        "pairs": f"{report.pairs}, {report.prototypes} prototypes, {report.queries} distinct queries",
        "inside the grammar": f"{report.coverage:.2%} of pairs, {report.covered} of {report.queries} queries",
        "admitted token by token": f"{report.admitted} of {report.queries} queries ({report.admitted_share:.1%}){how}",
        "run": "no database" if report.ran is None else f"{report.ran} of {report.ran + len(report.failing)} queries",
        "repeated": f"{report.repeated} pairs, {len(report.conflicts)} questions with different queries",
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


def _list(console: Console, title: str, found: Sequence[tuple[str, Text]], most: int) -> None:
    """Print a list of what is wrong, each with the text that shows it."""
    if not found:
        return
    console.print(Text(f"\n{len(found)} {title}", style="bold"))
    for said, shown in found[:most]:
        console.print(Text(said), soft_wrap=True)
        if shown.plain.strip():
            console.print(shown, soft_wrap=True)
    if len(found) > most:
        console.print(Text(f"  and {len(found) - most} more"))


def _remark(remark: Remark) -> str:
    return f"{remark.file}:{remark.line}: {remark.problem}" if remark.line else f"{remark.file}: {remark.problem}"


def _finding(finding: Finding, source: str) -> str:
    lines = [str(line) for line in finding.lines if line]
    shown = f":{','.join(lines[:3])}{',…' if len(lines) > 3 else ''}" if lines else ""
    engine = f"; on the database it {finding.engine}" if finding.engine else ""
    return f"{source}{shown}: {finding.problem}{engine}"


def _marked(finding: Finding) -> Text:
    """Set off the part of the text that was not read."""
    text = Text("  " + finding.text, style="dim")
    if 0 <= finding.position < len(finding.text):
        text.stylize("not dim red", 2 + finding.position)
    return text
