"""A bi-encoder of random weights, trained in seconds: it learns, goes on where it was killed, and comes back."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from querent.data.errors import InputError
from querent.encoders import Encoder, load_encoder
from querent.encoders.convert import e5_folder
from querent.retrieval.bi_encoder import embed, load_bi_encoder, save_trained, trainable_bi_encoder
from querent.retrieval.likeness import Likeness, PatternQuestions
from querent.retrieval.shots import Dense
from querent.retrieval.training import BiEncoderOptions, train_bi_encoder

NAMES = ["lake", "river", "city", "state"]
PATTERNS = [
    PatternQuestions("count", tuple(f"how many {n} are there" for n in NAMES)),
    PatternQuestions("large", tuple(f"which {n} is the large one" for n in NAMES)),
    PatternQuestions("names", tuple(f"list the name of each {n}" for n in NAMES)),
]
QUESTIONS = [question for p in PATTERNS for question in p.questions]
LABELS = [i for i, p in enumerate(PATTERNS) for _ in p.questions]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="pip install '.[train]'"),
]
OPTIONS = BiEncoderOptions(epochs=12, batch=6, rate=2e-3)


def error(vectors: np.ndarray) -> float:
    wished = np.equal.outer(LABELS, LABELS)
    return float(((vectors @ vectors.T - wished) ** 2).mean())


def train(name: str, out: Path, options: BiEncoderOptions = OPTIONS, **told: object) -> Encoder:
    train_bi_encoder(name, QUESTIONS, LABELS, out, options, likeness=Likeness(PATTERNS), **told)
    return load_encoder(str(out))


def test_vectors_have_length_one_and_hang_on_their_text_alone(tiny_encoder: str) -> None:
    model = load_encoder(tiny_encoder)
    vectors = embed(model, QUESTIONS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(embed(model, QUESTIONS[3:5]), vectors[3:5], atol=1e-5)
    assert embed(model, []).shape == (0, vectors.shape[1])


def test_training_brings_alike_questions_together_and_the_folder_keeps_it(tiny_encoder: str, tmp_path: Path) -> None:
    shares: list[float] = []
    trained = train(tiny_encoder, tmp_path / "out", progress=shares.append)
    assert error(embed(trained, QUESTIONS)) < error(embed(load_encoder(tiny_encoder), QUESTIONS)) / 2
    assert shares[-1] == 1
    assert sorted(shares) == shares
    assert Dense(trained, QUESTIONS).scores(QUESTIONS[:1]).argmax() == 0
    assert not (tmp_path / "out" / "checkpoints").exists()


def test_a_killed_training_goes_on_to_the_same_weights(tiny_encoder: str, tmp_path: Path) -> None:
    few = BiEncoderOptions(epochs=4, batch=6, rate=2e-3)
    whole = train(tiny_encoder, tmp_path / "whole", few)

    def killed(share: float) -> None:
        if share > 0.6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(tiny_encoder, tmp_path / "parts", few, progress=killed)
    shares: list[float] = []
    parts = train(tiny_encoder, tmp_path / "parts", few, progress=shares.append)
    assert shares[0] > 0.3
    assert np.allclose(embed(parts, QUESTIONS), embed(whole, QUESTIONS), atol=1e-4)


def test_lower_layers_can_stay_as_they_are(tiny_encoder: str, tmp_path: Path) -> None:
    frozen = BiEncoderOptions(epochs=2, batch=6, rate=1e-3, frozen=1)
    trained = train(tiny_encoder, tmp_path / "out", frozen).model.weights
    before = load_encoder(tiny_encoder).model.weights
    changed = {name for name in before if not np.allclose(before[name], trained[name])}
    assert changed
    assert not any("embeddings" in name or "layer.0." in name for name in changed)


def test_what_is_missing_is_said(tiny_encoder: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no questions to learn"):
        train_bi_encoder(tiny_encoder, [], [], tmp_path / "out", likeness=Likeness([]))


@pytest.mark.parametrize("name", ["e5", "tiny"])
def test_what_answers_has_the_vectors_of_what_is_trained(name: str, tiny_encoder: str, tmp_path: Path) -> None:
    base = {"e5": "e5", "tiny": tiny_encoder}[name]
    theirs = trainable_bi_encoder(base)
    assert np.allclose(embed(load_encoder(base), QUESTIONS), theirs.encode(QUESTIONS), atol=2e-3)
    save_trained(theirs, tmp_path / "out", base)
    saved = load_encoder(str(tmp_path / "out"))
    assert saved.prefix == {"e5": "query: ", "tiny": ""}[name]
    assert np.allclose(embed(saved, QUESTIONS), theirs.encode(QUESTIONS), atol=1e-4)


def test_what_was_made_of_e5_needs_no_library_of_tokenizers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_trained(trainable_bi_encoder("e5"), tmp_path / "out", "e5")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    asked = "which city is large"
    assert load_encoder(str(tmp_path / "out")).cut(asked, 64) == load_encoder(str(e5_folder())).cut(asked, 64)


def test_a_model_that_pools_otherwise_is_refused(tiny_encoder: str, tmp_path: Path) -> None:
    trained = tmp_path / "out"
    train(tiny_encoder, trained, BiEncoderOptions(epochs=1, batch=6))
    assert load_bi_encoder(trained).hidden
    file = next(trained.glob("*Pooling/config.json"))
    file.write_text(file.read_text().replace('"mean"', '"cls"').replace('mean_tokens": true', 'mean_tokens": false'))
    with pytest.raises(InputError, match=r"not the mean of its states"):
        load_bi_encoder(trained)
