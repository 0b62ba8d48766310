CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT, port TEXT, built_year INTEGER, tonnage REAL);
CREATE TABLE trips (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats (id), fare REAL, cost REAL, kind TEXT,
    starts TEXT, ends TEXT);
INSERT INTO boats VALUES (1, 'Gull', 'Bergen', 1999, 20), (2, 'Tern', 'Oslo', 2004, 35);
INSERT INTO trips VALUES (1, 1, 30, 10, 'cash', '2024-03-01', '2024-03-04'), (2, 2, 20, 8, 'flow', '2024-05-01', NULL);
