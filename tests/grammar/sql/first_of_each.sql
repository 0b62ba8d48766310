-- PER, of what networks write: the first rows of each group. It stands for a derived table that numbers its rows.

SELECT city.name FROM city ORDER BY city.people DESC LIMIT 3 PER city.state_id
SELECT city.name FROM city ORDER BY city.people DESC LIMIT 3 OFFSET 2 PER city.state_id
SELECT city.name, state.name FROM city JOIN state ON city.state_id = state.id ORDER BY city.people LIMIT 3 PER state.name
SELECT city.name, COUNT(*) FROM city GROUP BY city.name, city.state_id ORDER BY COUNT(*) DESC LIMIT 3 PER city.state_id
SELECT d.n FROM (SELECT city.name AS n, city.people AS m FROM city) AS d ORDER BY d.n LIMIT 3 PER d.m

-- because: no PER behind SELECT DISTINCT
SELECT DISTINCT city.name FROM city ORDER BY city.name LIMIT 3 »PER city.name

-- because: no PER beside a star
SELECT * FROM city ORDER BY city.name LIMIT 3 »PER city.name
SELECT city.* FROM city ORDER BY city.name LIMIT 3 »PER city.name

-- because: no PER beside an output with a name of its own
SELECT city.name AS n FROM city ORDER BY city.id LIMIT 3 »PER city.name

-- because: rows are numbered by columns
SELECT city.name FROM city ORDER BY 1 LIMIT 3 »PER city.name
SELECT city.name FROM city ORDER BY (SELECT MAX(state.area) FROM state) LIMIT 3 »PER city.name

-- on: sqlite postgres
-- because: rows are numbered by columns
SELECT city.name FROM city ORDER BY city.id DESC NULLS LAST LIMIT 3 »PER city.name

-- because: no column here can form the groups of PER
SELECT MAX(city.name) FROM city ORDER BY MAX(city.people) LIMIT 3 »PER city.state_id

-- because: state is not in FROM
SELECT city.name FROM city ORDER BY city.id LIMIT 3 PER »state.name

-- a group may have several of it
-- because: not in GROUP BY
SELECT city.name, COUNT(*) FROM city GROUP BY city.name ORDER BY COUNT(*) LIMIT 3 PER »city.state_id

-- a column of the name is a name
-- tables: per(per INTEGER, name TEXT, kind TEXT)
SELECT per.per FROM per ORDER BY per.per LIMIT 3 PER per.per
SELECT per FROM per WHERE per > 1 ORDER BY per LIMIT 3
SELECT per.name AS per FROM per ORDER BY per LIMIT 3

-- wide: yes
SELECT per FROM per WHERE per > 1 ORDER BY per LIMIT 3
