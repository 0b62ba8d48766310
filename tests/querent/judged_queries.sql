-- What is said of queries on the shop that ships: in front stands each dialect with + where the query runs, - where it
-- is not said to run, ! where it is refused, ? where it is undecided; test_validate.py reads it.
+sqlite | SELECT cust_name FROM customers
+sqlite | select CUST_NAME from Customers -- all of them
+sqlite | SELECT "cust_name" FROM customers WHERE city = "Bergen" /* in quotes of names */
+sqlite | SELECT c.cust_name, SUM(o.ship_cost) AS s FROM customers c JOIN orders AS o ON o.cust_id = c.cust_id GROUP BY c.cust_id HAVING COUNT(*) > 1 ORDER BY s DESC LIMIT 3;
+sqlite | SELECT t.n FROM (SELECT country, COUNT(*) AS n FROM customers GROUP BY country) AS t WHERE t.n > 1
+sqlite | SELECT cust_name FROM customers WHERE cust_id NOT IN (SELECT cust_id FROM orders)
+sqlite | SELECT c.cust_name AS c FROM customers AS c WHERE c.city = 'Bergen' ORDER BY c
+sqlite | SELECT c.cust_name AS o FROM customers AS c JOIN orders AS o ON o.cust_id = c.cust_id WHERE o.ship_cost > 5
+sqlite | SELECT SUM(n) FROM (SELECT country, COUNT(*) AS n FROM customers GROUP BY country) AS t
+sqlite | SELECT * FROM (SELECT city, ROW_NUMBER() OVER (ORDER BY cust_id) AS rn FROM customers) WHERE rn <= 3
+sqlite | SELECT k, label FROM (SELECT 1 AS k, 'x' AS label) AS v JOIN customers ON v.k = customers.cust_id
-- what is written with other words fails where it failed
-sqlite | WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE j < 9) SELECT i FROM n
-sqlite | SELECT t.m FROM (SELECT COUNT(*) AS n FROM customers) AS t
-sqlite | SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM customers) AS t, (SELECT COUNT(*) AS n FROM orders) AS s
-sqlite | SELECT SUM(o.ship_cost) OVER v FROM orders o WINDOW w AS (ORDER BY o.order_id)
-sqlite | SELECT city AS c FROM customers ORDER BY c DESC COLLATE NOCASE
-sqlite -mysql | SELECT t.a FROM (SELECT 1 AS b) AS t(a)
-mysql | SELECT SUM (n) FROM (SELECT COUNT(*) AS n FROM customers) AS t
-mysql | SELECT AVG(t.lines) FROM (SELECT COUNT(*) AS lines FROM orders) AS t
-postgres | SELECT PERCENTILE_CONT(-0.5) WITHIN GROUP (ORDER BY ship_cost) FROM orders
+postgres | SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY ship_cost) FROM orders
-- a recursion whose numbers grow
-mysql -postgres | WITH RECURSIVE f(n, p) AS (SELECT 1, 1 UNION ALL SELECT n + 1, p * 10 FROM f WHERE n < 40) SELECT p FROM f
-- what only the engine knows, and what it has by itself
?sqlite | SELECT c._rowid_ FROM customers c
?sqlite | SELECT cust_name AS z FROM customers WHERE z LIKE 'A%'
?mysql | SELECT _rowid FROM customers
?postgres | SELECT ctid FROM customers
?sqlite | SELECT name, sql FROM sqlite_master WHERE type = 'table'
?sqlite | SELECT p.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS p
?sqlite | SELECT rowid, cust_name FROM customers
?mysql | SELECT 1 FROM DUAL
?mysql | SELECT c.column_name FROM information_schema.columns AS c
?postgres | SELECT c.relname, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
?postgres | SELECT table_name FROM information_schema.tables
!sqlite | SELECT nme FROM customers
!sqlite | SELECT 1 FROM customrs, sqlite_master
!sqlite | SELECT 1 FROM dual
-- what begins no word before a name of nothing, few operands of IS, and keywords in quotes
-postgres | SELECT DISTINCT {} FROM goods
-postgres | SELECT cust_name FROM customers WHERE {} IN goods
!mysql !postgres | SELECT cust_name FROM customers WHERE city IS 'Bergen'
?mysql ?postgres | SELECT 'a IS b', 'LIMIT -', SQUIGGLE(city) FROM customers
-- bare names of derived tables; the rules are strict there, and in WITH the columns are known
+sqlite +mysql +postgres | SELECT cust_id, ship_cost FROM (SELECT cust_id, ship_cost, ROW_NUMBER() OVER (PARTITION BY cust_id ORDER BY ship_cost DESC) AS r FROM orders) AS d WHERE r <= 2
+sqlite ?mysql +postgres | SELECT cust_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cust_id ORDER BY ship_cost DESC) AS r FROM orders) AS d WHERE d.r <= 2
+sqlite ?mysql +postgres | SELECT cust_name FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cust_id ORDER BY ship_cost DESC) AS r FROM orders) AS d JOIN customers c ON c.cust_id = d.cust_id
+sqlite +mysql +postgres | SELECT d.cust_id, d.ship_cost FROM (SELECT cust_id, ship_cost, RANK() OVER (ORDER BY ship_cost) AS r FROM orders) AS d WHERE d.r <= 2
-- joins in brackets
+sqlite +mysql +postgres | SELECT c.cust_name FROM (customers c JOIN orders o ON o.cust_id = c.cust_id)
+sqlite +mysql !postgres | SELECT cust_name FROM (customers)
-- expressions are keys where the engine knows them again
+mysql +postgres | SELECT CASE WHEN ship_cost < 10 THEN 'low' ELSE 'high' END, COUNT(*) FROM orders GROUP BY CASE WHEN ship_cost < 10 THEN 'low' ELSE 'high' END ORDER BY CASE WHEN ship_cost < 10 THEN 'low' ELSE 'high' END DESC
-mysql | SELECT UPPER(CASE WHEN ship_cost < 10 THEN 'low' ELSE 'high' END), COUNT(*) FROM orders GROUP BY CASE WHEN ship_cost < 10 THEN 'low' ELSE 'high' END HAVING CASE WHEN ship_cost < 10 THEN 'low' ELSE 'high' END > 'i'
-mysql +postgres | SELECT CASE WHEN ship_cost < 10 AND order_id > 5 THEN 'low' ELSE 'high' END, COUNT(*) FROM orders GROUP BY CASE WHEN ship_cost < 10 AND order_id > 5 THEN 'low' ELSE 'high' END ORDER BY CASE WHEN ship_cost < 10 AND order_id > 5 THEN 'low' ELSE 'high' END
-mysql -postgres | SELECT CASE WHEN ship_cost < 10 THEN 'low' ELSE 'high' END, COUNT(*) FROM orders GROUP BY CASE WHEN ship_cost < 10 THEN 'Low' ELSE 'high' END
-mysql -postgres | SELECT ship_cost + order_id * 2 FROM orders GROUP BY ship_cost + order_id
-mysql -postgres | SELECT CASE WHEN ship_cost < 10 THEN 'low' ELSE 'high' END FROM orders ORDER BY , CASE WHEN ship_cost < 10 THEN 'low' ELSE 'high' END
-mysql -postgres | SELECT COUNT(*) FROM orders GROUP BY ship_cost ship_cost
-mysql -postgres | SELECT d FROM generate_series(DATE '2024-01-01', DATE '2024-02-01', INTERVAL '1 BY day') AS d
-mysql ?postgres | SELECT d FROM generate_series(DATE '2024-01-01', DATE '2024-02-01', INTERVAL '1 day') AS d
-mysql -postgres | SELECT j.k + 1 FROM orders, generate_series(MAX(order_id), 9) AS j(k)
-- what MariaDB counts; where a recursive step fills its table, a text is no condition
-mysql | WITH RECURSIVE r AS (SELECT 1 AS k UNION ALL SELECT DATE_ADD(k, INTERVAL 1 DAY) FROM r WHERE k < 9) SELECT k FROM r
-mysql | WITH RECURSIVE r AS (SELECT 1 AS k, 1 AS v UNION ALL SELECT k + 1, v || cust_name FROM r JOIN customers ON k < 9) SELECT v FROM r
-- refused, though it is rewritten before it is judged, and runs with what stands behind the arrow
-- likewise on tables of readings
postgres | SELECT nums @> ARRAY[«NULL→a»] FROM reading
postgres | SELECT nums && ARRAY[«1.5→1»] FROM reading
postgres | SELECT «codes→tags» && ARRAY['x'] FROM reading
postgres | SELECT COALESCE(docb, «'['→'[]'») FROM reading
postgres | SELECT COALESCE(nums, '«{a}→{1}»') FROM reading
postgres | SELECT tags || «'x'→ARRAY['x']» FROM reading
postgres | SELECT (string_to_array(note, ','))[1] «+ 1→|| 1» FROM reading
postgres | SELECT CASE WHEN a <> 0 THEN RANK() OVER (ORDER BY «10 / a→a») END FROM reading
postgres | SELECT note LIKE «'%!'→'%!%'» ESCAPE '!' FROM reading
postgres | SELECT note ~ '\m«+→»x' FROM reading
postgres | SELECT EXTRACT(YEAR FROM CASE WHEN a > 1 THEN «note→d» END) FROM reading
