-- After each word the query can be finished in the words that every word then allowed has promised.
-- kept: yes

-- a branch of CASE may be cast within, too
-- on: postgres
-- with: SELECT 0.5
SELECT (CURRENT_DATE - CASE WHEN TRUE THEN NULL :: INTEGER END) IS NULL

-- the only number is too large for what is around CASE
-- on: mysql
-- with: SELECT 1e300
SELECT - CASE WHEN NULL THEN NULL END

-- a column behind a comma is what its place asks for
-- on: postgres
-- with: SELECT 0.5
SELECT 'x', founded FROM state UNION SELECT 'x', NULL :: DATE

-- a is the name of a state's column, and here of a city
-- on: sqlite
-- with: SELECT a.area FROM state AS a
SELECT *, * FROM city AS a, city AS b GROUP BY NULL IS NULL

-- the argument that the call is worth may be cast
-- on: postgres
-- with: SELECT 0.5
SELECT DATE_TRUNC('day', NULLIF(NULL :: DATE, NULL))
SELECT EXTRACT(YEAR FROM MAX(founded)) FROM state

-- a cast to BIGINT comes before one to REAL, here too
-- on: postgres
-- with: SELECT 24
SELECT CEIL(10000 + MAX(ABS(LENGTH('x') - NULL :: REAL)))

-- beside a number that is too large for an integer, NULL in a list must be cast
-- on: postgres
-- with: SELECT 1
SELECT 9223372036854775807 IN (NULL, NULL :: REAL)

-- in a subquery NULL is a text
-- on: postgres
-- with: SELECT name FROM city
SELECT name < SOME (SELECT NULL) FROM city

-- of both sources of the first SELECT none is called as the output is
-- on: sqlite
SELECT city.name FROM city, state UNION SELECT 'x' ORDER BY 1

-- no item may be called as the column is that GROUP BY must name
-- on: mysql
-- with: SELECT id AS name FROM city
SELECT t.name FROM (SELECT name AND COUNT(*) AS x, name FROM city GROUP BY name) AS t

-- beside State the table state goes by another name, so its column is no way out
-- on: mysql
-- with: SELECT state.name FROM state
SELECT x.name FROM (SELECT State.people, area, State.name FROM city AS State, state AS s) AS x

-- brackets behind a set operator; MariaDB makes a table of a compound operand, whose columns need names
-- with: SELECT 1, 'x'
-- level: scope runs
-- on: postgres
SELECT 1 UNION (((SELECT 1) UNION SELECT 1) UNION SELECT 1)
SELECT 1, 1 UNION (((SELECT 1, 1) UNION SELECT 1, 1) UNION SELECT 1, 1)

-- with: SELECT 1, 'x'
-- on: mysql
SELECT 1 UNION (SELECT 1)
SELECT 1, 1 UNION (SELECT 1, 1)

-- the shortest way on behind a bracket of FROM is a derived table, though a join may stand there, too
-- wide: yes
SELECT 1 FROM (SELECT 1 AS n) AS t

-- a column whose name two outputs have is no key
-- tables: road(length INTEGER)
-- on: sqlite
SELECT length, length FROM road GROUP BY NULL IS NULL

-- a column that a derived table hides would be compared or cast, and then be called something else
-- tables: note(id INTEGER, doc JSON) item(id INTEGER, doc DATE)
-- on: mysql
-- with: SELECT note.doc, doc, item.doc AS t FROM note, item
-- because: the query around takes doc
SELECT t.doc FROM (SELECT »doc IS NULL FROM note) AS t
SELECT t.doc FROM (SELECT note.id, »note.doc FROM note) AS t
SELECT t.doc FROM (SELECT »* FROM note) AS t
SELECT t.id FROM (SELECT * FROM note) AS t
SELECT t.doc FROM (SELECT item.doc FROM item) AS t
SELECT 1 FROM (SELECT 1, doc IS NULL AS doc FROM note) AS t

-- a star hides what stands before it from the sight of the list, not from that of the SELECT
-- on: mysql
-- with: SELECT doc, note.* FROM note
SELECT doc, note.* FROM note
SELECT * FROM (SELECT doc IS NULL, id FROM note) AS t
SELECT * FROM (SELECT doc», id FROM note) AS t
