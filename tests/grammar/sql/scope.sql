-- Every name resolves: a query that is admitted beside one that is refused at the first word that is too much.
-- on: sqlite
-- level: scope
-- together: yes
-- with: SELECT a.id, a.area, b.id, c.length, s.area, COUNT(*) AS length, t.n, MAX(t.people) FROM city AS a, state AS a, state AS b, river AS c, state AS s, (SELECT 1 AS n) AS t WHERE city.id = 1

-- because: area is not in FROM
SELECT area FROM state
SELECT area FROM city »WHERE people > 1
SELECT area FROM city, state
SELECT area FROM city»

-- because: state is not in FROM
SELECT state.area FROM state
SELECT state.area FROM state AS s»

-- because: s is not in FROM
SELECT s.area FROM state AS s
SELECT s.area FROM state»

-- because: s must be another source
SELECT s.area FROM state s
SELECT s.area FROM city »s

-- because: area is not in FROM
SELECT people FROM city WHERE people > 1
SELECT people FROM city WHERE »area > 1

-- because: the columns need a FROM
SELECT 1
SELECT area»

-- because: grammar expects
SELECT * FROM state
SELECT *»

-- because: s is not in FROM
SELECT s.* FROM state AS s
SELECT s.* FROM state»

-- because: FROM has a source a already
SELECT a.name, b.name FROM city AS a, city AS b WHERE a.id < b.id
SELECT a.name, b.name FROM city AS a, city AS »a

-- because: has a source city already
SELECT 1 FROM city, city AS a
SELECT 1 FROM city, city »WHERE 1 = 1

-- because: city is not in FROM
SELECT a.people FROM city AS a JOIN state AS s ON a.state_id = s.id
SELECT a.people FROM city AS a JOIN state AS s ON a.state_id = s.id WHERE »city.people > 1

-- because: a has no column area
SELECT a.people FROM city AS a JOIN state AS s ON s.area > 1
SELECT a.people FROM city AS a JOIN state AS s ON »a.area > 1

-- because: the derived table must show n
SELECT t.n FROM (SELECT people AS n FROM city) AS t
SELECT t.n FROM (SELECT people »FROM city) AS t

-- because: the derived table must show people
SELECT t.people FROM (SELECT people FROM city) AS t
SELECT t.people FROM (SELECT id »FROM city) AS t

-- because: t has no column n
SELECT 1 FROM (SELECT people FROM city) AS t WHERE t.people > 1
SELECT 1 FROM (SELECT people FROM city) AS t WHERE »t.n > 1

-- because: a derived table sees nothing
SELECT 1 FROM city, (SELECT people FROM city) AS t
SELECT 1 FROM state, (SELECT people FROM city WHERE »state.area > 1) AS t

-- because: shows n already
SELECT 1 FROM (SELECT id, people FROM city) AS t
SELECT 1 FROM (SELECT id AS n, people AS »n FROM city) AS t

-- on: mysql
-- because: grammar expects
SELECT 1 FROM (SELECT 1 AS n) AS t
SELECT 1 FROM (SELECT 1 AS n) »WHERE 1 = 1

-- because: river is not in FROM
SELECT people FROM city WHERE EXISTS (SELECT 1 FROM state WHERE state.id = city.state_id)
SELECT people FROM city WHERE EXISTS (SELECT 1 FROM state WHERE state.id = »river.state_id)

-- because: area is not in FROM
SELECT 1 FROM city WHERE people > (SELECT MIN(area) FROM state WHERE area > people)
SELECT 1 FROM city WHERE people > (SELECT MIN(area) FROM state) AND »area > 1

-- on: mysql
-- because: is of the query around this one
SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM state JOIN river ON area > length)
SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM state JOIN river ON »people > length)

-- on: mysql
-- because: whose select list is not over
SELECT EXISTS (SELECT 1 FROM state GROUP BY area HAVING area > 1), city.people FROM city WHERE EXISTS (SELECT 1 FROM state GROUP BY area HAVING area > city.people)
SELECT EXISTS (SELECT 1 FROM state GROUP BY area HAVING area > »city.people), city.people FROM city

-- because: is of the query around this one
SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM state ORDER BY area)
SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM state ORDER BY »people)

-- because: more than one source
SELECT 1 FROM city JOIN state USING (id, name) WHERE name = 'x'
SELECT 1 FROM city JOIN state USING (id) WHERE »name = 'x'

-- because: no column in common
SELECT 1 FROM state JOIN river ON 1 = 1
SELECT 1 FROM state JOIN river »USING (id)

-- because: more than one source
SELECT 1 FROM city JOIN river USING (state_id) WHERE state_id > 1
SELECT 1 FROM city JOIN river ON 1 = 1 WHERE »state_id > 1

-- on: postgres
-- because: no FROM could hold
SELECT city.name FROM city JOIN state USING (id, name)
SELECT name FROM city JOIN »state ON 1 = 1

-- because: no FROM could hold
SELECT 1 FROM city JOIN state USING (id) JOIN river ON 1 = 1
SELECT 1 FROM city JOIN state USING (id) JOIN »state AS a USING (id)

-- on: mysql
-- because: a is not in FROM
SELECT 1 FROM city AS a, state AS b JOIN river AS c ON b.id = c.state_id
SELECT 1 FROM city AS a, state AS b JOIN river AS c ON »a.id = c.state_id

-- on: postgres
-- because: a is not in FROM
SELECT 1 FROM city AS a, state AS b JOIN river AS c ON b.id = c.state_id
SELECT 1 FROM city AS a, state AS b JOIN river AS c ON »a.id = c.state_id

-- because: is no output column
SELECT COUNT((SELECT 1 AS n UNION SELECT area FROM state ORDER BY n LIMIT 1)) FROM city
SELECT COUNT((SELECT 1 AS n UNION SELECT area FROM state ORDER BY »area LIMIT 1)) FROM city

-- on: postgres
-- because: a name of its own
SELECT 1 FROM city, (SELECT COUNT(*) AS n FROM state) AS t WHERE people > 1
SELECT 1 FROM city, (SELECT COUNT(*) FROM state) AS t WHERE »people > 1

-- on: postgres
-- because: a column without a name
SELECT people FROM city, (SELECT COUNT(*) AS n FROM state) AS t
SELECT people FROM city, (SELECT COUNT(*) »FROM state) AS t
SELECT t.area FROM (SELECT s.area, (SELECT 1 area) AS n FROM state AS s) AS t
SELECT t.area FROM (SELECT s.area, (SELECT 1 area) »FROM state AS s) AS t

-- on: postgres
-- because: a name of its own
SELECT 1 FROM (SELECT s.area, (SELECT 1 area) AS n FROM state AS s) AS t WHERE t.area > 1
SELECT 1 FROM (SELECT s.area, (SELECT 1 area) FROM state AS s) AS t WHERE »t.area > 1

-- because: area stands bare in the query around
SELECT area FROM state AS s, (SELECT 1 + (area) AS n FROM state) AS t
SELECT area FROM state AS s, (SELECT (»area) FROM state) AS t

-- because: no FROM could hold
SELECT city.name FROM city, state
SELECT name FROM city, »state

-- because: more than one
SELECT 1 FROM city, state WHERE people > 1
SELECT 1 FROM city, state WHERE »name = 'x'

-- because: more than one source
SELECT 1 FROM city JOIN river ON people > 1
SELECT 1 FROM city JOIN river ON »state_id > 1
SELECT 1 FROM state AS s, river WHERE EXISTS (SELECT 1 FROM city WHERE name = 'x')
SELECT 1 FROM state AS s, city WHERE EXISTS (SELECT 1 FROM river WHERE »name = 'x')
SELECT 1 FROM state WHERE name = 'x'
SELECT 1 FROM state, (SELECT name FROM city) AS t WHERE »name = 'x'

-- because: no output column is called n
SELECT people AS n FROM city ORDER BY n
SELECT people FROM city ORDER BY »n

-- because: not known here
SELECT people AS n FROM city GROUP BY n
SELECT people AS n FROM city WHERE »n > 1

-- on: postgres
-- because: not known here
SELECT COUNT(*) AS n FROM city GROUP BY people ORDER BY n
SELECT COUNT(*) AS n FROM city GROUP BY people HAVING »n > 1

-- on: postgres
-- because: stands alone
SELECT people AS n FROM city ORDER BY n DESC
SELECT people AS n FROM city ORDER BY n »+ 1

-- because: length is an output column too
SELECT people AS n FROM city, river GROUP BY n
SELECT people AS length FROM city, river GROUP BY »length

-- because: is no output column
SELECT people FROM city UNION SELECT length FROM river ORDER BY people DESC
SELECT people FROM city UNION SELECT length FROM river ORDER BY »city.people

-- because: only output columns
SELECT people FROM city UNION SELECT length FROM river ORDER BY 1
SELECT people FROM city UNION SELECT length FROM river ORDER BY people »+ 1

-- on: postgres
-- because: no ORDER BY within an operand
(SELECT people FROM city) UNION (SELECT length FROM river) ORDER BY people
(SELECT people FROM city) UNION ((SELECT people FROM city) UNION (SELECT length FROM river) »ORDER BY people)

-- because: the first SELECT calls another column so, or several
SELECT city.name FROM city UNION SELECT name FROM state ORDER BY name
SELECT city.name FROM city, state UNION SELECT name FROM state ORDER BY »name
SELECT state.name AS n FROM city JOIN state USING (name) UNION SELECT name FROM state ORDER BY n
SELECT state.name FROM city JOIN state USING (name) UNION SELECT name FROM state ORDER BY »name

-- because: people is no output column
SELECT people AS length FROM city, river UNION SELECT 1 ORDER BY length
SELECT people AS length FROM city, river UNION SELECT 1 ORDER BY »people

-- on: postgres
-- because: area is no output column
SELECT city.name FROM city, state UNION SELECT name FROM state ORDER BY name
SELECT city.name FROM city, state UNION SELECT name FROM state ORDER BY »area

-- because: id is not once on both sides
SELECT 1 FROM city JOIN state USING (id, name)
SELECT 1 FROM city JOIN state USING (id, »id)
