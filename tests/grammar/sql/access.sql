-- What a role may read: all of state, some of city, nothing of river.
-- access: state city(name, people)
-- level: scope types runs
-- with: SELECT T1.*, T2.name, 1 FROM state AS T1, state AS T2 JOIN state USING (id)
-- together: yes

SELECT * FROM state
SELECT * FROM state AS T1 , state
SELECT * FROM ( SELECT name FROM city ) AS d
SELECT T1.* FROM state AS T1 , city
SELECT id FROM state
SELECT COUNT ( * ) FROM city
SELECT 1 FROM city
SELECT T1.id FROM state AS T1 , city WHERE city.people = T1.id
SELECT area FROM state WHERE EXISTS ( SELECT 1 FROM city WHERE people = area )
SELECT area FROM state JOIN city USING ( name )
SELECT d.name FROM ( SELECT name FROM city ) AS d

-- because: a star shows city, read in part
SELECT * FROM »city
SELECT * FROM state , »city
SELECT * FROM state JOIN »city
SELECT 1 FROM ( SELECT * FROM »city ) AS d

-- because: no FROM could hold what city needs
SELECT id FROM »city

SELECT id FROM state », city

-- because: id holds something else here
SELECT name FROM city WHERE »id = 1
SELECT people FROM city GROUP BY people HAVING »id = 1
SELECT people FROM city ORDER BY »id

-- because: something else here
SELECT area FROM state WHERE EXISTS ( SELECT 1 FROM city WHERE »id = 1 )

-- because: no FROM could hold
SELECT area FROM state WHERE area IN ( SELECT id FROM »city )

-- because: id is in more than one source
SELECT 1 FROM city , state AS T1 WHERE »id = 1

-- because: id is not once on both sides
SELECT 1 FROM state JOIN city USING ( »id )

-- because: no other column in common
SELECT 1 FROM state AS T1 JOIN city USING ( name », id )
