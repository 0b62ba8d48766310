-- MariaDB, where GROUP BY groups by a derived table's column that a subquery among the items names.
--
-- It says of such a column that it «isn't in GROUP BY», even where it is.

-- tables: t(id INTEGER, x INTEGER) s(id INTEGER, n INTEGER)

-- on: mysql
SELECT EXISTS (SELECT s.id FROM s WHERE d.n) FROM (SELECT s.n FROM s) d
SELECT EXISTS (SELECT s.id FROM s WHERE t.x) FROM t, (SELECT s.n FROM s) d GROUP BY t.x, d.n
SELECT EXISTS (SELECT s.id FROM s WHERE x) FROM t GROUP BY x
SELECT MAX(EXISTS (SELECT s.id FROM s WHERE d.n)) FROM (SELECT s.n FROM s) d GROUP BY d.n
SELECT d.n FROM (SELECT s.n FROM s) d WHERE EXISTS (SELECT s.id FROM s WHERE d.n) GROUP BY d.n
SELECT d.n FROM (SELECT s.n FROM s) d GROUP BY d.n HAVING EXISTS (SELECT t.id FROM t WHERE d.n)

-- on: sqlite
SELECT EXISTS (SELECT s.id FROM s WHERE d.n) FROM (SELECT s.n FROM s) d GROUP BY d.n

-- on: postgres
SELECT EXISTS (SELECT s.id FROM s WHERE d.n = 1) FROM (SELECT s.n FROM s) d GROUP BY d.n

-- on: mysql
-- because: a subquery names n of a derived table
SELECT EXISTS (SELECT s.id FROM s WHERE d.n) FROM (SELECT s.n FROM s) d »GROUP BY d.n
SELECT MAX(t.x), EXISTS (SELECT s.id FROM s WHERE »d.n) FROM t, (SELECT s.n FROM s) d GROUP BY d.n
SELECT EXISTS (SELECT s.id FROM s WHERE d.n), »MAX(t.x) FROM t, (SELECT s.n FROM s) d GROUP BY d.n
SELECT EXISTS (SELECT s.id FROM s WHERE EXISTS (SELECT t.id FROM t WHERE d.n)) FROM (SELECT s.n FROM s) d »GROUP BY d.n

-- on: mysql
-- because: a subquery names x
SELECT EXISTS (SELECT s.id FROM s WHERE x) FROM (SELECT t.x FROM t) d »GROUP BY x

-- on: mysql
SELECT MAX(id), EXISTS (SELECT s.id FROM s WHERE x) FROM (SELECT »t.x, t.id FROM t) d GROUP BY x
