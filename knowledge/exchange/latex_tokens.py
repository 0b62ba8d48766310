"""The words of formulas in LaTeX: numbers, names, texts and signs."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Token", "tokens"]

_TOKEN = re.compile(
    r"(?P<space>\s+|\\[,;:!> ]|\\q?quad\b|\\(?:left|right|big|Big|bigg|Bigg)[lr]?(?![A-Za-z])\.?|~|\\displaystyle\b|&)"
    r"|(?P<number>\d[\d,]*(?:\{,\}\d{3})*(?:\.\d+)?|\.\d+)"
    r"|(?P<text>\\(?:text|mathrm|textit|textbf|mathit|mathbf|operatorname|textrm|mbox)\s*\{(?P<inside>[^{}]*)\})"
    r"|(?P<quoted>'[^']*'|\"[^\"]*\"|“[^”]*”|‘[^’]*’)"
    r"|(?P<command>\\[A-Za-z]+|\\%)"
    r"|(?P<word>(?:[^\W\d]|\\_)(?:\w|\\_)*(?:\.(?:[^\W\d]|\\_)(?:\w|\\_)*)?)"
    r"|(?P<sign><=|>=|!=|<>|==|.)"
)
_SUBSCRIPT = re.compile(
    r"_\s*(?:\{\s*\\(?:text|mathrm)\{([^{}]*)\}\s*\}|\\(?:text|mathrm)\{([^{}]*)\}|\{([^{}]*)\}|(?<=\}_)(\w+))"
)
_UNIT = re.compile(r"(?<=\S)\s*\([^()]*\)$")
"""What stands behind a name in brackets, as «Frequency (MHz)», says its unit."""

_SIGNS = {
    "\\times": "*", "\\cdot": "*", "×": "*", "·": "*", "\\div": "/", "÷": "/", "−": "-", "–": "-",
    "\\geq": ">=", "\\ge": ">=", "≥": ">=", "\\leq": "<=", "\\le": "<=", "≤": "<=",
    "\\neq": "<>", "\\ne": "<>", "≠": "<>",
    "!=": "<>", "==": "=", "\\gt": ">", "\\lt": "<", "\\land": "AND", "\\wedge": "AND", "∧": "AND", "\\lor": "OR",
    "\\vee": "OR", "∨": "OR", "\\neg": "NOT", "\\lnot": "NOT",
    "\\lvert": "|", "\\rvert": "|", "\\mid": "|", "\\vert": "|",
    "[": "(", "]": ")", "{": "(", "}": ")", "\\equiv": "=",
}  # fmt: skip
_CONNECTED = {"AND", "OR", "NOT"}


@dataclass(frozen=True)
class Token:
    kind: str  # number, name, text (quoted), sign
    value: str


def tokens(text: str) -> list[Token]:
    """Return the words of a formula; names that stand side by side are one."""
    found: list[Token] = []
    for match in _TOKEN.finditer(_SUBSCRIPT.sub(_said, text.replace("100\\%", "100").replace("100%", "100"))):
        kind, value = match.lastgroup or "", match[0]
        if match["text"] is not None:
            kind, value = "word", _UNIT.sub("", match["inside"].strip())
            if re.fullmatch(r"(['\"“‘]).*['\"”’]", value):
                kind = "quoted"
        if kind == "space":
            continue
        sign = _SIGNS.get(value, value) if kind in ("sign", "command") else value
        if kind == "word" and value.upper() in _CONNECTED:
            found.append(Token("sign", value.upper()))
        elif kind == "quoted":
            found.append(Token("text", value[1:-1]))
        elif kind == "number":
            found.append(Token("number", re.sub(r"[,{}]", "", value)))
        elif kind == "word":
            column = "." in value  # of a table; all other names are words
            name = value.replace("\\_", "_") if column else " ".join(re.sub(r"\\?_", " ", value).split())
            if found and found[-1].kind == "name" and not column:  # words side by side are one name
                name = f"{found.pop().value} {name}".strip()
            found.append(Token("name", name))
        else:
            found.append(Token("sign", sign))
    return found


def _said(subscript: re.Match[str]) -> str:
    """Return a subscript as a word beside its name: x_{avg} is «x avg»."""
    return rf" \text{{{next(one for one in subscript.groups() if one is not None)}}}"
