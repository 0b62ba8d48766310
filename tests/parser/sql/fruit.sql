-- Fruit in names that only a description makes known.
CREATE TABLE frt (id INTEGER PRIMARY KEY, nm TEXT, prc REAL, is_ripe INTEGER);
INSERT INTO frt VALUES (1, 'fig', 2.5, 1), (2, 'plum', 1.5, 0);
