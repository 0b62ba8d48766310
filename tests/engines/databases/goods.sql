-- A shop with a table for everybody and one for nobody.
CREATE TABLE goods (good_id integer PRIMARY KEY, name text, region text);
INSERT INTO goods VALUES (1, 'hat', 'north'), (2, 'cap', 'south'), (3, 'boot', 'south');
CREATE TABLE vault (secret text);
