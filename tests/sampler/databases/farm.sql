-- What asks for totals: numbers that count something, and numbers that do not.
CREATE TABLE orchard (orchard_id INTEGER PRIMARY KEY, name TEXT, region TEXT, number_of_trees INTEGER);
CREATE TABLE harvest (
    harvest_id INTEGER PRIMARY KEY, orchard_id INTEGER REFERENCES orchard (orchard_id), sort TEXT, picked_on DATE,
    crates INTEGER, wage REAL, sweetness_rating INTEGER
);
CREATE TABLE town (town_id INTEGER PRIMARY KEY, name TEXT, coast TEXT, population INTEGER, region TEXT);
CREATE TABLE market (
    market_id INTEGER PRIMARY KEY, name TEXT, market_date DATE, attendance INTEGER,
    town_id INTEGER REFERENCES town (town_id)
);
CREATE TABLE supply (
    orchard_id INTEGER REFERENCES orchard (orchard_id), market_id INTEGER REFERENCES market (market_id),
    PRIMARY KEY (orchard_id, market_id)
);

INSERT INTO orchard
SELECT n, word || ' Hill', '["north", "south", "west"]' ->> (n * n % 3), 40 + n * n FROM number WHERE n < 10;
INSERT INTO harvest
SELECT n, n * n % 11 % 10, '["Gala", "Elstar", "Boskoop"]' ->> (n * n % 7 % 3),
    printf('202%d-0%d-1%d', n % 4, 1 + n % 9, n * n % 10), 3 + n * n % 89, 10.5 + n * 7 % 31, 1 + n % 5
FROM number WHERE n < 120;
INSERT INTO town
SELECT n, word || 'ton' || substr('abc', 1 + n / 10, 1), iif(n * n % 5 % 2, 'none', 'east'), 1200 + 731 * n * n % 9973,
    '["north", "south", "east"]' ->> (n % 3)
FROM number WHERE n < 30;
INSERT INTO market
SELECT n, word || ' market ' || substr('ABCD', 1 + n / 10, 1), printf('202%d-0%d-0%d', n % 3, 1 + n % 8, 1 + n % 9),
    50 + n * n % 461, n * n % 29
FROM number WHERE n < 40;
INSERT INTO supply
SELECT o.n, m.n FROM number AS o JOIN number AS m ON m.n % (o.n + 2) = 0 WHERE o.n < 10 AND m.n < 40;
