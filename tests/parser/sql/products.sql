-- Products of two kinds, some without a price or a kind.
CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE product (
    id INTEGER PRIMARY KEY, name TEXT, price INTEGER, kind_id INTEGER REFERENCES kind (id), per TEXT
);
INSERT INTO kind VALUES (1, 'tent'), (2, 'stove');
INSERT INTO product VALUES (1, 'A', 30, 1, 'x'), (2, 'B', 10, 1, 'x'), (3, 'C', 20, 1, 'y'), (4, 'D', NULL, 1, 'y'),
    (5, 'E', 7, 2, 'x'), (6, 'F', 7, 2, 'y'), (7, 'G', 1, 2, NULL), (8, 'H', 5, NULL, NULL);
