"""Earlier turns as the network reads them: the query before in the words of its question, and its values.

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
from .delexicalised import as_the_question_says

__all__ = ["history_of"]

_NAMES = ("TABLE", "COLUMN", "QCOLUMN")
_LOOKED_BACK = 4
"""Earlier utterances whose values the query before may still have."""


def history_of(utterances: Sequence[str], sql: str | None, context: DatabaseContext, *, sure: float = 1.0) -> History:
    """Read what came before a question.

    Args:
        utterances: all earlier ones, in the order in which they were made.
        sql: the query that answered the last of them, None if none did; one without a normal form is as none.
        context: of the database.
        sure: how sure it was that the query is right.
    """
    latest = tuple(reversed(utterances))[:MAX_TURNS]
    if sql is None or (context.grammar.access is not None and not _known(sql, context)):
        return History(latest, sure=sure)
    asked = [QuestionText(text, context.language) for text in utterances[-_LOOKED_BACK:][::-1]]
    said = [value for question in asked for value in context.values(question) if value.how != "constant"]
    slots = {f"'{{text{number}}}'": one for number, one in enumerate(said)}
    try:
        meant = as_the_question_says(sql, asked[0] if asked else QuestionText(""), context, said)
        found = list(_with_values(meant.words(), slots, context))
    except QuerentError:
        return History(latest, sure=sure)
    words = tuple(word for word, _ in found)
    if context.grammar.access is not None and not _readable(words, context):
        return History(latest, sure=sure)
    return History(latest, words, tuple(value for _, value in found if value is not None), sure)


def _known(sql: str, context: DatabaseContext) -> bool:
    """Say whether a query names as columns those alone that a role may read: to SQLite "what there is not" is a text.

    Without it a role would learn of such a name whether it is one.
    """
    tree = parse(sql, context.grammar.dialect)
    if tree is None:
        return False
    aliases = {one.alias.lower() for one in tree.find_all(exp.Alias)}
    known = aliases | {column.name.lower() for _, column in context.grammar.readable.columns()}
    return all(one.name.lower() in known for one in tree.find_all(exp.Column))


def _readable(words: Words, context: DatabaseContext) -> bool:
    """Say whether a role may read all that a query names; else it is as one that names what is not there."""
    known = {(word.text, word.terminal) for word in context.vocabulary.words}
    return all(word in known for word in words if word[1] in _NAMES)


def _with_values(
    words: Words, slots: dict[str, FoundValue], context: DatabaseContext
) -> Iterator[tuple[tuple[str, str], FoundValue | None]]:
    """Yield the words with their values, each value once, with the column said last before it.

    Args:
        slots: what the question has said, by what stands for it in the words.
    """
    column: tuple[tuple[str, str], ...] = ()
    seen = set[tuple[str, str]]()
    columns = {(word.text, word.terminal): word for word in context.vocabulary.words if word.kind == "column"}
    for word, before in zip(words, (("", ""), *words), strict=False):
        text, terminal = word
        value: FoundValue | None = None
        if (known := columns.get(word)) is not None and known.table is not None and known.column is not None:
            column = ((known.table, known.column),)
        elif text in slots:
            value = replace(slots[text], start=0, end=0, text="", how="earlier", columns=column, score=0.0)
            word = (f"'{value.value}'", terminal)  # noqa: PLW2901
        elif terminal in ("STRING", "WHOLE", "NUMBER") and before[0] not in ("LIMIT", "OFFSET"):
            number = terminal != "STRING"
            said = text if number else text[1:-1].replace("''", "'").strip("%")
            value = FoundValue(0, 0, "", said, "number" if number else "cell", "earlier", column, 0.0)
        yield word, None if word in seen else value
        seen.add(word)
