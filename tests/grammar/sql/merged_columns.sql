-- What a join made one column may be either side's.

-- tables: p(x INTEGER, a TEXT) q(x BIGINT, b INTEGER) r(x INTEGER, c INTEGER)

-- on: postgres
SELECT DISTINCT * FROM p RIGHT JOIN r USING (x) ORDER BY x

-- on: postgres
-- because: not in the select
SELECT DISTINCT * FROM p RIGHT JOIN r USING (x) ORDER BY »p.x

-- on: mysql
-- without: grouping
SELECT * FROM p RIGHT JOIN r USING (x) GROUP BY a HAVING x > 1

-- on: mysql
-- because: nor selected
-- without: grouping
SELECT * FROM p RIGHT JOIN r USING (x) GROUP BY a HAVING »p.x > 1

-- on: postgres
SELECT 1 FROM (SELECT * FROM p RIGHT JOIN r USING (x)) t WHERE CAST(t.x AS INTEGER) > 1

-- on: postgres
-- because: could fail
SELECT 1 FROM (SELECT * FROM p RIGHT JOIN q USING (x)) t WHERE CAST(t.x AS »INTEGER) > 1
