-- What dialogues go through: cooks and their dishes.
CREATE TABLE cook (cook_id INTEGER PRIMARY KEY, name TEXT, town TEXT, wage INTEGER, bonus INTEGER);
CREATE TABLE dish (dish_id INTEGER PRIMARY KEY, title TEXT, kind TEXT, price INTEGER,
                   cook_id INTEGER REFERENCES cook (cook_id));

INSERT INTO cook
SELECT n, 'Cook ' || char(65 + n), '["Ulm", "Bonn", "Jena"]' ->> (n % 3), 2000 + 137 * n, 90 - n * n % 7
FROM number WHERE n < 8;
INSERT INTO dish
SELECT n, printf('Dish %02d', n), '["soup", "stew", "salad", "roast"]' ->> (n % 4), 5 + n * n % 23, n * n % 8
FROM number WHERE n < 25;
