-- A query within gives to the one around what that may use.

-- tables: town(city VARCHAR(20)) farm(city VARCHAR(20)) paper(city POINT)
-- bare, the column is taken for a text, as most are

-- on: postgres
-- with: SELECT DISTINCT MAX(t.n), t.city FROM (SELECT 1 AS n, town.city, paper.city FROM town, paper) AS t ORDER BY 1
-- with postgres: SELECT *, NULL :: TEXT, paper.*, COUNT(DISTINCT city) FROM paper, farm GROUP BY city
SELECT t.city, MAX(1) FROM (SELECT town.city FROM town) AS t GROUP BY t.city
SELECT DISTINCT t.city FROM (SELECT town.city FROM town) AS t
SELECT 1 FROM (SELECT town.city FROM town) AS t ORDER BY t.city
SELECT t.n FROM (SELECT 1 AS n, paper.city :: TEXT AS t FROM paper) AS t

-- on: postgres
-- because: no values of this type
-- with: SELECT DISTINCT MAX(t.n), t.city FROM (SELECT 1 AS n, town.city, paper.city FROM town, paper) AS t ORDER BY 1
-- with postgres: SELECT *, NULL :: TEXT, paper.*, COUNT(DISTINCT city) FROM paper, farm GROUP BY city
SELECT t.n FROM (SELECT 1 AS n, paper.city »FROM paper) AS t
SELECT COUNT(DISTINCT t.n) FROM (SELECT paper.city »AS n FROM paper) AS t

-- on: postgres
-- because: takes city, which has no order
-- with: SELECT DISTINCT MAX(t.n), t.city FROM (SELECT 1 AS n, town.city, paper.city FROM town, paper) AS t ORDER BY 1
-- with postgres: SELECT *, NULL :: TEXT, paper.*, COUNT(DISTINCT city) FROM paper, farm GROUP BY city
SELECT t.city, MAX(1) FROM (SELECT »paper.city FROM paper) AS t
SELECT DISTINCT t.city FROM (SELECT »paper.city FROM paper) AS t

-- on: postgres
-- because: city of a derived table is of a hidden type
-- with: SELECT DISTINCT MAX(t.n), t.city FROM (SELECT 1 AS n, town.city, paper.city FROM town, paper) AS t ORDER BY 1
-- with postgres: SELECT *, NULL :: TEXT, paper.*, COUNT(DISTINCT city) FROM paper, farm GROUP BY city
SELECT 1 FROM (SELECT * FROM paper) AS t ORDER BY »t.city

-- tables: paper(name VARCHAR(20), body JSON, size DOUBLE)

-- on: mysql
-- with: SELECT body, name FROM paper
SELECT MAX(t.n) FROM (SELECT paper.body IS NULL AS n FROM paper) AS t
SELECT 1 FROM (SELECT paper.size AS n FROM paper) AS t WHERE t.n * 2 > 1

-- on: mysql
-- because: no values of this type
-- with: SELECT body, name FROM paper
SELECT MAX(t.n) FROM (SELECT paper.body »AS n FROM paper) AS t

-- on: mysql
-- because: of a hidden type
-- with: SELECT body, name FROM paper
SELECT 1 FROM (SELECT * FROM paper) AS t WHERE »t.body = 1

-- on: mysql
-- because: may have
-- with: SELECT body, name FROM paper
SELECT paper.size * »t.n FROM paper, (SELECT 1e300 AS n) AS t
SELECT 1 FROM (SELECT paper.name AS n FROM paper) AS t WHERE t.n »* 2 > 1

-- on: sqlite
-- because: does not take other
-- with: SELECT body, name FROM paper
SELECT REPLACE(»t.n, 'a', 'bb') FROM (SELECT name AS n FROM paper) AS t
SELECT 1 FROM (SELECT REPLACE(name, 'a', 'bb') AS n FROM paper) AS t WHERE REPLACE(»t.n, 'a', 'b') = 'a'

-- on: sqlite
-- with: SELECT body, name FROM paper
SELECT 1 FROM (SELECT name AS n FROM paper) AS t WHERE REPLACE(t.n, 'a', 'b') = 'a'
