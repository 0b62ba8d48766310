"""The grammar of one schema as text, for servers that take grammars: Lark's (llguidance, vLLM), GBNF, XGrammar's EBNF.

    sum: product | sum "+" product            sum_w: product_w sum_more*
                                              sum_more: o_PLUS product_n

Keywords and names are read in any case; white space is needed between words and free elsewhere; nothing is left
recursive, as llama.cpp takes none of that. A rule comes once for each kind of text that it may stand behind, the last
letter of its name, so that its first word knows whether it needs white space.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..data.errors import ConstraintError, did_you_mean
from .lr.tables import Tables
from .reading.grammar import Grammar
from .tokens.spelling.words import initials

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


@dataclass(frozen=True)
class Format:
    """One way to write a grammar.

    Attributes:
        reader: what reads it.
        comment: what a comment begins with.
        start: the name of the first rule.
        define: what stands between the name of a rule and its bodies.
        rule: turns the name of a rule.
        terminal: turns the name of a terminal.
        literal: writes a text.
        patterns: white space, numbers and strings.
    """

    reader: str
    comment: str
    start: str
    define: str
    rule: Callable[[str], str]
    terminal: Callable[[str], str]
    literal: Callable[[ExportLiteral], str]
    patterns: Mapping[str, str]

    def line(self, name: str, bodies: Iterable[Sequence[str]], more: str = "") -> str:
        """Return the line of a rule, given names as they are written; ``more`` follows any number of times."""
        text = _factored(list(bodies))
        if more:
            text = f"({text}) {more}*" if " | " in text else f"{text} {more}*"
        return f"{name}{self.define} {text}"

    def spelled(self, terminal: str, spelling: ExportSpelling) -> str:
        """Return what a terminal may be written as."""
        if not spelling.texts:
            return self.patterns[terminal]
        return " | ".join(" ".join(map(self._choice, sequence)) for sequence in spelling.texts)

    def _choice(self, several: Sequence[ExportLiteral]) -> str:
        texts = " | ".join(map(self.literal, several))
        return texts if len(several) == 1 else f"({texts})"


def _factored(bodies: Sequence[Sequence[str]]) -> str:
    """Return bodies as one text, in which what several begin with stands once.

    llama.cpp follows all bodies at once, each on a stack of its own: otherwise these would soon be thousands.
    """
    rests: dict[str, list[Sequence[str]]] = {}
    for body in bodies:
        if body:
            rests.setdefault(body[0], []).append(body[1:])
    parts: list[str] = []
    for first, several in rests.items():
        rest = _factored(several)
        over, ways = not all(several), len({body[0] for body in several if body})
        if ways > 1 or (over and " " in rest):
            rest = f"({rest})"
        parts.append(f"{first} {rest}{'?' if over and ways else ''}".rstrip())
    return " | ".join(parts)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _flagged(literal: ExportLiteral) -> str:
    cased = literal.folded and literal.text.lower() != literal.text.upper()
    return _quoted(literal.text) + ("i" if cased else "")


def _lettered(literal: ExportLiteral) -> str:
    """Return a text in any case of letters, as sets of characters."""
    if not literal.folded:
        return _quoted(literal.text)
    return " ".join(f"[{c.lower()}{c.upper()}]" if c.isascii() and c.isalpha() else _quoted(c) for c in literal.text)


def _dashed(name: str) -> str:
    return name.replace("_", "-")


_REGEXES = {
    "WS": r"/[ \t\n]{1,20}/",
    "WHOLE": "/[0-9]{1,15}/",
    "NUMBER": r"/[0-9]{1,15}\.[0-9]{1,15}/",
    "STRING": r"/'([^'\\\n\r]|'')*'/",
}
_SETS = {
    "WS": r"[ \t\n]{1,20}",
    "WHOLE": "[0-9]{1,15}",
    "NUMBER": '[0-9]{1,15} "." [0-9]{1,15}',
    "STRING": r"""['] ([^'\\\n\r] | "''")* [']""",
}

FORMATS: Mapping[str, Format] = {
    "lark": Format("Lark, llguidance and vLLM", "//", "start", ":", str.lower, str, _flagged, _REGEXES),
    "gbnf": Format("llama.cpp", "#", "root", " ::=", lambda n: _dashed(n).lower(), _dashed, _lettered, _SETS),
    "ebnf": Format("XGrammar", "#", "root", " ::=", str.lower, str, _lettered, _SETS),
}


WORD, OTHER, MINUS, CALL = "w", "n", "m", "f"
"""What a text begins or ends with: a word, name, number or text; another sign; a minus; the name of a function."""


@dataclass(frozen=True)
class ExportLiteral:
    """A text of the query, in any case if ``folded``."""

    text: str
    folded: bool


Choice = tuple[ExportLiteral, ...]


@dataclass(frozen=True)
class ExportSpelling:
    """How a terminal is written.

    Attributes:
        begins: what stands first, one of the letters above; ``ends`` what stands last.
        texts: sequences of choices; none where a pattern describes it, as of numbers and strings.
    """

    begins: str
    ends: str
    texts: tuple[tuple[Choice, ...], ...] = ()


def spellings(grammar: Grammar, aliases: Sequence[str]) -> dict[str, ExportSpelling]:
    """Return the spelling of each terminal; classes of functions that the dialect has none of are left out."""
    texts = grammar.tables.texts
    found = {name: _fixed(texts[name]) for name in grammar.terminals if name in texts}
    found |= dict.fromkeys(("WHOLE", "NUMBER", "STRING"), ExportSpelling(WORD, WORD))
    classes: dict[str, list[ExportLiteral]] = {}
    for function in grammar.functions.values():
        for terminal in function.terminals:
            classes.setdefault(terminal, []).append(ExportLiteral(function.name, folded=True))
    for name, called in classes.items():
        # to MySQL, COUNT (*) is no call
        ends = CALL if grammar.dialect == "mysql" and name != "NILADIC" else WORD
        found[name] = ExportSpelling(WORD, ends, ((tuple(called),),))
    return found | {name: ExportSpelling(WORD, WORD, tuple(texts)) for name, texts in _names(grammar, aliases)}


def _fixed(text: str) -> ExportSpelling:
    kind = WORD if text[0].isalpha() else MINUS if text == "-" else OTHER
    return ExportSpelling(kind, kind, (((ExportLiteral(text, folded=text[0] != '"'),),),))


def _names(grammar: Grammar, aliases: Sequence[str]) -> Iterator[tuple[str, list[tuple[Choice, ...]]]]:
    """Yield the terminals that are names, each with its texts."""
    dot, star = (ExportLiteral(".", folded=False),), (ExportLiteral("*", folded=False),)
    if grammar.quoting.folds:  # an alias that stands without quotes is the one in lower case
        aliases = [name.lower() if grammar.quoting.bare(name.lower()) else name for name in aliases]
    tables = grammar.schema.tables
    columns = [column.name for _, column in grammar.schema.columns()]
    within = {
        t: (_written(grammar, [t.namespace]), dot, _written(grammar, [t.own_name])) for t in tables if t.qualified
    }
    found = [table.name for table in tables if not table.qualified]
    yield "TABLE", [*([(_written(grammar, found),)] if found else []), *within.values()]
    yield "COLUMN", [(_written(grammar, columns),)]
    yield "ALIAS", [(_written(grammar, aliases),)]
    owned = [
        (within.get(t, (_written(grammar, [t.name]),)), _written(grammar, [c.name for c in t.columns])) for t in tables
    ]
    # what a derived table shows may be called by an alias
    owned.append(((_written(grammar, aliases),), _written(grammar, [*columns, *aliases])))
    yield "QCOLUMN", [(*owner, dot, names) for owner, names in owned]
    yield "QSTAR", [(*owner, dot, star) for owner, _ in owned]


def _written(grammar: Grammar, names: Iterable[str]) -> Choice:
    """Return how names are written: bare where they may be, and in quotes."""
    quoting = grammar.quoting
    several = sorted(dict.fromkeys(names), key=lambda name: (-len(name), name))
    bare = [
        ExportLiteral(n, folded=n.isascii()) for n in several if quoting.bare(n)
    ]  # engines fold other letters or do not
    return (*bare, *(ExportLiteral(quoting.quoted(n), folded=False) for n in several))


NEEDED, FREE, NONE = "s_", "o_", "t_"
"""How names of terminals begin: with white space before them, with or without, with none."""


class ExportRule(NamedTuple):
    """One rule: its name, its bodies, and the rule that may follow them any number of times, if there is one."""

    name: str
    bodies: list[list[str]]
    more: str = ""


class Variants:
    """The rules that a grammar needs on one schema."""

    def __init__(self, tables: Tables, spellings: Mapping[str, ExportSpelling]) -> None:
        self._spellings = spellings
        self._bodies: dict[str, list[list[str]]] = {}
        for production in tables.productions:
            body = [tables.terminals[s] if s >= 0 else str(tables.nonterminals[~s]) for s in production.body]
            # a class of functions may have none in this dialect
            if all(s in spellings for s in body if s in tables.terminals):
                self._bodies.setdefault(str(tables.nonterminals[production.head]), []).append(body)
        self._ends = self._last()
        self._wanted = {("start", OTHER): None}

    def _last(self) -> dict[str, str]:
        """Return what each rule ends with: a word unless all its bodies end with signs."""
        words = dict.fromkeys(self._bodies, False)
        before = -1
        while before != (before := sum(words.values())):
            for head, bodies in self._bodies.items():
                last = [body[-1] for body in bodies]
                words[head] = any(words[s] if s in words else self._spellings[s].ends != OTHER for s in last)
        return {head: WORD if word else OTHER for head, word in words.items()}

    def __iter__(self) -> Iterator[ExportRule]:
        """Yield the rules, the first one first."""
        done = 0
        while done < len(self._wanted):
            head, before = list(self._wanted)[done]
            done += 1
            bodies = [body for body in self._bodies[head] if body[0] != head]
            tails = [body[1:] for body in self._bodies[head] if body[0] == head]
            more = f"{head}_more" if tails else ""
            if tails and before == next(b for h, b in self._wanted if h == head):
                yield ExportRule(more, [self._spaced(tail, self._ends[head]) for tail in tails])
            yield ExportRule(f"{head}_{before}", [self._spaced(body, before) for body in bodies], more)

    def _spaced(self, body: Sequence[str], before: str) -> list[str]:
        """Return the names of a body's symbols when ``before`` is what stands before it."""
        found: list[str] = []
        for symbol in body:
            spelling = self._spellings.get(symbol)
            if spelling is None:
                self._wanted[symbol, before] = None
                found.append(f"{symbol}_{before}")
                before = self._ends[symbol]
                continue
            needed = before == spelling.begins and before in {WORD, MINUS}
            found.append((NONE if before == CALL else NEEDED if needed else FREE) + symbol)
            before = spelling.ends
        return found
