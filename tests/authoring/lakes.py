"""A small domain of prototypes: lakes of two states, asked for in two languages."""

import json
from pathlib import Path

import databases

SCHEMA = "CREATE TABLE lake (name TEXT, state TEXT, depth INTEGER, seen TIMESTAMP);"
MANIFEST = """
name = "lakes"
language = "en"
languages = ["en", "zh"]
dialect = "sqlite"
database = "lakes.sqlite"
instances = 4
now = "2024-03-31 08:00:00"
[fill]
deep = "SELECT depth FROM lake WHERE state = '{state0}' AND depth > 0"
"""
PROTOTYPES = """
[[prototype]]
id = "lakes.deeper"
en = ["lakes of {state0} deeper than {number0}", "which {state0} lakes go below {number0}"]
zh = ["{state0}比{number0}深的湖", "{state0}深度大于{number0}的湖"]
sql = "SELECT a.name FROM lake AS a WHERE a.state = '{state0}' AND a.depth >= {number0}"
fill = { number0 = "deep" }

[[prototype]]
id = "lakes.since"
en = ["how many lakes were seen in {time0}", "count of lakes seen over {time0}"]
zh = ["{time0}看过几个湖", "{time0}观察的湖数"]
sql = "SELECT COUNT(*) FROM lake WHERE seen >= '{time0}'"
fill = { time0 = "since" }

[[prototype]]
id = "lakes.after"
en = ["lakes seen the day after {time0}", "what was seen on the day that follows {time0}"]
zh = ["{time0}次日看的湖", "{time0}的后面那天看了哪些湖"]
sql = "SELECT name FROM lake WHERE DATE(seen) = DATE('{time0}', '+1 days')"
fill = { time0 = "day" }

[[prototype]]
id = "lakes.between"
en = ["lakes seen on {time0} or on {time1}", "seen on {time1}, or before that on {time0}"]
zh = ["{time0}或{time1}看过的湖"]
sql = "SELECT name FROM lake WHERE DATE(seen) IN ('{time0}', '{time1}')"
fill = { time0 = "day", time1 = "SELECT DISTINCT DATE(seen) FROM lake" }

[[prototype]]
id = "lakes.share"
en = ["states with over {number0} of the lakes", "which states hold more than {number0} of all lakes"]
zh = ["湖泊占比超过{number0}的州"]
sql = "SELECT state FROM lake GROUP BY state HAVING 100.0 * COUNT(*) / (SELECT COUNT(*) FROM lake) > {number0}"
fill = { number0 = "share" }

[[prototype]]
id = "lakes.all"
en = ["name all lakes", "every lake"]
zh = ["所有的湖", "湖的名字"]
sql = "SELECT name FROM lake"
"""


def lines(folder, language):
    text = (folder / f"examples.{language}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def of(pairs, name):
    return [pair for pair in pairs if pair["prototype"] == name]


def write_lakes(place: Path) -> Path:
    """Write the domain into a folder of its own."""
    folder = place / "lakes"
    (folder / "prototypes").mkdir(parents=True)
    (folder / "domain.toml").write_text(MANIFEST, encoding="utf-8")
    (folder / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    (folder / "prototypes" / "lakes.toml").write_text(PROTOTYPES, encoding="utf-8")
    says = {"ohio": {"en": ["ohio", "the buckeye state"], "zh": ["俄亥俄"]}, "utah": {"en": ["utah"], "zh": ["犹他"]}}
    lines = [json.dumps({"sql": sql, "type": "state", "says": says[sql]}) + "\n" for sql in says]
    (folder / "entities.jsonl").write_text("".join(lines), encoding="utf-8")
    rows = [f"('lake {n}', 'ohio', {10 + n}, '2024-03-{n:02d} 09:00:00')" for n in range(1, 31)]
    insert = f"INSERT INTO lake VALUES {', '.join(rows)}, ('salt', 'utah', 7, NULL);"
    databases.create(folder / "lakes.sqlite", SCHEMA + insert)
    return folder
