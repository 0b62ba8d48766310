-- What people and language models write beyond what a network of ours does.
-- wide: yes

-- on: postgres
SELECT ARRAY_AGG(name) , JSON_AGG('x' :: TEXT) FROM city
SELECT id :: NUMERIC(11, 2) , 1 :: NUMERIC(3, 2) FROM city LIMIT 10
SELECT id AS n FROM city ORDER BY n FETCH FIRST 2 ROWS ONLY
SELECT 3 & 1 + 1 , 2 # 1 FROM city
SELECT POSITION((name COLLATE "C") IN 'x') , name COLLATE "C" < 'x' FROM city
SELECT name FROM city WHERE POSITION(UPPER(name COLLATE "C") IN 'x') > 1 ORDER BY name COLLATE "C"

-- on: mysql
SELECT id AS n FROM city ORDER BY n DESC OFFSET 3 ROWS FETCH FIRST 2 ROWS ONLY
SELECT ! id = 1 , - ! id FROM city WHERE ! people
SELECT 3 & 1 + 1 , 2 ^ 3 , id + INTERVAL 1 DAY | 2 FROM city
SELECT (people & 4) + 1 , ~ id & 7 FROM city WHERE people & 4 = 0
SELECT JSON_SEARCH(name, 'one', 'x') FROM city

-- bits of a number below 0 fill a BIGINT UNSIGNED
-- on: mysql
SELECT ~ id + »1 FROM city
SELECT (id | people) »* 2 FROM city
SELECT JSON_SEARCH(name, 'one', 'x'», 'yz') FROM city

-- on: postgres
SELECT id :: NUMERIC(10, »2) FROM city
SELECT 12 :: NUMERIC(3, »2)
SELECT 1 :: NUMERIC(3, »4)

-- sums come before bits, to all engines
-- on: postgres
SELECT 3 & 1 + »0.5
SELECT - NULL »| 1

-- sums come before bits, to all engines
-- on: mysql
SELECT 2 * 3 ^ »9223372036854775807

-- COLLATE stands in brackets
-- on: postgres
SELECT POSITION(name »COLLATE "C" IN 'x') FROM city
SELECT name BETWEEN 'a' »COLLATE "C" AND 'b' FROM city

-- the engine cannot tell the type of the text
-- on: postgres
SELECT ARRAY_AGG('x'»)
SELECT JSONB_AGG(('x')»)

-- + 2 is a position to some engines
-- on: sqlite
SELECT * FROM city ORDER BY + (24)»

-- the engine takes it for a position all the same
-- on: sqlite
SELECT id FROM city ORDER BY 123 COLLATE RTRIM»
SELECT id FROM city GROUP BY 123 COLLATE RTRIM»

-- + 2 is a position to some engines
-- on: mysql
SELECT id FROM city GROUP BY + 2»

-- + 2 is a position to some engines
-- on: postgres
SELECT id FROM city UNION SELECT id FROM state ORDER BY »+ 1

-- the checksum has no sign
-- on: mysql
SELECT - CRC32(name) - 1 - »CRC32(name) FROM city

SELECT state_id , COUNT ( * ) FROM city GROUP BY 1 ORDER BY 2 DESC
SELECT people + 1 , COUNT ( * ) FROM city GROUP BY 1
SELECT ALL + people FROM city
SELECT COUNT ( ALL people ) FROM city
SELECT name FROM city UNION SELECT name FROM state ORDER BY 1
SELECT 1 WHERE 2 > 1

-- no item of the select list
SELECT name FROM city ORDER BY »2
SELECT * FROM state ORDER BY »5
SELECT name , COUNT ( * ) FROM city GROUP BY »2
SELECT name FROM city UNION SELECT name FROM state ORDER BY »2

-- two units are one of INTERVAL and EXTRACT alone
-- on: mysql
SELECT name FROM city WHERE NOW() + INTERVAL '1:30' HOUR_MINUTE > NOW() - INTERVAL '1-2' YEAR_MONTH
SELECT EXTRACT(DAY_HOUR FROM NOW()) FROM city
SELECT TIMESTAMPADD(MICROSECOND, 1, NOW()) FROM city

-- a UUID is no number, although MySQL's is a text
-- on: mysql
SELECT UUID(), COUNT(*) FROM city WHERE UUID() = name
SELECT UUID() »^ 1 FROM city

-- FLOOR and CEIL of what has no sign have none: less than 0 is an error of BIGINT UNSIGNED
-- on: mysql
-- tables: t(a INTEGER UNSIGNED, b INTEGER)
SELECT FLOOR(b) - 7 FROM t
SELECT FLOOR(a) - »7 FROM t
