-- What an engine takes a name for where the standard has another thing in mind; each query was tried on its engine.

-- tables: t(a INTEGER, b INTEGER, count INTEGER, born DATE) s(x INTEGER, y INTEGER, b INTEGER) r(y INTEGER, max INTEGER, a INTEGER)

-- on: postgres
SELECT count, COUNT(*) FROM t GROUP BY count ORDER BY t.count
SELECT count, COUNT(*) AS a FROM t GROUP BY count ORDER BY count
SELECT a + b, a FROM t ORDER BY a
SELECT CAST(a AS TEXT) AS n, a FROM t ORDER BY a
SELECT CASE WHEN x = 1 THEN x END, x FROM s ORDER BY x
SELECT born, CAST(a AS TEXT) FROM t ORDER BY born
SELECT MAX(a), b FROM t GROUP BY b ORDER BY b
SELECT x, y FROM s UNION SELECT 1, CAST(x AS INTEGER) FROM s ORDER BY x
SELECT a FROM t WHERE EXISTS (SELECT MAX(x) FROM s GROUP BY y, a)

-- on: postgres
-- because: an output column too
SELECT count, COUNT(*) FROM t GROUP BY count ORDER BY »count
SELECT CAST(a AS TEXT), a FROM t ORDER BY »a
SELECT a :: TEXT, a FROM t ORDER BY »a
SELECT CASE WHEN x = 1 THEN y ELSE x END, x FROM s ORDER BY »x
SELECT (SELECT x FROM s LIMIT 1), x FROM s ORDER BY »x
SELECT (SELECT MAX(x) FROM s), max FROM r ORDER BY »max

-- on: postgres
-- because: is no output column
SELECT x, CAST(x AS BIGINT) FROM s UNION SELECT 1, 2 ORDER BY »x
SELECT MIN((SELECT MAX(x) FROM s)) FROM r UNION SELECT max FROM r ORDER BY »max

-- on: postgres
-- because: or several
SELECT MIN(x), y AS min FROM s GROUP BY y ORDER BY »min

-- on: postgres
-- because: may be called
SELECT a FROM t WHERE EXISTS (SELECT MAX(x) AS a FROM s GROUP BY y, »a)
SELECT max FROM r WHERE EXISTS (SELECT MAX(x) FROM s GROUP BY x, »max)

-- on: mysql
SELECT count, COUNT(*) FROM t GROUP BY count ORDER BY count
SELECT 1 FROM t JOIN s ON 1 = 1 GROUP BY t.b, s.b ORDER BY t.b
SELECT 1 FROM t JOIN s ON 1 = 1 GROUP BY t.b, s.b HAVING MAX(t.b)
SELECT 1 FROM t JOIN s ON 1 = 1 GROUP BY t.b, s.b, t.a HAVING t.a
SELECT MAX((SELECT x FROM s WHERE EXISTS (SELECT 1 FROM r WHERE s.x) LIMIT 1)) FROM t
SELECT (SELECT MAX(x) FROM s WHERE EXISTS (SELECT 1 FROM r WHERE s.x)) FROM t
SELECT MAX((SELECT MAX(x) FROM s WHERE EXISTS (SELECT 1 FROM r WHERE t.a))) FROM t
SELECT 1 FROM (SELECT COUNT(*) AS n FROM s JOIN t ON 1 = 1 GROUP BY t.b, s.b) AS d WHERE d.n
SELECT 1 FROM (SELECT COUNT(*) AS b FROM s JOIN t ON 1 = 1 GROUP BY t.b) AS d WHERE d.b
SELECT 1 FROM t WHERE EXISTS (SELECT COUNT(*) AS b FROM s JOIN t AS e ON 1 = 1 GROUP BY e.b, s.b)
SELECT a FROM t WHERE EXISTS (SELECT MAX(x) AS n FROM s GROUP BY y, a)

-- on: mysql
-- because: several columns b
SELECT 1 FROM t JOIN s ON 1 = 1 GROUP BY t.b, s.b HAVING »t.b
SELECT t.b, s.b FROM t JOIN s ON 1 = 1 GROUP BY t.b, s.b HAVING »s.b
SELECT t.b AS n FROM t JOIN s ON 1 = 1 GROUP BY n, s.b HAVING »s.b
SELECT 1 FROM t JOIN s ON 1 = 1 GROUP BY t.b, s.b HAVING EXISTS (SELECT 1 FROM r WHERE »t.b)

-- on: mysql
-- because: within another aggregate
SELECT MAX((SELECT MAX(y) FROM s WHERE EXISTS (SELECT 1 FROM r WHERE »s.x))) FROM t
SELECT MAX(EXISTS (SELECT 1 FROM (SELECT MAX(y) FROM s WHERE EXISTS (SELECT 1 FROM r WHERE »s.x)) AS d)) FROM t
SELECT MAX((SELECT 1 FROM s WHERE EXISTS (SELECT 1 FROM r WHERE s.x) ORDER BY »MAX(s.b) LIMIT 1)) FROM t

-- on: mysql
-- because: several keys and an output
SELECT 1 FROM (SELECT COUNT(*) AS b FROM s JOIN t ON 1 = 1 GROUP BY t.b, »s.b) AS d WHERE d.b
SELECT 1 FROM (SELECT COUNT(*) AS n FROM s UNION SELECT COUNT(*) AS b FROM s JOIN t ON 1 = 1 GROUP BY t.b, »s.b) AS d

-- on: mysql
-- because: may be called
SELECT EXISTS (SELECT MAX(x) AS a FROM s GROUP BY y, »a) FROM t
SELECT a FROM t WHERE EXISTS (SELECT 1 UNION SELECT MAX(x) AS n FROM s GROUP BY y, »a)

-- on: sqlite
SELECT (SELECT MAX(a) AS y FROM t WHERE s.y) FROM s
SELECT (SELECT MAX(a) AS n FROM t WHERE y) FROM s

-- on: sqlite
-- because: may be called
SELECT (SELECT MAX(a) AS y FROM t WHERE »y) FROM s
SELECT x FROM s WHERE x IN (SELECT 1 UNION SELECT MAX(a) AS n FROM t WHERE »y)
SELECT x FROM s WHERE EXISTS (SELECT MAX(a) AS x FROM t WHERE EXISTS (SELECT max FROM r WHERE »x))

-- a server without ONLY_FULL_GROUP_BY minds too

-- on: mysql
-- because: several columns b
-- without: grouping
SELECT 1 FROM t JOIN s ON 1 = 1 GROUP BY t.b, s.b HAVING »t.b
SELECT t.b, s.b FROM t JOIN s ON 1 = 1 GROUP BY t.b, s.b HAVING »s.b
SELECT t.b AS n FROM t JOIN s ON 1 = 1 GROUP BY n, s.b HAVING »s.b
SELECT 1 FROM t JOIN s ON 1 = 1 GROUP BY t.b, s.b HAVING EXISTS (SELECT 1 FROM r WHERE »t.b)

-- on: mysql
-- because: several keys and an output
-- without: grouping
SELECT 1 FROM (SELECT COUNT(*) AS b FROM s JOIN t ON 1 = 1 GROUP BY t.b, »s.b) AS d WHERE d.b
SELECT 1 FROM (SELECT COUNT(*) AS n FROM s UNION SELECT COUNT(*) AS b FROM s JOIN t ON 1 = 1 GROUP BY t.b, »s.b) AS d

-- on: mysql
-- because: may be called
-- without: grouping
SELECT EXISTS (SELECT MAX(x) AS a FROM s GROUP BY y, »a) FROM t
SELECT a FROM t WHERE EXISTS (SELECT 1 UNION SELECT MAX(x) AS n FROM s GROUP BY y, »a)
