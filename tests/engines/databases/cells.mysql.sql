-- Cells that Python cannot hold, odd names, and a view that fails on a row.
SET SESSION sql_mode = '';
CREATE TABLE pass (id INTEGER PRIMARY KEY, holder VARCHAR(20), due DATE, opens TIME);
INSERT IGNORE INTO pass VALUES (1, 'Anna', '2024-01-31', '838:59:59'), (2, 'Bert', '9999-12-31', '-838:59:59');
CREATE VIEW ratio AS SELECT id, holder, 9223372036854775807 + id AS share FROM pass;
CREATE TABLE `odd ``50%` (`a ``b%` INTEGER PRIMARY KEY, `x.y` TEXT, `c```INTEGER UNIQUE);
