"""How each kind of grammar is written: Lark's, GBNF, and XGrammar's EBNF."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from .spellings import ExportLiteral, ExportSpelling

__all__ = ["FORMATS", "Format"]


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
    """Return a text in any case where nothing but sets of characters says so."""
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
