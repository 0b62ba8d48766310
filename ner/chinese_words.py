"""Words of Chinese questions that name nothing: what is asked for, how much, where and when, and what joins words."""

from __future__ import annotations

import re

__all__ = ["FUNCTION_WORDS", "function_words_in"]

_WORDS = """
我想知道 我想了解 想要知道 你知道 告诉我 有没有 是不是 会不会 能不能 是什么 怎么样 多少个 哪一个 哪一家
请问一下 一下 一共 总共 请问 请列出 列出 请显示 显示 请找出 找出 查找 查询 给出 给我 告诉 知道 了解
想要 想看 想去 想问 想买 想吃 想找 需要 可以 能够 应该 能否 哪些 哪个 哪家 哪种 哪位 哪里 哪部
哪年 哪款 哪所 哪本 哪一 什么 多少 几个 几家 几种 怎么 怎样 如何 为何 所有 全部 每个 每种 每家
每位 各个 没有 不是 不同 分别 以及 还有 还在 还是 就是 就有 都是 都有 都在 并且 而且 但是 因为
所以 如果 是否 其中 其他 其它 其实 按照 根据 超过 之间 之前 之后 以上 以下 以前 以后 以内 大于
小于 等于 高于 低于 多于 少于 至少 至多 不超过 最大 最小 最高 最低 最多 最少 最好 最长 最短 平均
总数 总和 数量 个数 人数 名称 名字 叫做 属于 位于 来自 关于 对于 由于 毕业于 发源于 起源于 适用于
通过 使用 包含 包括 含有 拥有 具有 成为 作为 开始 进行 现在 目前 最近 今年 去年 今天 明天 昨天
今晚 平时 附近 听说 据说 觉得 认为 希望 喜欢 打算 准备 我们 你们 他们 她们 它们 自己 大家 有人
别人 朋友 同学 这个 那个 这些 那些 这种 这里 那里 这是 这家 这部 这本 这款 这么 那么 一个 一家
一部 一种 一些 一样 一款 一份 一场 时候 的话 方面 情况 信息 问题 东西 地方 年份 时间 非常 比较
已经 曾经 一直 经常 可能 真的 好像 感觉 记得 看到 听到 帮我 推荐 介绍 进入 出名 著名 出差 适合
支持 参加 举办 出版了 毕业 发源 命名 之一 里面 当中 中的 中有 里有 上映 发行 乘坐 售卖 获得 的 了
是 在 有 和 与 或 及 被 从 到 把 呢 吗 吧 啊 呀 哦 我 你 他 她 它 这 那 哪 谁 几 请 去
看 买 吃 过 也 很 最 各 每 叫 跟 让 给 而 但 且 又 只 用 旗下 名下 处于 历时 创办 研发 出品
为了 为什么 为何 为止 行为 主演 执导 制作 赞助 投资过 拍过 演过 出现 发现 选择 为
"""

FUNCTION_WORDS = tuple(sorted(_WORDS.split(), key=len, reverse=True))
"""The longest first."""

_ANY = re.compile("|".join(FUNCTION_WORDS))


def function_words_in(text: str) -> list[tuple[int, int]]:
    """Return where function words stand, of those that begin at one place the longest.

    >>> function_words_in("有哪些仓库")
    [(0, 1), (1, 3)]
    """
    return [match.span() for match in _ANY.finditer(text)]
