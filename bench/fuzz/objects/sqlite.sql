CREATE TABLE station (id INTEGER PRIMARY KEY, name TEXT UNIQUE, opened DATE, grade, doubled INTEGER GENERATED ALWAYS AS (id * 2) VIRTUAL, "odd name %" TEXT);
INSERT INTO station (id, name, opened, grade, "odd name %") VALUES (1, 'a', '2024-02-29', 3, 'x'), (2, 'it''s', '1000-01-01', 'high', ''), (3, NULL, NULL, NULL, NULL);
CREATE TABLE reading (station INTEGER REFERENCES station (id), no INTEGER, amount BIGINT, raw REAL, said TEXT, body BLOB, fine BOOLEAN, at DATETIME, PRIMARY KEY (station, no)) WITHOUT ROWID;
INSERT INTO reading VALUES
    (1, 1, 999999999999, 9e29, 'a', x'00ff', 1, '2024-01-31 12:00:00'), (1, 2, -999999999999, 1e-30, '50%', NULL, 0, '1000-01-01'), (2, 7, 0, 0, '', x'', NULL, NULL),
    (2, 1, 1, -1.5, '9999999999999999999', NULL, 1, '2024-02-29'), (3, -1, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE firm (a INT, b ANY, c TEXT) STRICT;
INSERT INTO firm VALUES (1, 9223372036854775, 'c'), (2, 'b', NULL);
CREATE VIEW named AS SELECT id AS station_id, name, opened, grade, doubled FROM station WHERE id > 0;
CREATE VIEW nested AS SELECT station_id, name AS called FROM named;
CREATE VIEW total AS
    SELECT r.station, s.name, count(*) AS n, sum(r.amount) AS amount, sum(r.amount) / 100.0 AS hundredths, avg(r.raw) AS raw, max(r.said) AS said, total(r.no) AS nos,
        sum(r.amount) * 1000000 AS huge, 4611686018427387904 AS half, round(r.raw, 2) AS rounded, CAST(r.said AS INTEGER) AS read_said
    FROM reading r JOIN station s ON s.id = r.station GROUP BY r.station, s.name;
CREATE VIEW reckoned (station, no, wide, third, twice, month, both_true, nil, lit, least, chosen, mixed, long) AS
    SELECT station, no, no * 30000, raw / 3, said || said, strftime('%Y-%m', at), fine AND no > 1, NULL, 'lit', -9223372036854775808,
        CASE WHEN fine THEN no ELSE said END, coalesce(raw, said, no), replace(hex(zeroblob(1000)), '0', 'xyz') FROM reading;
CREATE VIEW both_sides AS SELECT id, name FROM station UNION ALL SELECT no, said FROM reading;
CREATE VIEW crossed AS SELECT a.id, b.id AS other FROM station a, station b WHERE a.id <> b.id;
CREATE VIEW stale AS SELECT x FROM gone;
CREATE VIRTUAL TABLE article USING fts5 (title, body);
INSERT INTO article VALUES ('Ramp', 'the ramp is wet'), ('Gate', 7), (NULL, 2.5);
CREATE VIRTUAL TABLE older USING fts4 (title, body);
INSERT INTO older VALUES ('Belt', 'belt and ramp'), (3, NULL);
CREATE VIRTUAL TABLE silent USING fts5 (words, content = '');
INSERT INTO silent (rowid, words) VALUES (1, 'x');
CREATE VIRTUAL TABLE lost USING fts5 (words, content = 'gone');
CREATE VIRTUAL TABLE box USING rtree (id, left, right, +label TEXT);
INSERT INTO box VALUES (1, 0, 1, 'a'), (2, -3e30, 3e30, NULL);
CREATE VIRTUAL TABLE whole_box USING rtree_i32 (id, low, high);
INSERT INTO whole_box VALUES (1, -2147483648, 2147483647);
