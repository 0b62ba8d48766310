-- Cells that Python cannot hold, odd names, and views that fail on a row.
CREATE TABLE pass (id INTEGER PRIMARY KEY, holder TEXT, due DATE, born DATE, made TIMESTAMP, seen TIMESTAMPTZ,
    opens TIME, lasts INTERVAL, doc JSONB, days DATE[], span DATERANGE, n NUMERIC, spot POINT);
INSERT INTO pass VALUES
    (1, 'Anna', 'infinity', '0044-03-15 BC', '-infinity', '20000-01-01', '24:00', '170000000 years',
     ('[' || repeat('9', 5000) || ']')::jsonb, '{infinity}', '[2024-01-01,infinity)', 'NaN', '(1,2)'),
    (3, 'Cleo', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'Infinity', NULL),
    (2, 'Bert', '2024-01-31', NULL, NULL, NULL, NULL, '1 day', NULL, NULL, NULL, 1.5, NULL);
CREATE VIEW shown AS SELECT id, due, coalesce(due, 'infinity') AS until FROM pass;
CREATE VIEW ratio AS SELECT id, holder, 1 / (id - 2) AS share FROM pass;
CREATE VIEW folded AS SELECT 1 / 0 AS share;
CREATE MATERIALIZED VIEW kept AS SELECT id, spot FROM pass;
CREATE MATERIALIZED VIEW unfilled AS SELECT id FROM pass WITH NO DATA;
CREATE TABLE nothing ();
CREATE TABLE "odd ""50%" ("a ""b%" INTEGER, "x.y" TEXT);
CREATE TABLE huge (id INTEGER PRIMARY KEY, n NUMERIC, spans INT4MULTIRANGE);
INSERT INTO huge VALUES (1, 1e5000, '{[1,2),[5,)}'), (2, 1e131071 + 0.5, '{}'), (3, 'NaN', NULL);
CREATE SCHEMA other;
CREATE TABLE other.room (a INTEGER);
CREATE TABLE "other.room" (a INTEGER);
