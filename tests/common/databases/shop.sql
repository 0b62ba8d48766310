-- Customers and their orders: money as text, a flag of letters, times in four forms, two columns of cities.
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, debt REAL, vip TEXT, since TEXT);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers (id), ship_city TEXT, amount REAL, placed TEXT,
    due_dmy TEXT, seen INTEGER, fine TEXT
);
CREATE TABLE items (order_id INTEGER REFERENCES orders (id), product TEXT, pieces INTEGER, price REAL);
INSERT INTO customers VALUES (1, 'Kim', 'Oslo', 3, 'Y', '2019'), (2, 'Lee', 'Bergen', 4, 'N', '2020'),
    (3, 'Ann', 'Oslo', 0, 'N', '2021');
INSERT INTO orders VALUES
    (1, 1, 'Oslo', 10, '2023-05-02', '09/05/2023', 1683072000, '$1,200.50'),
    (2, 1, 'Turku', 20, '2023-11-30', '01/12/2023', 1701388800, '$80'),
    (3, 2, 'Oslo', 20, '2024-02-29', '10/03/2024', 1709251200, 'n/a'),
    (4, 3, 'Bergen', 35.5, '2024-06-17', '02/07/2024', 1718668800, '$9.90');
INSERT INTO items VALUES (1, 'lamp', 1, 10), (2, 'lamp', 1, 10), (2, 'chair', 2, 5), (3, 'desk', 1, 20), (4, 'chair', 7, 5);
