"""How answers are shown, to people and to scripts."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import querent

from ..terminal import json_line, visible

__all__ = ["print_json", "show", "show_attempts", "show_left_out"]

_SHOWN = 20  # rows of an answer
_NAMED = 10  # tables that are left out
_COLOURS = {"ok": "green", "unsure": "yellow", "no_answer": "red", "error": "red"}


def show_left_out(schema: querent.Schema, console: Console) -> None:
    """Print which tables and views of a database cannot be asked for, and why."""
    for told in schema.left_out[:_NAMED]:
        console.print(Text(f"left out: {told}", style="yellow"), soft_wrap=True)
    if (more := len(schema.left_out) - _NAMED) > 0:
        console.print(Text(f"left out: {more} more", style="yellow"))


def show(answer: querent.Answer, console: Console, *, alternatives: bool = False, most: int = _SHOWN) -> None:
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
