CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT, region TEXT);
CREATE TABLE results (plant_id INTEGER REFERENCES plants (id), year INTEGER, revenue REAL, costs INTEGER,
    cogs INTEGER, tax INTEGER, PRIMARY KEY (plant_id, year));
CREATE TABLE workers (id INTEGER PRIMARY KEY, plant_id INTEGER REFERENCES plants (id), name TEXT, age INTEGER,
    gender TEXT);
CREATE TABLE crew (id INTEGER PRIMARY KEY, phone TEXT, email TEXT);
INSERT INTO plants VALUES (1, 'North', 'N'), (2, 'South', 'S'), (3, 'East', 'S');
INSERT INTO results VALUES (1, 2022, 100, 60, 50, 3), (1, 2023, 120, 70, 55, 4), (2, 2022, 80, 90, 60, 1),
    (2, 2023, 95, 70, 44, 2), (3, 2023, 0, 20, 10, 1);
INSERT INTO workers VALUES (1, 1, 'Ann Lee', 17, 'F'), (2, 1, 'Bob Day', 44, 'M'), (3, 2, 'Cid Roe', 66, 'M'),
    (4, 3, 'Dot Poe', 16, 'F');
