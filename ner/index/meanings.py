"""Other words for what cells say: adjectives of nations, codes of American states, sexes."""

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
女:F,female; 女性:女,F,female; 女生:女,F,female; 男:M,male; 男性:男,M,male; 男生:男,M,male
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
