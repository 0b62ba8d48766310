import pytest
from grammar_cases import make_schema

from querent.data.errors import QueryError
from querent.grammar import BOS, EOS, PAD, Grammar, Vocabulary

CITY = make_schema(city="city_name population state_name", state="state_name area")
GRAMMAR = Grammar.for_schema(CITY, dialect="sqlite")


def texts(vocabulary: Vocabulary, kind: str) -> set[str]:
    return {w.text for w in vocabulary.words if w.kind == kind}


def test_words_come_from_grammar_schema_and_queries() -> None:
    queries = [
        "SELECT COUNT(*) FROM city AS c0 WHERE c0.state_name = '{state_name0}' AND c0.population > {number0}",
        "SELECT t.n FROM (SELECT MAX(area) AS n FROM state) AS t WHERE 150000 > t.n OR 'usa' LIKE '%{name1}%'",
    ]
    vocabulary = Vocabulary.build(GRAMMAR, queries, slots=["state_name2", "time0", "number1"])
    assert [w.text for w in vocabulary.words[:3]] == ["<pad>", "<bos>", "<eos>"]
    assert texts(vocabulary, "function") == {"COUNT", "MAX"}
    assert texts(vocabulary, "table") == {"city", "state"}
    assert texts(vocabulary, "constant") == {"0", "1", "150000", "'usa'"}
    assert texts(vocabulary, "alias") == {"c0", "n", "t"}
    assert texts(vocabulary, "column") == {
        *("city_name", "population", "state_name", "area"),
        *("c0.city_name", "c0.population", "c0.state_name", "t.n"),
    }
    assert texts(vocabulary, "slot") == {
        *("'{state_name0}'", "'{state_name2}'", "{number0}", "{number1}", "'%{name1}%'", "'{time0}'")
    }
    assert {"SELECT", "BETWEEN", "HAVING"} <= texts(vocabulary, "keyword")
    assert {"(", "<=", "||"} <= texts(vocabulary, "operator")
    for sql in queries:
        assert vocabulary.decode(vocabulary.encode(sql)) == GRAMMAR.canonical(sql)


def test_words_know_what_they_stand_for() -> None:
    query = (
        "SELECT c0.population, state_name, area FROM city AS c0 WHERE state_name = '{state_name0}' OR 1 = '{x0} {y1}'"
    )
    vocabulary = Vocabulary.build(GRAMMAR, [query])
    by_text = {w.text: w for w in vocabulary.words}
    assert (by_text["c0.population"].table, by_text["c0.population"].column) == ("city", "population")
    assert (by_text["state_name"].table, by_text["state_name"].tables) == (None, ("city", "state"))
    assert by_text["area"].table == "state"
    assert by_text["c0"].tables == ("city",)
    assert by_text["'{state_name0}'"].slot == "state_name0"
    assert by_text["'{x0} {y1}'"].slots == ("x0", "y1")
    ids = {slot: [vocabulary.words[i].text for i in ids] for slot, ids in vocabulary.slots.items()}
    assert ids == {"state_name0": ["'{state_name0}'"], "x0": ["'{x0}'", "'{x0} {y1}'"], "y1": ["'{y1}'", "'{x0} {y1}'"]}


def test_without_queries_everything_of_the_schema_is_there() -> None:
    vocabulary = Vocabulary.build(GRAMMAR, [])
    assert {"city_name", "city.city_name", "state.*"} <= texts(vocabulary, "column")
    assert texts(vocabulary, "function") == set(GRAMMAR.functions)


def test_a_word_that_is_not_there_is_told() -> None:
    vocabulary = Vocabulary.build(GRAMMAR, ["SELECT city_name FROM city WHERE city_name = 'austin'"])
    with pytest.raises(QueryError, match=r"austim.* at 45 .*did you mean"):
        vocabulary.encode("SELECT city_name FROM city WHERE city_name = 'austim'")
    with pytest.raises(QueryError, match="SUM"):
        vocabulary.encode("SELECT SUM(area) FROM state")


def test_the_numbers_of_special_words_are_fixed() -> None:
    words = Vocabulary.build(GRAMMAR, []).words
    assert (words[PAD].text, words[BOS].text, words[EOS].text) == ("<pad>", "<bos>", "<eos>")
