-- Queries that show something (=), and those that show the value that the question has given (!).

SELECT a.x FROM a WHERE a.x = 'v'
! given
SELECT a.x FROM a JOIN b ON a.x = b.y WHERE b.y = 'v' AND b.z > 1
! given
SELECT a.x, b.w FROM a JOIN b ON a.x = b.y JOIN c ON b.w = c.w WHERE a.x = 1 AND c.w = 2
! given
SELECT a.x FROM a WHERE a.x = 'it''s'
! given
SELECT a.x FROM a WHERE a.x = -5
! given
SELECT a.x FROM a WHERE a.x = CAST('2024-01-01' AS DATE)
! given
SELECT a.x FROM a LEFT JOIN b ON a.x = b.y AND b.y = 'v'
= shown
SELECT a.x FROM a WHERE a.x = (SELECT MAX(b.y) FROM b)
= shown
SELECT a.x FROM a WHERE a.x = a.y
= shown
SELECT a.x FROM a WHERE a.x = (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
= shown
SELECT a.x, a.z FROM a WHERE a.x = 'v'
= shown
SELECT a.x FROM a WHERE a.x = 'v' OR a.x = 'w'
= shown
SELECT a.x FROM a WHERE a.x <> 'v'
= shown
SELECT a.x FROM a WHERE a.x IN (SELECT b.y FROM b WHERE b.y = 'v')
= shown
SELECT COUNT(*) FROM a WHERE a.x = 'v'
= shown
SELECT a.x FROM a WHERE a.x = 'v' UNION SELECT a.z FROM a
= shown
