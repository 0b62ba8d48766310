-- MySQL's ENUM and SET are texts to texts, and integers, of which nothing is known, to arithmetic.

-- tables: item(kind SET('x','y'), size ENUM('s','m'), count INTEGER UNSIGNED, name TEXT)

-- on: mysql
SELECT name FROM item WHERE kind = 'x' AND size IN ('s', 'm')
SELECT CONCAT(kind, '-', UPPER(size)) FROM item WHERE kind LIKE '%x%'
SELECT COALESCE(size, 'none'), COUNT(*), MAX(kind) FROM item GROUP BY size ORDER BY COUNT(*) DESC
SELECT CASE WHEN count > 3 THEN size ELSE name END FROM item
SELECT size FROM item UNION SELECT name FROM item
SELECT LENGTH(size), FIND_IN_SET('x', kind) FROM item

-- on: mysql
SELECT kind »* count FROM item
SELECT kind MOD 7 »* count FROM item
SELECT COALESCE(kind, 1) MOD 7 »* count FROM item
SELECT -»kind FROM item

-- PostgreSQL's are each a type of its own: beside one stand its own labels, columns of the same type, and NULL.

-- tables: ticket(phase phase enum('new','open','done'), size size enum('new','big'), title text, no int) desk(phase phase enum('new','open','done'), no int)

-- on: postgres
SELECT title FROM ticket WHERE phase = 'open' AND phase IN ('new', 'done') AND size = 'new'
SELECT title FROM ticket WHERE phase BETWEEN 'new' AND 'open' OR phase IS NULL
SELECT phase, COUNT(DISTINCT phase) FROM ticket GROUP BY phase ORDER BY MAX(phase)
SELECT COALESCE(phase, 'new'), CASE WHEN no > 3 THEN phase ELSE 'done' END FROM ticket
SELECT CASE phase WHEN 'new' THEN 1 ELSE 0 END, NULLIF(phase, 'new') FROM ticket
SELECT title FROM ticket JOIN desk ON ticket.phase = desk.phase
SELECT title FROM ticket WHERE phase :: TEXT = title OR CAST(phase AS TEXT) LIKE '%e%'
SELECT x.phase FROM (SELECT phase FROM ticket) AS x WHERE x.phase = 'done'
SELECT CONCAT(phase, title), phase || 'x' FROM ticket

-- on: postgres
SELECT title FROM ticket WHERE phase = »'closed'
SELECT title FROM ticket WHERE phase = »title
SELECT title FROM ticket WHERE ticket.phase = »ticket.size
SELECT title FROM ticket WHERE phase IN ('new', »'big')
SELECT title FROM ticket WHERE phase BETWEEN 'new' AND »'old'
SELECT COALESCE(phase, »'none') FROM ticket
SELECT CASE WHEN no > 3 THEN phase ELSE »title END FROM ticket
SELECT CASE phase WHEN »'closed' THEN 1 ELSE 0 END FROM ticket
SELECT title FROM ticket WHERE phase »LIKE 'n%'
SELECT UPPER(phase») FROM ticket
