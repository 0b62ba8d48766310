-- Phrases fit together and nothing fails while it runs: pairs of queries, refused at the first word too much.
-- on: sqlite
-- about: shapes
-- together: yes
-- with sqlite: SELECT MAX(id), MIN(id), CAST(name AS INTEGER) FROM city, state, river WHERE 'x' = 2 AND id = 99999999999999999999 AND 1 IN (0)
-- with mysql: SELECT MAX(id), MIN(id), 1 REGEXP '(', SYSDATE() FROM city, state, river WHERE 'x' = 2 AND id = 99999999999999999999 AND 1 IN (0)
-- with postgres: SELECT MAX(id), MIN(id), SQRT(1), NULLIF(1, 2) FROM city, state, river WHERE 'x' = 2 AND id = 99999999999999999999 AND 1 IN (0)

-- because: aggregate
SELECT MAX(people) FROM city
SELECT 1 FROM city WHERE »MAX(people) > 1

-- because: another aggregate
SELECT MAX(people + 1) FROM city
SELECT MAX(»MIN(people)) FROM city

-- because: aggregate
SELECT 1 FROM city JOIN river ON people > length
SELECT 1 FROM city JOIN river ON »MAX(people) > length

-- because: of no group
SELECT id FROM city GROUP BY id ORDER BY MAX(people)
SELECT id FROM city ORDER BY »MAX(people)

-- because: holds an aggregate
SELECT COUNT(*) AS n, id FROM city GROUP BY id
SELECT COUNT(*) AS n FROM city GROUP BY »n

-- because: of a query around the aggregate's
SELECT 1 FROM city WHERE EXISTS (SELECT MAX(area) FROM state)
SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM state GROUP BY area HAVING MAX(»people) > 1)

-- because: columns
SELECT id, name FROM city UNION SELECT id, name FROM state
SELECT id, name FROM city UNION SELECT id »FROM state

-- because: a bare star
SELECT * FROM city UNION SELECT * FROM city
SELECT * FROM city UNION SELECT »1

-- because: the star before the set operator is of city
SELECT * FROM city WHERE id > 1 EXCEPT SELECT * FROM city AS c WHERE c.id > 2
SELECT * FROM city EXCEPT SELECT * FROM »state

-- because: a star stands for one table
SELECT * FROM city UNION SELECT * FROM city ORDER BY name
SELECT * FROM city UNION SELECT * FROM city», state

-- because: stands for one table
SELECT * FROM city, state
SELECT * FROM city, state »UNION SELECT * FROM city

-- on: mysql
-- because: star
(SELECT * FROM city) EXCEPT (SELECT * FROM city)
(SELECT * FROM city) EXCEPT (SELECT »id

-- because: column
SELECT 1 FROM city WHERE id IN (SELECT id FROM state)
SELECT 1 FROM city WHERE id IN (SELECT »* FROM

-- because: 1 columns are wanted
SELECT (SELECT MAX(id) FROM state)
SELECT (SELECT MAX(id)», id FROM state)

-- because: columns
SELECT 1 FROM city WHERE (id, name) IN (SELECT id, name FROM state)
SELECT 1 FROM city WHERE (id, name) IN (SELECT id »FROM state)

-- because: column
SELECT 1 FROM city WHERE EXISTS (SELECT * FROM state)
SELECT (SELECT »* FROM state)

-- on: mysql
-- because: several rows
SELECT (SELECT id FROM state LIMIT 1)
SELECT (SELECT id FROM state LIMIT 2»)

-- on: postgres
-- because: several rows
SELECT (SELECT id FROM state LIMIT 1)
SELECT (SELECT id FROM state LIMIT »2)
SELECT (SELECT MAX(area) FROM state GROUP BY id LIMIT 1)
SELECT (SELECT MAX(area) FROM state GROUP BY id»)

-- on: mysql
-- because: no LIMIT
SELECT 1 FROM city WHERE id IN (SELECT id FROM state)
SELECT 1 FROM city WHERE id IN (SELECT id FROM state »LIMIT 1)

-- on: mysql
-- should: no subquery in a row before IN
SELECT (1, id + 1) IN (SELECT 1, 2) FROM city
SELECT (1, (»SELECT 1) + 1) IN (SELECT 1, 2) FROM city
SELECT (1, COALESCE(id, 1)) IN (SELECT 1, 2) FROM city
SELECT (1, COALESCE((»SELECT 1), 1)) IN (SELECT 1, 2) FROM city
SELECT (1, GROUP_CONCAT(name ORDER BY id)) IN (SELECT 1, 2) FROM city
SELECT (1, GROUP_CONCAT(name ORDER BY (»SELECT 1))) IN (SELECT 1, 2) FROM city
SELECT (1, GROUP_CONCAT(1 ORDER BY id, id)) IN (SELECT 1, 2) FROM city
SELECT (1, GROUP_CONCAT(1 ORDER BY (»SELECT 1), id)) IN (SELECT 1, 2) FROM city

-- on: mysql
-- because: must be in GROUP BY
SELECT CONCAT(NOW(), name) FROM city GROUP BY CONCAT(NOW(), name)
SELECT CONCAT(SYSDATE(), name) FROM city GROUP BY CONCAT(SYSDATE(), name)»

-- on: postgres
-- because: could change the type of id
SELECT t.id + 1 FROM (SELECT id FROM city) AS t UNION SELECT 1
SELECT t.id + 1 FROM (SELECT id FROM city »UNION SELECT 1) AS t

-- on: postgres
-- because: do not compare
SELECT s.a FROM (SELECT AVG(area) AS a FROM state) AS s WHERE s.a > 1
SELECT s.a FROM (SELECT AVG(area) AS a FROM state) AS s WHERE s.a > »'x'

-- on: postgres
-- because: x is NULL
SELECT NULL :: TEXT AS x FROM city GROUP BY x UNION SELECT 'a'
SELECT NULL AS x FROM city GROUP BY »x UNION SELECT 1

-- on: postgres
-- because: do not compare
(SELECT NULL AS x ORDER BY x) UNION SELECT 'a'
(SELECT NULL AS x ORDER BY x) UNION SELECT 1 »+ 1

-- because: constant
SELECT id FROM city ORDER BY 1
SELECT id FROM city ORDER BY 2»
SELECT 1 FROM city GROUP BY id
SELECT 1 FROM city GROUP BY 1»

-- on: postgres
-- because: constant
SELECT 1 FROM city GROUP BY id
SELECT 1 FROM city GROUP BY 'x'»

-- on: postgres
-- because: not in the select list
SELECT id FROM city WHERE EXISTS (SELECT DISTINCT area FROM state ORDER BY area)
SELECT id FROM city WHERE EXISTS (SELECT DISTINCT area FROM state ORDER BY »people)

-- on: postgres
-- because: a FROM for this column alone
SELECT EXISTS (SELECT MAX(length) = (SELECT MAX(area) FROM state WHERE area > 1) FROM river)
SELECT EXISTS (SELECT MAX(length) = (SELECT MAX(area) FROM state WHERE area > »length) FROM river)

-- on: postgres
-- because: not in GROUP BY
SELECT id FROM city GROUP BY id HAVING id > 1
SELECT id FROM city GROUP BY id HAVING »people > 1

-- on: postgres
-- because: boolean
SELECT 1 FROM river WHERE deep AND deep
SELECT 1 FROM river WHERE deep AND length»

-- on: postgres
-- because: do not compare
SELECT 1 FROM city WHERE id IN (1, 2)
SELECT 1 FROM city WHERE id IN (1, »'x')

-- on: postgres
-- because: does not take
SELECT 1 FROM city WHERE name LIKE 'x%'
SELECT 1 FROM city WHERE id »LIKE 'x%'

-- on: postgres
-- because: no type in common
SELECT CASE WHEN id > 1 THEN name ELSE 'x' END FROM city
SELECT CASE WHEN id > 1 THEN name ELSE id »END FROM city

-- on: postgres
-- because: do not compare
SELECT id FROM city UNION SELECT 2
SELECT id FROM city UNION SELECT »name

-- on: postgres
-- because: compare
SELECT 1 FROM state WHERE founded > '2024-03-01'
SELECT 1 FROM state WHERE founded > »'x'

-- on: mysql
-- because: REGEXP
SELECT 1 FROM city WHERE name REGEXP '^x'
SELECT 1 FROM city WHERE name REGEXP »'('

-- on: postgres
-- because: could fail
-- about: runs
SELECT id / 2 FROM city
SELECT id / »people FROM city
SELECT id % 2 FROM city
SELECT id % »0 FROM city
SELECT SQRT(ABS(id)) FROM city
SELECT SQRT(id») FROM city

-- on: postgres
-- because: the result may have
-- about: runs
SELECT CAST(id AS BIGINT) * 2 FROM city
SELECT id * people »FROM city

-- on: postgres
-- because: too large
-- about: runs
SELECT id FROM city LIMIT 2
SELECT id FROM city LIMIT »99999999999999999999

-- because: could fail
-- about: runs
SELECT SUM(people) FROM city
SELECT SUM(people * people») FROM city
SELECT ABS(people) FROM city
SELECT ABS(CAST(name AS »INTEGER)) FROM city

-- on: mysql
-- should: the result may have 20 digits
-- about: runs
SELECT id * 2 FROM city
SELECT id * »people FROM city
