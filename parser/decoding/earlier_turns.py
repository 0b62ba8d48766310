"""Earlier turns as input of the network: their utterances, and the delexicalised query of the last one.

how many orders in 2023?    … WHERE order_dt >= '2023-01-01' AND order_dt < '2024-01-01'
                            … WHERE order_dt = '2023'         one value, with its period
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from ...data.errors import QuerentError
from ...data.parsing import parse
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ..normal_form.keys import Words
from ..reader.context import DatabaseContext
from ..reader.history import MAX_TURNS, History
from .delexicalised import delexicalise_fully

__all__ = ["history_of"]

_NAMES = ("TABLE", "COLUMN", "QCOLUMN")
_LOOKED_BACK = 4
"""The number of earlier utterances whose values the previous query may still contain."""


def history_of(utterances: Sequence[str], sql: str | None, context: DatabaseContext, *, sure: float = 1.0) -> History:
    """Return the history of a question: its earlier utterances and the query that answered the last of them.

    Args:
        utterances: all earlier utterances, the oldest first.
        sql: the query that answered the last of them, None if no query did; one without a normal form is ignored.
        context: the context of the database.
        sure: the probability that the query is right.
    """
    latest = tuple(reversed(utterances))[:MAX_TURNS]
    if sql is None or (context.grammar.access is not None and not _known(sql, context)):
        return History(latest, sure=sure)
    questions = [QuestionText(text, context.language) for text in utterances[-_LOOKED_BACK:][::-1]]
    values = [one for question in questions for one in context.values(question) if one.how != "constant"]
    slots = {f"'{{text{number}}}'": one for number, one in enumerate(values)}
    try:
        query = delexicalise_fully(sql, questions[0] if questions else QuestionText(""), context, values)
        pairs = list(_with_values(query.words(), slots, context))
    except QuerentError:
        return History(latest, sure=sure)
    words = tuple(word for word, _ in pairs)
    if context.grammar.access is not None and not _readable(words, context):
        return History(latest, sure=sure)
    return History(latest, words, tuple(value for _, value in pairs if value is not None), sure)


def _known(sql: str, context: DatabaseContext) -> bool:
    """Say whether a query names only columns that a role may read, so that a role cannot probe for hidden names.

    SQLite reads an unknown name in double quotes as a text, so the query alone does not fail there.
    """
    tree = parse(sql, context.grammar.dialect)
    if tree is None:
        return False
    aliases = {node.alias.lower() for node in tree.find_all(exp.Alias)}
    known = aliases | {column.name.lower() for _, column in context.grammar.readable.columns()}
    return all(node.name.lower() in known for node in tree.find_all(exp.Column))


def _readable(words: Words, context: DatabaseContext) -> bool:
    """Say whether a role may read all tables and columns of a query; if not, the query is ignored."""
    known = {(word.text, word.terminal) for word in context.vocabulary.words}
    return all(word in known for word in words if word[1] in _NAMES)


def _with_values(
    words: Words, slots: dict[str, FoundValue], context: DatabaseContext
) -> Iterator[tuple[tuple[str, str], FoundValue | None]]:
    """Yield the words of a query with their values; each value comes once, with the last column before it.

    Args:
        slots: the values of earlier questions, by the texts of their slots.
    """
    column: tuple[tuple[str, str], ...] = ()
    seen = set[tuple[str, str]]()
    columns = {(word.text, word.terminal): word for word in context.vocabulary.words if word.kind == "column"}
    for word, before in zip(words, (("", ""), *words), strict=False):
        text, terminal = word
        value: FoundValue | None = None
        if (named := columns.get(word)) is not None and named.table is not None and named.column is not None:
            column = ((named.table, named.column),)
        elif text in slots:
            value = replace(slots[text], start=0, end=0, text="", how="earlier", columns=column, score=0.0)
            word = (f"'{value.value}'", terminal)  # noqa: PLW2901
        elif terminal in ("STRING", "WHOLE", "NUMBER") and before[0] not in ("LIMIT", "OFFSET"):
            number = terminal != "STRING"
            constant = text if number else text[1:-1].replace("''", "'").strip("%")
            value = FoundValue(0, 0, "", constant, "number" if number else "cell", "earlier", column, 0.0)
        yield word, None if word in seen else value
        seen.add(word)
