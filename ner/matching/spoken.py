"""Words that are hardly ever values, singulars and plurals, and the words of a schema."""

from __future__ import annotations

import re

from ...data.schema.schema import Schema
from ..index.keys import fold, is_cjk, words_of

__all__ = ["STOP_CJK", "STOP_WORDS", "SchemaWords", "forms_of"]

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a about above across after again against all also although am among an and another any anyone anything are
        around as ask at available away based be because been before being below between both but by came can cannot
        come could count d did different display distinct do does doing down during each either else ever every
        everyone everything except few find first for from get give given gives go goes going had has have having
        he her here him his how however i if in include including instead into is it its itself just last least less let
        like list ll located long lot m made make many may me might mine more most much must my name named names
        neither never no nobody none nor not number numbers of off often on once one only or order ordered other others
        our out over own per please re return s same see select shall she should show since so some sort sorted such t
        tell than that the their them then there these they this those though three through times to together too top
        total two under unique until up upon us use used using value values ve very via want was we were what whatever
        when where whether which while who whom whose why will with within without would yet you your""",
    )
)

STOP_CJK = frozenset(
    re.findall(
        r"\w+",
        """的 了 是 在 有 和 与 或 及 不 个 中 上 下 大 小 多 少 为 被 从 到 对 将 哪 些 什
        么 谁 几 请 给 出 所 每 各 最 其 这 那 名称 名字 多少 什么 哪些 哪个 所有 每个 没有
        不同 分别 以及 列出 显示 找出 查找 给出 是否 其中 按照 超过 之间 大于 小于 等于 平均 最大
        最小 最高 最低 最多 最少 总数 数量 个数 年份 时间 信息 至少 我想 知道 请问 他们 它们 这些""",
    )
)

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def forms_of(word: str) -> tuple[str, ...]:
    """Return the singulars and plurals that an English word may have.

    >>> forms_of("cities")
    ('city', 'citie')
    """
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return ()
    if word.endswith("ies") and len(word) > 4:
        return (f"{word[:-3]}y", word[:-1])
    if word.endswith("es") and len(word) > 4:
        return (word[:-1], word[:-2])
    if word.endswith("s") and not word.endswith("ss"):
        return (word[:-1],)
    if word.endswith("y"):
        return (f"{word[:-1]}ies", f"{word}s")
    return (f"{word}s", f"{word}es")


class SchemaWords:
    """The words of tables' and columns' names, which questions mostly say for the table or column itself."""

    def __init__(self, schema: Schema) -> None:
        names: list[str] = []
        for table, column in schema.columns():
            names += [table.name, table.description, column.name, column.description]
        self.cjk_names = tuple(dict.fromkeys(fold(name) for name in names if is_cjk(name)))
        self._joined = " ".join(self.cjk_names)
        words = {word for name in names for word in words_of(_CAMEL.sub(" ", name))}
        self._words = words | {form for word in words for form in forms_of(word)}

    def hold(self, keys: list[str]) -> bool:
        """Do names of the schema hold all these words?"""
        text = "".join(keys)
        return text in self._joined if is_cjk(text) else all(key in self._words for key in keys)
