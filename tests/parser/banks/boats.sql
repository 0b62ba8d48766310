CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT, port TEXT, owner TEXT);
CREATE TABLE trips (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats (id), fare REAL, cost REAL, state TEXT,
    seats INTEGER);
INSERT INTO boats VALUES (1, 'Gull', 'Bergen', 'Ann Dee'), (2, 'Tern', 'Oslo', 'Bo Lund');
INSERT INTO trips VALUES (1, 1, 30, 10, 'late', 0), (2, 1, 20, 15, 'ok', 4), (3, 2, 50, 20, 'ok', 9),
    (4, 2, 10, 12, 'late', 7);
