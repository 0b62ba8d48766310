"""What `querent ask --explain` prints: what was read of a question, and a line for each word of its query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from ...parser.answering.explanation import Explanation, RatedPart, ReadValue, Step, Weighed

__all__ = ["show_explanation"]

_SHOWN = 8  # parts of a kind
_SLOT = re.compile(r"\{((?:text|number)\d+)\}")
_LISTED = re.compile(r": the grammar expects .*")  # up to thirty kinds of words; --json has them
_END = "<eos>"


def show_explanation(explanation: Explanation, console: Console) -> None:
    """Print how a query came about."""
    console.print(_read(explanation))
    if not explanation.steps:
        console.print("no query could be written", style="dim")
        return
    written = [_filled(step.word, explanation) for step in explanation.steps]
    width = max(map(len, written))
    head = f"{'word':{width}}  probability"
    console.print(f"{head}  allowed  forbidden  refused" if explanation.level else head, style="dim", soft_wrap=True)
    for step, word in zip(explanation.steps, written, strict=True):
        if step.implied:
            console.print(Text(f"{step.implied}  (keys imply it)", style="dim"), soft_wrap=True)
        console.print(_line(step, f"{word:{width}}", explanation), soft_wrap=True)


def _read(explanation: Explanation) -> Table:
    """Return the table of what was read; what the query has is bold."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    values = Text("\n").join(map(_value, explanation.values)) if explanation.values else Text("none")
    said = Text(str(explanation.unlinked)) if explanation.unlinked else None
    level = f"level {explanation.level}" if explanation.level else "none: any word may follow any other"
    rows = {
        "answerable": Text(f"{explanation.answerable:.2f}"),
        "values": values,
        "tables": _parts(explanation.tables),
        "columns": _parts(explanation.columns),
        "functions": _parts(explanation.functions),
        "read": _tables_read(explanation),
        "doubt": said,
        "words": Text(f"{explanation.words} of {explanation.vocabulary} fit the question"),
        "constraint": Text(level),
        "virtual": Text("\n".join(explanation.virtual)) if explanation.virtual else None,
        "features": Text("\n").join(map(_feature, explanation.features)) if explanation.features else None,
    }
    for title, text in rows.items():
        if text is not None:
            table.add_row(title, text)
    return table


def _tables_read(explanation: Explanation) -> Text | None:
    """Return which tables were read, where the database has more."""
    if len(explanation.read) == explanation.of_tables:
        return None
    return Text(f"{len(explanation.read)} of {explanation.of_tables} tables: {', '.join(explanation.read)}")


def _feature(one: Weighed) -> Text:
    """Return a feature of the answer with what it adds to its score and to its log-odds of being right."""
    ranks = f", order {one.ranks:+.2f}" if one.ranks is not None else ""
    assures = f", confidence {one.assures:+.2f}" if one.assures is not None else ""
    return Text(f"{one.name} {one.value:g}{ranks}{assures}")


def _parts(parts: Sequence[RatedPart]) -> Text:
    """Return names and probabilities, the likeliest first."""
    shown = [part for i, part in enumerate(parts) if i < _SHOWN or part.written]
    named = (Text(f"{part.name} {part.probability:.2f}", style="bold" if part.written else "") for part in shown)
    return Text(", ").join(named) if shown else Text("none")


def _value(value: ReadValue) -> Text:
    said = f"‹{value.text}› is " if value.text not in ("", value.value) else ""
    where = f" of {', '.join(value.columns)}" if value.columns else ""
    period = f", {value.span}" if value.span else ""
    text = f"{said}{value.value}{period} {value.probability:.2f}, {value.kind}{where}, {value.how}"
    return Text(text, style="bold" if value.written else "")


def _line(step: Step, word: str, explanation: Explanation) -> Text:
    """Return the line of one word."""
    line = Text.assemble((word, "cyan"), f"  {step.probability:11.3f}")
    if step.allowed is not None:
        line.append(f"  {step.allowed:7}  {step.forbidden:9.3f}")
    reasons = (_filled(_LISTED.sub("", refused.reason), explanation) for refused in step.refused)
    told = "; ".join(f"{one.probability:.3f} {why}" for one, why in zip(step.refused, reasons, strict=True))
    return line.append(f"  {told}" if told else "", style="dim")


def _filled(text: str, explanation: Explanation) -> str:
    """Put values into the slots of a text."""
    if text == _END:
        return "(end)"
    values = {slot: value.value for value in explanation.values for slot in value.slots}
    return _SLOT.sub(lambda slot: values.get(slot[1], slot[0]), text)
