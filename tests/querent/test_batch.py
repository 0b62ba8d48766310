"""`querent.batch`: batches of questions without Ray, whose answers are those of `querent predict`."""

import json
import pickle
from collections.abc import Iterator

import numpy as np
import pytest

import querent as face
from querent.batch import BatchPredictor

QUESTIONS = ["how many customers are there?", "", "which orders were placed in 2023?", "x" * 3000, "多少个客户？"]


@pytest.fixture(scope="module")
def predictor() -> Iterator[BatchPredictor]:
    made = BatchPredictor("shop")
    yield made
    made.close()


def test_answers_are_those_of_predict(predictor, tmp_path):
    found = predictor({"question": np.array(QUESTIONS, dtype=object), "mine": np.arange(5)})
    file, out = tmp_path / "q.jsonl", tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps({"question": text}) + "\n" for text in QUESTIONS), encoding="utf-8")
    with face.connect("shop") as connection:
        face.predict(connection, face.read_questions(file), out, beam=4)
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    for name in ("sql", "status", "confidence", "reason"):
        assert found[name].tolist() == [record[name] for record in records]
    for name in ("rows", "columns"):
        assert [json.loads(cell) for cell in found[name]] == [record[name] for record in records]
    assert found["mine"].tolist() == [0, 1, 2, 3, 4]
    assert {name: one.dtype.kind for name, one in found.items()} == {
        "question": "O", "mine": "i", "sql": "O", "status": "O", "confidence": "f", "reason": "O", "columns": "O",
        "rows": "O", "seconds": "f",
    }  # fmt: skip


def test_a_bad_question_costs_its_own_answer_alone(predictor):
    found = predictor({"question": np.array(["how many customers are there?", None, 3.5])})
    assert found["status"].tolist() == ["ok", "error", "error"]
    assert [json.loads(rows) for rows in found["rows"]] == [[[20]], [], []]
    assert found["reason"][1] == "field 'question': the question is no text"


def test_what_is_missing_is_told(predictor):
    with pytest.raises(face.InputError, match="did you mean 'questions'"):
        predictor({"questions": np.array(["a"])})
    with pytest.raises(face.DatabaseError):
        BatchPredictor("gone.sqlite")


def test_ray_can_send_the_class_elsewhere():
    assert pickle.loads(pickle.dumps(BatchPredictor)) is BatchPredictor
