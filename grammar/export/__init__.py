"""The grammar of one schema as text, for servers that take grammars: Lark's (llguidance, vLLM), GBNF, EBNF.

Keywords and names are read in any case; white space is needed between words and free elsewhere; nothing is left
recursive, as llama.cpp takes none of that.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...data.errors import ConstraintError, did_you_mean
from ..reading.grammar import Grammar
from ..tokens.spelling.words import initials
from .grammars import FORMATS, FREE, NEEDED, NONE, Variants, spellings

__all__ = ["ALIASES", "FORMATS", "export_grammar"]

ALIASES = tuple(f"{letter}{n}" for letter in "Tc" for n in range(1, 10))
"""Names that tables and outputs may be given, beside each table's initials and those of its second to fourth use:
city_2. All 26 letters would be too many short words for llguidance, which then gives up half of all queries."""

_HEADER = """\
The SQL of {dialect} on the tables of {name}, for {reader}; written by `querent grammar export`.
It is context-free, and loses: scope (columns of tables that are not in FROM pass, and so do aliases that nothing
declares, of {aliases}), types, grouping, what queries promise at run time,
and the budget of words: nothing makes a query end. So what parses here need not run. Querent's own constraint
keeps all this; `querent validate` tells which queries break it.
White space stands between words, and before most words that follow a bracket; elsewhere it is free.
A rule's last letter says what stands before it: w a word, n another sign, m a minus. s_ begins with white space,
o_ may, t_ does not."""


def export_grammar(grammar: Grammar, format: str, *, aliases: Sequence[str] | None = None) -> str:
    """Return the grammar of queries on a schema as text; its header says what a context-free form loses.

    Args:
        grammar: of the schema, in its dialect.
        format: ``lark`` (llguidance, vLLM), ``gbnf`` (llama.cpp) or ``ebnf`` (XGrammar).
        aliases: the names that tables and outputs may be given; if None `ALIASES`, and those of tables.

    Raises:
        ConstraintError: no such format, or no alias.
    """
    if aliases is None:
        tables, reserved = grammar.schema.tables, {name.lower() for name in grammar.quoting.reserved}
        short = {initials(table) for table in tables}
        later = (f"{table.name}_{n}" for table in tables for n in (2, 3, 4))
        aliases = (*ALIASES, *sorted(name for name in short if name.lower() not in reserved), *later)
    if not aliases:
        raise ConstraintError("no aliases", hint="name one or more: derived tables need them")
    if format not in FORMATS:
        raise ConstraintError(
            f"no format {format!r}", hint=did_you_mean(format, FORMATS) or f"use {', '.join(FORMATS)}"
        )
    form, terminals = FORMATS[format], spellings(grammar, aliases)
    rules = list(Variants(grammar.tables, terminals))
    used = dict.fromkeys(s for rule in rules for body in rule.bodies for s in body if s[:2] in {NEEDED, FREE, NONE})
    name = grammar.schema.name or "one schema"
    header = _HEADER.format(dialect=grammar.dialect, name=name, reader=form.reader, aliases=", ".join(aliases))
    lines = [f"{form.comment} {line}" for line in header.splitlines()]
    space = form.terminal("WS")
    for rule in rules:
        name = form.start if rule.name == rules[0].name else form.rule(rule.name)
        bodies = [[form.rule(symbol) for symbol in body] for body in rule.bodies]
        lines.append(form.line(name, bodies, f'({space}? ";")' if name == form.start else form.rule(rule.more)))
    for symbol in used:
        before = {NEEDED: [space], FREE: [f"{space}?"]}.get(symbol[:2], [])
        lines.append(form.line(form.rule(symbol), [[*before, form.terminal(symbol[2:])]]))
    lines.append(form.line(space, [[form.patterns["WS"]]]))
    for terminal in dict.fromkeys(symbol[2:] for symbol in used):
        lines.append(form.line(form.terminal(terminal), [[form.spelled(terminal, terminals[terminal])]]))
    return "\n".join([*lines, ""])
