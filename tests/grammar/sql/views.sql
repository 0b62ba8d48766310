-- Of what a view reckons the size is not known.

-- tables: view t(n integer, r real, t text)

-- on: sqlite
SELECT AVG(n), SUM(r), MAX(t), COUNT(n) FROM t

-- what is stored is smaller
-- on: sqlite
SELECT SUM(n») FROM t
SELECT ABS(»n) FROM t
SELECT REPLACE(»t, 'a', 'b') FROM t

-- tables: t(n integer, r real, t text)

-- on: sqlite
SELECT SUM(n) FROM t
SELECT ABS(n) FROM t
SELECT REPLACE(t, 'a', 'b') FROM t

-- tables: view t(n bigint, r double, t text)

-- on: mysql
SELECT SUM(n), SUM(r), MAX(r * r), AVG(n / n), MAX(t) FROM t

-- what is stored is smaller
-- on: mysql
SELECT r * r * r * »r FROM t

-- tables: t(n bigint, r double, t text)

-- on: mysql
SELECT r * r * r * r FROM t

-- tables: view t(n bigint, i integer, d numeric, r double precision, t text, s interval)

-- on: postgres
SELECT SUM(n), AVG(n), SUM(d), SUM(r), MAX(r * r), MAX(d * d), MAX(n / 7), SUM(i), MAX(s) FROM t

-- what is stored is smaller
-- on: postgres
SELECT n + 1 »FROM t
SELECT i + 1 »FROM t
SELECT n * 7 »FROM t
SELECT REPEAT(»t, 9) FROM t
SELECT SUM(r * r) * »SUM(r * r) FROM t
SELECT s + s »FROM t

-- tables: t(n bigint, i integer, d numeric, r double precision, t text, s interval)

-- on: postgres
SELECT n + 1 FROM t
SELECT i + 1 FROM t
SELECT n * 7 FROM t
SELECT REPEAT(t, 9) FROM t
SELECT SUM(r * r) * SUM(r * r) FROM t
SELECT s + s FROM t
