"""From questions to answers: learns six pairs by heart, accounts for itself, refuses what is no question."""

import numpy as np
import pytest
import torch
from tiny import EXAMPLES, parser

from querent.data.errors import InputError
from querent.data.examples import fill_sql
from querent.parser.collate import collate
from querent.parser.global_constraint import Account

QUESTIONS = [e.question for e in EXAMPLES]
VALUES = [e.values for e in EXAMPLES]


@pytest.fixture(scope="module", params=["type", "surface", "both"])
def learnt(request):
    made = parser(seed=0, values_as=request.param)
    batch = collate([made.featurizer.example(e) for e in EXAMPLES])
    optimizer = torch.optim.AdamW(made.model.parameter_groups(lr=3e-3, encoder_lr=3e-3))
    for _ in range(100):
        made.model(**batch).loss.backward()
        torch.nn.utils.clip_grad_norm_(made.model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return made


@pytest.mark.parametrize("beam", [1, 3])
def test_it_learns_its_pairs(learnt, beam):
    answers = learnt(QUESTIONS, values=VALUES, beam=beam, batch_size=4)
    for pair, answer in zip(EXAMPLES, answers, strict=True):
        assert answer.sql == learnt.grammar.canonical(pair.sql)
        assert answer.slotted == learnt.grammar.canonical(pair.slotted)
        assert answer.tokens == tuple(token.text for token in learnt.grammar.tokenize(pair.slotted))
        assert fill_sql(answer.slotted, pair.values) == answer.sql
        assert answer.values == pair.values
        assert answer.problem is None
        assert answer.score > -0.2


def test_each_answer_is_the_same_alone(learnt):
    together = learnt(QUESTIONS, values=VALUES)
    for question, values, answer in zip(QUESTIONS, VALUES, together, strict=True):
        alone = learnt([question], values=[values])[0]
        assert alone.sql == answer.sql
        assert alone.score == pytest.approx(answer.score, abs=1e-4)


def test_a_value_never_seen_is_copied_and_its_quotes_doubled(learnt):
    pair = EXAMPLES[0]
    mention = pair.values[0].mention
    other = type(mention)(mention.start, mention.start + 6, "o'hara", "city", "o'hara")
    question = pair.question[: mention.start] + "o'hara"
    answer = learnt([question], values=[(type(pair.values[0])("city0", other),)])[0]
    if learnt.model.config.values_as == "type":
        assert answer.sql.endswith("NAME = 'o''hara'")
    learnt.grammar.tokenize(answer.sql)


def test_slots_that_the_question_does_not_fill_never_come(learnt):
    for answer in learnt(QUESTIONS, values=[()] * len(QUESTIONS), beam=2):
        assert "{" not in answer.sql
        learnt.grammar.tokenize(answer.sql)


def test_steps_name_their_words(learnt):
    answer = learnt(QUESTIONS[:1], values=VALUES[:1], explain=True)[0]
    assert tuple(step.text for step in answer.steps) == (*answer.tokens, "<eos>")
    assert all(r.text for step in answer.steps for r in step.refused)


def test_the_global_constraint_is_asked_and_obeyed(learnt):
    made = parser(seed=1, values_as=learnt.model.config.values_as)
    made.model.load_state_dict(learnt.model.state_dict())
    no_rivers = np.array([w.table != "RIVER" for w in made.vocabulary.words])

    class NoRivers:
        mode = "hard"

        def __call__(self, questions, values):
            assert list(questions) == QUESTIONS[2:4]
            zeros = np.zeros(len(no_rivers), np.float32)
            return [Account(no_rivers, zeros, {"CITY": 1.0}, {}, tuple(v)) for v in values]

    made.global_constraint = NoRivers()
    for answer in made(QUESTIONS[2:4], values=VALUES[2:4]):
        assert "RIVER" not in answer.tokens
        assert answer.account.tables == {"CITY": 1.0}
        made.grammar.tokenize(answer.sql)


def test_without_constraints_it_is_the_baseline_and_tells_what_is_broken():
    made = parser(seed=0, local=False)
    answers = made(QUESTIONS, values=VALUES)
    assert all(a.account is None for a in answers)
    assert any(a.problem for a in answers)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("river " * 2000, "12000 characters"),
        ("где течёт река", "script"),
        ("42 ?", "script"),
    ],
)
def test_what_is_no_question_is_told(learnt, question, said):
    assert said in learnt.problem(question)
    with pytest.raises(InputError, match=said) as caught:
        learnt([QUESTIONS[0], question], values=[VALUES[0], ()])
    assert caught.value.field == "questions[1]"


def test_one_letter_of_a_known_script_is_enough(learnt):
    assert learnt.problem("河 река?") is None


def test_values_are_needed_from_somewhere(learnt):
    with pytest.raises(InputError, match="values"):
        learnt(QUESTIONS)
    with pytest.raises(InputError, match="1 values for 6 questions"):
        learnt(QUESTIONS, values=VALUES[:1])


def test_no_questions_no_answers(learnt):
    assert learnt([], values=[]) == []
