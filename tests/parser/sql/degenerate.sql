-- Queries that are meant (=), and that nobody means (!).

-- they show the value that the question has given
SELECT a.x FROM a WHERE a.x = 'v'
! degenerate
SELECT a.x FROM a JOIN b ON a.x = b.y WHERE b.y = 'v' AND b.z > 1
! degenerate
SELECT a.x, b.w FROM a JOIN b ON a.x = b.y JOIN c ON b.w = c.w WHERE a.x = 1 AND c.w = 2
! degenerate
SELECT a.x FROM a WHERE a.x = 'it''s'
! degenerate
SELECT a.x FROM a WHERE a.x = -5
! degenerate
SELECT a.x FROM a WHERE a.x = CAST('2024-01-01' AS DATE)
! degenerate
SELECT a.x FROM a LEFT JOIN b ON a.x = b.y AND b.y = 'v'
= meant
SELECT a.x FROM a WHERE a.x = (SELECT MAX(b.y) FROM b)
= meant
SELECT a.x FROM a WHERE a.x = a.y
= meant
SELECT a.x FROM a WHERE a.x = (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
= meant
SELECT a.x, a.z FROM a WHERE a.x = 'v'
= meant
SELECT a.x FROM a WHERE a.x = 'v' OR a.x = 'w'
= meant
SELECT a.x FROM a WHERE a.x <> 'v'
= meant
SELECT a.x FROM a WHERE a.x IN (SELECT b.y FROM b WHERE b.y = 'v')
= meant
SELECT COUNT(*) FROM a WHERE a.x = 'v'
= meant
SELECT a.x FROM a WHERE a.x = 'v' UNION SELECT a.z FROM a
= meant

-- they sort the one row that they have
SELECT SUM(a.x) FROM a ORDER BY a.y DESC LIMIT 3
! degenerate
SELECT COUNT(*), AVG(a.x) + 1 FROM a ORDER BY a.y
! degenerate
SELECT a.z FROM a WHERE a.x > (SELECT AVG(a.x) FROM a ORDER BY a.y LIMIT 3)
! degenerate
SELECT SUM(a.x) FROM (SELECT a.x FROM a ORDER BY a.y LIMIT 3) AS a
= meant
SELECT a.z, SUM(a.x) FROM a GROUP BY a.z ORDER BY SUM(a.x) DESC
= meant
SELECT SUM(a.x) FROM a GROUP BY a.z ORDER BY a.z
= meant
SELECT a.x, SUM(a.y) OVER (ORDER BY a.z) FROM a ORDER BY a.x
= meant
SELECT SUM(a.y) OVER (ORDER BY a.z) FROM a ORDER BY a.x
= meant
SELECT (SELECT MAX(b.y) FROM b) FROM a ORDER BY a.x
= meant

-- they join columns of different keys
SELECT m.name FROM nomination AS n JOIN museum AS m ON n.festival_id = m.museum_id
! other keys
SELECT museum.name FROM museum WHERE museum.museum_id IN (SELECT opening.festival FROM opening)
! other keys
SELECT museum.name FROM artwork JOIN museum ON museum.museum_id = artwork.artwork_id
! other keys
SELECT f.name FROM nomination AS n JOIN festival AS f ON n.festival_id = f.id
= meant
SELECT o.day FROM nomination AS n JOIN opening AS o ON n.festival_id = o.festival
= meant
SELECT loan.museum_id FROM loan JOIN artwork ON loan.artwork_id = artwork.artwork_id
= meant
SELECT a.name FROM artwork AS a JOIN museum AS m ON a.made_by = m.founder
= meant
SELECT a.name FROM artwork AS a JOIN museum AS m ON a.made_by = m.museum_id
= meant
SELECT artwork.name FROM artwork WHERE artwork.artwork_id IN (SELECT museum.founder FROM museum)
= meant
SELECT museum.name FROM museum WHERE museum.museum_id IN (1, 2)
= meant
SELECT not sql ON (
= meant
