"""The history of a question as input of the network: earlier utterances, and the delexicalised query of the last one.

It follows EditSQL (Zhang et al. 2019, section 3), whose decoder reads the previous query, and HIE-SQL (Zheng et al.
2022, section 3.2), which relates the words of that query to the items of the schema. Here the relation between a word
and its item also has the role in which the query used the item.

how many orders in 2023?    … WHERE order_dt >= '2023-01-01' AND order_dt < '2024-01-01'
                            … WHERE order_dt = '2023'         one value, with its period
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from sqlglot import exp

from ...data.errors import QuerentError
from ...data.parsing import parse
from ...data.values.numerals import value_of
from ...grammar import Vocabulary
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ..normal_form.words import Words
from ..reader.context import DatabaseContext
from ..reader.inputs import NO_QUERY, EarlierQuery, uses_of
from ..reader.output_vocabulary import UNKNOWN
from ..reader.question import MAX_TURNS, QuestionWords
from .delexicalised import delexicalise

UNSAID = -1
"""The word number of a literal that is neither a value of the question nor a constant."""

_LIKE = (("'%", "%'", "'%{{text{}}}%'"), ("'", "%'", "'{{text{}}}%'"), ("'%", "'", "'%{{text{}}}'"))


def slotted_words(words: Words, question: QuestionWords, vocabulary: Vocabulary) -> list[int]:
    """Return the words of a query, with slots for values of the question and constants, `UNSAID` for other literals.

    Raises:
        KeyError: a name or keyword is not in the vocabulary.
    """
    return [_slotted_word(text, terminal, question, vocabulary) for text, terminal in words]


def _slotted_word(text: str, terminal: str, question: QuestionWords, vocabulary: Vocabulary) -> int:
    """Return one word of a query in the vocabulary; see `slotted_words`."""
    if terminal == "STRING":
        return _string(text, question, vocabulary)
    if terminal in {"WHOLE", "NUMBER"}:
        return _number(text, question, vocabulary)
    return vocabulary.index(text, terminal)


def _string(text: str, question: QuestionWords, vocabulary: Vocabulary) -> int:
    values = {node.found.value: i for i, node in reversed(list(enumerate(question.values)))}
    inner = text[1:-1].replace("''", "'")
    if inner.startswith("{text"):  # the query has a slot already, see `decoding.delexicalised`
        return vocabulary.index(text, "STRING")
    if inner in values:
        return vocabulary.index(f"'{{text{values[inner]}}}'", "STRING")
    folded = {value.lower(): i for value, i in values.items()}  # reversed, so that the first value of the question wins
    for before, after, form in _LIKE:
        bare = text.removeprefix(before).removesuffix(after).replace("''", "'").lower()
        if text.startswith(before) and text.endswith(after) and bare in folded:
            return vocabulary.index(form.format(folded[bare]), "STRING")
    return UNSAID


def _number(text: str, question: QuestionWords, vocabulary: Vocabulary) -> int:
    wanted = value_of(text)
    numbers = [(i, node.found) for i, node in enumerate(question.values) if node.found.kind == "number"]
    equal = [(i, found.how) for i, found in numbers if wanted is not None and value_of(found.value) == wanted]
    number = next((i for i, how in equal if how != "constant"), None)
    if number is None:  # the 1 of LIMIT must not match a constant 1.0
        with suppress(KeyError):
            return vocabulary.index(text, "WHOLE")
        number = next((i for i, _ in equal), None)
    return UNSAID if number is None else vocabulary.index(f"{{number{number}}}", "WHOLE")


@dataclass(frozen=True)
class History:
    """The earlier turns of a question.

    Attributes:
        utterances: the earlier questions, the latest first, `MAX_TURNS` at most.
        words: the words of the previous query in short form; empty if there was no query.
        values: the literals of that query, each once, with the column that it is compared with.
        sure: the probability that the query is right, 0 to 1.
    """

    utterances: tuple[str, ...] = ()
    words: Words = ()
    values: tuple[FoundValue, ...] = ()
    sure: float = 1.0

    def __bool__(self) -> bool:
        return bool(self.utterances)

    def beside(self, named: Sequence[FoundValue]) -> list[FoundValue]:
        """Return the values of a question, then the literals of the previous query that are not among them."""
        named_keys = {(value.value, value.kind == "number") for value in named}
        return [*named, *(value for value in self.values if (value.value, value.kind == "number") not in named_keys)]

    def query(self, question: QuestionWords, context: DatabaseContext) -> EarlierQuery:
        """Return the words of the previous query as input of the network.

        Args:
            question: the question, whose values include the literals of the query.
            context: the context of the database with the columns that the question adds to it.
        """
        if not self.words:
            return NO_QUERY
        places = [_place(word, question, context) for word in self.words]
        return EarlierQuery(np.array(places, np.int64), np.array(uses_of(self.words), np.int64))


NO_HISTORY = History()
"""The history of a question that has no earlier turns."""


def _place(word: tuple[str, str], question: QuestionWords, context: DatabaseContext) -> int:
    """Return the output index of a word, `UNKNOWN` if no network writes it."""
    try:
        number = _slotted_word(*word, question, context.vocabulary)
    except KeyError:
        return UNKNOWN
    place = UNKNOWN if number == UNSAID else int(context.outputs.places[number])
    return place if place >= 0 else UNKNOWN


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
        query = next(delexicalise(sql, questions[0] if questions else QuestionText(""), context, values))
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
