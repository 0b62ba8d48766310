-- A small land: states, their cities, rivers and lakes, and which river feeds which lake.
CREATE TABLE state (id INTEGER PRIMARY KEY, name TEXT, area REAL, founded DATE);
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER, state_id INTEGER REFERENCES state (id));
CREATE TABLE river (id INTEGER PRIMARY KEY, name TEXT, length INTEGER, state_id INTEGER REFERENCES state (id));
CREATE TABLE lake (id INTEGER PRIMARY KEY, name TEXT, depth REAL, state_id INTEGER REFERENCES state (id));
CREATE TABLE feeds (river_id INTEGER REFERENCES river (id), lake_id INTEGER REFERENCES lake (id), PRIMARY KEY (river_id, lake_id));
INSERT INTO state VALUES (1, 'Utah', 219.8, '1896-01-04'), (2, 'Ohio', 116.1, '1803-03-01'), (3, 'Maine', 91.6, '1820-03-15');
INSERT INTO city VALUES (1, 'Provo', 115000, 1), (2, 'Dayton', 137000, 2), (3, 'Akron', 190000, 2), (4, 'Bangor', 31000, 3);
INSERT INTO river VALUES (1, 'Bear', 560, 1), (2, 'Weber', 200, 1), (3, 'Scioto', 372, 2), (4, 'Kennebec', 270, 3);
INSERT INTO lake VALUES (1, 'Great Salt', 10, 1), (2, 'Moosehead', 75, 3), (3, 'Bear', NULL, 1);
INSERT INTO feeds VALUES (1, 1), (2, 1), (4, 2);
