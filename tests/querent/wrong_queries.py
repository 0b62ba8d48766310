"""Queries on the shop that ships, as language models write them wrongly, and what `querent validate` says of each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wrong:
    """A query as language models write it, and what is said of it; ``nearest`` None: nothing is a word away."""

    sql: str
    word: str
    rule: str
    problem: str
    nearest: str | None = None
    dialect: str = "sqlite"
    runs: bool | None = False


WRONG = [
    # names
    Wrong(
        "SELECT product_name FROM products WHERE unit_price > 10",
        "product_name",
        "names",
        "no column is called 'product_name'",
        "SELECT prod_name FROM products WHERE unit_price > 10",
    ),
    Wrong("SELECT cust_name FROM customer", "customer", "names", "no table", "SELECT cust_name FROM customers"),
    Wrong(
        "SELECT p.prod_name FROM products p WHERE p.price > 100",
        "p.price",
        "names",
        "'p' is products, which has no column 'price'",
        "SELECT p.prod_name FROM products p WHERE p.unit_price > 100",
    ),
    Wrong(
        "SELECT c.cust_name FROM customers WHERE c.city = 'Bergen'",
        "c.cust_name",
        "names",
        "no table or alias is called 'c'",
        "SELECT c.cust_name FROM customers c WHERE c.city = 'Bergen'",
    ),
    Wrong(
        "SELECT cust_name FROM customers WHERE country = Norway",
        "Norway",
        "names",
        "no column is called 'Norway'",
        "SELECT cust_name FROM customers WHERE country = 'Norway'",
    ),
    Wrong(
        "SELECT SUM(amount) AS total FROM payments ORDER BY totl",
        "totl",
        "names",
        "no column",
        "SELECT SUM(amount) AS total FROM payments ORDER BY total",
    ),
    # columns without their tables
    Wrong(
        "SELECT orders.status FROM customers WHERE customers.city = 'Bergen'",
        "orders.status",
        "sources",
        "orders is not in FROM",
    ),
    Wrong("SELECT prod_name FROM products WHERE stars > 3", "stars", "visible", "stars is not in FROM"),
    Wrong(
        "SELECT country FROM customers JOIN suppliers ON customers.city = suppliers.city",
        "country",
        "ambiguous",
        "country is in more than one source",
        "SELECT suppliers.country FROM customers JOIN suppliers ON customers.city = suppliers.city",
    ),
    # aggregates and groups
    Wrong(
        "SELECT cust_id FROM orders WHERE COUNT(*) > 2 GROUP BY cust_id",
        "COUNT",
        "aggregate place",
        "no aggregate may stand here",
    ),
    Wrong(
        "SELECT cust_id FROM orders WHERE COUNT(*) > 2 GROUP BY cust_id",
        "COUNT",
        "aggregate place",
        "no aggregate may stand here",
        dialect="postgres",
    ),
    Wrong("SELECT MAX(COUNT(*)) FROM orders GROUP BY cust_id", "COUNT", "aggregate place", "MAX may not hold another"),
    Wrong(
        "SELECT country, COUNT(*) FROM customers ORDER BY COUNT(*)",
        "country",
        "grouping",
        "country must be in GROUP BY",
        "SELECT country, COUNT(*) FROM customers GROUP BY country ORDER BY COUNT(*)",
        "postgres",
    ),
    Wrong(
        "SELECT country, city, COUNT(*) FROM customers GROUP BY country",
        "city",
        "grouping",
        "city must be in GROUP BY",
        "SELECT country, city, COUNT(*) FROM customers GROUP BY country, city",
        "mysql",
    ),
    # types
    Wrong(
        "SELECT prod_name FROM products WHERE stock_qty > 'many'",
        "'many'",
        "comparisons",
        "int and text do not compare",
        None,
        "postgres",
    ),
    Wrong(
        "SELECT prod_name FROM products WHERE stock_qty > '5'",
        "'5'",
        "comparisons",
        "int and text do not compare",
        "SELECT prod_name FROM products WHERE stock_qty > 5",
        "postgres",
    ),
    Wrong(
        "SELECT cust_id FROM orders WHERE ship_cost = (SELECT ship_cost FROM orders WHERE status = 'open')",
        ")",
        "single row",
        "the subquery may return several rows",
        "SELECT cust_id FROM orders WHERE ship_cost IN (SELECT ship_cost FROM orders WHERE status = 'open')",
        "postgres",
    ),
    # syntax
    Wrong("SELEC cust_name FROM customers", "SELEC", "grammar", "cannot come", "SELECT cust_name FROM customers"),
    Wrong(
        "SELECT cust_name FROM customers WHER city = 'Bergen'",
        "WHER",
        "grammar",
        "'WHER' is taken for an alias here",
        "SELECT cust_name FROM customers WHERE city = 'Bergen'",
    ),
    Wrong(
        "SELECT COUNT(cust_id FROM orders",
        "FROM",
        "grammar",
        "a bracket is still open",
        "SELECT COUNT(cust_id) FROM orders",
    ),
    Wrong(
        "SELECT cust_id FROM orders WHERE ship_cost > 5)",
        ")",
        "grammar",
        "no bracket is open",
        "SELECT cust_id FROM orders WHERE ship_cost > 5",
    ),
    Wrong(
        "SELECT country, COUNT(*) FROM customers GROUP country",
        "country",
        "grammar",
        "cannot come here",
        "SELECT country, COUNT(*) FROM customers GROUP BY country",
    ),
    Wrong("SELECT cust_name, FROM customers", "FROM", "grammar", "cannot come", "SELECT cust_name FROM customers"),
    Wrong(
        "SELECT cust_name FROM customers LIMIT 5 This returns five customers",
        "This",
        "grammar",
        "cannot come here",
        "SELECT cust_name FROM customers LIMIT 5",
    ),
    Wrong(
        "SELECT cust_name FROM customers WHERE city = 'Bergen",
        "'",
        "grammar",
        "the quote is never closed",
        "SELECT cust_name FROM customers WHERE city = 'Bergen'",
    ),
    Wrong(
        "SELECT cust_name FROM customers WHERE",
        "",
        "grammar",
        "the query cannot end here",
        "SELECT cust_name FROM customers",
    ),
    Wrong("  -- nothing", "", "grammar", "there is no query"),
    Wrong("SELECT cust_id FROM orders WHERE ship_cost BETWEEN 1 AND", "", "grammar", "the query cannot end here"),
    Wrong(
        "SELECT cust_name FROM customers WHERE email IS NOT",
        "",
        "grammar",
        "the query cannot end here",
        "SELECT cust_name FROM customers WHERE email IS NOT NULL",
    ),
    # what the grammar does not cover
    Wrong(
        "WITH a AS (SELECT city FROM customers) SELECT * FROM a",
        "WITH",
        "grammar",
        "outside of the grammar: WITH",
        runs=None,
    ),
    Wrong(
        "SELECT status, RANK() OVER (ORDER BY ship_cost) FROM orders",
        "RANK",
        "grammar",
        "outside of the grammar: a window function",
        runs=None,
    ),
    Wrong("SELECT SOUNDEX(city) FROM customers", "SOUNDEX", "grammar", "no function SOUNDEX is known", runs=None),
    Wrong("SELECT cust_id FROM orders HAVING COUNT(*) > 2", "HAVING", "aggregate place", "HAVING without a group"),
    Wrong("DELETE FROM orders", "DELETE", "grammar", "DELETE, which is no query", runs=None),
    Wrong(
        "SELECT city FROM main.customers",
        "main.customers",
        "grammar",
        "no database or schema",
        "SELECT city FROM customers",
        runs=None,
    ),
    Wrong("SELECT 1; SELECT 2", ";", "grammar", "a second statement", runs=None),
]
