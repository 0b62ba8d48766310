-- GROUP BY, HAVING and the items that they name.

-- on: mysql postgres
-- because: GROUP BY takes name for an output column
-- with: SELECT MAX(id) AS n, UPPER(city.name) AS name, name FROM city ORDER BY 1
SELECT UPPER(name) AS name FROM city »GROUP BY name

-- on: mysql postgres
-- because: GROUP BY takes name
-- with: SELECT MAX(id) AS n, UPPER(city.name) AS name, name FROM city ORDER BY 1
SELECT MAX(id), UPPER(name) AS »name FROM city GROUP BY name
SELECT MAX(id) AS name, »name FROM city GROUP BY name

-- on: mysql postgres
-- with: SELECT MAX(id) AS n, UPPER(city.name) AS name, name FROM city ORDER BY 1
SELECT MAX(id), name AS name FROM city GROUP BY name
SELECT UPPER(city.name) AS name, MAX(id) FROM city GROUP BY city.name
SELECT UPPER(name) AS name FROM city ORDER BY 1

-- a loose server knows in HAVING what is selected or grouped; in EXISTS a star is a constant
-- on: mysql
-- because: neither in GROUP BY nor selected
-- without: grouping
SELECT name, MAX(people) FROM city GROUP BY id HAVING name = 'x' AND MAX(state_id) > 1 AND id > 1
SELECT name, MAX(people) FROM city GROUP BY id HAVING »state_id > 1
SELECT id FROM city UNION SELECT people FROM city GROUP BY id HAVING id > 1
SELECT id FROM city UNION SELECT people FROM city GROUP BY name HAVING »id > 1
SELECT 1 FROM (SELECT * FROM city GROUP BY name HAVING id > 1) t
SELECT id FROM city WHERE EXISTS (SELECT * FROM city GROUP BY name HAVING »id > 1)
SELECT id FROM city WHERE EXISTS (SELECT * FROM city GROUP BY id HAVING id > 1)
SELECT id FROM city WHERE EXISTS (SELECT city.* FROM city GROUP BY name HAVING »city.id > 1)

-- on: mysql postgres
SELECT FLOOR(area), COUNT(*) FROM state GROUP BY FLOOR(area)
SELECT FLOOR(area) AS x, COUNT(*) FROM state GROUP BY FLOOR(area)
SELECT FLOOR(area) AS x, COUNT(*) FROM state GROUP BY x ORDER BY x
SELECT name, FLOOR(area), COUNT(*) FROM state GROUP BY FLOOR(area), name
SELECT area > 1 AS x, COUNT(*) FROM state GROUP BY x
SELECT id FROM city UNION SELECT FLOOR(area) FROM state GROUP BY FLOOR(area) HAVING COUNT(*) > 1

-- on: mysql
SELECT FLOOR(area), COUNT(*) FROM state GROUP BY FLOOR(id)»

-- on: postgres
SELECT FLOOR(area), COUNT(*) FROM state GROUP BY FLOOR(id)»

-- on: mysql
SELECT FLOOR(area), area, COUNT(*) FROM state GROUP BY FLOOR(area)»

-- on: postgres
SELECT FLOOR(area), area, COUNT(*) FROM state GROUP BY FLOOR(area)»

-- on: mysql
SELECT FLOOR(area), FLOOR(area), COUNT(*) FROM state GROUP BY FLOOR(area)»

-- on: postgres
SELECT FLOOR(area), FLOOR(area), COUNT(*) FROM state GROUP BY FLOOR(area)

-- on: mysql
SELECT area > 1, COUNT(*) FROM state GROUP BY area > 1»

-- on: postgres
SELECT area > 1, COUNT(*) FROM state GROUP BY area > 1

-- on: mysql
SELECT (SELECT MAX(id) FROM city) + area, COUNT(*) FROM state GROUP BY (SELECT MAX(id) FROM city) + area»

-- on: postgres
SELECT (SELECT MAX(id) FROM city) + area, COUNT(*) FROM state GROUP BY (SELECT MAX(id) FROM city) + area»

-- NULLIF keeps zeros away
-- on: postgres
-- because: could fail
SELECT id / NULLIF(people, 0) FROM city
SELECT id / NULLIF(people, »2) FROM city

-- a text at hand takes no subquery away
-- on: postgres
-- with: SELECT 'x'
SELECT 1 FROM city WHERE 1 > (SELECT MAX(area) FROM state)

-- on: postgres
SELECT 1 FROM city WHERE 1 > (SELECT MAX(area) FROM state)

-- a star stands beside a set operator where columns are not counted
-- on: sqlite
-- without: column counts
SELECT * FROM city UNION SELECT 1
