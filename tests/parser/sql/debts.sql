-- Customers and their orders, both with cities.
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, debt REAL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers, ship_city TEXT, amount REAL);
INSERT INTO customers VALUES (1, 'Kim', 'Oslo', 3), (2, 'Lee', 'Bergen', 4), (3, 'Ann', 'Oslo', 0);
INSERT INTO orders VALUES (1, 1, 'Oslo', 10), (2, 1, 'Turku', 20), (3, 2, 'Oslo', 20);
