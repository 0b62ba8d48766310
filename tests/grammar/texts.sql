-- Texts as models write them, judged byte by byte: » stands before the byte that is refused.
-- tables: singer(*singer_id INTEGER, Name TEXT, Age INTEGER, born DATE) concert(*concert_id INTEGER, singer_id INTEGER > singer.singer_id, Price DECIMAL(8, 2))

-- what is admitted in each dialect
SELECT Name FROM singer
select name from singer where age > 20 order by age desc limit 3;
SeLeCt NAME fRoM singer WhErE aGe>20 AnD AGE<=30
SELECT T1.Name,T2.Price FROM singer AS T1 JOIN concert AS T2 ON T1.singer_id=T2.singer_id
SELECT T9.Name FROM singer AS T9
SELECT t1.Name FROM singer t1 WHERE t1.Age IS NOT NULL
SELECT a.Name, b.Price FROM singer a, concert b WHERE a.singer_id = b.singer_id
SELECT s.Name FROM singer AS s WHERE EXISTS (SELECT 1 FROM concert AS c WHERE c.singer_id = s.singer_id)
SELECT singer.Name FROM singer WHERE singer.Age BETWEEN 20 AND 30
SELECT Name FROM singer WHERE Name = 'O''Brien' OR Name LIKE '%né%' OR Name IN ('周杰伦', '')
SELECT COUNT(*) AS how_many FROM singer ORDER BY how_many DESC
SELECT Age, AVG(Age) AS average_age_2 FROM singer GROUP BY Age HAVING AVG(Age)>=10.50 ORDER BY average_age_2
SELECT AVG(Price)*2-1 FROM concert WHERE Price>=0.5 AND concert_id!=100000
SELECT q.n FROM (SELECT COUNT(*) AS n FROM singer) AS q
SELECT Name FROM singer UNION SELECT Name FROM singer WHERE Age < 18 ;
SELECT CASE WHEN Age < 18 THEN 'a' ELSE 'b' END FROM singer
SELECT * FROM singer LEFT JOIN concert ON singer.singer_id = concert.singer_id WHERE concert_id IS NULL
SELECT (Age)FROM singer WHERE(Age)IN(1,2)
select name, rank() over(partition by Age order by singer_id desc) as r, SUM(Age) OVER () from singer order by r
SELECT q.Name FROM (SELECT Name, ROW_NUMBER() OVER (ORDER BY Age) AS n FROM singer) AS q WHERE q.n <= 3
with old as (select Name, Age from singer where Age > 60) select Name, old.Age from old order by Age
WITH c AS (SELECT Age, COUNT(*) AS n FROM singer GROUP BY Age) SELECT x.*, y.n FROM c x, c AS y WHERE x.n > y.n
WITH c AS (SELECT COUNT(*) AS n FROM singer GROUP BY Age) SELECT SUM(n) FROM c WHERE n > (SELECT AVG(n) FROM c)

-- on: sqlite
SELECT "Name" FROM "singer"
SELECT `Name` FROM `singer` AS x
SELECT T1.`NAME` FROM SINGER AS t1
SELECT COUNT (*) FROM singer
SELECT Name FROM singer WHERE Name = '\'

-- on: mysql
SELECT `Name` FROM `singer`
SELECT x.`NAME` FROM singer AS x
SELECT Age MOD 2, MOD(Age, 2) FROM singer
SELECT LEFT(Name, 1) FROM singer LEFT JOIN concert ON 1 = 1

-- on: postgres
SELECT "singer_id" FROM singer AS x
SELECT "singer"."singer_id" FROM "singer"
SELECT COUNT (*) FROM singer
SELECT Name FROM singer WHERE born>'2000-02-29'

-- a function of MySQL touches its bracket, and its tables are told apart by case
-- on: mysql
SELECT COUNT(*) FROM singer
SELECT COUNT» (*) FROM singer
SELECT Name FROM »SINGER
SELECT x.Name FROM singer AS X»

-- what would not run is refused where it goes wrong
SELECT Age /»* all */ FROM singer
SELECT Nam» FROM singer
SELECT z»zz FROM singer
SELECT Price FROM singer»
SELECT singer.»Price FROM singer
SELECT T1.Name FROM singer»
SELECT Name FROM singer WHERE Age > 20»T
SELECT Name FROM singer WHERE Age > 0»20
SELECT Name FROM singer WHERE Age > 20 AN»
SELECT Name FROM singer WHERE Name = 'abc»
SELECT Name FROM singer LIMIT»
SELECT LAG(Age) OVER (») FROM singer
SELECT Name FROM singer WHERE RAN»K(
SELECT Name FROM singer;» SELECT
WITH singer» AS (SELECT
WITH a AS (SELECT 1 AS n), a» AS (
WITH a AS (SELECT 1 AS n) SELECT n FROM »b
WITH a AS (SELECT 1 AS n) SELECT n, m» FROM
WITH a AS (SELECT 1 AS n) SELECT n FROM a, »a WHERE
WITH a AS (SELECT 1 AS n)»
SELECT Age AS Name2x FROM singer WHERE (Age»

-- names that are no identifiers
-- tables: 城市(*名称 TEXT, 人口 INTEGER, 省 VARCHAR(20)) 省(省 VARCHAR(20), 面积 DOUBLE PRECISION)
SELECT 名称,人口 FROM 城市 WHERE 省 = '江苏'
SELECT a.名称 FROM 城市 AS a JOIN 省 ON a.省 = 省.省

-- line breaks, written as ⏎, and comments
-- tables: singer(*singer_id INTEGER, Name TEXT, Age INTEGER, born DATE) concert(*concert_id INTEGER, singer_id INTEGER > singer.singer_id, Price DECIMAL(8, 2))
SELECT	Name⏎	FROM singer⏎⏎    WHERE Age	=	3⏎
WITH per AS (SELECT singer_id, COUNT(*) AS shows FROM concert GROUP BY singer_id),⏎  most AS (SELECT MAX(shows) AS top FROM per)⏎SELECT s.Name, per.shows*2 FROM singer s JOIN per ON per.singer_id=s.singer_id, most WHERE shows=top
SELECT Age -»- all⏎FROM singer
»-- a⏎SELECT Name FROM singer
SELECT Name FROM singer WHERE Name = 'a»⏎b'

-- strange names stand in quotes
-- tables: order(my TEXT, select TEXT, group TEXT)
-- on: sqlite
SELECT my, `select`, "group" FROM "order"

-- on: mysql
SELECT »"select" FROM `order`

-- on: postgres
SELECT »`select` FROM `order`

-- numbers stand for items of the select list, and for no others
-- tables: singer(*singer_id INTEGER, Name TEXT, Age INTEGER, born DATE)
SELECT born, COUNT(*) FROM singer GROUP BY 1 ORDER BY 2
SELECT born, COUNT(*) FROM singer GROUP BY 1 ORDER BY 3»
SELECT born, + singer_id FROM singer GROUP BY 1, 2
SELECT born, + singer_id FROM singer GROUP BY 1, 3»

-- a name that a derived table makes up comes behind a point
SELECT x.t FROM (SELECT Age AS t FROM singer) AS x GROUP BY x.t

-- an alias is called as it is written, where case tells sources apart
-- on: mysql
SELECT singer.Age FROM singer singer
SELECT singer.Age FROM singer S»inger
