"""Chinese names of American places, as GeoQuery's Chinese questions say them."""

from __future__ import annotations

__all__ = ["PLACES"]

_TABLE = """
alabama 阿拉巴马 亚拉巴马
alaska 阿拉斯加
albany 奥尔巴尼
arizona 亚利桑那
arkansas 阿肯色
atlanta 亚特兰大
austin 奥斯汀
baton rouge 巴吞鲁日
boston 波士顿
boulder 博尔德
california 加利福尼亚 加州
chattahoochee 查塔胡奇
chicago 芝加哥
colorado 科罗拉多
columbus 哥伦布
connecticut 康涅狄格
dallas 达拉斯
dc 特区
death valley 死亡谷
delaware 特拉华
denver 丹佛
des moines 德梅因 得梅因
detroit 底特律
dover 多佛
durham 达勒姆
erie 伊利
flint 弗林特
florida 佛罗里达
fort wayne 韦恩堡
georgia 佐治亚 乔治亚
guadalupe peak 瓜达卢普峰 瓜峰
hawaii 夏威夷
houston 休斯顿 休斯敦
idaho 爱达荷
illinois 伊利诺伊 伊利诺斯
indiana 印第安纳
indianapolis 印第安纳波利斯
iowa 爱荷华 艾奥瓦 衣阿华
kalamazoo 卡拉马祖
kansas 堪萨斯
kentucky 肯塔基
louisiana 路易斯安那
maine 缅因
maryland 马里兰
massachusetts 马萨诸塞 麻省
mckinley 麦金利
miami 迈阿密
michigan 密歇根 密执安
minneapolis 明尼阿波利斯
minnesota 明尼苏达
mississippi 密西西比
missouri 密苏里
montana 蒙大拿
montgomery 蒙哥马利
mount mckinley 麦金利山 麦金利峰
mount whitney 惠特尼山 惠特尼峰
nebraska 内布拉斯加
nevada 内华达
new hampshire 新罕布什尔
new jersey 新泽西
new mexico 新墨西哥
new orleans 新奥尔良
new york 纽约
north carolina 北卡罗来纳 北卡罗莱纳
north dakota 北达科他 北达科塔
north platte 北普拉特
ohio 俄亥俄
oklahoma 俄克拉荷马 奥克拉荷马
oregon 俄勒冈
pennsylvania 宾夕法尼亚 宾州
pittsburgh 匹兹堡
plano 普莱诺
portland 波特兰
potomac 波托马克
red 红
rhode island 罗得岛 罗德岛
rio grande 里奥格兰德 格兰德
riverside 里弗赛德斯塔特 里弗赛德
rochester 罗切斯特
sacramento 萨克拉门托
salem 塞勒姆
salt lake city 盐湖城
san antonio 圣安东尼奥
san diego 圣地亚哥 圣迭戈
san francisco 旧金山
san jose 圣何塞
scotts valley 斯科茨瓦利
seattle 西雅图
south carolina 南卡罗来纳 南卡罗莱纳
south dakota 南达科他 南达科塔
spokane 斯波坎
springfield 斯普林菲尔德
tempe 坦佩
tennessee 田纳西
texas 得克萨斯 德克萨斯 德州
tucson 图森
usa 美国
utah 犹他
vermont 佛蒙特
virginia 弗吉尼亚
washington 华盛顿
west virginia 西弗吉尼亚
whitney 惠特尼
wisconsin 威斯康星 威斯康辛
wyoming 怀俄明
"""


def _row(line: str) -> tuple[str, tuple[str, ...]]:
    words = line.split()
    names = tuple(word for word in words if not word.isascii())
    return " ".join(word for word in words if word.isascii()), names


PLACES: dict[str, tuple[str, ...]] = dict(_row(line) for line in _TABLE.strip().splitlines())
"""Chinese names by the name in the database, the usual one first."""
