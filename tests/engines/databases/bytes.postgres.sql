-- Texts of no encoding: one in UTF-8, one in Latin-1, and a name of a table in Latin-1.
CREATE TABLE guest (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO guest SELECT 1, convert_from('\x5a6fc3ab', 'SQL_ASCII');
INSERT INTO guest SELECT 2, convert_from('\x5a6feb', 'SQL_ASCII');
DO $$ BEGIN EXECUTE 'CREATE TABLE ' || convert_from('\xe9', 'SQL_ASCII') || ' (id INTEGER)'; END $$;
