"""Questions that a database cannot answer, to learn from.

They are small talk, of other databases, or ask to change this one or for what no query gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from ...data.domains.collection import Pair
from ...data.schema.plain_names import plural
from ...encoders import Encoder
from ..reader.context import DatabaseContext
from ..reader.question import read_question
from ..reader.relations import NO_MATCH, match_names
from .training_examples import TrainingExample

__all__ = ["REQUESTS", "SMALL_TALK", "STATISTICS", "unanswerable_examples"]

T = TypeVar("T")

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

REQUESTS: Mapping[str, Sequence[str]] = {
    "en": (
        "delete all {t}", "please remove {v} from the {t}", "remove the {t} with {c} {v}", "drop every one of the {t}",
        "set the {c} of {v} to 5", "change the {c} of all {t}", "update the {c} where it is {v}", "rename {v} to Nova",
        "add one more of the {t}", "insert {v} into the {t}", "put {v} on the list of {t}", "cancel {v}",
        "increase the {c} of the {t} by ten percent", "replace {v} by something else", "merge the {t} that are alike",
        "send the {t} an e-mail", "print the {t} with {c} {v}", "export the {t} to a spreadsheet", "book {v} for me",
        "archive the {t} with {c} {v}", "empty the {c} of {v}", "correct the {c} of {v}", "assign {v} to someone else",
        "how many {t} will there be in five years?", "forecast the {c} of the {t}", "predict the {c} for {v}",
        "what should the {c} of {v} be?", "why is the {c} of {v} so low?", "what causes a high {c}?",
        "how can we improve the {c} of our {t}?", "which of the {t} should I choose?", "explain the {c} to me",
        "is {c} a good thing to look at?", "who typed in the {c} of {v}?",
    ),
    "zh": (
        "删除所有{t}", "请把{v}从{t}里删掉", "删去{c}是{v}的{t}", "把{v}的{c}改成5", "修改所有{t}的{c}",
        "把{c}为{v}的更新一下", "将{v}改名为新星", "新增一条{t}", "把{v}加到{t}里", "取消{v}",
        "把所有{t}的{c}提高百分之十", "用别的替换{v}", "合并相同的{t}", "给{t}发邮件", "打印{c}为{v}的{t}",
        "把{t}导出成表格", "帮我预订{v}", "归档{c}是{v}的{t}", "清空{v}的{c}", "更正{v}的{c}", "五年后会有多少{t}？",
        "预测{t}的{c}", "预测一下{v}的{c}", "{v}的{c}应该是多少？", "为什么{v}的{c}这么低？", "{c}高的原因是什么？",
        "怎样提高{t}的{c}？", "我该选哪个{t}？", "解释一下{c}", "{v}的{c}是谁录入的？",
    ),
}  # fmt: skip
"""What no query does, in the words of a schema: to change rows, to foresee, to give reasons.

``{t}`` is a table, ``{c}`` a column of it, ``{v}`` a cell of that, or the column where nobody knows its cells.
"""

STATISTICS: Mapping[str, Sequence[str]] = {
    "en": (
        "median {c} of the {t}", "what is the median {c}?", "what is the median of the {c} over all {t}?",
        "which of the {t} are above the median {c}?", "90th percentile of {c}", "show the quartiles of {c}",
        "what is the 95th percentile of the {c} of the {t}?", "which of the {t} are in the top quartile by {c}?",
        "interquartile range of {c}", "how skewed is the {c} of the {t}?", "in which percentile is {c} {v}?",
        "fit a trend line to the {c} of the {t}", "is there a correlation between {c} and {d}?",
        "how strongly does {c} correlate with {d}?", "correlation of {c} and {d} over the {t}",
        "regression of {d} on {c}", "how well does {c} explain {d}?",
    ),
    "zh": (
        "{t}的{c}的中位数", "{c}的中位数是多少？", "所有{t}的{c}中位数是多少？", "哪些{t}的{c}高于中位数？",
        "{c}的90百分位数", "{t}的{c}的第95百分位是多少？", "列出{c}的四分位数", "哪些{t}的{c}在上四分位？",
        "{c}的四分位距", "{t}的{c}偏度是多少？", "{c}为{v}处于第几百分位？", "给{t}的{c}拟合一条趋势线",
        "{c}和{d}之间有相关性吗？", "{c}与{d}的相关系数是多少？", "计算{t}的{c}和{d}的相关系数", "{d}对{c}做回归",
    ),
}  # fmt: skip
"""What no query of the grammar gives, in the words of a schema: ``{c}`` and ``{d}`` are amounts of one table.

Deviations and variances are not here, which servers give, nor the mode: it is what most rows have.
"""
_STATISTICS = 0.4
"""Share of the requests that ask for one, where there are amounts."""

_ALIKE = 0.34
"""A question of whose words a greater share are names of the other database may well be answered there."""


def unanswerable_examples(
    pairs: Sequence[Pair], contexts: Mapping[str, list[DatabaseContext]], encoder: Encoder, *, count: int, seed: int
) -> list[list[TrainingExample]]:
    """Put questions to databases that they were not asked of; a quarter is small talk, a quarter asks for no rows.

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
        context = contexts[name][int(rng.integers(len(contexts[name])))]
        made = number % 4 < 2
        text = pair.question
        if made:
            text = _one(SMALL_TALK[language], rng) if number % 4 == 0 else _request(context, rng)
        question = read_question(text, context.values(text), encoder)
        said = match_names(question.stems, context.items.names).max(1) > NO_MATCH
        if made or (pair.database != name and said.mean() < _ALIKE):
            found.append([TrainingExample(f"strange-{number}", question, context.items, np.zeros(0, np.int64))])
    return found


def _request(context: DatabaseContext, rng: np.random.Generator) -> str:
    """Return a request in the words of a schema."""
    columns = [*context.items.schema.columns()]
    amounts = [(table, column) for table, column in columns if _is_amount(context, table.name, column.name)]
    asked = STATISTICS if amounts and rng.random() < _STATISTICS else REQUESTS
    table, column = _one(columns if asked is REQUESTS else amounts, rng)
    others = [other.name for of, other in amounts if of is table and other is not column]
    text = _one([text for text in asked[context.language] if others or "{d}" not in text], rng)
    items = context.items
    other = _one(others, rng) if others else column.name
    names = [items.items[items.find(table.name, name)].name for name in (None, column.name, other)]
    cells = context.index.samples(table.name, column.name) if context.index else ()
    many = plural(names[0]) if names[0].isascii() and not names[0].endswith("s") else names[0]
    return text.format(t=many, c=names[1], d=names[2], v=_one(cells, rng) if cells else names[1])


def _is_amount(context: DatabaseContext, table: str, column: str) -> bool:
    known = context.profile.column(table, column)
    return known is not None and known.kind == "amount"


def _one(options: Sequence[T], rng: np.random.Generator) -> T:
    return options[int(rng.integers(len(options)))]
