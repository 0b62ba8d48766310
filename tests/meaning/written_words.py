"""Whether an expression can be written under the constraint, with its constants in slots, as a formula's is."""

from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import EOS, Constraint, Grammar
from querent.parser.normal_form import vocabulary

TYPES = {
    "sqlite": {"text": "TEXT", "number": "INTEGER", "year": "INTEGER", "native": "TEXT", "boolean": "INTEGER"},
    "mysql": {"text": "VARCHAR(40)", "number": "BIGINT", "year": "INT", "native": "DATETIME", "boolean": "TINYINT(1)"},
    "postgres": {"text": "TEXT", "number": "BIGINT", "year": "INT", "native": "TIMESTAMP", "boolean": "BOOLEAN"},
}
BUDGET = 700
"""Long ones are to be refused for their types alone."""


class Writer:
    """Writes queries on a table ``t`` with columns of each type, word by word under the constraint."""

    def __init__(self, dialect: str) -> None:
        kinds = {**TYPES[dialect], "day": "DATE" if dialect != "sqlite" else "TEXT"}
        columns = [Column("n", "INTEGER"), *(Column(name, kind) for name, kind in kinds.items())]
        columns += [Column(f"{name}2", kind) for name, kind in kinds.items()]
        schema = Schema((Table("t", tuple(columns), primary_key=("n",)),))
        self.grammar = Grammar.for_schema(schema, dialect=dialect)
        self.words = vocabulary(self.grammar, texts=9, numbers=6)
        self.constraint = Constraint(self.words, budget=BUDGET)

    def refused(self, query: str) -> str:
        """Return the first word that may not come, with the query before it; the empty text if all may."""
        filled: dict[str, str] = {}
        numbers: list[int] = []
        for token in self.grammar.tokenize(query):
            text, terminal = token.text, token.terminal
            index = {(w.text, w.terminal): i for i, w in enumerate(self.words.words)}.get((text, terminal))
            if index is None and terminal == "STRING":
                slot = _slot(filled, "text", text[1:-1].replace("''", "'"))
                index = self.words.index("'{" + slot + "}'", "STRING")
            elif index is None and terminal in ("WHOLE", "NUMBER"):
                slot = _slot(filled, "number", text)
                index = self.words.index("{" + slot + "}", "WHOLE")
            elif index is None:
                return f"no word for {text}"
            numbers.append(index)
        state = self.constraint.start(values=filled)
        for place, number in enumerate((*numbers, EOS)):
            if not state.admits(number):
                return (
                    f"{self.words.decode(numbers[:place])} | {self.words.words[number].text}: {state.explain(number)}"
                )
            state = state.advance(number)
        return ""

    def length(self, query: str) -> int:
        """Return the words of a query."""
        return len(self.grammar.tokenize(query))


def _slot(filled: dict[str, str], kind: str, value: str) -> str:
    for slot, held in filled.items():
        if held == value and slot.startswith(kind):
            return slot
    slot = f"{kind}{sum(slot.startswith(kind) for slot in filled)}"
    filled[slot] = value
    return slot
