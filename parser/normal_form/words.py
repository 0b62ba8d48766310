"""The vocabulary of normal forms, made from the schema alone; derived tables are ``t1``, their outputs ``c1``.

SELECT MAX(t1.c1) FROM (SELECT COUNT(*) AS c1 FROM Album GROUP BY Album.ArtistId) AS t1
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count, islice

from ...data.schema.later_uses import later_uses, names_in, referred_uses, used_again
from ...data.schema.schema import Schema, Table
from ...grammar import Grammar
from ...grammar.vocabulary.vocabulary import Vocabulary, Word

Words = tuple[tuple[str, str], ...]
"""Words with their terminals, as `Grammar.spell` takes them."""

DERIVED = 2
"""The number of derived tables of a query that have names."""

OUTPUTS = 4
"""The number of outputs of a derived table that have names."""


def derived_name(number: int, known: Collection[str]) -> str:
    """Return the name of the ``number``-th derived table of a query, counted from 1."""
    return _nth("t", number, known)


def output_name(number: int, known: Collection[str]) -> str:
    """Return the name of the ``number``-th output of a derived table, counted from 1; ``known`` are in lower case."""
    return _nth("c", number, known)


def derived_words(schema: Schema) -> Iterator[tuple[str, str, str | None]]:
    """Yield the text, the terminal and the output's name of each word of derived tables, in a fixed order.

    The aliases of outputs come first, then each derived table's alias before its columns; an alias has None for output.
    """
    tables, columns = names_in(schema), {column.name.lower() for _, column in schema.columns()}
    outputs = [output_name(number, columns) for number in range(1, OUTPUTS + 1)]
    yield from ((output, "ALIAS", None) for output in outputs)
    for name in (derived_name(number, tables) for number in range(1, DERIVED + 1)):
        yield name, "ALIAS", None
        yield from ((f"{name}.{output}", "QCOLUMN", output) for output in outputs)


def _nth(letter: str, number: int, known: Collection[str]) -> str:
    names = (name for name in (f"{letter}{n}" for n in count(1)) if name not in known)
    return next(islice(names, number - 1, None))


CONSTANTS = (*range(11), 100)
"""The whole numbers that a query may contain though its question does not name them."""

_TEXT_FORMS = ("'{}'", "'%{}%'", "'{}%'", "'%{}'")
"""The forms of a text of the question in a query: the whole text, and the patterns of LIKE."""

_UNUSED = frozenset({"!=", "==", "ASC", "INNER", "OUTER", "RIGHT", "FULL", "USING"})
"""The words that the normal form does not use."""

_SPECIAL = (Word("<pad>", "", "special"), Word("<bos>", "", "special"), Word("<eos>", "$END", "special"))


def vocabulary(
    grammar: Grammar, *, texts: int, numbers: int, free: int = 0, uses: Mapping[str, int] | None = None
) -> Vocabulary:
    """Return all words of normal forms on a schema, in the order of the schema.

    It has only as many uses of a table as keys or ``uses`` suggest, and no outputs of derived tables from stars.

    Args:
        grammar: the grammar of the schema.
        texts: the number of slots for texts of the question: ``text0``, ``text1``, …
        numbers: the number of slots for numbers of the question: ``number0``, ``number1``, …
        free: the number of further slots of each kind, for constants that no question names.
        uses: the number of times that a query may use a table, if its keys suggest less; see `uses_in`.
    """
    fixed = ((terminal, grammar.tables.texts.get(terminal)) for terminal in grammar.terminals)
    words = [*_SPECIAL, *(Word(text, terminal, "keyword" if text[0].isalpha() else "operator")
                          for terminal, text in fixed if text is not None and text not in _UNUSED)]  # fmt: skip
    words += [Word(name, spec.terminal, "function", function=name) for name, spec in grammar.functions.items()]
    words += [*_tables(grammar, uses or {}), *(Word(str(constant), "WHOLE", "constant") for constant in CONSTANTS)]
    for form in _TEXT_FORMS:
        for slot in (f"text{i}" for i in range(texts + (free if form == _TEXT_FORMS[0] else 0))):
            words.append(Word(form.format(f"{{{slot}}}"), "STRING", "slot", slot=slot))
    words += [Word(f"{{number{i}}}", "WHOLE", "slot", slot=f"number{i}") for i in range(numbers + free)]
    return Vocabulary(grammar, words)


def uses_in(grammar: Grammar, forms: Iterable[Words], *, most: int) -> dict[str, int]:
    """Return the tables that queries use more than once, with the number of uses, at most ``most``.

    Args:
        grammar: the grammar of the schema.
        forms: the normal or short forms of the training part of a domain.
        most: the number of uses that the network distinguishes, for each key of a table into itself.
    """
    schema = grammar.schema
    again = {grammar.quoting.write(name): use for name, use in used_again(schema).items()}
    found: Counter[str] = Counter()
    for words in forms:
        for use in (again[text] for text, terminal in words if terminal == "ALIAS" and text in again):
            each = max(len(schema.table(use.table).self_keys), 1)
            found[use.table] = max(found[use.table], min(use.number, 1 + (most - 1) * each))
    return {table.name: found[table.name] for table in grammar.schema.tables if table.name in found}


def _tables(grammar: Grammar, uses: Mapping[str, int]) -> Iterator[Word]:
    write = grammar.quoting.write
    for table in grammar.schema.tables:
        yield Word(write(table), "TABLE", "table", table=table.name, tables=(table.name,))
    for table in grammar.schema.tables:
        yield from _columns(grammar, table, write(table))
    known = names_in(grammar.schema)
    again = {table.name for table in twice(grammar.schema)}
    for table in grammar.schema.tables:
        most = max(uses.get(table.name, 1), 2 if table.name in again else 1, 1 + len(referred_uses(table, known)))
        for alias in map(write, islice(later_uses(table.name, known), most - 1)):
            yield Word(alias, "ALIAS", "alias", table=table.name, tables=(table.name,))
            yield from _columns(grammar, table, alias)
    yield from (Word(text, terminal, "column", column=output) if output else Word(text, terminal, "label")
                for text, terminal, output in derived_words(grammar.schema))  # fmt: skip


def _columns(grammar: Grammar, table: Table, owner: str) -> Iterator[Word]:
    of = (table.name,)
    for column in table.columns:
        text = f"{owner}.{grammar.quoting.write(column.name)}"
        yield Word(text, "QCOLUMN", "column", table.name, column.name, tables=of)
    yield Word(f"{owner}.*", "QSTAR", "column", table.name, "*", tables=of)


def twice(schema: Schema) -> list[Table]:
    """Return the tables that a FROM may need twice.

    These are the tables that refer to themselves, and both tables of two foreign keys between the same tables.
    """
    found: set[str] = set()
    for table in schema.tables:
        referred = (schema.by_name.get(key.table) for key in table.foreign_keys)
        for other, times in Counter(other.name for other in referred if other is not None).items():
            if other == table.name:
                found.add(other)
            elif times > 1:
                found |= {table.name, other}
    return [table for table in schema.tables if table.name in found]
