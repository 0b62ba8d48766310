"""Literals that a model writes mean the samples that stand for them: nothing that these may do breaks on those."""

import itertools
import random
import re
from functools import lru_cache

import interegular
import pytest
from grammar_cases import make_schema
from interegular.fsm import FSM

from querent.grammar import Grammar
from querent.grammar.lr.tables import DIALECTS
from querent.grammar.tokens.spelling.lexicon import (
    MAX_DIGITS,
    MAX_FRACTION,
    Lexicon,
    TextKind,
    add_label,
    add_numbers,
    add_texts,
    samples,
    text_kinds,
)
from querent.grammar.tokens.spelling.words import Inventory
from querent.grammar.types.abstract_values import AbstractValue, Mark
from querent.grammar.types.dialect import load_types
from querent.grammar.vocabulary.meanings import word_value
from querent.grammar.vocabulary.vocabulary import Word

ANY = {"sqlite": r"[^\x00-\x1f\x7f]{0,100}", "mysql": r"[^\x00-\x1f\x7f\\]{0,100}"}
ANY["postgres"] = ANY["mysql"]
"""Any text, as `complete_character` takes it."""
WRITTEN = r"[ -&(-\[\]-~]*"
"""What texts of a kind are written with: ASCII without quotes and backslashes."""
KINDS = [(dialect, kind) for dialect in DIALECTS for kind in text_kinds(dialect)]


def shown(part: object) -> str:
    return part.sample if isinstance(part, TextKind) else str(part)


@lru_cache
def machine(pattern: str) -> FSM:
    return interegular.parse_pattern(pattern).to_fsm()


def value_of(text: str, terminal: str, dialect: str) -> AbstractValue:
    value = word_value(Word(text, terminal, "constant"), load_types(dialect), {}, ())
    assert isinstance(value, AbstractValue)
    return value


def counterexample(all_of: FSM, pattern: str) -> str | None:
    """Return a shortest text that a machine takes and a pattern does not; interegular lists far too many on its way."""
    wrong = all_of - machine(pattern)
    found = {wrong.initial: ""}
    for state in (todo := [wrong.initial]):
        if state in wrong.finals:
            return found[state]
        for transition, after in wrong.map.get(state, {}).items():
            if after not in found:
                found[after] = found[state] + str(min(wrong.alphabet.by_transition[transition]))
                todo.append(after)
    return None


@pytest.mark.parametrize(("dialect", "kind"), KINDS, ids=shown)
def test_what_a_sample_stands_for_has_all_its_kinds(dialect: str, kind: TextKind) -> None:
    known = load_types(dialect).kinds
    all_of = machine(kind.pattern) & machine(WRITTEN) if kind.pattern is not None else machine(ANY[dialect])
    assert not all_of.empty()
    assert all_of.accepts(kind.sample)
    of_sample = value_of(kind.word, "STRING", dialect).kinds
    if len(kind.sample) == 1:
        assert "character" in of_sample
        assert counterexample(all_of, r"[^\x00-\x1f\x7f]") is None
    for name in of_sample & known.keys() - {"character"}:
        assert counterexample(all_of, known[name].pattern.pattern) is None, name


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_kind_that_a_signature_asks_for_has_a_sample(dialect: str) -> None:
    types = load_types(dialect)
    tables = (types.operators, types.functions, types.casts)
    asked = {a.kind for table in tables for line in table.values() for s in line for a in s.arguments} - {None}
    told = frozenset().union(*(value_of(kind.word, "STRING", dialect).kinds for kind in text_kinds(dialect)))
    assert asked <= told


@pytest.mark.parametrize(("dialect", "kind"), [case for case in KINDS if case[1].pattern], ids=shown)
def test_the_graph_of_a_kind_writes_what_python_reads_as_that_kind(dialect: str, kind: TextKind) -> None:
    """Python judges texts in earnest (`literal_kinds`), interegular makes the graph: both must mean the same."""
    lexicon, chance = Lexicon(), random.Random(0)
    add_texts(lexicon, kind, 7)
    of_sample = value_of(kind.word, "STRING", dialect).kinds
    written = set[str]()
    for _ in range(100):
        node, text = lexicon.roots[-1], b""
        while not lexicon.ends[node]:
            edges = lexicon.edges[node]
            closing = text and ord("'") in edges and chance.random() < 0.2
            byte = ord("'") if closing else chance.choice(sorted(edges))
            text, node = text + bytes([byte]), edges[byte]
        assert lexicon.ends[node] == (7,)
        assert re.fullmatch(kind.pattern or "", text.decode()[1:-1], re.DOTALL), text
        assert of_sample <= value_of(text.decode(), "STRING", dialect).kinds, text
        written.add(text.decode())
    node = lexicon.roots[-1]
    for byte in kind.word.encode():
        node = lexicon.edges[node][byte]
    assert lexicon.ends[node] == (7,)
    assert len(written) > 1 or kind.pattern == kind.sample


def test_a_label_stands_for_itself_alone() -> None:
    """What a sample stands for has all its kinds; one that is a label has the kind of its enumeration, too."""
    labels = ("month", "x", "it's", "完成")
    told = {kind.pattern: kind.sample for kind in text_kinds("postgres", labels)}
    assert told["month|quarter|year|day"] == "quarter"
    assert "[0-9A-Za-z_]" not in told
    assert {"'month'", "'it''s'", "'完成'"} <= {word.text for word in samples("postgres", labels)}
    lexicon = Lexicon()
    add_label(lexicon, "'it''s'", 7)
    node = lexicon.roots[-1]
    for place, byte in enumerate(b"'it''s'"):
        assert not lexicon.ends[node]
        assert lexicon.closing.get(node, 7) == 7 - place
        node = lexicon.edges[node][byte]
    assert lexicon.ends[node] == (7,)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_any_text_has_what_its_sample_has(dialect: str) -> None:
    """Texts with letters of all the world, which interegular's patterns know as «anything else» alone."""
    chance = random.Random(1)
    of_sample = value_of(text_kinds(dialect)[0].word, "STRING", dialect)
    for _ in range(500):
        letters = chance.choices("aB1 %_-()[]{}~'\"`éß病人ǅ\u0301😀\u2028", k=chance.randint(0, 100))
        written = "'" + "".join(letters).replace("'", "''") + "'"
        value = value_of(written, "STRING", dialect)
        assert (value.type, value.magnitude, value.marks) == of_sample[:3]
        assert of_sample.kinds <= value.kinds, written


def graph_of_numbers() -> tuple[Lexicon, tuple[Word, ...]]:
    inventory = Inventory(Grammar.for_schema(make_schema(t="a"), dialect="sqlite"))
    words = inventory.vocabulary.words
    lexicon = Lexicon()
    add_numbers(lexicon, {word.text: n for n, word in enumerate(words) if word.terminal in {"WHOLE", "NUMBER"}})
    return lexicon, words


def meant(lexicon: Lexicon, words: tuple[Word, ...], text: str) -> Word | None:
    node: int | None = lexicon.root
    for byte in text.encode():
        node = lexicon.edges[node].get(byte)
        if node is None:
            return None
    return words[lexicon.ends[node][0]] if lexicon.ends[node] else None


def assert_worth_the_same(text: str, word: Word) -> None:
    terminal = "NUMBER" if "." in text else "WHOLE"
    assert word.terminal == terminal
    for dialect in DIALECTS:
        assert value_of(text, terminal, dialect) == value_of(word.text, terminal, dialect), (text, word.text)


def test_numbers_mean_words_of_their_value() -> None:
    lexicon, words = graph_of_numbers()
    chance, few = random.Random(0), [*map(str, range(100)), "100", "999", "1000", "5050", "9999"]
    texts = [*few, *(f"{whole}.{rest}" for whole in few for rest in ("0", "5", "00", "05", "99"))]
    for _ in range(1000):
        before, behind = chance.randint(1, MAX_DIGITS), chance.randint(1, MAX_FRACTION)
        whole = str(chance.choice([0, 10 ** (before - 1), chance.randrange(10**before), 10**before - 1]))
        texts += [whole, f"{whole}.{''.join(chance.choice('0059') for _ in range(behind))}"]
    for text in texts:
        word = meant(lexicon, words, text)
        assert word is not None, text
        assert_worth_the_same(text, word)
    long = ("1" * (MAX_DIGITS + 1), "0." + "1" * (MAX_FRACTION + 1))
    for wrong in ("", "00", "01", "5.", "-1", "1e3", ".5", "1..5", *long):
        assert meant(lexicon, words, wrong) is None, wrong


def test_numbers_are_never_below_zero() -> None:
    _, words = graph_of_numbers()
    numbers = [word for word in words if word.terminal in {"WHOLE", "NUMBER"}]
    assert len(numbers) > 2 * MAX_DIGITS
    for word, dialect in itertools.product(numbers, DIALECTS):
        assert value_of(word.text, word.terminal, dialect).marks & Mark.NONNEGATIVE
