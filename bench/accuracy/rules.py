"""What each rule on words gave: questions asked with some of them switched off (docs/results.md, «Rules on words»).

It works at commit 73870db, where the rules stood: `git checkout 73870db`, put this file into bench/accuracy, then
    STEP=15 python bench/accuracy/rules.py SET OUT [rule …]
SET is spider, chase, bird (with evidence), birdn (questions with a word for a share, no evidence), archer.
"""

import sys, json, re, math, time
from pathlib import Path
import querent
from querent.data.databases.database import Database
from querent.data.domains.collection import read_collection
from querent.data.errors import ConstraintError, DatabaseError
from querent.data.databases.schema_readers import read_schema
from querent.evaluation.metrics import execution_match, is_ordered
from querent.knowledge.formulas.reading import open_banks
from querent.parser.decoding import (
    answering,
    choice,
    unsaid,
    sense,
    ages,
    needs,
    said,
    bare_years,
    doubts,
    formula_words,
    formula_prefix,
    parsing,
)
from querent.parser.opening import answerer_of
from querent.parser.reader.profile import Profile
from querent.parser.reader.saved import load_network
from querent.parser.decoding.confidence import Calibration

D = Path("../shared/data")
name, out, *off = sys.argv[1:]
if "each" in off:
    needs.things_of = lambda *a, **k: ()
if "shares" in off:
    needs.asks_share = lambda q: False
if "bare" in off:
    parsing.with_whole_dates = lambda sql, v, c: sql
import dataclasses

orig = said.Said.of.__func__


def of(cls, question, items):
    s = orig(cls, question, items)
    ch = {}
    if "shown" in off:
        ch |= {"first": None, "asked": None}
    if "first" in off:
        ch |= {"first": None}
    if "years" in off:
        ch |= {"years": frozenset()}
    if "together" in off:
        ch |= {"together": False}
    if "whole" in off:
        ch |= {"whole": False}
    return dataclasses.replace(s, **ch)


said.Said.of = classmethod(of)
if "tested" in off:
    formula_words.FormulaWords._tested = lambda self, one: frozenset()
if "several" in off:
    formula_prefix.FormulaPrefix._of_several = lambda self, word: False
if "group" in off:
    formula_prefix.FormulaPrefix._group = lambda self, mask: None


def collection(spec):
    c = read_collection(spec).part("held-out")
    lang = c.language
    for n in c.schemas:
        pairs = [(p.id, p.question, p.sql, "") for p in c.pairs if p.database == n]
        if pairs and c.databases.get(n):
            yield n, c.schemas[n], str(c.databases[n]), lang, pairs, None


def sets():
    if name == "spider":
        yield from collection("spider:" + str(D / "multi/spider-train"))
    elif name == "chase":
        yield from collection("chase:" + str(D / "multi/chase-train"))
    elif name == "bird":
        rows = json.loads((D / "multi/bird-train/train.json").read_text())
        step = int(__import__("os").environ.get("STEP", "10"))
        by = {}
        for i, r in list(enumerate(rows))[::step]:
            by.setdefault(r["db_id"], []).append((str(i), r["question"], r["query"], r.get("evidence", "")))
        for n, p in by.items():
            f = str(D / f"multi/bird-train/database/{n}/{n}.sqlite")
            yield n, read_schema(f), f, "en", p, None
    elif name == "birdn":
        rows = json.loads((D / "multi/bird-train/train.json").read_text())
        by = {}
        for i, r in enumerate(rows):
            if re.search(r"percent|ratio|proportion|share of|rate of", r["question"], re.I):
                by.setdefault(r["db_id"], []).append((str(i), r["question"], r["query"], ""))
        for n, p in by.items():
            f = str(D / f"multi/bird-train/database/{n}/{n}.sqlite")
            yield n, read_schema(f), f, "en", p[::2], None
    elif name == "archer":
        lines = [json.loads(l) for l in (D / "knowledge/archer-train.jsonl").read_text().splitlines()]
        by = {}
        for i, r in enumerate(lines):
            if r["knowledge"]:
                by.setdefault(r["db_id"], []).append((str(i), r["question"], r["sql"].replace('"', "'"), ""))
        for n, p in by.items():
            f = str(D / f"multi/spider-train/database/{n}/{n}.sqlite")
            yield n, read_schema(f), f, "en", p, open_banks(["all"])
    elif name == "archerk":  # the knowledge as evidence
        lines = [json.loads(l) for l in (D / "knowledge/archer-train.jsonl").read_text().splitlines()]
        by = {}
        for i, r in enumerate(lines):
            if r["knowledge"]:
                by.setdefault(r["db_id"], []).append(
                    (str(i), r["question"], r["sql"].replace('"', "'"), r["knowledge"])
                )
        for n, p in by.items():
            f = str(D / f"multi/spider-train/database/{n}/{n}.sqlite")
            yield n, read_schema(f), f, "en", p, None


def rows_of(db, sql):
    try:
        return db.query(sql)
    except DatabaseError:
        return None


def right(rows, gold, sql):
    return (
        rows is not None
        and gold is not None
        and execution_match(rows.rows, gold.rows, is_ordered(sql, "sqlite"), any_columns=True)
    )


nets = {}
o = open(out, "w")
n = 0
t = time.time()
for dbname, schema, file, lang, pairs, bank in sets():
    if lang not in nets:
        nets[lang] = load_network(querent.parser_folder(lang))
    profile = Profile.of(schema, dialect="sqlite", language=lang, database=file)
    with Database.open(file, timeout=5.0) as db:
        a = answerer_of(nets[lang], profile, file, db, level="runs", bank=bank)
        for id, q, sql, ev in pairs:
            gold = rows_of(db, sql)
            try:
                f = a.consider(q, evidence=ev)
            except (ConstraintError, querent.QuerentError) as e:
                o.write(json.dumps({"id": id, "db": dbname, "q": q, "gold": sql, "error": str(e), "cands": []}) + "\n")
                continue
            ans = a.answer(f)
            cands = []
            for c in f.parse.candidates:
                r = rows_of(db, c.sql)
                run = choice.Choice(c, r, None if r is not None else "x", 0, 0)
                cands.append(
                    {
                        "sql": c.sql,
                        "lp": c.score,
                        "unused": unsaid._unused(f.parse.question, c.words),
                        "lost_not": unsaid._loses_not(f.parse.question, c.words),
                        "strangers": sum(a.sense._strangers(x, y) for x, y in sense._compared(c.words)),
                        "notnull": sum(
                            col in a.sense._columns and a.sense._without_null(col) for col in sense._not_null(c.words)
                        ),
                        "ages": ages.against_ages(q, c.words),
                        "each": unsaid.loses_each(q, c.sql),
                        "end": unsaid.turns_round(q, c.sql),
                        "empty": choice._worth(r) != 1.0,
                        "fails": r is None,
                        "rate": bool(unsaid.lost_rate(f.parse.question, c.sql)),
                        "formulas": len(c.formulas),
                        "key": hash(choice._key(run)),
                        "right": right(r, gold, sql),
                    }
                )
            o.write(
                json.dumps(
                    {
                        "id": id,
                        "db": dbname,
                        "q": q,
                        "gold": sql,
                        "sql": ans.sql,
                        "status": ans.status,
                        "conf": ans.confidence,
                        "right": bool(ans.sql) and right(rows_of(db, ans.sql), gold, sql),
                        "answerable": f.parse.answerable,
                        "gap": f.doubts.gap is not None,
                        "share": f.doubts.share,
                        "lacking": f.lacking() if f.choices else None,
                        "nform": len(f.needs.formulas),
                        "each": len(f.needs.each),
                        "cands": cands,
                    },
                    ensure_ascii=False,
                )
                + "\n"
            )
            o.flush()
            n += 1
print(name, off, n, round(time.time() - t), "s")
