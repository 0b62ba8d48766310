"""The words of a query that somebody else wrote, and every way to read them held against the constraint."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

from ..data.errors import QueryError
from ..data.values.slots import quoted
from ..grammar import EOS, Grammar, State, Vocabulary, Word
from ..grammar.reading.lexer import Called, Lexeme, Part, calls
from ..grammar.reading.tokenizer import NameReading, QueryAliases
from ..grammar.tokens.spelling.lexicon import labels_among

_READINGS = 16
"""Ways to read what has been read so far that are followed together, at most."""


@dataclass(frozen=True)
class Walk:
    """How far a query came.

    Attributes:
        before: the states before each word that was reached, the end as the last; one for each way to read it.
        stopped: the place of the word that may not come, that of the end if it may not; None if all may.
    """

    before: tuple[tuple[State, ...], ...]
    stopped: int | None


def walk(states: Sequence[State], choices: Iterable[Sequence[int]]) -> Walk:
    """Return how far a query comes: ``choices`` are the words that each of its lexemes may be."""
    before = [tuple(states)]
    for place, words in enumerate([*choices, (EOS,)]):
        following = after(before[-1], [words])
        if not following:
            return Walk(tuple(before), place)
        before.append(following)
    return Walk(tuple(before[:-1]), None)


def after(states: Iterable[State], choices: Iterable[Sequence[int]]) -> tuple[State, ...]:
    """Return the states after some lexemes, none if they may not come; one of each that are alike."""
    reached = tuple(states)
    for words in choices:
        found: dict[object, State] = {}
        for state in reached:
            for word in words:
                following = state.advance(word) if state.admits(word) else None
                if following is not None:
                    found.setdefault(following.next_words, following)
        reached = tuple(found.values())[:_READINGS]
    return reached


_QUOTED = r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`"""
_COMMENT = {
    "sqlite": r"--[^\n]*|/\*.*?(?:\*/|\Z)",
    "mysql": r"--(?=\s|\Z)[^\n]*|#[^\n]*|/\*(?!!).*?\*/",
    "postgres": r"--[^\n]*|/\*.*?\*/",
}


_LARGE = re.compile(r"\d{66}|[eE][+-]?\d{3}")
"""Numbers that may be too large for an engine, or too small."""


@dataclass(frozen=True)
class QueryWords:
    """The lexemes of one query, and a vocabulary in which they can stand.

    Attributes:
        sql: the query.
        lexemes: its pieces, as far as it could be cut.
        broken: what could not be cut, None where all could.
        scope: the aliases that it declares.
        vocabulary: each way to write a name of the schema, by the aliases of this query, too; its constants, and all
            functions.
        choices: the words of the vocabulary that each lexeme may be, the likeliest first.
    """

    sql: str
    lexemes: tuple[Lexeme, ...]
    broken: QueryError | None
    scope: QueryAliases
    vocabulary: Vocabulary
    choices: tuple[tuple[int, ...], ...]

    def called(self, place: int) -> bool:
        """Say whether a bracket opens right behind a word."""
        return place + 1 < len(self.lexemes) and self.lexemes[place + 1].text == "("

    @cached_property
    def has_derived_tables(self) -> bool:
        """Say whether a query stands in a FROM, or in WITH."""
        texts = [lexeme.text.upper() for lexeme in self.lexemes]
        begun = zip(texts, texts[1:], texts[2:], strict=False)
        return bool(self.scope.common) or any(
            b in {"FROM", "JOIN", ","} and (c, d) == ("(", "SELECT") for b, c, d in begun
        )

    @cached_property
    def tables(self) -> frozenset[str]:
        """Return the tables that it names, in lower case."""
        words = [self.vocabulary.words[i] for ids in self.choices for i in ids]
        return frozenset(word.table.lower() for word in words if word.kind == "table" and word.table)


def read_words(grammar: Grammar, sql: str, rewritten: Sequence[Lexeme] | None = None) -> QueryWords:
    """Cut a query into words; comments are passed over. ``rewritten`` are to be read in their place."""
    lexemes: list[Lexeme] = list(rewritten or ())
    broken: QueryError | None = None
    try:
        for lexeme in () if rewritten else grammar.tokenizer.lexemes(_without_comments(sql, grammar.dialect)):
            lexemes.append(_as_alias(grammar, lexeme) if lexemes and lexemes[-1].text.upper() == "AS" else lexeme)
    except QueryError as error:
        broken = error
    scope = grammar.names.scope(lexemes)
    readings = [
        _readings(grammar, lexeme, scope, before=before, called=called, listed=listed)
        for before, lexeme, called, listed in zip(
            [None, *lexemes[:-1]], lexemes, _calls(grammar, lexemes), _in_select_list(lexemes), strict=False
        )
    ]
    owners = {grammar.quoting.key(lexeme.parts[0].text) for lexeme in lexemes if len(lexeme.parts) == 2}
    examples = [
        *_names(grammar, scope, owners),
        *_spare(scope),
        *_values(grammar, readings),
        *(f"SELECT {label}" for label in labels(grammar)),
    ]
    vocabulary = Vocabulary.build(grammar, examples, functions="all")
    if scope.common:
        # the bare columns that queries of WITH may show
        columns = (Word(text, "COLUMN", "column", column=scope.names[key]) for key, text in scope.spelling.items())
        vocabulary = Vocabulary(grammar, (*vocabulary.words, *columns))
    numbers: dict[tuple[str, str], list[int]] = defaultdict(list)  # ``t.a`` may be a table's and a derived table's
    for i, word in enumerate(vocabulary.words):
        numbers[word.text, word.terminal].append(i)
    choices = tuple(tuple(i for one in some for i in numbers.get((one.text, one.terminal), ())) for some in readings)
    return QueryWords(sql, tuple(lexemes), broken, scope, vocabulary, choices)


def _as_alias(grammar: Grammar, lexeme: Lexeme) -> Lexeme:
    """``AS 'Full name'``: a name in quotes, but on PostgreSQL."""
    if lexeme.kind != "string" or grammar.dialect == "postgres":
        return lexeme
    name = lexeme.text[1:-1].replace("''", "'")
    if not name:
        return lexeme
    return replace(lexeme, kind="name", text=grammar.quoting.quoted(name), parts=(Part(name, quoted=True),))


def _without_comments(sql: str, dialect: str) -> str:
    """Return a query with blanks in place of its comments, so that all else stays where it is."""
    pattern = f"{_QUOTED}|(?P<comment>{_COMMENT[dialect]})"
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m[0]) if m["comment"] else m[0], sql, flags=re.DOTALL)


def _calls(grammar: Grammar, lexemes: Sequence[Lexeme]) -> Iterator[Called]:
    """Yield how each lexeme is called; MariaDB calls some functions only where the bracket stands right behind."""
    unspaced = grammar.quoting.refused.unspaced
    for lexeme, following, called in zip(lexemes, [*lexemes[1:], None], calls(lexemes), strict=True):
        apart = following is not None and following.start > lexeme.end
        yield "" if called and apart and lexeme.text.upper() in unspaced else called


def _readings(
    grammar: Grammar, lexeme: Lexeme, scope: QueryAliases, *, before: Lexeme | None, called: Called, listed: bool
) -> list[NameReading]:
    """Return every way to read a lexeme behind another one.

    Args:
        called: what makes a call of it.
        listed: it stands in a select list.
    """
    found = grammar.tokenizer.fixed_readings(lexeme, called)
    if lexeme.kind == "number" and grammar.dialect != "sqlite" and _LARGE.search(lexeme.text):
        return []
    if lexeme.kind == "name":
        found += _names_for(grammar, lexeme, scope, before, listed=listed)
    text = lexeme.text[0] == '"' and len(lexeme.parts) == 1 and grammar.dialect == "sqlite"
    if text and not found:  # SQLite takes what is in double quotes for a text where nothing is called so
        found = [NameReading(quoted(lexeme.parts[0].text), "STRING")]
    return found


def _in_select_list(lexemes: Iterable[Lexeme]) -> Iterator[bool]:
    """Yield for each lexeme whether it stands in a select list, brackets within it left out."""
    clauses, word = [""], ""
    for lexeme in lexemes:
        before, word = word, lexeme.text.upper()
        if word == "(":
            clauses.append("")
        elif word == ")" and len(clauses) > 1:
            clauses.pop()
        elif word in {"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"} and before != "AS":
            clauses[-1] = word
        yield clauses[-1] == "SELECT"


def _names_for(
    grammar: Grammar, lexeme: Lexeme, scope: QueryAliases, before: Lexeme | None, *, listed: bool
) -> list[NameReading]:
    """Return what a name may mean, nothing where the engine does not take the word for one."""
    refused, behind = grammar.quoting.refused, before.text.upper() if before else ""
    if not refused.takes(lexeme, output=listed and behind == "AS"):
        return []
    found = [r for r in grammar.names.readings(lexeme, scope) if _is_cased(grammar, lexeme, r, scope)]
    if before is None or behind == "AS" or refused.labels_bare(lexeme) or not grammar.names.ends_operand(before):
        return found
    return [reading for reading in found if reading.terminal != "ALIAS"]


def _is_cased(grammar: Grammar, lexeme: Lexeme, reading: NameReading, scope: QueryAliases) -> bool:
    """Say whether a table, or an owner, is written in the case of its own name, where servers may tell cases apart."""
    if not grammar.quoting.cased or (len(lexeme.parts) == 1 and reading.terminal != "TABLE"):
        return True
    written = lexeme.parts[0].text
    key = grammar.quoting.key(written)
    known = [scope.names[key]] if key in scope.names and len(lexeme.parts) > 1 else []
    known += [grammar.names.tables[key].name] if key in grammar.names.tables else []
    return written in known or len(lexeme.parts) > 2 or not known


def _names(grammar: Grammar, scope: QueryAliases, owners: Collection[str]) -> Iterator[str]:
    """Yield queries that use each way of writing a name, by the aliases that a query declares, too."""
    write = grammar.quoting.write
    first, column = next(grammar.schema.columns())
    table, name = write(first), write(column.name)
    yield f"SELECT {name}, {table}.{name}, {table}.* FROM {table}"
    columns = [column.name for _, column in grammar.schema.columns()]
    for alias, spelled in scope.spelling.items():
        for owner in scope.tables.get(alias, ()):
            yield f"SELECT {spelled}.* FROM {write(grammar.schema.table(owner))} AS {spelled}"
        if alias in scope.derived:
            yield f"SELECT 1 AS {spelled}"
        if alias in scope.derived and alias in owners:
            for output in dict.fromkeys((*map(write, columns), *scope.spelling.values())):
                yield f"SELECT {spelled}.{output} FROM (SELECT 1 AS {output}) AS {spelled}"


def _spare(scope: QueryAliases) -> Iterator[str]:
    """Yield a query with an alias of its own behind WITH: to the rules another query of WITH may always follow."""
    if scope.common:
        yield next(f"SELECT 1 AS {name}" for n in count() if (name := f"t{n}") not in scope.spelling)


def labels(grammar: Grammar) -> tuple[str, ...]:
    """Return what may be compared with enumerations that are types of their own, as it stands in SQL."""
    return tuple(map(quoted, labels_among(grammar.types.enumerations)))


def _values(grammar: Grammar, readings: Iterable[Iterable[NameReading]]) -> Iterator[str]:
    """Yield queries with the constants of a query; a number for each text that is one, too, and the other way round."""
    for reading in dict.fromkeys(reading for some in readings for reading in some):
        if reading.terminal == "STRING":
            yield f"SELECT {reading.text}"
            if re.fullmatch(r"\d+(\.\d+)?", reading.text[1:-1]):
                yield f"SELECT {reading.text[1:-1]}"
        elif reading.terminal in {"WHOLE", "NUMBER"}:
            yield f"SELECT {reading.text}"
            if "{" not in reading.text:
                yield f"SELECT '{reading.text}'"
