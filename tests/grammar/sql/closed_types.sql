-- MariaDB's shapes, addresses, UUIDs and JSON: few functions take them, and all but JSON compare with texts alone.

-- tables: site(id UUID, spot POINT, host INET4, name VARCHAR(20), size INTEGER, opened DATE) visit(id UUID, area POLYGON, size INTEGER)

-- on: mysql
SELECT id, spot, host FROM site WHERE host = '10.0.0.1' ORDER BY id
SELECT site.name FROM site, visit WHERE site.id = visit.id AND spot IS NOT NULL
SELECT name FROM site WHERE id IN (SELECT visit.id FROM visit WHERE size > 3)
SELECT COUNT(spot), COUNT(DISTINCT host) FROM site GROUP BY id
SELECT CASE WHEN size > 3 THEN id ELSE 'none' END FROM site
SELECT * FROM site UNION SELECT * FROM site
SELECT host FROM site UNION SELECT name FROM site

-- on: mysql
SELECT name FROM site WHERE id»
SELECT name FROM site WHERE NOT spot»
SELECT name FROM site WHERE id = »3
SELECT name FROM site WHERE size <> »id
SELECT name FROM site WHERE id = »host
SELECT name FROM site WHERE size IN (2, »id)
SELECT name FROM site WHERE opened BETWEEN »spot AND NULL
SELECT id »+ 1 FROM site
SELECT YEAR(»id) FROM site
SELECT CASE size WHEN id »THEN 1 END FROM site
SELECT CASE WHEN size > 3 THEN spot ELSE »size END FROM site
SELECT id FROM site UNION SELECT »size FROM site
SELECT host AS n FROM site GROUP BY host HAVING »n > 3
SELECT name FROM site WHERE spot IN (SELECT name FROM site »UNION SELECT size FROM visit)
SELECT t.name FROM (SELECT id »AS name FROM site) AS t WHERE t.name > 3

-- JSON is replaced by JSON alone
-- tables: note(doc JSON, draft JSON, size INTEGER)

-- on: mysql
SELECT IFNULL(doc, draft) FROM note
SELECT COALESCE(doc, draft, NULL) FROM note
SELECT COALESCE(NULL, doc) FROM note

-- on: mysql
-- because: IFNULL does not take span, int
SELECT IFNULL(doc, »size) FROM note

-- on: mysql
-- because: COALESCE does not take int, span
SELECT COALESCE(size, »doc) FROM note
