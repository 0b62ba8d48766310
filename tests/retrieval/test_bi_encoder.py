"""A bi-encoder of random weights, trained in seconds: it learns, and comes back."""

from pathlib import Path

import numpy as np
import pytest

from querent.data.errors import InputError
from querent.encoders import Encoder, load_encoder
from querent.retrieval.bi_encoder import embed, load_bi_encoder
from querent.retrieval.training import BiEncoderOptions, PatternQuestions, train_bi_encoder

NAMES = ["lake", "river", "city", "state"]
PATTERNS = [
    PatternQuestions("count", tuple(f"how many {n} are there" for n in NAMES)),
    PatternQuestions("large", tuple(f"which {n} is the large one" for n in NAMES)),
    PatternQuestions("names", tuple(f"list the name of each {n}" for n in NAMES)),
]
QUESTIONS = [question for p in PATTERNS for question in p.questions]
LABELS = [i for i, p in enumerate(PATTERNS) for _ in p.questions]
pytestmark = pytest.mark.slow
OPTIONS = BiEncoderOptions(epochs=12, batch=6, rate=2e-3)


def error(vectors: np.ndarray) -> float:
    wished = np.equal.outer(LABELS, LABELS)
    return float(((vectors @ vectors.T - wished) ** 2).mean())


def train(name: str, out: Path, options: BiEncoderOptions = OPTIONS, **told: object) -> Encoder:
    train_bi_encoder(name, QUESTIONS, LABELS, out, options, patterns=PATTERNS, **told)
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


def test_lower_layers_can_stay_as_they_are(tiny_encoder: str, tmp_path: Path) -> None:
    frozen = BiEncoderOptions(epochs=2, batch=6, rate=1e-3, frozen=1)
    trained = train(tiny_encoder, tmp_path / "out", frozen).model.weights
    before = load_encoder(tiny_encoder).model.weights
    changed = {name for name in before if not np.allclose(before[name], trained[name], atol=1e-4, rtol=1e-3)}
    assert changed
    assert not any("embeddings" in name or "layer.0." in name for name in changed)


def test_what_is_missing_is_said(tiny_encoder: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no questions to learn"):
        train_bi_encoder(tiny_encoder, [], [], tmp_path / "out", patterns=[])


def test_what_was_made_of_e5_is_cut_and_prefixed_as_e5_is(tmp_path: Path) -> None:
    made = train("e5", tmp_path / "out", BiEncoderOptions(epochs=1, batch=6, rate=1e-9, frozen=11))
    base, asked = load_encoder("e5"), "which city is large"
    assert made.prefix == base.prefix == "query: "
    assert made.cut(asked, 64) == base.cut(asked, 64)
    assert np.allclose(embed(made, QUESTIONS), embed(base, QUESTIONS), atol=1e-2)


def test_a_model_that_pools_otherwise_is_refused(tiny_encoder: str, tmp_path: Path) -> None:
    trained = tmp_path / "out"
    train(tiny_encoder, trained, BiEncoderOptions(epochs=1, batch=6))
    assert load_bi_encoder(trained).hidden
    (trained / "modules.json").write_text('[{"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]')
    (trained / "1_Pooling").mkdir()
    (trained / "1_Pooling" / "config.json").write_text('{"pooling_mode": "cls"}')
    with pytest.raises(InputError, match=r"not the mean of its states"):
        load_bi_encoder(trained)
