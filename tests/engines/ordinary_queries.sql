-- Ordinary queries that models and people write, one a line, for both servers and for each.

-- both
SELECT * FROM orders WHERE status = 'open' ORDER BY id DESC LIMIT 2 OFFSET 1
SELECT c.name, COUNT(*) AS n, SUM(o.total) FROM customers c JOIN orders o ON o.customer = c.id GROUP BY c.name HAVING COUNT(*) >= 1 ORDER BY n DESC, c.name
SELECT c.name FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id WHERE o.id IS NULL
SELECT name FROM customers WHERE id NOT IN (SELECT customer FROM orders WHERE customer IS NOT NULL)
SELECT name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id)
WITH big AS (SELECT * FROM orders WHERE total > 10), per AS (SELECT customer, MAX(total) AS m FROM big GROUP BY customer) SELECT c.name, per.m FROM per JOIN customers c ON c.id = per.customer ORDER BY 1
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n
SELECT id, ROW_NUMBER() OVER (PARTITION BY customer ORDER BY total DESC) AS r, LAG(total, 1) OVER (ORDER BY id) FROM orders ORDER BY id
SELECT id, SUM(total) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM orders ORDER BY id
SELECT CASE WHEN total > 20 THEN 'big' WHEN total IS NULL THEN NULL ELSE 'small' END AS size, COUNT(*) FROM orders GROUP BY size ORDER BY size
SELECT status FROM orders UNION SELECT name FROM customers ORDER BY 1
(SELECT id FROM orders WHERE total > 20) UNION ALL (SELECT id FROM customers LIMIT 1)
SELECT UPPER(SUBSTRING(name, 1, 2)), TRIM(BOTH ' ' FROM name), CONCAT(name, '!'), LENGTH(name) FROM customers
SELECT ROUND(AVG(total), 2), COALESCE(MIN(total), 0), ABS(-3), MOD(7, 3), NULLIF(1, 1) FROM orders
SELECT EXTRACT(YEAR FROM day), EXTRACT(MONTH FROM day), COUNT(DISTINCT customer) FROM orders GROUP BY 1, 2 ORDER BY 1, 2
SELECT id FROM orders WHERE day BETWEEN '2024-01-01' AND '2024-02-29' AND status LIKE 'o%' OR NOT total > 3
SELECT CAST(total AS DECIMAL(10, 1)), CAST(id AS CHAR(5)) FROM orders ORDER BY id
SELECT 'it''s 50% of \ "x" `y` -- no /* comment */; really' AS text FROM orders LIMIT 1
SELECT a.id, b.id FROM orders a, orders b WHERE a.customer = b.customer AND a.id < b.id ORDER BY 1, 2
SELECT DISTINCT status FROM orders ORDER BY status -- the states
SELECT COUNT(*) * 100.0 / (SELECT COUNT(*) FROM orders) AS share FROM orders WHERE status = 'open'
SELECT o.* FROM orders o WHERE (o.customer, o.total) IN (SELECT customer, MAX(total) FROM orders GROUP BY customer) ORDER BY id

-- mysql
SELECT DATE_FORMAT(day, '%Y-%m') AS month, SUM(total) FROM orders GROUP BY month ORDER BY month
SELECT name FROM customers WHERE name RLIKE '^A' OR name NOT REGEXP 'e$' ORDER BY name
SELECT `id`, "text", IF(total > 3, 'a', 'b'), IFNULL(total, 0) FROM `orders` ORDER BY `id`
SELECT id FROM orders WHERE day >= DATE_SUB('2024-04-01', INTERVAL 2 MONTH) AND day < '2024-04-01' + INTERVAL 1 DAY
SELECT DATEDIFF(day, '2024-01-01'), TIMESTAMPDIFF(DAY, day, '2025-01-01'), YEAR(day), MONTHNAME(day) FROM orders
SELECT GROUP_CONCAT(DISTINCT status ORDER BY status DESC SEPARATOR '; ') FROM orders
SELECT status, COUNT(*) FROM orders GROUP BY status WITH ROLLUP
SELECT 7 DIV 2, 7 MOD 2, 7 % 2, 1 <=> NULL, TRUE XOR FALSE, !0, 1 && 0, 1 || 0, 5 ^ 1, ~1 & 7, 1 << 2
SELECT name FROM customers JOIN orders ON customer = customers.id JOIN (SELECT 1 AS one) x LIMIT 1
SELECT id FROM orders LIMIT 1, 2
SELECT JSON_EXTRACT('{"a": [1, 2]}', '$.a[1]'), JSON_UNQUOTE(JSON_EXTRACT('{"a": "b"}', '$.a'))
SELECT 'a' 'b', N'c', x'41', 0x42, b'1', 'a\'b\n\\', _utf8mb4'x' COLLATE utf8mb4_bin, BINARY 'a' = 'A'
SELECT CONVERT('12', SIGNED), CONVERT(name USING utf8mb4), CAST('2024-01-01' AS DATETIME) FROM customers LIMIT 1
SELECT DATE '2024-01-01', TIME '10:00:00', TIMESTAMP '2024-01-01 10:00:00', POSITION('b' IN 'abc')

-- postgres
SELECT to_char(day, 'YYYY-MM') AS month, SUM(total) FROM orders GROUP BY month ORDER BY month
SELECT date_trunc('month', day)::date, COUNT(*) FILTER (WHERE total > 3) FROM orders GROUP BY 1 ORDER BY 1
SELECT name FROM customers WHERE name ILIKE 'a%' OR name ~* 'o' OR name !~ 'z' OR name SIMILAR TO 'B%'
SELECT day + INTERVAL '1 month' - INTERVAL '2' DAY, AGE('2024-04-01', day), day - DATE '2024-01-01' FROM orders
SELECT DISTINCT ON (customer) customer, total FROM orders ORDER BY customer, total DESC NULLS LAST
SELECT string_agg(DISTINCT status, ', ' ORDER BY status), array_agg(id ORDER BY id) FROM orders
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total), mode() WITHIN GROUP (ORDER BY status) FROM orders
SELECT m, COUNT(o.id) FROM generate_series(1, 3) AS m LEFT JOIN orders o ON EXTRACT(MONTH FROM o.day) = m GROUP BY m ORDER BY m
SELECT d::date FROM generate_series('2024-01-01'::timestamp, '2024-01-03', '1 day') AS d
SELECT status, customer, SUM(total) FROM orders GROUP BY GROUPING SETS ((status), (customer), ()) ORDER BY 1, 2
SELECT c.name, x.total FROM customers c CROSS JOIN LATERAL (SELECT total FROM orders o WHERE o.customer = c.id ORDER BY total DESC LIMIT 1) x ORDER BY 1
SELECT v.a, v.b FROM (VALUES (1, 'x'), (2, 'y')) AS v (a, b)
SELECT '{"a": {"b": [1, 2]}}'::jsonb -> 'a' -> 'b' ->> 0, '{"a": 1}'::json #>> '{a}', '[1]'::jsonb @> '1'
SELECT e.key, e.value FROM jsonb_each_text('{"a": 1}') AS e
SELECT unnest(ARRAY[1, 2]), (ARRAY['a', 'b'])[2], 2 = ANY(ARRAY[1, 2]), 'a' || 'b' || 1, 2 ^ 3, |/ 9, 7 % 3
SELECT mood::text, mood = 'happy' FROM customers WHERE mood > 'sad'::mood ORDER BY id
SELECT id FROM orders ORDER BY total DESC NULLS LAST FETCH FIRST 2 ROWS ONLY
SELECT total::numeric(10, 1), total::int, total::text, "orders"."id" FROM orders ORDER BY id
SELECT 1 IS DISTINCT FROM NULL, TRUE IS NOT FALSE, NULL IS UNKNOWN, 1 BETWEEN SYMMETRIC 2 AND 0, 5 NOTNULL
SELECT substring('abc' FROM 2), overlay('abc' PLACING 'x' FROM 2), position('b' IN 'abc'), split_part('a-b', '-', 2)
SELECT day AT TIME ZONE 'UTC', make_date(2024, 1, 2), date_part('dow', day), to_date('2024', 'YYYY') FROM orders
SELECT json_build_object('id', id, 'total', total) FROM orders ORDER BY id LIMIT 1
SELECT id FROM public.orders AS o WHERE o.status IN ('open', 'paid') AND regexp_replace(o.status, 'o', '0') <> ''
SELECT $$it's$$ AS a, 'C:\dir' AS b
SELECT EXISTS ((SELECT 1)), -'3'::text::int, '{1,2}'::text::int[], ('{1,2}'::text::int[])[1], a::text::date FROM (SELECT DATE '2024-01-01' AS a) x
