"""What is wished of two questions, and the losses that learn it."""

import numpy as np
import pytest
import torch

from querent.retrieval.training import PatternQuestions, patterns_of, rivals_of, soft_sim_match, target_cosines

WROTE = PatternQuestions("wrote", ("who wrote A", "author of A"), ("title.author",))
YEAR = PatternQuestions("year", ("when came A out", "year of A"), ("title.year",))
BOOKS = PatternQuestions("books", ("books by B", "what wrote B"), ("author.title",))
COUNTRY = PatternQuestions("country", ("where is the author of A from",), ("title.author.country",))
BOTH = PatternQuestions("both", ("who wrote A, and when", "author and year of A"), ("title.author", "title.year"))
PATTERNS = [WROTE, YEAR, BOOKS, COUNTRY, BOTH]
TARGET, RIVALS = target_cosines(PATTERNS), rivals_of(PATTERNS)
SIMILARITY = torch.from_numpy(TARGET), torch.from_numpy(RIVALS)


def test_a_composite_is_half_of_its_paths() -> None:
    assert TARGET[4].tolist() == [0.5, 0.5, 0, 0, 1]
    assert np.array_equal(TARGET, TARGET.T)


def test_rivals_are_as_long_and_begin_or_end_alike() -> None:
    assert RIVALS[0].tolist() == [False, True, False, False, False]
    assert not RIVALS.diagonal().any()
    assert not (RIVALS & (TARGET > 0)).any()


def test_without_paths_rivals_are_those_whose_questions_look_alike() -> None:
    names = ["red", "blue", "green"]
    patterns = [PatternQuestions(n, (f"how many {n} cars", f"number of {n} cars")) for n in names]
    patterns += [PatternQuestions(f"x{i}", (f"{i * 7}-{'pqrst'[i]}!", f"{i * 7}+{'pqrst'[i]}?")) for i in range(5)]
    rivals = rivals_of(patterns)
    assert all(rivals[i, j] for i in range(3) for j in range(3) if i != j)
    assert np.array_equal(rivals, rivals.T)


def test_patterns_keep_the_order_of_their_questions() -> None:
    found = patterns_of([("b", "one", "x.y"), ("a", "two", ""), ("b", "three", "x.y")])
    assert found == [PatternQuestions("b", ("one", "three"), ("x.y",)), PatternQuestions("a", ("two",), ())]


def unit(*rows: list[float]) -> torch.Tensor:
    return torch.nn.functional.normalize(torch.tensor(rows), dim=-1)


def test_softsim_is_nothing_where_all_cosines_are_as_wished() -> None:
    vectors = unit([1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.5**0.5])
    assert soft_sim_match(vectors, torch.tensor([0, 0, 1, 4]), *SIMILARITY).item() == pytest.approx(0, abs=1e-6)
    assert soft_sim_match(vectors, torch.tensor([0, 1, 0, 4]), *SIMILARITY).item() > 0.5


def test_softsim_weighs_kinds_and_not_counts() -> None:
    """One wrong pair of two alike weighs 4 of 11, however many pairs of 0 there are."""
    vectors = unit([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0])
    labels = torch.tensor([0, 0, 1, 2])  # alike; a rival; another
    assert soft_sim_match(vectors, labels, *SIMILARITY).item() == pytest.approx(4 / 8)
