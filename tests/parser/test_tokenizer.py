"""Tokenizers trained here keep every character and know where each token stood."""

import pytest
from tiny import EXAMPLES

from querent.data.errors import InputError
from querent.parser.tokenizer import load_tokenizer, scripts, train_tokenizer, type_name

QUESTIONS = [e.question for e in EXAMPLES]


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer(QUESTIONS, types=["state", "number"], size=200)


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_character_of_the_training_questions_is_unknown(tokenizer, question):
    encoded = tokenizer(question, return_offsets_mapping=True)
    assert tokenizer.unk_token_id not in encoded["input_ids"]
    covered = {i for start, end in encoded["offset_mapping"] for i in range(start, end)}
    assert covered >= {i for i, char in enumerate(question) if not char.isspace()}


def test_a_character_never_seen_is_unknown_and_costs_only_itself(tokenizer):
    ids = tokenizer("rivers Ж there")["input_ids"]
    assert ids.count(tokenizer.unk_token_id) == 1


def test_types_are_single_tokens_even_between_chinese_characters(tokenizer):
    assert type_name(tokenizer, "state") == "<state>"
    tokens = tokenizer.tokenize("哪些城市在<state>或<state>")
    assert tokens.count("<state>") == 2


def test_width_and_case_do_not_matter(tokenizer):
    assert tokenizer("RIVERS longer than ５００")["input_ids"] == tokenizer("rivers longer than 500")["input_ids"]


def test_the_same_after_saving(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    again = load_tokenizer(str(tmp_path))
    for question in QUESTIONS:
        assert again(question)["input_ids"] == tokenizer(question)["input_ids"]
    assert again.pad_token_id == tokenizer.pad_token_id == 0


def test_nothing_to_train_on_is_told():
    with pytest.raises(InputError, match="no questions"):
        train_tokenizer(["  "], types=[])


def test_a_missing_tokenizer_is_told(tmp_path):
    with pytest.raises(InputError, match="encoder"):
        load_tokenizer(str(tmp_path / "nothing"))


def test_scripts():
    assert scripts("Which rivers cross 德州, 42?") == {"LATIN", "CJK"}
    assert scripts("42 ?!") == set()
