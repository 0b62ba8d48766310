"""The report of ``querent check`` on a terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..data.records import PARTS
from .check import Finding, Report


def render_check(report: Report, console: Console, *, most: int = 20) -> None:
    """Print a report: a table of counts, then the first ``most`` findings of each list."""
    table = Table(title=f"{report.name} ({report.language}, {report.dialect})", show_header=False, title_justify="left")
    table.add_column(style="bold")
    table.add_column()
    for row in _counts(report).items():
        table.add_row(*row)
    console.print(table)
    findings = {
        "outside the grammar": report.uncovered,
        "warnings: gold queries that the constraint refuses": report.refused,
        "gold queries that do not run": report.failing,
        "questions with different queries": report.conflicts,
        **{f"shared by parts of the {split} split": leaks for split, leaks in report.leaks.items()},
    }
    if (review := report.review) is not None:
        findings |= {
            "prototypes that are wrong": review.wrong,
            "prototypes that repeat a query": review.repeated,
            f"prototypes whose pairs are old: run querent fill {report.source}": review.stale,
            "warnings: prototypes without an answer": review.empty,
            "warnings: wordings that name an entity outside of slots": review.naming,
        }
    for title, found in findings.items():
        if found:
            console.print(Text(f"\n{len(found)} {title}", style="bold"))
        for one in found[:most]:
            console.print(Text(_problem(one, report.source)), soft_wrap=True)
            if one.text.strip():
                console.print(_marked(one), soft_wrap=True)
        if len(found) > most:
            console.print(Text(f"  and {len(found) - most} more"))


def _counts(report: Report) -> dict[str, str]:
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
        parts = ", ".join(f"{part} {sizes[part]}" for part in PARTS)
        rows[f"{split} split"] = f"{parts}; {len(report.leaks[split])} shared"
    if report.review is not None:
        unfilled = "" if report.pairs else f"; querent fill {report.source} makes pairs of them"
        rows["prototypes"] = f"{report.review.prototypes} in files{unfilled}"
        rows["verdict"] = f"{report.errors} errors, {report.warnings} warnings"
    return rows


def _problem(finding: Finding, source: str) -> str:
    lines = [str(line) for line in finding.lines if line]
    place = f":{','.join(lines[:3])}{',…' if len(lines) > 3 else ''}" if lines else ""
    engine = f"; on the database it {finding.engine}" if finding.engine else ""
    return f"{finding.file or source}{place}: {finding.problem}{engine}"


def _marked(finding: Finding) -> Text:
    """Return the text of a finding, in which the part that was not read is red."""
    text = Text("  " + finding.text, style="dim")
    if 0 <= finding.position < len(finding.text):
        text.stylize("not dim red", 2 + finding.position)
    return text
