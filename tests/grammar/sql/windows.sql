-- Window functions, which the wide form alone has.
-- wide: yes

SELECT name, ROW_NUMBER() OVER (PARTITION BY state_id ORDER BY people DESC) AS r FROM city
SELECT name, RANK() OVER (ORDER BY people, id DESC), DENSE_RANK() OVER (ORDER BY UPPER(name)) FROM city
SELECT people - LAG(people) OVER (PARTITION BY state_id ORDER BY id) FROM city
SELECT LEAD(founded) OVER (ORDER BY founded) FROM state
SELECT *, COUNT(*) OVER (PARTITION BY state_id, name) FROM city
SELECT name, SUM(people) OVER (ORDER BY id), COUNT(name) OVER () FROM city
SELECT MIN(area) OVER (), MAX(founded) OVER (PARTITION BY name ORDER BY area) FROM state
SELECT AVG(people) OVER (PARTITION BY state_id) + 1 FROM city WHERE people > 1
SELECT DISTINCT RANK() OVER (ORDER BY id) AS n FROM city ORDER BY n
SELECT name FROM city ORDER BY COUNT(*) OVER (PARTITION BY state_id)
SELECT CASE WHEN RANK() OVER (ORDER BY people) > 3 THEN 'x' ELSE name END FROM city
SELECT id FROM city WHERE people IN (SELECT RANK() OVER (ORDER BY area) FROM state)

-- of groups
SELECT state_id, SUM(people), RANK() OVER (ORDER BY SUM(people) DESC) FROM city GROUP BY state_id
SELECT AVG(SUM(people)) OVER () FROM city GROUP BY state_id
SELECT people, MIN(id) OVER (PARTITION BY people) FROM city GROUP BY people, id

-- a condition on what a derived table ranks
SELECT d.name FROM (SELECT name, ROW_NUMBER() OVER (PARTITION BY state_id ORDER BY people DESC) AS r FROM city) AS d WHERE d.r <= 3
SELECT d.name, s.name FROM (SELECT name, state_id, RANK() OVER (PARTITION BY state_id ORDER BY people DESC) AS r FROM city) AS d JOIN state AS s ON s.id = d.state_id WHERE d.r = 1 ORDER BY s.name
SELECT COUNT(*) FROM (SELECT people - LAG(people) OVER (ORDER BY id) AS more FROM city) AS d WHERE d.more > 5

-- because: window functions stand in SELECT
SELECT SUM(people) OVER (PARTITION BY state_id ORDER BY »RANK() OVER (ORDER BY id)) FROM city
SELECT SUM(people) OVER (PARTITION BY »RANK() OVER (ORDER BY id)) FROM city
SELECT name FROM city GROUP BY »RANK() OVER (ORDER BY people)

-- the types of conditions tell it first elsewhere
-- on: sqlite mysql
-- because: window functions stand in SELECT
SELECT name FROM city WHERE »RANK() OVER (ORDER BY people) < 3
SELECT people FROM city JOIN state ON »RANK() OVER (ORDER BY people) < 3
SELECT name FROM city GROUP BY name HAVING »RANK() OVER (ORDER BY name) < 3

-- on: postgres
SELECT name FROM city WHERE »RANK() OVER (ORDER BY people) < 3
SELECT name FROM city GROUP BY name HAVING »RANK() OVER (ORDER BY name) < 3

-- because: nor a window function
SELECT MAX(»RANK() OVER (ORDER BY people)) FROM city
SELECT SUM(»RANK() OVER (ORDER BY id)) OVER (PARTITION BY name) FROM city

-- on: mysql
-- because: ordered by a window function
SELECT GROUP_CONCAT(name ORDER BY »RANK() OVER (ORDER BY id)) FROM city

-- because: holds a window function
SELECT RANK() OVER (ORDER BY people) AS r FROM city GROUP BY »r

-- on: sqlite mysql
-- because: holds a window function
SELECT state_id, RANK() OVER (ORDER BY state_id) AS r FROM city GROUP BY state_id HAVING »r > 1

-- because: an aggregate or a window function
SELECT people, RANK() OVER (ORDER BY people) FROM city GROUP BY people, »2

-- some engines would take it for the first column
-- because: of no constant
SELECT RANK() OVER (ORDER BY 1») FROM city
SELECT COUNT(*) OVER (PARTITION BY 'x'») FROM city
SELECT SUM(id) OVER (ORDER BY NULL») FROM city

-- because: not known here
SELECT people AS n, RANK() OVER (ORDER BY »n) FROM city

-- on: mysql postgres
-- because: id must be in GROUP BY
SELECT people, RANK() OVER (ORDER BY id) FROM city GROUP BY people»

-- a text is none of the types that a server could tell
-- on: postgres
-- because: LAG does not take
SELECT LAG('x'») OVER (ORDER BY id) FROM city
SELECT LAG(NULL») OVER (ORDER BY id) FROM city

-- on: postgres
-- because: + does not take text
SELECT LAG(name) OVER (ORDER BY id) »+ 1 FROM city

-- on: postgres
(SELECT name FROM city ORDER BY RANK() OVER (ORDER BY people)) UNION SELECT 'x'

-- an operand is sorted by a window where LIMIT takes its first rows
-- on: mysql postgres
(SELECT name FROM city ORDER BY RANK() OVER (ORDER BY people) LIMIT 1) UNION SELECT 'x'
(SELECT name, RANK() OVER (ORDER BY people) AS r FROM city ORDER BY r) UNION SELECT 'x', 1

-- on: mysql
-- because: a window function orders no operand without LIMIT
(SELECT name FROM city ORDER BY RANK() OVER (ORDER BY people)») UNION SELECT 'x'
SELECT EXISTS ((SELECT id FROM city ORDER BY id, COUNT(*) OVER () DESC») UNION SELECT 1)

-- frames, which end no sooner than they begin, and functions of rows
SELECT people, SUM(people) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM city
SELECT AVG(people) OVER (PARTITION BY state_id ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM city
SELECT COUNT(*) OVER (ORDER BY id RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM city
SELECT MAX(people) OVER (ORDER BY id ROWS 3 PRECEDING) FROM city
SELECT NTILE(4) OVER (ORDER BY people), PERCENT_RANK() OVER (ORDER BY people), CUME_DIST() OVER (ORDER BY id) FROM city
SELECT FIRST_VALUE(name) OVER (ORDER BY people), LAST_VALUE(people) OVER (PARTITION BY state_id ORDER BY id) FROM city
SELECT NTH_VALUE(people, 2) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM city
SELECT LAG(people, 1) OVER (ORDER BY id), LEAD(people, 2) OVER (ORDER BY id) FROM city

-- because: NTILE
SELECT NTILE(»0) OVER (ORDER BY people) FROM city

-- on: sqlite postgres
SELECT LAG(people, 1, 0) OVER (ORDER BY id), SUM(people) FILTER (WHERE people > 1) OVER (ORDER BY id) FROM city
SELECT COUNT(*) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM city

-- on: postgres
-- because: LAG does not take
SELECT LAG(name, 1, 0») OVER (ORDER BY id) FROM city
