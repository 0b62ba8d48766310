"""Questions that a database cannot answer, to learn from: those on other databases, and small talk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...data.domains.collection import Pair
from ...encoders import Encoder
from ..reader.context import DatabaseContext
from ..reader.naming import NO_MATCH, match_names
from ..reader.question import read_question
from .training_examples import TrainingExample

__all__ = ["SMALL_TALK", "unanswerable_examples"]

SMALL_TALK: Mapping[str, Sequence[str]] = {
    "en": (
        "hi", "hey there", "good morning", "how are you?", "who are you?", "what is your name?", "thanks a lot",
        "thank you", "bye", "see you tomorrow", "what can you do?", "can you help me?", "help", "tell me a joke",
        "what time is it?", "how is the weather today?", "what is the meaning of life?", "are you a robot?",
        "I do not understand", "that is wrong", "please try again", "ok", "yes", "no", "never mind", "test", "asdf",
        "lorem ipsum dolor sit amet", "sing me a song", "write a poem about the sea", "translate this into French",
        "who will win the election?", "what should I cook tonight?", "delete everything", "drop all the tables",
        "set all prices to zero", "change the password", "add a new row please", "update my address",
        "what will happen next year?", "why?", "what do you think about it?", "open the door", "call me later",
    ),
    "zh": (
        "你好", "早上好", "你是谁？", "你叫什么名字？", "谢谢", "再见", "你能做什么？", "帮帮我", "讲个笑话",
        "现在几点了？", "今天天气怎么样？", "人生的意义是什么？", "你是机器人吗？", "我不明白", "不对",
        "请再试一次", "好的", "不是", "算了", "测试", "唱首歌吧", "写一首关于大海的诗", "把这句话翻译成英文",
        "谁会赢得选举？", "今晚吃什么？", "删除所有数据", "把所有价格改成零", "修改密码", "请添加一行",
        "明年会发生什么？", "为什么？", "你怎么看？", "打开门", "待会儿给我打电话",
    ),
}  # fmt: skip

_ALIKE = 0.34
"""A question of whose words a greater share are names of the other database may well be answered there."""


def unanswerable_examples(
    pairs: Sequence[Pair], contexts: Mapping[str, list[DatabaseContext]], encoder: Encoder, *, count: int, seed: int
) -> list[list[TrainingExample]]:
    """Put questions to databases that they were not asked of; a quarter is small talk.

    Args:
        pairs: whose questions are drawn.
        contexts: of the databases.
        count: training examples wanted; fewer where questions fit too well.
    """
    rng = np.random.default_rng(seed)
    names, language = sorted(contexts), next(iter(contexts.values()))[0].language
    found: list[list[TrainingExample]] = []
    for number in range(count):
        name, pair = names[int(rng.integers(len(names)))], pairs[int(rng.integers(len(pairs)))]
        talk = SMALL_TALK[language][int(rng.integers(len(SMALL_TALK[language])))] if number % 4 == 0 else None
        text = talk or pair.question
        context = contexts[name][int(rng.integers(len(contexts[name])))]
        question = read_question(text, context.values(text), encoder)
        said = match_names(question.stems, context.items.names).max(1) > NO_MATCH
        if talk or (pair.database != name and said.mean() < _ALIKE):
            found.append([TrainingExample(f"strange-{number}", question, context.items, np.zeros(0, np.int64))])
    return found
