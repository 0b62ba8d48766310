"""`querent train-retriever`: a domain's questions, masked, into a bi-encoder that finds those of one pattern."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import querent
from querent.commands.cli import app
from querent.encoders import load_encoder
from querent.knowledge import retriever_training
from querent.knowledge.retriever_training import tune_retriever
from querent.retrieval.bi_encoder import embed

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cache")]

OPTIONS = querent.BiEncoderOptions(epochs=4, batch=24, rate=1e-2)


def test_questions_of_one_pattern_come_near_whatever_they_name(tiny_encoder: str, domain: Path, tmp_path: Path) -> None:
    tune_retriever(querent.load_domain(domain), tiny_encoder, tmp_path / "out", OPTIONS)
    asked = ["which cities are in [state]", "how many cities are in [state]", "the largest city of [state]"]
    vectors = embed(load_encoder(str(tmp_path / "out")), asked)
    before = embed(load_encoder(tiny_encoder), asked)
    assert np.triu(vectors @ vectors.T, 1).sum() < np.triu(before @ before.T, 1).sum() - 1


def test_what_is_learnt_has_masks_and_no_question_of_the_test_part(
    domain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learnt = []
    monkeypatch.setattr(retriever_training, "train_bi_encoder", lambda *_, patterns, **__: learnt.extend(patterns))
    tune_retriever(querent.load_domain(domain), "e5", tmp_path / "out")
    questions = {question for pattern in learnt for question in pattern.questions}
    assert any(question.startswith("which cities are in [") for question in questions)
    assert not any("texas" in question for question in questions)
    assert len(learnt) == 5


def test_the_command_trains_and_the_search_takes_its_folder(tiny_encoder: str, domain: Path, tmp_path: Path) -> None:
    out = tmp_path / "retriever"
    call = ["train-retriever", str(domain), "--model", tiny_encoder, "--out", str(out), "--frozen", "0"]
    done = CliRunner().invoke(app, [*call, "--epochs", "3", "--batch", "24", "--rate", "3e-3", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout.splitlines()[-1])["out"] == str(out)
    assert (out / "model.safetensors").is_file()
