-- Queries on the shop that ships, as language models write them wrongly: the word is between » and «, its rule and what is
-- said of it stand above; = is the nearest right query, a ? before the rule says that nobody knows whether it runs.

-- names

-- sqlite, names: no column is called 'product_name'
SELECT »product_name« FROM products WHERE unit_price > 10
= SELECT prod_name FROM products WHERE unit_price > 10

-- sqlite, names: no table
SELECT cust_name FROM »customer«
= SELECT cust_name FROM customers

-- sqlite, names: 'p' is products, which has no column 'price'
SELECT p.prod_name FROM products p WHERE »p.price« > 100
= SELECT p.prod_name FROM products p WHERE p.unit_price > 100

-- sqlite, names: no table or alias is called 'c'
SELECT »c.cust_name« FROM customers WHERE c.city = 'Bergen'
= SELECT c.cust_name FROM customers c WHERE c.city = 'Bergen'

-- sqlite, names: no column is called 'Norway'
SELECT cust_name FROM customers WHERE country = »Norway«
= SELECT cust_name FROM customers WHERE country = 'Norway'

-- sqlite, names: no column
SELECT SUM(amount) AS total FROM payments ORDER BY »totl«
= SELECT SUM(amount) AS total FROM payments ORDER BY total

-- columns without their tables

-- sqlite, sources: orders is not in FROM
SELECT »orders.status« FROM customers WHERE customers.city = 'Bergen'

-- sqlite, visible: stars is not in FROM
SELECT prod_name FROM products WHERE »stars« > 3

-- sqlite, ambiguous: country is in more than one source
SELECT »country« FROM customers JOIN suppliers ON customers.city = suppliers.city
= SELECT suppliers.country FROM customers JOIN suppliers ON customers.city = suppliers.city

-- aggregates and groups

-- sqlite, aggregate place: no aggregate may stand here
SELECT cust_id FROM orders WHERE »COUNT«(*) > 2 GROUP BY cust_id

-- postgres, aggregate place: no aggregate may stand here
SELECT cust_id FROM orders WHERE »COUNT«(*) > 2 GROUP BY cust_id

-- sqlite, aggregate place: MAX may not hold another
SELECT MAX(»COUNT«(*)) FROM orders GROUP BY cust_id

-- postgres, grouping: country must be in GROUP BY
SELECT »country«, COUNT(*) FROM customers ORDER BY COUNT(*)
= SELECT country, COUNT(*) FROM customers GROUP BY country ORDER BY COUNT(*)

-- mysql, grouping: city must be in GROUP BY
SELECT country, »city«, COUNT(*) FROM customers GROUP BY country
= SELECT country, city, COUNT(*) FROM customers GROUP BY country, city

-- types

-- postgres, comparisons: int and text do not compare
SELECT prod_name FROM products WHERE stock_qty > »'many'«

-- postgres, comparisons: int and text do not compare
SELECT prod_name FROM products WHERE stock_qty > »'5'«
= SELECT prod_name FROM products WHERE stock_qty > 5

-- postgres, single row: the subquery may return several rows
SELECT cust_id FROM orders WHERE ship_cost = (SELECT ship_cost FROM orders WHERE status = 'open'»)«
= SELECT cust_id FROM orders WHERE ship_cost IN (SELECT ship_cost FROM orders WHERE status = 'open')

-- syntax

-- sqlite, grammar: cannot come
»SELEC« cust_name FROM customers
= SELECT cust_name FROM customers

-- sqlite, grammar: 'WHER' is taken for an alias here
SELECT cust_name FROM customers »WHER« city = 'Bergen'
= SELECT cust_name FROM customers WHERE city = 'Bergen'

-- sqlite, grammar: a bracket is still open
SELECT COUNT(cust_id »FROM« orders
= SELECT COUNT(cust_id) FROM orders

-- sqlite, grammar: no bracket is open
SELECT cust_id FROM orders WHERE ship_cost > 5»)«
= SELECT cust_id FROM orders WHERE ship_cost > 5

-- sqlite, grammar: cannot come here
SELECT country, COUNT(*) FROM customers GROUP »country«
= SELECT country, COUNT(*) FROM customers GROUP BY country

-- sqlite, grammar: cannot come
SELECT cust_name, »FROM« customers
= SELECT cust_name FROM customers

-- sqlite, grammar: cannot come here
SELECT cust_name FROM customers LIMIT 5 »This« returns five customers

-- sqlite, grammar: the quote is never closed
SELECT cust_name FROM customers WHERE city = »'«Bergen
= SELECT cust_name FROM customers WHERE city = 'Bergen'

-- sqlite, grammar: the query cannot end here
SELECT cust_name FROM customers WHERE»«
= SELECT cust_name FROM customers

-- sqlite, grammar: there is no query
  -- nothing»«

-- sqlite, grammar: the query cannot end here
SELECT cust_id FROM orders WHERE ship_cost BETWEEN 1 AND»«

-- sqlite, grammar: the query cannot end here
SELECT cust_name FROM customers WHERE email IS NOT»«

-- what the grammar does not cover

-- sqlite, ?grammar: outside of the grammar: WITH RECURSIVE
WITH »RECURSIVE« a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a LEFT JOIN customers ON 1) SELECT a.n FROM a

-- sqlite, unique: table b has 1 values for 2 columns
»WITH« b(c, d) AS (SELECT city FROM customers) SELECT b.c FROM b

-- sqlite, unique: a table is called customers already (SQLite: circular reference: customers)
WITH »customers« AS (SELECT city FROM customers) SELECT city FROM customers

-- sqlite, ?grammar: outside of the grammar: the two sides have no column in common
WITH a AS (SELECT cust_id FROM orders) SELECT cust_name FROM customers RIGHT JOIN a »USING« (cust_id)

-- sqlite, unique: a query of WITH is called a already
WITH a AS (SELECT city FROM customers), »a« AS (SELECT cust_id FROM orders) SELECT city FROM a

-- sqlite, names: 'a' shows no column 'town'
WITH a AS (SELECT city FROM customers) SELECT »a.town« FROM a

-- sqlite, names: no table is called 'b'
WITH a AS (SELECT city FROM customers) SELECT a.city FROM »b«

-- sqlite, names: no column is called 'm'
WITH a AS (SELECT COUNT(*) AS n FROM customers) SELECT »m« FROM a

-- sqlite, ?grammar: outside of the grammar: '2.5' cannot come here
SELECT status, SUM(ship_cost) OVER (ORDER BY order_id RANGE »2.5« PRECEDING) FROM orders

-- sqlite, aggregate place: window functions stand in SELECT and ORDER BY alone
SELECT status FROM orders WHERE »RANK«() OVER (ORDER BY ship_cost) < 3

-- sqlite, ?grammar: no function SOUNDEX is known
SELECT »SOUNDEX«(city) FROM customers

-- sqlite, aggregate place: HAVING without a group
SELECT cust_id FROM orders »HAVING« COUNT(*) > 2

-- sqlite, ?grammar: DELETE, which is no query
»DELETE« FROM orders

-- sqlite, ?grammar: no database or schema
SELECT city FROM »main.customers«
= SELECT city FROM customers

-- sqlite, ?grammar: a second statement
SELECT 1»;« SELECT 2
