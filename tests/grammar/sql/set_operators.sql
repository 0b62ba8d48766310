-- Set operators of MySQL and MariaDB, which rank INTERSECT above the others, and the others as one.

-- on: mysql
SELECT name FROM city INTERSECT SELECT name FROM state UNION SELECT source FROM river
SELECT name FROM city INTERSECT SELECT name FROM state INTERSECT SELECT source FROM river
SELECT name FROM city WHERE EXISTS (SELECT id FROM state INTERSECT SELECT state_id FROM river WHERE river.length > city.people)

-- on: sqlite
SELECT name FROM city UNION SELECT name FROM state INTERSECT SELECT source FROM river

-- on: postgres
SELECT name FROM city EXCEPT SELECT name FROM state INTERSECT SELECT source FROM river

-- the first bracket might as well begin a value of one row, for which the operand has too many

-- on: mysql postgres
SELECT id FROM city WHERE name IN ((SELECT name FROM state) INTERSECT (SELECT source FROM river))
SELECT id FROM city WHERE name NOT IN ((SELECT name FROM state) UNION SELECT source FROM river)
SELECT id FROM city WHERE id = ((SELECT id FROM state) UNION (SELECT state_id FROM river) LIMIT 1)

-- on: postgres
SELECT id FROM city WHERE name IN (((SELECT name FROM state) UNION (SELECT 'a')) EXCEPT SELECT 'x')

-- on: mysql postgres
-- because: several rows
-- with: SELECT id FROM city WHERE name IN ((SELECT name FROM state) INTERSECT (SELECT source FROM river))
SELECT id FROM city WHERE name IN ((SELECT name FROM state)»)
SELECT id FROM city WHERE name IN ((SELECT name FROM state)», 'x')

-- on: mysql
-- because: behind another set operator
SELECT name FROM city WHERE EXISTS (SELECT id FROM state UNION SELECT id FROM state »INTERSECT SELECT state_id FROM river WHERE river.length > city.people)
SELECT id, id FROM city EXCEPT SELECT id, id FROM state »INTERSECT SELECT id, id FROM city
SELECT id FROM city INTERSECT SELECT id FROM state UNION SELECT id FROM city »INTERSECT SELECT id FROM city

-- MySQL takes a key for an output of its name behind a set operator, too
-- tables: t(a INTEGER, b INTEGER, name VARCHAR(20)) s(x INTEGER, b INTEGER, part INTEGER)

-- on: mysql
-- because: 'b' is not allowed here: b is an output column too
SELECT 1 UNION SELECT SUM(part) AS b FROM t JOIN s USING (b) GROUP BY »b
SELECT 1, 2 UNION SELECT t.b, s.b FROM t JOIN s USING (b) GROUP BY »b
SELECT 1, 2 UNION SELECT 1 AS b, t.b AS c FROM t JOIN s USING (b) GROUP BY »b
SELECT 1 UNION SELECT x AS b FROM s GROUP BY »b, x HAVING b > 1

-- on: mysql
SELECT COUNT(*) AS b FROM t UNION SELECT b FROM s GROUP BY b
