-- Queries as people write them every day, which the rules must not stand in the way of, in each dialect.

-- tables: sale(*id INTEGER, shop_id INTEGER, kind VARCHAR(10), price NUMERIC(8, 2) text, made TIMESTAMP, sold DATE) shop(*id INTEGER, name TEXT, size DOUBLE PRECISION, staff BIGINT, open BOOLEAN)

SELECT shop.name, COUNT(*) AS n FROM shop JOIN sale ON shop.id = shop_id GROUP BY shop.name ORDER BY n LIMIT 5
SELECT name FROM shop WHERE size = (SELECT MAX(size) FROM shop)
SELECT kind FROM sale WHERE sold = (SELECT MAX(sold) FROM sale)
SELECT kind FROM sale WHERE made > (SELECT MIN(made) FROM sale)
SELECT SUM(price) / NULLIF(COUNT(*), 0) FROM sale
SELECT ROUND(100.0 * COUNT(DISTINCT shop_id) / NULLIF(COUNT(*), 0), 1) FROM sale
SELECT COALESCE(staff, 0), NULLIF(staff, 0) FROM shop
SELECT MAX(shop_id) - MIN(shop_id) FROM sale
SELECT CASE WHEN size > 10 THEN 'large' ELSE 'small' END AS x, COUNT(*) FROM shop GROUP BY x
SELECT FLOOR(size), COUNT(*) FROM shop GROUP BY FLOOR(size)
SELECT q.kind FROM (SELECT kind, COUNT(*) AS n FROM sale GROUP BY kind) AS q WHERE q.n > 2 ORDER BY q.n
SELECT name FROM shop JOIN (SELECT shop_id, SUM(price) AS n FROM sale GROUP BY shop_id) AS q ON q.shop_id = id WHERE q.n > 100
SELECT name FROM shop WHERE id NOT IN (SELECT shop_id FROM sale WHERE price > 5)
SELECT name FROM shop WHERE id IN (SELECT q.shop_id FROM (SELECT shop_id FROM sale GROUP BY shop_id) AS q)
SELECT name FROM shop WHERE NOT EXISTS (SELECT 1 FROM sale WHERE shop_id = shop.id)
SELECT kind, SUM(CASE WHEN price > 5 THEN 1 ELSE 0 END) FROM sale GROUP BY kind HAVING COUNT(*) > 1
SELECT * FROM sale ORDER BY made DESC LIMIT 10
SELECT s.* FROM sale AS s JOIN shop AS t ON t.id = s.shop_id WHERE t.name = 'x' ORDER BY s.made
SELECT * FROM shop AS a JOIN sale AS b ON a.id = b.shop_id ORDER BY b.price, a.name
SELECT * FROM (SELECT kind, price FROM sale) AS q ORDER BY q.price
SELECT DISTINCT * FROM shop ORDER BY 1
SELECT DISTINCT kind, price FROM sale ORDER BY price DESC LIMIT 3
SELECT name FROM shop ORDER BY LENGTH(name), name
SELECT name, (SELECT COUNT(*) FROM sale WHERE sale.shop_id = shop.id) AS n FROM shop ORDER BY n DESC
SELECT kind, price FROM sale AS s WHERE price = (SELECT MAX(price) FROM sale AS t WHERE t.kind = s.kind)
SELECT name FROM shop AS a WHERE 3 > (SELECT COUNT(*) FROM shop AS b WHERE b.size > a.size)
SELECT name FROM shop UNION ALL SELECT kind FROM sale ORDER BY name
SELECT COUNT(*) FROM (SELECT DISTINCT kind, shop_id FROM sale) AS q

-- on: postgres
SELECT shop.name, COUNT(*) FROM shop JOIN sale ON shop.id = shop_id GROUP BY shop.id
SELECT DATE_TRUNC('month', made) AS x, SUM(price) FROM sale GROUP BY x ORDER BY x
SELECT EXTRACT(YEAR FROM sold), COUNT(*) FROM sale GROUP BY EXTRACT(YEAR FROM sold)
SELECT EXTRACT(YEAR FROM MAX(made)) FROM sale
SELECT kind FROM sale WHERE made > NOW() - INTERVAL '7 days'
SELECT kind FROM sale WHERE made > (SELECT MAX(made) FROM sale) - INTERVAL '1 hour'
SELECT ROUND(size :: NUMERIC, 1) FROM shop
SELECT made :: DATE, COUNT(*) FROM sale GROUP BY made :: DATE
SELECT name :: VARCHAR(50) FROM shop
SELECT STRING_AGG(DISTINCT kind, ', ') FROM sale

-- on: mysql
SELECT YEAR(sold), MONTH(sold), COUNT(*) FROM sale GROUP BY YEAR(sold), MONTH(sold)
SELECT DATE_FORMAT(made, '%Y-%m') AS x, SUM(price) FROM sale GROUP BY x ORDER BY x
SELECT kind FROM sale WHERE made > NOW() - INTERVAL 7 DAY
SELECT GROUP_CONCAT(name) FROM shop
SELECT GROUP_CONCAT(DISTINCT name ORDER BY name SEPARATOR ', ') FROM shop
SELECT CAST(name AS SIGNED) FROM shop
SELECT CAST(AVG(price) AS DECIMAL(10, 2)), CAST(name AS CHAR(20)) FROM sale JOIN shop ON shop.id = shop_id GROUP BY CAST(name AS CHAR(20))

-- on: sqlite
SELECT shop.name, COUNT(*) FROM shop JOIN sale ON shop.id = shop_id GROUP BY shop.id
SELECT STRFTIME('%Y-%m', made), SUM(price) FROM sale GROUP BY STRFTIME('%Y-%m', made)
SELECT kind FROM sale WHERE sold >= DATE('now', '-7 days')
