-- What FROM joins along foreign keys: cities and rivers refer to a state, and a lake to nothing.
-- on: sqlite
-- joins: keys
-- with: SELECT c.people, d.people, name, s.area, t.n FROM city AS c, city AS d, state AS s, state AS t, river AS r, (SELECT 1 AS n) AS t WHERE c.state_id = s.id AND d.state_id + 1 > 1 AND NOT length > 1 OR t.area > 1

-- tables: city(id INTEGER, name TEXT, people INTEGER, state_id INTEGER > state.id) state(id INTEGER, name TEXT, area REAL, founded DATE) river(length INTEGER, source TEXT, deep BOOLEAN, state_id INTEGER > state.id) lake(depth REAL)

SELECT c.people FROM city AS c JOIN state AS s ON c.state_id = s.id WHERE c.people > 1
SELECT s.area, c.people FROM state AS s LEFT JOIN city AS c ON c.state_id = s.id
SELECT 1 FROM city AS c JOIN state AS s ON s.id = c.state_id AND (c.people > 1 OR s.area > 1)
SELECT c.people FROM city AS c JOIN river USING (state_id) WHERE length > 1 OR 1 = 1
SELECT c.people FROM city AS c JOIN river USING (state_id)
SELECT 1 FROM city AS c JOIN city AS d ON c.state_id = d.state_id
SELECT t.n FROM (SELECT 1 AS n) AS t
SELECT 1 FROM lake WHERE EXISTS (SELECT 1 FROM city)

-- because: ON begins with c.state_id = s.id
SELECT 1 FROM city AS c JOIN state AS s ON »1 = 1
SELECT 1 FROM city AS c JOIN state AS s ON »c.people > s.area
SELECT 1 FROM city AS c JOIN state AS s ON »NOT c.state_id = s.id
SELECT 1 FROM city AS c JOIN state AS s ON »(c.state_id = s.id)
SELECT 1 FROM city AS c JOIN state AS s ON c.state_id »> s.id
SELECT 1 FROM city AS c JOIN state AS s ON c.state_id = »s.area

-- because: behind its key ON goes on with AND alone
SELECT 1 FROM city AS c JOIN state AS s ON c.state_id = s.id »+ 1
SELECT 1 FROM city AS c JOIN state AS s ON c.state_id = s.id »OR c.people > 1

-- because: goes on with AND alone
SELECT 1 FROM city AS c JOIN state AS s ON c.state_id = s.id AND 1 = 1 »OR 1 = 1

-- because: ON begins with c.state_id = d.state_id
SELECT 1 FROM city AS c JOIN city AS d ON c.state_id = »d.people

-- because: , joins on no key; write JOIN and ON
SELECT c.people FROM city AS c», state WHERE c.people > 1

-- because: CROSS JOIN joins on no key
SELECT c.people FROM city AS c »CROSS JOIN state

-- because: no foreign key links lake to what is in FROM
SELECT 1 FROM city AS c JOIN »lake ON c.people > depth

-- because: could hold what depth needs
SELECT c.people, »depth FROM city AS c JOIN lake ON c.people > depth

-- because: could hold what the join needs
SELECT 1 FROM lake »JOIN lake AS s ON 1 = 1

-- because: could hold what n needs
SELECT c.people, »t.n FROM city AS c JOIN (SELECT 1 AS n) AS t ON c.people > 1

-- because: could hold what ( needs
SELECT 1 FROM city AS c JOIN »(SELECT 1 AS n) AS t ON c.people > 1

-- because: no foreign key links state to what is
SELECT s.area FROM state AS s JOIN »state AS t ON s.id = t.id

-- all of them where any tables may be joined
-- joins: any
SELECT c.people FROM city AS c JOIN state AS s ON c.state_id = s.id WHERE c.people > 1
SELECT s.area, c.people FROM state AS s LEFT JOIN city AS c ON c.state_id = s.id
SELECT 1 FROM city AS c JOIN state AS s ON s.id = c.state_id AND (c.people > 1 OR s.area > 1)
SELECT 1 FROM city AS c JOIN state AS s ON 1 = 1
SELECT 1 FROM city AS c JOIN state AS s ON c.people > s.area
SELECT 1 FROM city AS c JOIN state AS s ON NOT c.state_id = s.id
SELECT 1 FROM city AS c JOIN state AS s ON (c.state_id = s.id)
SELECT 1 FROM city AS c JOIN state AS s ON c.state_id > s.id
SELECT 1 FROM city AS c JOIN state AS s ON c.state_id = s.area
SELECT 1 FROM city AS c JOIN state AS s ON c.state_id = s.id + 1
SELECT 1 FROM city AS c JOIN state AS s ON c.state_id = s.id OR c.people > 1
SELECT 1 FROM city AS c JOIN state AS s ON c.state_id = s.id AND 1 = 1 OR 1 = 1
SELECT c.people FROM city AS c JOIN river USING (state_id) WHERE length > 1 OR 1 = 1
SELECT c.people FROM city AS c JOIN river USING (state_id)
SELECT 1 FROM city AS c JOIN city AS d ON c.state_id = d.state_id
SELECT 1 FROM city AS c JOIN city AS d ON c.state_id = d.people
SELECT t.n FROM (SELECT 1 AS n) AS t
SELECT 1 FROM lake WHERE EXISTS (SELECT 1 FROM city)
SELECT c.people FROM city AS c, state WHERE c.people > 1
SELECT c.people FROM city AS c CROSS JOIN state
SELECT 1 FROM city AS c JOIN lake ON c.people > depth
SELECT c.people, depth FROM city AS c JOIN lake ON c.people > depth
SELECT 1 FROM lake JOIN lake AS s ON 1 = 1
SELECT c.people, t.n FROM city AS c JOIN (SELECT 1 AS n) AS t ON c.people > 1
SELECT 1 FROM city AS c JOIN (SELECT 1 AS n) AS t ON c.people > 1
SELECT s.area FROM state AS s JOIN state AS t ON s.id = t.id
