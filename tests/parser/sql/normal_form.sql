-- Queries, each above its normal form.

-- names
select title from album
= SELECT Album.Title FROM Album
SELECT * FROM Album AS x
= SELECT * FROM Album
SELECT x.* FROM Album x
= SELECT Album.* FROM Album
SELECT "order" FROM Track
= SELECT Track."Order" FROM Track
SELECT Title FROM Album WHERE Title = "AC/DC"
= SELECT Album.Title FROM Album WHERE Album.Title = 'AC/DC'
SELECT Title FROM Album WHERE Title = "Mix"
= SELECT Album.Title FROM Album WHERE Album.Title = 'Mix'
SELECT Title FROM Album WHERE Title = '{text0}' AND AlbumId > {number0} LIMIT {number1}
= SELECT Album.Title FROM Album WHERE Album.Title = '{text0}' AND Album.AlbumId > {number0} LIMIT {number1}

-- outputs
SELECT count(*) AS n, Title t FROM Album GROUP BY t ORDER BY n DESC, 2 ASC
= SELECT COUNT(*), Album.Title FROM Album GROUP BY Album.Title ORDER BY COUNT(*) DESC, Album.Title
SELECT AlbumId + 1 AS n FROM Album WHERE n * 2 > 3 ORDER BY n
= SELECT Album.AlbumId + 1 FROM Album WHERE (Album.AlbumId + 1) * 2 > 3 ORDER BY Album.AlbumId + 1
SELECT count(*) AS Title FROM Album GROUP BY Title ORDER BY Title
= SELECT COUNT(*) FROM Album GROUP BY Album.Title ORDER BY COUNT(*)
SELECT Title, AlbumId FROM Album UNION SELECT Name, 1 FROM Artist ORDER BY AlbumId DESC, 1
= SELECT Album.Title, Album.AlbumId FROM Album UNION SELECT Artist.Name, 1 FROM Artist ORDER BY 2 DESC, 1
SELECT Title AS x FROM Album UNION SELECT Name FROM Artist ORDER BY x
= SELECT Album.Title FROM Album UNION SELECT Artist.Name FROM Artist ORDER BY 1

-- joins
SELECT T1.Title FROM Artist T2, Album T1 WHERE T2.ArtistId = T1.ArtistId AND T2.Name = 'x'
= SELECT Album.Title FROM Album JOIN Artist ON Album.ArtistId = Artist.ArtistId WHERE Artist.Name = 'x'
SELECT count(*) FROM Track c JOIN Album b JOIN Artist a ON c.AlbumId = b.AlbumId AND a.ArtistId = b.ArtistId
= SELECT COUNT(*) FROM Artist JOIN Album ON Artist.ArtistId = Album.ArtistId JOIN Track ON Album.AlbumId = Track.AlbumId
SELECT * FROM Track c INNER JOIN Album b ON b.AlbumId = c.AlbumId AND b.Title = 'x'
= SELECT * FROM Track JOIN Album ON Track.AlbumId = Album.AlbumId WHERE Album.Title = 'x'
SELECT Title FROM Track JOIN Album USING (AlbumId) WHERE AlbumId > 1
= SELECT Album.Title FROM Album JOIN Track ON Album.AlbumId = Track.AlbumId WHERE Track.AlbumId > 1
SELECT b.Title FROM Artist a LEFT OUTER JOIN Album b ON b.ArtistId = a.ArtistId, Track t WHERE t.AlbumId = 1
= SELECT Album.Title FROM Artist LEFT JOIN Album ON Artist.ArtistId = Album.ArtistId CROSS JOIN Track WHERE Track.AlbumId = 1
SELECT Artist.Name FROM Artist, Track WHERE Artist.Name < Track.Name
= SELECT Artist.Name FROM Artist JOIN Track ON Artist.Name < Track.Name
SELECT Title, Mix FROM Album, Track_2
= SELECT Album.Title, Track_2.Mix FROM Album CROSS JOIN Track_2

-- a table twice
SELECT b.Title FROM Album a JOIN Album b ON a.ArtistId = b.ArtistId WHERE a.Title = 'x'
= SELECT Album.Title FROM Album JOIN Album AS Album_2 ON Album.ArtistId = Album_2.ArtistId WHERE Album_2.Title = 'x'
SELECT a.Name FROM Track a, Track b WHERE a.AlbumId = b.AlbumId
= SELECT Track.Name FROM Track JOIN Track AS Track_3 ON Track.AlbumId = Track_3.AlbumId
SELECT Title FROM Album a WHERE AlbumId = (SELECT max(AlbumId) FROM Album b WHERE b.ArtistId = a.ArtistId)
= SELECT Album.Title FROM Album WHERE Album.AlbumId = (SELECT MAX(Album_2.AlbumId) FROM Album AS Album_2 WHERE Album_2.ArtistId = Album.ArtistId)
SELECT Title FROM Album a WHERE AlbumId = (SELECT max(AlbumId) FROM Album b)
= SELECT Album.Title FROM Album WHERE Album.AlbumId = (SELECT MAX(Album.AlbumId) FROM Album)
SELECT Title FROM Album a WHERE AlbumId > 1 AND (AlbumId = (SELECT max(AlbumId) FROM Track t) OR Title = 'x')
= SELECT Album.Title FROM Album WHERE Album.AlbumId > 1 AND (Album.AlbumId = (SELECT MAX(Track.AlbumId) FROM Track) OR Album.Title = 'x')
SELECT (SELECT max(AlbumId) FROM Artist b, Album t WHERE t.ArtistId = b.ArtistId) n FROM Track ORDER BY n + 1
= SELECT (SELECT MAX(Album.AlbumId) FROM Album JOIN Artist ON Album.ArtistId = Artist.ArtistId) FROM Track ORDER BY (SELECT MAX(Album.AlbumId) FROM Album JOIN Artist ON Album.ArtistId = Artist.ArtistId) + 1

-- derived tables
SELECT count(*) FROM (SELECT Title t FROM Album) x
= SELECT COUNT(*) FROM (SELECT Album.Title FROM Album)
SELECT max(x.n), t FROM (SELECT count(*) AS n, Title AS t FROM Album GROUP BY t) x
= SELECT MAX(t1.c1), t1.c2 FROM (SELECT COUNT(*) AS c1, Album.Title AS c2 FROM Album GROUP BY Album.Title) AS t1
SELECT count(*) FROM (SELECT Title t, max(AlbumId) m FROM Album GROUP BY t) x
= SELECT COUNT(*) FROM (SELECT Album.Title, MAX(Album.AlbumId) FROM Album GROUP BY Album.Title)

-- expressions
SELECT ((Title)) FROM Album WHERE (NOT (AlbumId IN (1)) AND NOT Title LIKE 'a') OR (AlbumId != 007)
= SELECT Album.Title FROM Album WHERE Album.AlbumId NOT IN (1) AND Album.Title NOT LIKE 'a' OR Album.AlbumId <> 7
SELECT Title FROM Album WHERE NOT Title IS NULL AND (AlbumId == 1.50 OR AlbumId = .5)
= SELECT Album.Title FROM Album WHERE Album.Title IS NOT NULL AND (Album.AlbumId = 1.5 OR Album.AlbumId = 0.5)
SELECT 1 - (2 - (3 * 4)) - (5 + 6), (1 - 2) - 3, 3.0 / (2), -(-1)
= SELECT 1 - (2 - 3 * 4) - (5 + 6), 1 - 2 - 3, 3.0 / 2, - (- 1)
SELECT -(Title || 1), (Title || 1) + 2, Title || (1 || 2) FROM Album WHERE (Title || 1) = 'x1'
= SELECT - (Album.Title || 1), (Album.Title || 1) + 2, Album.Title || (1 || 2) FROM Album WHERE Album.Title || 1 = 'x1'
SELECT COUNT(1), COUNT(DISTINCT(Title)) FROM Album
= SELECT COUNT(*), COUNT(DISTINCT Album.Title) FROM Album
SELECT Title FROM Album LIMIT 0, 3;
= SELECT Album.Title FROM Album LIMIT 3
SELECT Title FROM Album LIMIT 2, 3
= SELECT Album.Title FROM Album LIMIT 3 OFFSET 2

-- what has none
SELECT Titel FROM Album
! no column 'Titel'
SELECT Name FROM Artist, Track
! is in 2 sources
SELECT 1 FROM Nothing
! no table 'Nothing'
SELECT Title FROM Album FULL JOIN Artist ON 1
! FULL JOIN has no normal form
SELECT * FROM Album RIGHT JOIN Artist ON 1
! RIGHT JOIN has no normal form
SELECT Title FROM Track NATURAL JOIN Album
! NATURAL JOIN has no normal form
SELECT Title FROM (Album JOIN Artist ON Album.ArtistId = Artist.ArtistId)
! a join in brackets
WITH a AS (SELECT 1) SELECT * FROM a
! WITH is outside
SELECT Title FROM Album ORDER BY 2
! output 2 is unknown
SELECT Title FROM Album WHERE
! not sqlite
SELECT ROW_NUMBER() OVER (ORDER BY Title) FROM Album
! unknown name
