-- WITH, which the wide form alone has, before the whole query.
-- wide: yes

WITH d AS (SELECT state_id, COUNT(*) AS n FROM city GROUP BY state_id) SELECT d.state_id, d.n FROM d WHERE d.n > 3 ORDER BY d.n DESC
WITH d AS (SELECT state_id AS a, COUNT(*) AS n FROM city GROUP BY state_id) SELECT state.name, d.n FROM d JOIN state ON state.id = d.a WHERE d.n > 3
WITH d AS (SELECT name, people FROM city WHERE people > 3) SELECT name FROM d
WITH d AS (SELECT name, people FROM city WHERE people > 3) SELECT * FROM d ORDER BY people LIMIT 1
WITH d AS (SELECT name FROM city), e AS (SELECT area FROM state) SELECT d.name, e.area FROM d, e
WITH d AS (SELECT name FROM city) SELECT name FROM d UNION SELECT d.name FROM d
WITH d AS (SELECT MAX(people) FROM city) SELECT 1 FROM d
WITH d AS (SELECT id FROM city ORDER BY people LIMIT 3) SELECT name FROM state WHERE id IN (SELECT id FROM d)
WITH d AS (SELECT id FROM city) SELECT name FROM state WHERE EXISTS (SELECT 1 FROM d WHERE d.id = state.id)
WITH d AS (SELECT name FROM city UNION SELECT name FROM state) SELECT COUNT(*) FROM d
WITH d AS (SELECT people FROM city) SELECT s.n FROM (SELECT SUM(d.people) AS n FROM d) AS s
WITH d AS (SELECT name, RANK() OVER (ORDER BY people DESC) AS r FROM city) SELECT d.name FROM d WHERE d.r <= 3

-- used not at all, several times, by aliases
WITH d AS (SELECT name FROM city) SELECT name FROM city
WITH d AS (SELECT id, people FROM city) SELECT x.people, y.people FROM d AS x JOIN d y ON x.id = y.id
WITH d AS (SELECT id, people FROM city) SELECT d.id FROM d, d AS x WHERE d.people > x.people
WITH d AS (SELECT id FROM city) SELECT d.n FROM (SELECT 1 AS n) AS d
WITH d AS (SELECT area FROM state) SELECT d.name FROM city AS d

-- a later one names an earlier one
WITH d AS (SELECT state_id, COUNT(*) AS n FROM city GROUP BY state_id), e AS (SELECT MAX(d.n) AS m FROM d) SELECT d.state_id FROM d JOIN e ON d.n = e.m
WITH d AS (SELECT id FROM city), e AS (SELECT d.id FROM d JOIN state ON d.id = state.id), x AS (SELECT e.id FROM d, e) SELECT id FROM x

-- their types are known before FROM
WITH d AS (SELECT COUNT(*) AS n FROM city) SELECT d.n + 1, AVG(d.n) FROM d GROUP BY d.n
WITH d AS (SELECT name AS n FROM city) SELECT UPPER(d.n) FROM d

-- because: a query of WITH is called d already
WITH d AS (SELECT 1 AS n), »d AS (SELECT 2 AS n) SELECT d.n FROM d

-- to SQLite it would name itself, to others the table
-- with: SELECT 1 AS d
-- because: a table is called city already
WITH »city AS (SELECT name FROM city) SELECT city.name FROM city

-- with: SELECT x.n FROM (SELECT 1 AS n) AS x
-- because: no query of WITH is called
WITH d AS (SELECT x.n FROM »e AS x), e AS (SELECT 1 AS n) SELECT d.n FROM d
WITH d AS (SELECT 1 AS n FROM »d) SELECT d.n FROM d

-- because: must show n
WITH d AS (SELECT 1 AS m, 2 AS n), e AS (SELECT 3 AS m) SELECT x.n FROM e AS »x

WITH d AS (SELECT 1 AS n) SELECT d.n FROM city AS »d
WITH d AS (SELECT 1 AS n) SELECT d.n FROM d, d»
WITH d AS (SELECT 1 AS n) SELECT 1 FROM city WHERE »d.n > 1
WITH d AS (SELECT 1 AS n) SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM d WHERE d.n = 1) AND »d.n > 1

-- because: sees nothing of the queries around
WITH d AS (SELECT 1 AS n FROM state WHERE »city.id > 1) SELECT d.n FROM d

-- because: joined ON a condition
-- on: postgres
WITH d AS (SELECT id FROM city) SELECT 1 FROM state FULL JOIN »d USING (id)

-- because: a star stands for one table
WITH d AS (SELECT * FROM city) SELECT * FROM city UNION SELECT * FROM »d

-- behind the brackets of a first operand it would be too late
-- on: mysql
-- because: a star beside a set operator
WITH d AS (SELECT id AS n FROM city) (SELECT * FROM »d) UNION SELECT 1
WITH d AS (SELECT id AS n FROM city) SELECT EXISTS ((SELECT DISTINCT * FROM »d) UNION SELECT 1)

-- as of a derived table
-- on: mysql
WITH d AS (SELECT 1 AS n, 2 AS »n) SELECT 1
-- on: sqlite postgres
-- because: shows n already
WITH d AS (SELECT 1 AS n, 2 AS »n) SELECT 1

-- two of one name are no column's
-- on: sqlite postgres
WITH d AS (SELECT city.id, state.id FROM city, state) SELECT 1 FROM d WHERE »d.id > 1
WITH d AS (SELECT city.id, state.id FROM city, state) SELECT d.id FROM »d

-- on: postgres
-- because: + does not take text
WITH d AS (SELECT name AS n FROM city) SELECT d.n »+ 1 FROM d

-- what a role may not read, it does not read by way of WITH
-- access: state city(name, people)
WITH d AS (SELECT name FROM city) SELECT d.name, name FROM d
WITH d AS (SELECT * FROM state) SELECT * FROM d

-- access: state city(name, people)
-- because: a star shows city, read in part
WITH d AS (SELECT * FROM »city) SELECT d.name FROM d

-- access: state city(name, people)
WITH d AS (SELECT id FROM »city) SELECT d.id FROM d
WITH d AS (SELECT name FROM city) SELECT d.id FROM »d
