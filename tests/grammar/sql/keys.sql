-- A subquery that is a value returns one row where a key, or a column unique by itself, equals a constant.

-- tables: city(*id INTEGER, name TEXT, people INTEGER, state_id INTEGER) state(id INTEGER, *name TEXT, area REAL, founded DATE) river(length INTEGER, source TEXT, deep BOOLEAN, state_id INTEGER)

-- on: mysql postgres
SELECT 1 FROM river WHERE length > (SELECT people FROM city WHERE id = 7)
SELECT 1 FROM river WHERE length > (SELECT c.people FROM city AS c WHERE c.id = 7)
SELECT 1 FROM river WHERE length > (SELECT people FROM city WHERE name = 'x' AND id = 7 AND people > 1)
SELECT 1 FROM river WHERE length > (SELECT people FROM city WHERE (id = 7))
SELECT 1 FROM river WHERE length > (SELECT people FROM city WHERE id = - 7)

-- the query around has a city of its own, c, whose key pins no row of the query within
-- on: mysql postgres
-- with: SELECT 1 LIMIT 1
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE id > 7»)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE id = people»)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE NOT id = 7»)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE id = 7 OR people > 1»)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE people = 7»)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE - id = 7»)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city, state AS s WHERE city.id = 7»)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city JOIN river ON length > 1 WHERE city.id = 7»)
SELECT 1 FROM city AS c WHERE c.people > (SELECT length FROM river WHERE length = 7»)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE c.id = 7»)
SELECT 1 FROM city AS c WHERE c.people > (SELECT area FROM state WHERE c.id = 7 AND name > 'x'»)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE id = 7 UNION SELECT 1»)

-- on: mysql postgres
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE id > 7 LIMIT 1)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE id = people LIMIT 1)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE NOT id = 7 LIMIT 1)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE id = 7 OR people > 1 LIMIT 1)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE people = 7 LIMIT 1)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE - id = 7 LIMIT 1)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city, state AS s WHERE city.id = 7 LIMIT 1)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city JOIN river ON length > 1 WHERE city.id = 7 LIMIT 1)
SELECT 1 FROM city AS c WHERE c.people > (SELECT length FROM river WHERE length = 7 LIMIT 1)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE c.id = 7 LIMIT 1)
SELECT 1 FROM city AS c WHERE c.people > (SELECT area FROM state WHERE c.id = 7 AND name > 'x' LIMIT 1)
SELECT 1 FROM city AS c WHERE c.people > (SELECT people FROM city WHERE id = 7 UNION SELECT 1 LIMIT 1)

-- MySQL finds '7', '7.0' and '07' in a text that it compares with 7
-- on: mysql
SELECT 1 FROM river WHERE length > (SELECT area FROM state WHERE name = '7')

-- MySQL finds '7', '7.0' and '07' in a text that it compares with 7
-- on: mysql
SELECT 1 FROM river WHERE length > (SELECT area FROM state WHERE name = 7»)

-- SQLite takes the first of several rows
-- on: sqlite
SELECT 1 FROM river WHERE length > (SELECT people FROM city)

-- these columns are unique in the tables below
-- on: mysql postgres
SELECT 1 FROM river WHERE length > (SELECT people FROM city WHERE state_id = 7»)
SELECT 1 FROM river WHERE length > (SELECT c.people FROM city AS c WHERE name = 'x' AND c.state_id = 7»)
SELECT 1 FROM river WHERE length > (SELECT length FROM river WHERE length = 7»)

-- tables: city(*id INTEGER, name TEXT, people INTEGER, +state_id INTEGER) state(id INTEGER, *name TEXT, area REAL, founded DATE) river(+length INTEGER, source TEXT, deep BOOLEAN, state_id INTEGER)

-- a unique column does what a key does
-- on: mysql postgres
SELECT 1 FROM river WHERE length > (SELECT people FROM city WHERE state_id = 7)
SELECT 1 FROM river WHERE length > (SELECT c.people FROM city AS c WHERE name = 'x' AND c.state_id = 7)
SELECT 1 FROM river WHERE length > (SELECT length FROM river WHERE length = 7)
SELECT 1 FROM river WHERE length > (SELECT people FROM city WHERE id = 7)

-- to PostgreSQL a table's columns are grouped by its primary key alone
-- on: mysql postgres
SELECT people FROM city GROUP BY state_id»

-- on: postgres
SELECT people FROM city GROUP BY id

-- on: mysql
SELECT people FROM city GROUP BY id»
