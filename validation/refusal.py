"""What is wrong with a query that the constraint stops: the word to blame, the rule, and the problem in words."""

import re
from dataclasses import dataclass, replace

import numpy as np

from ..grammar import EOS, RULES, Grammar, State
from ..grammar.lr.tables import AGGREGATES
from ..grammar.reading.lexer import SYSTEM_COLUMNS, Lexeme
from .engine_syntax import (
    engines_of,
    is_foreign,
    is_sql,
    sqlite_refuses,
    system_table,
    unknown_construct,
    unknown_table,
)
from .query_words import QueryWords, Walk, after

_NAMING = frozenset({"sources", "visible", "ambiguous", "grouping", "derived", "unique", "common columns"})
"""Rules that name what breaks them, which may stand long before the word that is stopped."""


def _blamed(
    query: QueryWords, found: Walk, stopped: int, rule: str, problem: str, *, finished: bool
) -> tuple[int, str, str]:
    """Return the place of the word to blame, the rule that is broken, and the problem in words.

    Args:
        query: the words.
        found: how far the query came.
        stopped: the place of the word that may not come.
        rule: the one that the constraint reports.
        problem: in its words.
        finished: whether the rule is on the phrase that would be over with the word at ``stopped``.
    """
    ids = query.choices[stopped] if stopped < len(query.lexemes) else ()
    terminals = {query.vocabulary.words[i].terminal for i in ids}
    if rule == "conditions" and terminals & AGGREGATES:
        # the shortest way on would make a condition of it, but it would be none as a part of one either
        return stopped, "aggregate place", "no aggregate may stand here"
    if rule not in _NAMING:
        return stopped - finished, rule, problem
    named = set(re.findall(r"\w+", problem.lower()))
    earlier = _same_select(query, stopped)
    place = next((p for p in (stopped, *earlier) if named & _parts(query, p)), stopped)
    shared = next((p for p in earlier if _in_several(query, found, p, stopped)), None) if place == stopped else None
    if rule == "sources" and shared is not None:
        return shared, "ambiguous", f"{query.lexemes[shared].text} is in more than one source"
    return place, rule, problem


def _parts(query: QueryWords, place: int) -> set[str]:
    """Return the names in a word, none if it is no name."""
    if place >= len(query.lexemes) or not query.choices[place]:
        return set()
    terminals = {query.vocabulary.words[i].terminal for i in query.choices[place]}
    named = terminals & {"COLUMN", "QCOLUMN", "QSTAR", "ALIAS"}
    return {part.text.lower() for part in query.lexemes[place].parts} if named else set()


def _same_select(query: QueryWords, stopped: int) -> list[int]:
    """Return the places before ``stopped`` down to the bracket that stands open there."""
    depth, start = 0, 0
    for place in reversed(range(min(stopped, len(query.lexemes)))):
        depth += {")": 1, "(": -1}.get(query.lexemes[place].text, 0)
        if depth < 0:
            start = place + 1
            break
    return list(range(start, stopped))


def _in_several(query: QueryWords, found: Walk, place: int, stopped: int) -> bool:
    """Say whether a bare column, written with a table, would let a query come past ``stopped``."""
    words = query.vocabulary.words
    columns = {words[i].column for i in query.choices[place] if words[i].terminal == "COLUMN"}
    rest = query.choices[place + 1 : stopped + 1]
    owned = [i for i, word in enumerate(words) if word.terminal == "QCOLUMN" and word.column in columns]
    return any(after(found.before[place], [(i,), *rest]) for i in owned)


OF_PHRASES = frozenset(
    {
        *("conditions", "comparisons", "operators", "functions", "casts", "literals"),
        *("constant terms", "promises", "overflow"),
    }
)
"""Rules on phrases, which are broken as soon as the phrase is over."""

_UNREAD = frozenset({"pg_catalog", "information_schema", "pg_temp"})
"""Schemas of PostgreSQL that have tables, though none of them is read."""

_PARTING = frozenset({"FROM", "WHERE", "HAVING", "UNION", "INTERSECT", "EXCEPT", "AS", ",", ")"})
"""Words that no engine takes where the grammar takes none of them, unless the query holds what the grammar lacks."""

_BEYOND = frozenset({"nesting", "budget"})
"""What the constraint has no opinion on."""


@dataclass(frozen=True)
class Refusal:
    """Why a query is stopped.

    Attributes:
        stopped: the place of the word that may not come, the number of words if it is the end.
        place: that of the word to blame.
        rule: the rule of `RULES` that is broken; ``names`` if the schema has no such name, ``grammar`` if the grammar
            has no such query, ``nesting`` or ``budget`` if it is deeper or longer than the rules reach.
        problem: in words.
        runs: False where a rule is broken, None where it may run all the same.
    """

    stopped: int
    place: int
    rule: str
    problem: str
    runs: bool | None


def refusal(grammar: Grammar, query: QueryWords, found: Walk, stopped: int) -> Refusal:
    """Return what is wrong with the word at ``stopped``, where a query came no further."""
    end = stopped == len(query.lexemes)
    if end and not stopped and query.broken is None:
        return Refusal(0, 0, "grammar", "there is no query", False)
    if end and query.broken is not None:
        return _cut_short(grammar, query, stopped, query.broken.position)
    ids = (EOS,) if end else query.choices[stopped]
    if not ids:
        number = f"{query.lexemes[stopped].text} may be too large or too small"
        named = bool(query.lexemes[stopped].parts)
        return _unknown(grammar, query, found, stopped) if named else _unread(grammar, query, stopped, number)
    written = {lexeme.text.upper() for lexeme in query.lexemes}
    objections = [o for state in found.before[-1] for i in ids if (o := state.objection(i, written)) is not None]
    rule, problem = next((o for o in objections if o.rule in RULES or o.rule in _BEYOND), objections[0])
    if rule in RULES:
        finished = rule in OF_PHRASES and any(_refuses_phrase(state, i) for state in found.before[-1] for i in ids)
        blamed = _blamed(query, found, stopped, rule, _as_called(grammar, query, problem), finished=finished)
        refused = Refusal(stopped, *blamed, runs=False)
        # SQLite knows an alias nearly everywhere, which may run; and what a derived table shows, a bare name may mean
        loose = rule == "output names" and grammar.dialect == "sqlite"
        loose |= query.has_derived_tables and _is_cautious(query, refused, rule, problem)
        # a name of WITH before a list of columns is none that the grammar knows
        construct = unknown_construct(query.sql, grammar.dialect, read=problem != "no name is left")
        loose |= construct is not None
        message = _against(grammar, query, problem) if loose else refused.problem
        return _outside(refused, construct or problem) if message is None else replace(refused, problem=message)
    if rule in _BEYOND:
        return Refusal(stopped, stopped, rule, problem, None)
    return _unread(grammar, query, stopped, _misplaced(query, found.before[-1], stopped))


def _is_cautious(query: QueryWords, refused: Refusal, rule: str, problem: str) -> bool:
    """Say whether a rule stops more than the engine does where derived tables stand, or WITH.

    Before FROM an alias of a query of WITH has no type; USING joins no such one; and none is called as a table.
    """
    if refused.rule in {"ambiguous", "output names"} or (rule == "derived" and "star" in problem):
        return True
    if not query.scope.common:
        return False
    aliased = [parts[0].text for lexeme in query.lexemes[: refused.stopped] if len(parts := lexeme.parts) == 2]
    key = query.vocabulary.grammar.quoting.key
    untyped = any(key(one) in query.scope.derived - query.scope.common for one in aliased)
    return (rule in OF_PHRASES and untyped) or rule == "common columns" or problem.startswith("a table is called")


def mistaken(query: QueryWords, refused: Refusal, place: int) -> Refusal:
    """Point at an earlier word that is read as an alias, where the nearest query has another word ``place`` d there."""
    kinds = {query.vocabulary.words[i].kind for i in (query.choices[place] if place < refused.stopped else ())}
    if refused.rule != "grammar" or kinds != {"alias"}:
        return refused
    problem = f"{query.lexemes[place].text!r} is taken for an alias here, and {refused.problem}"
    return replace(refused, place=place, problem=problem)


def _cut_short(grammar: Grammar, query: QueryWords, stopped: int, position: int) -> Refusal:
    """Return the refusal of a character that begins no word."""
    character = query.sql[position]
    if character == ";":
        return Refusal(stopped, stopped, "grammar", "a second statement begins behind the ';'", None)
    quote = character in "'\"`["
    problem = "the quote is never closed" if quote else f"{character!r} is no SQL of {grammar.dialect}"
    return _unread(grammar, query, stopped, problem)


def _unread(grammar: Grammar, query: QueryWords, stopped: int, problem: str) -> Refusal:
    """Return the refusal of a query outside of the grammar: it is no query, or it may run all the same."""
    if (reserved := _reserved(grammar, query, stopped)) is not None:
        return reserved
    refused = Refusal(stopped, stopped, "grammar", problem, False)
    word = query.lexemes[stopped].text.upper() if stopped < len(query.lexemes) else ""
    construct = unknown_construct(query.sql, grammar.dialect)
    called = grammar.dialect != "sqlite" and construct is None and query.called(stopped)
    if called and is_foreign(word, grammar.dialect):
        return replace(refused, problem=_no_function(grammar, word))
    if table := unknown_table(query.sql, grammar.dialect, grammar.names.tables.keys()):
        return replace(refused, rule="names", problem=f"no table is called {table!r}")
    if message := _against(grammar, query, problem):
        return replace(refused, problem=message)
    misplaced = grammar.dialect != "sqlite" and word in _PARTING and construct is None
    return refused if misplaced else _outside(refused, construct or problem)


def _against(grammar: Grammar, query: QueryWords, problem: str) -> str | None:
    """Return the problem, if an engine would not even begin a query, as far as anybody here knows."""
    if grammar.dialect != "sqlite":
        return None if is_sql(query.sql, grammar.dialect) else problem
    message = sqlite_refuses(query.sql, grammar.schema)
    return message and f"{problem} (SQLite: {message})"


def _outside(refused: Refusal, problem: str) -> Refusal:
    return replace(refused, rule="grammar", problem=f"outside of the grammar: {problem}", runs=None)


def _in_quotes(text: str) -> str:
    return text if text[0] in "'\"`" else f"'{text}'"


def _misplaced(query: QueryWords, states: tuple[State, ...], stopped: int) -> str:
    """Say that a word cannot stand where it does; most often it is a bracket."""
    end = stopped == len(query.lexemes)
    problem = "the query cannot end here" if end else f"{_in_quotes(query.lexemes[stopped].text)} cannot come here"
    depth = sum((x.text == "(") - (x.text == ")") for x in query.lexemes[:stopped])
    words = query.vocabulary.words
    if any(word.text == ")" and state.allowed()[i] for state in states for i, word in enumerate(words)):
        return f"{problem}: a bracket is still open"
    if not end and query.lexemes[stopped].text == ")" and depth == 0:
        return f"{problem}: no bracket is open"
    return problem


# ---- names that nothing is called by


def _reserved(grammar: Grammar, query: QueryWords, stopped: int) -> Refusal | None:
    """Return the refusal of a name that the engine keeps for itself, None if a word is no such one."""
    if stopped == len(query.lexemes):
        return None
    lexeme, refused = query.lexemes[stopped], grammar.quoting.refused
    if lexeme.kind != "name" or refused.takes(lexeme) or lexeme.text.upper() in refused.values:
        return None
    if not grammar.names.readings(lexeme, query.scope):
        return None
    word = next(p.text for p in lexeme.parts if not p.quoted and p.text.upper() in refused.names)
    problem = f"{word!r} is a word of SQL here; in quotes it is a name: {grammar.quoting.write(word)}"
    return Refusal(stopped, stopped, "names", problem, False)


def _unknown(grammar: Grammar, query: QueryWords, found: Walk, stopped: int) -> Refusal:
    lexeme = query.lexemes[stopped]
    able = np.any([state.allowed() for state in found.before[-1]], axis=0)
    kinds = {query.vocabulary.words[i].kind for i in np.flatnonzero(able).tolist()}
    quoted = any(part.quoted for part in lexeme.parts)
    if (reserved := _reserved(grammar, query, stopped)) is not None:
        return reserved
    if not quoted and len(lexeme.parts) == 1:
        if query.called(stopped) and "function" in kinds:
            return _unread(grammar, query, stopped, _no_function(grammar, lexeme.text))
        if lexeme.text.upper() in grammar.quoting.reserved or not kinds & {"table", "column"}:
            return _unread(grammar, query, stopped, f"{lexeme.text!r} cannot come here")
    if len(lexeme.parts) > 2 or (len(lexeme.parts) == 2 and "table" in kinds):
        qualified = len(lexeme.parts) == 2 + ("table" not in kinds) and lexeme.parts[0].text not in _UNREAD
        if not (
            qualified and grammar.dialect == "postgres" and all(table.namespace for table in grammar.schema.tables)
        ):
            return _unread(grammar, query, stopped, f"{lexeme.text!r}: names have no database or schema before them")
    own = _own(grammar, query, stopped, table="table" in kinds)
    nameless = _nameless(grammar, query, lexeme, table="table" in kinds)
    if own is not None or unknown_construct(query.sql, grammar.dialect, read=True) is not None:
        return _unread(grammar, query, stopped, own or nameless)
    return Refusal(stopped, stopped, "names", nameless, False)


def _own(grammar: Grammar, query: QueryWords, place: int, *, table: bool) -> str | None:
    """Say what a query reads that no schema names, None if there is no such thing."""
    text = query.lexemes[place].text
    if not table and text.lower().rpartition(".")[2] in SYSTEM_COLUMNS[grammar.dialect]:
        return f"{text}, a column that the engine has by itself"
    if table and query.called(place):
        return f"{text}, a table that a function makes"
    found = system_table(query.sql, grammar.dialect, grammar.names.tables.keys())
    return None if found is None else f"{found}, a table that the engine has by itself"


def _no_function(grammar: Grammar, name: str) -> str:
    """Say that the engine has no function called so, and which others have."""
    others = " and ".join(engines_of(name, without=grammar.dialect))
    return f"no function {name} is known in {grammar.dialect}" + (f", as it is in {others}" if others else "")


def _nameless(grammar: Grammar, query: QueryWords, lexeme: Lexeme, *, table: bool) -> str:
    """Say that nothing is called so."""
    if len(lexeme.parts) == 1 or (table and len(lexeme.parts) == 2):
        return f"no {'table' if table else 'column'} is called {'.'.join(part.text for part in lexeme.parts)!r}"
    owner, column = (part.text for part in lexeme.parts[-2:])
    key = grammar.quoting.key(owner)
    tables = query.scope.tables.get(key, [])
    if key in query.scope.derived:
        return f"{owner!r} shows no column {column!r}"
    if tables:
        return f"{owner!r} is {' or '.join(tables)}, which has no column {column!r}"
    if key in grammar.names.tables:
        return f"table {grammar.names.tables[key].name!r} has no column {column!r}"
    return f"no table or alias is called {owner!r}"


# ---- what rules say of phrases


def _refuses_phrase(state: State, word: int) -> bool:
    """Say whether a word is refused for the phrase that would be over with it."""
    return state.allowed_words.continuations.terminals[word] in state.next_words.node.refused


def _as_called(grammar: Grammar, query: QueryWords, problem: str) -> str:
    """Return a problem with the function that the query calls, in place of the one that the rules take it for."""
    name, _, rest = problem.partition(" ")
    like = grammar.types.like
    lines = grammar.types.functions.get(name, ())
    if lines and all(line.fails for line in lines):
        return f"{name} could fail on some rows"
    called = [lexeme.text.upper() for lexeme in query.lexemes]
    return next((f"{f} {rest}" for f in called if name not in called and like.get(f) == name), problem)
