"""Names of people in Chinese questions: a surname and what follows it, behind a word for a person."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["people"]

# single surnames that stand for little else; the common ones of the Hundred Surnames and of today
_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任"
    "袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常傅皮卞齐康伍余顾孟黄穆萧尹姚邵湛汪祁毛禹狄贝明臧戴宋茅庞熊纪舒屈项祝董梁"
    "杜阮蓝闵季麻贾路江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万柯管卢莫房丁邓郁洪包左石崔吉龚程邢裴陆荣翁荀羊惠甄曲封"
    "储靳焦牧谷车侯宓全班仇宁栾甘厉武符刘景詹束龙叶幸司黎蒲赖卓池乔谭申冉桑桂牛边尚温庄柴瞿阎习艾向古易廖耿匡文寇欧聂关"
    "游阚代肖涂简闫丛白辛缪解宗宣成楚岳帅商邝冷水"
)
_DOUBLE = "欧阳|司马|上官|诸葛|司徒|皇甫|东方|令狐|慕容|尉迟|长孙|宇文|端木|南宫|夏侯|独孤|轩辕|公孙"
_HAN = "\u3400-\u9fff"
# what people are called by what they are or do, as it ends
_ROLE = (
    f"[{_HAN}][者员师手]|[医学考先]生|[作画专]家|[客用账]户|朋友|女士|小姐|教授|总统|博士"
    "|[保持责系请纪选言始伙理诗艺病表]人"
)
_NAME = re.compile(rf"(?<={_ROLE})(?=(?P<name>(?:{_DOUBLE}|[{_SURNAMES}])[{_HAN}]{{1,2}}))")


def people(text: str, ends: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Yield where names stand: as long as the text between function words is, and else of the usual length.

    Args:
        ends: characters of ``text`` before which something else begins.

    >>> list(people("患者王小明住院", frozenset({7})))
    [(2, 5)]
    """
    for match in _NAME.finditer(text):
        start, longest = match.span("name")
        surname = 2 if re.match(_DOUBLE, match["name"]) else 1
        end = next((n for n in range(start + surname + 1, longest) if n in ends), longest)
        if end - start > surname:
            yield start, end
