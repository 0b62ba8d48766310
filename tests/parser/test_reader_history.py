"""What came before a question: earlier utterances, the query before, and its literals."""

from datetime import datetime

import databases
import numpy as np
import pytest
from reader_cases import BEFORE, GERMAN, context, encode, follow_up, network, question

from querent.data.databases.schema_readers import read_schema
from querent.meaning.profiling import open_profile
from querent.ner.index import ValueIndex
from querent.parser.decoding.history import NO_HISTORY, History, history_of
from querent.parser.reader import relations as rel
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.inputs import UsedAs, make_input, uses_of
from querent.parser.reader.output_vocabulary import ROLES, Role, fixed_words
from querent.parser.reader.question import MAX_TURNS

FIXED = len(fixed_words())
MUSIC = context("music")


def history(*said: str, sql: str | None = BEFORE) -> History:
    return history_of(said or [GERMAN], sql, MUSIC)


def test_the_latest_utterances_come_first_and_no_more_than_are_read() -> None:
    assert history("a", "b", "c").utterances == ("c", "b")
    assert history(*["again"] * 50).utterances == ("again",) * MAX_TURNS
    assert not NO_HISTORY


def test_what_the_question_names_itself_is_no_earlier_value() -> None:
    (named,) = (node.found for node in follow_up().question.values if node.found.how == "exact")
    assert [one.value for one in history().beside([named])] == ["France", "Germany", "1990"]
    again = history().values[0]
    assert history().beside([again]) == [again, history().values[1]]


@pytest.mark.parametrize(
    ("word", "use"),
    [
        ("COUNT", UsedAs.AGGREGATED),
        ("album", UsedAs.JOINED),
        ("'Germany'", UsedAs.CONDITION),
        ("artist.country", UsedAs.SHOWN),
        ("GROUP", UsedAs.GROUPED),
    ],
)
def test_as_what_a_word_is_used(word: str, use: UsedAs) -> None:
    words = history().words
    assert uses_of(words)[[text for text, _ in words].index(word)] is use


def test_words_point_at_items_and_values() -> None:
    one = follow_up()
    texts = [text for text, _ in history().words]
    places = dict(zip(texts, one.before.places.tolist(), strict=True))
    country = MUSIC.items.find("artist", "country")
    assert places["artist.country"] == FIXED + country * ROLES + Role.COLUMN
    germany = next(i for i, node in enumerate(one.question.values) if node.found.value == "Germany")
    assert places["'Germany'"] == FIXED + (len(MUSIC.items) + germany) * ROLES + Role.TEXT
    words = len(one.question.stems)
    query = words + len(one.kept) + len(one.question.values)
    at = query + texts.index("'Germany'")
    node = words + len(one.kept) + germany
    assert one.relations[node, at] == rel.USED_AS[UsedAs.CONDITION]
    assert one.relations[at, node] == rel.USES
    assert one.relations[at, at + 1] == rel.QUERY_NEXT
    assert one.relations[0, at] == rel.WORD_QUERY


def test_items_that_are_not_read_are_words_like_unknown_ones() -> None:
    one = follow_up()
    kept = np.array([MUSIC.items.find("album")])
    part = make_input(one.question, MUSIC.items, kept, one.before)
    places = part.query_in(1)
    assert (places[one.before.places >= FIXED + ROLES * len(MUSIC.items)] >= 0).all()  # values are always there
    assert (places == -1).any()
    assert np.isfinite(encode(network(turns=MAX_TURNS), part).memory).all()


def test_a_question_that_stands_alone_is_read_alike_by_a_network_that_learnt_no_turns_yet() -> None:
    one = make_input(question(GERMAN), MUSIC.items)
    alone, turned = network(), network(turns=MAX_TURNS)
    for name, array in alone.weights.items():
        turned.weights[name][...] = array
    turned.weights["turn.weight"][...] = 0
    assert np.array_equal(encode(alone, one).memory, encode(turned, one).memory)


# --- periods and flags of the query before are carried as what they mean


TOWNS = ("Faro", "Lagos")
TRIPS = [(n, f"202{n % 3}-{1 + n % 12:02}-{1 + n % 28:02}", "YN"[n % 2], TOWNS[n % 2]) for n in range(1, 61)]
IN_2021 = "SELECT COUNT(*) FROM trip WHERE trip.begun >= '2021-01-01' AND trip.begun < '2022-01-01'"


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> DatabaseContext:
    """Return trips with days, a flag of letters, and towns."""
    made = "CREATE TABLE trip (id INTEGER PRIMARY KEY, begun TEXT, paid TEXT, town TEXT); INSERT INTO trip VALUES "
    file = databases.create(tmp_path_factory.mktemp("trips") / "trips.sqlite", made + ", ".join(map(str, TRIPS)))
    schema = read_schema(file)
    profile = open_profile(file, schema, cache=file.parent)
    index = ValueIndex.open(file, schema, cache=file.parent)
    now = datetime(2022, 12, 1)
    return DatabaseContext.of(schema, index, profile=profile, dialect="sqlite", language="en", now=now)


def test_a_period_is_one_value(trips: DatabaseContext) -> None:
    history = history_of(["how many trips begun in 2021?"], IN_2021, trips)
    (value,) = history.values
    assert (value.value, value.how, value.columns) == ("2021", "earlier", (("trip", "begun"),))
    assert value.span is not None
    assert (value.span.start, value.span.end) == (datetime(2021, 1, 1), datetime(2022, 1, 1))
    assert [text for text, _ in history.words][-3:] == ["trip.begun", "=", "'2021'"]


def test_a_period_that_nobody_said_stays_two_days(trips: DatabaseContext) -> None:
    history = history_of(["how many trips?"], IN_2021, trips)
    assert [value.value for value in history.values] == ["2021-01-01", "2022-01-01"]


def test_cells_and_numbers_are_values_of_their_columns_once(trips: DatabaseContext) -> None:
    sql = "SELECT trip.town FROM trip WHERE trip.town = 'Faro' AND trip.id > 7 AND trip.town <> 'Faro' LIMIT 3"
    found = history_of(["trips to Faro"], sql, trips).values
    assert [(one.value, one.kind, one.columns) for one in found] == [
        ("Faro", "cell", (("trip", "town"),)),
        ("7", "number", (("trip", "id"),)),
    ]


@pytest.mark.parametrize("sql", [None, "SELECT nothing FROM nowhere", "DROP TABLE trip", ""])
def test_without_a_query_there_are_utterances_alone(trips: DatabaseContext, sql: str | None) -> None:
    history = history_of(["good morning", "trips?"], sql, trips)
    assert history.utterances == ("trips?", "good morning")
    assert (history.words, history.values) == ((), ())
