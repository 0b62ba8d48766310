"""Made-up names of entities: stems that any domain may put a word to, and persons."""

from __future__ import annotations

import random

__all__ = ["persons", "stems"]

_STEMS = {
    "en": (
        "Alder Ashford Barrow Birch Brook Calder Cedar Clifton Copper Crane Dover Elm Falcon Fenwick Glen Granite "
        "Harbor Hazel Heron Ivy Juniper Kestrel Langley Linden Maple Marlow Meadow Northgate Oakley Orchard Pine "
        "Quarry Raven Redwood Selby Silver Summit Thorn Willow Yarrow"
    ),
    "zh": (
        "青山 云溪 海棠 长风 金沙 白鹭 松涛 明月 东篱 南屏 北辰 西岭 红枫 翠湖 银杏 玉泉 龙门 凤鸣 星河 朝阳 "
        "锦绣 瑞丰 嘉禾 康宁 永兴 宏图 天成 安泰 盛世 华章 雨花 石桥 竹园 梅岭 兰亭 荷塘 桃源 柳堤 麦香 稻香"
    ),
}
_GIVEN = {
    "en": "Ada Ben Clara David Elena Felix Grace Henry Irene Jonas Karen Leo Maria Nora Oscar Paula Quinn Rosa Simon",
    "zh": "伟 芳 娜 敏 静 磊 洋 艳 勇 杰 涛 明 超 霞 平 刚 桂英 建华 志强 雪梅",
}
_FAMILY = {
    "en": "Abbott Baker Collins Dawson Ellis Foster Grant Hughes Ingram Jensen Keller Lawson Morgan Nolan Owens Parker",
    "zh": "王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙 胡 朱 高 林",
}


def stems(language: str, rng: random.Random) -> list[str]:
    """Return the forty stems, shuffled."""
    every = _STEMS[language].split()
    rng.shuffle(every)
    return every


def persons(language: str, rng: random.Random) -> list[str]:
    """Return forty names of persons, no two alike."""
    given, family = _GIVEN[language].split(), _FAMILY[language].split()
    every = [f"{g} {f}" if language == "en" else f + g for g in given for f in family]
    return rng.sample(every, len(_STEMS[language].split()))
