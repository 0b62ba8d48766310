"""Other words for what cells say: nations and their adjectives, codes of American states, sexes, seasons."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["meanings_of"]

_SAID = """
afghan:Afghanistan; american:USA,United States,United States of America,US,America; argentine:Argentina;
argentinian:Argentina; australian:Australia; austrian:Austria; bangladeshi:Bangladesh; belgian:Belgium;
brazilian:Brazil; british:United Kingdom,UK,Great Britain,Britain,England; bulgarian:Bulgaria; canadian:Canada;
chilean:Chile; chinese:China; colombian:Colombia; croatian:Croatia; cuban:Cuba; czech:Czech Republic,Czechia;
danish:Denmark; dutch:Netherlands,Holland; egyptian:Egypt; english:England; ethiopian:Ethiopia; finnish:Finland;
french:France; german:Germany; greek:Greece; hungarian:Hungary; icelandic:Iceland; indian:India; indonesian:Indonesia;
iranian:Iran; iraqi:Iraq; irish:Ireland; israeli:Israel; italian:Italy; jamaican:Jamaica; japanese:Japan; kenyan:Kenya;
korean:South Korea,Korea; malaysian:Malaysia; mexican:Mexico; moroccan:Morocco; nigerian:Nigeria; norwegian:Norway;
pakistani:Pakistan; peruvian:Peru; philippine:Philippines; polish:Poland; portuguese:Portugal; romanian:Romania;
russian:Russia; scottish:Scotland; serbian:Serbia; singaporean:Singapore; slovak:Slovakia; spanish:Spain;
swedish:Sweden; swiss:Switzerland; thai:Thailand; turkish:Turkey; ukrainian:Ukraine; venezuelan:Venezuela;
vietnamese:Vietnam; welsh:Wales; african:Africa; asian:Asia; european:Europe;
us:USA,United States; usa:US,United States; america:USA,United States,US; united states:USA,US;
united states of america:USA,US,United States; uk:United Kingdom,Great Britain,England; united kingdom:UK;
britain:United Kingdom,UK,Great Britain; uae:United Arab Emirates; ussr:Soviet Union;
la:Los Angeles; nyc:New York City,New York; new york city:New York; dc:Washington; washington dc:Washington;
female:F; females:F,female; woman:F,female; women:F,female; girl:F,female; girls:F,female;
male:M; males:M,male; man:M,male; men:M,male; boy:M,male; boys:M,male;
女:F,female; 女性:女,F,female; 女生:女,F,female; 女子:女,F,female; 女士:女,F,female; 男:M,male; 男性:男,M,male;
男生:男,M,male; 男子:男,M,male; 春季:Spring; 春天:春季,Spring; 夏季:Summer; 夏天:夏季,Summer; 秋季:Fall,Autumn;
秋天:秋季,Fall,Autumn; 冬季:Winter; 冬天:冬季,Winter; 国产:中国; 我国:中国
"""

_NATIONS = """
美国 USA,United States,United States of America,US,American; 英国 United Kingdom,UK,Great Britain,England,British;
法国 France,French; 德国 Germany,German; 日本 Japan,Japanese; 韩国 South Korea,Korea,Korean; 中国 China,Chinese;
俄罗斯 Russia,Russian; 意大利 Italy,Italian; 西班牙 Spain,Spanish; 葡萄牙 Portugal,Portuguese; 荷兰 Netherlands,Dutch;
比利时 Belgium,Belgian; 瑞士 Switzerland,Swiss; 瑞典 Sweden,Swedish; 挪威 Norway,Norwegian; 丹麦 Denmark,Danish;
芬兰 Finland,Finnish; 奥地利 Austria,Austrian; 波兰 Poland,Polish; 希腊 Greece,Greek; 爱尔兰 Ireland,Irish;
苏格兰 Scotland,Scottish; 英格兰 England,English; 土耳其 Turkey,Turkish; 乌克兰 Ukraine; 匈牙利 Hungary;
捷克 Czech Republic; 加拿大 Canada,Canadian; 墨西哥 Mexico,Mexican; 巴西 Brazil,Brazilian; 阿根廷 Argentina; 智利 Chile;
澳大利亚 Australia;
新西兰 New Zealand; 印度 India,Indian; 泰国 Thailand,Thai; 越南 Vietnam; 新加坡 Singapore; 马来西亚 Malaysia;
印度尼西亚 Indonesia; 菲律宾 Philippines; 巴基斯坦 Pakistan; 以色列 Israel; 伊朗 Iran; 伊拉克 Iraq; 埃及 Egypt;
南非 South Africa; 尼日利亚 Nigeria; 肯尼亚 Kenya; 欧洲 Europe; 亚洲 Asia; 非洲 Africa; 北美洲 North America;
南美洲 South America;
英语 English; 法语 French; 德语 German; 日语 Japanese; 西班牙语 Spanish; 俄语 Russian; 汉语 Chinese; 中文 Chinese
"""

_STATES = """
AL Alabama; AK Alaska; AZ Arizona; AR Arkansas; CA California; CO Colorado; CT Connecticut; DE Delaware; FL Florida;
GA Georgia; HI Hawaii; ID Idaho; IL Illinois; IN Indiana; IA Iowa; KS Kansas; KY Kentucky; LA Louisiana; ME Maine;
MD Maryland; MA Massachusetts; MI Michigan; MN Minnesota; MS Mississippi; MO Missouri; MT Montana; NE Nebraska;
NV Nevada; NH New Hampshire; NJ New Jersey; NM New Mexico; NY New York; NC North Carolina; ND North Dakota; OH Ohio;
OK Oklahoma; OR Oregon; PA Pennsylvania; RI Rhode Island; SC South Carolina; SD South Dakota; TN Tennessee; TX Texas;
UT Utah; VT Vermont; VA Virginia; WA Washington; WV West Virginia; WI Wisconsin; WY Wyoming
"""


def _pairs() -> Iterator[tuple[str, str]]:
    for entry in _SAID.split(";"):
        said, meant = entry.split(":")
        for name in meant.split(","):
            yield said.strip(), name.strip()
    for entry in _NATIONS.split(";"):
        said, meant = entry.split(maxsplit=1)
        for name in meant.split(","):
            yield said, name.strip()
    for entry in _STATES.split(";"):
        code, name = entry.split(maxsplit=1)
        yield code.lower(), name.strip()
        yield name.strip().lower(), code


_MEANINGS: dict[str, list[str]] = {}
for _said, _meant in _pairs():
    _MEANINGS.setdefault(_said, []).append(_meant)


def meanings_of(said: str) -> tuple[str, ...]:
    """Return what a cell may say for folded words.

    >>> meanings_of("french")
    ('France',)
    """
    return tuple(_MEANINGS.get(said, ()))
