"""Requests to change data, which a parser of questions cannot follow and must not mistake for questions."""

from __future__ import annotations

import re

__all__ = ["order_in"]

_EN = re.compile(
    r"^\W*(?:(?:please|pls|kindly|now|then|and|just|hey|ok|okay)\W+)*"
    r"(?:(?:can|could|would|will)\s+(?:you|we)\s+(?:please\s+)?|(?:i|we)\s+(?:want|need)\s+(?:you\s+)?to\s+|i'?d\s+like\s+to\s+)?"
    r"(?P<order>delete|erase|truncate|remove|insert|modify|alter|rename|overwrite"
    # these begin questions, too: «lower limits of the tags», «set points»
    r"|(?:drop|update|raise|increase|decrease|reduce|lower|set|reset|cancel|create|register|add)"
    r"(?=\s+(?:the|all|an?|every|each|my|our|his|her|its|their|this|that|these|those|new)\b))\s+\S",
    re.IGNORECASE,
)
_ZH = re.compile(
    r"^\W*(?:(?:请|麻烦|帮我|帮忙|给我|现在|你|能不能|可以)*)(?:(?:将|把)[^，。？?]{1,30}?)?"
    r"(?P<order>删除|删掉|清空|修改|更改|更新|插入|新增|添加|改成|改为|设为|设置为|取消(?!的))"
)


def order_in(question: str) -> str | None:
    """Return the word by which a text asks to change data, None for a question.

    >>> order_in("please delete all cancelled orders"), order_in("which orders were cancelled?")
    ('delete', None)
    """
    found = _EN.match(question) or _ZH.match(question)
    return found["order"] if found else None
