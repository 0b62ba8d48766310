-- What is read back: orders of customers, and tents of three brands.
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, total DECIMAL(8, 2), status TEXT, day DATE);
INSERT INTO orders VALUES (1, 1, 12.50, 'open', '2024-01-31'), (2, 1, 30, 'paid', '2024-02-29'),
    (3, 2, 3, 'open', '2024-03-01'), (4, NULL, NULL, 'lost', NULL);
CREATE TABLE tent (id INTEGER PRIMARY KEY, brand VARCHAR(9), price INTEGER);
INSERT INTO tent VALUES (1, 'a', 30), (2, 'a', 10), (3, 'a', 20), (4, 'b', 7), (5, 'b', 9), (6, 'b', 8), (7, 'c', 1);
