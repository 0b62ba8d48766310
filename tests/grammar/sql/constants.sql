-- A constant is not taken for a column: SQLite takes TRUE for one of that name.

-- tables: sale(author TEXT, true INTEGER) shop(true TEXT, name TEXT) item(no INTEGER)

-- on: sqlite
-- with: SELECT TRUE
-- level: scope
SELECT "true" FROM sale WHERE "true" + 1 = 2
SELECT "true" FROM sale UNION SELECT 1 ORDER BY "true"
SELECT DISTINCT "true" FROM sale GROUP BY "true"
SELECT 1 FROM (SELECT * FROM shop) AS T WHERE name = FALSE
SELECT 1 FROM sale JOIN shop ON »TRUE
SELECT 1 FROM (SELECT * FROM shop) AS T WHERE »"true" = 1
SELECT "true" FROM (SELECT "true" »FROM shop) AS T
SELECT 1 FROM (SELECT name AS »"False" FROM shop) AS T

-- on: sqlite
-- with: SELECT TRUE
-- level: runs
SELECT "true" FROM sale WHERE "true" + 1 = 2
SELECT "true" FROM sale UNION SELECT 1 ORDER BY "true"
SELECT DISTINCT "true" FROM sale GROUP BY "true"
SELECT 1 FROM (SELECT * FROM shop) AS T WHERE name = FALSE
SELECT 1 FROM sale JOIN shop ON »TRUE
SELECT 1 FROM (SELECT * FROM shop) AS T WHERE »"true" = 1
SELECT "true" FROM (SELECT "true" »FROM shop) AS T
SELECT 1 FROM (SELECT name AS »"False" FROM shop) AS T
