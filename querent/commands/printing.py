"""Prints answers, explanations and scores."""

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


_ROWS = 20  # the rows of an answer
_NAMED = 10  # the tables that are left out
_COLOURS = {"ok": "green", "unsure": "yellow", "no_answer": "red", "error": "red"}


def show_left_out(schema: rooms.Schema, console: Console) -> None:
    """Print the tables and views of a database that cannot be read, with the reasons."""
    for problem in schema.left_out[:_NAMED]:
        console.print(Text(f"left out: {problem}", style="yellow"), soft_wrap=True)
    if (more := len(schema.left_out) - _NAMED) > 0:
        console.print(Text(f"left out: {more} more", style="yellow"))


def show(answer: querent.Answer, console: Console, *, alternatives: bool = False, most: int = _ROWS) -> None:
    """Print an answer: its query, ``most`` rows, confidence, and reasons for doubt."""
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
        console.print(Text(answer.clarification.question, style="bold"), soft_wrap=True)
        for number, option in enumerate(answer.clarification.options, start=1):
            first = "; ".join(", ".join(_cell(cell) for cell in row) for row in option.rows) or "no rows"
            console.print(Text.assemble(f"  {number}  {visible(option.label)}  ", (first, "dim")), soft_wrap=True)
    details = [*answer.notes, *([f"like: {answer.like}"] if answer.like is not None else [])]
    for detail in (*details, *(f"formula: {formula}" for formula in answer.knowledge)):
        console.print(Text(detail, style="dim"), soft_wrap=True)
    for piece in answer.unread:
        console.print(Text(f"not read: {piece}", style="yellow"), soft_wrap=True)
    for other in answer.alternatives if alternatives else ():
        console.print(Text(f"  {other.confidence:.2f}  {other.sql}", style="dim"), soft_wrap=True)


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
    """Print the attempts of a language model, and the problem of each."""
    table = Table("attempt", "wrote", "problem", "seconds", show_edge=False)
    for number, attempt in enumerate(answer.attempts, start=1):
        wrote = "\n".join(part for part in (attempt.program, attempt.sql) if part) or attempt.text
        table.add_row(str(number), Text(wrote), Text(attempt.problem or ""), f"{attempt.seconds:.2f}")
    console.print(table)
    counts = (answer.prompt_tokens, answer.completion_tokens)
    tokens = "tokens are not counted" if None in counts else f"{counts[0]} tokens read, {counts[1]} written"
    console.print(Text(tokens, style="dim"))


def print_json(answer: querent.Answer, **more: Any) -> None:
    """Print an answer as one line of JSON with further fields."""
    print(json_line(answer.to_json() | more), flush=True)


def _cell(cell: Any) -> str:
    if isinstance(cell, float):
        cell = float(f"{cell:.15g}")  # without the noise of binary sums
    return "NULL" if cell is None else visible(str(cell))


_PARTS = 8  # the tables, columns or functions of an explanation
_SLOT = re.compile(r"\{((?:text|number)\d+)\}")
_LISTED = re.compile(r": the grammar expects .*")  # up to thirty kinds of words; --json has them
_END = "<eos>"


def show_explanation(explanation: Explanation, console: Console) -> None:
    """Print the explanation of a query."""
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
    """Return the table of the linked parts, with those of the query in bold."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    values = Text("\n").join(map(_value, explanation.values)) if explanation.values else Text("none")
    some_tables = f"{len(explanation.read)} of {explanation.of_tables} tables: {', '.join(explanation.read)}"
    level = f"level {explanation.level}" if explanation.level else "none: any word may follow any other"
    rows = {
        "answerable": Text(f"{explanation.answerable:.2f}"),
        "values": values,
        "tables": _parts(explanation.tables),
        "columns": _parts(explanation.columns),
        "functions": _parts(explanation.functions),
        "read": Text(some_tables) if len(explanation.read) != explanation.of_tables else None,
        "doubt": Text(str(explanation.unlinked)) if explanation.unlinked else None,
        "words": Text(f"{explanation.words} of {explanation.vocabulary} fit the question"),
        "constraint": Text(level),
        "virtual": Text("\n".join(explanation.virtual)) if explanation.virtual else None,
        "features": Text("\n").join(map(_feature, explanation.features)) if explanation.features else None,
    }
    for title, text in rows.items():
        if text is not None:
            table.add_row(title, text)
    return table


def _feature(one: FeatureContribution) -> Text:
    """Return a feature with its share in the score of the answer and in the log-odds of being right."""
    ranks = f", order {one.ranks:+.2f}" if one.ranks is not None else ""
    assures = f", confidence {one.assures:+.2f}" if one.assures is not None else ""
    return Text(f"{one.name} {one.value:g}{ranks}{assures}")


def _parts(parts: Sequence[RatedPart]) -> Text:
    """Return names and probabilities, the likeliest first."""
    listed = [part for i, part in enumerate(parts) if i < _PARTS or part.written]
    named = (Text(f"{part.name} {part.probability:.2f}", style="bold" if part.written else "") for part in listed)
    return Text(", ").join(named) if listed else Text("none")


def _value(value: ReadValue) -> Text:
    words = f"‹{value.text}› is " if value.text not in ("", value.value) else ""
    where = f" of {', '.join(value.columns)}" if value.columns else ""
    period = f", {value.span}" if value.span else ""
    text = f"{words}{value.value}{period} {value.probability:.2f}, {value.kind}{where}, {value.how}"
    return Text(text, style="bold" if value.written else "")


def _line(step: Step, word: str, explanation: Explanation) -> Text:
    """Return the line of a word."""
    line = Text.assemble((word, "cyan"), f"  {step.probability:11.3f}")
    if step.allowed is not None:
        line.append(f"  {step.allowed:7}  {step.forbidden:9.3f}")
    reasons = (_filled(_LISTED.sub("", refused.reason), explanation) for refused in step.refused)
    refused = "; ".join(f"{one.probability:.3f} {why}" for one, why in zip(step.refused, reasons, strict=True))
    return line.append(f"  {refused}" if refused else "", style="dim")


def _filled(text: str, explanation: Explanation) -> str:
    """Return a text with the values of its slots."""
    if text == _END:
        return "(end)"
    values = {slot: value.value for value in explanation.values for slot in value.slots}
    return _SLOT.sub(lambda slot: values.get(slot[1], slot[0]), text)


def show_scores(scores: dict[str, Any], name: str, console: Console) -> None:
    """Print the scores of a domain, from `Scores.to_json`."""
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
