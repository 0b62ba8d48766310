"""How answers, explanations and scores are shown, to people and to scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import querent

from .. import rooms
from ..console import json_line, visible

if TYPE_CHECKING:
    from ...parser.answering.explaining import Explanation, FeatureContribution, RatedPart, ReadValue, Step


_ROWS = 20  # rows of an answer
_NAMED = 10  # tables that are left out
_COLOURS = {"ok": "green", "unsure": "yellow", "no_answer": "red", "error": "red"}


def show_left_out(schema: rooms.Schema, console: Console) -> None:
    """Print which tables and views of a database cannot be asked for, and why."""
    for told in schema.left_out[:_NAMED]:
        console.print(Text(f"left out: {told}", style="yellow"), soft_wrap=True)
    if (more := len(schema.left_out) - _NAMED) > 0:
        console.print(Text(f"left out: {more} more", style="yellow"))


def show(answer: querent.Answer, console: Console, *, alternatives: bool = False, most: int = _ROWS) -> None:
    """Print an answer: query, ``most`` rows, confidence, and reasons to doubt it."""
    if answer.sql is not None:
        console.print(Text(answer.sql, style="cyan"), soft_wrap=True)
    if answer.columns:
        console.print(_table(answer, most))
    line = Text.assemble((answer.status, _COLOURS[answer.status]), f"  confidence {answer.confidence:.2f}")
    line.append(f"  {answer.seconds:.2f} s", style="dim")
    if answer.reason:
        line.append(f"  {answer.reason}")
    console.print(line, soft_wrap=True)
    if answer.carried is not None:
        console.print(Text(str(answer.carried), style="dim"), soft_wrap=True)
    if answer.clarification is not None:
        _show_clarification(answer.clarification, console)
    for note in answer.notes:
        console.print(Text(note, style="dim"), soft_wrap=True)
    if answer.like is not None:
        console.print(Text(f"like: {answer.like}", style="dim"), soft_wrap=True)
    for formula in answer.knowledge:
        console.print(Text(f"formula: {formula}", style="dim"), soft_wrap=True)
    for piece in answer.unread:
        console.print(Text(f"not read: {piece}", style="yellow"), soft_wrap=True)
    if alternatives:
        for other in answer.alternatives:
            console.print(Text(f"  {other.confidence:.2f}  {other.sql}", style="dim"), soft_wrap=True)


def _show_clarification(asked: querent.Clarification, console: Console) -> None:
    """Print a question back with its options, each with what it shows first."""
    console.print(Text(asked.question, style="bold"), soft_wrap=True)
    for number, option in enumerate(asked.options, start=1):
        first = "; ".join(", ".join(_cell(cell) for cell in row) for row in option.rows) or "no rows"
        told = Text.assemble(f"  {number}  {visible(option.label)}  ", (first, "dim"))
        console.print(told, soft_wrap=True)


def _table(answer: querent.Answer, most: int) -> Table:
    table = Table(show_edge=False)
    for column in answer.columns:
        table.add_column(Text(visible(column)), overflow="fold")
    for row in answer.rows[:most]:
        table.add_row(*(Text(_cell(cell)) for cell in row))
    hidden = len(answer.rows) - most
    if hidden > 0 or answer.truncated:
        table.caption = f"… {max(hidden, 0)}{'+' if answer.truncated else ''} more rows"
    return table


def show_attempts(answer: querent.LlmAnswer, console: Console) -> None:
    """Print what the model wrote, and what was wrong with it."""
    table = Table("attempt", "wrote", "problem", "seconds", show_edge=False)
    for number, attempt in enumerate(answer.attempts, start=1):
        wrote = "\n".join(part for part in (attempt.program, attempt.sql) if part) or attempt.text
        table.add_row(str(number), Text(wrote), Text(attempt.problem or ""), f"{attempt.seconds:.2f}")
    console.print(table)
    counts = (answer.prompt_tokens, answer.completion_tokens)
    told = "tokens are not counted" if None in counts else f"{counts[0]} tokens read, {counts[1]} written"
    console.print(Text(told, style="dim"))


def print_json(answer: querent.Answer, **more: Any) -> None:
    """Print an answer as one line of JSON, with what else is told of it."""
    print(json_line(answer.to_json() | more), flush=True)


def _cell(cell: Any) -> str:
    if isinstance(cell, float):
        cell = float(f"{cell:.15g}")  # the digits beyond are noise of binary sums
    return "NULL" if cell is None else visible(str(cell))


_PARTS = 8  # parts of a kind
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


def _feature(one: FeatureContribution) -> Text:
    """Return a feature of the answer with what it adds to its score and to its log-odds of being right."""
    ranks = f", order {one.ranks:+.2f}" if one.ranks is not None else ""
    assures = f", confidence {one.assures:+.2f}" if one.assures is not None else ""
    return Text(f"{one.name} {one.value:g}{ranks}{assures}")


def _parts(parts: Sequence[RatedPart]) -> Text:
    """Return names and probabilities, the likeliest first."""
    shown = [part for i, part in enumerate(parts) if i < _PARTS or part.written]
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


def show_scores(scores: dict[str, Any], name: str, console: Console) -> None:
    """Print scores, as `Scores.to_json` has them, of a domain."""
    title = (
        f"{name}, {scores['part']} of the {scores['split']} split, {scores['values']} values, {scores['n']} questions"
    )
    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for key, text in rooms.Scores.TITLES.items():
        if key not in ("n", "seconds") and scores[key] is not None:
            table.add_row(text, f"{scores[key]:.{1 if key == 'tokens' else 3}f}")
    console.print(table)
