"""The head for spans: in numpy as in torch, learnt from a handful of made-up states, kept in a file."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from querent.classifiers.span_finder import (
    OUTSIDE,
    STEPS_NEVER,
    TAGS,
    SpanFinder,
    WordStates,
    best_tags,
    spans_of_tags,
    tags_of_spans,
)
from querent.classifiers.span_learning import SpanTagger, TaggedWords, chain_loss, fit_spans
from querent.data.errors import RunError
from querent.ner.language.words import units

HIDDEN = 12


def made_up(count: int, seed: int, *, kinds: tuple[int, ...] = (0, 1, 2)) -> list[TaggedWords]:
    """Return questions whose states tell each tag of the kinds, in a place of its own; others are not labelled."""
    draw, found = np.random.default_rng(seed), list[TaggedWords]()
    for _ in range(count):
        words = int(draw.integers(1, 9))
        tags = draw.integers(0, 2, (words, 3))
        tags[1:][(tags[:-1] == 1) & (draw.random((words - 1, 3)) < 0.5)] = 2
        states = draw.normal(size=(words, HIDDEN), scale=0.1).astype(np.float32)
        for kind in range(3):
            states[np.arange(words), 3 * kind + tags[:, kind]] += 1
        labelled = np.full_like(tags, -1)
        labelled[:, kinds] = tags[:, kinds]
        found.append(TaggedWords(WordStates(states, np.ones(words, np.bool_)), labelled))
    return found


@pytest.fixture(scope="module")
def finder() -> SpanFinder:
    return fit_spans([*made_up(300, 1), *made_up(300, 2, kinds=(0,))], "tiny", 2, epochs=30)


def test_it_learns_what_the_states_tell(finder: SpanFinder) -> None:
    held = made_up(60, 3)
    scores = finder.score([finder.predict(one.words) for one in held], [one.tags for one in held])
    assert {kind: told["f1"] > 0.95 for kind, told in scores.items()} == {"value": True, "table": True, "column": True}


def test_kinds_that_nobody_labelled_are_not_scored(finder: SpanFinder) -> None:
    held = made_up(20, 4, kinds=(0,))
    gold = [one.tags for one in held]
    assert set(finder.score([np.zeros_like(one) for one in gold], gold)) == {"value"}
    assert finder.score([np.zeros_like(one) for one in gold], gold)["value"]["recall"] == 0


def test_numpy_and_torch_say_the_same_whatever_stands_beside_a_question() -> None:
    torch.manual_seed(0)
    draw = np.random.default_rng(0)
    tagger = SpanTagger(torch.randn(HIDDEN), torch.rand(HIDDEN) + 0.5).eval()
    torch.nn.init.normal_(tagger.steps)
    arrays = {name: value.numpy() for name, value in tagger.state_dict().items()}
    own = SpanFinder(arrays, "tiny", 2)
    for words in (1, 2, 7):
        states = draw.normal(size=(words, HIDDEN)).astype(np.float32)
        began = draw.random(words) < 0.7
        padded = torch.from_numpy(np.pad(states, ((0, 3), (0, 0)), constant_values=9))[None]
        there = (torch.arange(words + 3) < words)[None]
        with torch.no_grad():
            scores = tagger(padded, torch.from_numpy(np.pad(began, (0, 3)))[None], there)[0, :words].numpy()
            steps = tagger.possible.numpy()
        wanted = np.stack([best_tags(scores[:, kind], steps[kind]) for kind in range(3)], axis=1)
        assert np.array_equal(own.predict(WordStates(states, began)), wanted)


def test_the_loss_is_that_of_all_rows() -> None:
    torch.manual_seed(1)
    scores, steps = torch.randn(1, 4, 3, 3), torch.randn(3, 3, 3) + torch.from_numpy(STEPS_NEVER)
    tags = torch.tensor([[[1, 0, 0], [2, 1, 0], [0, 1, 0], [0, 0, 0]]])
    there = torch.tensor([[True, True, True, False]])

    def log_share(kind: int) -> float:
        def total(row: tuple[int, ...]) -> float:
            own = sum(float(scores[0, n, kind, tag]) for n, tag in enumerate(row)) + float(STEPS_NEVER[0, row[0]])
            return own + sum(float(steps[kind, a, b]) for a, b in itertools.pairwise(row))

        rows = torch.tensor([total(row) for row in itertools.product(range(3), repeat=3)])
        return float(torch.logsumexp(rows, 0)) - total(tuple(tags[0, :3, kind].tolist()))

    wanted = sum(log_share(kind) for kind in range(3)) / 3
    assert float(chain_loss(scores, steps, tags, there)) == pytest.approx(wanted, abs=1e-4)
    tags[0, :, 1:] = -1
    assert float(chain_loss(scores, steps, tags, there)) == pytest.approx(log_share(0), abs=1e-4)


def test_it_is_kept_in_a_file(finder: SpanFinder, tmp_path: Path) -> None:
    finder.save(tmp_path / "spans.safetensors")
    again = SpanFinder.load(tmp_path / "spans.safetensors")
    held = made_up(30, 5)
    assert (again.encoder, again.layers) == ("tiny", 2)
    same = [np.array_equal(finder.predict(one.words), again.predict(one.words)) for one in held]
    assert sum(same) >= 29  # in half precision


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "spans.safetensors"
    with pytest.raises(RunError, match="no weights of a span finder"):
        SpanFinder.load(file)
    for kinds, told in (("verb", "it finds 'verb'"), ("value table column", r"spans\.0\.bias is missing")):
        save_file({"spans.mean": np.zeros(3, np.float16)}, file, metadata={"kinds": kinds})
        with pytest.raises(RunError, match=told):
            SpanFinder.load(file)


# --- tags


def test_tags_are_spans_and_back() -> None:
    text = "from New York to Los Angeles Rome"
    words = units(text)
    spans = [(5, 13), (17, 28), (29, 33)]
    tags = tags_of_spans(spans, words)
    assert "".join(TAGS[tag] for tag in tags) == "OBIOBIB"
    assert spans_of_tags(tags, words) == spans
    assert spans_of_tags(tags[:2], words) == [(5, 8)]  # the last words were not read


def test_a_span_takes_in_whole_words_and_the_longest_counts() -> None:
    assert tags_of_spans([(4, 6), (4, 12), (9, 12)], units("the dogs barked")).tolist() == [0, 1, 2]


def test_an_inside_behind_an_outside_begins_nothing() -> None:
    assert spans_of_tags(np.array([0, 2, 2, 1]), units("a b c d")) == [(6, 7)]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_best_tags_are_those_of_all_rows(count: int) -> None:
    draw = np.random.default_rng(count)
    for _ in range(20):
        scores, steps = (draw.normal(size=(n, len(TAGS))).astype(np.float32) for n in (count, len(TAGS)))

        def total(row: tuple[int, ...], scores: np.ndarray = scores, steps: np.ndarray = steps) -> float:
            never = STEPS_NEVER[[OUTSIDE, *row[:-1]], list(row)].sum()
            return float(never + scores[range(count), row].sum() + sum(steps[a, b] for a, b in itertools.pairwise(row)))

        assert tuple(best_tags(scores, steps)) == max(itertools.product(range(len(TAGS)), repeat=count), key=total)


def test_of_no_words_there_are_no_tags() -> None:
    assert len(best_tags(np.zeros((0, 3), np.float32), np.zeros((3, 3), np.float32))) == 0
