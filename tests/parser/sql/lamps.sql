-- Customers and products.
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, price REAL, category TEXT);
INSERT INTO customers VALUES (1, 'Ann Lee', 'Oslo'), (2, 'Bob Ray', 'Rome');
INSERT INTO products VALUES (1, 'Lamp', 20.5, 'Home'), (2, 'Chair', 49, 'Home'), (3, 'Pen', 1.2, 'Office');
